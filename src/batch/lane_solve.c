// SPDX-License-Identifier: MIT
// Follows the central path in lanes: as solve/path.c and solve/newton.c, with masks in the place of branches, so that each lane
// has the bits of the scalar iteration. A lane whose scene has converged takes the next one. Scenes that need special treatment
// (no step from the corrected direction, no end after many iterations) are left open for the scalar solver.
#include "batch/lane.h"
#include "solve/barrier.h"
#include "solve/sparse.h"
#include "solve/walk.h"

// The barrier problem of as many scenes as there are lanes, all of one pattern.
typedef struct {
    // the pattern, of the scene that leads it
    const tact_barrier_problem *problem;
    const tact_barrier_work *layout;
    int *column_at;  // (columns) where in J each of the problem's columns belongs, cone by cone
    // the numbers of all lanes
    tact_wide *P;                        // by the problem's skyline
    tact_wide *H, *pivot;                //
    tact_wide *diagonal, *p;             // (n)
    tact_wide *d, *g, *step;             // (n)
    tact_wide *size;                     // (n) of the terms of g
    tact_wide *J;                        // (columns, 3)
    tact_wide *mu;                       // (ncone)
    tact_cone_iterate *cone;             // (ncone)
    tact_bound_iterate *bound;           // (nbound)
    tact_wide extent, pull, aim;         // scales, and the mean target
    tact_wide mean, centrality;          // residuals
    tact_wide miss, gap, balance;        //
    tact_wide before;                    // the centrality before, where the iterate balanced
    tact_wide full;                      // 1: the last step was the full Newton step
    tact_wide iterations, most;          // done, and allowed
    tact_wide short_steps;               // in a row
    tact_wide tolerance;                 //
    tact_wide active;                    // 1: iterates, 0: idle
    tact_lane_scene *scene[TACT_LANES];  // NULL: idle
} tact_lane_solver;

static tact_walk lane_walk(const tact_lane_solver *solver) {
    return (tact_walk){solver->problem, solver->layout, solver->P,     solver->diagonal,      solver->p, solver->d, solver->g,
                       solver->step,    solver->cone,   solver->bound, solver->problem->ncone};
}

// Memory of the barrier solver in lanes; an arena that only measures returns none.
static void *lane_place(const tact_model *model, tact_arena *arena) {
    size_t n = (size_t)model->nv, npair = (size_t)model->npair, columns = (size_t)model->column_start[model->npair];
    size_t wide = sizeof(tact_wide);
    tact_lane_solver blank = {0}, *solver = tact_arena_take(arena, 1, sizeof *solver), *to = solver ? solver : &blank;
    // The envelope of the inertia in the order of elimination.
    size_t inertia = 0;
    for (int i = 0; i < model->nv; i++) inertia += (size_t)(i - model->mass_first[i] + 1);
    *to = blank;
    to->P = tact_arena_take(arena, inertia, wide);
    to->H = tact_arena_take(arena, (size_t)model->envelope, wide);
    to->pivot = tact_arena_take(arena, n, wide);
    to->diagonal = tact_arena_take(arena, n, wide);
    to->p = tact_arena_take(arena, n, wide);
    to->d = tact_arena_take(arena, n, wide);
    to->g = tact_arena_take(arena, n, wide);
    to->step = tact_arena_take(arena, n, wide);
    to->size = tact_arena_take(arena, n, wide);
    to->J = tact_arena_take(arena, 3 * columns, wide);
    to->column_at = tact_arena_take(arena, columns, sizeof(int));
    to->mu = tact_arena_take(arena, npair, wide);
    to->cone = tact_arena_take(arena, npair, sizeof(tact_cone_iterate));
    to->bound = tact_arena_take(arena, 2 * n, sizeof(tact_bound_iterate));
    return solver;
}

