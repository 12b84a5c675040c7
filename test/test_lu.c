// SPDX-License-Identifier: MIT
// Dense LU: residuals of both solves on random matrices, rows of all scales, singular ones, and nothing written beyond n.
#include "solve/lu.h"
#include "test.h"

enum { MOST = 12, STRIDE = MOST + 3, GUARD = 77 };

#ifdef TACT_FLOAT
#define TIGHT 1e-4
#else
#define TIGHT 1e-11
#endif

static tact_real A[MOST * STRIDE], value[MOST * STRIDE], size[MOST], b[MOST + 3], x[MOST + 3];
static int order[MOST];

// |A x - b| or |A'x - b| over |A| |x|
static double residual(int n, bool transposed) {
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double sum = -(double)b[i], scale = 1e-300;
        for (int j = 0; j < n; j++) {
            double term = (double)A[transposed ? j * STRIDE + i : i * STRIDE + j] * (double)x[j];
            sum += term;
            scale += fabs(term);
        }
        worst = fmax(worst, fabs(sum) / scale);
    }
    return worst;
}

static void check_solves(int n, uint64_t *seed) {
    tact_lu lu = {.n = n, .stride = STRIDE, .value = value, .order = order};
    memcpy(value, A, sizeof A);
    CHECK(tact_lu_factor(&lu, 64 * TACT_EPS, size));
    for (int transposed = 0; transposed < 2; transposed++) {
        tact_real spoiled[MOST + 3];
        for (int i = 0; i < MOST + 3; i++) b[i] = i < n ? (tact_real)test_random(seed, -1, 1) : GUARD;
        for (int i = 0; i < MOST + 3; i++) x[i] = GUARD;
        memcpy(spoiled, b, sizeof b);
        if (transposed)
            tact_lu_solve_transposed(&lu, spoiled, x);
        else
            tact_lu_solve(&lu, spoiled, x);
        CHECK(residual(n, transposed) <= TIGHT);
        for (int i = n; i < MOST + 3; i++) CHECK(x[i] == GUARD && spoiled[i] == GUARD);
    }
}

int main(void) {
    uint64_t seed = test_seed(9);
    for (int k = 0; k < 200; k++) {
        int n = 1 + k % MOST;
        for (int i = 0; i < MOST * STRIDE; i++) A[i] = (tact_real)test_random(&seed, -1, 1);
        // rows that differ in size by much, each to be judged by its own
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n && k % 3 == 0; j++) A[i * STRIDE + j] *= (tact_real)ldexp(1, 10 * (i % 3 - 1));
        check_solves(n, &seed);
        // a row that is the sum of two others, or empty
        tact_lu lu = {.n = n, .stride = STRIDE, .value = value, .order = order};
        memcpy(value, A, sizeof A);
        for (int j = 0; j < n; j++) value[(n - 1) * STRIDE + j] = n > 2 && k % 2 ? value[j] + value[STRIDE + j] : 0;
        CHECK(!tact_lu_factor(&lu, 256 * TACT_EPS, size));
    }
    return test_end("lu");
}
