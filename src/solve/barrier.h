// SPDX-License-Identifier: MIT
#ifndef TACT_SOLVE_BARRIER_H
#define TACT_SOLVE_BARRIER_H

#include "tact/solve.h"

// As tact_barrier_solve, of a problem that need not be checked, its numbers following from checked ones, and for a caller who looks
// at the answer: on TACT_CONVERGED it may be too large, or not finite.
tact_status tact_barrier_solve_checked(const tact_barrier_problem *problem, const tact_barrier_options *options,
                                       tact_barrier_work *work, tact_barrier_solution *solution);

#endif
