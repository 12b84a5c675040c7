// SPDX-License-Identifier: MIT
// peer: pkg-config ode (libode-dev)
// Linear complementarity problems beside the Dantzig solver of the Open Dynamics Engine, in one run: median microseconds of
// one solve, cold, on the same problems; a warm start from the active set; and how many each of them solved. ODE's solver is an
// internal function of its library and spoils its matrix: copying it is part of its time.
#include "../lcp_cases.h"

#include <stdarg.h>
#include <stdbool.h>

#include "peer.h"

// what ODE's memory pool looks like to its solver: next free byte, begin, end
typedef struct {
    char *next, *begin, *end;
    void *rest[2];
} ode_arena;

void ode_solve(ode_arena *arena, unsigned n, double *A, double *bx, double *w, unsigned unbounded, double *lohi,
               int *findex) __asm__("_Z10dxSolveLCPP22dxWorldProcessMemArenajPdS1_S1_jS1_Pi");
size_t ode_memory(unsigned n, bool findex) __asm__("_Z27dxEstimateSolveLCPMemoryReqjb");

void dSetMessageHandler(void (*handler)(int number, const char *text, va_list list));

// ODE says a line for each problem that it gives up
static void keep_quiet(int number, const char *text, va_list list) {
    (void)number;
    (void)text;
    (void)list;
}

enum { SAMPLES = 101 };

static tact_lcp_work work;
static tact_lcp_solution solution;
static tact_lcp_options options;
static tact_lcp_problem problem;
static ode_arena pool;
static double A[LCP_MOST * LCP_MOST], bx[2 * LCP_MOST], gap[LCP_MOST], lohi[2 * LCP_MOST];
static size_t pool_size;

static void run_tact(void) {
    tact_lcp_solve(&problem, &options, &work, &solution);
}

static void run_ode(void) {
    int n = problem.n, stride = n > 1 ? (n + 3) / 4 * 4 : 1;
    pool.next = pool.begin;
    for (int i = 0; i < n; i++) {
        memcpy(A + i * stride, lcp_M + i * n, (size_t)n * sizeof *A);
        bx[2 * i] = -lcp_q[i];
        bx[2 * i + 1] = 0;
        lohi[2 * i] = 0;
        lohi[2 * i + 1] = INFINITY;
    }
    ode_solve(&pool, (unsigned)n, A, bx, gap, 0, lohi, NULL);
}

// microseconds of one call, the least of three runs
static double time_of(void (*call)(void), int repeats) {
    double least = INFINITY;
    for (int run = 0; run < 3; run++) {
        double begin = peer_clock();
        for (int i = 0; i < repeats; i++) call();
        double time = 1e6 * (peer_clock() - begin) / repeats;
        if (time < least) least = time;
    }
    return least;
}

static void bench(uint64_t *seed, lcp_kind kind, const char *name, int n) {
    static double cold[SAMPLES], warm[SAMPLES], ode[SAMPLES], z[LCP_MOST];
    int good = 0, ode_good = 0, repeats = n < 30 ? 100 : n < 60 ? 10 : 2;
    for (int k = 0; k < SAMPLES; k++) {
        lcp_make(seed, kind, n);
        problem = (tact_lcp_problem){.n = n, .M = lcp_M, .q = lcp_q};
        options.warm = false;
        cold[k] = time_of(run_tact, repeats);
        good += tact_lcp_residual(&problem, solution.z, gap) <= 1e-10;
        options.warm = true;
        warm[k] = time_of(run_tact, repeats);
        ode[k] = time_of(run_ode, repeats);
        for (int i = 0; i < n; i++) z[i] = bx[2 * i + 1];
        ode_good += tact_lcp_residual(&problem, z, gap) <= 1e-10;
    }
    printf("%-24s %4d %10.2f %10.2f %10.2f %7d/%d %7d/%d\n", name, n, peer_median(cold, SAMPLES), peer_median(warm, SAMPLES),
           peer_median(ode, SAMPLES), good, SAMPLES, ode_good, SAMPLES);
}

int main(void) {
    static const int sizes[] = {4, 10, 20, 50, 100, 200};
    uint64_t seed = test_seed(1);
    tact_arena arena = {0};
    tact_lcp_place(&work, LCP_MOST, -1, &arena);
    tact_lcp_solution_place(&solution, LCP_MOST, &arena);
    arena = (tact_arena){.memory = malloc(arena.used), .size = arena.used};
    tact_lcp_place(&work, LCP_MOST, -1, &arena);
    tact_lcp_solution_place(&solution, LCP_MOST, &arena);
    pool_size = ode_memory(LCP_MOST, false) + 4096;
    char *block = malloc(pool_size + 64);
    if (!arena.memory || !block) return 1;
    pool.begin = block + (64 - (uintptr_t)block % 64) % 64;
    pool.end = pool.begin + pool_size;
    options = tact_lcp_options_default();
    dSetMessageHandler(keep_quiet);
    printf("%-24s %4s %10s %10s %10s %11s %11s\n", "[us], median", "n", "tact", "warm", "ODE", "solved", "ODE");
    for (int i = 0; i < 6; i++) bench(&seed, LCP_DEFINITE, "positive definite", sizes[i]);
    for (int i = 0; i < 6; i++) bench(&seed, LCP_SEMIDEFINITE, "semi-definite, rank n/2", sizes[i]);
    for (int i = 0; i < 6; i++) bench(&seed, LCP_CONSTRAINTS, "the same, degenerate", sizes[i]);
    free(block);
    free(arena.memory);
    return 0;
}
