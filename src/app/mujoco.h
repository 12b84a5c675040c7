// SPDX-License-Identifier: MIT
// MuJoCo as a plant: npm's @mujoco/mujoco in a node process, told and asked over two pipes, a line of JSON each way.
#ifndef TACT_APP_MUJOCO_H
#define TACT_APP_MUJOCO_H

#include "tact/tact.h"

#define TACT_MUJOCO_STEP 0.002  // [s] of MuJoCo's steps

typedef struct tact_mujoco tact_mujoco;

// The scene's model in MuJoCo. NULL after saying why: no node, no package, or what the scene has and MuJoCo has not.
// The package is looked for in node_modules of the folder TACT_NODE, or of the working folder and those above it.
tact_mujoco *tact_mujoco_open(const tact_scene *scene);
void tact_mujoco_close(tact_mujoco *mujoco);

// At rest at q (nq); and held at the command u (nu) for a time, after which q is where it is. False after saying what is wrong.
bool tact_mujoco_reset(tact_mujoco *mujoco, const tact_real *q);
bool tact_mujoco_step(tact_mujoco *mujoco, const tact_real *u, double seconds, tact_real *q);

#endif
