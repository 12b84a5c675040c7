// SPDX-License-Identifier: MIT
// Generators of linear complementarity problems: random ones by class, and families on which pivoting takes 2^n steps.
#ifndef TACT_TEST_LCP_CASES_H
#define TACT_TEST_LCP_CASES_H

#include "tact/lcp.h"
#include "test.h"

enum { LCP_MOST = 200 };

typedef enum {
    LCP_DEFINITE,         // A A' + 0.1, q between -1 and 1
    LCP_SEMIDEFINITE,     // A A' of rank n/2, q = w - M z of a solution with half of z active
    LCP_LOW_RANK,         // A A' of rank n/4, the same
    LCP_CONSTRAINTS,      // A A' of rank n/2, q = A b + r with r >= 0: one-sided constraints of a point
    LCP_DEPENDENT,        // rank n/2 with equal rows and degenerate solutions: z_i = w_i = 0
    LCP_ILL_SCALED,       // definite, rows and columns scaled by 10^-3 to 10^3
    LCP_DOMINANT,         // not symmetric, diagonally dominant: P
    LCP_SKEWED,           // A A' + skew: P, not symmetric
    LCP_SKEWED_SINGULAR,  // A A' of rank n/2 + skew: positive semi-definite, not symmetric
    LCP_TRIANGULAR,       // triangular with a positive diagonal, permuted: P, neither symmetric nor definite
    LCP_HIDDEN_DOMINANT,  // diagonally dominant with scaled rows and columns, and of both signs: P
    LCP_LINEAR_PROGRAM,   // skew, from a linear program with solution
    LCP_KINDS
} lcp_kind;

static tact_real lcp_M[LCP_MOST * LCP_MOST], lcp_q[LCP_MOST];

// q = w - M z for complementary z and w, one in `blank` of both zero
static inline void lcp_solvable(uint64_t *seed, int n, int blank) {
    static double z[LCP_MOST];
    for (int i = 0; i < n; i++) {
        double u = test_random(seed, -1, 1);
        if (blank && test_random(seed, 0, 1) < 1.0 / blank) u = 0;
        z[i] = u > 0 ? u : 0;
        lcp_q[i] = (tact_real)(u < 0 ? -u : 0);
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += (double)lcp_M[i * n + j] * z[j];
        lcp_q[i] -= (tact_real)sum;
    }
}

// A A' of a rank, symmetric to the bit
static inline void lcp_gram(uint64_t *seed, int n, int rank, double ridge) {
    static double A[LCP_MOST * LCP_MOST];
    for (int i = 0; i < n * rank; i++) A[i] = test_random(seed, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = i == j ? ridge : 0;
            for (int k = 0; k < rank; k++) sum += A[i * rank + k] * A[j * rank + k];
            lcp_M[i * n + j] = lcp_M[j * n + i] = (tact_real)sum;
        }
}

static inline void lcp_scale(uint64_t *seed, int n, bool symmetric) {
    for (int i = 0; i < n; i++) {
        double e = pow(10, test_random(seed, -3, 3)), d = symmetric ? e : pow(10, test_random(seed, -3, 3));
        for (int j = 0; j < n; j++) lcp_M[i * n + j] *= (tact_real)e;
        for (int j = 0; j < n; j++) lcp_M[j * n + i] *= (tact_real)d;
        lcp_q[i] *= (tact_real)e;
    }
}

static inline void lcp_random_q(uint64_t *seed, int n) {
    for (int i = 0; i < n; i++) lcp_q[i] = (tact_real)test_random(seed, -1, 1);
}

// off-diagonal entries of both signs, rows of which the diagonal outweighs the rest
static inline void lcp_dominant(uint64_t *seed, int n) {
    for (int i = 0; i < n; i++) {
        double sum = 0.01;
        for (int j = 0; j < n; j++) {
            lcp_M[i * n + j] = (tact_real)test_random(seed, -1, 1);
            if (j != i) sum += fabs((double)lcp_M[i * n + j]);
        }
        lcp_M[i * n + i] = (tact_real)sum;
    }
}

static inline void lcp_add_skew(uint64_t *seed, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            tact_real s = (tact_real)test_random(seed, -1, 1);
            lcp_M[i * n + j] += s;
            lcp_M[j * n + i] -= s;
        }
}

