// SPDX-License-Identifier: MIT
// The friction problem of one contact, solved exactly. With all others fixed, u = W r + q for a 3x3 block W. The contact
// separates if q_n >= 0; otherwise u_n = 0, and with S = W_tt - W_tn W_nt / W_nn, b = q_t - W_tn q_n / W_nn
//
//     (S + lambda I) r_t = -b,   r_n = -(q_n + W_nt r_t) / W_nn ,   u_t = -lambda r_t :
//
// it sticks if |r_t| <= mu r_n for lambda = 0, and otherwise slides with the lambda > 0 that makes them equal. mu r_n / |r_t|
// is nearly linear in lambda, and a root can be bracketed because r_t -> 0 as lambda grows.
#include "solve/friction.h"

// Length of the tangential impulse.
static tact_real single_length(const tact_real r[3]) {
    return tact_sqrt(r[1] * r[1] + r[2] * r[2]);
}

void tact_friction_project(const tact_friction_problem *problem, int i, tact_real r[3]) {
    TACT_ASSERT(problem && i >= 0 && i < problem->nc);
    tact_real mu = problem->mu[i], t = single_length(r);
    if (mu < 0) {
        for (int k = 0; k < 3; k++)
            r[k] = tact_clamp(r[k], tact_friction_low(problem, 3 * i + k), tact_friction_high(problem, 3 * i + k));
        return;
    }
    // inside the cone: itself; in the polar cone: 0; otherwise the nearest point of the boundary, (r_n + mu |r_t|)/(1 + mu^2)
    // (1, mu t/|t|). Without friction the cone is a ray.
    if (r[0] >= 0 && t <= mu * r[0]) return;
    if (mu * t <= -r[0]) {
        r[0] = r[1] = r[2] = 0;
        return;
    }
    tact_real n = (r[0] + mu * t) / (1 + mu * mu), f = t > 0 ? mu * n / t : 0;
    r[0] = n;
    r[1] *= f;
    r[2] *= f;
}

typedef struct {
    tact_real W[9], q[3];  // Delassus block and free velocity
    tact_real S[4], b[2];  // Schur complement of the normal row, and its right-hand side
    tact_real mu;
} tact_friction_single;

// r for a given lambda; returns (mu r_n - |r_t|) / |r_t|, which is negative if lambda is too small.
static tact_real single_try(const tact_friction_single *one, tact_real lambda, tact_real r[3]) {
    // r_t = -(S + lambda I)^-1 b by Cramer's rule
    tact_real a = one->S[0] + lambda, d = one->S[3] + lambda, det = a * d - one->S[1] * one->S[2];
    if (!(det > 0)) return -1;
    r[1] = -(d * one->b[0] - one->S[1] * one->b[1]) / det;
    r[2] = -(a * one->b[1] - one->S[2] * one->b[0]) / det;
    // r_n from u_n = 0
    r[0] = -(one->q[0] + one->W[1] * r[1] + one->W[2] * r[2]) / one->W[0];
    // mu r_n/|r_t| - 1; with r_t = 0 the contact sticks
    tact_real t = single_length(r), n = one->mu * r[0];
    if (!(t > 0)) return n < 0 ? -TACT_MAX : 0;
    return t <= n ? (n - t) / t : tact_max(n / t, -TACT_MAX) - 1;
}

