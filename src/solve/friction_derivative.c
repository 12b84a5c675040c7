// SPDX-License-Identifier: MIT
// Derivatives of the impulses with respect to W, q and mu. By the implicit function theorem on the active piece of the
// equations F(r, u, mu) = 0 of Alart and Curnier, with A, B, C their derivatives by u, r and mu,
//
//     (A W + B) dr = -A (dW r + dq) - C dmu .
#include "solve/friction.h"

#include "solve/lu.h"

// smallest margin, relative to the largest impulse, for a mode to be certain; nearer to a boundary there may be a kink
#define FRICTION_MARGIN (100 * TACT_FRICTION_TOLERANCE)

// The mode of contact i, dF/dmu in C (work->trial), and the distance from the nearest other mode.
static tact_friction_mode friction_mode_of(const tact_friction_system *system, tact_friction_work *work, int i,
                                           const tact_real *r, tact_real *margin) {
    TACT_ASSERT(0 <= i && i < system->given.nc);
    tact_real u[3], z[3], mu = system->given.mu[i], *C = work->trial + 3 * i;
    // z = r - u/size, the argument of the projections of Alart and Curnier
    tact_friction_velocity(system, r, i, u);
    for (int k = 0; k < 3; k++) {
        z[k] = r[3 * i + k] - u[k] / system->size[3 * i + k];
        C[k] = 0;
    }
    // scalar rows: free between their bounds, or at one of them
    if (mu < 0) {
        bool free = false;
        *margin = TACT_MAX;
        for (int k = 0; k < 3; k++) {
            tact_real low = tact_friction_low(&system->given, 3 * i + k), high = tact_friction_high(&system->given, 3 * i + k);
            if (low == high) continue;
            *margin = tact_min(*margin, tact_min(tact_fabs(z[k] - low), tact_fabs(high - z[k])));
            free = free || (z[k] > low && z[k] < high);
        }
        return free ? TACT_FRICTION_STICKING : TACT_FRICTION_SEPARATING;
    }
    // distance from the boundaries of the modes: z_n = 0 and |z_t| = mu z_n
    *margin = tact_fabs(z[0]);
    if (z[0] <= 0) return TACT_FRICTION_SEPARATING;
    tact_real t = tact_sqrt(z[1] * z[1] + z[2] * z[2]), over = t - mu * z[0];
    if (mu > 0) *margin = tact_min(*margin, tact_fabs(over));
    if (over <= 0) return TACT_FRICTION_STICKING;
    // C = dF/dmu = -z_n z_t/|z_t|, for sliding contacts only
    for (int k = 1; k < 3; k++) C[k] = -z[0] * z[k] / t;
    return TACT_FRICTION_SLIDING;
}

tact_status tact_friction_linearise(const tact_friction_problem *problem, const tact_real *r, tact_friction_work *work,
                                    tact_friction_derivative *derivative) {
    TACT_ASSERT(problem && work && derivative && (problem->nc == 0 || (r && derivative->mode)));
    tact_friction_system system;
    if (tact_friction_check(problem, NULL, r).field) return TACT_BAD_INPUT;
    if (!tact_friction_begin(problem, work, &system)) return TACT_NO_MEMORY;
    // the smallest margin of all contacts, relative to the largest impulse, shows whether the solution may have a kink
    tact_real most = 0, least = TACT_MAX, margin = 0;
    for (int i = 0; i < problem->nc; i++) {
        derivative->mode[i] = friction_mode_of(&system, work, i, r, &margin);
        least = tact_min(least, margin);
        for (int k = 0; k < 3; k++)
            most = tact_max(most, tact_max(tact_fabs(r[3 * i + k]), tact_fabs(problem->q[3 * i + k]) / system.size[3 * i + k]));
    }
    derivative->work = work;
    derivative->nc = problem->nc;
    derivative->kink = problem->nc > 0 && !(least > FRICTION_MARGIN * most);
    tact_friction_equations(&system, work, r);
    // A W + B at the solution; redundant contacts make it singular, and a small ridge then selects one of the solutions
    derivative->count = tact_friction_factor(&system, work, work->trial, (tact_friction_pivots){.least = TACT_FRICTION_RIDGE});
    derivative->redundant = derivative->count < 0;
    if (derivative->redundant)
        derivative->count =
            tact_friction_factor(&system, work, work->trial, (tact_friction_pivots){.ridge = TACT_FRICTION_RIDGE});
    return derivative->count < 0 ? TACT_SINGULAR : TACT_CONVERGED;
}

// The LU factors in the work.
static tact_lu friction_factor_of(const tact_friction_derivative *derivative) {
    const tact_friction_work *work = derivative->work;
    tact_lu lu = {.n = derivative->count, .stride = (size_t)derivative->count, .value = work->matrix, .order = work->order};
    return lu;
}

void tact_friction_forward(const tact_friction_derivative *derivative, const tact_real *dw, const tact_real *dmu, tact_real *dr) {
    TACT_ASSERT(derivative && derivative->work && ((dw && dr) || derivative->nc == 0));
    tact_friction_work *work = derivative->work;
    tact_lu lu = friction_factor_of(derivative);
    // right-hand side -A dw - C dmu, dw = dW r + dq
    for (int row = 0; row < 3 * derivative->nc; row++) {
        const tact_real *A = work->A + 3 * (size_t)row, *w = dw + row / 3 * 3;
        tact_real slide = dmu ? work->trial[row] * dmu[row / 3] : 0;
        if (work->place[row] >= 0) work->right[work->place[row]] = -(A[0] * w[0] + A[1] * w[1] + A[2] * w[2]) - slide;
    }
    tact_lu_solve(&lu, work->right, work->next);
    for (int row = 0; row < 3 * derivative->nc; row++) dr[row] = work->place[row] < 0 ? 0 : work->next[work->place[row]];
}

void tact_friction_reverse(const tact_friction_derivative *derivative, const tact_real *g, tact_real *by_w, tact_real *by_mu) {
    TACT_ASSERT(derivative && derivative->work && ((g && by_w) || derivative->nc == 0));
    tact_friction_work *work = derivative->work;
    tact_lu lu = friction_factor_of(derivative);
    // adjoint equations (A W + B)'y = g
    for (int row = 0; row < 3 * derivative->nc; row++)
        if (work->place[row] >= 0) work->right[work->place[row]] = g[row];
    tact_lu_solve_transposed(&lu, work->right, work->next);
    for (int row = 0; row < 3 * derivative->nc; row++) by_w[row] = 0;
    for (int i = 0; by_mu && i < derivative->nc; i++) by_mu[i] = 0;
    // gradient by w: -A'y; by mu: -C'y
    for (int row = 0; row < 3 * derivative->nc; row++) {
        const tact_real *A = work->A + 3 * (size_t)row;
        if (work->place[row] < 0) continue;
        tact_real y = work->next[work->place[row]];
        for (int k = 0; k < 3; k++) by_w[row / 3 * 3 + k] -= A[k] * y;
        if (by_mu) by_mu[row / 3] -= work->trial[row] * y;
    }
}
