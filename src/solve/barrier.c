// SPDX-License-Identifier: MIT
// Barrier problem: follows the central path to the point at the given kappa, or proves that no displacement is feasible.
#include "solve/barrier.h"

#include "math/elementary.h"
#include "solve/budget.h"
#include "solve/certificate.h"
#include "solve/cone.h"
#include "solve/newton.h"
#include "solve/skyline.h"
#include "solve/sparse.h"

enum { SMALL_BUDGET = 16 };

// Memory of the solver for problems up to this size; an arena that only measures returns none.
void tact_barrier_place(tact_barrier_work *work, tact_barrier_size size, tact_arena *arena) {
    TACT_ASSERT(work);
    TACT_ASSERT(size.n >= 0 && size.ncone >= 0 && size.nbound >= 0 && size.columns >= 0 && size.envelope >= 0);
    TACT_ASSERT(size.n <= TACT_MOST_UNKNOWNS);
    // vectors and matrices of the reduced system
    size_t n = (size_t)size.n, columns = (size_t)size.columns;
    work->n = size.n;
    work->ncone = size.ncone;
    work->nbound = size.nbound;
    work->columns = size.columns;
    work->envelope = size.envelope;
    work->H.n = size.n;
    TACT_INDICES(arena, n, &work->place, &work->unknown, &work->H.first);
    work->H.start = tact_arena_take(arena, n + 1, sizeof(int));
    work->H.value = tact_arena_take(arena, tact_sparse_values(size), sizeof(tact_real));
    // the Jacobian's columns once more, gathered for several cones in the lanes of a register
    work->wide = tact_arena_take(arena, 3 * columns, sizeof(tact_wide));
    work->cone = tact_arena_take(arena, (size_t)size.ncone, sizeof(tact_cone_iterate));
    tact_sparse_place(size, work, arena);
    // large works divide these three anew for each problem
    if (TACT_MOST_UNKNOWNS >= TACT_SPARSE_LEAST && work->sparse && work->cone)
        work->sparse->shared = (size_t)((char *)(void *)(work->cone + size.ncone) - (char *)(void *)work->H.value);
    TACT_VECTORS(arena, n, &work->pivot, &work->diagonal, &work->p, &work->d, &work->g, &work->step, &work->response);
    // the Jacobian: columns of three, and their places in elimination order
    work->J = tact_arena_take(arena, 3 * columns, sizeof(tact_real));
    TACT_INDICES(arena, columns, &work->row, &work->column, &work->column_at);
    work->layout = tact_arena_take(arena, (size_t)size.ncone, sizeof(tact_cone_layout));
    work->held = tact_arena_take(arena, n, sizeof(int));
    // held_n = -1: nothing has been laid out yet
    work->held_n = -1;
    work->full = false;
    work->bound = tact_arena_take(arena, (size_t)size.nbound, sizeof(tact_bound_iterate));
}

void tact_barrier_share(tact_barrier_work *work, tact_threads threads) {
    TACT_ASSERT(work);
    if (work->sparse) work->sparse->threads = threads;
}

tact_barrier_options tact_barrier_options_default(void) {
    tact_barrier_options options = {.max_iterations = 100, .tolerance = TACT_TOLERANCE, .warm = false};
    return options;
}

// Solution without contacts: d = -P^-1 p. SINGULAR when the forces do not balance.
static tact_status solve_unconstrained(tact_path *path) {
    TACT_ASSERT(path->problem->ncone == 0 && path->problem->nbound == 0);
    tact_barrier_work *work = path->work;
    for (int i = 0; i < work->H.n; i++) work->step[i] = -work->p[i];
    if (!tact_newton_factor(path)) return TACT_SINGULAR;
    tact_newton_solve(path);
    for (int i = 0; i < work->H.n; i++) {
        work->d[i] = work->step[i];
        work->g[i] = work->p[i];
    }
    // a pivot was raised for a motion that nothing resists: then the forces do not balance
    tact_newton_multiply_add(path, work->d, work->g);
    // sqrt(eps): the residual due to rounding is far smaller, that of a motion without stiffness is of the size of p
    tact_real size = 0, off = 0;
    for (int i = 0; i < work->H.n; i++) {
        size = tact_max(size, tact_fabs(work->p[i]));
        off = tact_max(off, tact_fabs(work->g[i]));
    }
    return off <= tact_sqrt(TACT_EPS) * size ? TACT_CONVERGED : TACT_SINGULAR;
}

