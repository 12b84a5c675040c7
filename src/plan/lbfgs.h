// SPDX-License-Identifier: MIT
// Limited-memory BFGS within bounds: a local minimum of a smooth function of many variables of which only value and gradient
// are known.
//
//     d = -H g on the variables that no bound holds,  x(t) = clamp(x + t d, lower, upper)
//
// H by the two-loop recursion over the last pairs (s, y) (Nocedal 1980), from a multiple of M; t by doubling
// or by parabolas until the value has fallen enough along the clamped path. A variable is held where it is at a bound and the
// gradient pushes it outwards; there the pairs count with their other components only, so that d stays a direction of descent
// (Bertsekas 1982), and only pairs with s'y > 0 are kept.
#ifndef TACT_PLAN_LBFGS_H
#define TACT_PLAN_LBFGS_H

#include "tact/base.h"

typedef struct {
    int iteration;
    int evaluations;     // so far
    tact_real value;     // at x
    tact_real gradient;  // its largest component, of those that no bound holds
    const tact_real *x;  // (n)
} tact_lbfgs_progress;

typedef struct {
    int n;
    const tact_real *lower, *upper;  // (n) or NULL: unbounded
    void *context;                   // of the functions
    // The value at x (n), and its gradient. A value that is not finite means that x is too far away.
    tact_real (*evaluate)(void *context, const tact_real *x, tact_real *gradient);
    // v (n) = M v in place, for a fixed positive definite M near the inverse of the second derivative; NULL: the identity.
    void (*precondition)(void *context, tact_real *v);
    // Called with iteration 0 for the start, then after each; false ends the search. May be NULL.
    bool (*report)(void *context, const tact_lbfgs_progress *progress);
} tact_lbfgs_problem;

typedef struct {
    int iteration_limit;
    int evaluation_limit;
    tact_real tolerance;  // converged when no component of the gradient that a bound does not hold is larger
    tact_real reach;      // largest change of a variable in the first trial step
} tact_lbfgs_options;

typedef struct {
    // TACT_CONVERGED: by the tolerance, or report ended it. TACT_STATIONARY: no step makes the value less, so that x is a
    // minimum to rounding. TACT_ITERATION_LIMIT: by either limit. TACT_BAD_INPUT: the start has no finite value or gradient,
    // or fault names what is not acceptable: "options.*", "x" (finite), "lower", "upper" (infinite ones are none).
    tact_status status;
    tact_fault fault;
    int iterations, evaluations;
    tact_real value;
    tact_real gradient;
} tact_lbfgs_result;

typedef struct tact_lbfgs {
    int n, pairs;                  // capacities
    int count, last;               // pairs in use, the newest
    tact_real *s, *y;              // (pairs, n) changes of x and of the gradient
    tact_real *curvature, *share;  // (pairs) s'y; scratch of the recursion
    tact_real scale;               // of M: s'y / y'M y of the newest pair
    tact_real *g, *d;              // (n)
    tact_real *trial, *trial_g;    // (n)
    tact_real *best, *best_g;      // (n) of the line search
    bool *held;                    // (n)
} tact_lbfgs;

void tact_lbfgs_place(tact_lbfgs *lbfgs, int n, int pairs, tact_arena *arena);

// 200 iterations, 1000 evaluations, tolerance 0, reach 0.1.
tact_lbfgs_options tact_lbfgs_options_default(void);

// Moves x (n), first into the bounds, then downhill; x ends at the least value that was found.
tact_lbfgs_result tact_lbfgs_minimise(tact_lbfgs *lbfgs, const tact_lbfgs_problem *problem, tact_lbfgs_options options,
                                      tact_real *x);

#endif
