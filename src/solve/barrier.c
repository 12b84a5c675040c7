// SPDX-License-Identifier: MIT
// The barrier problem: walk the central path to its target, or prove that there is none.
#include "solve/path.h"

#include "math/elementary.h"
#include "solve/certificate.h"
#include "solve/cone.h"
#include "solve/newton.h"

void tact_barrier_place(tact_barrier_work *work, tact_barrier_size size, tact_arena *arena) {
    size_t n = (size_t)size.n, columns = (size_t)size.columns;
    work->n = size.n;
    work->ncone = size.ncone;
    work->nbound = size.nbound;
    work->columns = size.columns;
    work->envelope = size.envelope;
    work->H.n = size.n;
    work->place = tact_arena_take(arena, n, sizeof(int));
    work->unknown = tact_arena_take(arena, n, sizeof(int));
    work->H.first = tact_arena_take(arena, n, sizeof(int));
    work->H.start = tact_arena_take(arena, n + 1, sizeof(int));
    work->H.value = tact_arena_take(arena, (size_t)size.envelope, sizeof(tact_real));
    work->pivot = tact_arena_take(arena, n, sizeof(tact_real));
    work->diagonal = tact_arena_take(arena, n, sizeof(tact_real));
    work->weight = tact_arena_take(arena, n, sizeof(tact_real));
    work->p = tact_arena_take(arena, n, sizeof(tact_real));
    work->d = tact_arena_take(arena, n, sizeof(tact_real));
    work->g = tact_arena_take(arena, n, sizeof(tact_real));
    work->step = tact_arena_take(arena, n, sizeof(tact_real));
    work->J = tact_arena_take(arena, 3 * columns, sizeof(tact_real));
    work->row = tact_arena_take(arena, columns, sizeof(int));
    work->cone = tact_arena_take(arena, (size_t)size.ncone, sizeof(tact_cone_iterate));
    work->bound = tact_arena_take(arena, (size_t)size.nbound, sizeof(tact_bound_iterate));
}

tact_barrier_options tact_barrier_options_default(void) {
    tact_barrier_options options = {.max_iterations = 100, .tolerance = TACT_TOLERANCE, .warm = false};
    return options;
}

static bool acceptable(const tact_barrier_problem *problem) {
    if (!tact_all_finite(problem->p, problem->n) || !tact_all_finite(problem->P.value, problem->P.start[problem->n])) return false;
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone *cone = &problem->cone[i];
        if (!(cone->mu >= 0 && cone->mu < TACT_MAX && cone->kappa > 0 && cone->kappa < TACT_MAX)) return false;
        if (!tact_all_finite(cone->J, 3 * cone->width) || !tact_all_finite(cone->c, 3)) return false;
    }
    for (int j = 0; j < problem->nbound; j++) {
        const tact_bound *bound = &problem->bound[j];
        if (!(bound->kappa > 0 && bound->kappa < TACT_MAX) || !tact_all_finite(&bound->c, 1)) return false;
    }
    return true;
}

// Without contacts the step is P d = -p.
static tact_status solve_unconstrained(tact_path *path) {
    for (int i = 0; i < path->problem->n; i++) {
        path->work->d[i] = 0;
        path->work->step[i] = -path->work->p[i];
    }
    if (!tact_newton_factor(path)) return TACT_SINGULAR;
    tact_newton_solve(path);
    for (int i = 0; i < path->problem->n; i++) path->work->d[i] = path->work->step[i];
    tact_path_measure(path);
    return tact_all_finite(path->work->d, path->problem->n) ? TACT_CONVERGED : TACT_SINGULAR;
}

// Walks until the residuals are met. TACT_ITERATION_LIMIT also when the steps stay short, which means that the cones
// contradict each other or nearly so.
static tact_status walk(tact_path *path, const tact_barrier_options *options) {
    tact_real before = TACT_MAX;
    tact_real tolerance = options->tolerance;
    for (;;) {
        tact_path_measure(path);
        if (path->balance <= tolerance && path->gap <= tolerance) {
            if (path->centrality <= tolerance) return TACT_CONVERGED;
            // near a cone's boundary rounding keeps the products from their targets: as good as they get
            bool stagnant = path->full_step && path->centrality >= before / 2;
            if (stagnant && path->centrality * path->centrality <= tolerance) return TACT_CONVERGED;
        }
        before = path->centrality;
        bool lost = !tact_is_finite(path->mean + path->balance + path->gap);
        if (lost || path->iterations >= options->max_iterations || path->short_steps >= 3) return TACT_ITERATION_LIMIT;
        if (!tact_newton_factor(path)) return TACT_SINGULAR;
        tact_path_step(path);
    }
}

