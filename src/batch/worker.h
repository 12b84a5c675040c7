// SPDX-License-Identifier: MIT
// Inside a worker: environments of one scene that are stepped together, and where their results go.
#ifndef TACT_BATCH_WORKER_H
#define TACT_BATCH_WORKER_H

#include <stdatomic.h>

#include "batch/group.h"
#include "batch/slopes.h"

// Scratch of one thread.
typedef struct tact_batch_worker tact_batch_worker;

tact_batch_worker *tact_batch_worker_make(const tact_batch *batch);
void tact_batch_worker_free(tact_batch_worker *worker);

// Computes a chunk into a buffer of batch->bytes times its environments, aligned to double: the arrays one behind the other, each
// with a row for each environment. steps counts those made. Ends early when stop becomes true.
tact_chunk_result tact_batch_worker_run(tact_batch_worker *worker, long long chunk, unsigned char *buffer,
                                        const atomic_bool *stop, long long *steps);

enum { TACT_GROUP = 32 };

// Which array of the batch holds what; -1: none.
typedef struct {
    int parameters, q, v, lambda, path_q, path_v, path_lambda, A, B, C, D, touch, path_touch, kink, status, steps, iterations;
} tact_worker_arrays;

struct tact_batch_worker {
    const tact_batch *batch;
    tact_worker_arrays arrays;
    size_t offset[TACT_BATCH_ARRAYS];  // [bytes] of each array for one environment in the buffer
    void *memory;                      // of all below
    size_t size;                       //
    const tact_variant *placed;        // whose copies lie in the memory; NULL: of none
    tact_group group;                  // the environments under way
    tact_slopes slopes;                // of the last step
    tact_group_copies copies;          // by slot
    tact_real *u;                      // (TACT_GROUP, nu) commands, by slot
    double *ahead;                     // (TACT_GROUP, block, nu) of the next steps, from outside, by slot
    int block;                         // steps that have room there
    int row[TACT_GROUP];               // of the chunk, by slot
    long long spent[TACT_GROUP];       // iterations of all steps, by slot

    // the chunk
    long long chunk;
    int envs;
    unsigned char *buffer;
    const atomic_bool *stop;   // to end early
    long long *steps;          // made so far
    tact_chunk_result result;  // why the last run ended
};

// Results of environment i of those being computed.
void tact_worker_record_path(tact_batch_worker *worker, int i, long long row);
void tact_worker_record_end(void *worker, int i, long long steps);
void tact_worker_record_parameters(tact_batch_worker *worker, int row, const tact_real *value);
void tact_worker_record_matrices(tact_batch_worker *worker, int i, tact_slopes_kind kind, const tact_work *work);

// An environment whose scene is refused.
void tact_worker_record_refused(tact_batch_worker *worker, int row);

void tact_worker_find_arrays(tact_batch_worker *worker);

#endif
