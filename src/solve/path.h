// SPDX-License-Identifier: MIT
// The walk along the central path of the barrier problem:
//
//     min 1/2 d'P d + p'd   subject to   s = J d + c in the cones,   s o z = target e
//
// Phase 1 (clearance.h) walks another path over the same cones: it has ridge I in the place of P, and no p.
#ifndef TACT_SOLVE_PATH_H
#define TACT_SOLVE_PATH_H

#include "tact/solve.h"

typedef struct {
    const tact_barrier_problem *problem;
    tact_barrier_work *work;
    bool phase1;             // the system is that of phase 1: no unknown is eliminated
    tact_real ridge, floor;  // what stands for P there: relative to the diagonal of J'B J, and absolute
    tact_real tolerance;     // of the answer
    tact_real extent;        // largest |c|, the scale of gaps
    tact_real pull;          // largest |p|, the scale of forces
    int iterations;          // factorisations
    int short_steps;         // in a row
    tact_real mean, aim;     // s'z and its target, averaged over the cones
    tact_real balance;       // |P d + p - J'z| relative to the largest force
    tact_real gap;           // |J d + c - s| relative to the largest gap
    tact_real centrality;    // largest |s o z - target e| / target, less what rounding explains
    tact_real miss;          // largest |J d + c + K z - s| |z| / target: what rounding of the gap is in products
    tact_real before;        // the centrality before, where the iterate balanced
    bool full_step;          // the last step was the whole Newton step
} tact_path;

typedef enum { TACT_PATH_ON, TACT_PATH_ARRIVED, TACT_PATH_STUCK } tact_path_state;

// Second order is not trusted from this iteration on: where it helps, it has done so long before.
enum { TACT_PATH_PATIENCE = 30 };

// Starts with equal gaps and forces of the problem's own size, wherever d = 0 lies.
void tact_path_start_cold(tact_path *path);

// Starts at the central gaps of the given forces; false when there is a force outside its cone.
bool tact_path_start_warm(tact_path *path, const tact_real *lambda, const tact_real *bound_lambda);

// Starts from gaps s that are known to lie inside all cones.
void tact_path_start_inside(tact_path *path);

// Whether the gaps, as measured, lie inside all cones by more than their rounding; and whether those of d = 0 do.
bool tact_path_inside(const tact_path *path);
bool tact_path_starts_inside(const tact_path *path);

// The part of ds, at most 1, that stays inside from nu, which does.
tact_real tact_path_reach(const tact_path *path);

// Recomputes what depends on the iterate: gaps, force balance and the three residuals.
void tact_path_measure(tact_path *path);

// What the residuals say, once measured: whether they are met, and if not, whether to go on. Stuck also when the steps stay
// short, which means that the cones contradict each other or nearly so.
tact_path_state tact_path_judge(tact_path *path, int budget);

// One predictor-corrector step from the factor; false, and none is made, where no direction is finite.
bool tact_path_step(tact_path *path);

#endif
