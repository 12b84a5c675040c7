// SPDX-License-Identifier: MIT
// Impulses of a step, island by island, by the friction solver: small islands with dense equations, larger ones with sparse
// block equations in the components that they move. Where the fill-in of these exceeds the memory, nonlinear Gauss-Seidel
// sweeps remain.
#include "law/rigid.h"
#include "solve/friction.h"

enum {
    ANSWER_PASSES = 20,   // Gauss-Seidel sweeps between two tests of convergence
    ANSWER_BATCHES = 20,  // tests of convergence at most
    ANSWER_LARGE = 40,    // factorisations of a large island, in multiples of the option max_iterations
    ANSWER_POLISH = 2,    // Newton steps beyond the tolerance
    ANSWER_WEDGED = 20,   // impulses above this multiple of the velocity scale q / W_ii are taken for wedging
};

#define ANSWER_ENOUGH TACT_REAL(1e-8)  // residual accepted where the tolerance is not reached

static tact_friction_problem answer_problem(const tact_rigid_work *rigid, int k) {
    // View of island k of the step's friction problem.
    int begin = rigid->island[k];
    size_t row = 3 * (size_t)begin, first = (size_t)rigid->first_stored[k];
    tact_friction_problem problem = {.nc = rigid->island[k + 1] - begin,
                                     .row_start = rigid->row_start + begin + k,
                                     .column = rigid->column + first,
                                     .W = rigid->W + 9 * first,
                                     .q = rigid->q + row,
                                     .mu = rigid->mu + begin,
                                     .low = rigid->low + row,
                                     .high = rigid->high + row};
    return problem;
}

static tact_status answer_by_passes(const tact_friction_problem *problem, const tact_options *options, tact_friction_work *work,
                                    tact_friction_solution *solution) {
    // Nonlinear Gauss-Seidel sweeps until one changes no impulse by more than the tolerance, relative to the largest impulse.
    tact_friction_system system;
    tact_real *r = solution->r;
    if (!tact_friction_begin(problem, work, &system)) return TACT_NO_MEMORY;
    for (int i = 0; i < problem->nc; i++) tact_friction_project(problem, i, r + 3 * i);
    solution->iterations = 0;
    do {
        tact_real change = 0, most = 0;
        // change of the last of ANSWER_PASSES sweeps, relative to the largest impulse
        for (int pass = 0; pass < ANSWER_PASSES; pass++) change = tact_friction_sweep(&system, r);
        for (int row = 0; row < 3 * problem->nc; row++) most = tact_max(most, tact_fabs(r[row]));
        solution->residual = most > 0 ? change / most : 0;
        solution->iterations++;
    } while (solution->residual > options->tolerance && solution->iterations < ANSWER_BATCHES);
    for (int i = 0; i < problem->nc; i++) tact_friction_velocity(&system, r, i, solution->u + 3 * i);
    return solution->residual <= options->tolerance ? TACT_CONVERGED : TACT_ITERATION_LIMIT;
}

// The pair with the largest normal impulse in a certificate y of infeasibility; -1: none.
static int answer_worst_pair(const tact_work *work, int begin, int nc, const tact_real *y) {
    int worst = -1;
    tact_real most = 0;
    for (int i = 0; i < nc; i++) {
        int contact = work->rigid->block[begin + i].contact;
        if (contact < 0 || !(y[3 * i] > most)) continue;
        most = y[3 * i];
        worst = work->contacts.contact[contact].pair;
    }
    return worst;
}

