// SPDX-License-Identifier: MIT
// The driver: picks a method by M, and tries the others when one fails.
#include "tact/lcp.h"

#include "solve/lcp.h"

tact_lcp_options tact_lcp_options_default(void) {
    tact_lcp_options options = {.method = TACT_LCP_AUTO, .max_pivots = 0, .tolerance = TACT_LCP_TOLERANCE, .warm = false};
    return options;
}

enum { VECTORS = 17, INDICES = 5 };

void tact_lcp_place(tact_lcp_work *work, int n, int doubled, tact_arena *arena) {
    TACT_ASSERT(work && arena && n >= 0 && doubled >= -1 && doubled <= n);
    // room for the polyhedra of singular sets and a cut, too
    bool plain = doubled < 0;
    // Enumeration adds to each set the mirrored rows -w_F >= 0 and a cut, hence 2 n + 1 rows there. Rows are padded for vectors
    // of eight.
    int rows = n + (plain ? 0 : doubled), high = rows <= TACT_LCP_ENUMERATE_MAX ? 2 * rows + 1 : rows;
    size_t count = (size_t)rows, stride = (count + 2 + 7) / 8 * 8;
    work->n = n;
    work->rows = rows;
    work->stride = (int)stride;
    // table: the dictionary of Lemke's method; factor: of M_FF.
    work->table = tact_arena_take(arena, (size_t)high * stride, sizeof(tact_real));
    work->factor = tact_arena_take(arena, count * stride, sizeof(tact_real));
    work->vector = tact_arena_take(arena, VECTORS * stride, sizeof(tact_real));
    work->index = tact_arena_take(arena, INDICES * (3 * count + 2), sizeof(int));
    // active: the set F; trial: one that is being tried.
    work->active = tact_arena_take(arena, count, 1);
    work->trial = tact_arena_take(arena, count, 1);
    // Only problems with bounds need a copy, the reduced M and q (lcp_bounds.c).
    work->M = tact_arena_take(arena, plain ? 0 : count * count, sizeof(tact_real));
    work->q = tact_arena_take(arena, plain ? 0 : count, sizeof(tact_real));
    work->eliminated = tact_arena_take(arena, plain ? 0 : (size_t)n * stride, sizeof(tact_real));
    work->reduction = tact_arena_take(arena, plain ? 0 : 4 * (size_t)n + 2 * count, sizeof(int));
    if (plain) work->reduction = NULL;
}

void tact_lcp_solution_place(tact_lcp_solution *solution, int n, tact_arena *arena) {
    TACT_ASSERT(solution && arena && n >= 0);
    TACT_VECTORS(arena, (size_t)n, &solution->z, &solution->w, &solution->ray);
    solution->active = tact_arena_take(arena, (size_t)n, 1);
}

// Whether entries (i, j) and (j, i) agree within rounding for the j of a tile.
static bool is_symmetric_tile(const tact_real *M, size_t n, size_t i, size_t first, size_t end) {
    const tact_real *row = M + i * n;
    for (size_t j = first; j < end; j++) {
        tact_real a = row[j], b = M[j * n + i];
        // |M_ij - M_ji| <= 16 eps sqrt(M_ii M_jj), squared: what rounding may leave in a semi-definite matrix.
        if (a == b) continue;
        tact_real off = (a - b) / (16 * TACT_EPS);
        if (!(off * off <= row[i] * M[j * n + j])) return false;
    }
    return true;
}

// Symmetric within rounding, with a diagonal that is not negative: positive semi-definite perhaps. In tiles, for the cache.
static bool is_symmetric(const tact_real *M, int order) {
    TACT_ASSERT(order >= 0);
    enum { TILE = 8 };
    size_t n = (size_t)order;
    for (size_t i = 0; i < n; i++)
        if (!(M[i * n + i] >= 0)) return false;
    for (size_t top = 0; top < n; top += TILE)
        for (size_t left = 0; left <= top; left += TILE)
            for (size_t i = top; i < top + TILE && i < n; i++)
                if (!is_symmetric_tile(M, n, i, left, left + TILE < i ? left + TILE : i)) return false;
    return true;
}

