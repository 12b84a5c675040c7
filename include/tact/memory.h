// SPDX-License-Identifier: MIT
// Memory of the heap for what measures itself in an arena: the one place where the hosted layers ask for it, so that a test can
// let it fail. Every caller must bear a NULL.
#ifndef TACT_MEMORY_H
#define TACT_MEMORY_H

#include <stddef.h>

#include "tact/base.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// size bytes, not set to anything; NULL only when there is no memory (also for size 0).
void *tact_memory_get(size_t size);

// Gives back what tact_memory_get returned; NULL is allowed.
void tact_memory_release(void *memory);

// Room for one more item of a list of count items, each of so many bytes: the list as it is or, where room is used up, a copy
// with twice the room, at least for least items. NULL, and the list as it is, when there is no memory.
void *tact_memory_grow(void *items, int count, int *room, int least, size_t size);

// Takes from the arena what it needs: an empty one measures.
typedef void tact_memory_placer(void *context, tact_arena *arena);

// Calls place with an empty arena to measure, and again with memory of that size, which is returned. NULL when there is none;
// then place was called once.
void *tact_memory_place(tact_memory_placer *place, void *context);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
