// SPDX-License-Identifier: MIT
// Principal pivoting for symmetric positive semi-definite M with updates of the factor: z_F solves M_FF z_F = -q_F, z_F >= 0.
// The driving variable z_i, with w_i < 0 of steepest descent, is increased; z_F follows along u = -M_FF^-1 M_Fi, and w_i grows
// at the rate d = M_ii + M_iF u, until w_i = 0 (i joins F) or some z_j = 0 (j leaves F, and z_i is increased further). z'M z /
// 2 + q'z falls throughout. If d vanishes and nothing blocks, the problem is infeasible.
// Source: Keller 1973; Cottle, Pang and Stone, section 4.2.
#include "solve/lcp_factor.h"

typedef struct {
    tact_lcp_factor f;
    tact_real *y, *u;        // (n) L^-1 M_Fi; direction of z_F
    tact_real *unit, *from;  // (n) 1/M_ii; z for which w was computed
} principal_drive;

// Driving variable: the i with the most negative w_i in the scaled problem; -1: none.
static int choose_driver(const principal_drive *d) {
    const tact_lcp_case *c = d->f.c;
    // most: magnitude of z, for the rounding of w
    tact_real least = 0, most = 0;
    int best = -1;
    for (int k = 0; k < d->f.count; k++) most = tact_max(most, c->z[d->f.list[k]]);
    // steepest descent in the scaled problem: the largest w_i^2/M_ii
    for (int i = 0; i < c->n; i++) {
        tact_real w = c->w[i];
        if (w >= 0 || c->active[i]) continue;
        tact_real value = w * w * d->unit[i];
        if (value <= least) continue;
        tact_real diagonal = c->M[(size_t)i * (size_t)c->n + (size_t)i];
        // w_i within rounding counts as 0
        if (-w <= 32 * TACT_EPS * (tact_fabs(c->q[i]) + diagonal * most)) continue;
        least = value;
        best = i;
    }
    return best;
}

// Direction u = -M_FF^-1 M_Fi, the derivative of z_F by z_i; returns the pivot M_ii + M_iF u.
static tact_real principal_find_direction(principal_drive *d, int i) {
    const tact_lcp_case *c = d->f.c;
    const tact_real *row = c->M + (size_t)i * (size_t)c->n;
    // pivot M_ii + M_iF u = M_ii - y'D^-1 y with L y = M_Fi
    tact_real pivot = row[i];
    int m = d->f.count;
    for (int k = 0; k < m; k++) d->y[k] = row[d->f.list[k]];
    tact_lcp_factor_forward(&d->f, d->y);
    for (int k = 0; k < m; k++) {
        pivot -= d->y[k] * d->y[k] * d->f.inverse[k];
        d->u[k] = -d->y[k];
    }
    tact_lcp_factor_backward(&d->f, d->u);
    // a pivot below the rounding of its diagonal entry is 0: z_i grows without changing w_i
    return pivot > 128 * TACT_EPS * row[i] ? pivot : 0;
}

// Updates w by the changes of z since `from`.
static void update_gaps(principal_drive *d) {
    // only columns whose z has changed
    tact_lcp_case *c = d->f.c;
    int *list = tact_lcp_index(c->work, 1), count = 0;
    for (int i = 0; i < c->n; i++) {
        tact_real dz = c->z[i] - d->from[i];
        if (dz == 0) continue;
        list[count] = i;
        d->u[count++] = dz;
        d->from[i] = c->z[i];
    }
    tact_lcp_add_rows(c->w, c->M, c->n, list, d->u, count);
}

// Increases z_i until i joins F. False when nothing stops it, or the limit is reached.
static bool drive_in(principal_drive *d, int i, int limit) {
    TACT_ASSERT(i >= 0 && i < d->f.c->n);
    tact_lcp_case *c = d->f.c;
    tact_real w = c->w[i];
    // t: the step at which w_i becomes 0; the ratio test may shorten it
    for (int round = 0; round <= limit; round++) {
        tact_real pivot = principal_find_direction(d, i), t = pivot > 0 ? -w / pivot : TACT_MAX;
        c->pivots++;
        if (t < 0) t = 0;
        // Ratio test: place of the first member of F that reaches 0 within the step t; t becomes that step. -1: none.
        int block = -1;
        for (int k = 0; k < d->f.count; k++) {
            if (!(d->u[k] < 0)) continue;
            tact_real when = -d->f.c->z[d->f.list[k]] / d->u[k];
            if (when < t) t = when, block = k;
        }
        // nothing blocks: the objective is unbounded below
        if (block < 0 && !(pivot > 0)) return false;
        c->z[i] += t;
        for (int k = 0; k < d->f.count; k++) c->z[d->f.list[k]] += t * d->u[k];
        // w_i = 0: i joins F, and the factor gains a row
        if (block < 0) {
            update_gaps(d);
            tact_lcp_factor_append(&d->f, i, d->y, pivot);
            c->active[i] = 1;
            return true;
        }
        // blocked: the member leaves F, and z_i is increased further
        w += t * pivot;
        c->z[d->f.list[block]] = 0;
        c->active[d->f.list[block]] = 0;
        tact_lcp_factor_remove(&d->f, block);
    }
    return false;
}

bool tact_lcp_principal(tact_lcp_case *c, int limit) {
    TACT_ASSERT(c);
    principal_drive d = {.y = tact_lcp_vector(c->work, 2),
                         .u = tact_lcp_vector(c->work, 3),
                         .unit = tact_lcp_vector(c->work, 4),
                         .from = tact_lcp_vector(c->work, 5)};
    // start at z = 0, F empty
    for (int i = 0; i < c->n; i++) {
        tact_real diagonal = c->M[(size_t)i * (size_t)c->n + (size_t)i];
        c->active[i] = 0;
        c->z[i] = d.from[i] = 0;
        c->w[i] = c->q[i];
        d.unit[i] = 1 / tact_max(diagonal, TACT_EPS);
    }
    tact_lcp_factor_begin(&d.f, c);
    // ends when no w_i < 0 is left, after finitely many sets
    for (int end = c->pivots + limit; c->pivots < end;) {
        int i = choose_driver(&d);
        if (i < 0) return tact_lcp_factor_refine(&d.f);
        if (!drive_in(&d, i, c->n)) return false;
    }
    return false;
}
