// SPDX-License-Identifier: MIT
// Validity of the numbers of complementarity, friction and quadratically constrained problems. A NaN fails every comparison.
#include "math/elementary.h"
#include "tact/friction.h"
#include "tact/lcp.h"
#include "tact/qcqp.h"

static tact_fault refuse_at(const char *field, int index) {
    return (tact_fault){field, index};
}

// Fault for the first number of an array that is too large.
static tact_fault refuse_larger(const char *field, const tact_real *x, int count) {
    int i = x ? tact_find_larger(x, count, TACT_MOST_NUMBER) : count;
    return refuse_at(i < count ? field : NULL, i < count ? i : 0);
}

static bool refuse_tolerance(tact_real tolerance) {
    return !(tolerance > 0 && tolerance < 1);
}

// Whether a pair of bounds is invalid. TACT_MAX and more, and its negative, mean no bound.
static bool refuse_bounds(tact_real low, tact_real high) {
    // no bound, or a number within range; NaN is neither
    bool below = low <= -TACT_MAX || tact_fabs(low) <= TACT_MOST_NUMBER;
    bool above = high >= TACT_MAX || tact_fabs(high) <= TACT_MOST_NUMBER;
    return !(below && above && low <= high);
}

static tact_fault refuse_lcp_options(const tact_lcp_options *options) {
    if (refuse_tolerance(options->tolerance)) return refuse_at("options.tolerance", 0);
    if ((unsigned)options->method > TACT_LCP_ENUMERATE) return refuse_at("options.method", 0);
    return refuse_at(options->max_pivots >= 0 ? NULL : "options.max_pivots", 0);
}

static tact_fault refuse_lcp_bounds(const tact_real *lo, const tact_real *hi, int n) {
    // a missing array means 0 below and no bound above
    for (int i = 0; i < n; i++)
        if (refuse_bounds(lo ? lo[i] : 0, hi ? hi[i] : TACT_MAX))
            return refuse_at(lo && refuse_bounds(lo[i], TACT_MAX) ? "lo" : hi ? "hi" : "lo", i);
    return refuse_at(NULL, 0);
}

tact_fault tact_lcp_check(const tact_lcp_problem *problem, const tact_lcp_options *options) {
    TACT_ASSERT(problem && options && problem->n >= 0 && (problem->n == 0 || (problem->M && problem->q)));
    tact_fault fault = refuse_lcp_options(options);
    if (!fault.field) fault = refuse_larger("q", problem->q, problem->n);
    TACT_ASSERT((size_t)problem->n * (size_t)problem->n <= INT32_MAX);
    if (!fault.field) fault = refuse_larger("M", problem->M, problem->n * problem->n);
    if (!fault.field && (problem->lo || problem->hi)) fault = refuse_lcp_bounds(problem->lo, problem->hi, problem->n);
    return fault;
}

tact_fault tact_lcp_sparse_check(const tact_lcp_sparse *problem, const tact_lcp_options *options) {
    TACT_ASSERT(problem && options && problem->n >= 0 && problem->start && (problem->n == 0 || problem->q));
    tact_fault fault = refuse_lcp_options(options);
    if (!fault.field) fault = refuse_larger("q", problem->q, problem->n);
    if (!fault.field) fault = refuse_larger("value", problem->value, problem->start[problem->n]);
    if (!fault.field && (problem->lo || problem->hi)) fault = refuse_lcp_bounds(problem->lo, problem->hi, problem->n);
    return fault;
}

tact_fault tact_friction_check(const tact_friction_problem *problem, const tact_friction_options *options, const tact_real *r) {
    TACT_ASSERT(problem && problem->nc >= 0 && (problem->nc == 0 || (problem->W && problem->q && problem->mu)));
    TACT_ASSERT(!problem->row_start || problem->column || problem->row_start[problem->nc] == 0);
    // W is dense, or given by blocks
    int nc = problem->nc, blocks = problem->row_start ? problem->row_start[nc] : nc * nc;
    if (options && refuse_tolerance(options->tolerance)) return refuse_at("options.tolerance", 0);
    if (options && options->max_iterations < 1) return refuse_at("options.max_iterations", 0);
    tact_fault fault = refuse_larger("q", problem->q, 3 * nc);
    if (!fault.field) fault = refuse_larger("mu", problem->mu, nc);
    if (!fault.field) fault = refuse_larger("W", problem->W, 9 * blocks);
    // rows with mu < 0 are scalar: their impulses have bounds instead of a cone
    for (int row = 0; !fault.field && row < 3 * nc; row++) {
        tact_real low = problem->low ? problem->low[row] : 0, high = problem->high ? problem->high[row] : TACT_MAX;
        if (problem->mu[row / 3] < 0 && refuse_bounds(low, high))
            fault = refuse_at(refuse_bounds(low, TACT_MAX) || !problem->high ? "low" : "high", row);
    }
    return fault.field ? fault : refuse_larger("r", r, 3 * nc);
}

// Fault of a quadratic that is not finite or has columns out of range; index: the constraint.
static tact_fault refuse_quadratic(const tact_quadratic *f, int n, const char *field, int index) {
    TACT_ASSERT((f->quadratic || f->nquadratic <= 0) && (f->linear || f->nlinear <= 0));
    bool good = f->nquadratic >= 0 && f->nlinear >= 0 && tact_fabs(f->constant) <= TACT_MOST_NUMBER;
    // quadratic entries first, then linear ones: indices in range and numbers in bounds
    for (int k = 0; good && k < f->nquadratic + f->nlinear; k++) {
        bool square = k < f->nquadratic;
        const tact_triplet *e = square ? &f->quadratic[k] : &f->linear[k - f->nquadratic];
        good = e->column >= 0 && e->column < n && tact_fabs(e->value) <= TACT_MOST_NUMBER;
        if (square) good = good && e->row >= 0 && e->row < n;
    }
    return refuse_at(good ? NULL : field, good ? 0 : index);
}

tact_fault tact_qcqp_check(const tact_qcqp *problem, const tact_qcqp_options *options) {
    TACT_ASSERT(problem && options);
    if (options->max_nodes < 1 || options->max_nodes > 1000000) return refuse_at("options.max_nodes", 0);
    if (options->starts < 1 || options->starts > 1000) return refuse_at("options.starts", 0);
    if (refuse_tolerance(options->tolerance)) return refuse_at("options.tolerance", 0);
    if (problem->n < 1) return refuse_at("n", 0);
    if (problem->ncon < 0) return refuse_at("ncon", 0);
    TACT_ASSERT(problem->ncon == 0 || (problem->constraint && problem->equality));
    // objective, then constraints: the first that is not acceptable
    tact_fault fault = refuse_quadratic(&problem->objective, problem->n, "objective", 0);
    for (int i = 0; !fault.field && i < problem->ncon; i++)
        fault = refuse_quadratic(&problem->constraint[i], problem->n, "constraint", i);
    return fault.field ? fault : refuse_larger("x0", problem->x0, problem->n);
}
