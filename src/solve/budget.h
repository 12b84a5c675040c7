// SPDX-License-Identifier: MIT
// Result when the budget of factorisations is exhausted: a point on the segment from a feasible start to the iterate, with all
// gaps open and an objective no larger than at the start; if d = 0 has closed gaps, a displacement that opens them, or else one
// that makes the deepest closed gap less deep.
#ifndef TACT_SOLVE_BUDGET_H
#define TACT_SOLVE_BUDGET_H

#include "solve/clearance.h"

// Line search on the segment from `from` to `to`, both (n) by unknown; `to` becomes the result. nu of the cones and bounds:
// gaps at `to`; y: gaps at `from`, inside all cones. With ds = nu - y the objective
//
//     q(t) - sum_i tau_i/2 log det(y_i + t ds_i) - sum_j tau_j log(y_j + t ds_j),   q: 1/2 d'P d + p'd on the way
//
// is convex in t, and least where its derivative is zero.
void tact_budget_line_search(const tact_path *path, const tact_real *from, tact_real *to);

// Copies nu, or the gaps at rest, to y of cones and bounds.
void tact_budget_begin(const tact_path *path, bool rest);

// From a phase 1 that has begun, with one more factorisation if the budget allows: Douglas-Rachford splitting between the
// affine set of gaps q = c + J d and the cones shrunk by a margin, which needs only the factor of J'J:
//
//      p = projection of y onto the cones,  q = projection of 2 p - y onto the gaps,  y += q - p
//
// If all gaps open, a line search on the objective follows. d (n) by unknown: the preferred displacement on entry, the one
// found on return, which is also that of the path, measured. True: a gap is closed, but the deepest one is less deep than with
// d = 0.
bool tact_budget_search(tact_clearance *clear, int budget, tact_real *d);

#endif
