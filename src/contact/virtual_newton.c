// SPDX-License-Identifier: MIT
// Virtual contact of any two shapes by Newton's method, and its derivatives. With s = psi_1 - psi_2,
//   phi = psi_1 + psi_2 + k s^2,   F = a g_1 + b g_2 with a = 1 + 2 k s, b = 1 - 2 k s,
//   A = a H_1 + b H_2 + 2 k (g_1 - g_2)(g_1 - g_2)'
//   dF/dq_1 = a (-H_1 V_1 + [0 0 E g_1]) - 2 k (g_1 - g_2) g_1' V_1, likewise q_2 and sizes;   dx = -A^-1 dF
// The step uses |eigenvalues| of A, is limited in length and halved until phi satisfies Armijo's condition. Directions in which
// A is flat (face on face) leave x where it is.
#include "contact/virtual_pair.h"

enum { POINT_STEPS = 40, POINT_HALVINGS = 24 };

// Both distances at x, in the plane's axes.
typedef struct {
    tact_planar_distance psi[2];
    tact_vec2 u;          // g_1 - g_2
    tact_real factor[2];  // a, b
    tact_real phi;
    tact_vec2 F;
    tact_sym2 A;
} balance;

// Eigenvalues with unit eigenvectors, the larger in magnitude first.
typedef struct {
    tact_real value[2];
    tact_vec2 vector[2];
} spectrum;

static tact_sym2 turn_symmetric(tact_planar_pose pose, tact_sym2 H) {
    // R H R' of a symmetric matrix, by columns and then rows
    tact_vec2 x = tact_planar_rotate(pose, tact_vec2_make(H.xx, H.xy)), y = tact_planar_rotate(pose, tact_vec2_make(H.xy, H.yy));
    tact_vec2 first = tact_planar_rotate(pose, tact_vec2_make(x.x, y.x)),
              second = tact_planar_rotate(pose, tact_vec2_make(x.y, y.y));
    return (tact_sym2){first.x, second.x, second.y};
}

static tact_planar_distance distance_of(const tact_virtual_side *side, tact_vec2 x, const tact_planar_part *part) {
    // distance in the axes of the body; gradient, Hessian and derivatives rotated into the plane
    tact_vec2 y = tact_virtual_inner(side, x);
    const tact_planar_distance inner =
        part ? tact_planar_distance_from(side->shape, *part, y) : tact_planar_distance_at(side->shape, y);
    tact_planar_distance d = inner;
    d.gradient = tact_planar_rotate(side->pose, d.gradient);
    d.hessian = turn_symmetric(side->pose, d.hessian);
    for (int k = 0; k < side->shape->nsize; k++) d.gradient_by[k] = tact_planar_rotate(side->pose, inner.gradient_by[k]);
    return d;
}

// phi = psi_0 + psi_1 + k (psi_0 - psi_1)^2 at x, with gradient F and Hessian A. part: the part of each shape whose distance is
// used; NULL: the nearest part.
static balance balance_from(const tact_virtual_pair *pair, tact_vec2 x, const tact_planar_part *part) {
    balance at = {.psi = {distance_of(&pair->side[0], x, part), distance_of(&pair->side[1], x, part ? part + 1 : NULL)}};
    // equations (1) to (3) of docs/laws/virtual.md
    const tact_planar_distance *p = &at.psi[0], *q = &at.psi[1];
    tact_real k = pair->options->k, s = p->value - q->value, a = 1 + 2 * k * s, b = 1 - 2 * k * s;
    tact_vec2 u = tact_vec2_sub(p->gradient, q->gradient);
    at.u = u;
    at.factor[0] = a;
    at.factor[1] = b;
    at.phi = p->value + q->value + k * s * s;
    at.F = tact_vec2_add_scaled(tact_vec2_scale(a, p->gradient), b, q->gradient);
    at.A.xx = a * p->hessian.xx + b * q->hessian.xx + 2 * k * u.x * u.x;
    at.A.xy = a * p->hessian.xy + b * q->hessian.xy + 2 * k * u.x * u.y;
    at.A.yy = a * p->hessian.yy + b * q->hessian.yy + 2 * k * u.y * u.y;
    return at;
}

static balance balance_at(const tact_virtual_pair *pair, tact_vec2 x) {
    return balance_from(pair, x, NULL);
}

static spectrum spectrum_of(tact_sym2 A) {
    // eigenvalues mean +- spread of a symmetric 2 x 2 matrix; the larger in magnitude first
    tact_real mean = (A.xx + A.yy) / 2, half = (A.xx - A.yy) / 2, spread = tact_sqrt(half * half + A.xy * A.xy);
    spectrum S;
    S.value[0] = mean < 0 ? mean - spread : mean + spread;
    // of the two formulas for the eigenvector the one without cancellation
    tact_real far = mean < 0 ? -spread : spread;
    tact_vec2 v = half * far >= 0 ? tact_vec2_make(half + far, A.xy) : tact_vec2_make(A.xy, far - half);
    tact_real length = tact_sqrt(tact_vec2_dot(v, v));
    S.vector[0] = length > 0 ? tact_vec2_scale(1 / length, v) : tact_vec2_make(1, 0);
    S.vector[1] = tact_vec2_turn(S.vector[0]);
    tact_vec2 w = S.vector[1];
    S.value[1] = tact_vec2_dot(w, tact_sym2_apply(A, w));
    return S;
}

