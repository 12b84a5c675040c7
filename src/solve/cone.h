// SPDX-License-Identifier: MIT
// Second-order cones of three dimensions, x_0 > |x_t|, and their Nesterov-Todd scaling.
//
//   product      a o b = (a'b, a_0 b_t + b_0 a_t),  inverse x^-1 = (x_0, -x_t) / det x,  det x = x_0^2 - |x_t|^2
//   scaling      W z = W^-1 s = l,  W = eta (arrow of w),  eta^4 = det s / det z,  w = (s + eta^2 J z) / root of its det
//                det(s + eta^2 J z) = 2 (det s + eta^2 s'z),  det l = eta^2 det z,  W^2 = eta^2 (2 w w' - J),  J = diag(1, -1,
//                -1)
//
// Source: Andersen, Dahl, Vandenberghe, The CVXOPT linear and quadratic cone program solvers, 2010 (the scaling). All inline and
// on tact_wide: these are the inner loops of the solver, of several cones of one scene and of several scenes.
#ifndef TACT_SOLVE_CONE_H
#define TACT_SOLVE_CONE_H

#include "math/wide.h"
#include "tact/solve.h"

// A cone's iterate in each lane, in coordinates where every cone is nu_n > |nu_t|: gap s = (nu_n, mu nu_t), force z = (lambda_n,
// lambda_t/mu).
struct tact_cone_iterate {
    tact_wide c[3];            // gap at d = 0
    tact_wide rest[3];         // the same where the unknowns of its own have yielded to p
    tact_wide K[6];            // their compliance J_o D^-1 J_o': 00, 10, 11, 20, 21, 22
    tact_wide tau, rate;       // the target 2/kappa of s'z, and its reciprocal
    tact_wide s[3], z[3];      // gap and force
    tact_wide ds[3], dz[3];    // the direction
    tact_wide nu[3];           // the gap that d and z give: equals s once the iterate is feasible
    tact_wide missing[3];      // the share of nu - s that the direction removes
    tact_wide w[3], eta;       // Nesterov-Todd scaling W = eta (arrow of w)
    tact_wide unscale, half;   // 1/eta, 1/(1 + w_0)
    tact_wide det_s, det_z;    // determinants of s and z
    tact_wide over_s, over_z;  // their reciprocals
    tact_wide over_l;          // 1/det l
    tact_wide l[3];            // W z = W^-1 s
    tact_wide Q[3][3];         // W^-1 S^-1 with S = I + W^-1 K W^-1
    tact_wide B[6];            // W^-1 S^-1 W^-1 = (W^2 + K)^-1
    tact_wide aim[3];          // of a plain Newton step, to tau
    tact_wide y[3];            // a candidate certificate's force
    int nown, own;             // how many unknowns this cone alone moves, and the place of the first
    int nshared;               // how many others move it
    const tact_wide *J;        // (nshared, 3) the columns of those
    const int *row;            // (nshared) and their places
    int first;                 // its columns in J: own ones, then shared ones
    bool compliant;            // some cone of the problem has unknowns of its own
    int begin, members;        // the cones of one scene in the lanes: the first, and how many; what is above is of the first
};

struct tact_bound_iterate {
    tact_each c, tau, rate;    // as of a cone
    tact_each s, z, ds, dz;    // gap and force, and their directions
    tact_each nu, y;           // gap at the displacement, and a candidate certificate's force
    tact_each over_s, over_z;  // reciprocals
    tact_each B;               // z/s
    tact_real sign;            // of the unknown in the gap
    int column, place;         // of the unknown, in the problem and here
};

// (x_0 - |x_t|)(x_0 + |x_t|), without the cancellation of the difference of squares
static inline tact_wide tact_cone_det(const tact_wide x[3]) {
    tact_wide t = tact_wide_sqrt(x[1] * x[1] + x[2] * x[2]);
    return (x[0] - t) * (x[0] + t);
}