// Up to ANSWER_POLISH more Newton steps, which take an answer within the tolerance to rounding where they can.
static void answer_polish(const tact_friction_problem *problem, const tact_friction_nodes *nodes, tact_friction_work *work,
                          tact_friction_solution *solution) {
    tact_friction_system system;
    // an exact answer, or one that no step would improve
    if ((solution->iterations == 0 && solution->residual <= 1024 * TACT_EPS) || !tact_friction_begin(problem, work, &system))
        return;
    system.nodes = nodes;
    for (int row = 0; row < 3 * problem->nc; row++) work->trial[row] = solution->r[row];
    solution->iterations += tact_friction_newton(&system, work, 0, ANSWER_POLISH, work->trial);
    // The trial impulses are kept if their residual is the smallest so far.
    tact_real error = tact_friction_error(&system, work, work->trial);
    if (!(error < solution->residual)) return;
    solution->residual = error;
    for (int row = 0; row < 3 * system.given.nc; row++) {
        solution->r[row] = work->next[row];
        solution->u[row] = work->u[row];
    }
}

// Whether r = 0 solves the problem, as where all contacts separate; then stores it as the solution.
static bool answer_by_nothing(const tact_friction_problem *problem, tact_friction_solution *solution) {
    for (int i = 0; i < problem->nc; i++)
        // normal rows must separate; scalar rows as far as they are not disabled
        for (int row = 3 * i; row < 3 * i + (problem->mu[i] < 0 ? 3 : 1); row++)
            if (problem->q[row] < 0 && !(problem->mu[i] < 0 && problem->high[row] == 0)) return false;
    for (int row = 0; row < 3 * problem->nc; row++) {
        solution->r[row] = 0;
        solution->u[row] = problem->q[row];
    }
    solution->iterations = 0;
    solution->residual = 0;
    return true;
}

// Polyhedral cones: solves the island as a linear complementarity problem by Lemke's method.
static tact_status answer_polygons(const tact_friction_problem *problem, tact_rigid_work *rigid,
                                   tact_friction_solution *solution) {
    int n = tact_friction_polygon_count(problem, TACT_RIGID_FACETS);
    tact_friction_polygon to = {.M = rigid->polygon_M, .p = rigid->polygon_q};
    tact_friction_system system = {.given = *problem, .size = problem->q, .shift = 0, .centre = problem->q};
    if (n > rigid->widest_polygon) return TACT_NO_MEMORY;
    tact_friction_polygon_fill(problem, TACT_RIGID_FACETS, &to);
    // rows without a limit (high = 0) are replaced by w = z + 1, so that z = 0
    for (int i = 0, begin = 0; i < problem->nc; begin += problem->mu[i] < 0 ? 3 : TACT_RIGID_FACETS + 2, i++)
        for (int k = 0; k < 3 && problem->mu[i] < 0; k++) {
            int row = begin + k;
            if (problem->high[3 * i + k] > 0) continue;
            for (int j = 0; j < n; j++) to.M[row * n + j] = to.M[j * n + row] = 0;
            to.M[row * n + row] = to.p[row] = 1;
        }
    tact_lcp_problem lcp = {.n = n, .M = to.M, .q = to.p};
    tact_lcp_options how = tact_lcp_options_default();
    tact_status status = tact_lcp_solve(&lcp, &how, &rigid->pivots, &rigid->polygon);
    if (status == TACT_BAD_INPUT) return status;
    tact_friction_polygon_read(problem, TACT_RIGID_FACETS, rigid->polygon.z, solution->r);
    solution->residual = rigid->polygon.residual;
    solution->iterations = rigid->polygon.pivots;
    for (int i = 0; i < problem->nc; i++) tact_friction_velocity(&system, solution->r, i, solution->u + 3 * i);
    return status;
}

// Frictionless contacts are rows with bounds (mu = -1) to the exact solver and contacts with mu = 0 to the polyhedral one: open
// converts to the latter, otherwise back.
static void answer_open(tact_rigid_work *rigid, bool open) {
    for (int i = 0; i < rigid->count; i++)
        if (rigid->block[i].contact >= 0 && rigid->mu[i] <= 0) rigid->mu[i] = open ? 0 : -1;
}

