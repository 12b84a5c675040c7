// SPDX-License-Identifier: MIT
// Inner loops of a Newton step that couple cones and unknowns (equations in newton.h), for one scene or for several in lanes.
#ifndef TACT_SOLVE_COLUMNS_H
#define TACT_SOLVE_COLUMNS_H

#include "solve/cone.h"
#include "solve/skyline.h"

// Jacobian of the cones in the lanes for their shared unknowns: columns of three, and the place of each unknown.
typedef struct {
    const tact_wide *J;
    const int *place;
    int count, members;  // members: cones of one scene that are in the lanes
} tact_columns;

static inline tact_columns tact_columns_of(const tact_cone_iterate *cone) {
    tact_columns columns = {.J = cone->J, .place = cone->row, .count = cone->nshared, .members = cone->members};
    return columns;
}

// Loops over columns are unrolled for the usual count, that of an object that does not rotate and of the hand's base; not on
// small machines without vectors, where code space is scarce.
enum { COLUMNS_USUAL = TACT_LANES > 1 ? 4 : 0 };

static inline void columns_gap(tact_columns columns, int count, const tact_each *d, tact_wide nu[3]) {
    // sums in registers; the places of a column are the same in all lanes
    tact_wide n = nu[0], t = nu[1], u = nu[2];
    for (int k = 0; k < count; k++) {
        const tact_wide *J = columns.J + 3 * k;
        tact_wide x = tact_each_spread(d[columns.place[k]]);
        n += J[0] * x;
        t += J[1] * x;
        u += J[2] * x;
    }
    nu[0] = n;
    nu[1] = t;
    nu[2] = u;
}

static inline void columns_push(tact_columns columns, int count, tact_wide n, tact_wide t, tact_wide u, tact_each *y) {
    for (int k = 0; k < count; k++) {
        // sum over the cones in the lanes, in their order
        const tact_wide *J = columns.J + 3 * k;
        tact_each *at = y + columns.place[k];
        *at = tact_each_add(*at, J[0] * n + J[1] * t + J[2] * u, columns.members);
    }
}

static inline void columns_pull(tact_columns columns, int count, tact_wide n, tact_wide t, tact_wide u, tact_each *y) {
    for (int k = 0; k < count; k++) {
        const tact_wide *J = columns.J + 3 * k;
        tact_each *at = y + columns.place[k];
        *at = tact_each_take(*at, J[0] * n + J[1] * t + J[2] * u, columns.members);
    }
}

static inline void columns_square(tact_columns columns, int count, const tact_wide B[6], const tact_envelope *H) {
    const tact_wide *J = columns.J;
    for (int a = 0; a < count; a++) {
        // row a of G = J'B; then H_ab += G_a J_b in the lower triangle, since places ascend
        const tact_wide *Ja = J + 3 * a;
        tact_wide G0 = B[0] * Ja[0] + B[1] * Ja[1] + B[3] * Ja[2];
        tact_wide G1 = B[1] * Ja[0] + B[2] * Ja[1] + B[4] * Ja[2];
        tact_wide G2 = B[3] * Ja[0] + B[4] * Ja[1] + B[5] * Ja[2];
        tact_each *row = tact_envelope_row(H, columns.place[a]);
        for (int b = 0; b <= a; b++) {
            tact_each *at = row + columns.place[b];
            *at = tact_each_add(*at, G0 * J[3 * b] + G1 * J[3 * b + 1] + G2 * J[3 * b + 2], columns.members);
        }
    }
}

// nu += J d.
static inline void tact_columns_gap(tact_columns columns, const tact_each *d, tact_wide nu[3]) {
    if (columns.count == COLUMNS_USUAL)
        columns_gap(columns, COLUMNS_USUAL, d, nu);
    else
        columns_gap(columns, columns.count, d, nu);
}

// y += J'f, and y -= J'f.
static inline void tact_columns_push(tact_columns columns, tact_wide n, tact_wide t, tact_wide u, tact_each *y) {
    if (columns.count == COLUMNS_USUAL)
        columns_push(columns, COLUMNS_USUAL, n, t, u, y);
    else
        columns_push(columns, columns.count, n, t, u, y);
}

static inline void tact_columns_pull(tact_columns columns, tact_wide n, tact_wide t, tact_wide u, tact_each *y) {
    if (columns.count == COLUMNS_USUAL)
        columns_pull(columns, COLUMNS_USUAL, n, t, u, y);
    else
        columns_pull(columns, columns.count, n, t, u, y);
}

// H += J'B J.
static inline void tact_columns_square(tact_columns columns, const tact_wide B[6], const tact_envelope *H) {
    if (columns.count == COLUMNS_USUAL)
        columns_square(columns, COLUMNS_USUAL, B, H);
    else
        columns_square(columns, columns.count, B, H);
}

// nu = rest + K z + J d.
static inline void tact_newton_gap(tact_cone_iterate *cone, tact_columns columns, const tact_each *d) {
    const tact_wide *K = cone->K, *z = cone->z;
    // eliminated unknowns follow the force: the gap opens by K z
    tact_wide nu[3] = {cone->rest[0], cone->rest[1], cone->rest[2]};
    if (cone->compliant) {
        nu[0] += K[0] * z[0] + K[1] * z[1] + K[3] * z[2];
        nu[1] += K[1] * z[0] + K[2] * z[1] + K[4] * z[2];
        nu[2] += K[3] * z[0] + K[4] * z[1] + K[5] * z[2];
    }
    tact_columns_gap(columns, d, nu);
    for (int k = 0; k < 3; k++) cone->nu[k] = nu[k];
}

