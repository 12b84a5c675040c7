// SPDX-License-Identifier: MIT
#include "solve/skyline.h"

int tact_skyline_layout(tact_skyline *A) {
    A->start[0] = 0;
    for (int i = 0; i < A->n; i++) A->start[i + 1] = A->start[i] + i - A->first[i] + 1;
    return A->start[A->n];
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