static bool has_positive_diagonal(const tact_lcp_case *c) {
    for (size_t i = 0; i < (size_t)c->n; i++)
        if (!(c->M[i * (size_t)c->n + i] > 0)) return false;
    return true;
}

// What the driver knows.
typedef struct {
    tact_lcp_case c;
    const tact_lcp_options *options;
    tact_real *ray;
    bool on_ray;             // some method ended so
    bool skip_block;         // the same was tried on a small problem
    tact_lcp_method method;  // the last one
    tact_status status;
} lcp_search;

static int limit_of(const lcp_search *s, int otherwise) {
    return s->options->max_pivots > 0 ? s->options->max_pivots : otherwise;
}

// A solution so far out that it may be a ray is not taken at once.
static bool is_near(const lcp_search *s) {
    return s->c.swell < TACT_LCP_FAR;
}

// Along a ray the residual falls as z grows. Far out only one at rounding says that w vanishes for the numbers as they are.
static bool is_exact(const lcp_search *s) {
    return s->c.residual <= 16 * TACT_EPS;
}

static bool try_pivot(lcp_search *s) {
    tact_lcp_case *c = &s->c;
    s->method = TACT_LCP_PIVOT;
    // First set: F = {i: q_i < 0}, the unknowns that z = 0 violates.
    for (int i = 0; i < c->n; i++) c->active[i] = c->q[i] < 0;
    // Block pivoting where it has a chance: symmetric M, or at least a positive diagonal, as every P matrix has.
    if ((c->symmetric ? !s->skip_block : has_positive_diagonal(c)) && tact_lcp_block(c, limit_of(s, 40 + c->n / 4))) return true;
    return c->symmetric && tact_lcp_principal(c, limit_of(s, 100 + 10 * c->n));
}

static bool try_lemke(lcp_search *s, int cover) {
    s->method = TACT_LCP_LEMKE;
    tact_lcp_end end = tact_lcp_lemke(&s->c, cover, limit_of(s, 100 + 6 * s->c.n), s->ray);
    // A ray says something about infeasibility only together with a proof.
    s->on_ray = s->on_ray || end == TACT_LCP_ON_RAY;
    return end == TACT_LCP_FOUND;
}

static bool try_interior(lcp_search *s) {
    s->method = TACT_LCP_INTERIOR;
    return tact_lcp_interior(&s->c, limit_of(s, 60));
}

// every set; the status is decided unless rounding left one open
static bool try_every(lcp_search *s) {
    tact_lcp_list list = {.most = 0};
    s->method = TACT_LCP_ENUMERATE;
    if (s->c.n > TACT_LCP_ENUMERATE_MAX) return false;
    bool sure = tact_lcp_every(&s->c, &list);
    // No set has a solution and none was left open by rounding: unsolvable.
    if (list.count == 0 && sure) s->status = TACT_UNSOLVABLE;
    return list.count > 0;
}

// one method, as the caller asked
static bool try_one(lcp_search *s) {
    switch (s->options->method) {
    case TACT_LCP_PIVOT: return try_pivot(s);
    case TACT_LCP_LEMKE: return try_lemke(s, 0);
    case TACT_LCP_INTERIOR: return try_interior(s);
    case TACT_LCP_ENUMERATE: return try_every(s);
    case TACT_LCP_AUTO:
    case TACT_LCP_SWEEP: break;
    }
    return false;
}

enum { COVERS = 12 };