// of one point; which cone a lane holds, and what it holds of a point
static inline tact_real tact_cone_det_one(const tact_real x[3]) {
    tact_wide y[3] = {tact_wide_all(x[0]), tact_wide_all(x[1]), tact_wide_all(x[2])};
    tact_wide det = tact_cone_det(y);
    return tact_wide_get(&det, 0);
}

static inline int tact_cone_member(const tact_cone_iterate *cone, int lane) {
    return cone->begin + (lane < cone->members ? lane : cone->members - 1);
}

static inline void tact_cone_get(const tact_wide x[3], int lane, tact_real out[3]) {
    for (int k = 0; k < 3; k++) out[k] = tact_wide_get(&x[k], lane);
}

// of a point inside, kept positive where the distance to the boundary is lost in rounding
static inline tact_wide tact_cone_interior_det(const tact_wide x[3]) {
    tact_wide t = tact_wide_sqrt(x[1] * x[1] + x[2] * x[2]);
    return tact_wide_max(x[0] - t, TACT_EPS * x[0]) * (x[0] + t);
}

// tau x^-1
static inline void tact_cone_inverse(const tact_wide x[3], tact_wide tau, tact_wide out[3]) {
    tact_wide f = tau / tact_cone_interior_det(x);
    out[0] = f * x[0];
    out[1] = -f * x[1];
    out[2] = -f * x[2];
}

// 1/t for the largest t with x + t dx in the cone, given det x and its reciprocal; 0 when unbounded
static inline tact_wide tact_cone_nearness(const tact_wide x[3], const tact_wide dx[3], tact_wide det, tact_wide over) {
    // det(x + t dx) = a t^2 + 2 b t + det; its smallest positive root, by the form that does not cancel. For x inside the
    // discriminant is never negative but by rounding, when dx is nearly along -x
    // a = det dx, 2 b the bilinear form of x and dx.
    tact_wide a = dx[0] * dx[0] - (dx[1] * dx[1] + dx[2] * dx[2]);
    tact_wide b = x[0] * dx[0] - (x[1] * dx[1] + x[2] * dx[2]);
    tact_wide zero = tact_wide_all(0);
    // 1/t = (sqrt(b^2 - a det) - b)/det, and 0 where no boundary lies ahead.
    tact_wide below = tact_wide_sqrt(tact_wide_max(b * b - a * det, zero)) - b;
    return tact_wide_max(over * below, zero);
}

// W x = (w_0 x_0 + along, x_t + (x_0 + along half) w_t) eta, and of W^-1 with w_t turned round and 1/eta
static inline void tact_cone_scaled(const tact_cone_iterate *cone, const tact_wide x[3], tact_wide y[3]) {
    const tact_wide *w = cone->w;
    tact_wide along = w[1] * x[1] + w[2] * x[2], g = x[0] + along * cone->half;
    y[0] = cone->eta * (w[0] * x[0] + along);
    y[1] = cone->eta * (x[1] + g * w[1]);
    y[2] = cone->eta * (x[2] + g * w[2]);
}

static inline void tact_cone_unscaled(const tact_cone_iterate *cone, const tact_wide x[3], tact_wide y[3]) {
    const tact_wide *w = cone->w;
    tact_wide along = w[1] * x[1] + w[2] * x[2], g = along * cone->half - x[0];
    y[0] = cone->unscale * (w[0] * x[0] - along);
    y[1] = cone->unscale * (x[1] + g * w[1]);
    y[2] = cone->unscale * (x[2] + g * w[2]);
}

// largest t with x + t dx in the cone; TACT_MAX when unbounded
static inline tact_wide tact_cone_max_step(const tact_wide x[3], const tact_wide dx[3], tact_wide det) {
    return 1 / tact_wide_max(tact_cone_nearness(x, dx, det, 1 / det), tact_wide_all(1 / TACT_MAX));
}