// Loads a scene's problem into a lane, and resets the lane's counters.
static void lane_load(tact_lane_solver *solver, int lane, tact_lane_scene *scene) {
    TACT_ASSERT(lane >= 0 && lane < TACT_LANES);
    const tact_barrier_problem *problem = &scene->work->problem;
    // Diagonal and gradient by place; P by unknown, as the problem has it.
    for (int i = 0; i < problem->n; i++) {
        int unknown = solver->layout->unknown[i];
        tact_wide_put(&solver->diagonal[i], lane, tact_skyline_row(&problem->P, unknown)[unknown]);
        tact_wide_put(&solver->p[i], lane, problem->p[unknown]);
    }
    for (int i = 0; i < problem->P.start[problem->n]; i++) tact_wide_put(&solver->P[i], lane, problem->P.value[i]);
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone *given = &problem->cone[i];
        const tact_real *lambda = scene->work->lambda + 3 * i;
        tact_cone_iterate *cone = &solver->cone[i];
        int width = given->width;
        tact_real mu = given->mu;
        // Columns at their places; tangents times mu.
        for (int k = 0; k < width; k++) {
            tact_wide *J = solver->J + 3 * solver->column_at[cone->first + k];
            tact_wide_put(J, lane, given->J[k]);
            tact_wide_put(J + 1, lane, mu * given->J[width + k]);
            tact_wide_put(J + 2, lane, mu * given->J[2 * width + k]);
        }
        tact_wide_put(&solver->mu[i], lane, mu);
        // tau = 2/kappa, the target of s'z.
        tact_wide_put(&cone->tau, lane, 2 / given->kappa);
        tact_wide_put(&cone->rate, lane, given->kappa / 2);
        tact_wide_put(&cone->c[0], lane, given->c[0] + 0);
        tact_wide_put(&cone->c[1], lane, mu * given->c[1] + 0);
        tact_wide_put(&cone->c[2], lane, mu * given->c[2] + 0);
        // the direction's place holds the forces to start from
        tact_wide_put(&cone->dz[0], lane, lambda[0]);
        tact_wide_put(&cone->dz[1], lane, mu > 0 ? lambda[1] / mu : 0);
        tact_wide_put(&cone->dz[2], lane, mu > 0 ? lambda[2] / mu : 0);
    }
    // Joint limits.
    for (int j = 0; j < problem->nbound; j++) {
        tact_bound_iterate *bound = &solver->bound[j];
        tact_wide_put(&bound->c, lane, problem->bound[j].c);
        tact_wide_put(&bound->tau, lane, 2 / problem->bound[j].kappa);
        tact_wide_put(&bound->rate, lane, problem->bound[j].kappa / 2);
        tact_wide_put(&bound->dz, lane, scene->work->bound_lambda[j]);
    }
    // Control of the lane: as in tact_path; half of the budget, of a warm start a quarter, since the rest is the scalar solver's.
    int most = scene->options.max_iterations / (scene->warm ? 4 : 2);
    tact_wide_put(&solver->tolerance, lane, scene->options.tolerance);
    tact_wide_put(&solver->most, lane, (tact_real)most);
    tact_wide_put(&solver->before, lane, TACT_MAX);
    tact_wide_put(&solver->full, lane, 0);
    tact_wide_put(&solver->iterations, lane, 0);
    tact_wide_put(&solver->short_steps, lane, 0);
    solver->scene[lane] = scene;
    tact_wide_put(&solver->active, lane, 1);
}