// Iterates until the residuals are within the tolerance or no progress is made. If d = 0 is feasible, an exhausted budget is
// raised to `most`.
static tact_status iterate(tact_path *path, int *budget, int most) {
    path->before = TACT_MAX;
    for (;;) {
        tact_path_measure(path);
        if (path->iterations >= *budget && *budget < most && tact_path_starts_inside(path)) *budget = most;
        tact_path_state state = tact_path_judge(path, *budget);
        if (state == TACT_PATH_CONVERGED) return TACT_CONVERGED;
        if (state == TACT_PATH_STUCK) return TACT_ITERATION_LIMIT;
        // if the first factorisation succeeded, only rounding can make a later one fail
        if (!tact_newton_factor(path)) return path->iterations > 1 ? TACT_ITERATION_LIMIT : TACT_SINGULAR;
        if (!tact_path_step(path)) return TACT_ITERATION_LIMIT;
    }
}

// Copies displacement, forces and residuals to the caller.
static void report(tact_path *path, tact_barrier_solution *solution) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    // d by unknown; forces from the scaled coordinates: lambda = (z_0, mu z_t)
    tact_newton_complete(path, solution->d);
    for (int i = 0; i < problem->ncone; i++) {
        tact_real z[3];
        // force of the iterate; if rounding has put it outside its cone, the force of the barrier at the gap
        const tact_cone_iterate *cone = &work->cone[work->layout[i].group];
        int lane = work->layout[i].lane;
        tact_cone_get(cone->z, lane, z);
        if (!(z[0] > 0 && z[1] * z[1] + z[2] * z[2] <= (1 + 64 * TACT_EPS) * (z[0] * z[0]))) {
            tact_wide law[3];
            // nearly on the boundary the force is only rounding: z = tau s^-1 of equation (4)
            tact_cone_inverse(cone->s, cone->tau, law);
            tact_cone_get(law, lane, z);
        }
        solution->lambda[3 * i] = z[0];
        solution->lambda[3 * i + 1] = problem->cone[i].mu * z[1];
        solution->lambda[3 * i + 2] = problem->cone[i].mu * z[2];
    }
    for (int j = 0; j < problem->nbound; j++) solution->bound_lambda[j] = work->bound[j].z;
    // for a converged solution the decrement is the distance from the central path
    solution->decrement = path->centrality;
    solution->balance = path->balance;
}

// Displacement from a line search between d = 0 and the iterate.
static void report_part(tact_path *path, tact_barrier_solution *solution) {
    tact_barrier_work *work = path->work;
    report(path, solution);
    // segment from d = 0 (gaps c) to the iterate (gaps nu)
    tact_budget_begin(path, true);
    for (int i = 0; i < path->problem->n; i++) work->response[i] = 0;
    tact_budget_line_search(path, work->response, solution->d);
}

// Whether a gap that no unknown moves is closed. To rounding on the boundary of its cone counts as closed: there the iteration
// would seem to converge.
static bool has_fixed_closed_gap(const tact_barrier_problem *problem) {
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone *cone = &problem->cone[i];
        int moved = 0, count = 3 * cone->width;
        // all columns are zero: no displacement changes this gap
        while (moved < count && cone->J[moved] == 0) moved++;
        if (moved < count) continue;
        // the constant gap must lie inside its cone by more than the rounding of |c_t|
        tact_real t = cone->mu * tact_sqrt(cone->c[1] * cone->c[1] + cone->c[2] * cone->c[2]);
        if (!(cone->c[0] > (1 + 4 * TACT_EPS) * t)) return true;
    }
    return false;
}

void tact_barrier_gap(const tact_cone *cone, const tact_real *d, tact_real nu[3]) {
    for (int row = 0; row < 3; row++) {
        nu[row] = cone->c[row];
        for (int k = 0; k < cone->width; k++) nu[row] += cone->J[row * cone->width + k] * d[cone->column[k]];
    }
}

// Whether nu = J d + c is outside the interior of the cone nu_n > mu |nu_t|.
static bool leaves_cone(const tact_cone *cone, const tact_real *d) {
    tact_real nu[3];
    tact_barrier_gap(cone, d, nu);
    return !(nu[0] > cone->mu * tact_sqrt(nu[1] * nu[1] + nu[2] * nu[2]));
}

