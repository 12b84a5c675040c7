// SPDX-License-Identifier: MIT
// Envelope Cholesky: L D L' without fill outside the envelope, and without square roots.
#include "solve/skyline.h"

int tact_skyline_layout(tact_skyline *A) {
    A->start[0] = 0;
    for (int i = 0; i < A->n; i++) A->start[i + 1] = A->start[i] + i - A->first[i] + 1;
    return A->start[A->n];
}

bool tact_skyline_eliminate(tact_skyline *A, tact_real *pivot) {
    tact_envelope envelope = tact_skyline_envelope(A);
    return tact_envelope_eliminate(&envelope, pivot);
}

void tact_skyline_solve(const tact_skyline *L, const tact_real *pivot, tact_real *x) {
    tact_envelope envelope = tact_skyline_envelope(L);
    tact_envelope_solve(&envelope, pivot, x);
}