// Starts fresh lanes: from the given forces if requested and inside their cones, otherwise cold.
static void lane_start(tact_lane_solver *solver, tact_mask fresh, tact_mask warm) {
    int ncone = solver->problem->ncone, nbound = solver->problem->nbound;
    const tact_wide zero = tact_wide_all(0), one = tact_wide_all(1);
    // Unknowns of a cone's own: D^-1.
    for (int i = solver->layout->H.n; i < solver->problem->n; i++) solver->pivot[i] = 1 / solver->diagonal[i];
    for (int i = 0; i < ncone; i++) {
        // What the unknowns of a cone's own add: its compliance, and where its gap rests.
        tact_cone_iterate *cone = &solver->cone[i];
        for (int k = 0; k < 3; k++) cone->rest[k] = cone->c[k];
        walk_yield(solver->J + 3 * cone->first, solver->pivot + cone->own, solver->p + cone->own, cone->nown, cone->K,
                   cone->rest);
    }
    // extent: largest |c|; aim: mean target; pull: largest |p|.
    solver->extent = solver->aim = tact_wide_all(0);
    for (int i = 0; i < ncone; i++) {
        solver->extent = walk_largest(solver->cone[i].c, 3, solver->extent);
        solver->aim += solver->cone[i].tau;
    }
    for (int j = 0; j < nbound; j++) {
        solver->extent = tact_wide_max(solver->extent, tact_wide_abs(solver->bound[j].c));
        solver->aim += solver->bound[j].tau;
    }
    solver->aim /= (tact_real)(ncone + nbound);
    solver->pull = walk_largest(solver->p, solver->problem->n, tact_wide_all(0));
    // A warm start needs all forces inside their cones.
    for (int i = 0; i < ncone; i++) warm &= (solver->cone[i].dz[0] > zero) & (tact_cone_det(solver->cone[i].dz) > zero);
    for (int j = 0; j < nbound; j++) warm &= solver->bound[j].dz > zero;
    const tact_walk walk = lane_walk(solver);
    // Cold: s = gap e, z = max(force, tau/s) e; warm: z as given, s = tau z^-1 (path.c).
    tact_wide gap = tact_wide_max(solver->extent, walk_free_gap(&walk) / 2), force = solver->pull;
    for (int i = 0; i < solver->problem->n; i++) solver->d[i] = tact_wide_select(fresh, zero, solver->d[i]);
    for (int i = 0; i < ncone; i++) {
        tact_cone_iterate *cone = &solver->cone[i];
        tact_wide old[3];
        tact_cone_inverse(cone->dz, cone->tau, old);
        tact_wide s = tact_wide_select(gap > zero, gap, tact_wide_select(force > zero, cone->tau / force, one));
        tact_wide z = tact_wide_max(force, cone->tau / s);
        for (int k = 0; k < 3; k++) {
            cone->s[k] = tact_wide_select(fresh, tact_wide_select(warm, old[k], k ? zero : s), cone->s[k]);
            cone->z[k] = tact_wide_select(fresh, tact_wide_select(warm, cone->dz[k], k ? zero : z), cone->z[k]);
        }
    }
    // Joint limits: the same in one dimension.
    for (int j = 0; j < nbound; j++) {
        tact_bound_iterate *bound = &solver->bound[j];
        tact_wide s = tact_wide_select(gap > zero, gap, tact_wide_select(force > zero, bound->tau / force, one));
        tact_wide z = tact_wide_max(force, bound->tau / s);
        bound->s = tact_wide_select(fresh, tact_wide_select(warm, bound->tau / bound->dz, s), bound->s);
        bound->z = tact_wide_select(fresh, tact_wide_select(warm, bound->dz, z), bound->z);
    }
}

// Gaps, force balance and residuals of all lanes at their iterates, as tact_path_measure computes them.
static void lane_measure(tact_lane_solver *solver) {
    const tact_walk walk = lane_walk(solver);
    tact_walk_residual left = walk_measure(&walk, solver->extent, solver->pull, true);
    solver->mean = left.mean;
    solver->centrality = left.centrality;
    solver->miss = left.miss;
    solver->gap = left.gap;
    solver->balance = left.balance;
}

// Scalings and factor; a lane of the answer is false where the system is singular.
static tact_mask lane_factor(tact_lane_solver *solver) {
    const tact_barrier_work *layout = solver->layout;
    tact_envelope H = {.n = layout->H.n, .first = layout->H.first, .start = layout->H.start, .value = solver->H};
    // H = P + weights of the limits + J'B J.
    for (int j = 0; j < solver->problem->nbound; j++) tact_bound_scale(&solver->bound[j]);
    const tact_walk walk = lane_walk(solver);
    walk_fill(&walk, &H, false);
    // Scaling and weight of each cone, then its part of H.
    for (int i = 0; i < solver->problem->ncone; i++) {
        tact_cone_iterate *cone = &solver->cone[i];
        tact_cone_scale(cone);
        tact_cone_weigh(cone);
        tact_columns_square(tact_columns_of(cone), cone->B, &H);
    }
    return tact_envelope_eliminate(&H, solver->pivot);
}

