// SPDX-License-Identifier: MIT
// Threads that share the pieces of a task; the caller is one of them. Which thread takes which piece does not matter to results.
#ifndef TACT_WORLDS_CREW_H
#define TACT_WORLDS_CREW_H

#include <stdbool.h>

#include "tact/worlds.h"

// What the caller does ten times a second while it waits for the others; NULL: nothing.
void tact_crew_idle(tact_crew *crew, void (*idle)(void *context), void *context);

// Calls work(context, piece, member) once for each piece, by up to so many threads; member is less than threads and is that of
// one thread at a time.
void tact_crew_run(tact_crew *crew, int threads, int pieces, void (*work)(void *context, int piece, int member), void *context);

#endif
