// SPDX-License-Identifier: MIT
#include "tact/base.h"

// Bytes to skip so that the next array is aligned. Measuring, the memory's own misalignment is not known: the first array
// reserves for the worst.
static size_t padding(const tact_arena *arena) {
    if (!arena->memory) return arena->used ? (TACT_ALIGN - arena->used % TACT_ALIGN) % TACT_ALIGN : TACT_ALIGN;
    uintptr_t next = (uintptr_t)arena->memory + arena->used;
    return (size_t)((TACT_ALIGN - next % TACT_ALIGN) % TACT_ALIGN);
}

void *tact_arena_take(tact_arena *arena, size_t count, size_t item_size) {
    TACT_ASSERT(arena);
    size_t pad = padding(arena), room = SIZE_MAX - arena->used;
    // what does not fit size_t can never fit the memory: remember it as the largest size
    bool too_large = arena->used == SIZE_MAX || pad > room || (item_size && count > (room - pad) / item_size);
    if (too_large) {
        arena->used = SIZE_MAX;
        return NULL;
    }
    size_t start = arena->used + pad;
    arena->used = start + count * item_size;
    return arena->memory && arena->used <= arena->size ? arena->memory + start : NULL;
}

bool tact_arena_fits(const tact_arena *arena) {
    TACT_ASSERT(arena);
    return arena->memory && arena->used <= arena->size;
}
