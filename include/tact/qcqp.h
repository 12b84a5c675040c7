// SPDX-License-Identifier: MIT
// Quadratically constrained problems, as contact makes them:
//
//     min over x   f(x)   subject to   g_i(x) >= 0 or g_i(x) = 0,      f, g_i of the form  1/2 x'Q x + r'x + c.
//
// A product of two linear constraints, -l(x) m(x) >= 0 with l >= 0 and m >= 0, is a choice: l = 0 or m = 0. Such choices are
// found and searched by branch and bound with convex quadratic programs at the nodes, so that one factor is exactly zero at
// the end and the answer is certified global when the search was complete. What else is not convex is solved by sequential
// quadratic programming from several starts; then spatial branch and bound over boxes of the unknowns proves that nothing is
// better, or finds it: of problems of at most 64 unknowns and 256 unknowns and products in all, where the constraints bound all
// unknowns but those that are in products only. Its lower bounds hold beyond rounding.
#ifndef TACT_QCQP_H
#define TACT_QCQP_H

#include "tact/base.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// an entry of Q, or with row < 0 of r
typedef struct {
    int row, column;
    tact_real value;
} tact_triplet;

// 1/2 x'Q x + r'x + c
typedef struct {
    int nquadratic, nlinear;
    const tact_triplet *quadratic;  // (nquadratic) both halves, in any order, repeated ones add up
    const tact_triplet *linear;     // (nlinear) of r: row is ignored
    tact_real constant;
} tact_quadratic;

typedef struct {
    int n, ncon;
    tact_quadratic objective;
    const tact_quadratic *constraint;  // (ncon)
    const bool *equality;              // (ncon) g = 0 instead of g >= 0
    const tact_real *x0;               // (n) a guess, or NULL
} tact_qcqp;

typedef struct {
    int max_nodes;        // of each search, 1 to 1000000; that of choices also ends after 4e7/n^2, at least 100, the spatial one
                          // after 2e10 multiplications
    int starts;           // of the local search when there is one, 1 to 1000
    tact_real tolerance;  // on violation and stationarity, relative to the terms that add up
} tact_qcqp_options;

typedef struct {
    tact_real *x;               // (n)
    tact_real *multiplier;      // (ncon) y with f' = sum y_i g_i', y_i >= 0 of inequalities where such exist; see stationary
    tact_real objective;        // f(x)
    tact_real violation;        // largest of max(0, -g_i), |g_i|, relative to the terms that add up in g_i where they exceed 1
    tact_real complementarity;  // largest product of a choice: 0 exactly when the choices are unit bounds
    bool global;      // no better x, or none, exists: proven by a complete search or by a Lagrangian that is convex. By the
                      // spatial search: none is better by more than 5e-7 of |f| (or 1e-8 of the terms that add up in
                      // f, or 1e-10 of the most that they could; float: 1e-3, 1e-4, 1e-5)
    tact_real bound;  // f is nowhere lower where the constraints hold: proven by the spatial search; -TACT_MAX: none
    bool stationary;  // the multipliers prove that it is a local minimum to first order
    int choices;      // that were found
    int nodes;        // convex programs solved, and boxes searched
} tact_qcqp_solution;

typedef struct tact_qcqp_work tact_qcqp_work;

// 20000 nodes, 30 starts, and a tolerance of a tenth of TACT_CLOSE.
tact_qcqp_options tact_qcqp_options_default(void);

// Bytes of scratch for a problem.
size_t tact_qcqp_size(const tact_qcqp *problem);

// What tact_qcqp_solve refuses: the first of "options.max_nodes", "options.starts", "options.tolerance", "n", "ncon",
// "objective", "constraint" (with its index), "x0" that is outside its range, not finite or larger than TACT_MOST_NUMBER.
tact_fault tact_qcqp_check(const tact_qcqp *problem, const tact_qcqp_options *options);

// TACT_CONVERGED (global or local, as said); TACT_ITERATION_LIMIT: the best x that was found is feasible, but the search or
// the local method came to its limit before it proved stationarity; TACT_UNDECIDED: neither was any found nor proven that none
// exists; TACT_INFEASIBLE: no x satisfies the constraints, proven by the search or by multipliers with which they add up to a
// concave function below zero; TACT_SINGULAR: unbounded below; TACT_BAD_INPUT: see tact_qcqp_check, or numbers overflow
// together; TACT_NO_MEMORY.
tact_status tact_qcqp_solve(const tact_qcqp *problem, const tact_qcqp_options *options, void *memory, size_t size,
                            tact_qcqp_solution *solution);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
