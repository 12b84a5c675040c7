// SPDX-License-Identifier: MIT
// The same factor as factor_own.c, by LAPACK where the envelope is full and large: `make LAPACK=1`. The bits differ from the
// default build's, and with the library's version.
#include "solve/skyline.h"
#include <lapacke.h>

enum { LARGE = 64 };

#ifdef TACT_FLOAT
#define PACKED_FACTOR LAPACKE_spptrf_work
#else
#define PACKED_FACTOR LAPACKE_dpptrf_work
#endif

// the loop of factor_own.c, for small and for sparse envelopes
static bool factor_sparse(tact_skyline *A, tact_real *pivot) {
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

// rows of the lower triangle one behind the other are columns of the upper one: A = U'U, L = U' D^-1/2
bool tact_skyline_factor(tact_skyline *A, tact_real *pivot) {
    bool full = A->n >= LARGE && A->start[A->n] == A->n * (A->n + 1) / 2;
    if (!full) return factor_sparse(A, pivot);
    if (PACKED_FACTOR(LAPACK_COL_MAJOR, 'U', A->n, A->value) != 0) return false;
    for (int i = 0; i < A->n; i++) {
        tact_real *row = tact_skyline_row(A, i), root = row[i];
        for (int j = 0; j < i; j++) row[j] /= tact_skyline_row(A, j)[j];
        pivot[i] = 1 / (root * root);
    }
    return true;
}