// Whether the inequalities contradict each other; then the ray proves it.
static bool is_infeasible(lcp_search *s) {
    // Minimise z0 subject to w + e z0 >= 0, z >= 0; a positive minimum gives Farkas' multipliers y.
    tact_real *y = tact_lcp_vector(s->c.work, 13);
    if (tact_lcp_feasible(&s->c, y) != TACT_LCP_ON_RAY) return false;
    for (int i = 0; i < s->c.n; i++) s->ray[i] = y[i];
    s->status = TACT_INFEASIBLE;
    return true;
}

// The fast ones first; then whether there can be a solution; then all others.
static bool try_all(lcp_search *s) {
    TACT_ASSERT(s->ray || s->c.n == 0);
    if (try_pivot(s) && is_near(s)) return true;
    if (try_lemke(s, 0) && is_near(s)) return true;
    // A ray suggests a contradiction: prove it before slower methods are tried.
    if (s->on_ray && is_infeasible(s)) return false;
    if (try_interior(s) && is_near(s)) return true;
    if (!s->on_ray && is_infeasible(s)) return false;
    // Other covering vectors give other paths of pivots; where one is exponential, another mostly is not.
    for (int cover = 1; cover <= COVERS; cover++)
        if (try_lemke(s, cover) && is_near(s)) return true;
    if (s->c.n <= TACT_LCP_ENUMERATE_MAX) return try_every(s);
    // a solution far out is one if nothing nearer was found
    return (try_pivot(s) && is_exact(s)) || (try_lemke(s, 0) && is_exact(s)) || (try_interior(s) && is_exact(s));
}

static bool try_warm(lcp_search *s) {
    s->method = TACT_LCP_PIVOT;
    bool found = s->c.symmetric ? tact_lcp_block(&s->c, 1) : tact_lcp_polish(&s->c);
    return found && is_near(s);
}

// The plain problem of a case.
static void solve_plain(lcp_search *s) {
    tact_lcp_case *c = &s->c;
    s->status = TACT_RAY;
    c->symmetric = is_symmetric(c->M, c->n);
    bool found = s->options->warm && try_warm(s);
    // A warm start is one factorisation of the last active set.
    if (!found) {
        s->method = TACT_LCP_PIVOT;
        // z = 0 first, which costs one product; then the method asked for.
        // Also what is answered where nothing else is found.
        for (int i = 0; i < c->n; i++) c->z[i] = 0;
        found = (tact_lcp_judge(c)) || (s->options->method == TACT_LCP_AUTO ? try_all(s) : try_one(s) && is_near(s));
    }
    if (found)
        s->status = TACT_CONVERGED;
    else if (s->status == TACT_RAY && !(s->on_ray && tact_all_finite(s->ray, c->n)))
        s->status = TACT_ITERATION_LIMIT;
    // Neither solved nor on a proven ray: out of pivots.
    // w and residual of what the last method left
    if (s->status == TACT_ITERATION_LIMIT) tact_lcp_judge(c);
}

tact_status tact_lcp_finish(tact_status status, int n, const tact_lcp_solution *solution) {
    TACT_ASSERT(solution);
    // A number that overflowed is not an answer, whatever the status says.
    if (status < 0 || (tact_all_finite(solution->z, n) && tact_all_finite(solution->w, n))) return status;
    for (int i = 0; i < n; i++) solution->z[i] = solution->w[i] = 0;
    return TACT_BAD_INPUT;
}

static tact_status solve_sweeps(const tact_lcp_problem *problem, const tact_lcp_options *options, tact_lcp_solution *solution) {
    TACT_ASSERT((solution->z && solution->w) || problem->n == 0);
    int limit = options->max_pivots > 0 ? options->max_pivots : 1000;
    solution->method = TACT_LCP_SWEEP;
    solution->pivots = tact_lcp_sweep(problem, solution->z, solution->w, limit, options->tolerance);
    solution->residual = tact_lcp_residual(problem, solution->z, solution->w);
    // A component away from its lower bound is active.
    for (int i = 0; i < problem->n; i++) solution->active[i] = solution->z[i] > (problem->lo ? problem->lo[i] : 0);
    return solution->residual <= options->tolerance ? TACT_CONVERGED : TACT_ITERATION_LIMIT;
}

