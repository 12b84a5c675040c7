// SPDX-License-Identifier: MIT
// Batches: many environments of one or several scenes, which differ in what a spec draws; their chunks are stepped by a pool of
// threads. Hosted.
#ifndef TACT_BATCH_H
#define TACT_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "tact/base.h"
#include "tact/errors.h"
#include "tact/json.h"
#include "tact/scene.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Random parameters of environments, by counter: a value depends on the seed, the environment and the parameter only, so that
// any environment is the same alone, in any order and on any machine.

typedef enum {
    TACT_DRAW_UNIFORM,      // a to b
    TACT_DRAW_NORMAL,       // mean a, standard deviation b
    TACT_DRAW_LOG_UNIFORM,  // a to b, both above 0: uniform in the logarithm
    TACT_DRAW_CHOICE,       // one of a list, equally likely
} tact_draw_kind;

typedef struct {
    const char *path;  // in the scene, as --set takes it
    int node;          // of the path in the document of the spec
    tact_draw_kind kind;
    tact_real a, b;
    int nchoice;
    tact_real *value;   // (nchoice) numbers; of other words their index
    const char **word;  // (nchoice) as JSON; NULL for numbers
} tact_draw;

// The value of an environment; of a choice *index is which.
tact_real tact_draw_value(const tact_draw *draw, uint64_t seed, uint64_t environment, int parameter, int *index);

// What a batch is asked to do: its scenes, how many environments and steps, which numbers vary, what is recorded.

#define TACT_BATCH_ENVS_MAX 1000000000000  // environments
#define TACT_BATCH_STEPS_MAX 1000000000
#define TACT_BATCH_SEED_MAX 9007199254740992  // 2^53
#define TACT_BATCH_SCENES_MAX 1000
#define TACT_BATCH_DRAWS_MAX 256

typedef struct {
    int nscene;
    const char **scene;  // (nscene) paths as seen from here; environment i steps scene i mod nscene
    long long envs;      // environments
    long long steps;     // of each
    long long seed;
    int ndraw;
    tact_draw *draw;           // (ndraw) what differs between environments
    tact_text command;         // JSON that takes the place of the scenes' command; empty: theirs
    const char *command_file;  // .npy with commands; NULL: none
    bool final;                // record the last state
    long long every;           // record every so many steps; 0: none
    bool forces;               // with them the contact forces
    bool derivatives;          // matrices of the last step
    tact_text text;            // of the file
    tact_json json;            // its document, when it is a spec
    bool parsed;
    void *memory;  // of strings and lists
} tact_batch_spec;

// Reads a spec, or a scene for a batch of one environment and one step; false after errors. Ends with tact_batch_spec_free
// either way.
bool tact_batch_spec_read(tact_batch_spec *spec, const char *path, tact_errors *errors);

// Frees what reading allocated and sets the spec to zero; also after a read that failed.
void tact_batch_spec_free(tact_batch_spec *spec);

// A message at the path of a parameter.
void tact_batch_spec_report(const tact_batch_spec *spec, int draw, tact_error_kind kind, tact_errors *errors, const char *format,
                            ...) TACT_PRINTF(5, 6);

enum { TACT_BATCH_COMMAND = -1 };

// After a file could not be read, that of scene number scene or, for TACT_BATCH_COMMAND, of the command: the last message says
// where the spec names it, too.
void tact_batch_spec_place(const tact_batch_spec *spec, int scene, tact_errors *errors);

// `tact help batch`: the keys of a spec.
void tact_batch_spec_help(tact_text *out);

// SHA-256 (FIPS 180-4): by it a batch knows the files that it was begun with.

typedef struct {
    uint32_t state[8];
    uint64_t size;  // [bytes] so far
    unsigned char block[64];
} tact_digest;

// In hexadecimal.
typedef struct {
    char text[65];
} tact_digest_text;

// Starts a digest of no bytes.
void tact_digest_begin(tact_digest *digest);

// Adds size bytes; bytes may be NULL if size is 0.
void tact_digest_add(tact_digest *digest, const void *bytes, size_t size);

// The digest of all bytes added, 64 hexadecimal digits. Nothing can be added afterwards.
tact_digest_text tact_digest_end(tact_digest *digest);

// What tells builds apart that compute other bits: a digest of a few steps and derivatives under every law, computed by this
// build.

// In hexadecimal.
typedef struct {
    char text[17];
} tact_fingerprint;

// Takes about half a millisecond. lanes: the width of those that step, 0 for the widest. False and one error when there
// is no memory.
bool tact_fingerprint_find(int lanes, tact_fingerprint *fingerprint, tact_errors *errors);

// A scene of which some values differ between environments. Its text is kept with the places of these values, so that the text of
// any environment can be written. Where a value of the text stands unchanged in the loaded scene - found by loading the scene
// with several values and comparing - it is set there; a scene of which all values are such is loaded only once.

enum { TACT_VARIANT_SHAPES = 2, TACT_VARIANT_START = 4, TACT_VARIANT_OPTIONS = 9, TACT_VARIANT_REGIONS = 10 };

// Numbers of a loaded scene.
typedef struct {
    void *base[TACT_VARIANT_REGIONS];
    size_t size[TACT_VARIANT_REGIONS];  // [bytes]
} tact_variant_regions;

