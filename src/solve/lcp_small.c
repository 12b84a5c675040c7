// SPDX-License-Identifier: MIT
// Block principal pivoting for a few unknowns in local arrays: as lcp_block.c, without its bookkeeping. Difficult cases are
// left to the general methods: M not exactly symmetric, a vanishing pivot, more than a few sets.
#include "solve/lcp.h"

enum { SMALL = TACT_LCP_SMALL, ROUNDS = 4 };

typedef struct {
    int n, m, list[SMALL];
    unsigned mask;
    tact_real x[SMALL], L[SMALL][SMALL + 1];  // z_F; rows of D L' with -q_F behind
} small_set;

// Solves the set in mask; false at a vanishing pivot.
static bool solve_small(small_set *s, const tact_real *M, const tact_real *q) {
    // members of F from the bits of the mask
    int n = s->n, m = 0;
    tact_real inverse[SMALL];
    for (int i = 0; i < n; i++)
        if (s->mask >> i & 1) s->list[m++] = i;
    s->m = m;
    // Gaussian elimination of [M_FF | -q_F], by rows; of D L' only the upper triangle is needed
    for (int i = 0; i < m; i++) {
        const tact_real *from = M + s->list[i] * n;
        tact_real *row = s->L[i], least = 256 * TACT_EPS * from[s->list[i]];
        for (int j = i; j < m; j++) row[j] = from[s->list[j]];
        row[m] = -q[s->list[i]];
        for (int k = 0; k < i; k++) {
            tact_real l = s->L[k][i] * inverse[k];
            for (int j = i; j <= m; j++) row[j] -= l * s->L[k][j];
        }
        // positive beyond rounding, otherwise M_FF is not positive definite
        if (!(row[i] > least)) return false;
        inverse[i] = 1 / row[i];
    }
    // back substitution
    for (int i = m - 1; i >= 0; i--) {
        tact_real sum = s->L[i][m];
        for (int j = i + 1; j < m; j++) sum -= s->L[i][j] * s->x[j];
        s->x[i] = sum * inverse[i];
    }
    return true;
}

// w, and the mask of wrong signs; *worst: at least the residual if there is none, and more if z may be a ray.
static unsigned find_wrong_small(const small_set *s, const tact_lcp_problem *p, tact_real *w, tact_real *worst) {
    unsigned wrong = 0;
    tact_real product = 0, q = 0;
    *worst = 0;
    // w = M z + q with the magnitudes of its terms
    for (int i = 0; i < s->n; i++) {
        const tact_real *row = p->M + i * s->n;
        tact_real sum = p->q[i], size = 0;
        for (int k = 0; k < s->m; k++) {
            tact_real t = row[s->list[k]] * s->x[k];
            sum += t;
            size += tact_fabs(t);
        }
        w[i] = sum;
        product = tact_max(product, size);
        q = tact_max(q, tact_fabs(p->q[i]));
        size += tact_fabs(p->q[i]);
        // w must vanish in F and be nonnegative outside
        bool held = s->mask >> i & 1;
        tact_real off = held ? tact_fabs(sum) : -sum;
        if (off > *worst * size) *worst = off / size;
        if (!held && off > 16 * TACT_EPS * size) wrong |= 1u << i;
    }
    // z must be positive in F
    for (int k = 0; k < s->m; k++)
        if (!(s->x[k] > 0)) wrong |= 1u << s->list[k];
    // q is lost in the rounding of M z: possibly a ray
    if (!(product < TACT_LCP_FAR * q) && wrong == 0 && product > 0) *worst = 1;
    return wrong;
}

bool tact_lcp_small(const tact_lcp_problem *p, const tact_lcp_options *options, tact_lcp_solution *solution) {
    TACT_ASSERT(options && solution);
    TACT_ASSERT(p->n <= SMALL);
    bool warm = options->warm;
    small_set s;
    tact_real worst = 0;
    unsigned mask = 0;
    s.n = p->n;
    // exactly symmetric, with a nonnegative diagonal
    const tact_real *M = p->M;
    int n = s.n;
    TACT_ASSERT(n <= SMALL);
    for (int i = 0; i < n; i++) {
        if (!(M[i * n + i] >= 0)) return false;
        for (int j = 0; j < i; j++)
            if (M[i * n + j] != M[j * n + i]) return false;
    }
    // first set: that of the last solution, or where q_i < 0
    for (int i = 0; i < s.n; i++) mask |= (unsigned)(warm ? solution->active[i] != 0 : p->q[i] < 0) << i;
    s.mask = mask;
    for (int round = 1; round <= ROUNDS; round++) {
        if (!solve_small(&s, p->M, p->q)) return false;
        unsigned wrong = find_wrong_small(&s, p, solution->w, &worst);
        if (wrong != 0) {
            // nearly right: refine this set rather than exchange
            if (warm && worst <= options->tolerance) return false;
            // exchange all wrong ones
            s.mask ^= wrong;
            continue;
        }
        for (int i = 0; i < s.n; i++) {
            solution->z[i] = 0;
            solution->active[i] = s.mask >> i & 1;
            // not finite
            if (!(solution->w[i] - solution->w[i] == 0)) return false;
        }
        for (int k = 0; k < s.m; k++) solution->z[s.list[k]] = s.x[k];
        solution->pivots = round;
        solution->method = TACT_LCP_PIVOT;
        solution->residual = worst;
        return worst <= 64 * TACT_EPS;
    }
    return false;
}
