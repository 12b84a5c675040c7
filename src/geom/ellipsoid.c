// SPDX-License-Identifier: MIT
// Signed distance of a point y to an ellipsoid with half axes a. The nearest surface point p has y = p + t (p_i / a_i^2), so
//   p_i = a_i^2 y_i / (t + a_i^2)   and   N(w)^2 = sum c_i^2 / (w + lift_i)^2 = 1
// with c_i = a_i |y_i|, lift_i = a_i^2 - m^2, w = t + m^2 >= 0, m the least half axis. In w no denominator cancels. 1/N is
// concave and almost linear in w, so that Newton's steps on it end at or below the root (the secular equation of
// J. J. More and D. C. Sorensen, Computing a trust region step, 1983). The unit normal n is y_i / (w + lift_i) normalised, and
// the distance to the tangent plane, which is stationary in n: errors of the root enter squared. At the tips of shapes so
// thin that m^2 is lost against TACT_EPS a^2 the value is still right, but the direction is not resolved.
//
// When y lies in the middle plane of the least half axis and N(0) <= 1, the root is w = 0: two nearest points, mirror images.
//
// The Hessian is the surface's shape operator S at p carried to y, S (I + value S)^-1. With M = diag(1/a_i^2) and
// K = I + t M in a tangent basis and g = |(p_i/a_i^2)| it is M K^-1 / g = (M + t det(M) I) / (g det K). For B = m^2 M,
// L_i = lift_i/a_i^2 and E = m^2 K = diag(w + lift_i) B it becomes
//   H = (m^2 ([B11 L22 + B12^2, B12; B12, B22 L11 + B12^2]) + w det(B) I) / (g det E)
// where nothing cancels, inside or outside. It grows without bound towards the centres of curvature, which lie inside; as
// elsewhere it is given as 0 where 1/TACT_EPS per metre is passed.
#include "geom/shapes.h"

// Lengths of the ellipsoid are in units of its longest half axis a; those of the point in units of s, the larger of a and the
// point's largest coordinate.
typedef struct {
    tact_real scale;    // s [m]
    tact_real ratio;    // a/s
    tact_real half[3];  // half axes
    tact_real lift[3];  // half_i^2 - half_least^2
    tact_real w;        // the root in units of a s, >= 0
    tact_vec3 normal;   // unit, of the nearest surface point p
    tact_real slope;    // |(p_i/half_i^2)|
    bool tie;           // the mirror image of p is as near
} ellipsoid_point;

#define ELLIPSOID_ITERATIONS 64

// c/below, and 0 for 0/0, kept from the optimiser.
static tact_real fraction(tact_real c, tact_real below) {
    return c / (c > 0 ? below : 1);
}

// N(w); slope: the sum of c_i^2/(w + lift_i)^3, which is -N N'.
static tact_real secular_norm(const tact_real *c, const tact_real *lift, tact_real w, tact_real *slope) {
    tact_real square = 0;
    *slope = 0;
    for (int i = 0; i < 3; i++) {
        tact_real term = fraction(c[i], w + lift[i]);
        square += term * term;
        *slope += fraction(term * term, w + lift[i]);
    }
    return tact_sqrt(square);
}

// The root of N(w) = 1 by Newton's method from a w with N(w) >= 1. The iterates increase to the root; where one term with a
// tiny c_i is summed with another that is 1 to rounding, by a factor of 1.5 per step until that term is rounding as well.
static tact_real secular_root(const tact_real *c, const tact_real *lift, tact_real w) {
    // Newton's method on 1 - 1/N: step = (N - 1) N^2/slope
    for (int k = 0; k < ELLIPSOID_ITERATIONS; k++) {
        tact_real slope = 0, norm = secular_norm(c, lift, w, &slope);
        tact_real step = (norm - 1) * norm * norm / slope;
        // near such a root a step that is only rounding may be large and negative
        if (step > -w / 2) w += step;
        if (tact_fabs(norm - 1) <= 2 * TACT_EPS || tact_fabs(step) <= TACT_EPS * w) break;
    }
    return w;
}