// Sliding: root in lambda by the Illinois variant of regula falsi; low is too small, with the value at_low.
static void single_slide(const tact_friction_single *one, tact_real low, tact_real at_low, tact_real r[3]) {
    // high: a lambda large enough that |r_t| <= mu r_n, found by expansion
    tact_real high = tact_max(one->W[0] + one->W[4] + one->W[8], 0), at_high = single_try(one, high, r);
    for (int k = 0; k < 64 && at_high < 0; k++) {
        low = high;
        at_low = at_high;
        high *= 8;
        at_high = single_try(one, high, r);
    }
    // no such lambda: friction pulls the contact apart, r = 0
    if (at_high < 0) {
        r[0] = r[1] = r[2] = 0;
        return;
    }
    // secant between the two bounds, kept off their ends; the value of a bound that stays twice is halved (Illinois)
    for (int k = 0, side = 0; k < 60 && at_high > 16 * TACT_EPS; k++) {
        tact_real middle = low + (high - low) * tact_clamp(at_low / (at_low - at_high), TACT_REAL(0.001), TACT_REAL(0.999));
        if (!(middle > low && middle < high)) break;
        tact_real x[3], value = single_try(one, middle, x);
        if (value < 0) {
            low = middle;
            at_low = value;
            if (side < 0) at_high /= 2;
            side = -1;
            if (value < -16 * TACT_EPS) continue;
        } else {
            high = middle;
            at_high = value;
            if (side > 0) at_low /= 2;
            side = 1;
        }
        // the accepted r lies just inside the cone, or on it to rounding
        for (int j = 0; j < 3; j++) r[j] = x[j];
        if (value < 16 * TACT_EPS) break;
    }
}

// The impulse r of one contact with the others fixed, by the three cases above: separating, sticking, sliding.
static void single_solve(tact_friction_single *one, tact_real r[3]) {
    // separates if q_n >= 0: no impulse is needed
    const tact_real *W = one->W;
    r[0] = r[1] = r[2] = 0;
    if (one->q[0] >= 0 || !(W[0] > 0)) return;
    tact_real f = 1 / W[0];
    if (one->mu == 0) {
        r[0] = -one->q[0] * f;
        return;
    }
    // Schur complement of the normal row: S = W_tt - W_tn W_nt/W_nn, b = q_t - W_tn q_n/W_nn
    for (int i = 0; i < 2; i++) {
        tact_real g = W[3 * (i + 1)] * f;
        one->b[i] = one->q[i + 1] - g * one->q[0];
        for (int j = 0; j < 2; j++) one->S[2 * i + j] = W[3 * (i + 1) + j + 1] - g * W[j + 1];
    }
    // sticks if the impulse for lambda = 0 is inside the cone; otherwise slides
    tact_real value = single_try(one, 0, r);
    if (value < 0) single_slide(one, 0, value, r);
}

tact_real tact_friction_sweep(const tact_friction_system *system, tact_real *r) {
    TACT_ASSERT(r || system->given.nc == 0);
    const tact_friction_problem *P = &system->given;
    // keeps a singular block solvable; it does not change fixed points
    const tact_real ridge = system->shift + 512 * TACT_EPS;
    tact_real most = 0;
    for (int i = 0; i < P->nc; i++) {
        tact_friction_single one = {.mu = P->mu[i]};
        tact_real u[3], *x = r + 3 * i;
        const tact_real old[3] = {x[0], x[1], x[2]};
        // free velocity of the contact with all others fixed: q of its problem is u - W_ii r_i
        tact_friction_velocity(system, r, i, u);
        for (int at = P->row_start[i]; at < P->row_start[i + 1]; at++)
            for (int k = 0; k < 9 && P->column[at] == i; k++) one.W[k] = P->W[9 * (size_t)at + (size_t)k];
        for (int k = 0; k < 3; k++) {
            one.W[4 * k] += ridge * system->size[3 * i + k];
            one.q[k] = u[k] - (one.W[3 * k] * x[0] + one.W[3 * k + 1] * x[1] + one.W[3 * k + 2] * x[2]);
        }
        if (P->mu[i] >= 0) single_solve(&one, x);
        // scalar rows by projected Gauss-Seidel: x_k - u_k/W_kk, clamped to its bounds; u is updated
        for (int k = 0; k < 3 && P->mu[i] < 0; k++) {
            if (!(one.W[4 * k] > 0)) continue;
            tact_real low = tact_friction_low(P, 3 * i + k), high = tact_friction_high(P, 3 * i + k);
            tact_real change = tact_clamp(x[k] - u[k] / one.W[4 * k], low, high) - x[k];
            x[k] += change;
            for (int j = 0; j < 3; j++) u[j] += one.W[3 * j + k] * change;
        }
        for (int k = 0; k < 3; k++) most = tact_max(most, tact_fabs(x[k] - old[k]));
    }
    return most;
}
