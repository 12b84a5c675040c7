// SPDX-License-Identifier: MIT
// Phase 1 asks for the widest margin: with e = (1, 0, 0) in each cone and 1 in each bound
//
//     max t   subject to   s = J d + c - t e in the cones,   room = most - t >= 0
//     min c'z + most pull   subject to   J'z = 0,   e'z + pull = 1,   z in the cones,   pull >= 0
//
// A displacement strictly inside all cones exists exactly where the margin t is positive; where it is not, z of the second
// problem is the certificate: c'z <= 0 with J'z = 0, so that 0 < z'(J d + c) = c'z <= 0 would hold for such a displacement.
// Touching cones (t = 0) are not exceptional here, as they are for the least violation, which vanishes there.
//
// The method is the primal-dual one of path.h, with a column -e of J for t and products that go to zero. In place of P the system
// has a small ridge for directions that nothing holds; the residuals do not contain it, so that it does not change the answer.
#ifndef TACT_SOLVE_CLEARANCE_H
#define TACT_SOLVE_CLEARANCE_H

#include "solve/path.h"

typedef struct {
    tact_path *path;
    tact_real most;          // what t may reach: the scale of the gaps
    tact_real t, dt;         //
    tact_real room, pull;    // slack of t <= most, and its force
    tact_real droom, dpull;  //
    tact_real mean;          // product averaged over cones, bounds and t <= most
    tact_real missing;       // 1 - e'z - pull
    tact_real response_sum;  // e'dz/dt: response of e'z to t
    bool inside;             // J d + c lies inside all cones by more than its rounding
} tact_clearance;

// Packs the problem for phase 1; d = 0.
void tact_clearance_begin(tact_clearance *clear, tact_path *path);

// Recomputes gaps (nu of the cones: J d + c), force balance and residuals.
void tact_clearance_measure(tact_clearance *clear);

// From the factor and the measures; false, and no step is made, where no direction is finite.
bool tact_clearance_step(tact_clearance *clear);

#endif
