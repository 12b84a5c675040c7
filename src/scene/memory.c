// SPDX-License-Identifier: MIT
#include "tact/memory.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *tact_memory_get(size_t size) {
    return malloc(size ? size : 1);
}

void tact_memory_release(void *memory) {
    free(memory);
}

void *tact_memory_grow(void *items, int count, int *room, int least, size_t size) {
    TACT_ASSERT(room && count >= 0 && least > 0 && size > 0);
    if (count < *room) return items;
    int more = *room < least ? least : *room > INT_MAX / 2 ? 0 : 2 * *room;
    void *larger = more > 0 && (size_t)more < SIZE_MAX / size ? tact_memory_get((size_t)more * size) : NULL;
    if (!larger) return NULL;
    if (count > 0) memcpy(larger, items, (size_t)count * size);
    tact_memory_release(items);
    *room = more;
    return larger;
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
