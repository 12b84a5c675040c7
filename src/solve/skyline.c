// SPDX-License-Identifier: MIT
// Envelope Cholesky: L D L' without fill outside the envelope, and without square roots.
//   d_i = a_ii - sum_k l_ik^2 d_k ,  l_ij = (a_ij - sum_k l_ik d_k l_jk) / d_j ,  k >= max(first_i, first_j)
#include "solve/skyline.h"

int tact_skyline_layout(tact_skyline *A) {
    A->start[0] = 0;
    for (int i = 0; i < A->n; i++) A->start[i + 1] = A->start[i] + i - A->first[i] + 1;
    return A->start[A->n];
}

bool tact_skyline_eliminate(tact_skyline *A, tact_real *pivot) {
    for (int i = 0; i < A->n; i++) {
        tact_real *row = tact_skyline_row(A, i);
        int first = A->first[i];
        for (int j = first + 1; j < i; j++) {
            const tact_real *other = tact_skyline_row(A, j);
            tact_real sum = row[j];
            for (int k = first > A->first[j] ? first : A->first[j]; k < j; k++) sum -= row[k] * other[k];
            row[j] = sum;
        }
        tact_real diagonal = row[i], d = diagonal;
        for (int k = first; k < i; k++) {
            tact_real l = row[k] * pivot[k];
            d -= l * row[k];
            row[k] = l;
        }
        if (!(diagonal > 0)) return false;
        pivot[i] = 1 / (d > TACT_EPS * diagonal ? d : TACT_EPS * diagonal);
    }
    return true;
}

void tact_skyline_solve(const tact_skyline *L, const tact_real *pivot, tact_real *x) {
    for (int i = 0; i < L->n; i++) {
        const tact_real *row = tact_skyline_row(L, i);
        tact_real sum = x[i];
        for (int j = L->first[i]; j < i; j++) sum -= row[j] * x[j];
        x[i] = sum;
    }
    for (int i = 0; i < L->n; i++) x[i] *= pivot[i];
    for (int i = L->n - 1; i > 0; i--) {
        const tact_real *row = tact_skyline_row(L, i);
        for (int j = L->first[i]; j < i; j++) x[j] -= row[j] * x[i];
    }
}
