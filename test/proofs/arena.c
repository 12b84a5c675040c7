// SPDX-License-Identifier: MIT
// The arena: any counts and sizes, three arrays from a memory of any size up to ROOM, or from none.
#include "base/arena.c"

#include "proofs.h"

enum { ROOM = 64 };

void proof(void) {
    static unsigned char memory[ROOM];
    tact_arena arena = {.memory = Frama_C_interval(0, 1) ? memory : 0, .size = (size_t)Frama_C_interval(0, ROOM)};
    for (int i = 0; i < 3; i++) {
        size_t count = Frama_C_size_t_interval(0, SIZE_MAX), item = Frama_C_size_t_interval(0, SIZE_MAX);
        tact_arena_take(&arena, count, item);
    }
    tact_arena_fits(&arena);
}
