// SPDX-License-Identifier: MIT
// Block pivoting for a few unknowns, in local arrays and in one go: what lcp_block.c does, without its bookkeeping. Whatever is
// not plain is left to the others: M not symmetric to the bit, a pivot that vanishes, more sets than a few.
#include "solve/lcp.h"

enum { SMALL = TACT_LCP_SMALL, ROUNDS = 4 };

typedef struct {
    int n, m, list[SMALL];
    unsigned mask;
    tact_real x[SMALL], L[SMALL][SMALL + 1];  // z_F; rows of D L' with -q_F behind
} small_set;

// x of the set in mask; false at a pivot that vanishes
static bool solve_small(small_set *s, const tact_real *M, const tact_real *q) {
    // Members of F from the bits of the mask.
    int n = s->n, m = 0;
    tact_real inverse[SMALL];
    for (int i = 0; i < n; i++)
        if (s->mask >> i & 1) s->list[m++] = i;
    s->m = m;
    // Gaussian elimination of [M_FF | -q_F], by rows; of D L' only the upper triangle is needed.
    for (int i = 0; i < m; i++) {
        const tact_real *from = M + s->list[i] * n;
        tact_real *row = s->L[i], least = 256 * TACT_EPS * from[s->list[i]];
        for (int j = i; j < m; j++) row[j] = from[s->list[j]];
        row[m] = -q[s->list[i]];
        for (int k = 0; k < i; k++) {
            tact_real l = s->L[k][i] * inverse[k];
            for (int j = i; j <= m; j++) row[j] -= l * s->L[k][j];
        }
        // Positive beyond rounding, or the set is not positive definite.
        if (!(row[i] > least)) return false;
        inverse[i] = 1 / row[i];
    }
    // Back substitution.
    for (int i = m - 1; i >= 0; i--) {
        tact_real sum = s->L[i][m];
        for (int j = i + 1; j < m; j++) sum -= s->L[i][j] * s->x[j];
        s->x[i] = sum * inverse[i];
    }
    return true;
}

// w, and which signs are wrong; *worst is at least the residual when none is, and more where z may be a ray
static unsigned find_wrong_small(const small_set *s, const tact_lcp_problem *p, tact_real *w, tact_real *worst) {
    unsigned wrong = 0;
    tact_real product = 0, q = 0;
    *worst = 0;
    // w = M z + q with the magnitudes of its terms.
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
        // In F w must vanish, outside it must not be negative.
        bool held = s->mask >> i & 1;
        tact_real off = held ? tact_fabs(sum) : -sum;
        if (off > *worst * size) *worst = off / size;
        if (!held && off > 16 * TACT_EPS * size) wrong |= 1u << i;
    }
    // In F z must be positive.
    for (int k = 0; k < s->m; k++)
        if (!(s->x[k] > 0)) wrong |= 1u << s->list[k];
    // q lost beside M z: perhaps a ray.
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
    // Symmetric to the bit, with a diagonal that is not negative.
    const tact_real *M = p->M;
    int n = s.n;
    TACT_ASSERT(n <= SMALL);
    for (int i = 0; i < n; i++) {
        if (!(M[i * n + i] >= 0)) return false;
        for (int j = 0; j < i; j++)
            if (M[i * n + j] != M[j * n + i]) return false;
    }
    // First set: that of the last solution, or where q_i < 0.
    for (int i = 0; i < s.n; i++) mask |= (unsigned)(warm ? solution->active[i] != 0 : p->q[i] < 0) << i;
    s.mask = mask;
    for (int round = 1; round <= ROUNDS; round++) {
        if (!solve_small(&s, p->M, p->q)) return false;
        unsigned wrong = find_wrong_small(&s, p, solution->w, &worst);
        if (wrong != 0) {
            // nearly right: not for another set, but for refinement
            if (warm && worst <= options->tolerance) return false;
            // Exchange all wrong ones.
            s.mask ^= wrong;
            continue;
        }
        for (int i = 0; i < s.n; i++) {
            solution->z[i] = 0;
            solution->active[i] = s.mask >> i & 1;
            // not a number
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
