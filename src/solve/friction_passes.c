// SPDX-License-Identifier: MIT
// Nonlinear Gauss-Seidel sweeps with Anderson acceleration. A sweep G has a fixed point at a solution. With f = G(r) - r and
// the last few differences df and dG of f and G(r),
//
//     r+ = P(G(r) - sum c_j dG_j) ,    c minimises |f - sum c_j df_j| ,
//
// a quasi-Newton method on f with secant derivatives: a hundred sweeps come as near as thousands without. The norm weights
// impulses by W_ii, as an energy. When f grows, contacts have changed modes, and the history is cleared.
//
// Sources: Anderson, Iterative procedures for nonlinear integral equations, 1965; Walker, Ni, Anderson acceleration for
// fixed-point iterations, 2011.
#include "solve/friction.h"

enum { PASSES_KEPT = 5 };  // differences of earlier sweeps that are kept

#define PASSES_RIDGE (512 * TACT_EPS)  // regularisation, relative to the largest of the squared differences

typedef struct {
    int n, have, next;                           // rows; differences stored; place of the next one
    const tact_real *size;                       // (n) weights W_ii of the norm
    tact_real *f, *G, *old_f, *old_G;            // (n) f and G of this sweep and of the last
    tact_real *df, *dG;                          // (PASSES_KEPT, n) differences
    tact_real square[PASSES_KEPT][PASSES_KEPT];  // inner products of the df
    bool old;                                    // old_f and old_G are those of the sweep before
} passes_work;

// Inner product weighted by W_ii.
static tact_real passes_product(const passes_work *p, const tact_real *a, const tact_real *b) {
    tact_real sum = 0;
    for (int row = 0; row < p->n; row++) sum += p->size[row] * a[row] * b[row];
    return sum;
}

// Appends the differences df and dG of this sweep to the history, with the inner products of the df, and keeps f and G for the
// next.
static void passes_keep(passes_work *p) {
    size_t n = (size_t)p->n, at = (size_t)p->next;
    // differences from the sweep before replace the oldest ones
    for (size_t row = 0; row < n && p->old; row++) {
        p->df[at * n + row] = p->f[row] - p->old_f[row];
        p->dG[at * n + row] = p->G[row] - p->old_G[row];
    }
    if (p->old) {
        // their inner products: one new row and column
        if (p->have < PASSES_KEPT) p->have++;
        for (int j = 0; j < p->have; j++)
            p->square[at][j] = p->square[j][at] = passes_product(p, p->df + (size_t)j * n, p->df + at * n);
        p->next = (p->next + 1) % PASSES_KEPT;
    }
    for (size_t row = 0; row < n; row++) {
        p->old_f[row] = p->f[row];
        p->old_G[row] = p->G[row];
    }
    p->old = true;
}

// Coefficients c by the regularised normal equations and a Cholesky factorisation. False when all differences are zero.
static bool passes_fit(const passes_work *p, tact_real c[PASSES_KEPT]) {
    tact_real L[PASSES_KEPT][PASSES_KEPT], most = 0;
    for (int j = 0; j < p->have; j++) most = tact_max(most, p->square[j][j]);
    if (!(PASSES_RIDGE * most > 0)) return false;
    for (int j = 0; j < p->have; j++) {
        c[j] = passes_product(p, p->df + (size_t)j * (size_t)p->n, p->f);
        for (int k = 0; k <= j; k++) {
            tact_real sum = p->square[j][k] + (j == k ? PASSES_RIDGE * most : 0);
            for (int l = 0; l < k; l++) sum -= L[j][l] * L[k][l];
            // a pivot lost to rounding is replaced, so that its difference has no weight
            L[j][k] = j > k ? sum / L[k][k] : tact_sqrt(tact_max(sum, PASSES_RIDGE * most));
        }
        for (int l = 0; l < j; l++) c[j] -= L[j][l] * c[l];
        c[j] /= L[j][j];
    }
    for (int j = p->have - 1; j >= 0; j--) {
        for (int l = j + 1; l < p->have; l++) c[j] -= L[l][j] * c[l];
        c[j] /= L[j][j];
    }
    return true;
}

int tact_friction_sweep_fast(const tact_friction_system *system, tact_friction_work *work, int count, tact_real *r) {
    TACT_ASSERT(system && system->nodes && work && r && count >= 0);
    size_t n = 3 * (size_t)system->given.nc;
    // uses part of the nodes' scratch; TACT_FRICTION_SCRATCH provides 16 n
    tact_real *at = system->nodes->scratch, least = TACT_MAX;
    passes_work p = {.n = (int)n, .size = system->size, .f = work->F, .G = work->step, .old_f = at, .old_G = at + n};
    p.df = at + 2 * n;
    p.dG = p.df + PASSES_KEPT * n;
    for (int k = 0; k < count; k++) {
        // fixed-point map G: one Gauss-Seidel sweep; f = G(r) - r
        for (size_t row = 0; row < n; row++) p.G[row] = r[row];
        tact_real change = tact_friction_sweep(system, p.G);
        for (size_t row = 0; row < n; row++) {
            p.f[row] = p.G[row] - r[row];
            r[row] = p.G[row];
        }
        if (!(change > 0)) return k + 1;
        tact_real now = passes_product(&p, p.f, p.f);
        // the residual rose: contacts have changed modes, and the history is cleared
        if (!(now <= least)) {
            // discard it, starting from this sweep
            p.have = p.next = 0;
            p.old = false;
            least = now;
            continue;
        }
        least = now;
        passes_keep(&p);
        tact_real c[PASSES_KEPT];
        if (p.have == 0 || !passes_fit(&p, c)) continue;
        // Anderson step: r = G - sum c_j dG_j with the least |f - sum c_j df_j|, projected onto the cones
        for (int j = 0; j < p.have; j++)
            for (size_t row = 0; row < n; row++) r[row] -= c[j] * p.dG[(size_t)j * n + row];
        tact_friction_project_all(&system->given, r, r);
    }
    return count;
}