// w, eta, l and the determinants from s and z
static inline void tact_cone_scale(tact_cone_iterate *cone) {
    const tact_wide *s = cone->s, *z = cone->z;
    tact_wide det_s = tact_cone_interior_det(s), det_z = tact_cone_interior_det(z);
    // eta^4 = det s / det z; interior_det keeps both positive, so that the quotient exists.
    tact_wide over_s = 1 / det_s, over_z = 1 / det_z;
    tact_wide square = tact_wide_sqrt(det_s * over_z), eta = tact_wide_sqrt(square);
    // w = (s + eta^2 J z) / root of its determinant; w_0 from w_0^2 - |w_t|^2 = 1, which does not cancel.
    tact_wide f = 1 / tact_wide_sqrt(2 * (det_s + square * (s[0] * z[0] + s[1] * z[1] + s[2] * z[2])));
    tact_wide w1 = f * (s[1] - square * z[1]), w2 = f * (s[2] - square * z[2]), w0 = tact_wide_sqrt(1 + w1 * w1 + w2 * w2);
    cone->det_s = det_s;
    cone->det_z = det_z;
    cone->over_s = over_s;
    cone->over_z = over_z;
    // det l = eta^2 det z = det s / eta^2, so that 1/det l = eta^2 / det s.
    cone->over_l = square * over_s;
    cone->w[0] = w0;
    cone->w[1] = w1;
    cone->w[2] = w2;
    cone->eta = eta;
    // 1/eta = eta det_z / (eta^2 det z) avoids a division.
    cone->unscale = eta * (det_z * cone->over_l);
    cone->half = 1 / (1 + w0);
    tact_cone_scaled(cone, z, cone->l);
}

// Q = W^-1 and B = W^-2 = (2 y y' - J) / eta^2 with y = J w, of a cone without compliance
static inline void tact_cone_stiffness(tact_cone_iterate *cone, const tact_wide V[6]) {
    const tact_wide *w = cone->w;
    tact_wide f = cone->unscale * cone->unscale, f2 = 2 * f;
    // Q = W^-1 is V as it is.
    tact_wide(*Q)[3] = cone->Q;
    Q[0][0] = V[0];
    Q[1][1] = V[2];
    Q[2][2] = V[5];
    Q[0][1] = Q[1][0] = V[1];
    Q[0][2] = Q[2][0] = V[3];
    Q[1][2] = Q[2][1] = V[4];
    // B = (2 y y' - J)/eta^2, y = (w_0, -w_t): 00, 10, 11, 20, 21, 22.
    cone->B[0] = f2 * w[0] * w[0] - f;
    cone->B[1] = -f2 * w[0] * w[1];
    cone->B[2] = f2 * w[1] * w[1] + f;
    cone->B[3] = -f2 * w[0] * w[2];
    cone->B[4] = f2 * w[1] * w[2];
    cone->B[5] = f2 * w[2] * w[2] + f;
}

// S = L D L': the reciprocals of D, and L
typedef struct {
    tact_wide f0, f1, f2, l1, l2, l3;
} tact_cone_factor;

// one row of Q = V S^-1
static inline void tact_cone_row(const tact_cone_factor *S, tact_wide v0, tact_wide v1, tact_wide v2, tact_wide q[3]) {
    // Forward substitution L y = v, then backward L'q = D^-1 y.
    tact_wide y1 = v1 - S->l1 * v0, y2 = v2 - S->l2 * v0 - S->l3 * y1;
    q[2] = S->f2 * y2;
    q[1] = S->f1 * y1 - S->l3 * q[2];
    q[0] = S->f0 * v0 - S->l1 * q[1] - S->l2 * q[2];
}

