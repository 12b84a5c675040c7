// SPDX-License-Identifier: MIT
// Honest status: what the solvers call converged, infeasible or solved is so by the definitions of the problems (honest.h).
// Random problems, many of them degenerate: 10,000 of each kind, or as many as TACT_COUNT says.
#include "honest.h"
#include "honest_cases.h"

static int problems;

// barrier problems

// How the problems of a kind ended, and by how much what was claimed is off.
typedef struct {
    int converged, infeasible, other;
    double off, proof_off;
} tally;

static void add(tally *sum, tact_status status, double off, double proof_off) {
    sum->converged += status == TACT_CONVERGED;
    sum->infeasible += status == TACT_INFEASIBLE;
    sum->other += status != TACT_CONVERGED && status != TACT_INFEASIBLE;
    sum->off = honest_max(sum->off, off);
    sum->proof_off = honest_max(sum->proof_off, proof_off);
}

static void report(const tally *sum, const char *kind, double slack, int least) {
    printf("%s: %d converged, off by %.2g at most; %d infeasible, by %.2g; %d other\n", kind, sum->converged, sum->off,
           sum->infeasible, sum->proof_off, sum->other);
    CHECK(sum->off <= slack);
    CHECK(sum->proof_off <= PROOF_SLACK);
    CHECK(sum->converged > least && sum->infeasible > problems / 50);
}

// mostly as it is, at times none or much; below 0: of scalar rows
static tact_real vary_friction(int k, tact_real mu) {
    if (mu < 0 || k % 7 > 1) return mu;
    return k % 7 == 0 ? 0 : 5 * mu;
}

static void check_barriers(void) {
    tact_barrier_work work;
    void *memory = take_barrier(&work);
    tally sum = {0};
    for (int k = 0; k < problems; k++) {
        barrier_case c;
        tact_real d[N], lambda[3 * CONES], bound_lambda[BOUNDS];
        make_barrier(&c);
        for (int i = 0; i < c.ncone; i++) c.cone[i].mu = vary_friction(k + i, c.cone[i].mu);
        tact_barrier_problem problem = barrier_problem_of(&c);
        tact_barrier_options options = tact_barrier_options_default();
        tact_barrier_solution solution = {.d = d, .lambda = lambda, .bound_lambda = bound_lambda};
        tact_status status = tact_barrier_solve(&problem, &options, &work, &solution);
        add(&sum, status, status == TACT_CONVERGED ? honest_barrier(&problem, &solution) : 0,
            status == TACT_INFEASIBLE ? honest_barrier_proof(&problem, &solution) : 0);
    }
    report(&sum, "barrier", BARRIER_SLACK, problems / 10);
    free(memory);
}

// complementarity

static void check_lcps(void) {
    tact_lcp_work work;
    tact_lcp_solution solution;
    tact_arena arena = {0};
    tact_lcp_place(&work, N, -1, &arena);
    tact_lcp_solution_place(&solution, N, &arena);
    arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
    tact_lcp_place(&work, N, -1, &arena);
    tact_lcp_solution_place(&solution, N, &arena);
    tally sum = {0};
    for (int k = 0; k < problems; k++) {
        int n = 1 + (int)test_random(&honest_seed, 0, N);
        tact_real M[N * N], q[N];
        make_lcp(n, M, q);
        tact_lcp_problem problem = {.n = n, .M = M, .q = q};
        tact_lcp_options options = tact_lcp_options_default();
        options.method = (tact_lcp_method)(k % 6);
        tact_status status = tact_lcp_solve(&problem, &options, &work, &solution);
        add(&sum, status, status == TACT_CONVERGED ? honest_lcp(&problem, solution.z) : 0,
            status == TACT_INFEASIBLE ? honest_lcp_proof(&problem, solution.ray) : 0);
    }
    report(&sum, "lcp", LCP_SLACK, problems / 10);
    free(arena.memory);
}

// friction

// Whether the first two contacts move against each other, and close: a proof that needs no search.
static bool is_shut(const tact_friction_problem *p) {
    int rows = 3 * p->nc;
    double gap = (double)p->q[0] + (p->nc > 1 ? (double)p->q[3] : 0);
    bool against = p->nc > 1 && p->mu[0] >= 0 && p->mu[1] >= 0;
    for (int j = 0; against && j < rows; j++) against = p->W[j] == -p->W[3 * rows + j];
    return against && gap < -0.01;
}

static void check_frictions(void) {
    tact_friction_work work;
    tact_arena arena = {0};
    tact_friction_place(&work, CONES, CONES * CONES, &arena);
    arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
    tact_friction_place(&work, CONES, CONES * CONES, &arena);
    tally sum = {0};
    int shut = 0, missed = 0;
    for (int k = 0; k < problems; k++) {
        int nc = 1 + (int)test_random(&honest_seed, 0, CONES);
        tact_real W[9 * CONES * CONES], q[3 * CONES], mu[CONES], low[3 * CONES], high[3 * CONES], r[3 * CONES], u[3 * CONES];
        make_friction(nc, W, q, mu, low, high);
        for (int i = 0; i < nc; i++) mu[i] = vary_friction(k + i, mu[i]);
        tact_friction_problem problem = {.nc = nc, .W = W, .q = q, .mu = mu, .low = low, .high = high};
        tact_friction_options options = tact_friction_options_default();
        tact_friction_solution solution = {.r = r, .u = u};
        tact_status status = tact_friction_solve(&problem, &options, &work, &solution);
        shut += is_shut(&problem);
        missed += is_shut(&problem) && status != TACT_INFEASIBLE;
        add(&sum, status, status == TACT_CONVERGED ? honest_friction(&problem, r) : 0,
            status == TACT_INFEASIBLE ? honest_friction_proof(&problem, r) : 0);
    }
    report(&sum, "friction", FRICTION_SLACK, problems / 2);
    // rounding hides some, most in single precision
    CHECK(shut > problems / 50 && missed <= shut / (sizeof(tact_real) == sizeof(double) ? 200 : 20));
    free(arena.memory);
}

int main(void) {
    honest_seed = test_seed(11);
    problems = test_rounds(10000);
    check_barriers();
    check_lcps();
    check_frictions();
    return test_end("honest");
}
