// SPDX-License-Identifier: MIT
// Principal pivoting of a symmetric positive semi-definite M with updates of the factor: z_F solves M_FF z_F = -q_F, z_F >= 0.
// The i with the least w_i < 0 drives: as z_i grows, z_F follows by u = -M_FF^-1 M_Fi and w_i by the pivot d = M_ii + M_iF u,
// until w_i = 0 (i joins F) or some z_j = 0 (j leaves F, and i drives on). z'M z / 2 + q'z falls all the way. Where d vanishes
// and nothing blocks, the conditions contradict each other.
// Source: Keller 1973; Cottle, Pang and Stone, section 4.2.
#include "solve/lcp_factor.h"

typedef struct {
    tact_lcp_factor f;
    tact_real *y, *u;        // (n) L^-1 M_Fi; direction
    tact_real *unit, *from;  // (n) 1/M_ii; z when w was computed
} principal_drive;

// the i whose w is the most negative for its size; -1: none
static int choose_driver(const principal_drive *d) {
    const tact_lcp_case *c = d->f.c;
    // most: the scale of z, for the rounding of w.
    tact_real least = 0, most = 0;
    int best = -1;
    for (int k = 0; k < d->f.count; k++) most = tact_max(most, c->z[d->f.list[k]]);
    // Steepest descent in the scaled problem: the largest w_i^2/M_ii.
    for (int i = 0; i < c->n; i++) {
        tact_real w = c->w[i];
        if (w >= 0 || c->active[i]) continue;
        tact_real value = w * w * d->unit[i];
        if (value <= least) continue;
        tact_real diagonal = c->M[(size_t)i * (size_t)c->n + (size_t)i];
        // Within its rounding w_i counts as 0.
        if (-w <= 32 * TACT_EPS * (tact_fabs(c->q[i]) + diagonal * most)) continue;
        least = value;
        best = i;
    }
    return best;
}

// Finds u = -M_FF^-1 M_Fi, how z_F changes with z_i; returns the pivot M_ii + M_iF u.
static tact_real principal_find_direction(principal_drive *d, int i) {
    const tact_lcp_case *c = d->f.c;
    const tact_real *row = c->M + (size_t)i * (size_t)c->n;
    // u = -M_FF^-1 M_Fi and d = M_ii + M_iF u = M_ii - y'D^-1 y, L y = M_Fi.
    tact_real pivot = row[i];
    int m = d->f.count;
    for (int k = 0; k < m; k++) d->y[k] = row[d->f.list[k]];
    tact_lcp_factor_forward(&d->f, d->y);
    for (int k = 0; k < m; k++) {
        pivot -= d->y[k] * d->y[k] * d->f.inverse[k];
        d->u[k] = -d->y[k];
    }
    tact_lcp_factor_backward(&d->f, d->u);
    // A pivot below the rounding of its diagonal entry is 0: z_i moves without changing w_i.
    return pivot > 128 * TACT_EPS * row[i] ? pivot : 0;
}

// place of the member that vanishes first as z_i grows, and when
static int find_block(const principal_drive *d, tact_real *t) {
    int block = -1;
    // Ratio test: the first member of F that reaches 0 on the way.
    for (int k = 0; k < d->f.count; k++) {
        if (!(d->u[k] < 0)) continue;
        tact_real when = -d->f.c->z[d->f.list[k]] / d->u[k];
        if (when < *t) *t = when, block = k;
    }
    return block;
}

// Puts what changed in z since `from` into w.
static void update_gaps(principal_drive *d) {
    // Only columns of z that changed.
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

// Lets z_i grow until it joins. False when nothing stops it, or the limit is reached.
static bool drive_in(principal_drive *d, int i, int limit) {
    TACT_ASSERT(i >= 0 && i < d->f.c->n);
    tact_lcp_case *c = d->f.c;
    tact_real w = c->w[i];
    // t: the step at which w_i becomes 0; the ratio test may shorten it.
    for (int round = 0; round <= limit; round++) {
        tact_real pivot = principal_find_direction(d, i), t = pivot > 0 ? -w / pivot : TACT_MAX;
        c->pivots++;
        if (t < 0) t = 0;
        int block = find_block(d, &t);
        // Nothing blocks and the objective falls for ever.
        if (block < 0 && !(pivot > 0)) return false;
        c->z[i] += t;
        for (int k = 0; k < d->f.count; k++) c->z[d->f.list[k]] += t * d->u[k];
        // w_i = 0: i joins F, and one row joins the factor.
        if (block < 0) {
            update_gaps(d);
            tact_lcp_factor_append(&d->f, i, d->y, pivot);
            c->active[i] = 1;
            return true;
        }
        // Blocked: the member leaves F, and i drives on from the new point.
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
    // Start at z = 0, F empty.
    for (int i = 0; i < c->n; i++) {
        tact_real diagonal = c->M[(size_t)i * (size_t)c->n + (size_t)i];
        c->active[i] = 0;
        c->z[i] = d.from[i] = 0;
        c->w[i] = c->q[i];
        d.unit[i] = 1 / tact_max(diagonal, TACT_EPS);
    }
    tact_lcp_factor_begin(&d.f, c);
    // Ends when no w_i < 0 is left, which is after finitely many sets.
    for (int end = c->pivots + limit; c->pivots < end;) {
        int i = choose_driver(&d);
        if (i < 0) return tact_lcp_factor_refine(&d.f);
        if (!drive_in(&d, i, c->n)) return false;
    }
    return false;
}
