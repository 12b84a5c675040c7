// SPDX-License-Identifier: MIT
// The linear system of a Newton step. In scaled coordinates, for each cone and for each bound:
//
//     Q dd - J'dz = r                  with Q = P (phase 1: ridge I, and K = 0)
//     W dz + W^-1 (J dd + K dz) = a    with a the aim
//
// Unknowns that one cone alone moves (the joints of a finger with one contact) are eliminated once and for all: J_o their part
// of J, D the diagonal of P and p_o the gradient, they follow the force as d_o = D^-1 (J_o'z - p_o), and give the contact the
// compliance K = J_o D^-1 J_o' and the gap c - J_o D^-1 p_o.  What is left is a system in the shared
// unknowns. S = I + W^-1 K W^-1 is formed in scaled coordinates, where it does not cancel:
//
//     B = W^-1 S^-1 W^-1,  H = Q + J'B J,  H dd = r + J'f,  f = W^-1 S^-1 a,  dz = f - B J dd
#ifndef TACT_SOLVE_NEWTON_H
#define TACT_SOLVE_NEWTON_H

#include "solve/path.h"

// Gives the unknowns their places and lays out H, unless the work has those of a problem of the same structure. Cones that follow
// each other come to lie side by side where one of them shares all unknowns that the others share: theirs get columns of zeros.
// Lanes for which there is no such cone repeat the last one.
void tact_newton_arrange(tact_path *path);

// Arranges and copies the problem there. Once per problem and phase.
void tact_newton_pack(tact_path *path);

// Where a packed cone's unknowns are, as in its iterate, and its lane in which of them.
struct tact_cone_layout {
    int nown, own, nshared, first;
    int group, lane;
    tact_real gap[3];  // keeps s while the cones change places
};

// Whether any cone has unknowns of its own.
bool tact_newton_has_compliance(const tact_barrier_work *work, int ncone);

// Whether two problems of the same contacts and limits share and eliminate the same unknowns.
bool tact_newton_alike(const tact_barrier_problem *a, const tact_barrier_problem *b);

// Scalings and factor at the iterate; false when the system is singular.
bool tact_newton_factor(tact_path *path);

// The factor with B as it stands.
bool tact_newton_factor_given(tact_path *path);

// From r in work->step and the aims in the places of dz: dd in work->step, dz, and ds = J dd.
void tact_newton_solve(tact_path *path);

// x = H^-1 x from the factor, and the diagonal entry of H that it was made of.
void tact_newton_back(const tact_barrier_work *work, tact_real *x);
tact_real tact_newton_whole(const tact_barrier_work *work, int i);

// y += Q x of the shared unknowns
void tact_newton_multiply_add(const tact_path *path, const tact_real *x, tact_real *y);

// The displacement by unknown: those that are not shared from the forces.
void tact_newton_complete(const tact_path *path, tact_real *d);

#endif
