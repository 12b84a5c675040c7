// SPDX-License-Identifier: MIT
// The same factor by LAPACK where the envelope is full and large: `make LAPACK=1`. The bits differ from the
// default build's, and with the library's version.
#include "solve/skyline.h"
#include <lapacke.h>

enum { LARGE = 64 };

#ifdef TACT_FLOAT
#define PACKED_FACTOR LAPACKE_spptrf_work
#else
#define PACKED_FACTOR LAPACKE_dpptrf_work
#endif

// rows of the lower triangle one behind the other are columns of the upper one: A = U'U, L = U' D^-1/2
bool tact_skyline_factor(tact_skyline *A, tact_real *pivot) {
    bool full = A->n >= LARGE && A->start[A->n] == A->n * (A->n + 1) / 2;
    if (!full) return tact_skyline_eliminate(A, pivot);
    // Cholesky of the packed triangle; L = U'D^-1/2 and 1/D for the solver's own substitution.
    if (PACKED_FACTOR(LAPACK_COL_MAJOR, 'U', A->n, A->value) != 0) return false;
    for (int i = 0; i < A->n; i++) {
        tact_real *row = tact_skyline_row(A, i), root = row[i];
        for (int j = 0; j < i; j++) row[j] /= tact_skyline_row(A, j)[j];
        pivot[i] = 1 / (root * root);
    }
    return true;
}
