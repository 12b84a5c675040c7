// SPDX-License-Identifier: MIT
// Every problem that is solved as matrices, of arbitrary doubles: barrier, complementarity (dense with and without bounds,
// sparse, all answers), friction, quadratic constraints. The status is one that the header names, the budget holds, what is given
// back is finite; and of problems of tame numbers it is what its status says, by the judges of test/honest.h.
#include "fuzz.h"
#include "honest.h"

enum { N = 5, CONES = 2, BOUNDS = 3 };

static bool judge(const fuzz_source *source, tact_status status, tact_status what) {
    return !source->wild && status == what;
}

// barrier problems

typedef struct {
    int first[N], start[N + 1], column[N];
    tact_real value[N * (N + 1) / 2], p[N], J[CONES][3 * N];
    tact_cone cone[CONES];
    tact_bound bound[BOUNDS];
} barrier_parts;

static void place_barrier(void *work, const void *size, tact_arena *arena) {
    tact_barrier_place(work, *(const tact_barrier_size *)size, arena);
}

// mostly positive definite: what the solver asks for
static void any_quadratic_part(fuzz_source *source, barrier_parts *parts, int n) {
    bool dominant = fuzz_below(source, 4) > 0;
    parts->start[0] = 0;
    for (int i = 0; i < n; i++) {
        parts->first[i] = fuzz_below(source, i + 1);
        parts->start[i + 1] = parts->start[i] + i - parts->first[i] + 1;
        parts->column[i] = i;
        tact_real *row = parts->value + parts->start[i], sum = 0;
        fuzz_fill(source, row, i - parts->first[i] + 1);
        for (int j = 0; j < i - parts->first[i]; j++) sum += (tact_real)fabs((double)row[j]);
        if (dominant) row[i - parts->first[i]] = (tact_real)fabs((double)row[i - parts->first[i]]) + 2 * sum + 4;
        for (int j = 0; j < i - parts->first[i] && dominant; j++) row[j] /= 8;
    }
}

static void any_cones(fuzz_source *source, barrier_parts *parts, int n, int ncone, int nbound) {
    for (int i = 0; i < ncone; i++) {
        fuzz_fill(source, parts->J[i], 3 * n);
        tact_real mu = fuzz_real(source), kappa = fuzz_real(source);
        if (!source->wild) mu = (tact_real)fabs((double)mu), kappa = 100 * (tact_real)fabs((double)kappa) + 1;
        parts->cone[i] = (tact_cone){.width = n, .column = parts->column, .J = parts->J[i], .mu = mu, .kappa = kappa};
        fuzz_fill(source, parts->cone[i].c, 3);
    }
    for (int j = 0; j < nbound; j++) {
        tact_real c = fuzz_real(source), kappa = fuzz_real(source);
        if (!source->wild) kappa = 100 * (tact_real)fabs((double)kappa) + 1;
        parts->bound[j] = (tact_bound){fuzz_below(source, n), fuzz_below(source, 2) ? 1 : -1, c, kappa};
    }
}

