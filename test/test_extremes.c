// SPDX-License-Identifier: MIT
// Small problems of contact in units that are far apart, with budgets that run out and warm starts that mislead: barrier
// problems, also with 32 digits, complementarity and friction. Of those with a displacement that opens all gaps by much none is
// infeasible, what is called converged is so by the judges of honest.h where the units leave these their digits, and what is
// given back is finite. 4,000 of each kind, or as many as TACT_COUNT says.
#include "honest.h"
#include "honest_cases.h"
#include "solve/precise.h"

enum { NEAR = 6, FAR = sizeof(tact_real) == 4 ? 24 : 300 };

static int below(int count) {
    return (int)(test_random_bits(&honest_seed) % (uint64_t)count);
}

// a power of two up to that of most, or its inverse; 1 more often than not
static tact_real unit_of(int most) {
    return most && below(2) ? (tact_real)ldexp(1, below(2 * most + 1) - most) : 1;
}

// how far the units of a problem are apart
static int draw_distance(int k) {
    return k % 3 == 0 ? 0 : k % 3 == 1 ? NEAR : FAR / (1 + below(8));
}

static bool all_finite(const tact_real *x, int count) {
    bool finite = true;
    for (int i = 0; i < count; i++) finite = finite && x[i] - x[i] == 0;
    return finite;
}

typedef struct {
    int converged, infeasible, limit, other;
    double off, proof;
} tally;

static void count(tally *sum, tact_status status) {
    CHECK(tact_status_name(status) && status != TACT_NO_MEMORY);
    sum->converged += status == TACT_CONVERGED;
    sum->infeasible += status == TACT_INFEASIBLE;
    sum->limit += status == TACT_ITERATION_LIMIT;
    sum->other += status != TACT_CONVERGED && status != TACT_INFEASIBLE && status != TACT_ITERATION_LIMIT;
}

static void report(const tally *sum, const char *name, double slack) {
    printf("%s: %d converged, off by %.2g; %d infeasible, by %.2g; %d at the limit, %d other\n", name, sum->converged, sum->off,
           sum->infeasible, sum->proof, sum->limit, sum->other);
    CHECK(sum->off <= slack);
    CHECK(sum->proof <= PROOF_SLACK);
    CHECK(sum->converged > 0 && sum->infeasible > 0 && sum->limit > 0);
}

// d in other units, and each cone and bound; with a known d that opens all of them, where one is wanted
static void rescale(barrier_case *c, int distance, bool planted) {
    tact_real unit[N], known[N];
    for (int i = 0; i < c->n; i++) {
        unit[i] = unit_of(distance / 4);
        known[i] = (tact_real)(below(5) - 2);
    }
    for (int i = 0; i < c->n; i++) {
        c->p[i] *= unit[i];
        for (int j = 0; j <= i; j++) c->value[c->start[i] + j] *= unit[i] * unit[j];
    }
    for (int i = 0; i < c->ncone; i++) {
        tact_real own = unit_of(distance / 2), mu = c->cone[i].mu, nu[3] = {0};
        for (int r = 0; r < 3; r++) {
            for (int v = 0; v < c->n; v++) nu[r] += c->J[i][r * c->n + v] * known[v];
            if (planted) c->cone[i].c[r] = (r ? 0 : 1 + 4 * mu) - nu[r];
            c->cone[i].c[r] *= own;
            for (int v = 0; v < c->n; v++) c->J[i][r * c->n + v] *= own * unit[v];
        }
    }
    for (int j = 0; j < c->nbound; j++) {
        tact_bound *bound = &c->bound[j];
        if (planted) bound->c = 1 - bound->sign * known[bound->column];
        // a bound's own coefficient is one
        bound->c /= unit[bound->column];
    }
}

// Whether a displacement opens all gaps, by the judge that allows for its rounding.
static bool is_open(const tact_barrier_problem *p, const tact_barrier_solution *s) {
    return honest_barrier(p, s) < HUGE_VAL;
}

