// SPDX-License-Identifier: MIT
// Every solver fed with arbitrary doubles: barrier problems, complementarity problems, friction, quadratic constraints. What is
// given back is finite, and the status has a name.
#include "fuzz.h"

enum { N = 6, CONES = 2, BOUNDS = 3 };

static void *place(tact_arena *arena, void (*take)(void *, tact_arena *), void *work) {
    *arena = (tact_arena){0};
    take(work, arena);
    arena->size = arena->used;
    arena->memory = malloc(arena->used);
    arena->used = 0;
    take(work, arena);
    return arena->memory;
}

static void take_barrier(void *work, tact_arena *arena) {
    tact_barrier_size size = {.n = N, .ncone = CONES, .nbound = BOUNDS, .columns = N * CONES, .envelope = N * (N + 1) / 2};
    tact_barrier_place(work, size, arena);
}

static void solve_barrier(fuzz_source *source) {
    int n = 1 + fuzz_below(source, N), ncone = fuzz_below(source, CONES + 1), nbound = fuzz_below(source, BOUNDS + 1);
    int first[N], start[N + 1] = {0}, column[N];
    tact_real value[N * (N + 1) / 2], p[N], J[CONES][3 * N], d[N], lambda[3 * CONES] = {0}, bound_lambda[BOUNDS] = {0};
    tact_cone cone[CONES];
    tact_bound bound[BOUNDS];
    for (int i = 0; i < n; i++) {
        first[i] = fuzz_below(source, i + 1);
        start[i + 1] = start[i] + i - first[i] + 1;
        column[i] = i;
    }
    fuzz_fill(source, value, start[n]);
    fuzz_fill(source, p, n);
    for (int i = 0; i < ncone; i++) {
        fuzz_fill(source, J[i], 3 * n);
        cone[i] = (tact_cone){.width = n, .column = column, .J = J[i], .mu = fuzz_real(source), .kappa = fuzz_real(source)};
        fuzz_fill(source, cone[i].c, 3);
    }
    for (int j = 0; j < nbound; j++)
        bound[j] = (tact_bound){fuzz_below(source, n), fuzz_below(source, 2) ? 1 : -1, fuzz_real(source), fuzz_real(source)};
    fuzz_fill(source, lambda, 3 * ncone);
    tact_barrier_problem problem = {
        .n = n, .ncone = ncone, .nbound = nbound, .P = {n, first, start, value}, .p = p, .cone = cone, .bound = bound};
    tact_barrier_options options = {1 + fuzz_below(source, 40), TACT_TOLERANCE, fuzz_below(source, 2)};
    tact_barrier_solution solution = {.d = d, .lambda = lambda, .bound_lambda = bound_lambda};
    tact_barrier_work work;
    tact_arena arena;
    void *memory = place(&arena, take_barrier, &work);
    tact_status status = tact_barrier_solve(&problem, &options, &work, &solution);
    fuzz_require(tact_status_name(status) && solution.iterations <= options.max_iterations, "within the budget");
    fuzz_require(status < 0 || (fuzz_finite(d, n) && fuzz_finite(lambda, 3 * ncone)), "the answer is finite");
    free(memory);
}

static void take_lcp(void *work, tact_arena *arena) {
    tact_lcp_place(work, N, N, arena);
}

static void take_solution(void *solution, tact_arena *arena) {
    tact_lcp_solution_place(solution, N, arena);
}

static void solve_lcp(fuzz_source *source) {
    int n = 1 + fuzz_below(source, N);
    bool bounded = fuzz_below(source, 2);
    tact_real M[N * N], q[N], lo[N], hi[N];
    fuzz_fill(source, M, n * n);
    fuzz_fill(source, q, n);
    fuzz_fill(source, lo, n);
    fuzz_fill(source, hi, n);
    tact_lcp_problem problem = {.n = n, .M = M, .q = q, .lo = bounded ? lo : NULL, .hi = bounded ? hi : NULL};
    tact_lcp_options options = tact_lcp_options_default();
    options.method = (tact_lcp_method)fuzz_below(source, 6);
    options.max_pivots = fuzz_below(source, 100);
    tact_lcp_work work;
    tact_lcp_solution solution;
    tact_arena arena[2];
    void *memory[2] = {place(&arena[0], take_lcp, &work), place(&arena[1], take_solution, &solution)};
    tact_status status = tact_lcp_solve(&problem, &options, &work, &solution);
    fuzz_require(tact_status_name(status) != NULL, "a status has a name");
    fuzz_require(status < 0 || (fuzz_finite(solution.z, n) && fuzz_finite(solution.w, n)), "the answer is finite");
    free(memory[0]);
    free(memory[1]);
}

