// SPDX-License-Identifier: MIT
// What a controller acts on: a world that takes commands for a time and tells its coordinates. Its model has the dofs of the
// controller's, in the same order.
#ifndef TACT_APP_PLANT_H
#define TACT_APP_PLANT_H

#include "app/disturb.h"
#include "app/mujoco.h"
#include "app/stage.h"

// Starts as {0}; ends with tact_plant_close.
typedef struct {
    tact_world world;     // its state is the plant's
    tact_mujoco *mujoco;  // that steps it; NULL: the library
    long long steps;      // that were made
    long long limited;    // that did not converge
    tact_status failure;  // of the step that had no answer; TACT_CONVERGED: none
    int pushed;           // body that a force acts on ...
    tact_vec3 push;       // ... for the time of the next steps [N]; 0: none
    tact_real owed;       // what the steps are behind the time that was asked for, or ahead of it: at most half a step [s]
    void *changed;        // memory of a model that was disturbed
} tact_plant;

// How the plant is opened.
typedef struct {
    const char *scene;       // its file
    const char *law;         // NULL: that of the file
    const char *const *set;  // (nset) settings of its own, after those of the call
    int nset;                //
    bool mujoco;             // it is stepped by MuJoCo
    tact_real dt;            // of its steps; 0: that of the file
    tact_disturbance disturbance;
} tact_plant_settings;

// The exit code; after TACT_EXIT_DONE the plant is to be closed.
int tact_plant_open(tact_plant *plant, const tact_call *call, const tact_plant_settings *settings);
void tact_plant_close(tact_plant *plant);

// At rest at q (nq), time 0. False after saying what is wrong.
bool tact_plant_reset(tact_plant *plant, const tact_real *q);

// Holds the command u (nu) for a time, in whole steps; what is left over counts for the next time. False when a step has no
// answer, which it says for MuJoCo.
bool tact_plant_step(tact_plant *plant, const tact_real *u, tact_real seconds);

#endif