static void check_barriers(int problems) {
    static unsigned char memory[1 << 20];
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_barrier_size size = {.n = N, .ncone = CONES, .nbound = BOUNDS, .columns = N * CONES, .envelope = N * (N + 1) / 2};
    tact_barrier_work work;
    tact_precise_work precise;
    tact_barrier_place(&work, size, &arena);
    tact_precise_place(&precise, size, &arena);
    CHECK(tact_arena_fits(&arena));
    tally plain = {0}, sure = {0};
    int turned = 0;
    for (int k = 0; k < problems; k++) {
        static barrier_case c;
        tact_real d[N], lambda[3 * CONES], bound_lambda[BOUNDS];
        int distance = draw_distance(k);
        bool planted = below(2), tame = distance <= NEAR;
        make_barrier(&c);
        for (int i = 0; i < c.ncone; i++)
            if (below(4) == 0) c.cone[i].mu = 0;
        rescale(&c, distance, planted);
        tact_barrier_problem problem = barrier_problem_of(&c);
        tact_barrier_options options = tact_barrier_options_default();
        if (below(3) == 0) options.max_iterations = 1 + below(12);
        options.warm = below(3) == 0;
        for (int i = 0; i < 3 * CONES && options.warm; i++) lambda[i] = any() * unit_of(distance);
        for (int j = 0; j < BOUNDS && options.warm; j++) bound_lambda[j] = any() * unit_of(distance);
        tact_barrier_solution solution = {.d = d, .lambda = lambda, .bound_lambda = bound_lambda};
        tact_status status = tact_barrier_solve(&problem, &options, &work, &solution);
        count(&plain, status);
        CHECK(!(planted && status == TACT_INFEASIBLE));
        CHECK(solution.iterations <= options.max_iterations);
        if (status >= 0) CHECK(all_finite(d, c.n) && all_finite(lambda, 3 * c.ncone) && is_open(&problem, &solution));
        if (status == TACT_CONVERGED && tame) plain.off = fmax(plain.off, honest_barrier(&problem, &solution));
        if (status == TACT_INFEASIBLE && tame) plain.proof = fmax(plain.proof, honest_barrier_proof(&problem, &solution));
        if (status == TACT_BAD_INPUT || status == TACT_SINGULAR) continue;
        options.max_iterations = below(4) ? 200 : 1 + below(20);
        tact_status now = tact_precise_confirm(&problem, &options, status, &precise, &solution);
        count(&sure, now);
        turned += now != status;
        CHECK(!(planted && now == TACT_INFEASIBLE));
        if (now >= 0) CHECK(all_finite(d, c.n) && all_finite(lambda, 3 * c.ncone) && is_open(&problem, &solution));
        if (now == TACT_CONVERGED && tame) sure.off = fmax(sure.off, honest_barrier(&problem, &solution));
        if (now == TACT_INFEASIBLE && tame) sure.proof = fmax(sure.proof, honest_barrier_proof(&problem, &solution));
    }
    report(&plain, "barrier", BARRIER_SLACK);
    report(&sure, "barrier with 32 digits", BARRIER_SLACK);
    CHECK(turned > problems / 100);
}

static void check_frictions(int problems) {
    static unsigned char memory[1 << 18];
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_friction_work work;
    tact_friction_place(&work, CONES, CONES * CONES, &arena);
    CHECK(tact_arena_fits(&arena));
    tally sum = {0};
    for (int k = 0; k < problems; k++) {
        int nc = 1 + below(CONES), rows = 3 * nc, distance = draw_distance(k);
        tact_real W[9 * CONES * CONES], q[3 * CONES], mu[CONES], low[3 * CONES], high[3 * CONES], r[3 * CONES], u[3 * CONES];
        make_friction(nc, W, q, mu, low, high);
        tact_real unit[CONES];
        for (int i = 0; i < nc; i++) {
            unit[i] = unit_of(distance / 2);
            if (below(6) == 0) mu[i] = 0;
            for (int row = 3 * i; row < 3 * i + 3; row++) {
                q[row] *= unit[i];
                if (below(8) == 0) low[row] = high[row] = 0;
                if (low[row] > -TACT_MAX) low[row] /= unit[i];
                if (high[row] < TACT_MAX) high[row] /= unit[i];
            }
        }
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < rows; j++) W[i * rows + j] *= unit[i / 3] * unit[j / 3];
        bool limits = below(4) > 0, tame = distance == 0;
        tact_friction_problem problem = {
            .nc = nc, .W = W, .q = q, .mu = mu, .low = limits ? low : NULL, .high = limits ? high : NULL};
        tact_friction_options options = tact_friction_options_default();
        if (below(3) == 0) options.max_iterations = 1 + below(20);
        options.warm = below(3) == 0;
        for (int i = 0; i < rows && options.warm; i++) r[i] = any() * unit_of(distance);
        tact_friction_solution solution = {.r = r, .u = u};
        tact_status status = tact_friction_solve(&problem, &options, &work, &solution);
        count(&sum, status);
        CHECK(solution.iterations <= options.max_iterations);
        if (status >= 0) CHECK(all_finite(r, rows) && all_finite(u, rows));
        if (status == TACT_CONVERGED && tame) sum.off = fmax(sum.off, honest_friction(&problem, r));
        if (status == TACT_INFEASIBLE && tame) sum.proof = fmax(sum.proof, honest_friction_proof(&problem, r));
    }
    report(&sum, "friction", FRICTION_SLACK);
}

