// SPDX-License-Identifier: MIT
// Derivatives of a whole run: of the last coordinates and forces by the first coordinates and by a shift of all commands.
#ifndef TACT_APP_GRAD_RUN_H
#define TACT_APP_GRAD_RUN_H

#include "tact/deriv.h"
#include "tact/scene.h"

typedef struct {
    int steps;           // made; the last of them failed when status is negative
    tact_status status;  // of a step that failed, else the worst
    int kinks;           // steps with an anchor at its cap
    int nc;              // contacts of the last step
    int *pair;           // (nc) their pairs
    tact_real *by_q;     // (nv + 3 nc, nv) of q_N, then of the forces of the last step, by q_0
    tact_real *by_u;     // (nv + 3 nc, nu) by a shift that all commands have in common
    void *memory;
} tact_grad_run;

// Makes the steps from the world's state and goes back through them, so that state and work are in the end those of the first
// step, or of one that failed. Commands that hold follow the coordinates. False when there is no memory; ends with
// tact_grad_run_free.
bool tact_grad_run_make(tact_grad_run *run, tact_world *world, int steps, bool frozen);

void tact_grad_run_free(tact_grad_run *run);

#endif
