// SPDX-License-Identifier: MIT
// Second-order cones of three dimensions, x_0 > |x_t|, and their Nesterov-Todd scaling.
//
//   product      a o b = (a'b, a_0 b_t + b_0 a_t),  inverse x^-1 = (x_0, -x_t) / det x,  det x = x_0^2 - |x_t|^2
//   scaling      W z = W^-1 s = l,  W = eta (arrow of w),  eta^4 = det s / det z,  w = (s + eta^2 J z) / root of its det
//                det(s + eta^2 J z) = 2 (det s + eta^2 s'z),  det l = eta^2 det z,  W^2 = eta^2 (2 w w' - J),  J = diag(1, -1,
//                -1)
//
// Source: Andersen, Dahl, Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010 (the scaling). All inline:
// these are the inner loops of the solver.
#ifndef TACT_SOLVE_CONE_H
#define TACT_SOLVE_CONE_H

#include "math/elementary.h"
#include "tact/solve.h"

// (x_0 - |x_t|)(x_0 + |x_t|), without the cancellation of the difference of squares
static inline tact_real tact_cone_det(const tact_real x[3]) {
    tact_real t = tact_sqrt(x[1] * x[1] + x[2] * x[2]);
    return (x[0] - t) * (x[0] + t);
}

// of a point inside, kept positive where the distance to the boundary is lost in rounding
static inline tact_real tact_cone_interior_det(const tact_real x[3]) {
    tact_real t = tact_sqrt(x[1] * x[1] + x[2] * x[2]);
    return tact_max(x[0] - t, TACT_EPS * x[0]) * (x[0] + t);
}

// tau x^-1
static inline void tact_cone_inverse(const tact_real x[3], tact_real tau, tact_real out[3]) {
    tact_real f = tau / tact_cone_interior_det(x);
    out[0] = f * x[0];
    out[1] = -f * x[1];
    out[2] = -f * x[2];
}

// largest t with x + t dx in the cone, given det x; TACT_MAX when unbounded
static inline tact_real tact_cone_max_step(const tact_real x[3], const tact_real dx[3], tact_real det) {
    // det(x + t dx) = a t^2 + 2 b t + det; its smallest positive root, by the form that does not cancel. For x inside the
    // discriminant is never negative but by rounding, when dx is nearly along -x
    tact_real a = dx[0] * dx[0] - (dx[1] * dx[1] + dx[2] * dx[2]);
    tact_real b = x[0] * dx[0] - (x[1] * dx[1] + x[2] * dx[2]);
    tact_real below = tact_sqrt(tact_max(b * b - a * det, 0)) - b;
    return below > 0 && below > det / TACT_MAX ? det / below : TACT_MAX;
}

// y = W x (sign = 1, factor = eta) or W^-1 x (sign = -1, factor = 1/eta)
static inline void tact_cone_arrow(const tact_cone_iterate *cone, tact_real factor, tact_real sign, const tact_real x[3],
                                   tact_real y[3]) {
    const tact_real *w = cone->w;
    tact_real along = w[1] * x[1] + w[2] * x[2];
    tact_real g = sign * x[0] + along * cone->half;
    y[0] = factor * (w[0] * x[0] + sign * along);
    y[1] = factor * (x[1] + g * w[1]);
    y[2] = factor * (x[2] + g * w[2]);
}

// Q = W^-1, B = W^-2 = (2 y y' - J) / eta^2 with y = J w
static inline void tact_cone_stiffness(tact_cone_iterate *cone, const tact_real V[6]) {
    const tact_real *w = cone->w;
    tact_real f = cone->unscale * cone->unscale, f2 = 2 * f;
    tact_real(*Q)[3] = cone->Q;
    Q[0][0] = V[0];
    Q[1][1] = V[2];
    Q[2][2] = V[5];
    Q[0][1] = Q[1][0] = V[1];
    Q[0][2] = Q[2][0] = V[3];
    Q[1][2] = Q[2][1] = V[4];
    cone->B[0] = f2 * w[0] * w[0] - f;
    cone->B[1] = -f2 * w[0] * w[1];
    cone->B[2] = f2 * w[1] * w[1] + f;
    cone->B[3] = -f2 * w[0] * w[2];
    cone->B[4] = f2 * w[1] * w[2];
    cone->B[5] = f2 * w[2] * w[2] + f;
}

// One row of Q = V S^-1 from the factor of S, and its products with the columns of V
typedef struct {
    tact_real f0, f1, f2, l1, l2, l3;
} tact_cone_factor;

static inline void tact_cone_row(const tact_cone_factor *S, tact_real v0, tact_real v1, tact_real v2, tact_real q[3]) {
    tact_real y1 = v1 - S->l1 * v0, y2 = v2 - S->l2 * v0 - S->l3 * y1;
    q[2] = S->f2 * y2;
    q[1] = S->f1 * y1 - S->l3 * q[2];
    q[0] = S->f0 * v0 - S->l1 * q[1] - S->l2 * q[2];
}

