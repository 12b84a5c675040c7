// SPDX-License-Identifier: MIT
// Semismooth Newton on the equations of Alart and Curnier, for every contact with z = r - rho u, rho = 1/W_ii:
//
//     r_n - max(0, z_n) = 0,     r_t - P(z_t) = 0,  P onto the disk of radius mu max(0, z_n)
//
// They are piecewise smooth: separating r = 0, sticking u = 0, sliding u_n = 0 and r_t = R d with R = mu z_n, d = z_t/|z_t|.
// With A and B their derivatives by u and r, the step solves (A W + B) dr = -F; rows with A = 0 are fixed and eliminated. A
// small ridge on W's diagonal regularises redundant contacts. The step length is halved until |F| falls.
//
// Source: Alart, Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods, 1991.
#include "solve/friction.h"
#include "solve/lu.h"

enum { NEWTON_HALVINGS = 12, PAST_STEPS = 5 };

// Sets diagonal entry k of A and B.
static void newton_set(tact_real A[9], tact_real B[9], int k, tact_real a, tact_real b) {
    A[4 * k] = a;
    B[4 * k] = b;
}

// Sliding contact: the tangential rows of F and of its derivatives A by u and B by r.
static void newton_slide(tact_real mu, tact_real rho, const tact_real z[3], const tact_real r[3], tact_real F[3], tact_real A[9],
                         tact_real B[9]) {
    TACT_ASSERT(mu > 0);
    tact_real t = tact_sqrt(z[1] * z[1] + z[2] * z[2]), R = mu * z[0];
    // d = z_t/|z_t|, F_t = r_t - R d, R = mu z_n
    const tact_real d[2] = {z[1] / t, z[2] / t};
    for (int i = 0; i < 2; i++) {
        F[i + 1] = r[i + 1] - R * d[i];
        A[3 * (i + 1)] = mu * rho * d[i];
        B[3 * (i + 1)] = -mu * d[i];
        // G = d(R d)/dz_t = R/|z_t| (I - d d'); z = r - rho u gives A = dF/du, B = dF/dr
        for (int j = 0; j < 2; j++) {
            tact_real G = R / t * ((i == j) - d[i] * d[j]);
            A[3 * (i + 1) + j + 1] = rho * G;
            B[3 * (i + 1) + j + 1] = (i == j) - G;
        }
    }
}

// The three scalar rows of block i: F and its derivatives A by u and B by r.
static void newton_rows(const tact_friction_system *system, int i, const tact_real *r, const tact_real u[3], tact_real F[3],
                        tact_real A[9], tact_real B[9]) {
    // F = r - clamp(r - rho u, low, high), which is rho u between the bounds
    for (int k = 0; k < 3; k++) {
        tact_real low = tact_friction_low(&system->given, 3 * i + k), high = tact_friction_high(&system->given, 3 * i + k);
        tact_real rho = system->stretch / (system->size[3 * i + k] * (1 + system->shift)), z = r[k] - rho * u[k],
                  p = tact_clamp(z, low, high);
        bool free = z > low && z < high;
        newton_set(A, B, k, free ? rho : 0, !free);
        F[k] = free ? rho * u[k] : r[k] - p;
    }
}

// F of contact i, by its mode at z = r - rho u, and its derivatives A by u and B by r.
static void newton_contact(const tact_friction_system *system, int i, const tact_real *r, tact_real F[3], tact_real A[9],
                           tact_real B[9]) {
    TACT_ASSERT(0 <= i && i < system->given.nc);
    tact_real u[3], z[3], mu = system->given.mu[i], rho = system->stretch / (system->size[3 * i] * (1 + system->shift));
    tact_friction_velocity(system, r, i, u);
    r += 3 * i;
    for (int k = 0; k < 9; k++) A[k] = B[k] = 0;
    if (mu < 0) {
        newton_rows(system, i, r, u, F, A, B);
        return;
    }
    // separating: F = r
    for (int k = 0; k < 3; k++) {
        z[k] = r[k] - rho * u[k];
        F[k] = r[k];
        newton_set(A, B, k, 0, 1);
    }
    if (z[0] <= 0) return;
    // closed: F_n = rho u_n
    F[0] = rho * u[0];
    newton_set(A, B, 0, rho, 0);
    if (mu == 0) return;
    // sliding, where z_t leaves the disk
    if (z[1] * z[1] + z[2] * z[2] > mu * mu * z[0] * z[0]) {
        newton_slide(mu, rho, z, r, F, A, B);
        return;
    }
    // sticking: F_t = rho u_t
    for (int k = 1; k < 3; k++) {
        F[k] = rho * u[k];
        newton_set(A, B, k, rho, 0);
    }
}

tact_real tact_friction_equations(const tact_friction_system *system, tact_friction_work *work, const tact_real *r) {
    TACT_ASSERT(system && work);
    // |F|^2 is the merit function
    tact_real sum = 0;
    for (int i = 0; i < system->given.nc; i++) {
        tact_real *F = work->F + 3 * i;
        newton_contact(system, i, r, F, work->A + 9 * (size_t)i, work->B + 9 * (size_t)i);
        sum += F[0] * F[0] + F[1] * F[1] + F[2] * F[2];
    }
    return sum;
}

// Numbers the rows that are not fixed and sets the steps of all rows to -F, which is final for fixed ones; returns their count.
static int newton_choose(const tact_friction_system *system, tact_friction_work *work, const tact_real *keep) {
    // rows with A = 0 determine their impulse alone: step = -F
    int count = 0;
    for (int row = 0; row < 3 * system->given.nc; row++) {
        const tact_real *A = work->A + 3 * (size_t)row;
        bool fixed = A[0] == 0 && A[1] == 0 && A[2] == 0 && !(keep && keep[row] != 0);
        work->place[row] = fixed ? -1 : count++;
        work->step[row] = -work->F[row];
    }
    return count;
}