// When d = 0 is inside all cones: the largest part of the step from there that stays inside.
static bool shrink_inside(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_real reach = TACT_MAX;
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone_iterate *cone = &path->work->cone[i];
        const tact_real *start = cone->c;
        tact_real change[3];
        if (!(start[0] > 0 && tact_cone_det(start) > 0)) return false;
        for (int k = 0; k < 3; k++) change[k] = cone->nu[k] - start[k];
        reach = tact_min(reach, tact_cone_max_step(start, change));
    }
    for (int j = 0; j < problem->nbound; j++) {
        tact_real start = problem->bound[j].c, change = path->work->bound[j].nu - start;
        if (!(start > 0)) return false;
        if (change < 0) reach = tact_min(reach, -start / change);
    }
    tact_real t = tact_min(1, TACT_REAL(0.9) * reach);
    for (int i = 0; i < problem->n; i++) path->work->d[i] *= t;
    tact_path_measure(path);
    return tact_path_inside(path);
}

static void report_iterate(const tact_path *path, tact_barrier_solution *solution) {
    const tact_barrier_problem *problem = path->problem;
    for (int i = 0; i < problem->n; i++) solution->d[path->work->unknown[i]] = path->work->d[i];
    for (int i = 0; i < problem->ncone; i++) {
        const tact_real *z = path->work->cone[i].z;
        solution->lambda[3 * i] = z[0];
        solution->lambda[3 * i + 1] = problem->cone[i].mu * z[1];
        solution->lambda[3 * i + 2] = problem->cone[i].mu * z[2];
    }
    for (int j = 0; j < problem->nbound; j++) solution->bound_lambda[j] = path->work->bound[j].z;
    solution->iterations = path->iterations;
    solution->decrement = path->centrality;
    solution->balance = path->balance;
}

// After a walk that did not arrive: shrinks the displacement towards a feasible start, else searches for a feasible point and
// walks on from there, else gives the certificate.
static tact_status recover(tact_path *path, const tact_barrier_options *options, tact_barrier_solution *solution) {
    tact_path_measure(path);
    bool stop = tact_path_inside(path) || (path->iterations >= options->max_iterations && shrink_inside(path));
    if (stop) {
        report_iterate(path, solution);
        return TACT_ITERATION_LIMIT;
    }
    for (int i = 0; i < path->problem->n; i++) path->work->d[i] = 0;
    tact_path_measure(path);
    if (!tact_path_inside(path)) {
        tact_phase phase = tact_certificate_search(path, solution);
        path->soft = 0;
        tact_newton_pack(path);
        if (phase == TACT_PHASE_CONTRADICTION) return TACT_INFEASIBLE;
        if (phase == TACT_PHASE_UNDECIDED) return TACT_SINGULAR;
    }
    if (!tact_path_start_inside(path)) return TACT_SINGULAR;
    tact_barrier_options again = *options;
    again.max_iterations += path->iterations;
    tact_status status = walk(path, &again);
    if (status == TACT_ITERATION_LIMIT && !tact_path_inside(path) && !shrink_inside(path)) status = TACT_SINGULAR;
    report_iterate(path, solution);
    return status;
}

tact_status tact_barrier_solve(const tact_barrier_problem *problem, const tact_barrier_options *options, tact_barrier_work *work,
                               tact_barrier_solution *solution) {
    TACT_ASSERT(problem->n <= work->n && problem->ncone <= work->ncone && problem->nbound <= work->nbound);
    tact_path path = {.problem = problem, .work = work};
    solution->iterations = 0;
    solution->decrement = solution->balance = 0;
    if (!acceptable(problem)) return TACT_BAD_INPUT;
    tact_newton_pack(&path);
    if (problem->ncone + problem->nbound == 0) {
        tact_status status = solve_unconstrained(&path);
        report_iterate(&path, solution);
        return status;
    }
    if (!options->warm || !tact_path_start_warm(&path, solution->lambda, solution->bound_lambda)) tact_path_start_cold(&path);
    tact_status status = walk(&path, options);
    report_iterate(&path, solution);
    if (status != TACT_ITERATION_LIMIT) return status;
    return recover(&path, options, solution);
}