// Purpose of a direction, as in solve/path.c: the first is a plain Newton step; the others correct it in the lanes of the mask
// by the second-order terms of the last direction, and leave the other lanes unchanged, with share 1.
typedef struct {
    tact_wide along, share;
    tact_mask corrects;
    bool first, ends;
} lane_purpose;

// Aim of a cone's direction; the second-order term of a correction is kept in y.
static void lane_aim(tact_cone_iterate *cone, lane_purpose to) {
    tact_wide three[3];
    if (to.first) {
        for (int k = 0; k < 3; k++) three[k] = to.share * (cone->nu[k] - cone->s[k]);
        tact_cone_aim(cone, tact_wide_max(cone->tau, to.along), three, cone->aim);
        for (int k = 0; k < 3; k++) cone->dz[k] = cone->aim[k];
        for (int k = 0; k < 3; k++) cone->y[k] = tact_wide_all(0);
        return;
    }
    tact_cone_second_order(cone, three);
    for (int k = 0; k < 3; k++) cone->y[k] = tact_wide_select(to.corrects, three[k], cone->y[k]);
    tact_cone_correct(cone, tact_wide_max(cone->tau, to.along), cone->y);
}

// Directions, and their step lengths; 1 where none is wanted.
static tact_wide lane_direction(tact_lane_solver *solver, lane_purpose to) {
    // Right-hand side -share g, plus J'f of limits and cones.
    const tact_barrier_work *layout = solver->layout;
    int n = layout->H.n, ncone = solver->problem->ncone, nbound = solver->problem->nbound;
    tact_envelope L = {.n = n, .first = layout->H.first, .start = layout->H.start, .value = solver->H};
    for (int i = 0; i < n; i++) solver->step[i] = -to.share * solver->g[i];
    for (int j = 0; j < nbound; j++) {
        tact_bound_iterate *bound = &solver->bound[j];
        // Second-order term ds dz/z in the lanes that correct.
        if (to.first) bound->y = tact_wide_all(0);
        bound->y = tact_wide_select(to.corrects, bound->ds * bound->dz * bound->over_z, bound->y);
        tact_wide missing = to.share * (bound->nu - bound->s);
        bound->dz = bound->B * (tact_wide_max(bound->tau, to.along) * bound->over_z - bound->s - bound->y - missing);
        solver->step[bound->place] += bound->sign * bound->dz;
    }
    for (int i = 0; i < ncone; i++) {
        lane_aim(&solver->cone[i], to);
        tact_newton_force(&solver->cone[i], tact_columns_of(&solver->cone[i]), solver->step);
    }
    tact_envelope_solve(&L, solver->pivot, solver->step);
    for (int i = 0; i < ncone; i++) {
        tact_cone_iterate *cone = &solver->cone[i];
        tact_newton_expand(cone, tact_columns_of(cone), solver->step);
        for (int k = 0; k < 3; k++) cone->ds[k] += to.share * (cone->nu[k] - cone->s[k]);
    }
    for (int j = 0; j < nbound; j++) {
        tact_bound_iterate *bound = &solver->bound[j];
        tact_wide s = bound->sign * solver->step[bound->place];
        bound->dz -= bound->B * s;
        bound->ds = s + to.share * (bound->nu - bound->s);
    }
    const tact_walk walk = lane_walk(solver);
    return to.ends ? walk_reach(&walk) : tact_wide_all(1);
}

// Takes the step along the direction in the lanes of the mask.
static void lane_follow(tact_lane_solver *solver, tact_wide t, tact_mask moves) {
    for (int i = 0; i < solver->layout->H.n; i++)
        solver->d[i] = tact_wide_select(moves, solver->d[i] + t * solver->step[i], solver->d[i]);
    // Primal and dual variables of contacts, then of limits.
    for (int i = 0; i < solver->problem->ncone; i++) {
        tact_cone_iterate *cone = &solver->cone[i];
        for (int k = 0; k < 3; k++) {
            cone->s[k] = tact_wide_select(moves, cone->s[k] + t * cone->ds[k], cone->s[k]);
            cone->z[k] = tact_wide_select(moves, cone->z[k] + t * cone->dz[k], cone->z[k]);
        }
    }
    for (int j = 0; j < solver->problem->nbound; j++) {
        tact_bound_iterate *bound = &solver->bound[j];
        bound->s = tact_wide_select(moves, bound->s + t * bound->ds, bound->s);
        bound->z = tact_wide_select(moves, bound->z + t * bound->dz, bound->z);
    }
}

