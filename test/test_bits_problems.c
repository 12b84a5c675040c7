// SPDX-License-Identifier: MIT
// The bits of the answers to problems that are stated as matrices, and their effort, do not change unnoticed: digests against
// data/golden/bits_problems.txt. Where a change is meant, TACT_WRITE=1 writes the table anew. Single precision has none.
#define BITS_TABLE "data/golden/bits_problems.txt"
#include "bits.h"
#include "honest_cases.h"
#include "lcp_cases.h"
#include "qcqp_cases.h"

enum { PROBLEMS = 300, LARGE = 24, MATRIX = LARGE * LARGE, ROWS = 3 * CONES };

static void digest_barriers(int budget, bool warm) {
    tact_barrier_work work;
    void *memory = take_barrier(&work);
    for (int k = 0; k < PROBLEMS; k++) {
        barrier_case c;
        tact_real d[N] = {0}, lambda[3 * CONES] = {0}, bound_lambda[BOUNDS] = {0};
        make_barrier(&c);
        tact_barrier_problem problem = barrier_problem_of(&c);
        tact_barrier_options options = tact_barrier_options_default();
        tact_barrier_solution solution = {.d = d, .lambda = lambda, .bound_lambda = bound_lambda};
        for (int again = 0; again <= warm; again++) {
            options.warm = again;
            if (budget > 0) options.max_iterations = 1 + k % budget;
            bits_mix((uint64_t)tact_barrier_solve(&problem, &options, &work, &solution));
            bits_mix((uint64_t)solution.iterations);
            bits_number((double)solution.decrement);
            bits_numbers(d, c.n);
            bits_numbers(lambda, 3 * c.ncone);
            bits_numbers(bound_lambda, c.nbound);
            c.p[0] += TACT_REAL(0.125);
        }
    }
    free(memory);
    bits_end_line(budget > 0 ? "barrier, small budgets" : warm ? "barrier, warm" : "barrier");
}

static void digest_lcp(const tact_lcp_problem *problem, tact_lcp_method method, tact_lcp_work *work,
                       tact_lcp_solution *solution) {
    tact_lcp_options options = tact_lcp_options_default();
    options.method = method;
    int n = problem->n;
    for (int warm = 0; warm < 2; warm++) {
        options.warm = warm;
        tact_status status = tact_lcp_solve(problem, &options, work, solution);
        bits_mix((uint64_t)status);
        bits_mix((uint64_t)solution->pivots);
        bits_number((double)solution->residual);
        bits_numbers(solution->z, n);
        if (status == TACT_INFEASIBLE && !problem->lo) bits_numbers(solution->ray, n);
        if (status != TACT_CONVERGED || problem->lo) return;
        tact_real g[LARGE], by_q[LARGE], by_M[MATRIX];
        for (int i = 0; i < n; i++) g[i] = (tact_real)(i + 1) / 4;
        bits_mix(tact_lcp_forward(problem, solution, problem->M, g, work, by_q));
        bits_numbers(by_q, n);
        bits_mix(tact_lcp_reverse(problem, solution, g, work, by_q, by_M));
        bits_numbers(by_q, n);
        bits_numbers(by_M, n * n);
    }
}

