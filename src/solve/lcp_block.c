// SPDX-License-Identifier: MIT
// Block principal pivoting: with F the active set, solve M_FF z_F = -q_F, w = M z + q; exchange all i with z_i < 0 or w_i < 0
// at once while their number falls, otherwise only the one with the largest index (Murty's rule), which is finite for every P
// matrix. A symmetric M_FF is factored as L D L', and rows of the factor that an exchange leaves valid are kept: F is a list,
// and new members are appended.
// Source: Judice and Pires, A block principal pivoting algorithm for large-scale strictly monotone LCPs, 1994.
#include "solve/lcp_factor.h"
#include "solve/lu.h"

enum { BLOCK_PATIENCE = 4, LEAVES = 2, ENTERS = 3 };

// Solves the set of a nonsymmetric M by LU; false when it is singular.
static bool block_solve_general(tact_lcp_factor *f) {
    tact_lcp_case *c = f->c;
    tact_lu lu = {.n = f->count, .stride = f->stride, .value = f->value, .order = tact_lcp_index(c->work, 4)};
    tact_real *right = tact_lcp_vector(c->work, 9);
    // gather M_FF and -q_F
    for (int i = 0; i < f->count; i++) {
        const tact_real *from = c->M + (size_t)f->list[i] * (size_t)c->n;
        tact_real *to = f->value + (size_t)i * f->stride;
        for (int j = 0; j < f->count; j++) to[j] = from[f->list[j]];
        right[i] = -c->q[f->list[i]];
    }
    if (!tact_lu_factor(&lu, 64 * TACT_EPS, tact_lcp_vector(c->work, 8))) return false;
    tact_lu_solve(&lu, right, f->x);
    return true;
}

// Marks the wrong signs in work->trial; returns their number, and the last one in *last.
static int block_find_wrong(const tact_lcp_factor *f, int *last) {
    TACT_ASSERT(last);
    // wrong beyond rounding: z_i < 0 in F, w_i < 0 outside
    const tact_lcp_case *c = f->c;
    tact_real most = 0;
    int count = 0;
    for (int i = 0; i < f->count; i++) most = tact_max(most, f->x[i]);
    for (int i = 0; i < c->n; i++) {
        tact_real diagonal = tact_fabs(c->M[(size_t)i * (size_t)c->n + (size_t)i]);
        bool wrong =
            c->active[i] ? c->z[i] < -4 * TACT_EPS * most : c->w[i] < -8 * TACT_EPS * (tact_fabs(c->q[i]) + diagonal * most);
        c->work->trial[i] = wrong;
        count += wrong;
        if (wrong) *last = i;
    }
    return count;
}

// Exchanges the marked unknowns between the active set and its complement: all of them, or only the last.
static void block_exchange(tact_lcp_factor *f, bool all, int last) {
    tact_lcp_case *c = f->c;
    int count = 0, m = f->count;
    // mark the changes, so that one pass over the list suffices; without `all`, Murty's rule exchanges the last wrong one only
    for (int i = 0; i < c->n; i++)
        if (c->work->trial[i] && (all || i == last)) c->active[i] = c->active[i] ? LEAVES : ENTERS;
    // kept: rows of the factor before the first member that leaves remain valid
    f->kept = m;
    for (int k = 0; k < m; k++) {
        int i = f->list[k];
        if (c->active[i] == LEAVES) {
            c->active[i] = 0;
            if (f->kept > count) f->kept = count;
        } else {
            f->list[count++] = i;
        }
    }
    // new members are appended behind the rows kept
    for (int i = 0; i < c->n; i++) {
        if (c->active[i] != ENTERS) continue;
        c->active[i] = 1;
        f->list[count++] = i;
    }
    f->count = count;
}

// Solves M_FF z_F = -q_F and w = M z + q for the current set; false when it is singular.
static bool block_solve_set(tact_lcp_factor *f) {
    TACT_ASSERT(f->count >= 0 && f->count <= f->c->n);
    tact_lcp_case *c = f->c;
    c->pivots++;
    // M_FF = L D L' updated from the kept rows, or L U
    if (!(c->symmetric ? tact_lcp_factor_rows(f) : block_solve_general(f))) return false;
    if (c->symmetric) tact_lcp_factor_back(f);
    for (int i = 0; i < c->n; i++) c->z[i] = 0;
    for (int i = 0; i < f->count; i++) c->z[f->list[i]] = f->x[i];
    if (!c->symmetric)
        // w = q + M z; with a symmetric M by the rows of the set (below)
        for (int i = 0; i < c->n; i++) c->w[i] = c->q[i] + tact_lcp_dot(c->M + (size_t)i * (size_t)c->n, c->z, c->n);
    else
        tact_lcp_factor_multiply(f);
    return true;
}

bool tact_lcp_block(tact_lcp_case *c, int limit) {
    TACT_ASSERT(c);
    tact_lcp_factor f;
    tact_lcp_factor_begin(&f, c);
    // best: smallest number of wrong signs so far
    int best = c->n + 1, patience = BLOCK_PATIENCE;
    for (int i = 0; i < limit; i++) {
        int last = -1;
        if (!block_solve_set(&f)) return false;
        int wrong = block_find_wrong(&f, &last);
        // a single set is judged by its residual
        if (wrong == 0 || limit == 1) return c->symmetric ? tact_lcp_factor_refine(&f) : tact_lcp_polish(c);
        // progress resets the patience; without it Murty's rule takes over, whose sets never repeat for P matrices
        if (wrong < best) {
            best = wrong;
            patience = BLOCK_PATIENCE;
        } else {
            patience--;
        }
        // symmetric problems are left to principal pivoting, which is less often exponential
        if (patience <= 0 && c->symmetric) return false;
        block_exchange(&f, patience > 0, last);
    }
    return false;
}