bool tact_barrier_leaves_cones(const tact_barrier_problem *problem, const tact_real *d, const tact_real *lambda) {
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone *cone = &problem->cone[i];
        // only gaps narrower than their own rounding can be outside unnoticed; a gap is about 2/(kappa lambda)
        tact_real across = tact_max(tact_fabs(cone->c[1]), tact_fabs(cone->c[2]));
        tact_real lost = 64 * TACT_EPS * tact_max(tact_fabs(cone->c[0]), cone->mu * across);
        if (!(lambda[3 * i] * cone->kappa * lost < 2) && leaves_cone(cone, d)) return true;
    }
    return false;
}

// Whether the gaps of a solution are inside their cones to rounding, as its forces imply.
static bool is_open(const tact_barrier_problem *problem, const tact_barrier_solution *solution) {
    return !has_fixed_closed_gap(problem) && !tact_barrier_leaves_cones(problem, solution->d, solution->lambda);
}

// After an iteration that did not converge: a line search towards its last point if the budget is exhausted; otherwise phase 1,
// which gives a feasible point to continue from, or a certificate of infeasibility.
static tact_status recover(tact_path *path, const tact_barrier_options *options, tact_barrier_solution *solution) {
    // the method depends on whether d = 0, or the iterate, satisfies all contacts
    bool from_zero = tact_path_starts_inside(path), inside = tact_path_inside(path);
    int most = options->max_iterations;
    if (from_zero && path->iterations >= most) {
        report_part(path, solution);
        return TACT_ITERATION_LIMIT;
    }
    report(path, solution);
    if (inside) return TACT_ITERATION_LIMIT;
    // Neither does: phase 1 finds a feasible displacement or a proof that there is none.
    if (!from_zero) {
        tact_phase phase = tact_certificate_search(path, most, solution);
        if (phase == TACT_PHASE_CONTRADICTION) return TACT_INFEASIBLE;
        if (phase == TACT_PHASE_UNDECIDED) return path->work->full ? TACT_NO_MEMORY : TACT_UNDECIDED;
        // a strictly feasible displacement, and the forces of the barrier at its gaps, to the caller
        const tact_barrier_problem *problem = path->problem;
        const tact_barrier_work *work = path->work;
        // nu is strictly inside, so that (4) gives a force for every contact
        for (int i = 0; i < problem->n; i++) solution->d[work->unknown[i]] = work->d[i];
        for (int i = 0; i < problem->ncone; i++) {
            const tact_cone_iterate *cone = &work->cone[work->layout[i].group];
            tact_wide z[3];
            tact_cone_inverse(cone->nu, cone->tau, z);
            for (int k = 0; k < 3; k++)
                solution->lambda[3 * i + k] = (k ? problem->cone[i].mu : 1) * tact_wide_get(&z[k], work->layout[i].lane);
        }
        for (int j = 0; j < problem->nbound; j++) solution->bound_lambda[j] = work->bound[j].tau / work->bound[j].nu;
        if (path->iterations >= most) return TACT_ITERATION_LIMIT;
    }
    // again from a feasible start with the rest of the budget: gaps of the feasible point of phase 1, or of d = 0
    tact_barrier_work *work = path->work;
    // packing may put the cones into other lanes: copy by contact
    for (int i = 0; i < path->problem->ncone; i++) {
        const tact_cone_iterate *cone = &work->cone[work->layout[i].group];
        tact_cone_get(from_zero ? cone->c : cone->nu, work->layout[i].lane, work->layout[i].gap);
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        bound->s = from_zero ? bound->c : bound->nu;
    }
    // the system of the barrier problem itself, with P and eliminated unknowns
    path->phase1 = false;
    tact_newton_pack(path);
    if (work->full) return TACT_NO_MEMORY;
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        for (int lane = 0; lane < TACT_LANES; lane++) {
            const tact_real *gap = work->layout[tact_cone_member(cone, lane)].gap;
            for (int k = 0; k < 3; k++) tact_wide_put(&cone->s[k], lane, gap[k]);
        }
    }
    tact_path_start_inside(path);
    bool arrives = iterate(path, &most, most) == TACT_CONVERGED;
    if (arrives || tact_path_inside(path))
        report(path, solution);
    else if (from_zero)
        report_part(path, solution);
    return arrives && is_open(path->problem, solution) ? TACT_CONVERGED : TACT_ITERATION_LIMIT;
}

// Residuals of a solution: g = P d + p - J'lambda with the sum of the magnitudes of its forces, the largest deviation of a
// product from its target, and whether all gaps lie inside their cones.
typedef struct {
    tact_real *g, *size, off;
    bool inside;
} answer_residual;