// Where the corrector misleads: a centring step if the predictor was short, otherwise the plain Newton step. Returns its
// length.
static tact_wide lane_step_again(tact_lane_solver *solver, tact_wide predicted, tact_mask misled) {
    const tact_wide zero = tact_wide_all(0), one = tact_wide_all(1);
    // Blocked in the predictor: towards the centre; else the plain Newton direction.
    tact_mask blocked = predicted < TACT_REAL(0.1);
    lane_purpose to = {.along = tact_wide_select(blocked, solver->mean, zero),
                       .share = tact_wide_select(blocked, TACT_REAL(0.3) * one, one),
                       .corrects = zero > zero,
                       .first = true,
                       .ends = true};
    tact_wide t = lane_direction(solver, to);
    lane_follow(solver, t, misled & (t > zero));
    return t;
}

// One step of all lanes; a lane of the answer is false where no direction is finite.
static tact_mask lane_step(tact_lane_solver *solver) {
    const tact_wide zero = tact_wide_all(0), one = tact_wide_all(1);
    tact_mask active = solver->active > zero;
    // As tact_path_step, for all lanes at once: what a lane does not need leaves it as it is.
    tact_wide off = tact_wide_max(solver->centrality, tact_wide_max(solver->balance, solver->gap));
    tact_mask far = (solver->mean > 2 * solver->aim) | (off > TACT_PATH_NEAR);
    tact_wide order = tact_wide_select(far, one, tact_path_order(off, solver->tolerance));
    tact_mask goes = far | (order <= one);
    lane_purpose to = {.along = zero, .share = one, .corrects = zero > zero, .first = true, .ends = tact_mask_any(goes & active)};
    tact_wide predicted = tact_wide_select(goes, lane_direction(solver, to), one), t = predicted, rest = 1 - predicted;
    // Corrector: target (1 - t)^3 mean in lanes that need one; higher orders where they pay.
    order = tact_wide_select(far | (predicted < TACT_REAL(0.99)), 2 * one, order);
    to.along = tact_wide_select(order > one, rest * rest * rest * solver->mean, zero);
    to.first = false;
    for (int k = 2; tact_mask_any((order >= (tact_real)k) & active); k++) {
        to.corrects = order >= (tact_real)k;
        to.ends = !tact_mask_any((order > (tact_real)k) & active);
        t = lane_direction(solver, to);
    }
    // A corrector that is much shorter than its predictor is replaced.
    tact_mask misled = active & (order > one) & ((t < TACT_REAL(0.1)) | (2 * t < predicted));
    lane_follow(solver, t, active & (t > zero) & tact_mask_not(misled));
    if (tact_mask_any(misled)) t = tact_wide_select(misled, lane_step_again(solver, predicted, misled), t);
    // Control of the next step.
    solver->full = tact_wide_select(t < one, zero, one);
    solver->short_steps = tact_wide_select(t < TACT_REAL(0.05), solver->short_steps + one, zero);
    solver->iterations += one;
    return t > zero;
}

static void lane_idle(tact_lane_solver *solver, int lane) {
    solver->scene[lane] = NULL;
    tact_wide_put(&solver->active, lane, 0);
}

