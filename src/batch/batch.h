// SPDX-License-Identifier: MIT
// Many environments: what a spec asks for, made ready, and the arrays that it fills. Environments are stepped in chunks. What a
// chunk holds and what it computes depends on the spec alone, not on who computes it, when, or with how many lanes.
#ifndef TACT_BATCH_BATCH_H
#define TACT_BATCH_BATCH_H

#include <stdatomic.h>

#include "batch/digest.h"
#include "batch/fingerprint.h"
#include "batch/variant.h"

enum { TACT_BATCH_ARRAYS = 16, TACT_BATCH_CHUNK = 256 };

// An array of results: (envs, shape).
typedef struct {
    const char *name;
    const char *unit, *meaning;
    bool whole;          // int32; otherwise double
    int ndim;            // of shape
    long long shape[3];  // of one environment
    size_t bytes;        // of one environment
} tact_batch_array;

// Commands of a step from outside: fills u (count, nu) of an environment's steps from first on; false when they cannot be read.
typedef struct {
    void *context;
    bool (*read)(void *context, long long environment, long long first, int count, double *u);
} tact_batch_commands;

typedef struct {
    const tact_batch_spec *spec;
    tact_variant *variant;         // (spec->nscene)
    tact_batch_commands commands;  // read is NULL: the scenes' own
    int nq, nv, nu, npair;         // the most of all scenes: rows of smaller ones end with zeros
    int nx;                        // of the states that are differentiated
    long long rows;                // states of a path that are recorded; 0: no path
    int narray;
    tact_batch_array array[TACT_BATCH_ARRAYS];
    size_t bytes;           // of one environment in all arrays
    int chunk;              // environments of a chunk, the last one excepted
    long long chunks;       //
    int lanes;              // width; 0: the widest
    tact_fingerprint bits;  // of this build, once tact_batch_digest was called
} tact_batch;

// Opens the scenes and lays out the arrays; false after errors. Ends with tact_batch_free either way.
bool tact_batch_open(tact_batch *batch, const tact_batch_spec *spec, const tact_scene_settings *settings, tact_errors *errors);
void tact_batch_free(tact_batch *batch);

// Adds to a digest all that the results depend on: spec, scenes, robots' files, the bits that this build computes. False after
// errors.
bool tact_batch_digest(tact_batch *batch, tact_digest *digest, tact_errors *errors);

// Environments of a chunk.
static inline long long tact_batch_first(const tact_batch *batch, long long chunk) {
    return chunk * batch->chunk;
}
static inline int tact_batch_count(const tact_batch *batch, long long chunk) {
    long long rest = batch->spec->envs - chunk * batch->chunk;
    return rest < batch->chunk ? (int)rest : batch->chunk;
}

// Scratch of one thread.
typedef struct tact_batch_worker tact_batch_worker;

tact_batch_worker *tact_batch_worker_make(const tact_batch *batch);
void tact_batch_worker_free(tact_batch_worker *worker);

typedef enum {
    TACT_CHUNK_DONE,
    TACT_CHUNK_STOPPED,
    TACT_CHUNK_NO_MEMORY,
    TACT_CHUNK_NO_COMMANDS,  // they could not be read
} tact_chunk_result;

// Computes a chunk into a buffer of batch->bytes times its environments, aligned to double: the arrays one behind the other, each
// with a row for each environment. steps counts those made. Ends early when stop becomes true.
tact_chunk_result tact_batch_worker_run(tact_batch_worker *worker, long long chunk, unsigned char *buffer,
                                        const atomic_bool *stop, long long *steps);

#endif
