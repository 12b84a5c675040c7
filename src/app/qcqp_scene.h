// SPDX-License-Identifier: MIT
// A scene with a goal as a quadratically constrained problem: tact qcqp --scene.
#ifndef TACT_APP_QCQP_SCENE_H
#define TACT_APP_QCQP_SCENE_H

#include "app/app.h"

// Builds it, and prints the problem (--problem) or its solution; returns the exit code.
int tact_qcqp_scene_run(const tact_call *call, const char *path, const tact_qcqp_options *options);

#endif