// Nodes of the block equations of island k, one for each component that it moves. False when their fill-in exceeds the memory.
static bool answer_nodes(tact_rigid_work *rigid, int k, tact_friction_nodes *nodes) {
    tact_blocks *blocks = &rigid->motion;
    int begin = rigid->island[k], end = rigid->island[k + 1], n = 0, unknowns = 0;
    tact_real *inertia = rigid->inertia;
    for (int c = 0; c < rigid->ncomponent; c++) rigid->node[c] = -1;
    // number the components of the island and copy their inertia
    for (int i = 2 * begin; i < 2 * end; i++) {
        int c = rigid->block[i / 2].side[i % 2].component;
        if (c < 0 || rigid->node[c] >= 0) continue;
        int size = rigid->begin[c + 1] - rigid->begin[c];
        rigid->node[c] = n;
        rigid->node_start[n++] = unknowns;
        unknowns += size;
        tact_rigid_inertia(rigid, c, inertia);
        inertia += (size_t)size * (size_t)size;
    }
    rigid->node_start[n] = unknowns;
    tact_blocks_begin(blocks, n);
    // a contact couples the components on its two sides
    for (int i = begin; i < end; i++) {
        for (int side = 0; side < 2; side++) {
            int c = rigid->block[i].side[side].component;
            rigid->moved[2 * i + side] = c < 0 ? -1 : rigid->node[c];
        }
        tact_blocks_join(blocks, rigid->moved[2 * i], rigid->moved[2 * i + 1]);
    }
    size_t stride = 3 * (size_t)rigid->widest;
    *nodes = (tact_friction_nodes){.blocks = blocks,
                                   .inertia = rigid->inertia,
                                   .node = rigid->moved + 2 * begin,
                                   .J = rigid->J + 2 * (size_t)begin * stride,
                                   .stride = stride,
                                   .motion = rigid->along,
                                   .scratch = rigid->linear};
    // symbolic factorisation: order of elimination and fill-in
    return tact_blocks_arrange(blocks);
}

// Residual to aim for once the first methods have failed. Redundant contacts that slide at nearly zero speed can keep the
// residual slightly above the tolerance, so ANSWER_ENOUGH is accepted; but not where impulses far exceed what the velocities
// require, as in wedging, since the residual is relative to the impulses.
static tact_real answer_aim(const tact_friction_problem *problem, const tact_rigid_work *rigid, tact_real tolerance,
                            const tact_real *r) {
    tact_real asked = 0;
    for (int row = 0; row < 3 * problem->nc; row++) asked = tact_max(asked, tact_fabs(problem->q[row]) / rigid->cones.size[row]);
    return tact_largest(r, 3 * problem->nc) > ANSWER_WEDGED * asked ? tolerance : tact_max(tolerance, ANSWER_ENOUGH);
}
// Solves an island with sparse block equations, or by Gauss-Seidel sweeps when their fill-in exceeds the memory.

static tact_status answer_large(const tact_friction_problem *problem, int k, const tact_options *options,
                                tact_friction_options how, tact_rigid_work *rigid, tact_friction_solution *solution) {
    tact_friction_nodes nodes;
    if (!answer_nodes(rigid, k, &nodes)) return answer_by_passes(problem, options, &rigid->cones, solution);
    // a quarter of the budget aims for the tolerance, the rest for the accepted residual
    tact_status status = TACT_ITERATION_LIMIT;
    for (int part = 0, spent = 0; part < 2 && status == TACT_ITERATION_LIMIT; part++) {
        tact_friction_options now = how;
        now.max_iterations *= part == 0 ? ANSWER_LARGE / 4 : ANSWER_LARGE - ANSWER_LARGE / 4;
        now.warm = how.warm || part > 0;
        if (part > 0) now.tolerance = answer_aim(problem, rigid, how.tolerance, solution->r);
        status = tact_friction_solve_by_nodes(problem, &nodes, &now, &rigid->cones, solution);
        solution->iterations += spent;
        spent = solution->iterations;
    }
    if (status == TACT_CONVERGED) answer_polish(problem, &nodes, &rigid->cones, solution);
    return status;
}

