// SPDX-License-Identifier: MIT
// The barrier problem in numbers of 32 digits (math/twin.h): where internal forces dwarf the others, or gaps are narrow beside
// the terms that they are the difference of, 16 digits tell neither the displacement nor the forces nor whether there is an
// answer. The walk is that of path.h on dense matrices, slower by orders of magnitude; answers that are right already are only
// judged.
#ifndef TACT_SOLVE_PRECISE_H
#define TACT_SOLVE_PRECISE_H

#include "math/twin.h"
#include "tact/solve.h"

// Errors of displacement, forces and balance that a confirmed answer has at most, each relative to its largest number, and of
// the printed numbers' product kappa nu'lambda / 2.
#ifdef TACT_FLOAT
#define TACT_PRECISE_ERROR 1e-4
#define TACT_PRECISE_NEAR 1e-5
#define TACT_PRECISE_PRODUCT 0.3
#else
#define TACT_PRECISE_ERROR 1e-8
#define TACT_PRECISE_NEAR 1e-13
#define TACT_PRECISE_PRODUCT 1e-3
#endif

// A factorisation takes order^3 / 1.5 products of 32 digits.
#define TACT_PRECISE_ORDER 300

typedef struct tact_precise_cone tact_precise_cone;

typedef struct {
    tact_twin *d, *g;         // (n) displacement, and P d + p - J'z
    tact_twin *step;          // (order) solution of the Newton system: scaled displacement, then W dz of each cone
    double *scale;            // (n) root of P's diagonal
    double *size;             // (n) of the terms of a sum, or of the unknown itself
    tact_twin *A;             // (order, order) the Newton system, factored
    int *row, *column;        // (order) its pivots
    tact_precise_cone *cone;  // (ncone + nbound)
    int n, members, order;    // capacities
} tact_precise_work;

// For problems up to that size. Those whose order n + 3 ncone + nbound is above TACT_PRECISE_ORDER are judged only.
void tact_precise_place(tact_precise_work *work, tact_barrier_size size, tact_arena *arena);

// The status that an answer of tact_barrier_solve deserves. Converged: d, lambda and their balance are right to
// TACT_PRECISE_ERROR, and all gaps are open in exact arithmetic; answers that are not so yet are made so, within max_iterations
// factorisations in all. Infeasible: the certificate proves, its rounding included, that no d has all gaps open. Else
// TACT_ITERATION_LIMIT with a d that has, or TACT_UNDECIDED. decrement and balance become those of the numbers given.
tact_status tact_precise_confirm(const tact_barrier_problem *problem, const tact_barrier_options *options, tact_status status,
                                 tact_precise_work *work, tact_barrier_solution *solution);

#endif