// all of a class, by one method; every third problem has bounds
static void digest_lcps(tact_lcp_method method) {
    static const int sizes[] = {1, 2, 4, 5, 8, 11, LARGE};
    static const char *const names[] = {"auto", "pivot", "lemke", "interior", "sweep", "enumerate"};
    tact_lcp_work work;
    tact_lcp_solution solution;
    tact_arena arena = {0};
    char name[BITS_NAME];
    for (int pass = 0; pass < 2; pass++) {
        tact_lcp_place(&work, LARGE, LARGE, &arena);
        tact_lcp_solution_place(&solution, LARGE, &arena);
        if (pass == 0) arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
    }
    for (int kind = 0; kind < LCP_KINDS; kind++) {
        // powers are the C library's
        if (kind == LCP_ILL_SCALED || kind == LCP_HIDDEN_DOMINANT) continue;
        for (int k = 0; k < 42; k++) {
            tact_real lo[LARGE], hi[LARGE];
            int n = sizes[k % 7];
            if (method == TACT_LCP_ENUMERATE && n > 8) n = 7;
            lcp_make(&honest_seed, (lcp_kind)kind, n);
            for (int i = 0; i < n; i++) lo[i] = (k + i) % 4 > 0 ? -(tact_real)(i % 3) / 8 : -TACT_MAX;
            for (int i = 0; i < n; i++) hi[i] = (k + i) % 3 > 0 ? (tact_real)(1 + i % 2) / 4 : TACT_MAX;
            tact_lcp_problem problem = {.n = n, .M = lcp_M, .q = lcp_q};
            if (k % 3 == 0) problem.lo = lo;
            if (k % 3 == 0) problem.hi = hi;
            if (method != TACT_LCP_ENUMERATE || k % 3 > 0) digest_lcp(&problem, method, &work, &solution);
        }
    }
    free(arena.memory);
    snprintf(name, sizeof name, "lcp, %s", names[method]);
    bits_end_line(name);
}

// a lattice of unknowns, each with its neighbours, some of them moved by the same
static void digest_sparse(tact_lcp_method method) {
    enum { SIDE = 12, UNKNOWNS = SIDE * SIDE };
    static int start[UNKNOWNS + 1], column[5 * UNKNOWNS];
    static tact_real value[5 * UNKNOWNS], z[UNKNOWNS], w[UNKNOWNS], ray[UNKNOWNS], right[UNKNOWNS];
    static unsigned char active[UNKNOWNS];
    static const int step[5] = {-SIDE, -1, 0, 1, SIDE};
    for (int k = 0; k < 6; k++) {
        int at = 0;
        for (int i = 0; i < UNKNOWNS; i++) {
            right[i] = (tact_real)test_random(&honest_seed, -1, 1);
            for (int d = 0; d < 5; d++) {
                int j = i + step[d];
                bool there = j >= 0 && j < UNKNOWNS && !(d == 1 && i % SIDE == 0) && !(d == 3 && j % SIDE == 0);
                if (!there) continue;
                column[at] = j;
                value[at++] = d == 2 ? 4 + (tact_real)(k % 3) / 4 : -1;
            }
            start[i + 1] = at;
        }
        tact_lcp_sparse problem = {.n = UNKNOWNS, .start = start, .column = column, .value = value, .q = right};
        tact_lcp_sparse_work work;
        tact_arena arena = {0}, whole = {0};
        tact_lcp_sparse_place(&work, UNKNOWNS, at, 0, &arena);
        arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
        tact_lcp_sparse_place(&work, UNKNOWNS, at, 0, &arena);
        int64_t envelope = tact_lcp_sparse_order(&problem, &work);
        bits_mix((uint64_t)envelope);
        tact_lcp_sparse_place(&work, UNKNOWNS, at, envelope, &whole);
        whole = (tact_arena){.memory = take(whole.used), .size = whole.used};
        tact_lcp_sparse_place(&work, UNKNOWNS, at, envelope, &whole);
        tact_lcp_options options = tact_lcp_options_default();
        options.method = method;
        tact_lcp_solution solution = {.z = z, .w = w, .ray = ray, .active = active};
        tact_lcp_sparse_order(&problem, &work);
        bits_mix((uint64_t)tact_lcp_sparse_solve(&problem, &options, &work, &solution));
        bits_mix((uint64_t)solution.pivots);
        bits_numbers(z, UNKNOWNS);
        free(arena.memory);
        free(whole.memory);
    }
    bits_end_line(method == TACT_LCP_SWEEP      ? "sparse lcp, sweep"
                  : method == TACT_LCP_INTERIOR ? "sparse lcp, interior"
                                                : "sparse lcp, pivot");
}