static void solve_barrier(fuzz_source *source) {
    static const tact_status known[] = {TACT_CONVERGED, TACT_ITERATION_LIMIT, TACT_INFEASIBLE,
                                        TACT_UNDECIDED, TACT_SINGULAR,        TACT_BAD_INPUT};
    int n = 1 + fuzz_below(source, N), ncone = fuzz_below(source, CONES + 1), nbound = fuzz_below(source, BOUNDS + 1);
    barrier_parts parts;
    tact_real d[N], lambda[3 * CONES] = {0}, bound_lambda[BOUNDS] = {0};
    any_quadratic_part(source, &parts, n);
    fuzz_fill(source, parts.p, n);
    any_cones(source, &parts, n, ncone, nbound);
    tact_barrier_options options = {1 + fuzz_below(source, 40), TACT_TOLERANCE, fuzz_below(source, 2)};
    if (options.warm) fuzz_fill(source, lambda, 3 * ncone);
    if (source->wild && fuzz_below(source, 8) == 0) options.tolerance = fuzz_real(source);
    tact_barrier_problem problem = {.n = n,
                                    .ncone = ncone,
                                    .nbound = nbound,
                                    .P = {n, parts.first, parts.start, parts.value},
                                    .p = parts.p,
                                    .cone = parts.cone,
                                    .bound = parts.bound};
    tact_barrier_solution solution = {.d = d, .lambda = lambda, .bound_lambda = bound_lambda};
    tact_barrier_size size = {.n = n, .ncone = ncone, .nbound = nbound, .columns = n * ncone, .envelope = n * (n + 1) / 2};
    tact_barrier_work work;
    void *memory = fuzz_take(place_barrier, &work, &size);
    bool refused = tact_barrier_check(&problem, &options).field != NULL;
    tact_status status = tact_barrier_solve(&problem, &options, &work, &solution);
    fuzz_status(status, known, "barrier: a status that is named");
    fuzz_require(!refused || status == TACT_BAD_INPUT, "barrier: what the check finds is refused");
    fuzz_require(refused || solution.iterations <= options.max_iterations, "barrier: within the budget");
    bool answer = status >= 0 || status == TACT_INFEASIBLE;
    fuzz_require(!answer || (fuzz_finite(lambda, 3 * ncone) && fuzz_finite(bound_lambda, nbound)), "barrier: finite forces");
    fuzz_require(status < 0 || fuzz_finite(d, n), "barrier: a finite answer");
    if (judge(source, status, TACT_CONVERGED))
        fuzz_require(honest_barrier(&problem, &solution) <= BARRIER_SLACK, "barrier: converged");
    if (judge(source, status, TACT_INFEASIBLE))
        fuzz_require(honest_barrier_proof(&problem, &solution) <= PROOF_SLACK, "barrier: infeasible");
    free(memory);
}

// complementarity

typedef struct {
    int n, doubled, entries;
    int64_t envelope;
} lcp_size;

static void place_lcp(void *work, const void *size, tact_arena *arena) {
    const lcp_size *s = size;
    tact_lcp_place(work, s->n, s->doubled, arena);
}

static void place_solution(void *solution, const void *size, tact_arena *arena) {
    tact_lcp_solution_place(solution, ((const lcp_size *)size)->n, arena);
}

static void place_sparse(void *work, const void *size, tact_arena *arena) {
    const lcp_size *s = size;
    tact_lcp_sparse_place(work, s->n, s->entries, s->envelope, arena);
}

static void any_matrix(fuzz_source *source, int n, tact_real *M) {
    fuzz_fill(source, M, n * n);
    if (fuzz_below(source, 2)) return;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) M[i * n + j] = M[j * n + i];
    for (int i = 0; i < n && fuzz_below(source, 2); i++) M[i * n + i] += 4;
}

static void check_lcp(const fuzz_source *source, const tact_lcp_problem *problem, const tact_lcp_solution *solution,
                      tact_status status) {
    static const tact_status known[] = {TACT_CONVERGED, TACT_INFEASIBLE,      TACT_UNSOLVABLE,
                                        TACT_RAY,       TACT_ITERATION_LIMIT, TACT_BAD_INPUT};
    int n = problem->n;
    bool plain = !problem->lo && !problem->hi;
    fuzz_status(status, known, "lcp: a status that is named");
    fuzz_require(status < 0 || (fuzz_finite(solution->z, n) && fuzz_finite(solution->w, n)), "lcp: a finite answer");
    bool ray = plain && (status == TACT_INFEASIBLE || status == TACT_RAY);
    fuzz_require(!ray || fuzz_finite(solution->ray, n), "lcp: a finite ray");
    if (judge(source, status, TACT_CONVERGED)) fuzz_require(honest_lcp(problem, solution->z) <= LCP_SLACK, "lcp: converged");
    if (judge(source, status, TACT_INFEASIBLE) && plain)
        fuzz_require(honest_lcp_proof(problem, solution->ray) <= PROOF_SLACK, "lcp: infeasible");
}

static void any_active(fuzz_source *source, tact_lcp_options *options, tact_lcp_solution *solution, int n) {
    options->warm = fuzz_below(source, 2);
    for (int i = 0; i < n && options->warm; i++) solution->active[i] = (unsigned char)fuzz_below(source, 3);
}