// Finds the arrays that a parameter may change: bodies, dofs, shapes, pairs, q0, v0, the command and the options. They are
// those of the scene itself, not copies.
void tact_variant_find_regions(tact_scene *scene, tact_variant_regions *regions);

// A copy of a scene with regions of its own, of those in own (NULL: none), in memory of the arena, which measures or places.
void tact_variant_place_copy(tact_scene *scene, const bool *own, tact_scene *copy, tact_arena *arena);

typedef struct {
    int draw, region;
    size_t offset;  // [bytes] in the region
} tact_variant_patch;

typedef struct {
    size_t at, size;  // [bytes] in the text
} tact_variant_span;

typedef struct {
    const char *path;
    tact_text folder;
    tact_text text;                  // with the values of the base
    tact_variant_span *span;         // (ndraw)
    int *order;                      // (ndraw) spans by their place
    tact_scene *scene;               // the base
    const char *law;                 // of --law; NULL
    bool patched;                    // patches say all
    bool quick;                      // and scratch of one environment serves all
    int nx;                          // the most of tact_linear_order, whatever is drawn
    int npatch, patch_room;          //
    tact_variant_patch *patch;       // (npatch)
    bool own[TACT_VARIANT_REGIONS];  // a patch is in the region
} tact_variant;

// Loads scene number k of a spec with the settings, and finds the patches; false after errors. Ends with tact_variant_free
// either way.
bool tact_variant_open(tact_variant *variant, const tact_batch_spec *spec, int k, const tact_scene_settings *settings,
                       tact_errors *errors);

// Frees the base scene, the texts and the lists, and sets the variant to zero; also after an open that failed.
void tact_variant_free(tact_variant *variant);

// The same of a text, whose name and law stay the caller's. Of the spec only the parameters and its document are read.
bool tact_variant_open_text(tact_variant *variant, const tact_batch_spec *spec, tact_source source, const char *folder,
                            const char *law, tact_errors *errors);

// The scene with a value for each parameter, all of them numbers; NULL after errors.
tact_scene *tact_variant_load_with(const tact_variant *variant, const tact_batch_spec *spec, const tact_real *value,
                                   tact_errors *errors);

// Sets a value for each parameter in a copy that has the regions of the patches for itself; false when they make no model.
bool tact_variant_patch_copy(const tact_variant *variant, const tact_real *value, tact_scene *copy);

// Adds the text of an environment.
void tact_variant_write(const tact_variant *variant, const tact_batch_spec *spec, long long environment, tact_text *out);

// Loads an environment's scene from its text; NULL after errors. One thread at a time.
tact_scene *tact_variant_load(const tact_variant *variant, const tact_batch_spec *spec, long long environment,
                              tact_errors *errors);

// True when another scene has the same counts of everything.
bool tact_variant_same_shape(const tact_model *a, const tact_model *b);

// Many environments: what a spec asks for, made ready, and the arrays that it fills. Environments are stepped in chunks. What a
// chunk holds and what it computes depends on the spec alone, not on who computes it, when, or with how many lanes.

enum { TACT_BATCH_ARRAYS = 18, TACT_BATCH_CHUNK = 256 };

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
    bool finds;                    // a scene has pairs that its steps find
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

// Frees the variants and sets the batch to zero; call it before tact_batch_spec_free.
void tact_batch_free(tact_batch *batch);

// Adds to a digest all that the results depend on: spec, scenes, robots' files, the bits that this build computes. False after
// errors.
bool tact_batch_digest(tact_batch *batch, tact_digest *digest, tact_errors *errors);

// The first environment of a chunk.
static inline long long tact_batch_first(const tact_batch *batch, long long chunk) {
    return chunk * batch->chunk;
}

// How many environments a chunk has: batch->chunk, of the last one the rest.
static inline int tact_batch_count(const tact_batch *batch, long long chunk) {
    long long rest = batch->spec->envs - chunk * batch->chunk;
    return rest < batch->chunk ? (int)rest : batch->chunk;
}

typedef enum {
    TACT_CHUNK_DONE,
    TACT_CHUNK_STOPPED,
    TACT_CHUNK_NO_MEMORY,
    TACT_CHUNK_NO_COMMANDS,  // they could not be read
} tact_chunk_result;

// Threads that compute chunks. One thread, the caller's, hands out their numbers and may do so in any order; each thread takes
// the next one when it is free, computes it into a buffer of its own, and gives that to `take`. Nothing else is shared.

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

// What has been done so far.
typedef struct {
    long long chunks;          // taken over
    long long steps;           //
    int idle;                  // threads without a chunk, while none waits
    bool failed;               //
    tact_chunk_result reason;  // of the failure; TACT_CHUNK_DONE when take was false
} tact_pool_state;

// Waits until a worker takes, finishes or fails at a chunk or has none left, at most so many milliseconds, and fills the state.
void tact_pool_wait(tact_pool *pool, int milliseconds, tact_pool_state *state);

// Chunks under way are dropped.
void tact_pool_stop(tact_pool *pool);

// Ends the threads: after those under way are finished, or dropped after tact_pool_stop.
void tact_pool_free(tact_pool *pool);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
