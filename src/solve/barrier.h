// SPDX-License-Identifier: MIT
// The barrier problem for callers whose cones are known to be valid.
#ifndef TACT_SOLVE_BARRIER_H
#define TACT_SOLVE_BARRIER_H

#include "tact/solve.h"

// Faults in p and P, as tact_barrier_check reports them.
tact_fault tact_barrier_check_quadratic(const tact_barrier_problem *problem);

// As tact_barrier_solve, but cones and bounds are trusted, since they follow from coordinates, options and a model that were
// checked. The caller must check the solution: with TACT_CONVERGED it may be too large, or not finite.
tact_status tact_barrier_solve_trusting(const tact_barrier_problem *problem, const tact_barrier_options *options,
                                        tact_barrier_work *work, tact_barrier_solution *solution);

// nu = J d + c of one cone.
void tact_barrier_gap(const tact_cone *cone, const tact_real *d, tact_real nu[3]);

// Whether a gap that its force keeps below the rounding of its terms lies outside its cone at this displacement: a cone without
// interior, on whose boundary the iteration seems to converge.
bool tact_barrier_leaves_cones(const tact_barrier_problem *problem, const tact_real *d, const tact_real *lambda);

#endif
