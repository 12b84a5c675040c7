// SPDX-License-Identifier: MIT
// LU factorisation with scaled partial pivoting: rows are eliminated with the entry that is largest relative to its row as
// pivot.
#include "solve/lu.h"

#include "math/elementary.h"

static void lu_subtract_row(tact_real *restrict y, const tact_real *restrict x, tact_real a, int n) {
    for (int j = 0; j < n; j++) y[j] -= a * x[j];
}

bool tact_lu_factor(tact_lu *A, tact_real least, tact_real *size) {
    TACT_ASSERT(A->n >= 0 && (size_t)A->n <= A->stride);
    int n = A->n;
    // scale of each row, for the pivots; a zero row is singular
    for (int i = 0; i < n; i++) {
        A->order[i] = i;
        size[i] = 0;
        for (int j = 0; j < n; j++) size[i] = tact_max(size[i], tact_fabs(A->value[(size_t)i * A->stride + (size_t)j]));
        if (!(size[i] > 0)) return false;
    }
    // column k: the pivot that is largest relative to its row
    for (int k = 0; k < n; k++) {
        int best = k;
        tact_real most = 0;
        for (int i = k; i < n; i++) {
            tact_real a = tact_fabs(A->value[(size_t)i * A->stride + (size_t)k]) / size[i];
            if (a > most) most = a, best = i;
        }
        if (!(most > least)) return false;
        if (best != k) {
            // scaled partial pivoting: exchange the rows
            TACT_ASSERT(0 <= best && best < A->n && 0 <= k && k < A->n);
            tact_real *a = A->value + (size_t)best * A->stride, *b = A->value + (size_t)k * A->stride, t = size[best];
            int order = A->order[best];
            for (int j = 0; j < A->n; j++) {
                tact_real x = a[j];
                a[j] = b[j];
                b[j] = x;
            }
            // scales and indices follow the rows
            size[best] = size[k];
            size[k] = t;
            A->order[best] = A->order[k];
            A->order[k] = order;
        }
        const tact_real *pivot = A->value + (size_t)k * A->stride;
        tact_real inverse = 1 / pivot[k];
        // rows below: l = a_ik/a_kk, row -= l pivot
        for (int i = k + 1; i < n; i++) {
            tact_real *row = A->value + (size_t)i * A->stride, l = row[k] * inverse;
            row[k] = l;
            if (l != 0) lu_subtract_row(row + k + 1, pivot + k + 1, l, n - k - 1);
        }
    }
    return true;
}

void tact_lu_solve(const tact_lu *A, const tact_real *b, tact_real *x) {
    TACT_ASSERT(A);
    // L y = P b
    for (int i = 0; i < A->n; i++) {
        const tact_real *row = A->value + (size_t)i * A->stride;
        tact_real sum = b[A->order[i]];
        for (int j = 0; j < i; j++) sum -= row[j] * x[j];
        x[i] = sum;
    }
    // U x = y
    for (int i = A->n - 1; i >= 0; i--) {
        const tact_real *row = A->value + (size_t)i * A->stride;
        tact_real sum = x[i];
        for (int j = i + 1; j < A->n; j++) sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }
}

void tact_lu_solve_transposed(const tact_lu *A, tact_real *b, tact_real *x) {
    TACT_ASSERT(A);
    // U'y = b by columns of U', that is rows of U
    for (int i = 0; i < A->n; i++) {
        const tact_real *row = A->value + (size_t)i * A->stride;
        b[i] /= row[i];
        lu_subtract_row(b + i + 1, row + i + 1, b[i], A->n - i - 1);
    }
    // L'z = y, then x = P'z
    for (int i = A->n - 1; i > 0; i--) lu_subtract_row(b, A->value + (size_t)i * A->stride, b[i], i);
    for (int i = 0; i < A->n; i++) x[A->order[i]] = b[i];
}