// how the answer moves, forwards and in reverse
static void move_lcp(fuzz_source *source, const tact_lcp_problem *problem, const tact_lcp_solution *solution,
                     tact_lcp_work *work) {
    int n = problem->n;
    tact_real dM[N * N], dq[N], dz[N], by_q[N], by_M[N * N];
    bool tame = !source->wild;
    fuzz_fill(source, dM, n * n);
    fuzz_fill(source, dq, n);
    bool forward = tact_lcp_forward(problem, solution, dM, dq, work, dz);
    bool reverse = tact_lcp_reverse(problem, solution, dq, work, by_q, by_M);
    fuzz_require(!tame || forward == reverse, "lcp: derivatives exist both ways");
    fuzz_require(!tame || (fuzz_finite(dz, n) && fuzz_finite(by_q, n) && fuzz_finite(by_M, n * n)), "lcp: finite derivatives");
}

static void list_lcp(const fuzz_source *source, const tact_lcp_problem *problem, tact_lcp_work *work) {
    tact_real z[4 * N];
    tact_lcp_list list = {.z = z, .most = 4};
    tact_status status = tact_lcp_enumerate(problem, work, &list);
    fuzz_require(tact_status_name(status) != NULL, "lcp: a status has a name");
    for (int k = 0; k < list.most && k < list.count && status == TACT_CONVERGED; k++) {
        fuzz_require(fuzz_finite(z + k * problem->n, problem->n), "lcp: finite answers");
        fuzz_require(source->wild || honest_lcp(problem, z + k * problem->n) <= LCP_SLACK, "lcp: answers in the list");
    }
}

static void solve_lcp(fuzz_source *source) {
    lcp_size size = {.n = 1 + fuzz_below(source, N), .doubled = -1};
    int n = size.n, bounded = fuzz_below(source, 4);
    tact_real M[N * N], q[N], lo[N], hi[N];
    any_matrix(source, n, M);
    fuzz_fill(source, q, n);
    for (int i = 0; i < n && bounded; i++) {
        lo[i] = fuzz_below(source, 3) ? fuzz_real(source) : -TACT_MAX;
        hi[i] = fuzz_below(source, 3) ? lo[i] + (tact_real)fabs((double)fuzz_real(source)) : TACT_MAX;
    }
    if (bounded) size.doubled = n;
    tact_lcp_problem problem = {.n = n, .M = M, .q = q, .lo = bounded & 1 ? lo : NULL, .hi = bounded == 3 ? hi : NULL};
    tact_lcp_options options = tact_lcp_options_default();
    options.method = (tact_lcp_method)fuzz_below(source, 6);
    options.max_pivots = fuzz_below(source, 40);
    tact_lcp_work work;
    tact_lcp_solution solution;
    void *memory[2] = {fuzz_take(place_lcp, &work, &size), fuzz_take(place_solution, &solution, &size)};
    any_active(source, &options, &solution, n);
    tact_status status = tact_lcp_solve(&problem, &options, &work, &solution);
    check_lcp(source, &problem, &solution, status);
    if (status == TACT_CONVERGED && !bounded) move_lcp(source, &problem, &solution, &work);
    if (!bounded && fuzz_below(source, 8) == 0) list_lcp(source, &problem, &work);
    free(memory[0]);
    free(memory[1]);
}

static void solve_sparse(fuzz_source *source) {
    int n = 1 + fuzz_below(source, N), start[N + 1] = {0}, column[N * N];
    tact_real value[N * N], M[N * N], q[N];
    any_matrix(source, n, M);
    fuzz_fill(source, q, n);
    for (int i = 0; i < n; i++) {
        start[i + 1] = start[i];
        for (int j = 0; j < n; j++) {
            if (M[i * n + j] == 0) continue;
            column[start[i + 1]] = j;
            value[start[i + 1]++] = M[i * n + j];
        }
    }
    tact_lcp_sparse problem = {.n = n, .start = start, .column = column, .value = value, .q = q};
    tact_lcp_problem dense = {.n = n, .M = M, .q = q};
    lcp_size size = {.n = n, .entries = start[n]};
    tact_lcp_options options = tact_lcp_options_default();
    options.method = (tact_lcp_method)fuzz_below(source, 5);
    options.max_pivots = fuzz_below(source, 40);
    tact_lcp_sparse_work work;
    tact_lcp_solution solution;
    void *memory[3] = {fuzz_take(place_sparse, &work, &size), fuzz_take(place_solution, &solution, &size), NULL};
    size.envelope = tact_lcp_sparse_order(&problem, &work);
    fuzz_require(size.envelope >= -1 && size.envelope <= n * (n + 1) / 2, "lcp: an envelope within the triangle");
    if (size.envelope < 0) size.envelope = 0;
    memory[2] = fuzz_take(place_sparse, &work, &size);
    any_active(source, &options, &solution, n);
    check_lcp(source, &dense, &solution, tact_lcp_sparse_solve(&problem, &options, &work, &solution));
    for (int k = 0; k < 3; k++) free(memory[k]);
}