// Evaluates the residuals of an unconverged iterate from its displacement and forces alone. False when a gap is not inside its
// cone.
static bool assess(const tact_barrier_problem *problem, tact_barrier_work *work, tact_barrier_solution *solution) {
    const tact_real *d = solution->d;
    answer_residual left = {.g = work->g, .size = work->step, .inside = true};
    // g = p + P d, P by rows of its lower triangle
    for (int i = 0; i < problem->n; i++) {
        left.g[i] = problem->p[i];
        left.size[i] = tact_fabs(problem->p[i]);
    }
    for (int i = 0; i < problem->n; i++) {
        const tact_real *row = tact_skyline_row(&problem->P, i);
        for (int j = problem->P.first[i]; j <= i; j++) {
            left.g[i] += row[j] * d[j];
            if (j < i) left.g[j] += row[j] * d[i];
        }
    }
    // contacts and limits: subtract J'lambda
    for (int i = 0; i < problem->ncone; i++) {
        // a cone: g -= J'lambda, deviation of the product from 2/kappa, and whether the gap is strictly inside
        const tact_cone *cone = &problem->cone[i];
        const tact_real *l = solution->lambda + 3 * i;
        const tact_real *J = cone->J;
        tact_real s[3], terms = 0;
        // z = (lambda_n, lambda_t/mu), s = (nu_n, mu nu_t)
        const tact_real z[3] = {l[0], cone->mu > 0 ? l[1] / cone->mu : 0, cone->mu > 0 ? l[2] / cone->mu : 0};
        // nu = J d + c; g -= J'lambda, with the magnitudes of its terms
        for (int k = 0; k < 3; k++, J += cone->width) {
            s[k] = cone->c[k];
            for (int a = 0; a < cone->width; a++) {
                s[k] += J[a] * d[cone->column[a]];
                terms = tact_max(terms, tact_fabs(J[a] * d[cone->column[a]]));
                left.g[cone->column[a]] -= J[a] * l[k];
                left.size[cone->column[a]] += tact_fabs(J[a] * l[k]);
            }
            s[k] *= k ? cone->mu : 1;
        }
        // product s o z against the target (2/kappa) e: tangential components, then s'z
        tact_real across = tact_max(tact_fabs(s[0] * z[1] + z[0] * s[1]), tact_fabs(s[0] * z[2] + z[0] * s[2]));
        tact_real product = s[0] * z[0] + s[1] * z[1] + s[2] * z[2];
        // at least the rounding of the gap
        tact_real off = tact_max(4 * TACT_EPS * terms * z[0], tact_max(across, tact_fabs(product - 2 / cone->kappa)));
        left.off = tact_max(left.off, off * cone->kappa / 2);
        // strictly inside the cone, as rounded
        left.inside &= s[0] > 0 && tact_cone_det_one(s) > 0;
    }
    for (int j = 0; j < problem->nbound; j++) {
        // residuals of a limit: gradient and complementarity
        const tact_bound *bound = &problem->bound[j];
        tact_real l = solution->bound_lambda[j];
        tact_real nu = bound->sign * d[bound->column] + bound->c;
        left.g[bound->column] -= bound->sign * l;
        left.size[bound->column] += l;
        left.off = tact_max(left.off, tact_fabs(nu * l * bound->kappa / 2 - 1));
        left.inside &= nu > 0;
    }
    // balance: the largest residual relative to the largest sum of magnitudes
    tact_real worst = 0, most = 0;
    for (int i = 0; i < problem->n; i++) {
        worst = tact_max(worst, tact_fabs(left.g[i]));
        most = tact_max(most, tact_max(left.size[i], tact_fabs(left.g[i])));
    }
    solution->balance = most > 0 ? worst / most : 0;
    solution->decrement = tact_max(left.off, solution->balance);
    return left.inside;
}

static bool are_moderate(const tact_real *x, int count) {
    return tact_find_larger(x, count, TACT_MOST_NUMBER) == count;
}