static inline void lcp_triangular(uint64_t *seed, int n) {
    static int order[LCP_MOST];
    for (int i = 0; i < n; i++) order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = (int)(test_random_bits(seed) % (uint64_t)(i + 1)), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            // entries that keep the inverse from growing without end
            double x = j < i ? test_random(seed, -1, 1) / sqrt(n) : j == i ? test_random(seed, 0.5, 2) : 0;
            lcp_M[order[i] * n + order[j]] = (tact_real)x;
        }
}

// primal A x >= b, x >= 0 and its dual, as a skew matrix
static inline void lcp_linear_program(uint64_t *seed, int n) {
    int m = n / 2;
    for (int i = 0; i < n * n; i++) lcp_M[i] = 0;
    for (int i = 0; i < m; i++)
        for (int j = m; j < n; j++) {
            lcp_M[i * n + j] = (tact_real)test_random(seed, -1, 1);
            lcp_M[j * n + i] = -lcp_M[i * n + j];
        }
}

static inline void lcp_make(uint64_t *seed, lcp_kind kind, int n) {
    int half = (n + 1) / 2, quarter = (n + 3) / 4;
    switch (kind) {
    case LCP_DEFINITE: lcp_gram(seed, n, n, 0.1); break;
    case LCP_ILL_SCALED: lcp_gram(seed, n, n, 0.1); break;
    case LCP_LOW_RANK: lcp_gram(seed, n, quarter, 0); break;
    case LCP_SEMIDEFINITE:
    case LCP_CONSTRAINTS:
    case LCP_SKEWED_SINGULAR:
    case LCP_DEPENDENT: lcp_gram(seed, n, half, 0); break;
    case LCP_SKEWED: lcp_gram(seed, n, n, 0.1); break;
    case LCP_DOMINANT:
    case LCP_HIDDEN_DOMINANT: lcp_dominant(seed, n); break;
    case LCP_TRIANGULAR: lcp_triangular(seed, n); break;
    case LCP_LINEAR_PROGRAM: lcp_linear_program(seed, n); break;
    case LCP_KINDS: break;
    }
    if (kind == LCP_SKEWED || kind == LCP_SKEWED_SINGULAR) lcp_add_skew(seed, n);
    if (kind == LCP_DEPENDENT)
        // every third unknown doubles the one before
        for (int i = 2; i < n; i += 3) {
            for (int j = 0; j < n; j++) lcp_M[i * n + j] = lcp_M[(i - 1) * n + j];
            for (int j = 0; j < n; j++) lcp_M[j * n + i] = lcp_M[j * n + i - 1];
        }
    if (kind == LCP_SEMIDEFINITE || kind == LCP_LOW_RANK || kind == LCP_SKEWED_SINGULAR || kind == LCP_LINEAR_PROGRAM)
        lcp_solvable(seed, n, 0);
    else if (kind == LCP_DEPENDENT)
        lcp_solvable(seed, n, 4);
    else if (kind == LCP_CONSTRAINTS)
        lcp_solvable(seed, n, 2);
    else
        lcp_random_q(seed, n);
    if (kind == LCP_ILL_SCALED) lcp_scale(seed, n, true);
    if (kind == LCP_HIDDEN_DOMINANT) lcp_scale(seed, n, false);
}

// Murty 1978: upper triangular, 1 and 2, q = -e; Murty 1988, chapter 6: q_i = -(2^(n+1) - 2^i), 2^n pivots of Lemke's method.
static inline void lcp_murty(int n, bool lower, bool lemke) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) lcp_M[i * n + j] = j == i ? 1 : (lower ? j < i : j > i) ? 2 : 0;
        lcp_q[i] = lemke ? (tact_real) - (ldexp(1, n + 1) - ldexp(1, lower ? n - i : i + 1)) : -1;
    }
}

// Fathi 1979: L L' of the lower one, q = -e or scaled by powers of 2; positive definite, 2^n pivots of Murty's and Lemke's.
static inline void lcp_fathi(int n, bool powers) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int least = i < j ? i : j;
            lcp_M[i * n + j] = i == j ? (tact_real)(1 + 4 * i) : (tact_real)(2 + 4 * least);
        }
        lcp_q[i] = powers ? (tact_real)-ldexp(1, n - i) : -1;
    }
}

#endif
