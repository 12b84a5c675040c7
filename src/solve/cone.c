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
    // det(x + t dx) = a t^2 + 2 b t + c; its smallest positive root, by the form that does not cancel
    tact_real a = tact_cone_det(dx);
    tact_real b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
    tact_real c = interior_det(x);
    tact_real discriminant = b * b - a * c;
    if (discriminant < 0) return TACT_MAX;
    tact_real below = tact_sqrt(discriminant) - b;
    return below > 0 && c < below * TACT_MAX ? c / below : TACT_MAX;
}

// (2 y y' - J) / eta^2 with y = J w is the inverse of W^2
static void invert_square(const tact_real w[3], tact_real eta, tact_real B[6]) {
    tact_real f = 1 / (eta * eta);
    tact_real f2 = 2 * f;
    B[0] = f2 * w[0] * w[0] - f;
    B[1] = -f2 * w[0] * w[1];
    B[2] = f2 * w[1] * w[1] + f;
    B[3] = -f2 * w[0] * w[2];
    B[4] = f2 * w[1] * w[2];
    B[5] = f2 * w[2] * w[2] + f;
}

// Eigenvalues of W^2 are eta^2 (w_0 +- |w_t|)^2 along (1, +- w_t/|w_t|) and eta^2 across: invert on each with soft added.
static void invert_softened(const tact_real w[3], tact_real eta, tact_real soft, tact_real B[6]) {
    tact_real t = tact_sqrt(w[1] * w[1] + w[2] * w[2]);
    tact_real u = t > 0 ? w[1] / t : 1, v = t > 0 ? w[2] / t : 0;
    tact_real big = eta * (w[0] + t), small = eta / (w[0] + t);
    tact_real across = 1 / (eta * eta + soft);
    tact_real plus = 1 / (big * big + soft), minus = 1 / (small * small + soft);
    tact_real mean = (plus + minus) / 2, half = (plus - minus) / 2;
    B[0] = mean;
    B[1] = half * u;
    B[2] = mean * u * u + across * v * v;
    B[3] = half * v;
    B[4] = (mean - across) * u * v;
    B[5] = mean * v * v + across * u * u;
}

// y = W x (sign = 1, factor = eta) or W^-1 x (sign = -1, factor = 1/eta)
static void arrow_apply(const tact_real w[3], tact_real factor, tact_real sign, const tact_real x[3], tact_real y[3]) {
    tact_real along = w[1] * x[1] + w[2] * x[2];
    tact_real g = sign * x[0] + along / (1 + w[0]);
    y[0] = factor * (w[0] * x[0] + sign * along);
    y[1] = factor * (x[1] + g * w[1]);
    y[2] = factor * (x[2] + g * w[2]);
}

void tact_cone_scale(tact_cone_iterate *cone, tact_real soft) {
    const tact_real *s = cone->s, *z = cone->z;
    tact_real root_s = tact_sqrt(interior_det(s)), root_z = tact_sqrt(interior_det(z));
    tact_real fs = 1 / root_s, fz = 1 / root_z;
    // w = (s/root_s + J z/root_z) / (2 gamma),  gamma^2 = (1 + s'z / (root_s root_z)) / 2
    tact_real cosine = fs * fz * (s[0] * z[0] + s[1] * z[1] + s[2] * z[2]);
    tact_real f = 1 / tact_sqrt(2 * (1 + cosine));
    cone->w[1] = f * (fs * s[1] - fz * z[1]);
    cone->w[2] = f * (fs * s[2] - fz * z[2]);
    cone->w[0] = tact_sqrt(1 + cone->w[1] * cone->w[1] + cone->w[2] * cone->w[2]);
    cone->eta = tact_sqrt(root_s * fz);
    arrow_apply(cone->w, cone->eta, 1, z, cone->l);
    if (soft > 0)
        invert_softened(cone->w, cone->eta, soft, cone->B);
    else
        invert_square(cone->w, cone->eta, cone->B);
}

void tact_cone_weigh(const tact_cone_iterate *cone, const tact_real x[3], tact_real y[3]) {
    const tact_real *B = cone->B;
    y[0] = B[0] * x[0] + B[1] * x[1] + B[3] * x[2];
    y[1] = B[1] * x[0] + B[2] * x[1] + B[4] * x[2];
    y[2] = B[3] * x[0] + B[4] * x[1] + B[5] * x[2];
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

void tact_cone_aim(const tact_cone_iterate *cone, tact_real target, bool corrected, tact_real soft, tact_real out[3]) {
    tact_real r[3], second[3] = {0, 0, 0}, gap[3];
    tact_cone_inverse(cone->l, target, r);
    if (corrected) second_order(cone, second);
    for (int k = 0; k < 3; k++) r[k] -= cone->l[k] + second[k];
    if (soft > 0) {
        arrow_apply(cone->w, cone->eta, 1, r, gap);
        tact_cone_weigh(cone, gap, out);
    } else
        arrow_apply(cone->w, 1 / cone->eta, -1, r, out);
}
