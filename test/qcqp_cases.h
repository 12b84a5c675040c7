// SPDX-License-Identifier: MIT
// Small random quadratically constrained problems: a convex objective, rows, and products of rows that are zero.
#ifndef TACT_TEST_QCQP_CASES_H
#define TACT_TEST_QCQP_CASES_H

#include "tact/qcqp.h"
#include "test.h"

enum {
    QCQP_N = 4,
    QCQP_PRODUCTS = 3,
    QCQP_ROWS = 2 * QCQP_PRODUCTS + 3,
    QCQP_TERMS = 2 * QCQP_N * QCQP_N,
    QCQP_CONSTRAINTS = QCQP_ROWS + QCQP_PRODUCTS
};

static uint64_t qcqp_seed;
static bool qcqp_scaled;  // products are multiples of what their rows are

// min 1/2 x'Qx + r'x, rows a'x + b >= 0 (= 0 for the last ones), products of rows 2k and 2k + 1 zero
typedef struct {
    int n, nrow, nproduct, nequal;
    double Q[QCQP_N][QCQP_N], r[QCQP_N], a[QCQP_ROWS][QCQP_N], b[QCQP_ROWS];
    tact_triplet entry[QCQP_CONSTRAINTS + 1][QCQP_TERMS];
    tact_quadratic constraint[QCQP_CONSTRAINTS];
    bool equality[QCQP_CONSTRAINTS];
    tact_qcqp problem;
} qcqp_case;

// a number that both number types hold
static inline double qcqp_any(void) {
    double pick = test_random(&qcqp_seed, 0, 1);
    return pick < 0.2 ? 0 : floor(test_random(&qcqp_seed, -32, 33)) / 16;
}

static inline int qcqp_below(int count) {
    return (int)(test_random_bits(&qcqp_seed) % (uint64_t)count);
}

static inline tact_quadratic qcqp_make_row(qcqp_case *c, int i, tact_triplet *entry) {
    for (int k = 0; k < c->n; k++) entry[k] = (tact_triplet){-1, k, (tact_real)c->a[i][k]};
    return (tact_quadratic){.nlinear = c->n, .linear = entry, .constant = (tact_real)c->b[i]};
}

// -factor (a'x + b)(e'x + f)
static inline tact_quadratic qcqp_make_product(qcqp_case *c, int k, tact_triplet *entry) {
    tact_real factor = (tact_real)(qcqp_scaled ? ldexp(1, k - 1) : 1);
    const double *a = c->a[2 * k], *e = c->a[2 * k + 1], b = c->b[2 * k], f = c->b[2 * k + 1];
    tact_triplet *at = entry;
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++) *at++ = (tact_triplet){i, j, -factor * (tact_real)(a[i] * e[j] + a[j] * e[i])};
    for (int i = 0; i < c->n; i++) *at++ = (tact_triplet){-1, i, -factor * (tact_real)(a[i] * f + e[i] * b)};
    return (tact_quadratic){c->n * c->n, c->n, entry, entry + c->n * c->n, -factor * (tact_real)(b * f)};
}

static inline void qcqp_make_rows(qcqp_case *c) {
    bool bounds = qcqp_below(2);
    for (int i = 0; i < c->nrow; i++) {
        c->b[i] = qcqp_any();
        for (int k = 0; k < c->n; k++) c->a[i][k] = qcqp_any();
        // often products are of single unknowns, as contact has them
        bool single = i < 2 * c->nproduct && bounds;
        for (int k = 0; k < c->n && single; k++) c->a[i][k] = k == (i < c->n ? i : qcqp_below(c->n));
        if (single) c->b[i] = 0;
    }
}

static inline void qcqp_make(qcqp_case *c) {
    double G[QCQP_N][QCQP_N];
    c->n = 1 + qcqp_below(QCQP_N);
    c->nproduct = qcqp_below(QCQP_PRODUCTS + 1);
    c->nrow = 2 * c->nproduct + qcqp_below(4);
    c->nequal = c->nrow > 2 * c->nproduct ? qcqp_below(2) : 0;
    qcqp_make_rows(c);
    for (int i = 0; i < c->n; i++)
        for (int j = 0; j < c->n; j++) G[i][j] = qcqp_any();
    for (int i = 0; i < c->n; i++) {
        c->r[i] = qcqp_any();
        for (int j = 0; j < c->n; j++) {
            c->Q[i][j] = i == j;
            for (int k = 0; k < c->n; k++) c->Q[i][j] += G[k][i] * G[k][j];
        }
    }
    tact_triplet *entry = c->entry[QCQP_CONSTRAINTS];
    for (int i = 0; i < c->n * c->n; i++) entry[i] = (tact_triplet){i / c->n, i % c->n, (tact_real)c->Q[i / c->n][i % c->n]};
    for (int i = 0; i < c->n; i++) entry[c->n * c->n + i] = (tact_triplet){-1, i, (tact_real)c->r[i]};
    c->problem = (tact_qcqp){.n = c->n, .ncon = c->nrow + c->nproduct, .constraint = c->constraint, .equality = c->equality};
    c->problem.objective = (tact_quadratic){c->n * c->n, c->n, entry, entry + c->n * c->n, 0};
    for (int i = 0; i < c->problem.ncon; i++) {
        c->equality[i] = i < c->nrow && i >= c->nrow - c->nequal;
        c->constraint[i] = i < c->nrow ? qcqp_make_row(c, i, c->entry[i]) : qcqp_make_product(c, i - c->nrow, c->entry[i]);
    }
}

#endif
