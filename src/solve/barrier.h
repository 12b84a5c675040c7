// SPDX-License-Identifier: MIT
// The barrier problem for callers who know their cones.
#ifndef TACT_SOLVE_BARRIER_H
#define TACT_SOLVE_BARRIER_H

#include "tact/solve.h"

// What tact_barrier_check finds in p and P.
tact_fault tact_barrier_check_quadratic(const tact_barrier_problem *problem);

// As tact_barrier_solve, but cones and bounds are trusted: they follow from coordinates, options and a model that were checked.
// And the caller is to look at the answer: on TACT_CONVERGED it may be too large, or not finite.
tact_status tact_barrier_solve_trusting(const tact_barrier_problem *problem, const tact_barrier_options *options,
                                        tact_barrier_work *work, tact_barrier_solution *solution);

// nu = J d + c of one cone.
void tact_barrier_gap(const tact_cone *cone, const tact_real *d, tact_real nu[3]);

// Whether a gap of an answer, kept so narrow by its force that it is lost in the rounding of what it is made of, lies outside of
// its cone where the displacement has it: a cone without inside, on the rim of which a walk seems to arrive.
bool tact_barrier_leaves_cones(const tact_barrier_problem *problem, const tact_real *d, const tact_real *lambda);

#endif
