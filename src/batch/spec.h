// SPDX-License-Identifier: MIT
// What a batch is asked to do: its scenes, how many environments and steps, which numbers vary, what is recorded.
#ifndef TACT_BATCH_SPEC_H
#define TACT_BATCH_SPEC_H

#include "batch/draw.h"
#include "tact/errors.h"
#include "tact/json.h"

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
void tact_batch_spec_free(tact_batch_spec *spec);

// A message at the path of a parameter.
void tact_batch_spec_report(const tact_batch_spec *spec, int draw, tact_error_kind kind, tact_errors *errors, const char *format,
                            ...) TACT_PRINTF(5, 6);

// After a file could not be read, the command's or a scene's: the last message says where the spec names it, too.
enum { TACT_BATCH_COMMAND = -1 };
void tact_batch_spec_place(const tact_batch_spec *spec, int scene, tact_errors *errors);

// `tact help batch`: the keys of a spec.
void tact_batch_spec_help(tact_text *out);

#endif
