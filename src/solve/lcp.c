// SPDX-License-Identifier: MIT
// Driver of the linear complementarity solvers: chooses a method by the properties of M, and tries the others when it fails.
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
    // enumeration adds the mirrored rows -w_F >= 0 and a cut to each set, hence 2 n + 1 rows; rows are padded to multiples of
    // eight
    int rows = n + (plain ? 0 : doubled), high = rows <= TACT_LCP_ENUMERATE_MAX ? 2 * rows + 1 : rows;
    size_t count = (size_t)rows, stride = (count + 2 + 7) / 8 * 8;
    work->n = n;
    work->rows = rows;
    work->stride = (int)stride;
    // table: the dictionary of Lemke's method; factor: of M_FF
    work->table = tact_arena_take(arena, (size_t)high * stride, sizeof(tact_real));
    work->factor = tact_arena_take(arena, count * stride, sizeof(tact_real));
    work->vector = tact_arena_take(arena, VECTORS * stride, sizeof(tact_real));
    work->index = tact_arena_take(arena, INDICES * (3 * count + 2), sizeof(int));
    // active: the active set F; trial: a candidate for it
    work->active = tact_arena_take(arena, count, 1);
    work->trial = tact_arena_take(arena, count, 1);
    // only problems with bounds need a copy, the reduced M and q (lcp_bounds.c)
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

// Whether entries (i, j) and (j, i) agree to rounding for the columns j of a tile.
static bool is_symmetric_tile(const tact_real *M, size_t n, size_t i, size_t first, size_t end) {
    const tact_real *row = M + i * n;
    for (size_t j = first; j < end; j++) {
        tact_real a = row[j], b = M[j * n + i];
        // |M_ij - M_ji| <= 16 eps sqrt(M_ii M_jj), squared: rounding allowed in a semi-definite matrix
        if (a == b) continue;
        tact_real off = (a - b) / (16 * TACT_EPS);
        if (!(off * off <= row[i] * M[j * n + j])) return false;
    }
    return true;
}

