// SPDX-License-Identifier: MIT
// Honest status: what the solvers call converged, infeasible or solved is so by the definitions of the problems (honest.h).
// Random problems, many of them degenerate: 1000 of each kind, or as many as TACT_COUNT says.
#include "honest.h"
#include "test.h"

enum { N = 6, CONES = 3, BOUNDS = 3 };

static int problems;
static uint64_t seed;

// mostly of size 1, at times 0 or round, so that ties happen
static tact_real any(void) {
    double pick = test_random(&seed, 0, 1);
    if (pick < 0.15) return 0;
    if (pick < 0.3) return (tact_real)floor(test_random(&seed, -2, 3));
    return (tact_real)test_random(&seed, -2, 2);
}

static void *take(size_t size) {
    void *memory = malloc(size + 1);
    if (!memory) exit(2);
    return memory;
}

// barrier problems

typedef struct {
    int n, ncone, nbound;
    tact_real P[N][N], p[N], J[CONES][3 * N];
    tact_cone cone[CONES];
    tact_bound bound[BOUNDS];
    int first[N], start[N + 1], column[N];
    tact_real value[N * (N + 1) / 2];
} barrier_case;

static void make_barrier(barrier_case *c) {
    c->n = 1 + (int)test_random(&seed, 0, N);
    c->ncone = (int)test_random(&seed, 0, CONES + 1);
    c->nbound = (int)test_random(&seed, 0, BOUNDS + 1);
    int rank = (int)test_random(&seed, 0, c->n + 2);
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
            .width = c->n, .column = c->column, .J = c->J[i], .mu = (tact_real)test_random(&seed, 0, 1), .kappa = 100};
        for (int k = 0; k < 3; k++) c->cone[i].c[k] = any();
    }
    for (int j = 0; j < c->nbound; j++)
        c->bound[j] = (tact_bound){(int)test_random(&seed, 0, c->n), any() > 0 ? 1 : -1, any(), 1000};
}

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

static void check_barriers(void) {
    tact_barrier_size size = {.n = N, .ncone = CONES, .nbound = BOUNDS, .columns = N * CONES, .envelope = N * (N + 1) / 2};
    tact_barrier_work work;
    tact_arena arena = {0};
    tact_barrier_place(&work, size, &arena);
    arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
    tact_barrier_place(&work, size, &arena);
    tally sum = {0};
    for (int k = 0; k < problems; k++) {
        barrier_case c;
        tact_real d[N], lambda[3 * CONES], bound_lambda[BOUNDS];
        make_barrier(&c);
        tact_barrier_problem problem = {.n = c.n,
                                        .ncone = c.ncone,
                                        .nbound = c.nbound,
                                        .P = {c.n, c.first, c.start, c.value},
                                        .p = c.p,
                                        .cone = c.cone,
                                        .bound = c.bound};
        tact_barrier_options options = tact_barrier_options_default();
        tact_barrier_solution solution = {.d = d, .lambda = lambda, .bound_lambda = bound_lambda};
        tact_status status = tact_barrier_solve(&problem, &options, &work, &solution);
        add(&sum, status, status == TACT_CONVERGED ? honest_barrier(&problem, &solution) : 0,
            status == TACT_INFEASIBLE ? honest_barrier_proof(&problem, &solution) : 0);
    }
    report(&sum, "barrier", BARRIER_SLACK, problems / 10);
    free(arena.memory);
}

// complementarity

static void make_lcp(int n, tact_real *M, tact_real *q) {
    int kind = (int)test_random(&seed, 0, 3);
    tact_real G[N * N];
    for (int i = 0; i < n * n; i++) G[i] = M[i] = any();
    for (int i = 0; i < n; i++) q[i] = any();
    for (int i = 0; i < n && kind > 0; i++)
        for (int j = 0; j < n; j++) {
            M[i * n + j] = 0;
            for (int k = 0; k < (kind == 1 ? n : n - 1); k++) M[i * n + j] += G[k * n + i] * G[k * n + j];
        }
}

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
        int n = 1 + (int)test_random(&seed, 0, N);
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

// what touches moves along J: contacts, of which the second may press back on the first, and blocks of scalar rows with limits
static void make_friction(int nc, tact_real *W, tact_real *q, tact_real *mu, tact_real *low, tact_real *high) {
    int rows = 3 * nc, rank = 3 + (int)test_random(&seed, 0, 6);
    bool squeezed = nc > 1 && test_random(&seed, 0, 1) < 0.3;
    tact_real J[9][3 * CONES];
    for (int a = 0; a < rank; a++) {
        for (int i = 0; i < rows; i++) J[a][i] = (tact_real)test_random(&seed, -1, 1);
        if (squeezed) J[a][3] = -J[a][0];
    }
    for (int i = 0; i < rows; i++) {
        q[i] = any();
        low[i] = test_random(&seed, 0, 1) < 0.3 ? -TACT_MAX : -(tact_real)test_random(&seed, 0, 1);
        high[i] = test_random(&seed, 0, 1) < 0.3 ? TACT_MAX : (tact_real)test_random(&seed, 0, 1);
        for (int j = 0; j < rows; j++) {
            W[i * rows + j] = 0;
            for (int a = 0; a < rank; a++) W[i * rows + j] += J[a][i] * J[a][j];
        }
    }
    for (int i = 0; i < nc; i++) mu[i] = (tact_real)(i > 0 && test_random(&seed, 0, 1) < 0.2 ? -1 : test_random(&seed, 0, 1));
}

static void check_frictions(void) {
    tact_friction_work work;
    tact_arena arena = {0};
    tact_friction_place(&work, CONES, CONES * CONES, &arena);
    arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
    tact_friction_place(&work, CONES, CONES * CONES, &arena);
    tally sum = {0};
    for (int k = 0; k < problems; k++) {
        int nc = 1 + (int)test_random(&seed, 0, CONES);
        tact_real W[9 * CONES * CONES], q[3 * CONES], mu[CONES], low[3 * CONES], high[3 * CONES], r[3 * CONES], u[3 * CONES];
        make_friction(nc, W, q, mu, low, high);
        tact_friction_problem problem = {.nc = nc, .W = W, .q = q, .mu = mu, .low = low, .high = high};
        tact_friction_options options = tact_friction_options_default();
        tact_friction_solution solution = {.r = r, .u = u};
        tact_status status = tact_friction_solve(&problem, &options, &work, &solution);
        add(&sum, status, status == TACT_CONVERGED ? honest_friction(&problem, r) : 0,
            status == TACT_INFEASIBLE ? honest_friction_proof(&problem, r) : 0);
    }
    report(&sum, "friction", FRICTION_SLACK, problems / 2);
    free(arena.memory);
}

int main(void) {
    seed = test_seed(11);
    problems = test_rounds(1000);
    check_barriers();
    check_lcps();
    check_frictions();
    return test_end("honest");
}