// Passes a lane's solution to its scene, which stays open if the solution is not finite.
static void lane_report(tact_lane_solver *solver, int lane) {
    tact_lane_scene *scene = solver->scene[lane];
    TACT_ASSERT(scene);
    tact_work *work = scene->work;
    int ncone = solver->problem->ncone;
    // Displacement by unknown, forces in the caller's coordinates.
    for (int i = 0; i < solver->problem->n; i++) work->d[solver->layout->unknown[i]] = tact_wide_get(&solver->d[i], lane);
    for (int i = 0; i < ncone; i++)
        for (int k = 0; k < 3; k++) {
            tact_real z = tact_wide_get(&solver->cone[i].z[k], lane), mu = tact_wide_get(&solver->mu[i], lane);
            work->lambda[3 * i + k] = k ? mu * z : z;
        }
    for (int j = 0; j < solver->problem->nbound; j++) work->bound_lambda[j] = tact_wide_get(&solver->bound[j].z, lane);
    // What tact_barrier_solve would report.
    work->status = TACT_CONVERGED;
    work->iterations = (int)tact_wide_get(&solver->iterations, lane);
    work->decrement = tact_wide_get(&solver->centrality, lane);
    work->balance = tact_wide_get(&solver->balance, lane);
    work->worst_pair = -1;
    // Numbers that are not finite, or gaps outside of their cones, are left to the scalar solver.
    scene->open = !(tact_all_finite(work->d, solver->problem->n) && tact_all_finite(work->lambda, 3 * ncone) &&
                    tact_all_finite(work->bound_lambda, solver->problem->nbound)) ||
                  tact_barrier_leaves_cones(&work->problem, work->d, work->lambda);
    lane_idle(solver, lane);
}

// Sum of the magnitudes of the terms of J'z.
static const tact_wide *lane_sum_force_magnitudes(tact_lane_solver *solver) {
    const tact_walk walk = lane_walk(solver);
    walk_weigh(&walk, solver->size);
    return solver->size;
}

// The balance of the given lanes, where it is above the tolerance, relative to the forces of the contacts.
static void lane_weigh_balance(tact_lane_solver *solver, tact_mask which) {
    const tact_wide zero = tact_wide_all(0);
    int n = solver->layout->H.n;
    // g relative to the contact forces instead of p.
    tact_wide off = walk_largest(solver->g, n, zero);
    tact_wide balance = tact_wide_min(solver->balance, off / walk_largest(lane_sum_force_magnitudes(solver), n, off));
    which &= (off > zero) & (solver->balance > solver->tolerance);
    solver->balance = tact_wide_select(which, balance, solver->balance);
}

// Whether the products nu o z are known beyond the rounding of nu, as products_are_known of path.c; the rounding is added to
// miss.
static tact_mask lane_products_are_known(tact_lane_solver *solver) {
    const tact_walk walk = lane_walk(solver);
    solver->miss = walk_product_error(&walk, solver->miss);
    return solver->miss <= TACT_PATH_PRODUCT_ERROR + tact_wide_all(0);
}

// Whether the residual of the balance and the rounding of J'z move no unknown by more than the accuracy asked for.
static tact_mask lane_displacement_is_known(tact_lane_solver *solver) {
    // |off_i| <= allowed P_ii, the cheap bound of path.c; the other one is left to the scalar solver.
    int n = solver->layout->H.n;
    const tact_wide zero = tact_wide_all(0), *size = lane_sum_force_magnitudes(solver);
    tact_wide allowed = TACT_PATH_ACCURACY * walk_largest(solver->d, n, solver->extent);
    tact_mask still = zero <= zero;
    for (int i = 0; i < n; i++) {
        tact_wide off = 2 * TACT_EPS * size[i] + tact_wide_abs(solver->g[i]);
        still &= off <= allowed * solver->diagonal[i];
    }
    return still;
}

// Both of these by cheap upper bounds, as is_clearly_accurate of path.c.
static tact_mask lane_is_clearly_accurate(const tact_lane_solver *solver) {
    int n = solver->layout->H.n;
    const tact_wide zero = tact_wide_all(0);
    // Every |d_i| replaced by the largest, every force by the sum.
    tact_wide size = walk_largest(solver->d, n, zero), allowed = TACT_PATH_ACCURACY * tact_wide_max(size, solver->extent);
    tact_wide most = solver->miss, pull = zero;
    for (int i = 0; i < solver->problem->ncone; i++) {
        const tact_cone_iterate *cone = &solver->cone[i];
        most += tact_newton_rounding_bound(cone, tact_columns_of(cone), size, &pull);
    }
    for (int j = 0; j < solver->problem->nbound; j++) pull += solver->bound[j].z;
    tact_mask plain = most <= TACT_PATH_ACCURACY + zero;
    pull *= 2 * TACT_EPS;
    for (int i = 0; i < n; i++) plain &= pull + tact_wide_abs(solver->g[i]) <= allowed * solver->diagonal[i];
    return plain;
}