// Symmetric to rounding with a nonnegative diagonal, as a positive semi-definite matrix must be. In tiles, for the cache.
static bool is_symmetric(const tact_real *M, int order) {
    TACT_ASSERT(order >= 0);
    enum { TILE = 8 };
    size_t n = (size_t)order;
    for (size_t i = 0; i < n; i++)
        if (!(M[i * n + i] >= 0)) return false;
    // tiles of the lower triangle against their mirror images
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

// State of the search for a solution.
typedef struct {
    tact_lcp_case c;
    const tact_lcp_options *options;
    tact_real *ray;
    bool on_ray;             // some method ended on a ray
    bool skip_block;         // block pivoting was tried in the small solver
    tact_lcp_method method;  // the last one tried
    tact_status status;
} lcp_search;

// Pivots allowed: the option, or a default.
static int limit_of(const lcp_search *s, int otherwise) {
    return s->options->max_pivots > 0 ? s->options->max_pivots : otherwise;
}

// A solution with very large M z relative to q may be a ray; it is not accepted at once.
static bool is_near(const lcp_search *s) {
    return s->c.magnification < TACT_LCP_FAR;
}

// Along a ray the residual falls as z grows. Far out, only a residual at rounding level shows that w vanishes.
static bool is_exact(const lcp_search *s) {
    return s->c.residual <= 16 * TACT_EPS;
}

// Block principal pivoting, then principal pivoting with a symmetric M.
static bool try_pivot(lcp_search *s) {
    tact_lcp_case *c = &s->c;
    s->method = TACT_LCP_PIVOT;
    // first active set: F = {i: q_i < 0}, the rows that z = 0 violates
    for (int i = 0; i < c->n; i++) c->active[i] = c->q[i] < 0;
    // block pivoting where it has a chance: symmetric M, or a positive diagonal, as every P matrix has
    if ((c->symmetric ? !s->skip_block : has_positive_diagonal(c)) && tact_lcp_block(c, limit_of(s, 40 + c->n / 4))) return true;
    return c->symmetric && tact_lcp_principal(c, limit_of(s, 100 + 10 * c->n));
}

// Lemke's method with covering vector `cover`.
static bool try_lemke(lcp_search *s, int cover) {
    s->method = TACT_LCP_LEMKE;
    tact_lcp_end end = tact_lcp_lemke(&s->c, cover, limit_of(s, 100 + 6 * s->c.n), s->ray);
    // a ray shows infeasibility only together with a certificate
    s->on_ray = s->on_ray || end == TACT_LCP_ON_RAY;
    return end == TACT_LCP_FOUND;
}

static bool try_interior(lcp_search *s) {
    s->method = TACT_LCP_INTERIOR;
    return tact_lcp_interior(&s->c, limit_of(s, 60));
}

// Enumerates all active sets; decides the status unless rounding left a set open.
static bool try_every(lcp_search *s) {
    tact_lcp_list list = {.most = 0};
    s->method = TACT_LCP_ENUMERATE;
    if (s->c.n > TACT_LCP_ENUMERATE_MAX) return false;
    bool sure = tact_lcp_every(&s->c, &list);
    // no set has a solution, and rounding left none open: unsolvable
    if (list.count == 0 && sure) s->status = TACT_UNSOLVABLE;
    return list.count > 0;
}

// Only the method that the caller chose.
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

// Whether the inequalities are infeasible; then ray is a certificate (Farkas).
static bool is_infeasible(lcp_search *s) {
    // minimise z0 subject to w + e z0 >= 0, z >= 0; a positive minimum gives Farkas' multipliers y
    tact_real *y = tact_lcp_vector(s->c.work, 13);
    if (tact_lcp_feasible(&s->c, y) != TACT_LCP_ON_RAY) return false;
    for (int i = 0; i < s->c.n; i++) s->ray[i] = y[i];
    s->status = TACT_INFEASIBLE;
    return true;
}

// The fast methods first; then the test of infeasibility; then all others.
static bool try_all(lcp_search *s) {
    TACT_ASSERT(s->ray || s->c.n == 0);
    if (try_pivot(s) && is_near(s)) return true;
    if (try_lemke(s, 0) && is_near(s)) return true;
    // a ray suggests infeasibility: look for a certificate before trying slower methods
    if (s->on_ray && is_infeasible(s)) return false;
    if (try_interior(s) && is_near(s)) return true;
    if (!s->on_ray && is_infeasible(s)) return false;
    // other covering vectors give other paths; where one is exponentially long, another is usually short
    for (int cover = 1; cover <= COVERS; cover++)
        if (try_lemke(s, cover) && is_near(s)) return true;
    if (s->c.n <= TACT_LCP_ENUMERATE_MAX) return try_every(s);
    // a solution far out is accepted when none nearer was found
    return (try_pivot(s) && is_exact(s)) || (try_lemke(s, 0) && is_exact(s)) || (try_interior(s) && is_exact(s));
}

static bool try_warm(lcp_search *s) {
    s->method = TACT_LCP_PIVOT;
    bool found = s->c.symmetric ? tact_lcp_block(&s->c, 1) : tact_lcp_polish(&s->c);
    return found && is_near(s);
}

// Solves the problem without bounds.
static void solve_plain(lcp_search *s) {
    tact_lcp_case *c = &s->c;
    s->status = TACT_RAY;
    c->symmetric = is_symmetric(c->M, c->n);
    bool found = s->options->warm && try_warm(s);
    // warm start: one factorisation of the last active set
    if (!found) {
        s->method = TACT_LCP_PIVOT;
        // z = 0 first, which costs one product and is returned if nothing else is found; then the method chosen
        for (int i = 0; i < c->n; i++) c->z[i] = 0;
        found = (tact_lcp_judge(c)) || (s->options->method == TACT_LCP_AUTO ? try_all(s) : try_one(s) && is_near(s));
    }
    if (found)
        s->status = TACT_CONVERGED;
    else if (s->status == TACT_RAY && !(s->on_ray && tact_all_finite(s->ray, c->n)))
        s->status = TACT_ITERATION_LIMIT;
    // neither solved nor on a proven ray: report the last iterate's w and residual
    if (s->status == TACT_ITERATION_LIMIT) tact_lcp_judge(c);
}

tact_status tact_lcp_finish(tact_status status, int n, const tact_lcp_solution *solution) {
    TACT_ASSERT(solution);
    // overflow is not a solution, whatever the status
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
    // a component away from its lower bound is active
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
    // active set of the last solution, in terms of the reduced unknowns
    tact_lcp_warm(problem, &reduction, solution->active, work->active);
    solve_plain(&s);
    solution->method = s.method;
    solution->pivots = s.c.pivots;
    // back to the caller's unknowns, and judged there: the reduction has rounding of its own
    tact_lcp_expand(problem, work, &reduction, s.c.z, solution->z);
    solution->residual = tact_lcp_residual(problem, solution->z, solution->w);
    if (s.status == TACT_CONVERGED && !(solution->residual <= options->tolerance)) return TACT_ITERATION_LIMIT;
    for (int i = 0; i < problem->n; i++)
        solution->active[i] = (unsigned char)tact_lcp_state_of(problem, i, solution->z[i], solution->w[i]);
    return s.status;
}

static tact_status solve_unbounded(const tact_lcp_problem *problem, const tact_lcp_options *options, tact_lcp_work *work,
                                   tact_lcp_solution *solution) {
    // up to TACT_LCP_SMALL unknowns are solved in local arrays; special cases continue here
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
    // Gauss-Seidel sweeps handle bounds themselves; the other methods solve a reduced problem
    tact_status status = TACT_CONVERGED;
    if (options->method == TACT_LCP_SWEEP)
        status = solve_sweeps(problem, options, solution);
    else if (problem->lo || problem->hi)
        status = solve_bounded(problem, options, work, solution);
    else
        status = solve_unbounded(problem, options, work, solution);
    return status == TACT_CONVERGED ? status : tact_lcp_finish(status, problem->n, solution);
}
