// SPDX-License-Identifier: MIT
// Primal-dual interior-point iteration to a point of the central path of the barrier problem:
//
//     min 1/2 d'P d + p'd   subject to   s = J d + c in the cones,   s o z = target e
//
// Phase 1 (clearance.h) is another problem over the same cones, with ridge I in place of P, and without p.
#ifndef TACT_SOLVE_PATH_H
#define TACT_SOLVE_PATH_H

#include "math/wide.h"
#include "tact/solve.h"

typedef struct {
    const tact_barrier_problem *problem;
    tact_barrier_work *work;
    bool phase1;             // the system is that of phase 1: no unknown is eliminated
    tact_real ridge, floor;  // what stands for P there: relative to the diagonal of J'B J, and absolute
    tact_real tolerance;     // of the answer
    tact_real extent;        // largest |c|, the scale of gaps
    tact_real force_scale;   // largest |p|, the scale of forces
    int iterations;          // factorisations
    int short_steps;         // in a row
    tact_real mean, aim;     // s'z and its target, averaged over the cones
    tact_real balance;       // |P d + p - J'z| relative to the largest force
    tact_real off;           // largest |P d + p - J'z|
    tact_real gap;           // |J d + c - s| relative to the largest gap
    tact_real centrality;    // largest |s o z - target e| / target, less what rounding explains
    tact_real miss;          // largest |J d + c + K z - s| |z| / target: what rounding of the gap is in products
    tact_real before;        // the centrality before, where the iterate balanced
    bool full_step;          // the last step was the whole Newton step
    bool centred;            // and led onto the central path
} tact_path;

typedef enum { TACT_PATH_CONTINUES, TACT_PATH_CONVERGED, TACT_PATH_STUCK } tact_path_state;

// From this iteration on a predictor far from its targets starts from the central path: where others help, they have long before.
enum { TACT_PATH_PATIENCE = 30 };

// A residual up to which an iterate is near the centre; the part of the tolerance that a step which arrives is aimed at.
#define TACT_PATH_NEAR TACT_REAL(0.5)
#ifdef TACT_FLOAT
#define TACT_PATH_WITHIN 1
#else
#define TACT_PATH_WITHIN 0.25
#endif

// Allowed error of the displacement, relative to its largest entry, where rounding hides the balance; and allowed error of
// products due to the rounding of their gaps, and with them of forces that only these gaps determine.
#ifdef TACT_FLOAT
#define TACT_PATH_ACCURACY TACT_REAL(5e-3)
#define TACT_PATH_PRODUCT_ERROR TACT_REAL(0.5)
#else
#define TACT_PATH_ACCURACY TACT_REAL(1e-6)
#define TACT_PATH_PRODUCT_ERROR TACT_REAL(4e-3)
#endif

static inline tact_each tact_path_above(tact_each x, tact_each tolerance) {
    return tact_each_select(x > tolerance, tact_each_all(1), tact_each_all(0));
}

// Number of directions per factorisation near the central path. A Newton step squares the error; each further direction,
// corrected by the second-order terms of the last one, raises the order by one and costs two sevenths of a step. The number
// returned minimises the total cost to the tolerance.
static inline tact_each tact_path_order(tact_each off, tact_each tolerance) {
    // about what of it a step sees
    tact_each x = TACT_REAL(0.4) * off, x2 = x * x, x3 = x2 * x, x4 = x2 * x2, x8 = x4 * x4, x9 = x3 * x3 * x3;
    tact_each x16 = x8 * x8, x27 = x9 * x9 * x9, x32 = x16 * x16, at = TACT_PATH_WITHIN * tolerance,
              begin = tact_path_above(x, at);
    tact_each one =
        begin + tact_path_above(x2, at) + tact_path_above(x4, at) + tact_path_above(x8, at) + tact_path_above(x16, at);
    tact_each two = begin + tact_path_above(x3, at) + tact_path_above(x9, at) + tact_path_above(x27, at);
    tact_each three = begin + tact_path_above(x4, at) + tact_path_above(x16, at);
    tact_each cost = 7 * (one + tact_path_above(x32, at)), order = tact_each_all(1);
    order = tact_each_select(9 * two < cost, tact_each_all(2), order);
    cost = tact_each_select(9 * two < cost, 9 * two, cost);
    return tact_each_select(11 * three < cost, tact_each_all(3), order);
}

// Cold start: equal gaps and forces of the problem's scale, whether or not d = 0 is feasible.
void tact_path_start_cold(tact_path *path);

// Warm start: the given forces and their central gaps s = tau z^-1; false when a force is outside its cone.
bool tact_path_start_warm(tact_path *path, const tact_real *lambda, const tact_real *bound_lambda);

// Starts from gaps s that are known to lie inside all cones.
void tact_path_start_inside(tact_path *path);

// Whether the gaps, as measured, lie inside all cones by more than their rounding; and whether those of d = 0 do.
bool tact_path_inside(const tact_path *path);
bool tact_path_starts_inside(const tact_path *path);

// Step length from nu, inside the cones, along ds: at most 1, and 0.9 of the distance to the boundary.
tact_real tact_path_reach(const tact_path *path);

// Recomputes what depends on the iterate: gaps, force balance and the three residuals.
void tact_path_measure(tact_path *path);

// Judges the measured residuals: converged, stuck, or to be continued. Stuck also when the steps stay short, which means that
// the cones are infeasible or nearly so.
tact_path_state tact_path_judge(tact_path *path, int budget);

// One predictor-corrector step from the factor; false, and none is made, where no direction is finite.
bool tact_path_step(tact_path *path);

#endif
