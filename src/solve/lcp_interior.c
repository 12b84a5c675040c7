// SPDX-License-Identifier: MIT
// Interior-point method for monotone problems, on the equilibrated M: z and w stay positive, and Mehrotra's predictor-corrector
// method follows z_i w_i = mu to 0:
//
//     (M + W/Z) dz = (sigma mu - dz_a dw_a)/z - (M z + q),   dw = M (z + dz) + q - w
//
// Crossover: the set z_i > w_i is solved exactly, or block pivoting starts from it.
#include "solve/lcp.h"
#include "solve/lu.h"

typedef struct {
    int n;
    size_t stride;
    const tact_real *M;
    const tact_real *q;
    tact_real *z, *w, *dz, *dw, *right, *size, *Mz;
    tact_lu lu;
} interior_walk;

static tact_real interior_gap(const interior_walk *p, tact_real t) {
    // mean product after a step t
    tact_real sum = 0;
    for (int i = 0; i < p->n; i++) sum += (p->z[i] + t * p->dz[i]) * (p->w[i] + t * p->dw[i]);
    return sum / (tact_real)p->n;
}

// Newton direction towards z_i w_i = target; correct: minus the predictor's second-order term.
static void interior_solve(interior_walk *p, tact_real target, bool correct) {
    for (int i = 0; i < p->n; i++) {
        // second-order term dz dw of the predictor
        tact_real aim = target - (correct ? p->dz[i] * p->dw[i] : 0);
        p->right[i] = aim / p->z[i] - p->Mz[i];
    }
    tact_lu_solve(&p->lu, p->right, p->dz);
    // dw from the residual of w = M z + q, which a full step removes
    for (int i = 0; i < p->n; i++) p->dw[i] = p->Mz[i] - p->w[i] + tact_lcp_dot(p->M + (size_t)i * p->stride, p->dz, p->n);
}

static tact_real interior_longest_step(const interior_walk *p, tact_real part) {
    // largest t with z + t dz >= 0 and w + t dw >= 0, times part; at most 1
    tact_real t = 1 / part;
    for (int i = 0; i < p->n; i++) {
        if (p->dz[i] < 0) t = tact_min(t, -p->z[i] / p->dz[i]);
        if (p->dw[i] < 0) t = tact_min(t, -p->w[i] / p->dw[i]);
    }
    return part * t;
}

// Solves the set z_i > w_i. Leaves all vectors that the iteration needs untouched.
static bool interior_cross_over(tact_lcp_case *c, const interior_walk *p) {
    // the set solved exactly; then block pivoting from it
    for (int i = 0; i < c->n; i++) c->active[i] = p->z[i] > p->w[i];
    if (tact_lcp_polish(c)) return true;
    for (int i = 0; i < c->n; i++) c->active[i] = p->z[i] > p->w[i];
    return tact_lcp_block(c, 12);
}

// Takes the iterate itself as the solution. Unknowns with a zero column diverge, and beside them all others would count as 0:
// they are set to 0.
static bool interior_take(tact_lcp_case *c, const interior_walk *p, tact_real size) {
    const tact_real *D = tact_lcp_vector(c->work, 12);
    // an unknown with a zero column of M may have any value: 0
    for (int j = 0; j < c->n; j++) {
        bool felt = false;
        for (int i = 0; i < c->n; i++) felt = felt || c->M[(size_t)i * (size_t)c->n + (size_t)j] != 0;
        c->z[j] = felt && p->z[j] > p->w[j] ? p->z[j] * D[j] * size : 0;
    }
    return tact_lcp_judge(c);
}

// One predictor-corrector step; returns the new mean of z_i w_i, or -1 when rounding ends the iteration.
static tact_real lcp_interior_step(interior_walk *p) {
    // one factorisation of M + W/Z serves predictor and corrector; M z + q for the right-hand sides
    for (int i = 0; i < p->n; i++) {
        const tact_real *from = p->M + (size_t)i * p->stride;
        tact_real *to = p->lu.value + (size_t)i * p->stride;
        for (int j = 0; j < p->n; j++) to[j] = from[j];
        to[i] += p->w[i] / p->z[i];
        p->Mz[i] = p->q[i] + tact_lcp_dot(from, p->z, p->n);
    }
    if (!(tact_lu_factor(&p->lu, TACT_EPS * TACT_REAL(1e-6), p->size))) return -1;
    for (int i = 0; i < p->n; i++) p->dz[i] = p->dw[i] = 0;
    tact_real mu = interior_gap(p, 0);
    // predictor to mu = 0; its length determines the centring, sigma = (mu_predicted/mu)^3
    interior_solve(p, 0, false);
    tact_real ratio = interior_gap(p, tact_min(1, interior_longest_step(p, 1))) / mu;
    interior_solve(p, tact_max(ratio * ratio * ratio, TACT_REAL(1e-6)) * mu, true);
    // fraction to the boundary 0.995
    tact_real t = tact_min(1, interior_longest_step(p, TACT_REAL(0.995)));
    for (int i = 0; i < p->n; i++) {
        p->z[i] += t * p->dz[i];
        p->w[i] += t * p->dw[i];
        // rounding may put an iterate on the boundary: stop
        if (!(p->z[i] > 0 && p->w[i] > 0 && tact_is_finite(p->z[i]) && tact_is_finite(p->w[i]))) return -1;
    }
    return interior_gap(p, 0);
}

// Interior-point method, with a crossover whenever mu has fallen a thousandfold. True once the crossover or the iterate solves
// it.
bool tact_lcp_interior(tact_lcp_case *c, int limit) {
    TACT_ASSERT(c);
    interior_walk p;
    // tried: mu below which crossover is tried next, each time a thousandth of the last
    tact_real size = 0, mu = 1, tried = TACT_REAL(1e-4);
    tact_lcp_equilibrate(c, &size);
    // Vectors of the interior-point method, in the work's memory.
    TACT_ASSERT(c->work->stride >= c->n);
    const tact_lcp_work *work = c->work;
    p = (interior_walk){.n = c->n,
                        .stride = (size_t)work->stride,
                        .M = work->table,
                        .q = tact_lcp_vector(work, 2),
                        .z = tact_lcp_vector(work, 3),
                        .w = tact_lcp_vector(work, 4),
                        .dz = tact_lcp_vector(work, 5),
                        .dw = tact_lcp_vector(work, 6),
                        .right = tact_lcp_vector(work, 7),
                        .size = tact_lcp_vector(work, 8),
                        .Mz = tact_lcp_vector(work, 9)};
    p.lu = (tact_lu){.n = p.n, .stride = p.stride, .value = work->factor, .order = tact_lcp_index(work, 4)};
    // start: z = w = e
    for (int i = 0; i < p.n; i++) p.z[i] = p.w[i] = 1;
    // column scales, which the crossover's methods overwrite
    for (int i = 0; i < c->n; i++) tact_lcp_vector(c->work, 12)[i] = tact_lcp_vector(c->work, 1)[i];
    for (int i = 0; i < limit && mu > TACT_EPS * TACT_EPS; i++) {
        tact_real next = lcp_interior_step(&p);
        c->pivots++;
        if (next < 0) break;
        mu = next;
        if (mu > tried) continue;
        tried = mu * TACT_REAL(1e-3);
        if (interior_cross_over(c, &p)) return true;
    }
    return interior_cross_over(c, &p) || interior_take(c, &p, size);
}
