// SPDX-License-Identifier: MIT
// The gyroscopic term c = dT/dq at (q, v+), which changes the momentum, and its derivative with respect to v+. For a free
// body's rotation with rotation vector t = h w and angular momentum L,
//
//     h c = h P x u - (T(t) L - L) ,   T(t) L - L = t x L/2 + k t x (t x L) ,   k = (1 - (a/2) cot(a/2)) / a^2 ,  a = |t|
//
// and otherwise c is quadratic in v, so that  dc(v; d) = (c(v + d) - c(v - d)) / 2  is exact. When bodies rotate far in a step,
// the fixed-point iteration on c(v+) gives way to Newton's method, with the block-diagonal matrix A - h dc/dv.
#include "law/rigid.h"
#include "law/tie.h"
#include "math/elementary.h"
#include "solve/lu.h"

// k = (1 - (a/2) cot(a/2)) / a^2 for square = a^2 < 4 pi^2; by its power series near 0
static tact_real turning_curve(tact_real square) {
    if (square < TACT_REAL(0.01)) {
        tact_real c = TACT_REAL(1.0) / 1209600 + square * (TACT_REAL(1.0) / 47900160);
        return TACT_REAL(1.0) / 12 + square * (TACT_REAL(1.0) / 720 + square * (TACT_REAL(1.0) / 30240 + square * c));
    }
    tact_real a = tact_sqrt(square), s = 0, c = 0;
    tact_sincos(a / 2, &s, &c);
    return (1 - a * c / (2 * s)) / square;
}

// Vector of three consecutive entries.
static tact_vec3 turning_triple(const tact_real *x) {
    return tact_vec3_make(x[0], x[1], x[2]);
}

// p = M v and turning = h c(v); with `end`, p of free bodies is that at the end of the step, with T L in the place of L.
static void turning_of(const tact_model *model, tact_real h, const tact_real *v, tact_work *work, tact_real *p,
                       tact_real *turning, bool end) {
    tact_momentum_update(model, &work->kinematics, &work->dynamics, v, p, turning);
    for (int i = 0; i < model->nv; i++) turning[i] *= h;
    for (int b = 0; b < model->nbody; b++) {
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        // a free body: h P x u - (T(h w) L - L), with linear and angular momentum P, L and velocities u, w
        int i = model->body[b].v;
        tact_vec3 w = turning_triple(v + i), L = turning_triple(p + i);
        // T(h w) L - L for turn = h w.
        tact_vec3 turn = tact_vec3_scale(h, w);
        tact_vec3 once = tact_vec3_cross(turn, L), twice = tact_vec3_cross(turn, once);
        tact_real k = turning_curve(tact_min(tact_vec3_dot(turn, turn), 36));
        tact_vec3 more = tact_vec3_add(tact_vec3_scale(TACT_REAL(0.5), once), tact_vec3_scale(k, twice));
        tact_vec3 c = tact_vec3_scale(h, tact_vec3_cross(turning_triple(p + i + 3), turning_triple(v + i + 3)));
        c = tact_vec3_sub(c, more);
        turning[i] = c.x;
        turning[i + 1] = c.y;
        turning[i + 2] = c.z;
        if (!end) continue;
        p[i] += more.x;
        p[i + 1] += more.y;
        p[i + 2] += more.z;
    }
}

void tact_rigid_turning(const tact_model *model, tact_real h, const tact_real *v, tact_work *work, tact_real *turning,
                        tact_real *momentum) {
    turning_of(model, h, v, work, momentum ? momentum : work->rigid->momentum, turning, true);
}

tact_real tact_rigid_unbalance(const tact_model *model, tact_real h, const tact_real *v, tact_work *work, tact_real *F) {
    tact_rigid_work *rigid = work->rigid;
    tact_real size = 0;
    turning_of(model, h, v, work, F, rigid->turning, false);
    for (int i = 0; i < model->nv; i++) {
        // F = M v + h (h K + D) v - load - h c
        tact_real drive = h * (h * model->dof[i].stiffness + model->dof[i].damping) * v[i];
        size = tact_max(size, tact_fabs(F[i]) + tact_fabs(drive) + tact_fabs(rigid->load[i]) + tact_fabs(rigid->turning[i]));
        F[i] += drive - rigid->load[i] - rigid->turning[i];
    }
    if (tact_ties(model) > 0) tact_ties_resist(model, work, h, v, work->rate, F);
    return size;
}

// dk/d(a^2), by its power series near 0
static tact_real turning_curve_slope(tact_real square) {
    if (square < TACT_REAL(0.01)) {
        tact_real c = TACT_REAL(3.0) / 1209600 + square * (TACT_REAL(4.0) / 47900160);
        return TACT_REAL(1.0) / 720 + square * (TACT_REAL(2.0) / 30240 + square * c);
    }
    tact_real a = tact_sqrt(square), s = 0, c = 0;
    tact_sincos(a / 2, &s, &c);
    tact_real by_a = c / (2 * s) - a / (4 * s * s);
    return -by_a / (2 * a * square) - turning_curve(square) / square;
}

