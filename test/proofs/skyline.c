// SPDX-License-Identifier: MIT
// Envelope Cholesky and its solve: each envelope of a matrix of order 1 to ORDER, with any entries, infinities included.
#include "solve/skyline.c"

#include "proofs.h"

enum { ORDER = 4, ENVELOPES = 1 * 2 * 3 * 4 };

static tact_real any(void) {
    return Frama_C_double_interval(-TACT_MAX, TACT_MAX);
}

// The envelope of a number: row i begins at its digit of base i + 1.
static void try_envelope(int n, int number) {
    int first[ORDER], start[ORDER + 1];
    tact_real value[ORDER * (ORDER + 1) / 2], pivot[ORDER], x[ORDER];
    tact_skyline A = {.n = n, .first = first, .start = start, .value = value};
    for (int i = 0; i < n; i++) {
        first[i] = number % (i + 1);
        number /= i + 1;
        x[i] = any();
    }
    int size = tact_skyline_layout(&A);
    for (int i = 0; i < size; i++) value[i] = any();
    if (tact_skyline_eliminate(&A, pivot)) tact_skyline_solve(&A, pivot, x);
}

void proof(void) {
    for (int n = 1; n <= ORDER; n++)
        for (int number = 0; number < ENVELOPES; number++) try_envelope(n, number);
}