// Solves island k: by r = 0, as an LCP, with dense or with sparse equations, each with its own budget of iterations.
static tact_status answer_island(const tact_friction_problem *problem, int k, const tact_options *options, tact_rigid_work *rigid,
                                 bool warm, tact_friction_solution *solution) {
    // impulses that are small beside the rounding of q get no lower residual than this; the polish takes others to rounding
    tact_real tolerance = tact_max(options->tolerance, TACT_REAL(TACT_FRICTION_TOLERANCE));
    tact_friction_options how = {.max_iterations = options->max_iterations, .tolerance = tolerance, .warm = warm};
    if (answer_by_nothing(problem, solution)) return TACT_CONVERGED;
    if (options->cone == TACT_CONE_POLYHEDRAL) return answer_polygons(problem, rigid, solution);
    if (problem->nc > rigid->widest_island) return answer_large(problem, k, options, how, rigid, solution);
    tact_status status = tact_friction_solve(problem, &how, &rigid->cones, solution);
    if (status == TACT_CONVERGED) answer_polish(problem, NULL, &rigid->cones, solution);
    // islands that fail are hard because of their friction, not their size: give them the budget of large ones
    if (status != TACT_ITERATION_LIMIT) return status;
    const int spent = solution->iterations;
    how.tolerance = answer_aim(problem, rigid, tolerance, solution->r);
    if (rigid->most > rigid->widest_island) {
        status = answer_large(problem, k, options, how, rigid, solution);
    } else {
        how.max_iterations *= ANSWER_LARGE;
        status = tact_friction_solve(problem, &how, &rigid->cones, solution);
    }
    solution->iterations += spent;
    return status;
}

// Impulses r of all islands, one after the other; returns the worst status and stops at the first island without an answer.
// Islands of at most `cold` constraints start from r = 0, larger ones from the given r.
static tact_status answer_all(const tact_options *options, tact_work *work, tact_real *r, int cold) {
    tact_rigid_work *rigid = work->rigid;
    tact_status worst = TACT_CONVERGED;
    // islands share no unknowns: each is a problem of its own
    for (int k = 0; k < rigid->islands; k++) {
        tact_friction_problem problem = answer_problem(rigid, k);
        size_t row = 3 * (size_t)rigid->island[k];
        tact_friction_solution solution = {.r = r + row, .u = rigid->u + row};
        for (int i = 0; i < 3 * problem.nc && problem.nc <= cold; i++) r[row + (size_t)i] = 0;
        tact_status status = answer_island(&problem, k, options, rigid, problem.nc > cold, &solution);
        work->iterations += solution.iterations;
        work->decrement = work->balance = tact_max(work->decrement, solution.residual);
        if (status == TACT_INFEASIBLE) work->worst_pair = answer_worst_pair(work, rigid->island[k], problem.nc, solution.r);
        if (status < 0) return status;
        if (status > worst) worst = status;
    }
    return worst;
}

tact_status tact_rigid_answer(const tact_options *options, tact_work *work, tact_real *r, bool warm) {
    bool polyhedral = options->cone == TACT_CONE_POLYHEDRAL;
    if (polyhedral) answer_open(work->rigid, true);
    // large islands start from the impulses of an earlier round, even in a cold step
    int cold = warm ? 0 : work->rigid->answered ? work->rigid->widest_island : work->rigid->most;
    tact_status status = answer_all(options, work, r, cold);
    work->rigid->answered = true;
    if (polyhedral) answer_open(work->rigid, false);
    return status;
}

tact_status tact_rigid_answer_smooth(const tact_options *options, tact_work *work, tact_real *r) {
    tact_options plain = *options;
    plain.cone = TACT_CONE_EXACT;
    for (int i = 0; i < work->rigid->count; i++) work->rigid->mu[i] = -1;
    for (int i = 0; i < work->rigid->count; i++)
        if (work->rigid->block[i].contact >= 0) work->rigid->high[3 * i + 1] = work->rigid->high[3 * i + 2] = 0;
    return answer_all(&plain, work, r, work->rigid->most);
}