// friction

static void place_friction(void *work, const void *nc, tact_arena *arena) {
    int count = *(const int *)nc;
    tact_friction_place(work, count, count * count, arena);
}

// W = J J' is what contacts have; or anything
static void any_inertia(fuzz_source *source, int rows, tact_real *W) {
    int rank = fuzz_below(source, 7);
    tact_real J[6][3 * CONES];
    if (rank == 0) fuzz_fill(source, W, rows * rows);
    for (int a = 0; a < rank; a++) fuzz_fill(source, J[a], rows);
    for (int i = 0; i < rows && rank; i++)
        for (int j = 0; j < rows; j++) {
            W[i * rows + j] = 0;
            for (int a = 0; a < rank; a++) W[i * rows + j] += J[a][i] * J[a][j];
        }
}

static void move_friction(fuzz_source *source, const tact_friction_problem *problem, const tact_real *r,
                          tact_friction_work *work) {
    static const tact_status known[] = {TACT_CONVERGED, TACT_SINGULAR, TACT_NO_MEMORY, TACT_BAD_INPUT};
    tact_friction_mode mode[CONES];
    tact_friction_derivative derivative = {.mode = mode};
    tact_real dw[3 * CONES], dmu[CONES], dr[3 * CONES];
    tact_status status = tact_friction_linearise(problem, r, work, &derivative);
    fuzz_status(status, known, "friction: a derivative's status that is named");
    if (status != TACT_CONVERGED) return;
    fuzz_fill(source, dw, 3 * problem->nc);
    fuzz_fill(source, dmu, problem->nc);
    tact_friction_forward(&derivative, dw, dmu, dr);
    fuzz_require(source->wild || fuzz_finite(dr, 3 * problem->nc), "friction: finite derivatives");
    tact_friction_reverse(&derivative, dw, dr, dmu);
    fuzz_require(source->wild || fuzz_finite(dr, 3 * problem->nc), "friction: finite derivatives in reverse");
}

static void solve_friction(fuzz_source *source) {
    static const tact_status known[] = {TACT_CONVERGED, TACT_ITERATION_LIMIT, TACT_INFEASIBLE, TACT_NO_MEMORY, TACT_BAD_INPUT};
    int nc = 1 + fuzz_below(source, CONES), limits = fuzz_below(source, 2);
    tact_real W[9 * CONES * CONES], q[3 * CONES], mu[CONES], r[3 * CONES] = {0}, u[3 * CONES], low[3 * CONES], high[3 * CONES];
    any_inertia(source, 3 * nc, W);
    fuzz_fill(source, q, 3 * nc);
    fuzz_fill(source, mu, nc);
    for (int i = 0; i < 3 * nc && limits; i++) {
        low[i] = fuzz_below(source, 3) ? fuzz_real(source) : -TACT_MAX;
        high[i] =
            fuzz_below(source, 3) ? (low[i] > -TACT_MAX ? low[i] : 0) + (tact_real)fabs((double)fuzz_real(source)) : TACT_MAX;
    }
    tact_friction_problem problem = {
        .nc = nc, .W = W, .q = q, .mu = mu, .low = limits ? low : NULL, .high = limits ? high : NULL};
    tact_friction_options options = tact_friction_options_default();
    tact_friction_solution solution = {.r = r, .u = u};
    tact_friction_work work;
    options.max_iterations = 1 + fuzz_below(source, 30);
    options.warm = fuzz_below(source, 2);
    if (options.warm) fuzz_fill(source, r, 3 * nc);
    void *memory = fuzz_take(place_friction, &work, &nc);
    tact_status status = tact_friction_solve(&problem, &options, &work, &solution);
    fuzz_status(status, known, "friction: a status that is named");
    fuzz_require(solution.iterations <= options.max_iterations, "friction: within the budget");
    bool answer = status >= 0 || status == TACT_INFEASIBLE;
    fuzz_require(!answer || fuzz_finite(r, 3 * nc), "friction: a finite answer");
    fuzz_require(status < 0 || fuzz_finite(u, 3 * nc), "friction: finite velocities");
    if (judge(source, status, TACT_CONVERGED))
        fuzz_require(honest_friction(&problem, r) <= FRICTION_SLACK, "friction: converged");
    if (judge(source, status, TACT_INFEASIBLE))
        fuzz_require(honest_friction_proof(&problem, r) <= PROOF_SLACK, "friction: infeasible");
    if (status == TACT_CONVERGED) move_friction(source, &problem, r, &work);
    free(memory);
}