// With V = W^-1: S = I + V K V = L D L', Q = V S^-1, B = Q V
static inline void tact_cone_comply(tact_cone_iterate *cone, const tact_wide V[6]) {
    // T = K V.
    const tact_wide *K = cone->K;
    tact_wide T00 = K[0] * V[0] + K[1] * V[1] + K[3] * V[3], T10 = K[1] * V[0] + K[2] * V[1] + K[4] * V[3];
    tact_wide T20 = K[3] * V[0] + K[4] * V[1] + K[5] * V[3], T01 = K[0] * V[1] + K[1] * V[2] + K[3] * V[4];
    tact_wide T11 = K[1] * V[1] + K[2] * V[2] + K[4] * V[4], T21 = K[3] * V[1] + K[4] * V[2] + K[5] * V[4];
    tact_wide T02 = K[0] * V[3] + K[1] * V[4] + K[3] * V[5], T12 = K[1] * V[3] + K[2] * V[4] + K[4] * V[5];
    tact_wide T22 = K[3] * V[3] + K[4] * V[4] + K[5] * V[5];
    // S = I + V T, symmetric and at least I: no pivoting is needed.
    tact_wide S00 = 1 + (V[0] * T00 + V[1] * T10 + V[3] * T20), S10 = V[1] * T00 + V[2] * T10 + V[4] * T20;
    tact_wide S20 = V[3] * T00 + V[4] * T10 + V[5] * T20, S11 = 1 + (V[1] * T01 + V[2] * T11 + V[4] * T21);
    tact_wide S21 = V[3] * T01 + V[4] * T11 + V[5] * T21, S22 = 1 + (V[3] * T02 + V[4] * T12 + V[5] * T22);
    // S = L D L'.
    tact_cone_factor S;
    S.f0 = 1 / S00;
    S.l1 = S10 * S.f0;
    S.l2 = S20 * S.f0;
    tact_wide u = S21 - S.l2 * S10;
    S.f1 = 1 / (S11 - S.l1 * S10);
    S.l3 = u * S.f1;
    S.f2 = 1 / (S22 - S.l2 * S20 - S.l3 * u);
    // Q = V S^-1 by rows (S is symmetric), and the lower triangle of B = Q V.
    tact_wide *q0 = cone->Q[0], *q1 = cone->Q[1], *q2 = cone->Q[2];
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

// Q and B from the scaling, with the compliance K where cones have one
static inline void tact_cone_weigh(tact_cone_iterate *cone) {
    // V = W^-1 = (arrow of J w)/eta: first row w_0, -w_t; then I + w_t w_t'/(1 + w_0).
    tact_wide g = cone->unscale, w0 = cone->w[0], w1 = cone->w[1], w2 = cone->w[2], a = g * cone->half;
    tact_wide V[6] = {g * w0, -g * w1, g + a * w1 * w1, -g * w2, a * w1 * w2, g + a * w2 * w2};
    if (cone->compliant)
        tact_cone_comply(cone, V);
    else
        tact_cone_stiffness(cone, V);
}

// l \ (W^-1 ds o W dz): what the linearised complementarity leaves out
static inline void tact_cone_second_order(const tact_cone_iterate *cone, tact_wide out[3]) {
    tact_wide a[3], b[3];
    const tact_wide *l = cone->l;
    // a = W^-1 ds, b = W dz; p = a o b.
    tact_cone_unscaled(cone, cone->ds, a);
    tact_cone_scaled(cone, cone->dz, b);
    tact_wide p0 = a[0] * b[0] + a[1] * b[1] + a[2] * b[2], p1 = a[0] * b[1] + b[0] * a[1], p2 = a[0] * b[2] + b[0] * a[2];
    // l \ p solves the arrow system l o x = p; det l is known from the scaling.
    tact_wide f = 1 / l[0];
    out[0] = (l[0] * p0 - l[1] * p1 - l[2] * p2) * cone->over_l;
    out[1] = f * (p1 - l[1] * out[0]);
    out[2] = f * (p2 - l[2] * out[0]);
}

// The aim target l^-1 - l - W^-1 missing. Formed in scaled coordinates, where it does not cancel.
static inline void tact_cone_aim(const tact_cone_iterate *cone, tact_wide target, const tact_wide missing[3], tact_wide aim[3]) {
    tact_wide rest[3], f = target * cone->over_l;
    const tact_wide *l = cone->l;
    // W^-1 missing: the residual of the gap in scaled coordinates.
    tact_cone_unscaled(cone, missing, rest);
    // target l^-1 = target (l_0, -l_t)/det l.
    aim[0] = f * l[0] - l[0] - rest[0];
    aim[1] = -f * l[1] - l[1] - rest[1];
    aim[2] = -f * l[2] - l[2] - rest[2];
}

// The aim of a plain Newton step turned to a target above tau, less the second order: in the place of dz.
static inline void tact_cone_correct(tact_cone_iterate *cone, tact_wide target, const tact_wide order[3]) {
    tact_wide f = (target - cone->tau) * cone->over_l;
    const tact_wide *l = cone->l, *aim = cone->aim;
    cone->dz[0] = aim[0] + f * l[0] - order[0];
    cone->dz[1] = aim[1] - f * l[1] - order[1];
    cone->dz[2] = aim[2] - f * l[2] - order[2];
}

// Residuals of an iterate.
typedef struct {
    tact_each mean;        // sum of s'z
    tact_each centrality;  // largest |s o z - tau e| / tau, less what rounding explains
    tact_each miss;        // largest |nu - s| |z| / tau: what rounding of the gap is in products
    tact_each off;         // largest |nu - s|, less its rounding
    tact_each size;        // largest |nu|
} tact_path_residual;

// The same of the cones in each lane, but for the sum.
typedef struct {
    tact_wide centrality, miss, off, size;
} tact_cone_residual;

// Folds cones in.
static inline void tact_cone_measure(const tact_cone_iterate *cone, tact_each *mean, tact_cone_residual *sum) {
    const tact_wide *s = cone->s, *z = cone->z, *nu = cone->nu, *rest = cone->rest;
    // s o z = (s'z, s_0 z_t + z_0 s_t), equation (9) of docs/laws/barrier.md.
    tact_wide a = s[0] * z[0], b = s[1] * z[1], c = s[2] * z[2], product = a + b + c, most = tact_wide_all(0);
    tact_wide across = tact_wide_max(tact_wide_abs(s[0] * z[1] + z[0] * s[1]), tact_wide_abs(s[0] * z[2] + z[0] * s[2]));
    tact_wide rounding = 8 * TACT_EPS * (a + tact_wide_abs(b) + tact_wide_abs(c));
    // Distance from the central path relative to tau, less eight roundings of the terms of s'z.
    tact_wide wrong = tact_wide_max(across, tact_wide_abs(product - cone->tau)) - rounding;
    *mean = tact_each_add(*mean, product, cone->members);
    sum->centrality = tact_wide_max(sum->centrality, wrong * cone->rate);
    for (int k = 0; k < 3; k++) {
        // nu is a difference of these, and no nearer to s than their rounding
        tact_wide terms = tact_wide_abs(rest[k]) + tact_wide_abs(nu[k] - rest[k]), off = tact_wide_abs(nu[k] - s[k]);
        sum->off = tact_wide_max(sum->off, off - 8 * TACT_EPS * terms);
        sum->size = tact_wide_max(sum->size, tact_wide_abs(nu[k]));
        most = tact_wide_max(most, off * tact_wide_abs(z[k]));
    }
    sum->miss = tact_wide_max(sum->miss, most * cone->rate);
}

// All of it, from the part of the cones.
static inline tact_path_residual tact_cone_residual_join(tact_each mean, const tact_cone_residual *part) {
    tact_path_residual sum = {.mean = mean,
                              .centrality = tact_each_most(part->centrality),
                              .miss = tact_each_most(part->miss),
                              .off = tact_each_most(part->off),
                              .size = tact_each_most(part->size)};
    return sum;
}

static inline void tact_bound_measure(const tact_bound_iterate *bound, tact_path_residual *sum) {
    tact_each product = bound->s * bound->z;
    sum->mean += product;
    sum->centrality =
        tact_each_max(sum->centrality, (tact_each_abs(product - bound->tau) - 8 * TACT_EPS * product) * bound->rate);
    sum->off = tact_each_max(sum->off, tact_each_abs(bound->nu - bound->s));
    sum->size = tact_each_max(sum->size, tact_each_abs(bound->nu));
}

static inline void tact_bound_scale(tact_bound_iterate *bound) {
    bound->over_s = 1 / bound->s;
    bound->over_z = 1 / bound->z;
    bound->B = bound->z * bound->over_s;
}

#endif