// what both kinds of matrices are asked for
typedef struct {
    tact_lcp_work work;
    tact_lcp_sparse_work sparse;
    tact_lcp_solution solution;
    tact_real M[N * N], q[N], lo[N], hi[N], value[N * N];
    int start[N + 1], column[N * N];
} lcp_case;

static void make_case(lcp_case *c, int n, int distance) {
    tact_real left[N], right[N];
    make_lcp(n, c->M, c->q);
    for (int i = 0; i < n; i++) {
        left[i] = unit_of(distance / 2), right[i] = unit_of(distance / 2);
        c->q[i] *= left[i];
        c->lo[i] = below(3) ? -(tact_real)below(3) / right[i] : -TACT_MAX;
        c->hi[i] = below(3) ? (tact_real)below(3) / right[i] : TACT_MAX;
    }
    c->start[0] = 0;
    for (int i = 0; i < n; i++) {
        c->start[i + 1] = c->start[i];
        for (int j = 0; j < n; j++) {
            c->M[i * n + j] *= left[i] * right[j];
            if (c->M[i * n + j] == 0) continue;
            c->column[c->start[i + 1]] = j;
            c->value[c->start[i + 1]++] = c->M[i * n + j];
        }
    }
}

static void check_lcps(int problems) {
    static unsigned char memory[1 << 18], own[1 << 16];
    static lcp_case c;
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_lcp_place(&c.work, N, N, &arena);
    tact_lcp_solution_place(&c.solution, N, &arena);
    CHECK(tact_arena_fits(&arena));
    tally sum = {0};
    for (int k = 0; k < problems; k++) {
        int n = below(20) ? 1 + below(N) : 0, distance = draw_distance(k), bounded = below(3);
        make_case(&c, n, distance);
        tact_lcp_problem dense = {.n = n, .M = c.M, .q = c.q, .lo = bounded ? c.lo : NULL, .hi = bounded == 2 ? c.hi : NULL};
        tact_lcp_sparse few = {.n = n, .start = c.start, .column = c.column, .value = c.value, .q = c.q};
        if (bounded) few.lo = c.lo;
        if (bounded == 2) few.hi = c.hi;
        tact_lcp_options options = tact_lcp_options_default();
        options.method = (tact_lcp_method)below(6);
        if (below(3) == 0) options.max_pivots = below(20);
        options.warm = below(3) == 0;
        for (int i = 0; i < n; i++) c.solution.active[i] = (unsigned char)below(3);
        bool sparse = k % 2, tame = distance == 0;
        if (sparse && options.method == TACT_LCP_ENUMERATE) options.method = (tact_lcp_method)0;
        tact_arena room = {.memory = own, .size = sizeof own};
        tact_lcp_sparse_place(&c.sparse, n, c.start[n], n * (n + 1) / 2, &room);
        if (sparse) tact_lcp_sparse_order(&few, &c.sparse);
        tact_status status = sparse ? tact_lcp_sparse_solve(&few, &options, &c.sparse, &c.solution)
                                    : tact_lcp_solve(&dense, &options, &c.work, &c.solution);
        count(&sum, status);
        if (status >= 0) CHECK(all_finite(c.solution.z, n) && all_finite(c.solution.w, n));
        if (status == TACT_CONVERGED && tame) sum.off = fmax(sum.off, honest_lcp(&dense, c.solution.z));
        if (status == TACT_INFEASIBLE && tame && !bounded) sum.proof = fmax(sum.proof, honest_lcp_proof(&dense, c.solution.ray));
    }
    report(&sum, "lcp", LCP_SLACK);
}

int main(void) {
    honest_seed = test_seed(43);
    int problems = test_rounds(4000);
    check_barriers(problems);
    check_frictions(problems);
    check_lcps(problems);
    return test_end("extremes");
}