// quadratic constraints

enum { UNKNOWNS = 3, CONSTRAINTS = 3, ENTRIES = 8 };

static tact_quadratic any_quadratic(fuzz_source *source, int n, tact_triplet entries[ENTRIES]) {
    int nquadratic = fuzz_below(source, 5), nlinear = fuzz_below(source, 4);
    bool symmetric = nquadratic % 2 == 0;
    for (int k = 0; k < nquadratic + nlinear; k++) {
        bool twin = symmetric && k < nquadratic && k % 2;
        int row = fuzz_below(source, n), column = fuzz_below(source, n);
        entries[k] = twin ? (tact_triplet){entries[k - 1].column, entries[k - 1].row, entries[k - 1].value}
                          : (tact_triplet){row, column, fuzz_real(source)};
    }
    return (tact_quadratic){nquadratic, nlinear, entries, entries + nquadratic, fuzz_real(source)};
}

static void solve_qcqp(fuzz_source *source) {
    static const tact_status known[] = {TACT_CONVERGED, TACT_ITERATION_LIMIT, TACT_INFEASIBLE, TACT_UNDECIDED,
                                        TACT_SINGULAR,  TACT_NO_MEMORY,       TACT_BAD_INPUT};
    int n = 1 + fuzz_below(source, UNKNOWNS), ncon = fuzz_below(source, CONSTRAINTS + 1);
    tact_triplet entries[CONSTRAINTS + 1][ENTRIES];
    tact_quadratic constraint[CONSTRAINTS + 1];
    bool equality[CONSTRAINTS + 1] = {false};
    tact_real x[UNKNOWNS], x0[UNKNOWNS], multiplier[CONSTRAINTS + 1];
    tact_qcqp problem = {.n = n, .ncon = ncon, .constraint = constraint, .equality = equality};
    problem.objective = any_quadratic(source, n, entries[CONSTRAINTS]);
    for (int i = 0; i < ncon; i++) {
        constraint[i] = any_quadratic(source, n, entries[i]);
        equality[i] = fuzz_below(source, 2);
    }
    if (fuzz_below(source, 2)) problem.x0 = x0;
    if (problem.x0) fuzz_fill(source, x0, n);
    tact_qcqp_options options = tact_qcqp_options_default();
    options.max_nodes = 1 + fuzz_below(source, 12);
    options.starts = 1 + fuzz_below(source, 2);
    size_t size = tact_qcqp_size(&problem);
    void *memory = malloc(size);
    tact_qcqp_solution solution = {.x = x, .multiplier = multiplier};
    tact_status status = tact_qcqp_solve(&problem, &options, memory, size, &solution);
    fuzz_status(status, known, "qcqp: a status that is named");
    bool answer = status >= 0;
    fuzz_require(!answer || (fuzz_finite(x, n) && fuzz_finite(multiplier, ncon)), "qcqp: a finite answer");
    double most = 1e4 * (double)options.tolerance;
    if (!source->wild && status >= 0) fuzz_require(honest_qcqp(&problem, x) <= most, "qcqp: feasible");
    if (judge(source, status, TACT_CONVERGED) && solution.stationary)
        fuzz_require(honest_stationary(&problem, x, multiplier) <= most, "qcqp: stationary");
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_source source = fuzz_begin(bytes, size);
    // seldom what is slow
    static void (*const kinds[])(fuzz_source *) = {solve_barrier, solve_lcp,     solve_sparse,  solve_friction,
                                                   solve_barrier, solve_lcp,     solve_barrier, solve_friction,
                                                   solve_qcqp,    solve_barrier, solve_lcp,     solve_sparse};
    kinds[fuzz_below(&source, 12)](&source);
    return 0;
}
