// SPDX-License-Identifier: MIT
// What a run did to its objects, in words: what was lifted, what holds it, and how far it slipped in that hold.
#ifndef TACT_APP_LIFTED_H
#define TACT_APP_LIFTED_H

#include "tact/tact.h"

typedef struct {
    tact_pose *before;  // (nbody) poses where the last step began; memory
    double *slip;       // (npair) way that shapes slid over each other since the pair holds without the world [m]; memory
} tact_lifted;

// For a scene with pairs of its own; where steps find them, or memory is out, nothing is noted. Ends with tact_lifted_free.
void tact_lifted_begin(tact_lifted *hold, tact_world *world);

// After each step. Uses the work's kinematics.
void tact_lifted_add(tact_lifted *hold, tact_world *world);

// A line for each free object that is higher than at the start and that contacts with moving bodies hold against its weight.
void tact_lifted_print(const tact_lifted *hold, tact_world *world, tact_text *out);

void tact_lifted_free(tact_lifted *hold);

#endif