// Largest term of J d.
static inline tact_wide tact_columns_largest(tact_columns columns, const tact_each *d) {
    tact_wide size = tact_wide_all(0);
    for (int k = 0; k < columns.count; k++) {
        const tact_wide *J = columns.J + 3 * k;
        // Largest entry of the column times |d|.
        tact_wide entry = tact_wide_max(tact_wide_abs(J[0]), tact_wide_max(tact_wide_abs(J[1]), tact_wide_abs(J[2])));
        size = tact_wide_max(size, entry * tact_each_abs(d[columns.place[k]]));
    }
    return size;
}

// y += |J|'|z|.
static inline void tact_columns_weigh(tact_columns columns, const tact_wide z[3], tact_each *y) {
    // magnitudes of the terms of J'z, for its rounding
    tact_wide n = tact_wide_abs(z[0]), t = tact_wide_abs(z[1]), u = tact_wide_abs(z[2]);
    for (int k = 0; k < columns.count; k++) {
        const tact_wide *J = columns.J + 3 * k;
        tact_wide pull = tact_wide_abs(J[0]) * n + tact_wide_abs(J[1]) * t + tact_wide_abs(J[2]) * u;
        tact_each *at = y + columns.place[k];
        *at = tact_each_add(*at, pull, columns.members);
    }
}

static inline tact_wide columns_most(const tact_wide x[3]) {
    return tact_wide_max(tact_wide_abs(x[0]), tact_wide_max(tact_wide_abs(x[1]), tact_wide_abs(x[2])));
}

// Error of the products relative to their target, due to the rounding of nu (whose terms may be large beside their sum) and of
// the products themselves.
static inline tact_wide tact_newton_rounding(const tact_cone_iterate *cone, tact_columns columns, const tact_each *d) {
    const tact_wide *K = cone->K, *z = cone->z;
    // Magnitude of the terms of nu: rest counts twice, as it is itself a difference.
    tact_wide terms = 2 * columns_most(cone->rest) + tact_columns_largest(columns, d);
    if (cone->compliant) terms += (K[0] + K[2] + K[5]) * z[0];
    return 4 * TACT_EPS * (terms + 4 * cone->s[0]) * z[0] * cone->rate;
}

static inline tact_wide columns_sum(const tact_wide x[3]) {
    return tact_wide_abs(x[0]) + tact_wide_abs(x[1]) + tact_wide_abs(x[2]);
}

// Upper bound of tact_newton_rounding, from the largest unknown and the sum of the entries of J; pull is raised by a bound on
// |J|'|z|.
static inline tact_wide tact_newton_rounding_bound(const tact_cone_iterate *cone, tact_columns columns, tact_wide d,
                                                   tact_wide *pull) {
    const tact_wide *K = cone->K, *z = cone->z;
    tact_wide J = tact_wide_all(0);
    // Sum in place of maximum: larger, and without a look at d.
    for (int k = 0; k < columns.count; k++) J += columns_sum(columns.J + 3 * k);
    tact_wide terms = 2 * columns_sum(cone->rest) + J * d;
    if (cone->compliant) terms += (K[0] + K[2] + K[5]) * z[0];
    *pull += 2 * J * z[0];
    return 4 * TACT_EPS * (terms + 4 * cone->s[0]) * z[0] * cone->rate;
}

// Force f in the place of dz, from the aim there; adds J'f to the right-hand side.
static inline void tact_newton_force(tact_cone_iterate *cone, tact_columns columns, tact_each *side) {
    // f = Q a.
    const tact_wide *Q0 = cone->Q[0], *Q1 = cone->Q[1], *Q2 = cone->Q[2];
    tact_wide a0 = cone->dz[0], a1 = cone->dz[1], a2 = cone->dz[2];
    tact_wide f0 = Q0[0] * a0 + Q0[1] * a1 + Q0[2] * a2;
    tact_wide f1 = Q1[0] * a0 + Q1[1] * a1 + Q1[2] * a2;
    tact_wide f2 = Q2[0] * a0 + Q2[1] * a1 + Q2[2] * a2;
    cone->dz[0] = f0;
    cone->dz[1] = f1;
    cone->dz[2] = f2;
    tact_columns_push(columns, f0, f1, f2, side);
}

// dz = f - B J dd, and ds = J dd + K dz.
static inline void tact_newton_expand(tact_cone_iterate *cone, tact_columns columns, const tact_each *step) {
    tact_wide s[3] = {tact_wide_all(0), tact_wide_all(0), tact_wide_all(0)};
    const tact_wide *B = cone->B, *K = cone->K;
    tact_columns_gap(columns, step, s);
    // dz = f - B J dd.
    tact_wide z0 = cone->dz[0] - (B[0] * s[0] + B[1] * s[1] + B[3] * s[2]);
    tact_wide z1 = cone->dz[1] - (B[1] * s[0] + B[2] * s[1] + B[4] * s[2]);
    tact_wide z2 = cone->dz[2] - (B[3] * s[0] + B[4] * s[1] + B[5] * s[2]);
    // The eliminated unknowns follow: ds = J dd + K dz.
    if (cone->compliant) {
        s[0] += K[0] * z0 + K[1] * z1 + K[3] * z2;
        s[1] += K[1] * z0 + K[2] * z1 + K[4] * z2;
        s[2] += K[3] * z0 + K[4] * z1 + K[5] * z2;
    }
    cone->dz[0] = z0;
    cone->dz[1] = z1;
    cone->dz[2] = z2;
    for (int k = 0; k < 3; k++) cone->ds[k] = s[k];
}

#endif