static bool spectrum_flat(const spectrum *S, int i) {
    return tact_fabs(S->value[i]) <= 1000 * TACT_EPS * tact_fabs(S->value[0]) || S->value[i] == 0;
}

// A^-1 v, with |eigenvalues| if absolute; flat directions are left out.
static tact_vec2 spectrum_solve(const spectrum *S, tact_vec2 v, bool absolute) {
    // pseudo-inverse by eigenvectors
    tact_vec2 sum = {0, 0};
    for (int i = 0; i < 2; i++) {
        if (spectrum_flat(S, i)) continue;
        tact_real value = absolute ? tact_fabs(S->value[i]) : S->value[i];
        sum = tact_vec2_add_scaled(sum, tact_vec2_dot(S->vector[i], v) / value, S->vector[i]);
    }
    return sum;
}

// Newton's step towards F = 0, of at most the length cap; along directions of zero curvature half of the cap downhill.
static tact_vec2 newton_step(const balance *at, tact_real cap) {
    // with |eigenvalues| it is a descent direction even if phi is not convex
    spectrum S = spectrum_of(at->A);
    tact_vec2 step = tact_vec2_scale(-1, spectrum_solve(&S, at->F, true));
    for (int i = 0; i < 2; i++) {
        tact_real slope = tact_vec2_dot(S.vector[i], at->F);
        if (spectrum_flat(&S, i) && tact_fabs(slope) > 100 * TACT_EPS)
            step = tact_vec2_add_scaled(step, slope < 0 ? cap / 2 : -cap / 2, S.vector[i]);
    }
    // at most the cap, half of the smaller shape
    tact_real length = tact_sqrt(tact_vec2_dot(step, step));
    return length > cap ? tact_vec2_scale(cap / length, step) : step;
}

// Whether phi has fallen enough; where its change is rounding, whether its gradient has become smaller.
static bool is_better(const balance *at, const balance *there, tact_real fall, tact_real reach) {
    // Armijo's condition with constant 1e-4
    if (there->phi <= at->phi + TACT_REAL(1e-4) * fall) return true;
    bool level = there->phi <= at->phi + 16 * TACT_EPS * (tact_fabs(at->phi) + reach);
    return level && 4 * tact_vec2_dot(there->F, there->F) < tact_vec2_dot(at->F, at->F);
}

// Minimises phi from x by Newton's method with backtracking; returns the last point, with the functions there in *at.
static tact_vec2 descend(const tact_virtual_pair *pair, tact_vec2 x, balance *at) {
    TACT_ASSERT(at);
    // size of the smaller shape
    tact_real a = pair->side[0].shape->reach, b = pair->side[1].shape->reach, least = tact_min(a, b);
    tact_real reach = (least > 0 && least < TACT_MAX ? least : 1), cap = reach / 2;
    *at = balance_at(pair, x);
    for (int n = 0; n < POINT_STEPS; n++) {
        tact_vec2 step = newton_step(at, cap), next = x;
        tact_real slope = tact_vec2_dot(step, at->F), share = 1;
        balance there = *at;
        bool better = false;
        // converged: the step is within rounding of the reach
        if (tact_vec2_dot(step, step) <= TACT_EPS * TACT_EPS * reach * reach) break;
        // backtracking by halves
        for (int h = 0; !better && h < POINT_HALVINGS; h++, share /= 2) {
            next = tact_vec2_add_scaled(x, share, step);
            there = balance_at(pair, next);
            better = is_better(at, &there, share * slope, reach);
        }
        if (!better) break;
        x = next;
        *at = there;
    }
    return x;
}

// One column of the derivatives: of psi and g at fixed x, then with the motion of x.
static void newton_column(const tact_virtual_pair *pair, const balance *at, const spectrum *S, int side, tact_real dpsi,
                          tact_vec2 dg, int column, tact_virtual *out) {
    tact_real k = pair->options->k, sign = side == 0 ? 1 : -1, length = tact_sqrt(tact_vec2_dot(at->u, at->u));
    // dx = -A^-1 dF, equation (4); frozen: dx = 0
    tact_vec2 dF = tact_vec2_add_scaled(tact_vec2_scale(at->factor[side], dg), sign * 2 * k * dpsi, at->u);
    tact_vec2 X = tact_vec2_scale(-1, spectrum_solve(S, dF, false)), g[2], t = tact_vec2_turn(out->n);
    if (pair->options->freeze && column < TACT_VIRTUAL_SIZE1) X = tact_vec2_make(0, 0);
    // d = -(psi_1 + psi_2): at fixed x, and with the motion of x
    out->dx[column] = X;
    out->dd[column] = -dpsi;
    for (int i = 0; i < 2; i++) {
        out->dd[column] -= tact_vec2_dot(at->psi[i].gradient, X);
        g[i] = tact_sym2_apply(at->psi[i].hessian, X);
    }
    // n = u/|u|: only the part of du normal to n rotates it
    tact_vec2 du = tact_vec2_add_scaled(tact_vec2_sub(g[0], g[1]), sign, dg);
    out->dn[column] = length > 0 ? tact_vec2_scale(tact_vec2_dot(t, du) / length, t) : tact_vec2_make(0, 0);
}

