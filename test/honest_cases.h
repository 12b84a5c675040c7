// SPDX-License-Identifier: MIT
// Small random problems of the solvers, many of them degenerate or without a solution.
#ifndef TACT_TEST_HONEST_CASES_H
#define TACT_TEST_HONEST_CASES_H

#include "tact/friction.h"
#include "tact/lcp.h"
#include "tact/solve.h"
#include "test.h"

enum { N = 6, CONES = 3, BOUNDS = 3 };

static uint64_t honest_seed;

// of zeros
static inline void *take(size_t size) {
    void *memory = calloc(size + 1, 1);
    if (!memory) exit(2);
    return memory;
}

// mostly of size 1, at times 0 or round, so that ties happen
static inline tact_real any(void) {
    double pick = test_random(&honest_seed, 0, 1);
    if (pick < 0.15) return 0;
    if (pick < 0.3) return (tact_real)floor(test_random(&honest_seed, -2, 3));
    return (tact_real)test_random(&honest_seed, -2, 2);
}

typedef struct {
    int n, ncone, nbound;
    tact_real P[N][N], p[N], J[CONES][3 * N];
    tact_cone cone[CONES];
    tact_bound bound[BOUNDS];
    int first[N], start[N + 1], column[N];
    tact_real value[N * (N + 1) / 2];
} barrier_case;

// Memory for all of them, in work; to be freed.
static inline void *take_barrier(tact_barrier_work *work) {
    tact_barrier_size size = {.n = N, .ncone = CONES, .nbound = BOUNDS, .columns = N * CONES, .envelope = N * (N + 1) / 2};
    tact_arena arena = {0};
    tact_barrier_place(work, size, &arena);
    arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
    tact_barrier_place(work, size, &arena);
    return arena.memory;
}

static inline void make_barrier(barrier_case *c) {
    c->n = 1 + (int)test_random(&honest_seed, 0, N);
    c->ncone = (int)test_random(&honest_seed, 0, CONES + 1);
    c->nbound = (int)test_random(&honest_seed, 0, BOUNDS + 1);
    int rank = (int)test_random(&honest_seed, 0, c->n + 2);
    tact_real G[N + 1][N];
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < c->n; i++) G[k][i] = any();
    c->start[0] = 0;
    for (int i = 0; i < c->n; i++) {
        c->first[i] = 0;
        c->column[i] = i;
        c->start[i + 1] = c->start[i] + i + 1;
        c->p[i] = any();
        for (int j = 0; j <= i; j++) {
            tact_real sum = i == j && rank > c->n ? 1 : 0;
            for (int k = 0; k < rank; k++) sum += G[k][i] * G[k][j];
            c->P[i][j] = c->P[j][i] = c->value[c->start[i] + j] = sum;
        }
    }
    for (int i = 0; i < c->ncone; i++) {
        for (int k = 0; k < 3 * c->n; k++) c->J[i][k] = any();
        c->cone[i] = (tact_cone){
            .width = c->n, .column = c->column, .J = c->J[i], .mu = (tact_real)test_random(&honest_seed, 0, 1), .kappa = 100};
        for (int k = 0; k < 3; k++) c->cone[i].c[k] = any();
    }
    for (int j = 0; j < c->nbound; j++) {
        int column = (int)test_random(&honest_seed, 0, c->n);
        tact_real sign = any() > 0 ? 1 : -1;
        c->bound[j] = (tact_bound){column, sign, any(), 1000};
    }
}

static inline tact_barrier_problem barrier_problem_of(barrier_case *c) {
    tact_skyline P = {c->n, c->first, c->start, c->value};
    return (tact_barrier_problem){
        .n = c->n, .ncone = c->ncone, .nbound = c->nbound, .P = P, .p = c->p, .cone = c->cone, .bound = c->bound};
}

static inline void make_lcp(int n, tact_real *M, tact_real *q) {
    int kind = (int)test_random(&honest_seed, 0, 3);
    tact_real G[N * N];
    for (int i = 0; i < n * n; i++) G[i] = M[i] = any();
    for (int i = 0; i < n; i++) q[i] = any();
    for (int i = 0; i < n && kind > 0; i++)
        for (int j = 0; j < n; j++) {
            M[i * n + j] = 0;
            for (int k = 0; k < (kind == 1 ? n : n - 1); k++) M[i * n + j] += G[k * n + i] * G[k * n + j];
        }
}

// what touches moves along J: contacts, of which the second may press back on the first, and blocks of scalar rows with limits
static inline void make_friction(int nc, tact_real *W, tact_real *q, tact_real *mu, tact_real *low, tact_real *high) {
    int rows = 3 * nc, rank = 3 + (int)test_random(&honest_seed, 0, 6);
    bool squeezed = nc > 1 && test_random(&honest_seed, 0, 1) < 0.3;
    tact_real J[9][3 * CONES];
    for (int a = 0; a < rank; a++) {
        for (int i = 0; i < rows; i++) J[a][i] = (tact_real)test_random(&honest_seed, -1, 1);
        if (squeezed) J[a][3] = -J[a][0];
    }
    for (int i = 0; i < rows; i++) {
        q[i] = any();
        low[i] = test_random(&honest_seed, 0, 1) < 0.3 ? -TACT_MAX : -(tact_real)test_random(&honest_seed, 0, 1);
        high[i] = test_random(&honest_seed, 0, 1) < 0.3 ? TACT_MAX : (tact_real)test_random(&honest_seed, 0, 1);
        for (int j = 0; j < rows; j++) {
            W[i * rows + j] = 0;
            for (int a = 0; a < rank; a++) W[i * rows + j] += J[a][i] * J[a][j];
        }
    }
    for (int i = 0; i < nc; i++)
        mu[i] = (tact_real)(i > 0 && test_random(&honest_seed, 0, 1) < 0.2 ? -1 : test_random(&honest_seed, 0, 1));
}

#endif
