// SPDX-License-Identifier: MIT
// Phase 1 maximises the margin t: with e = (1, 0, 0) in each cone and 1 in each bound
//
//     max t   subject to   s = J d + c - t e in the cones,   room = most - t >= 0
//     min c'z + most pull   subject to   J'z = 0,   e'z + pull = 1,   z in the cones,   pull >= 0
//
// There is a displacement strictly inside all cones exactly if the maximal margin is positive; otherwise z of the dual problem
// is a certificate: c'z <= 0 with J'z = 0, whereas 0 < z'(J d + c) = c'z would hold for such a displacement. Touching cones (t
// = 0) are not exceptional here, as they are if the violation is minimised, which vanishes there.
//
// The method is the primal-dual one of path.h, with a column -e of J for t and products driven to zero. In the place of P the
// system has a small ridge for directions that no contact resists; the residuals do not contain it, so that it does not change
// the solution.
#ifndef TACT_SOLVE_CLEARANCE_H
#define TACT_SOLVE_CLEARANCE_H

#include "solve/path.h"

typedef struct {
    tact_path *path;
    tact_real most;          // upper bound of t: the scale of the gaps
    tact_real t, dt;         // margin, and its step
    tact_real room, pull;    // slack of t <= most, and its multiplier
    tact_real droom, dpull;  // steps of these
    tact_real mean;          // mean product of cones, bounds and t <= most
    tact_real missing;       // residual 1 - e'z - pull
    tact_real response_sum;  // derivative of e'z by t
    bool inside;             // J d + c lies inside all cones by more than its rounding
} tact_clearance;

// Packs the problem for phase 1, with d = 0.
void tact_clearance_begin(tact_clearance *clear, tact_path *path);

// Evaluates gaps (nu = J d + c), force balance and residuals at the iterate.
void tact_clearance_measure(tact_clearance *clear);

// One predictor-corrector step with the present factor; false, without a step, if the direction is not finite.
bool tact_clearance_step(tact_clearance *clear);

#endif