// Root w of the secular equation for the point x, and the normal of the nearest surface point, in units of the longest half
// axis.
static ellipsoid_point ellipsoid_locate(const tact_real *size, tact_vec3 x) {
    // by symmetry in the octant y >= 0
    const tact_real y[3] = {tact_fabs(x.x), tact_fabs(x.y), tact_fabs(x.z)};
    ellipsoid_point point = {.scale = 0};
    // a half axis below TACT_EPS of the longest is raised to that
    tact_real longest = tact_max(tact_max(size[0], size[1]), tact_max(size[2], 1 / TACT_MAX));
    point.scale = tact_max(tact_max(longest, y[0]), tact_max(y[1], y[2]));
    point.ratio = longest / point.scale;
    int least = size[1] < size[0] ? 1 : 0;
    if (size[2] < size[least]) least = 2;

    tact_real c[3], lift[3], low = 0, n[3] = {0};
    // c, lift: the secular equation in units of the longest half axis; low: a w with N(w) >= 1
    tact_real m = tact_max(size[least] / longest, TACT_EPS);
    for (int i = 0; i < 3; i++) {
        point.half[i] = tact_max(size[i] / longest, TACT_EPS);
        point.lift[i] = (point.half[i] - m) * (point.half[i] + m);
        lift[i] = point.ratio * point.lift[i];
        c[i] = point.half[i] * (y[i] / point.scale);
        if (c[i] < 1 / (TACT_MAX * TACT_EPS)) c[i] = 0;  // too small for its digits, and negligible
        low = tact_max(low, c[i] - lift[i]);
    }
    // N(0) <= 1 only on the middle plane of the least half axis: then w = 0
    tact_real slope = 0, norm = low > 0 ? 2 : secular_norm(c, lift, 0, &slope);
    if (norm > 1) point.w = secular_root(c, lift, low);
    for (int i = 0; i < 3; i++) n[i] = fraction(c[i], point.w + lift[i]) / point.half[i];
    if (norm <= 1) {
        n[least] = tact_sqrt((1 - norm) * (1 + norm)) / m;
        point.tie = norm < 1;
    }
    // restore the signs of x
    tact_vec3 q = {tact_side_of(x.x) * n[0], tact_side_of(x.y) * n[1], tact_side_of(x.z) * n[2]};
    point.slope = tact_direction_split(q, &point.normal);
    return point;
}

tact_distance tact_ellipsoid_distance(const tact_real *size, tact_vec3 x) {
    ellipsoid_point point = ellipsoid_locate(size, x);
    tact_vec3 n = point.normal, support;
    tact_real reach = tact_direction_split(tact_vec3_make(size[0] * n.x, size[1] * n.y, size[2] * n.z), &support);
    tact_distance d = {.value = tact_vec3_dot(n, x) - reach, .gradient = n, .degenerate = point.tie};
    return d;
}

// t' diag(D) u.
static tact_real weighted_dot(const tact_real *t, const tact_real *D, const tact_real *u) {
    return t[0] * D[0] * u[0] + t[1] * D[1] * u[1] + t[2] * D[2] * u[2];
}

// Determinant of diag(D) restricted to the plane normal to the unit vector n.
static tact_real plane_det(const tact_real *D, const tact_real *n) {
    return n[0] * n[0] * D[1] * D[2] + n[1] * n[1] * D[2] * D[0] + n[2] * n[2] * D[0] * D[1];
}

tact_mat3 tact_ellipsoid_hessian(const tact_real *size, tact_vec3 x) {
    ellipsoid_point point = ellipsoid_locate(size, x);
    // shape operator in the tangent basis t1, t2
    tact_mat3 T = tact_frame_from_normal(point.normal), H = {{{0}}};
    const tact_real *n = T.m[0], *t1 = T.m[1], *t2 = T.m[2];
    tact_real least = tact_min(tact_min(point.half[0], point.half[1]), point.half[2]);
    tact_real B[3], E[3], L[3], largest = 0;
    for (int i = 0; i < 3; i++) {
        B[i] = (least / point.half[i]) * (least / point.half[i]);
        L[i] = point.lift[i] / (point.half[i] * point.half[i]);
        E[i] = (point.w + point.ratio * point.lift[i]) * B[i];
        largest = tact_max(largest, E[i]);
    }
    if (largest == 0) return H;
    for (int i = 0; i < 3; i++) E[i] /= largest;

    // H of the head of this file, scaled by the largest entry of E
    tact_real B12 = weighted_dot(t1, B, t2), near = point.ratio * least * least / largest,
              far = point.w / largest * plane_det(B, n);
    tact_real H11 = near * (weighted_dot(t1, B, t1) * weighted_dot(t2, L, t2) + B12 * B12) + far;
    tact_real H22 = near * (weighted_dot(t2, B, t2) * weighted_dot(t1, L, t1) + B12 * B12) + far;
    tact_real H12 = near * B12;
    tact_real unit = plane_det(E, n) * largest * point.slope * point.scale;
    if (!((H11 + H22) * TACT_EPS < unit)) return H;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            H.m[i][j] = (H11 * (t1[i] * t1[j]) + H22 * (t2[i] * t2[j]) + H12 * (t1[i] * t2[j] + t2[i] * t1[j])) / unit;
    return H;
}
