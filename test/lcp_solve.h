// SPDX-License-Identifier: MIT
// What the tests of linear complementarity problems share: memory, the driver, and the definitions that answers are checked by.
#ifndef TEST_LCP_SOLVE_H
#define TEST_LCP_SOLVE_H

#include "lcp_cases.h"

static tact_lcp_work work;
static tact_lcp_solution solution;
static void *memory;

static inline void give_memory(int n, int doubled) {
    tact_arena arena = {0};
    free(memory);
    tact_lcp_place(&work, n, doubled, &arena);
    tact_lcp_solution_place(&solution, n, &arena);
    memory = malloc(arena.used);
    arena = (tact_arena){.memory = memory, .size = arena.used};
    tact_lcp_place(&work, n, doubled, &arena);
    tact_lcp_solution_place(&solution, n, &arena);
    CHECK(tact_arena_fits(&arena));
}

// the residual of the definition, in double
static inline double residual_of(const tact_lcp_problem *p, const tact_real *z) {
    double most = 0, worst = 0;
    for (int i = 0; i < p->n; i++) {
        if (!(fabs((double)z[i]) <= (double)TACT_MAX)) return (double)INFINITY;
        most = fmax(most, fabs((double)z[i]));
    }
    if (most == 0) most = 1;
    for (int i = 0; i < p->n; i++) {
        double w = (double)p->q[i], size = fabs(w);
        for (int j = 0; j < p->n; j++) {
            double t = (double)p->M[i * p->n + j] * (double)z[j];
            w += t;
            size += fabs(t);
        }
        if (size > 0) w /= size;
        double low = p->lo ? (double)p->lo[i] : 0, high = p->hi ? (double)p->hi[i] : (double)INFINITY;
        if (low <= -(double)TACT_MAX) low = -(double)INFINITY;
        if (high >= (double)TACT_MAX) high = (double)INFINITY;
        worst = fmax(worst, fabs(fmax(((double)z[i] - high) / most, fmin(((double)z[i] - low) / most, w))));
    }
    return worst;
}

// y >= 0, M'y <= 0 to rounding, q'y < 0
static inline bool proves(const tact_lcp_problem *p, const tact_real *y) {
    double value = 0, allowed = 1e3 * (double)TACT_EPS;
    for (int i = 0; i < p->n; i++) {
        if (!(y[i] >= 0)) return false;
        value += (double)p->q[i] * (double)y[i];
    }
    for (int j = 0; j < p->n; j++) {
        double sum = 0, size = 0;
        for (int i = 0; i < p->n; i++) {
            sum += (double)p->M[i * p->n + j] * (double)y[i];
            size += fabs((double)p->M[i * p->n + j] * (double)y[i]);
        }
        if (!(sum <= allowed * size)) return false;
    }
    return value < 0;
}

static inline tact_status solve(const tact_lcp_problem *p, tact_lcp_method method, bool warm) {
    tact_lcp_options options = tact_lcp_options_default();
    options.method = method;
    options.warm = warm;
    return tact_lcp_solve(p, &options, &work, &solution);
}

static inline tact_lcp_problem current(int n) {
    return (tact_lcp_problem){.n = n, .M = lcp_M, .q = lcp_q};
}

#endif