// The stopping test of tact_path_judge in the lanes of the given set: converged lanes report their answer. Lanes that are stuck,
// or whose convergence hangs on rounding that only the scalar solver examines, leave their scene to it.
static void lane_judge(tact_lane_solver *solver, tact_mask which) {
    const tact_wide zero = tact_wide_all(0), tolerance = solver->tolerance, centrality = solver->centrality, miss = solver->miss;
    // Tests of tact_path_judge, as masks.
    tact_mask central = (centrality <= tolerance) & (solver->gap <= tolerance) & (solver->full > zero);
    if (tact_mask_any(which & central & (solver->balance > tolerance))) lane_weigh_balance(solver, which & central);
    tact_mask balanced = (solver->balance <= tolerance) & (solver->gap <= tolerance);
    tact_wide sum = solver->mean + solver->balance + solver->gap + centrality;
    tact_mask known = miss * miss * miss * miss <= tolerance;
    tact_mask stagnant = (solver->full > zero) & (centrality >= solver->before / 2) & (centrality * centrality <= tolerance);
    tact_mask met = balanced & known & ((centrality <= tolerance) | stagnant), arrived = met;
    // Cheap bounds first, then the exact ones for lanes that need them.
    if (tact_mask_any(which & met)) {
        arrived &= lane_is_clearly_accurate(solver);
        if (tact_mask_any(which & met & tact_mask_not(arrived)))
            arrived |= met & lane_products_are_known(solver) & lane_displacement_is_known(solver);
    }
    // whether rounding of J d hides the gap, and whether that matters, is decided by the scalar solver
    tact_mask vague = met | ((centrality <= tolerance) & (solver->full > zero) & (solver->gap > tolerance));
    tact_mask stuck = tact_mask_not(sum - sum == zero) | (solver->iterations >= solver->most) | vague |
                      (solver->short_steps >= 3 + zero) | (solver->iterations >= (TACT_PATH_PATIENCE - 1) + zero);
    // before: centrality of balanced iterates only.
    tact_wide before = tact_wide_select(balanced, centrality, tact_wide_all(TACT_MAX));
    solver->before = tact_wide_select(which, before, solver->before);
    which &= solver->active > zero;
    if (!tact_mask_any(which & (arrived | stuck))) return;
    if (tact_mask_any(which & arrived)) {
        // The unknowns that are not shared, from the forces.
        int n = solver->layout->H.n, all = solver->problem->n;
        for (int i = n; i < all; i++) solver->d[i] = -solver->p[i];
        for (int i = 0; i < solver->problem->ncone; i++) {
            const tact_cone_iterate *cone = &solver->cone[i];
            const tact_wide *J = solver->J + 3 * cone->first, *z = cone->z;
            for (int k = 0; k < cone->nown; k++, J += 3) solver->d[cone->own + k] += J[0] * z[0] + J[1] * z[1] + J[2] * z[2];
        }
        for (int i = n; i < all; i++) solver->d[i] *= solver->pivot[i];
    }
    for (int lane = 0; lane < TACT_LANES; lane++) {
        if (!tact_mask_get(which & (arrived | stuck), lane)) continue;
        if (tact_mask_get(arrived, lane))
            lane_report(solver, lane);
        else
            lane_idle(solver, lane);
    }
}

