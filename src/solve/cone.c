// SPDX-License-Identifier: MIT
#include "solve/cone.h"

#include "math/elementary.h"

tact_real tact_cone_det(const tact_real x[3]) {
    tact_real t = tact_sqrt(x[1] * x[1] + x[2] * x[2]);
    return (x[0] - t) * (x[0] + t);
}

// of a point inside, kept positive where the distance to the boundary is lost in rounding
static tact_real interior_det(const tact_real x[3]) {
    tact_real t = tact_sqrt(x[1] * x[1] + x[2] * x[2]);
    return tact_max(x[0] - t, TACT_EPS * x[0]) * (x[0] + t);
}

void tact_cone_inverse(const tact_real x[3], tact_real tau, tact_real out[3]) {
    tact_real f = tau / interior_det(x);
    out[0] = f * x[0];
    out[1] = -f * x[1];
    out[2] = -f * x[2];
}

tact_real tact_cone_max_step(const tact_real x[3], const tact_real dx[3]) {
    // det(x + t dx) = a t^2 + 2 b t + c; its smallest positive root, by the form that does not cancel. For x inside the
    // discriminant is never negative but by rounding, when dx is nearly along -x
    tact_real a = tact_cone_det(dx);
    tact_real b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
    tact_real c = interior_det(x);
    tact_real below = tact_sqrt(tact_max(b * b - a * c, 0)) - b;
    return below > 0 && c < below * TACT_MAX ? c / below : TACT_MAX;
}

// y = W x (sign = 1, factor = eta) or W^-1 x (sign = -1, factor = 1/eta)
static void arrow_apply(const tact_real w[3], tact_real factor, tact_real sign, const tact_real x[3], tact_real y[3]) {
    tact_real along = w[1] * x[1] + w[2] * x[2];
    tact_real g = sign * x[0] + along / (1 + w[0]);
    y[0] = factor * (w[0] * x[0] + sign * along);
    y[1] = factor * (x[1] + g * w[1]);
    y[2] = factor * (x[2] + g * w[2]);
}

// Q = W^-1, B = W^-2 = (2 y y' - J) / eta^2 with y = J w
static void scale_rigid(tact_cone_iterate *cone, const tact_real inverse[6]) {
    const tact_real *w = cone->w;
    tact_real f = 1 / (cone->eta * cone->eta), f2 = 2 * f;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) cone->Q[i][j] = cone->Q[j][i] = inverse[i * (i + 1) / 2 + j];
    cone->B[0] = f2 * w[0] * w[0] - f;
    cone->B[1] = -f2 * w[0] * w[1];
    cone->B[2] = f2 * w[1] * w[1] + f;
    cone->B[3] = -f2 * w[0] * w[2];
    cone->B[4] = f2 * w[1] * w[2];
    cone->B[5] = f2 * w[2] * w[2] + f;
}

// S = I + W^-1 K W^-1 = L D L'; each row of Q = W^-1 S^-1 is a solve with it, and B = Q W^-1
static void scale_compliant(tact_cone_iterate *cone, const tact_real W[6]) {
    const tact_real *K = cone->K;
    tact_real V[3][3] = {{W[0], W[1], W[3]}, {W[1], W[2], W[4]}, {W[3], W[4], W[5]}}, T[3][3], S[3][3];
    for (int j = 0; j < 3; j++) {
        T[0][j] = K[0] * V[0][j] + K[1] * V[1][j] + K[3] * V[2][j];
        T[1][j] = K[1] * V[0][j] + K[2] * V[1][j] + K[4] * V[2][j];
        T[2][j] = K[3] * V[0][j] + K[4] * V[1][j] + K[5] * V[2][j];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) S[i][j] = V[i][0] * T[0][j] + V[i][1] * T[1][j] + V[i][2] * T[2][j];
    tact_real f0 = 1 / (1 + S[0][0]), l1 = S[1][0] * f0, l2 = S[2][0] * f0;
    tact_real f1 = 1 / (1 + S[1][1] - l1 * S[1][0]), u = S[2][1] - l2 * S[1][0], l3 = u * f1;
    tact_real f2 = 1 / (1 + S[2][2] - l2 * S[2][0] - l3 * u);
    for (int i = 0; i < 3; i++) {
        tact_real y0 = V[i][0], y1 = V[i][1] - l1 * y0, y2 = V[i][2] - l2 * y0 - l3 * y1;
        tact_real *q = cone->Q[i];
        q[2] = f2 * y2;
        q[1] = f1 * y1 - l3 * q[2];
        q[0] = f0 * y0 - l1 * q[1] - l2 * q[2];
        for (int j = 0; j <= i; j++) cone->B[i * (i + 1) / 2 + j] = q[0] * V[0][j] + q[1] * V[1][j] + q[2] * V[2][j];
    }
}

void tact_cone_scale(tact_cone_iterate *cone, bool compliant) {
    const tact_real *s = cone->s, *z = cone->z;
    tact_real root_s = tact_sqrt(interior_det(s)), root_z = tact_sqrt(interior_det(z));
    tact_real fs = 1 / root_s, fz = 1 / root_z;
    // w = (s/root_s + J z/root_z) / (2 gamma),  gamma^2 = (1 + s'z / (root_s root_z)) / 2
    tact_real cosine = fs * fz * (s[0] * z[0] + s[1] * z[1] + s[2] * z[2]);
    tact_real f = 1 / tact_sqrt(2 * (1 + cosine));
    tact_real w1 = f * (fs * s[1] - fz * z[1]), w2 = f * (fs * s[2] - fz * z[2]), w0 = tact_sqrt(1 + w1 * w1 + w2 * w2);
    cone->w[0] = w0;
    cone->w[1] = w1;
    cone->w[2] = w2;
    cone->eta = tact_sqrt(root_s * fz);
    arrow_apply(cone->w, cone->eta, 1, z, cone->l);
    tact_real g = 1 / cone->eta, a = g / (1 + w0);
    tact_real inverse[6] = {g * w0, -g * w1, g + a * w1 * w1, -g * w2, a * w1 * w2, g + a * w2 * w2};
    if (compliant)
        scale_compliant(cone, inverse);
    else
        scale_rigid(cone, inverse);
}

void tact_cone_mute(tact_cone_iterate *cone) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) cone->Q[i][j] = 0;
    for (int i = 0; i < 6; i++) cone->B[i] = 0;
}

// l \ (W^-1 ds o W dz)
static void second_order(const tact_cone_iterate *cone, tact_real out[3]) {
    tact_real a[3], b[3];
    const tact_real *l = cone->l;
    arrow_apply(cone->w, 1 / cone->eta, -1, cone->ds, a);
    arrow_apply(cone->w, cone->eta, 1, cone->dz, b);
    tact_real p[3] = {a[0] * b[0] + a[1] * b[1] + a[2] * b[2], a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]};
    out[0] = (l[0] * p[0] - l[1] * p[1] - l[2] * p[2]) / interior_det(l);
    out[1] = (p[1] - l[1] * out[0]) / l[0];
    out[2] = (p[2] - l[2] * out[0]) / l[0];
}

void tact_cone_aim(const tact_cone_iterate *cone, tact_real target, tact_real second, const tact_real missing[3], tact_real aim[3]) {
    tact_real inverse[3], order[3] = {0, 0, 0}, rest[3];
    if (second > 0) second_order(cone, order);
    tact_cone_inverse(cone->l, target, inverse);
    arrow_apply(cone->w, 1 / cone->eta, -1, missing, rest);
    for (int k = 0; k < 3; k++) aim[k] = inverse[k] - cone->l[k] - second * order[k] - rest[k];
}
