// SPDX-License-Identifier: MIT
// Second-order cones of three dimensions, x_0 > |x_t|, and their Nesterov-Todd scaling.
//
//   product      a o b = (a'b, a_0 b_t + b_0 a_t),  inverse x^-1 = (x_0, -x_t) / det x,  det x = x_0^2 - |x_t|^2
//   scaling      W z = W^-1 s = l;  W = eta (arrow of w),  W^2 = eta^2 (2 w w' - J),  J = diag(1, -1, -1)
//
// Source: Andersen, Dahl, Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010 (the formulas).
#ifndef TACT_SOLVE_CONE_H
#define TACT_SOLVE_CONE_H

#include "tact/solve.h"

// (x_0 - |x_t|)(x_0 + |x_t|), without the cancellation of the difference of squares
tact_real tact_cone_det(const tact_real x[3]);

// tau x^-1
void tact_cone_inverse(const tact_real x[3], tact_real tau, tact_real out[3]);

// largest t with x + t dx in the cone; TACT_MAX when unbounded
tact_real tact_cone_max_step(const tact_real x[3], const tact_real dx[3]);

// w, eta and l from s and z, and Q and B, with the compliance K when the cone is compliant
void tact_cone_scale(tact_cone_iterate *cone, bool compliant);

// Q = B = 0: as if the cone were not there
void tact_cone_mute(tact_cone_iterate *cone);

// The aim target l^-1 - l - W^-1 missing, less a share (second) of the second order l \ (W^-1 ds o W dz) of the direction at hand.
// Formed in scaled coordinates, where it does not cancel.
void tact_cone_aim(const tact_cone_iterate *cone, tact_real target, tact_real second, const tact_real missing[3], tact_real aim[3]);

#endif