static void take_friction(void *work, tact_arena *arena) {
    tact_friction_place(work, CONES, CONES * CONES, arena);
}

static void solve_friction(fuzz_source *source) {
    int nc = 1 + fuzz_below(source, CONES);
    tact_real W[9 * CONES * CONES], q[3 * CONES], mu[CONES], r[3 * CONES] = {0}, u[3 * CONES];
    fuzz_fill(source, W, 9 * nc * nc);
    fuzz_fill(source, q, 3 * nc);
    fuzz_fill(source, mu, nc);
    tact_friction_problem problem = {.nc = nc, .W = W, .q = q, .mu = mu};
    tact_friction_options options = tact_friction_options_default();
    tact_friction_solution solution = {.r = r, .u = u};
    tact_friction_work work;
    tact_arena arena;
    options.max_iterations = 1 + fuzz_below(source, 60);
    options.warm = fuzz_below(source, 2);
    if (options.warm) fuzz_fill(source, r, 3 * nc);
    void *memory = place(&arena, take_friction, &work);
    tact_status status = tact_friction_solve(&problem, &options, &work, &solution);
    fuzz_require(tact_status_name(status) != NULL, "a status has a name");
    fuzz_require(status < 0 || (fuzz_finite(r, 3 * nc) && fuzz_finite(u, 3 * nc)), "the answer is finite");
    free(memory);
}

// n unknowns, up to six entries of each kind
static tact_quadratic any_quadratic(fuzz_source *source, int n, tact_triplet entries[12]) {
    int nquadratic = fuzz_below(source, 6), nlinear = fuzz_below(source, 6);
    for (int k = 0; k < nquadratic + nlinear; k++)
        entries[k] = (tact_triplet){fuzz_below(source, n), fuzz_below(source, n), fuzz_real(source)};
    return (tact_quadratic){nquadratic, nlinear, entries, entries + nquadratic, fuzz_real(source)};
}

static void solve_qcqp(fuzz_source *source) {
    enum { UNKNOWNS = 4, CONSTRAINTS = 3 };
    int n = 1 + fuzz_below(source, UNKNOWNS), ncon = fuzz_below(source, CONSTRAINTS + 1);
    tact_triplet entries[CONSTRAINTS + 1][12];
    tact_quadratic constraint[CONSTRAINTS + 1];
    bool equality[CONSTRAINTS + 1] = {false};
    tact_real x[UNKNOWNS], multiplier[CONSTRAINTS + 1];
    tact_qcqp problem = {.n = n, .ncon = ncon, .constraint = constraint, .equality = equality};
    problem.objective = any_quadratic(source, n, entries[CONSTRAINTS]);
    for (int i = 0; i < ncon; i++) {
        constraint[i] = any_quadratic(source, n, entries[i]);
        equality[i] = fuzz_below(source, 2);
    }
    tact_qcqp_options options = tact_qcqp_options_default();
    options.max_nodes = 20;
    options.starts = 2;
    size_t size = tact_qcqp_size(&problem);
    void *memory = malloc(size + 1);
    tact_qcqp_solution solution = {.x = x, .multiplier = multiplier};
    tact_status status = tact_qcqp_solve(&problem, &options, memory, size, &solution);
    fuzz_require(tact_status_name(status) != NULL, "a status has a name");
    fuzz_require(status < 0 || fuzz_finite(x, n), "the answer is finite");
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_source source = {bytes, size, 0};
    switch (fuzz_below(&source, 4)) {
    case 0: solve_barrier(&source); break;
    case 1: solve_lcp(&source); break;
    case 2: solve_friction(&source); break;
    default: solve_qcqp(&source);
    }
    return 0;
}
