// SPDX-License-Identifier: MIT
// Threads that compute chunks. One thread, the caller's, hands out their numbers and may do so in any order; each thread takes
// the next one when it is free, computes it into a buffer of its own, and gives that to `take`. Nothing else is shared.
#ifndef TACT_BATCH_POOL_H
#define TACT_BATCH_POOL_H

#include "batch/batch.h"

typedef struct tact_pool tact_pool;

typedef struct {
    const tact_batch *batch;
    int threads;
    void *context;
    // Takes the results of a chunk over; called by any of the threads, for several chunks at a time. False ends the pool.
    bool (*take)(void *context, long long chunk, const unsigned char *buffer);
} tact_pool_options;

// NULL when there is no memory or no thread.
tact_pool *tact_pool_make(const tact_pool_options *options);

// Hands out a chunk; false when enough are waiting.
bool tact_pool_give(tact_pool *pool, long long chunk);

// Waits for a change, at most so many milliseconds. Fills what has been done so far; false once the pool ended with an error.
typedef struct {
    long long chunks;          // taken over
    long long steps;           //
    int idle;                  // threads without a chunk, while none waits
    bool failed;               //
    tact_chunk_result reason;  // of the failure; TACT_CHUNK_DONE when take was false
} tact_pool_state;
void tact_pool_wait(tact_pool *pool, int milliseconds, tact_pool_state *state);

// Chunks under way are dropped.
void tact_pool_stop(tact_pool *pool);

// Ends the threads: after those under way are finished, or dropped after tact_pool_stop.
void tact_pool_free(tact_pool *pool);

#endif