// The contact at the minimum x: normal, depth and cost, with derivatives by coordinates and sizes of both sides.
static void conclude_point(const tact_virtual_pair *pair, const balance *at, tact_vec2 x, tact_virtual *out) {
    // n = (g_1 - g_2)/|g_1 - g_2|, d = -(psi_1 + psi_2)
    tact_real length = tact_sqrt(tact_vec2_dot(at->u, at->u));
    out->x = x;
    out->n = length > 0 ? tact_vec2_scale(1 / length, at->u) : tact_vec2_make(1, 0);
    out->d = -(at->psi[0].value + at->psi[1].value);
    // derivatives of x, n and d by coordinates and sizes of both sides
    spectrum S = spectrum_of(at->A);
    for (int i = 0; i < 2; i++) {
        const tact_virtual_side *side = &pair->side[i];
        const tact_planar_distance *psi = &at->psi[i];
        tact_vec2 arm = tact_vec2_sub(out->x, side->pose.p);
        // at fixed x a motion V of the body changes psi by -g'V and g by -H V (+ E g for rotation)
        for (int k = 0; k < 3; k++) {
            tact_vec2 V = k == 2 ? tact_vec2_turn(arm) : tact_vec2_make(k == 0 ? 1 : 0, k == 1 ? 1 : 0);
            tact_vec2 dg = tact_vec2_scale(-1, tact_sym2_apply(psi->hessian, V));
            if (k == 2) dg = tact_vec2_add(dg, tact_vec2_turn(psi->gradient));
            newton_column(pair, at, &S, i, -tact_vec2_dot(psi->gradient, V), dg, side->q + k, out);
        }
        // by sizes: the derivatives of the distance
        for (int k = 0; pair->options->sizes && k < TACT_PLANAR_SIZES; k++) {
            bool has = k < side->shape->nsize;
            tact_vec2 zero = {0, 0};
            newton_column(pair, at, &S, i, has ? psi->by_size[k] : 0, has ? psi->gradient_by[k] : zero, side->size + k, out);
        }
    }
    out->weight = -out->d;
    for (int k = 0; k < tact_virtual_columns(pair->options); k++) out->dweight[k] = -out->dd[k];
}

tact_status tact_virtual_newton(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                                const tact_virtual_options *options, tact_virtual *inout) {
    TACT_ASSERT(inout);
    tact_virtual_pair pair = tact_virtual_pair_make(a, b, pose, options);
    balance at;
    tact_vec2 x = descend(&pair, inout->x, &at);
    conclude_point(&pair, &at, x, inout);
    return tact_vec2_dot(at.F, at.F) <= 1000000 * TACT_EPS * TACT_EPS ? TACT_CONVERGED : TACT_ITERATION_LIMIT;
}

void tact_virtual_particle(const tact_virtual_pair *pair, tact_vec2 x, const tact_planar_part *part, tact_virtual *out) {
    TACT_ASSERT(pair && out);
    // a particle does not move: dx = 0 by coordinates; sizes change the distances only
    tact_virtual_options frozen = *pair->options;
    tact_virtual_pair still = *pair;
    frozen.freeze = true;
    frozen.sizes = false;
    still.options = &frozen;
    balance at = balance_from(pair, x, part);
    conclude_point(&still, &at, x, out);
    for (int place = 0; pair->options->sizes && place < 2 * TACT_PLANAR_SIZES; place++) {
        int i = place / TACT_PLANAR_SIZES, size = place % TACT_PLANAR_SIZES, k = pair->side[i].size + size;
        bool has = size < pair->side[i].shape->nsize;
        // by a size: the normal rotates by t'dg/|u|, dg being the change of the distance's gradient
        tact_vec2 t = tact_vec2_turn(out->n), dg = has ? at.psi[i].gradient_by[size] : tact_vec2_make(0, 0);
        tact_real length = tact_sqrt(tact_vec2_dot(at.u, at.u)), turn = length > 0 ? tact_vec2_dot(t, dg) / length : 0;
        out->dx[k] = tact_vec2_make(0, 0);
        out->dn[k] = tact_vec2_scale(i ? -turn : turn, t);
        out->dd[k] = has ? -at.psi[i].by_size[size] : 0;
    }
}

tact_vec2 tact_virtual_slope(const tact_virtual_pair *pair, tact_vec2 x) {
    return balance_at(pair, x).F;
}