// Derivative of h c at v along rigid->along: slope = d(h c), dp = M d; p = M v.
static void turning_slope(const tact_model *model, tact_real h, const tact_real *v, const tact_real *p, tact_work *work,
                          tact_real *dp, tact_real *slope) {
    tact_rigid_work *rigid = work->rigid;
    tact_real *d = rigid->along, *shifted = rigid->momentum, *back = rigid->turning;
    // c is quadratic: (c(v + d) - c(v - d)) / 2 is its derivative along d exactly
    for (int i = 0; i < model->nv; i++) shifted[i] = v[i] + d[i];
    tact_momentum_update(model, &work->kinematics, &work->dynamics, shifted, dp, slope);
    for (int i = 0; i < model->nv; i++) shifted[i] = v[i] - d[i];
    tact_momentum_update(model, &work->kinematics, &work->dynamics, shifted, dp, back);
    for (int i = 0; i < model->nv; i++) slope[i] = h * (slope[i] - back[i]) / 2;
    tact_momentum_update(model, &work->kinematics, &work->dynamics, d, dp, NULL);
    for (int b = 0; b < model->nbody; b++) {
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        // the product rule on each term of turning_of
        int i = model->body[b].v;
        tact_vec3 t = tact_vec3_scale(h, turning_triple(v + i)), dt = tact_vec3_scale(h, turning_triple(d + i));
        tact_vec3 c = tact_vec3_add(tact_vec3_cross(turning_triple(dp + i + 3), turning_triple(v + i + 3)),
                                    tact_vec3_cross(turning_triple(p + i + 3), turning_triple(d + i + 3)));
        // Differential of T(t) L - L for changes dt and dL.
        tact_vec3 L = turning_triple(p + i);
        tact_vec3 once = tact_vec3_cross(t, L),
                  change = tact_vec3_add(tact_vec3_cross(dt, L), tact_vec3_cross(t, turning_triple(dp + i)));
        tact_vec3 twice = tact_vec3_add(tact_vec3_cross(dt, once), tact_vec3_cross(t, change));
        tact_real square = tact_vec3_dot(t, t), by_t = square < 36 ? 2 * tact_vec3_dot(t, dt) * turning_curve_slope(square) : 0;
        tact_vec3 sum =
            tact_vec3_add(tact_vec3_scale(TACT_REAL(0.5), change), tact_vec3_scale(turning_curve(tact_min(square, 36)), twice));
        tact_vec3 more = tact_vec3_add(sum, tact_vec3_scale(by_t, tact_vec3_cross(t, once)));
        c = tact_vec3_sub(tact_vec3_scale(h, c), more);
        slope[i] = c.x;
        slope[i + 1] = c.y;
        slope[i + 2] = c.z;
    }
}

// View of the LU factors of A - h dc/dv of one component.
static tact_lu turning_factor(const tact_rigid_work *rigid, int component) {
    int first = rigid->begin[component], n = rigid->begin[component + 1] - first;
    tact_lu lu = {.n = n,
                  .stride = (size_t)n,
                  .value = rigid->slope + (size_t)first * (size_t)rigid->widest,
                  .order = rigid->slope_order + first};
    return lu;
}

bool tact_rigid_newton_matrix(const tact_model *model, tact_real h, const tact_real *v, tact_work *work) {
    TACT_ASSERT(model && work && work->rigid && (v || !model->nv));
    tact_rigid_work *rigid = work->rigid;
    tact_real *p = rigid->dense, *dp = rigid->bent_p, *slope = rigid->bent_c, *d = rigid->along, size = 0;
    // central difference with a step as large as v itself: exact, since c is quadratic in v
    for (int i = 0; i < model->nv; i++) size = tact_max(size, tact_fabs(v[i]));
    if (!(size > 0)) size = 1;
    tact_momentum_update(model, &work->kinematics, &work->dynamics, v, p, NULL);
    // one column of every component at a time
    for (int k = 0; k < rigid->widest; k++) {
        for (int i = 0; i < model->nv; i++) d[i] = i - rigid->begin[rigid->component[i]] == k ? size : 0;
        turning_slope(model, h, v, p, work, dp, slope);
        if (tact_ties(model) > 0) tact_ties_resist(model, work, h, d, work->rate, dp);
        for (int i = 0; i < model->nv; i++) {
            int first = rigid->begin[rigid->component[i]];
            tact_lu lu = turning_factor(rigid, rigid->component[i]);
            tact_real drive = i - first == k ? h * (h * model->dof[i].stiffness + model->dof[i].damping) : 0;
            if (k < lu.n) lu.value[(size_t)(i - first) * lu.stride + (size_t)k] = (dp[i] - slope[i]) / size + drive;
        }
    }
    // A - h dc/dv is block diagonal: an LU factorisation for each component
    for (int c = 0; c < rigid->ncomponent; c++) {
        tact_lu lu = turning_factor(rigid, c);
        if (!tact_lu_factor(&lu, 0, dp)) return false;
    }
    rigid->bent = true;
    return true;
}

void tact_rigid_newton_solve(const tact_rigid_work *rigid, int component, tact_real *x) {
    tact_lu lu = turning_factor(rigid, component);
    for (int k = 0; k < lu.n; k++) rigid->dense[k] = x[k];
    tact_lu_solve(&lu, rigid->dense, x);
}

void tact_rigid_newton_inertia(const tact_rigid_work *rigid, int component, tact_real *A) {
    // the rows of L U are the rows of A in pivot order
    tact_lu lu = turning_factor(rigid, component);
    for (int i = 0; i < lu.n; i++)
        for (int j = 0; j < lu.n; j++) {
            const tact_real *row = lu.value + (size_t)i * lu.stride;
            tact_real sum = j < i ? 0 : row[j];
            for (int k = 0; k < i && k <= j; k++) sum += row[k] * lu.value[(size_t)k * lu.stride + (size_t)j];
            A[lu.order[i] * lu.n + j] = sum;
        }
}
