// SPDX-License-Identifier: MIT
// Envelope Cholesky factorisation L D L': fill-in stays inside the envelope, and no square roots are needed.
#include "solve/skyline.h"

int tact_skyline_layout(tact_skyline *A) {
    A->start[0] = 0;
    for (int i = 0; i < A->n; i++) A->start[i + 1] = A->start[i] + i - A->first[i] + 1;
    return A->start[A->n];
}

// From this size on four rows are eliminated together.
enum { SIDE_BY_SIDE = 64 };

static inline int later(int a, int b) {
    return a > b ? a : b;
}

// row[j] -= sum of row[k] other[k] for k from begin to j - 1.
static inline void subtract_product(tact_real *row, const tact_real *other, int begin, int j) {
    tact_real sum = row[j];
    for (int k = begin; k < j; k++) sum -= row[k] * other[k];
    row[j] = sum;
}

// Eliminates rows i to i + 3 left of column i, as tact_envelope_eliminate does. Each entry is summed in the same order and has
// the same bits; the four sums are independent, for instruction-level parallelism.
static void eliminate_left_of(const tact_envelope *A, int i) {
    tact_real *row[4];
    int first[4], common = 0, least = i;
    // common: first column in which all four rows have entries
    for (int a = 0; a < 4; a++) {
        row[a] = tact_envelope_row(A, i + a);
        first[a] = A->first[i + a];
        common = later(common, first[a]);
        least = first[a] < least ? first[a] : least;
    }
    // column j of the four rows
    for (int j = least + 1; j < i; j++) {
        const tact_real *other = tact_envelope_row(A, j);
        if (j <= common) {
            for (int a = 0; a < 4; a++)
                if (first[a] < j) subtract_product(row[a], other, later(first[a], A->first[j]), j);
            continue;
        }
        // columns of some of the rows, then those of all
        int begin = later(common, A->first[j]);
        tact_real sum[4];
        for (int a = 0; a < 4; a++) {
            sum[a] = row[a][j];
            for (int k = later(first[a], A->first[j]); k < begin; k++) sum[a] -= row[a][k] * other[k];
        }
        for (int k = begin; k < j; k++) {
            tact_real l = other[k];
            sum[0] -= row[0][k] * l;
            sum[1] -= row[1][k] * l;
            sum[2] -= row[2][k] * l;
            sum[3] -= row[3][k] * l;
        }
        for (int a = 0; a < 4; a++) row[a][j] = sum[a];
    }
}

static bool eliminate_large(const tact_envelope *A, tact_real *pivot) {
    bool positive = true;
    for (int i = 0; i < A->n; i++) {
        tact_real *row = tact_envelope_row(A, i);
        // blocks of four rows; columns inside the block follow one by one
        int begin = i & ~3, first = A->first[i];
        if (i == begin && i + 4 <= A->n) eliminate_left_of(A, i);
        // the last rows, fewer than four, are eliminated entirely here
        if (begin + 4 > A->n) begin = 0;
        for (int j = later(first + 1, begin); j < i; j++)
            subtract_product(row, tact_envelope_row(A, j), later(first, A->first[j]), j);
        positive &= row[i] > 0;
        pivot[i] = tact_envelope_pivot(row, pivot, first, i);
    }
    return positive;
}

bool tact_skyline_eliminate(tact_skyline *A, tact_real *pivot) {
    tact_envelope envelope = tact_skyline_envelope(A);
    // small machines without vectors have no room for two copies of the loop
    if (TACT_LANES > 1 && A->n >= SIDE_BY_SIDE) return eliminate_large(&envelope, pivot);
    return tact_envelope_eliminate(&envelope, pivot);
}

void tact_skyline_solve(const tact_skyline *L, const tact_real *pivot, tact_real *x) {
    tact_envelope envelope = tact_skyline_envelope(L);
    tact_envelope_solve(&envelope, pivot, x);
}
