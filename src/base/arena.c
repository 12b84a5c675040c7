// SPDX-License-Identifier: MIT
#include "tact/base.h"

void *tact_arena_take(tact_arena *arena, size_t count, size_t item_size) {
    // a product that does not fit size_t can never fit the memory: remember it as the largest size
    bool too_large = item_size && count > (SIZE_MAX - 2 * TACT_ALIGN) / item_size;
    size_t bytes = too_large ? SIZE_MAX - TACT_ALIGN : count * item_size;
    size_t start = (arena->used + TACT_ALIGN - 1) / TACT_ALIGN * TACT_ALIGN;
    if (start < arena->used || bytes > SIZE_MAX - start) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    arena->used = start + bytes;
    return arena->memory && arena->used <= arena->size ? arena->memory + start : NULL;
}

bool tact_arena_fits(const tact_arena *arena) {
    return arena->memory && arena->used <= arena->size;
}
