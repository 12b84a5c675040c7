// SPDX-License-Identifier: MIT
// The answer when the budget of factorisations is spent: a point on the segment from a feasible start to the iterate, with all
// gaps open and an objective no larger than at the start; where d = 0 has closed gaps, a displacement that opens them, or else
// one that leaves the most closed gap less closed.
#ifndef TACT_SOLVE_BUDGET_H
#define TACT_SOLVE_BUDGET_H

#include "solve/clearance.h"

// Moves `to` back towards `from` where that is better: both (n) by unknown, nu of the cones and bounds the gaps of `to`, y those
// of `from`, inside all cones. Between them, with ds = nu - y, the objective
//
//     q(t) - sum_i tau_i/2 log det(y_i + t ds_i) - sum_j tau_j log(y_j + t ds_j),   q: 1/2 d'P d + p'd on the way
//
// is least where its derivative, which only grows, is zero.
void tact_budget_line_search(const tact_path *path, const tact_real *from, tact_real *to);

// Makes nu, or the gaps at rest, the y of cones and bounds.
void tact_budget_begin(const tact_path *path, bool rest);

// From a phase 1 that has begun, with one more factorisation where the budget has it: Douglas and Rachford's reflections between
// the gaps of all displacements, q = c + J d, and the cones less a margin, which find a common point by solutions with the factor
// of J'J alone:
//
//     p = the nearest to y in the cones,  q = the nearest to 2 p - y of the gaps,  y += q - p
//
// Where all gaps open, the displacement goes on from there as the objective says. d: (n) by unknown, the displacement that would
// be preferred on entry, the one found on return, then also that of the path, measured. True: a gap is closed, but the most
// closed one is less so than with d = 0.
bool tact_budget_search(tact_clearance *clear, int budget, tact_real *d);

#endif
