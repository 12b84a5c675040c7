// SPDX-License-Identifier: MIT
// One walk along the central path, shared by the barrier problem itself and by its phase 1:
//
//     min 1/2 d'Q d + q'd + |w|^2 / (2 soft)   subject to   s = J d + c + w in the cones,   s o z = target e,  w = soft z
//
// The problem itself has Q = P, q = p, soft = 0 (no w). Phase 1 has Q = ridge I, q = 0, soft = 1: it is always feasible, and
// its w tends to the least violation of the cones, which is zero or proves that they contradict each other.
#ifndef TACT_SOLVE_PATH_H
#define TACT_SOLVE_PATH_H

#include "tact/solve.h"

typedef struct {
    const tact_barrier_problem *problem;
    tact_barrier_work *work;
    tact_real soft, ridge;  //
    tact_real extent;       // largest |c|, the scale of gaps
    tact_real pull;         // largest |p|, the scale of forces
    int iterations;         // factorisations
    int short_steps;        // in a row
    tact_real mean, aim;    // s'z and its target, averaged over the cones
    tact_real balance;      // |Q d + q - J'z| relative to its largest term
    tact_real gap;          // |J d + c + soft z - s| relative to the largest gap
    tact_real centrality;   // largest |s o z - target e| / target, less what rounding explains
    tact_real miss;         // largest |J d + c + K z - s| |z| / target: what rounding of the gap is in products
    bool full_step;         // the last step was the whole Newton step
} tact_path;

// Starts with equal gaps and forces of the problem's own size, wherever d = 0 lies.
void tact_path_start_cold(tact_path *path);

// Starts at the central gaps of the given forces; false when there is a force outside its cone.
bool tact_path_start_warm(tact_path *path, const tact_real *lambda, const tact_real *bound_lambda);

// Starts from gaps s that are known to lie inside all cones.
void tact_path_start_inside(tact_path *path);

// Whether the gaps, as measured, lie inside all cones by more than their rounding; and whether those of d = 0 do.
bool tact_path_inside(const tact_path *path);
bool tact_path_starts_inside(const tact_path *path);

// When those of d = 0 do: the part of d, at most 1, that stays inside.
tact_real tact_path_reach_inside(const tact_path *path);

// Recomputes what depends on the iterate: gaps, force balance and the three residuals.
void tact_path_measure(tact_path *path);

// One predictor-corrector step from the factor; false, and none is made, where no direction is finite.
bool tact_path_step(tact_path *path);

#endif
