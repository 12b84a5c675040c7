// SPDX-License-Identifier: MIT
// A work keeps the layout of its last problem while the next has the same structure. Over problems that change little by little
// its answers must have the bits of those of a work of their own.
#include "solve/skyline.h"
#include "tact/solve.h"
#include "test.h"

enum { N = 8, CONES = 4, WIDTH = 4, BOUNDS = 3, ROUNDS = 4000 };

// What the layout depends on, and numbers.
typedef struct {
    int n, ncone, nbound, first[N], width[CONES], column[CONES][WIDTH], bounded[BOUNDS];
    bool soft[N];  // P hardly holds it
} structure;

typedef struct {
    tact_real d[N], lambda[3 * CONES], bound_lambda[BOUNDS];
    tact_barrier_solution info;
    tact_status status;
} answer;

static tact_barrier_work work_in(void *memory, size_t size) {
    tact_arena arena = {.memory = memory, .size = size};
    tact_barrier_work work;
    tact_barrier_place(&work, (tact_barrier_size){N, CONES, BOUNDS, CONES * WIDTH, N * (N + 1) / 2}, &arena);
    CHECK(tact_arena_fits(&arena));
    return work;
}

// some of the columns, ascending
static void choose_columns(uint64_t *seed, structure *s, int i) {
    s->width[i] = 0;
    for (int k = 0; k < s->n && s->width[i] < WIDTH; k++)
        if (test_random(seed, 0, 1) < 0.5) s->column[i][s->width[i]++] = k;
    if (s->width[i] == 0) s->column[i][s->width[i]++] = 0;
}

static int below(uint64_t *seed, int count) {
    return (int)(test_random(seed, 0, 1) * count);
}

// one thing of the structure becomes another, or nothing does
static void change(uint64_t *seed, structure *s) {
    int i = below(seed, CONES), k = below(seed, s->n);
    switch (below(seed, 8)) {
    case 0:
        s->n = N / 2 + below(seed, N / 2 + 1);
        for (int c = 0; c < CONES; c++) choose_columns(seed, s, c);
        for (int b = 0; b < BOUNDS; b++) s->bounded[b] = below(seed, s->n);
        break;
    case 1: s->ncone = 1 + below(seed, CONES); break;
    case 2: s->nbound = below(seed, BOUNDS + 1); break;
    case 3: choose_columns(seed, s, i); break;
    case 4: s->bounded[below(seed, BOUNDS)] = k; break;
    case 5: s->first[k] = k - below(seed, k < 2 ? k + 1 : 3); break;
    case 6: s->soft[k] = !s->soft[k]; break;
    default: break;
    }
}

static void solve(const structure *s, uint64_t seed, tact_barrier_work *work, answer *a) {
    static tact_real value[N * (N + 1) / 2], p[N], J[CONES][3 * WIDTH];
    static int first[N], start[N + 1];
    static tact_cone cone[CONES];
    static tact_bound bound[BOUNDS];
    tact_skyline P = {s->n, first, start, value};
    for (int i = 0; i < s->n; i++) first[i] = s->first[i];
    tact_skyline_layout(&P);
    for (int i = 0; i < s->n; i++) {
        for (int j = first[i]; j < i; j++) tact_skyline_row(&P, i)[j] = (tact_real)(0.1 * test_random(&seed, 0, 1));
        *tact_skyline_diagonal(&P, i) = (tact_real)(first[i] == i && s->soft[i] ? 1e-12 : 1 + test_random(&seed, 0, 1));
        p[i] = (tact_real)(test_random(&seed, 0, 1) - 0.5);
    }
    for (int i = 0; i < s->ncone; i++) {
        cone[i] = (tact_cone){.mu = (tact_real)0.5, .kappa = 100, .c = {1, 0, 0}, .width = s->width[i]};
        cone[i].column = s->column[i];
        cone[i].J = J[i];
        for (int k = 0; k < 3 * s->width[i]; k++) J[i][k] = (tact_real)(test_random(&seed, 0, 1) - 0.5);
    }
    for (int j = 0; j < s->nbound; j++) bound[j] = (tact_bound){.column = s->bounded[j], .sign = 1, .c = 1, .kappa = 1000};
    tact_barrier_problem problem = {
        .n = s->n, .ncone = s->ncone, .nbound = s->nbound, .P = P, .p = p, .cone = cone, .bound = bound};
    tact_barrier_options options = tact_barrier_options_default();
    a->info = (tact_barrier_solution){.d = a->d, .lambda = a->lambda, .bound_lambda = a->bound_lambda};
    a->status = tact_barrier_solve(&problem, &options, work, &a->info);
}

static bool alike(const structure *s, const answer *a, const answer *b) {
    size_t real = sizeof(tact_real);
    if (a->status != b->status || a->info.iterations != b->info.iterations || a->info.decrement != b->info.decrement)
        return false;
    return memcmp(a->d, b->d, (size_t)s->n * real) == 0 && memcmp(a->lambda, b->lambda, 3 * (size_t)s->ncone * real) == 0 &&
           memcmp(a->bound_lambda, b->bound_lambda, (size_t)s->nbound * real) == 0;
}

int main(void) {
    static unsigned char kept_memory[1 << 16], own_memory[1 << 16];
    static answer kept, own;
    uint64_t seed = test_seed(20261121);
    structure s = {.n = N, .ncone = 1, .width = {1, 1, 1, 1}};
    tact_barrier_work work = work_in(kept_memory, sizeof kept_memory);
    int converged = 0, different = 0;
    for (int i = 0; i < N; i++) s.first[i] = i;
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t numbers = seed + 1;
        change(&seed, &s);
        tact_barrier_work fresh = work_in(own_memory, sizeof own_memory);
        solve(&s, numbers, &work, &kept);
        solve(&s, numbers, &fresh, &own);
        different += !alike(&s, &kept, &own);
        converged += own.status == TACT_CONVERGED;
    }
    CHECK_INT(different, 0);
    printf("%d of %d converged\n", converged, ROUNDS);
    CHECK(converged > ROUNDS / 4);
    return test_end("arrange");
}