// Follows the central path to the given kappa, from a warm or a cold start; if that does not converge, recovers by phase 1.
static tact_status contact_solve(tact_path *path, const tact_barrier_options *options, tact_barrier_solution *solution) {
    TACT_ASSERT(options->max_iterations >= 1);
    int most = options->max_iterations;
    // if d = 0 is infeasible, half of the budget is reserved for phase 1; or all but one factorisation where that is hopeless
    int budget = most < SMALL_BUDGET ? most - 1 : most / 2;
    bool warm = options->warm && tact_path_start_warm(path, solution->lambda, solution->bound_lambda);
    if (!warm) tact_path_start_cold(path);
    // a warm start from another configuration, or from a poor guess, may follow a boundary: after half of the budget, where that
    // is not small, a cold start
    int half = (budget + 1) / 2;
    bool halved = warm && most >= SMALL_BUDGET;
    tact_status status = halved ? iterate(path, &half, half) : iterate(path, &budget, most);
    if (warm && status != TACT_CONVERGED && path->iterations < budget) {
        tact_path_start_cold(path);
        status = iterate(path, &budget, most);
    }
    // a feasible iterate needs no phase 1, and is the result if the iteration leaves the feasible set again
    if (status == TACT_ITERATION_LIMIT && path->iterations >= budget && budget < most && tact_path_inside(path)) {
        report(path, solution);
        status = iterate(path, &most, most);
        if (status == TACT_ITERATION_LIMIT && !tact_path_inside(path)) return status;
    }
    if (status == TACT_CONVERGED) report(path, solution);
    if (status == TACT_CONVERGED && !is_open(path->problem, solution)) status = TACT_ITERATION_LIMIT;
    return status == TACT_ITERATION_LIMIT ? recover(path, options, solution) : status;
}

// Checks the numbers of a solution: overflow becomes a failure.
static tact_status confirm(const tact_barrier_problem *problem, tact_status status, tact_barrier_solution *solution) {
    // a usable status promises a displacement, a certificate promises forces
    bool motion = status >= 0 || solution->nearer, forces = motion || status == TACT_INFEASIBLE;
    // products of P with a very large displacement may overflow: then its residuals are unknown
    bool finite = (!motion || are_moderate(solution->d, problem->n)) &&
                  (!forces || (tact_all_finite(solution->lambda, 3 * problem->ncone) &&
                               tact_all_finite(solution->bound_lambda, problem->nbound)));
    solution->nearer = solution->nearer && finite;
    if (finite && tact_is_finite(solution->decrement + solution->balance)) return status;
    solution->decrement = solution->balance = 0;
    return finite && status < 0 ? status : TACT_UNDECIDED;
}

static tact_status refuse(tact_barrier_solution *solution) {
    solution->decrement = solution->balance = 0;
    solution->nearer = false;
    solution->iterations = 0;
    return TACT_BAD_INPUT;
}

tact_status tact_barrier_solve_trusting(const tact_barrier_problem *problem, const tact_barrier_options *options,
                                        tact_barrier_work *work, tact_barrier_solution *solution) {
    TACT_ASSERT(options && solution);
    TACT_ASSERT(problem->n <= work->n && problem->ncone <= work->ncone && problem->nbound <= work->nbound);
    // refused until the numbers of P and p have been checked
    tact_path path = {.problem = problem, .work = work, .tolerance = options->tolerance};
    tact_status status = refuse(solution);
    if (tact_barrier_check_quadratic(problem).field) return status;
    // without contacts one factorisation solves the problem
    tact_newton_pack(&path);
    if (work->full) return TACT_NO_MEMORY;
    bool free = problem->ncone + problem->nbound == 0;
    status = free ? solve_unconstrained(&path) : contact_solve(&path, options, solution);
    if (free) report(&path, solution);
    solution->iterations = path.iterations;
    // gaps evaluated from d differ by rounding from those of the products
    if (status == TACT_CONVERGED && path.miss > TACT_PATH_ACCURACY)
        solution->decrement = tact_max(solution->decrement, path.miss);
    if (status == TACT_CONVERGED) return status;
    // an unconverged iterate is judged by its displacement and forces alone
    solution->nearer = solution->nearer && status == TACT_UNDECIDED;
    bool answer = status == TACT_ITERATION_LIMIT || solution->nearer;
    if (answer && !assess(problem, work, solution)) status = TACT_UNDECIDED;
    return confirm(problem, status, solution);
}

tact_status tact_barrier_solve(const tact_barrier_problem *problem, const tact_barrier_options *options, tact_barrier_work *work,
                               tact_barrier_solution *solution) {
    TACT_ASSERT(problem && options && work && solution && (problem->n == 0 || solution->d));
    TACT_ASSERT((solution->lambda || problem->ncone == 0) && (solution->bound_lambda || problem->nbound == 0));
    tact_barrier_options how = *options;
    if (tact_barrier_check(problem, options).field) return refuse(solution);
    how.warm =
        how.warm && are_moderate(solution->lambda, 3 * problem->ncone) && are_moderate(solution->bound_lambda, problem->nbound);
    tact_status status = tact_barrier_solve_trusting(problem, &how, work, solution);
    return status == TACT_CONVERGED ? confirm(problem, status, solution) : status;
}