static void digest_friction_slopes(const tact_friction_problem *problem, const tact_real *r, tact_friction_work *work) {
    tact_friction_mode mode[CONES];
    tact_friction_derivative derivative = {.mode = mode};
    tact_real g[ROWS], by_q[ROWS], by_mu[CONES];
    for (int i = 0; i < 3 * problem->nc; i++) g[i] = (tact_real)(i + 1) / 4;
    tact_status status = tact_friction_linearise(problem, r, work, &derivative);
    bits_mix((uint64_t)status);
    if (status < 0) return;
    for (int i = 0; i < problem->nc; i++) bits_mix((uint64_t)mode[i]);
    tact_friction_forward(&derivative, g, g, by_q);
    bits_numbers(by_q, 3 * problem->nc);
    tact_friction_reverse(&derivative, g, by_q, by_mu);
    bits_numbers(by_q, 3 * problem->nc);
    bits_numbers(by_mu, problem->nc);
}

static void digest_frictions(bool warm) {
    tact_friction_work work;
    tact_arena arena = {0};
    tact_friction_place(&work, CONES, CONES * CONES, &arena);
    arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
    tact_friction_place(&work, CONES, CONES * CONES, &arena);
    for (int k = 0; k < PROBLEMS; k++) {
        int nc = 1 + (int)test_random(&honest_seed, 0, CONES);
        tact_real W[ROWS * ROWS], q[ROWS], mu[CONES], low[ROWS], high[ROWS], r[ROWS] = {0}, u[ROWS] = {0};
        make_friction(nc, W, q, mu, low, high);
        tact_friction_problem problem = {.nc = nc, .W = W, .q = q, .mu = mu, .low = low, .high = high};
        tact_friction_options options = tact_friction_options_default();
        tact_friction_solution solution = {.r = r, .u = u};
        for (int again = 0; again <= warm; again++) {
            options.warm = again;
            if (k % 5 == 4) options.max_iterations = 1 + k / 5 % 6;
            tact_status status = tact_friction_solve(&problem, &options, &work, &solution);
            bits_mix((uint64_t)status);
            bits_mix((uint64_t)solution.iterations);
            bits_mix((uint64_t)solution.sweeps);
            bits_numbers(r, 3 * nc);
            if (status == TACT_CONVERGED) digest_friction_slopes(&problem, r, &work);
            q[0] -= TACT_REAL(0.125);
        }
    }
    free(arena.memory);
    bits_end_line(warm ? "friction, warm" : "friction");
}

static void digest_qcqps(int nodes) {
    static unsigned char memory[1 << 18];
    static qcqp_case c;
    for (int k = 0; k < PROBLEMS; k++) {
        tact_real x[QCQP_N] = {0}, y[QCQP_CONSTRAINTS] = {0};
        c = (qcqp_case){.n = 0};
        qcqp_make(&c);
        tact_qcqp_options options = tact_qcqp_options_default();
        if (nodes > 0) options.max_nodes = 1 + k % nodes;
        tact_qcqp_solution solution = {.x = x, .multiplier = y};
        tact_status status = tact_qcqp_solve(&c.problem, &options, memory, sizeof memory, &solution);
        bits_mix((uint64_t)status);
        bits_mix((uint64_t)solution.nodes);
        bits_mix((uint64_t)solution.choices);
        bits_mix((uint64_t)solution.global);
        bits_mix((uint64_t)solution.stationary);
        if (status < 0) continue;
        bits_numbers(x, c.n);
        bits_numbers(y, c.problem.ncon);
        bits_number((double)solution.objective);
    }
    bits_end_line(nodes > 0 ? "qcqp, few nodes" : "qcqp");
}

int main(void) {
    if (sizeof(tact_real) != sizeof(double)) return test_end("bits_problems (of double only)");
    if (!getenv("TACT_WRITE")) bits_read();
    honest_seed = 3;
    qcqp_seed = 4;
    digest_barriers(0, false);
    digest_barriers(0, true);
    digest_barriers(9, false);
    for (int method = TACT_LCP_AUTO; method <= TACT_LCP_ENUMERATE; method++) digest_lcps((tact_lcp_method)method);
    digest_sparse(TACT_LCP_PIVOT);
    digest_sparse(TACT_LCP_INTERIOR);
    digest_sparse(TACT_LCP_SWEEP);
    digest_frictions(false);
    digest_frictions(true);
    digest_qcqps(0);
    digest_qcqps(5);
    bits_compare();
    return test_end("bits_problems");
}