static tact_status solve_bounded(const tact_lcp_problem *problem, const tact_lcp_options *options, tact_lcp_work *work,
                                 tact_lcp_solution *solution) {
    tact_lcp_reduction reduction;
    // The plain problem in work->M and q: free unknowns eliminated, upper bounds with multipliers.
    tact_lcp_reduce(problem, work, &reduction);
    lcp_search s = {.c = {.n = reduction.n,
                          .M = work->M,
                          .q = work->q,
                          .work = work,
                          .z = tact_lcp_vector(work, 14),
                          .w = tact_lcp_vector(work, 15),
                          .active = work->active,
                          .tolerance = options->tolerance / 8},
                    .options = options,
                    .ray = tact_lcp_vector(work, 16)};
    // The states of the last solution, translated to the reduced unknowns.
    tact_lcp_warm(problem, &reduction, solution->active, work->active);
    solve_plain(&s);
    solution->method = s.method;
    solution->pivots = s.c.pivots;
    // Back to the unknowns of the caller, and judged there: the reduction has rounding of its own.
    tact_lcp_expand(problem, work, &reduction, s.c.z, solution->z);
    solution->residual = tact_lcp_residual(problem, solution->z, solution->w);
    if (s.status == TACT_CONVERGED && !(solution->residual <= options->tolerance)) return TACT_ITERATION_LIMIT;
    for (int i = 0; i < problem->n; i++)
        solution->active[i] = (unsigned char)tact_lcp_state_of(problem, i, solution->z[i], solution->w[i]);
    return s.status;
}

static tact_status solve_unbounded(const tact_lcp_problem *problem, const tact_lcp_options *options, tact_lcp_work *work,
                                   tact_lcp_solution *solution) {
    // Up to TACT_LCP_SMALL unknowns are solved in local arrays; what is not plain there comes back here.
    bool small = problem->n <= TACT_LCP_SMALL && options->method <= TACT_LCP_PIVOT && options->max_pivots == 0 &&
                 options->tolerance >= 64 * TACT_EPS;
    if (small && tact_lcp_small(problem, options, solution)) return TACT_CONVERGED;
    lcp_search s = {.c = {.n = problem->n,
                          .M = problem->M,
                          .q = problem->q,
                          .work = work,
                          .z = solution->z,
                          .w = solution->w,
                          .active = solution->active,
                          .tolerance = options->tolerance},
                    .options = options,
                    .ray = solution->ray,
                    .skip_block = small && !options->warm};
    solve_plain(&s);
    solution->method = s.method;
    solution->pivots = s.c.pivots;
    solution->residual = s.c.residual;
    return s.status;
}

tact_status tact_lcp_solve(const tact_lcp_problem *problem, const tact_lcp_options *options, tact_lcp_work *work,
                           tact_lcp_solution *solution) {
    TACT_ASSERT(problem && options && work && solution && 0 <= problem->n && problem->n <= work->n);
    TACT_ASSERT(problem->n == 0 || (solution->z && solution->w && solution->ray && solution->active));
    if (tact_lcp_check(problem, options).field) return TACT_BAD_INPUT;
    TACT_ASSERT(!(problem->lo || problem->hi) || options->method == TACT_LCP_SWEEP || tact_lcp_bounds_fit(problem, work));
    // Sweeps take bounds as they are; the other methods have a form without them.
    tact_status status = TACT_CONVERGED;
    if (options->method == TACT_LCP_SWEEP)
        status = solve_sweeps(problem, options, solution);
    else if (problem->lo || problem->hi)
        status = solve_bounded(problem, options, work, solution);
    else
        status = solve_unbounded(problem, options, work, solution);
    return status == TACT_CONVERGED ? status : tact_lcp_finish(status, problem->n, solution);
}
