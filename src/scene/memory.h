// SPDX-License-Identifier: MIT
// The one place where the hosted text layer asks for memory. Every caller must bear a NULL.
#ifndef TACT_SCENE_MEMORY_H
#define TACT_SCENE_MEMORY_H

#include <stddef.h>

#include "tact/base.h"

// size bytes, not set to anything; NULL only when there is no memory (also for size 0).
void *tact_memory_get(size_t size);

// Gives back what tact_memory_get returned; NULL is allowed.
void tact_memory_release(void *memory);

// Memory for what a function takes from an arena: called with an empty one it measures, and again it places. NULL when there is
// none; then it was called once.
typedef void tact_memory_placer(void *context, tact_arena *arena);
void *tact_memory_place(tact_memory_placer *place, void *context);

#endif