// Fills idle lanes with the next scenes once there are enough of them to justify a start, and measures their initial points.
// Returns how many scenes have been taken.
static int lane_refill(tact_lane_solver *solver, tact_lane_scene *const *scene, int next, int count) {
    for (;;) {
        // At least half of the lanes must be idle: a start costs as much as a step of all lanes.
        int idle = 0;
        for (int lane = 0; lane < TACT_LANES; lane++) idle += !solver->scene[lane];
        if (2 * idle < TACT_LANES) return next;
        bool any = false;
        tact_wide starts = tact_wide_all(0), warm = tact_wide_all(0);
        // Idle lanes take the next scenes.
        for (int lane = 0; lane < TACT_LANES && next < count; lane++) {
            if (solver->scene[lane]) continue;
            lane_load(solver, lane, scene[next]);
            any = true;
            tact_wide_put(&starts, lane, 1);
            tact_wide_put(&warm, lane, scene[next++]->warm);
        }
        if (!any) return next;
        lane_start(solver, starts > tact_wide_all(0), warm > tact_wide_all(0));
        // Whether all numbers of a problem are of a size that the solver accepts.
        const tact_barrier_problem *problem = solver->problem;
        tact_wide most = walk_largest(solver->p, problem->n, solver->extent);
        most = walk_largest(solver->P, problem->P.start[problem->n], most);
        for (int i = 0; i < problem->ncone; i++) {
            const tact_cone_iterate *cone = &solver->cone[i];
            most = walk_largest(solver->J + 3 * cone->first, 3 * (cone->nown + cone->nshared), most);
        }
        tact_mask moderate = most <= tact_wide_all(TACT_MOST_NUMBER);
        for (int lane = 0; lane < TACT_LANES; lane++)
            if (!tact_mask_get(moderate, lane)) lane_idle(solver, lane);
        lane_measure(solver);
        // some may start where they are to arrive
        lane_judge(solver, starts > tact_wide_all(0));
    }
}

// Solves the problems of `count` scenes of one pattern; as a lane's scene ends, the next one takes its place.
static void lane_solve(void *memory, tact_lane_scene *const *scene, int count) {
    tact_lane_solver *solver = memory;
    const tact_wide zero = tact_wide_all(0);
    // The layout of the first scene's problem, for all.
    tact_lane_scene *leader = scene[0];
    tact_path path = {.problem = &leader->work->problem, .work = &leader->work->barrier};
    tact_newton_pack(&path);
    solver->problem = path.problem;
    solver->layout = path.work;
    bool compliant = tact_newton_has_compliance(path.work, path.problem->ncone);
    for (int i = 0; i < path.problem->ncone; i++) {
        tact_cone_layout layout = path.work->layout[i];
        tact_cone_iterate *cone = &solver->cone[i];
        cone->nown = layout.nown;
        cone->own = layout.own;
        cone->nshared = layout.nshared;
        cone->first = layout.first;
        cone->J = solver->J + 3 * (layout.first + layout.nown);
        cone->row = path.work->row + layout.first + layout.nown;
        cone->compliant = compliant;
        int own = layout.first, shared = layout.first + layout.nown;
        for (int k = 0; k < path.problem->cone[i].width; k++) {
            int place = path.work->place[path.problem->cone[i].column[k]];
            solver->column_at[layout.first + k] = place < path.work->H.n ? shared++ : own++;
        }
    }
    for (int j = 0; j < path.problem->nbound; j++) {
        solver->bound[j].sign = path.problem->bound[j].sign;
        solver->bound[j].place = path.work->place[path.problem->bound[j].column];
    }
    // large matrices are the scalar solver's
    if (tact_sparse_holds(solver->layout)) return;
    // Lanes without a scene do nothing.
    for (int lane = 0; lane < TACT_LANES; lane++) lane_idle(solver, lane);
    int next = lane_refill(solver, scene, 0, count);
    // Factor, step and judge until no lane is active; lanes that end take the next scene.
    while (tact_mask_any(solver->active > zero)) {
        tact_mask good = lane_factor(solver);
        good &= lane_step(solver);
        tact_mask lost = (solver->active > zero) & tact_mask_not(good);
        for (int lane = 0; lane < TACT_LANES && tact_mask_any(lost); lane++)
            if (tact_mask_get(lost, lane)) lane_idle(solver, lane);
        lane_measure(solver);
        lane_judge(solver, solver->active > zero);
        next = lane_refill(solver, scene, next, count);
    }
}

const tact_lane_kernel TACT_LANE_NAME(tact_lane_solve_,
                                      TACT_LANES) = {.width = TACT_LANES, .place = lane_place, .run = lane_solve};
