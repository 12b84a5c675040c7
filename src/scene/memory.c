// SPDX-License-Identifier: MIT
#include "tact/memory.h"

#include <stdint.h>
#include <stdlib.h>

void *tact_memory_get(size_t size) {
    return malloc(size ? size : 1);
}

void tact_memory_release(void *memory) {
    free(memory);
}

void *tact_memory_place(tact_memory_placer *place, void *context) {
    TACT_ASSERT(place);
    tact_arena arena = {0};
    place(context, &arena);
    void *memory = arena.used < SIZE_MAX ? tact_memory_get(arena.used) : NULL;
    if (!memory) return NULL;
    arena = (tact_arena){.memory = memory, .size = arena.used};
    place(context, &arena);
    return memory;
}
