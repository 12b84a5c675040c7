// SPDX-License-Identifier: MIT
// Envelope Cholesky: L D L' without fill outside the envelope, and without square roots.
//   d_i = a_ii - sum_k l_ik^2 d_k ,  l_ij = (a_ij - sum_k l_ik d_k l_jk) / d_j ,  k >= max(first_i, first_j)
#include "solve/skyline.h"

bool tact_skyline_factor(tact_skyline *A, tact_real *pivot) {
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
