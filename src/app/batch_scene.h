// SPDX-License-Identifier: MIT
// Commands of a batch from a .npy file, and one environment of it as a scene.
#ifndef TACT_APP_BATCH_SCENE_H
#define TACT_APP_BATCH_SCENE_H

#include "tact/tact.h"

typedef struct {
    tact_npy npy;
    long long steps, nu;
    bool each;  // environments have commands of their own
} tact_batch_source;

// Opens the spec's file of commands, if it names one, and gives it to the batch; false after errors.
bool tact_batch_source_open(tact_batch_source *source, tact_batch *batch, tact_errors *errors);
bool tact_batch_source_digest(const tact_batch_source *source, tact_digest *digest, tact_errors *errors);
void tact_batch_source_close(tact_batch_source *source);

// Writes the scene of an environment; the exit code.
int tact_batch_write_scene(const tact_batch *batch, long long environment, const char *path);

#endif