// With V = W^-1: S = I + V K V = L D L', Q = V S^-1, B = Q V
static inline void tact_cone_soften(tact_cone_iterate *cone, const tact_real V[6]) {
    const tact_real *K = cone->K;
    tact_real T00 = K[0] * V[0] + K[1] * V[1] + K[3] * V[3], T10 = K[1] * V[0] + K[2] * V[1] + K[4] * V[3];
    tact_real T20 = K[3] * V[0] + K[4] * V[1] + K[5] * V[3], T01 = K[0] * V[1] + K[1] * V[2] + K[3] * V[4];
    tact_real T11 = K[1] * V[1] + K[2] * V[2] + K[4] * V[4], T21 = K[3] * V[1] + K[4] * V[2] + K[5] * V[4];
    tact_real T02 = K[0] * V[3] + K[1] * V[4] + K[3] * V[5], T12 = K[1] * V[3] + K[2] * V[4] + K[4] * V[5];
    tact_real T22 = K[3] * V[3] + K[4] * V[4] + K[5] * V[5];
    tact_real S00 = 1 + (V[0] * T00 + V[1] * T10 + V[3] * T20), S10 = V[1] * T00 + V[2] * T10 + V[4] * T20;
    tact_real S20 = V[3] * T00 + V[4] * T10 + V[5] * T20, S11 = 1 + (V[1] * T01 + V[2] * T11 + V[4] * T21);
    tact_real S21 = V[3] * T01 + V[4] * T11 + V[5] * T21, S22 = 1 + (V[3] * T02 + V[4] * T12 + V[5] * T22);
    tact_cone_factor S;
    S.f0 = 1 / S00;
    S.l1 = S10 * S.f0;
    S.l2 = S20 * S.f0;
    tact_real u = S21 - S.l2 * S10;
    S.f1 = 1 / (S11 - S.l1 * S10);
    S.l3 = u * S.f1;
    S.f2 = 1 / (S22 - S.l2 * S20 - S.l3 * u);
    tact_real *q0 = cone->Q[0], *q1 = cone->Q[1], *q2 = cone->Q[2];
    tact_cone_row(&S, V[0], V[1], V[3], q0);
    tact_cone_row(&S, V[1], V[2], V[4], q1);
    tact_cone_row(&S, V[3], V[4], V[5], q2);
    cone->B[0] = q0[0] * V[0] + q0[1] * V[1] + q0[2] * V[3];
    cone->B[1] = q1[0] * V[0] + q1[1] * V[1] + q1[2] * V[3];
    cone->B[2] = q1[0] * V[1] + q1[1] * V[2] + q1[2] * V[4];
    cone->B[3] = q2[0] * V[0] + q2[1] * V[1] + q2[2] * V[3];
    cone->B[4] = q2[0] * V[1] + q2[1] * V[2] + q2[2] * V[4];
    cone->B[5] = q2[0] * V[3] + q2[1] * V[4] + q2[2] * V[5];
}

// w, eta, l and the determinants from s and z, and Q and B, with the compliance K when the cone is compliant
static inline void tact_cone_scale(tact_cone_iterate *cone, bool compliant) {
    const tact_real *s = cone->s, *z = cone->z;
    tact_real det_s = tact_cone_interior_det(s), det_z = tact_cone_interior_det(z);
    tact_real square = tact_sqrt(det_s / det_z);
    tact_real f = 1 / tact_sqrt(2 * (det_s + square * (s[0] * z[0] + s[1] * z[1] + s[2] * z[2])));
    tact_real w1 = f * (s[1] - square * z[1]), w2 = f * (s[2] - square * z[2]), w0 = tact_sqrt(1 + w1 * w1 + w2 * w2);
    tact_real eta = tact_sqrt(square), g = 1 / eta, half = 1 / (1 + w0), a = g * half;
    cone->det_s = det_s;
    cone->det_z = det_z;
    cone->det_l = square * det_z;
    cone->w[0] = w0;
    cone->w[1] = w1;
    cone->w[2] = w2;
    cone->eta = eta;
    cone->unscale = g;
    cone->half = half;
    tact_cone_arrow(cone, eta, 1, z, cone->l);
    tact_real V[6] = {g * w0, -g * w1, g + a * w1 * w1, -g * w2, a * w1 * w2, g + a * w2 * w2};
    if (compliant)
        tact_cone_soften(cone, V);
    else
        tact_cone_stiffness(cone, V);
}

// l \ (W^-1 ds o W dz): what the linearised complementarity leaves out
static inline void tact_cone_second_order(const tact_cone_iterate *cone, tact_real out[3]) {
    tact_real a[3], b[3];
    const tact_real *l = cone->l;
    tact_cone_arrow(cone, cone->unscale, -1, cone->ds, a);
    tact_cone_arrow(cone, cone->eta, 1, cone->dz, b);
    tact_real p0 = a[0] * b[0] + a[1] * b[1] + a[2] * b[2], p1 = a[0] * b[1] + b[0] * a[1], p2 = a[0] * b[2] + b[0] * a[2];
    out[0] = (l[0] * p0 - l[1] * p1 - l[2] * p2) / cone->det_l;
    tact_real f = 1 / l[0];
    out[1] = f * (p1 - l[1] * out[0]);
    out[2] = f * (p2 - l[2] * out[0]);
}

// The aim target l^-1 - l - W^-1 missing, less a share of the second order of the direction at hand. Formed in scaled
// coordinates, where it does not cancel.
static inline void tact_cone_aim(const tact_cone_iterate *cone, tact_real target, tact_real share, const tact_real missing[3],
                                 tact_real aim[3]) {
    tact_real order[3] = {0, 0, 0}, rest[3], f = target / cone->det_l;
    const tact_real *l = cone->l;
    if (share > 0) tact_cone_second_order(cone, order);
    tact_cone_arrow(cone, cone->unscale, -1, missing, rest);
    aim[0] = f * l[0] - l[0] - share * order[0] - rest[0];
    aim[1] = -f * l[1] - l[1] - share * order[1] - rest[1];
    aim[2] = -f * l[2] - l[2] - share * order[2] - rest[2];
}

#endif
