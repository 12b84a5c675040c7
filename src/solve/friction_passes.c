// SPDX-License-Identifier: MIT
// Passes of single contacts, accelerated. A pass G has a fixed point where the contacts are answered; with f = G(r) - r and the
// last few differences df and dG of f and G(r),
//
//     r+ = P(G(r) - sum c_j dG_j) ,    c the least squares of  f - sum c_j df_j ,
//
// which is Newton's method on f with a slope from secants: a hundred passes come as near as thousands without. Impulses count by
// W_ii, as energies do. Where f grows beyond the least yet, contacts have changed their ways, and what is known is forgotten.
//
// Sources: Anderson, Iterative procedures for nonlinear integral equations, 1965; Walker, Ni, Anderson acceleration for
// fixed-point iterations, 2011.
#include "solve/friction.h"

enum { PASSES_KEPT = 5 };

#define PASSES_RIDGE (512 * TACT_EPS)  // of the squares of the differences

typedef struct {
    int n, have, next;                           // rows; differences kept; where the next one comes
    const tact_real *size;                       //
    tact_real *f, *G, *old_f, *old_G;            // (n)
    tact_real *df, *dG;                          // (PASSES_KEPT, n)
    tact_real square[PASSES_KEPT][PASSES_KEPT];  // of the differences df
    bool old;                                    // old_f and old_G are those of the pass before
} passes_work;

static tact_real passes_product(const passes_work *p, const tact_real *a, const tact_real *b) {
    tact_real sum = 0;
    for (int row = 0; row < p->n; row++) sum += p->size[row] * a[row] * b[row];
    return sum;
}

// Appends the differences df and dG of this pass to the history, with the products of the df, and keeps f and G for the next.
static void passes_keep(passes_work *p) {
    size_t n = (size_t)p->n, at = (size_t)p->next;
    // differences to the pass before replace the oldest ones
    for (size_t row = 0; row < n && p->old; row++) {
        p->df[at * n + row] = p->f[row] - p->old_f[row];
        p->dG[at * n + row] = p->G[row] - p->old_G[row];
    }
    if (p->old) {
        // their products, of which one row and column are new
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

// The coefficients c by the normal equations and L L'. False where passes do not differ: there is no slope.
static bool passes_fit(const passes_work *p, tact_real c[PASSES_KEPT]) {
    tact_real L[PASSES_KEPT][PASSES_KEPT], most = 0;
    for (int j = 0; j < p->have; j++) most = tact_max(most, p->square[j][j]);
    if (!(PASSES_RIDGE * most > 0)) return false;
    for (int j = 0; j < p->have; j++) {
        c[j] = passes_product(p, p->df + (size_t)j * (size_t)p->n, p->f);
        for (int k = 0; k <= j; k++) {
            tact_real sum = p->square[j][k] + (j == k ? PASSES_RIDGE * most : 0);
            for (int l = 0; l < k; l++) sum -= L[j][l] * L[k][l];
            // where rounding leaves nothing of a pivot, its difference counts for nothing
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
    // a part of the nodes' scratch; TACT_FRICTION_SCRATCH has 16 n
    tact_real *at = system->nodes->scratch, least = TACT_MAX;
    passes_work p = {.n = (int)n, .size = system->size, .f = work->F, .G = work->step, .old_f = at, .old_G = at + n};
    p.df = at + 2 * n;
    p.dG = p.df + PASSES_KEPT * n;
    for (int k = 0; k < count; k++) {
        // fixed-point map G: one sweep of Gauss-Seidel; f = G(r) - r
        for (size_t row = 0; row < n; row++) p.G[row] = r[row];
        tact_real change = tact_friction_sweep(system, p.G);
        for (size_t row = 0; row < n; row++) {
            p.f[row] = p.G[row] - r[row];
            r[row] = p.G[row];
        }
        if (!(change > 0)) return k + 1;
        tact_real now = passes_product(&p, p.f, p.f);
        // the residual rose: Anderson's memory is cleared
        if (!(now <= least)) {
            // forgotten; from here on
            p.have = p.next = 0;
            p.old = false;
            least = now;
            continue;
        }
        least = now;
        passes_keep(&p);
        tact_real c[PASSES_KEPT];
        if (p.have == 0 || !passes_fit(&p, c)) continue;
        // Anderson acceleration: r = G - sum c_j dG_j with |f - sum c_j df_j| least, projected onto the cones
        for (int j = 0; j < p.have; j++)
            for (size_t row = 0; row < n; row++) r[row] -= c[j] * p.dG[(size_t)j * n + row];
        tact_friction_project_all(&system->given, r, r);
    }
    return count;
}
