// SPDX-License-Identifier: MIT
// Dense LU with row exchanges: P A = L U in place, row-major.
#ifndef TACT_SOLVE_LU_H
#define TACT_SOLVE_LU_H

#include "tact/base.h"

typedef struct {
    int n;
    size_t stride;
    tact_real *value;  // (n, stride) A, then L and U
    int *order;        // (n) the row of A at each place
} tact_lu;

// False when a pivot is less than `least` times the largest entry of its row of A; then the factor is of no use. size (n):
// scratch.
bool tact_lu_factor(tact_lu *A, tact_real least, tact_real *size);

// x = A^-1 b and x = A^-T b; x and b are different arrays, and b of the second is spoiled.
void tact_lu_solve(const tact_lu *A, const tact_real *b, tact_real *x);
void tact_lu_solve_transposed(const tact_lu *A, tact_real *b, tact_real *x);

#endif
