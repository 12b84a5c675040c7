// SPDX-License-Identifier: MIT
// Envelope matrices: dense loops that start each row at its first structural non-zero.
#ifndef TACT_SOLVE_SKYLINE_H
#define TACT_SOLVE_SKYLINE_H

#include "tact/solve.h"

// Row i so that row[j] is entry (i, j) for first[i] <= j <= i.
static inline tact_real *tact_skyline_row(const tact_skyline *A, int i) {
    return A->value + (A->start[i] - A->first[i]);
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

#endif
