// SPDX-License-Identifier: MIT
// The run of the controller that all targets make: the baked hand brings its ball to the goal of its scene, which lies 20 mm
// aside, planned anew in every tick; the plant is the planning step, made as short as a tick.
#ifndef PLAN_RUN_H
#define PLAN_RUN_H

#include "hand.h"

#define PLAN_TICKS 20

// The fingerprint of all commands so far.
typedef struct {
    uint64_t hash;
    int solves, unsolved;  // solves done; those that did not converge
    int steps;             // planning steps that they made
    int off;               // of the ball from its goal, at most in x, y, z [um]
} plan_record;

// Memory, plan and initial state; NULL, or what does not suffice.
const char *plan_begin(plan_record *record);

// One solve from where the hand and its ball are.
void plan_solve(plan_record *record);

// Adds the commands to the fingerprint, and steps the plant with them to the next tick.
void plan_advance(plan_record *record);

// [bytes] that the plan needs on this target
size_t plan_size(void);

#endif