// Whether the impulse of contact i is fixed and does not change.
static bool newton_stays(const tact_friction_work *work, int i) {
    bool stays = true;
    for (int row = 3 * i; row < 3 * i + 3; row++) stays = stays && work->place[row] < 0 && work->step[row] == 0;
    return stays;
}

// Adds the block A W_ij to the reduced equations, or to their right-hand side where the column is fixed.
static void newton_block(tact_friction_work *work, int i, int j, const tact_real J[9], int count) {
    // rows and columns of the reduced system by place
    for (int k = 0; k < 3; k++) {
        int row = work->place[3 * i + k];
        if (row < 0) continue;
        for (int l = 0; l < 3; l++) {
            int column = work->place[3 * j + l];
            if (column >= 0)
                work->matrix[(size_t)row * (size_t)count + (size_t)column] += J[3 * k + l];
            else
                work->right[row] -= J[3 * k + l] * work->step[3 * j + l];
        }
    }
}

int tact_friction_factor(const tact_friction_system *system, tact_friction_work *work, const tact_real *keep,
                         tact_friction_pivots pivots) {
    TACT_ASSERT(work->matrix || system->given.nc == 0);
    int count = newton_choose(system, work, keep);
    // the reduced system (A W + B + ridge) step = -F
    tact_real ridge = system->shift + pivots.ridge;
    TACT_ASSERT(count >= 0);
    const tact_friction_problem *P = &system->given;
    for (size_t k = 0; k < (size_t)count * (size_t)count; k++) work->matrix[k] = 0;
    // right-hand side of the rows that are not fixed
    for (int row = 0; row < 3 * P->nc; row++)
        if (work->place[row] >= 0) work->right[work->place[row]] = -work->F[row];
    for (int i = 0; i < P->nc; i++) {
        const tact_real *A = work->A + 9 * (size_t)i, *B = work->B + 9 * (size_t)i;
        if (work->place[3 * i] < 0 && work->place[3 * i + 1] < 0 && work->place[3 * i + 2] < 0) continue;
        // diagonal block: B and the ridge; then A W_ij for each block of row i
        tact_real J[9];
        for (int k = 0; k < 9; k++) J[k] = B[k] + ridge * A[k] * system->size[3 * i + k % 3];
        newton_block(work, i, i, J, count);
        for (int at = P->row_start[i]; at < P->row_start[i + 1]; at++) {
            const tact_real *W = P->W + 9 * (size_t)at;
            if (newton_stays(work, P->column[at])) continue;
            for (int k = 0; k < 9; k++) {
                const tact_real *a = A + k / 3 * 3;
                J[k] = a[0] * W[k % 3] + a[1] * W[3 + k % 3] + a[2] * W[6 + k % 3];
            }
            newton_block(work, i, P->column[at], J, count);
        }
    }
    tact_lu lu = {.n = count, .stride = (size_t)count, .value = work->matrix, .order = work->order};
    return tact_lu_factor(&lu, pivots.least, work->next) ? count : -1;
}

// Newton's direction in work->step; false when the equations are singular or it is not finite.
static bool newton_direction(const tact_friction_system *system, tact_friction_work *work) {
    int count = tact_friction_factor(system, work, NULL, (tact_friction_pivots){.ridge = TACT_FRICTION_RIDGE});
    if (count < 0) return false;
    tact_lu lu = {.n = count, .stride = (size_t)count, .value = work->matrix, .order = work->order};
    tact_lu_solve(&lu, work->right, work->next);
    for (int row = 0; row < 3 * system->given.nc; row++)
        if (work->place[row] >= 0) work->step[row] = work->next[work->place[row]];
    return tact_all_finite(work->step, 3 * system->given.nc);
}

int tact_friction_newton(const tact_friction_system *system, tact_friction_work *work, tact_real tolerance, int limit,
                         tact_real *r) {
    TACT_ASSERT(system && work);
    TACT_ASSERT(limit >= 0);
    if (system->nodes) return tact_friction_newton_nodes(system, work, tolerance, limit, r);
    int n = 3 * system->given.nc, spent = 0;
    tact_real sum = tact_friction_equations(system, work, r);
    tact_real past[PAST_STEPS];
    for (int k = 0; k < PAST_STEPS; k++) past[k] = sum;
    while (spent < limit && tact_friction_error(system, work, r) > tolerance) {
        spent++;
        if (!newton_direction(system, work)) break;
        // Non-monotone line search (Grippo, Lampariello, Lucidi): |F|^2 need only fall below the largest of the last five.
        tact_real length = 1, next = sum, bound = sum;
        for (int j = 0; j < PAST_STEPS; j++) bound = tact_max(bound, past[j]);
        int k = 0;
        for (; k < NEWTON_HALVINGS; k++, length /= 2) {
            for (int j = 0; j < n; j++) work->next[j] = r[j] + length * work->step[j];
            next = tact_friction_equations(system, work, work->next);
            if (next <= (1 - TACT_REAL(2e-4) * length) * bound) break;
        }
        // no step length is accepted: leave it to the caller's other methods
        if (k == NEWTON_HALVINGS) break;
        for (int j = 0; j < n; j++) r[j] = work->next[j];
        sum = past[spent % PAST_STEPS] = next;
    }
    return spent;
}
