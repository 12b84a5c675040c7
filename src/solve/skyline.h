// SPDX-License-Identifier: MIT
// Envelope matrices: dense loops that start each row at its first structural non-zero.
#ifndef TACT_SOLVE_SKYLINE_H
#define TACT_SOLVE_SKYLINE_H

#include "math/wide.h"
#include "tact/solve.h"

// Row i so that row[j] is entry (i, j) for first[i] <= j <= i.
static inline tact_real *tact_skyline_row(const tact_skyline *A, int i) {
    return A->value + (A->start[i] - A->first[i]);
}

static inline tact_real *tact_skyline_diagonal(const tact_skyline *A, int i) {
    return A->value + (A->start[i + 1] - 1);
}

// Sets start from first; returns the number of entries.
int tact_skyline_layout(tact_skyline *A);

// A = L D L' in place: the unit lower triangle L, and the reciprocals of D in pivot. A pivot that cancels to less than the
// rounding of its diagonal entry is raised to that; false when a diagonal entry is not positive.
bool tact_skyline_factor(tact_skyline *A, tact_real *pivot);

// The same by the library's own loop, whatever the build: what tact_skyline_factor is unless LAPACK was asked for.
bool tact_skyline_eliminate(tact_skyline *A, tact_real *pivot);

// x = A^-1 x from the factor.
void tact_skyline_solve(const tact_skyline *L, const tact_real *pivot, tact_real *x);

// The envelope of a matrix, and its entries in as many matrices as there are scenes.
typedef struct {
    int n;
    const int *first, *start;
    tact_each *value;
} tact_envelope;

#if TACT_SCENES == 1
static inline tact_envelope tact_skyline_envelope(const tact_skyline *A) {
    tact_envelope envelope = {.n = A->n, .first = A->first, .start = A->start, .value = A->value};
    return envelope;
}
#endif

static inline tact_each *tact_envelope_row(const tact_envelope *A, int i) {
    return A->value + (A->start[i] - A->first[i]);
}

// Whether the envelope is a whole triangle of four rows, as that of an object that does not turn and of what moves the hand. Then
// loops of known length stay in registers. Small machines, which have no vectors, have no room for them.
static inline bool tact_envelope_is_four(const tact_envelope *A) {
    return TACT_LANES > 1 && A->n == 4 && A->start[4] == 10;
}

// d_i of a row with the reciprocals of the ones before it, and l_i from l_i d; the reciprocal of d_i.
static inline tact_each tact_envelope_pivot(tact_each *row, const tact_each *pivot, int first, int i) {
    tact_each diagonal = row[i], d = diagonal;
    for (int k = first; k < i; k++) {
        // l_ik d_k stands in row[k] until here: the product gives l_ik^2 d_k.
        tact_each l = row[k] * pivot[k];
        d -= l * row[k];
        row[k] = l;
    }
    // what is not positive is refused by the caller, and divided by all the same
    return 1 / tact_each_max(tact_each_max(d, TACT_EPS * diagonal), tact_each_all(4 / TACT_MAX));
}

static inline tact_each_mask tact_envelope_eliminate_four(tact_each *A, tact_each *pivot) {
    tact_each_mask positive = tact_each_all(0) == tact_each_all(0);
    for (int i = 0; i < 4; i++) {
        // row[j] = l_ij d_j.
        tact_each *row = A + i * (i + 1) / 2;
        for (int j = 1; j < i; j++)
            for (int k = 0; k < j; k++) row[j] -= row[k] * A[j * (j + 1) / 2 + k];
        positive &= row[i] > tact_each_all(0);
        pivot[i] = tact_envelope_pivot(row, pivot, 0, i);
    }
    return positive;
}

// As tact_skyline_eliminate, of every scene; the answer of one is false when a diagonal entry of its is not positive.
//   d_i = a_ii - sum_k l_ik^2 d_k ,  l_ij = (a_ij - sum_k l_ik d_k l_jk) / d_j ,  k >= max(first_i, first_j)
static inline tact_each_mask tact_envelope_eliminate(const tact_envelope *A, tact_each *pivot) {
    if (tact_envelope_is_four(A)) return tact_envelope_eliminate_four(A->value, pivot);
    tact_each_mask positive = tact_each_all(0) == tact_each_all(0);
    for (int i = 0; i < A->n; i++) {
        // row[j] = a_ij - sum_k l_ik d_k l_jk = l_ij d_j.
        tact_each *row = tact_envelope_row(A, i);
        int first = A->first[i];
        for (int j = first + 1; j < i; j++) {
            const tact_each *other = tact_envelope_row(A, j);
            tact_each sum = row[j];
            for (int k = first > A->first[j] ? first : A->first[j]; k < j; k++) sum -= row[k] * other[k];
            row[j] = sum;
        }
        positive &= row[i] > tact_each_all(0);
        pivot[i] = tact_envelope_pivot(row, pivot, first, i);
    }
    return positive;
}

static inline void tact_envelope_solve_four(const tact_each *L, const tact_each *pivot, tact_each *x) {
    // L y = x, z = D^-1 y, L'x = z.
    tact_each y[4] = {x[0], x[1], x[2], x[3]};
    for (int i = 1; i < 4; i++)
        for (int j = 0; j < i; j++) y[i] -= L[i * (i + 1) / 2 + j] * y[j];
    for (int i = 0; i < 4; i++) y[i] *= pivot[i];
    for (int i = 3; i > 0; i--)
        for (int j = 0; j < i; j++) y[j] -= L[i * (i + 1) / 2 + j] * y[i];
    for (int i = 0; i < 4; i++) x[i] = y[i];
}

// x <- (L D L')^-1 x, pivot holding the reciprocals of D.
static inline void tact_envelope_solve(const tact_envelope *L, const tact_each *pivot, tact_each *x) {
    if (tact_envelope_is_four(L)) {
        tact_envelope_solve_four(L->value, pivot, x);
        return;
    }
    // L y = x.
    for (int i = 0; i < L->n; i++) {
        const tact_each *row = tact_envelope_row(L, i);
        tact_each sum = x[i];
        for (int j = L->first[i]; j < i; j++) sum -= row[j] * x[j];
        x[i] = sum;
    }
    // z = D^-1 y.
    for (int i = 0; i < L->n; i++) x[i] *= pivot[i];
    // L'x = z by columns of L', that is rows of L.
    for (int i = L->n - 1; i > 0; i--) {
        const tact_each *row = tact_envelope_row(L, i);
        tact_each last = x[i];
        for (int j = L->first[i]; j < i; j++) x[j] -= row[j] * last;
    }
}

#endif
