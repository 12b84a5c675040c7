// SPDX-License-Identifier: MIT
// The impulses of a step, island by island, by the friction solver: of small islands with dense equations, of larger ones with
// those of the components that they move. Where these have no room for their fill, passes of single contacts are left.
#include "law/rigid.h"
#include "solve/friction.h"

enum {
    ANSWER_PASSES = 20,   // of a batch
    ANSWER_BATCHES = 20,  //
    ANSWER_LARGE = 40,    // times as many factorisations of a large island
    ANSWER_POLISH = 2,    // Newton steps beyond the tolerance
    ANSWER_WEDGED = 20,   // times what velocities ask for
};

#define ANSWER_ENOUGH TACT_REAL(1e-8)  // residual

static tact_friction_problem answer_problem(const tact_rigid_work *rigid, int k) {
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
    tact_friction_system system;
    tact_real *r = solution->r;
    if (!tact_friction_begin(problem, work, &system)) return TACT_NO_MEMORY;
    for (int i = 0; i < problem->nc; i++) tact_friction_project(problem, i, r + 3 * i);
    solution->iterations = 0;
    do {
        tact_real change = 0, most = 0;
        // batches of passes, until one changes no impulse by more than the tolerance
        for (int pass = 0; pass < ANSWER_PASSES; pass++) change = tact_friction_sweep(&system, r);
        for (int row = 0; row < 3 * problem->nc; row++) most = tact_max(most, tact_fabs(r[row]));
        solution->residual = most > 0 ? change / most : 0;
        solution->iterations++;
    } while (solution->residual > options->tolerance && solution->iterations < ANSWER_BATCHES);
    for (int i = 0; i < problem->nc; i++) tact_friction_velocity(&system, r, i, solution->u + 3 * i);
    return solution->residual <= options->tolerance ? TACT_CONVERGED : TACT_ITERATION_LIMIT;
}

// Keeps the trial impulses when their residual is the smallest yet.
static void answer_keep(const tact_friction_system *system, tact_friction_work *work, tact_friction_solution *solution) {
    tact_real error = tact_friction_error(system, work, work->trial);
    if (!(error < solution->residual)) return;
    solution->residual = error;
    for (int row = 0; row < 3 * system->given.nc; row++) {
        solution->r[row] = work->next[row];
        solution->u[row] = work->u[row];
    }
}

// The contact with the largest impulse in a certificate.
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

// A few more Newton steps take an answer within the tolerance to rounding where they can.
static void answer_polish(const tact_friction_problem *problem, const tact_friction_nodes *nodes, tact_friction_work *work,
                          tact_friction_solution *solution) {
    tact_friction_system system;
    // Leaves an answer that no step improves.
    if ((solution->iterations == 0 && solution->residual <= 1024 * TACT_EPS) || !tact_friction_begin(problem, work, &system))
        return;
    system.nodes = nodes;
    for (int row = 0; row < 3 * problem->nc; row++) work->trial[row] = solution->r[row];
    solution->iterations += tact_friction_newton(&system, work, 0, ANSWER_POLISH, work->trial);
    answer_keep(&system, work, solution);
}

// Whether r = 0 solves the problem; then r is set to it.
static bool answer_by_nothing(const tact_friction_problem *problem, tact_friction_solution *solution) {
    for (int i = 0; i < problem->nc; i++)
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

// Polyhedral cones: a linear complementarity problem.
static tact_status answer_polygons(const tact_friction_problem *problem, tact_rigid_work *rigid,
                                   tact_friction_solution *solution) {
    int n = tact_friction_polygon_count(problem, TACT_RIGID_FACETS);
    tact_friction_polygon to = {.M = rigid->polygon_M, .p = rigid->polygon_q};
    tact_friction_system system = {.given = *problem, .size = problem->q, .shift = 0, .centre = problem->q};
    if (n > rigid->widest_polygon) return TACT_NO_MEMORY;
    tact_friction_polygon_fill(problem, TACT_RIGID_FACETS, &to);
    // Rows whose limit does not exist (high = 0) are replaced by w = z + 1, so that z = 0.
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

// contacts without friction are rows with limits, and to polyhedral cones contacts; undoes it
static void answer_open(tact_rigid_work *rigid, bool open) {
    for (int i = 0; i < rigid->count; i++)
        if (rigid->block[i].contact >= 0 && rigid->mu[i] <= 0) rigid->mu[i] = open ? 0 : -1;
}

// The components that island k moves, as nodes. False where their equations would fill in more than there is room for.
static bool answer_nodes(tact_rigid_work *rigid, int k, tact_friction_nodes *nodes) {
    tact_blocks *blocks = &rigid->motion;
    int begin = rigid->island[k], end = rigid->island[k + 1], n = 0, unknowns = 0;
    tact_real *inertia = rigid->inertia;
    for (int c = 0; c < rigid->ncomponent; c++) rigid->node[c] = -1;
    // each component of the island once, with its inertia
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
    // a contact joins the nodes on its two sides
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

// The residual that is sought once the first methods have failed. Contacts that are redundant and slide by next to nothing keep
// it above the tolerance; a little more is an answer, but where impulses far larger than the velocities ask for wedge something,
// of which that share would be too much.
static tact_real answer_aim(const tact_friction_problem *problem, const tact_rigid_work *rigid, tact_real tolerance,
                            const tact_real *r) {
    tact_real asked = 0;
    for (int row = 0; row < 3 * problem->nc; row++) asked = tact_max(asked, tact_fabs(problem->q[row]) / rigid->cones.size[row]);
    return tact_largest(r, 3 * problem->nc) > ANSWER_WEDGED * asked ? tolerance : tact_max(tolerance, ANSWER_ENOUGH);
}

static tact_status answer_large(const tact_friction_problem *problem, int k, const tact_options *options,
                                tact_friction_options how, tact_rigid_work *rigid, tact_friction_solution *solution) {
    tact_friction_nodes nodes;
    if (!answer_nodes(rigid, k, &nodes)) return answer_by_passes(problem, options, &rigid->cones, solution);
    // The tolerance first; where a quarter of the work does not reach it, what is enough.
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

static tact_status answer_island(const tact_friction_problem *problem, int k, const tact_options *options, tact_rigid_work *rigid,
                                 bool warm, tact_friction_solution *solution) {
    // the residual of impulses that are small beside the rounding of q comes no lower; the polish brings others to rounding
    tact_real tolerance = tact_max(options->tolerance, TACT_REAL(TACT_FRICTION_TOLERANCE));
    tact_friction_options how = {.max_iterations = options->max_iterations, .tolerance = tolerance, .warm = warm};
    if (answer_by_nothing(problem, solution)) return TACT_CONVERGED;
    if (options->cone == TACT_CONE_POLYHEDRAL) return answer_polygons(problem, rigid, solution);
    if (problem->nc > rigid->widest_island) return answer_large(problem, k, options, how, rigid, solution);
    tact_status status = tact_friction_solve(problem, &how, &rigid->cones, solution);
    if (status == TACT_CONVERGED) answer_polish(problem, NULL, &rigid->cones, solution);
    // what is hard is so for its friction, not for its size: the remedies of large islands have a larger budget
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

// Impulses r of all islands, one after the other; the worst status of them. Ends at the first island without an answer. Islands
// of at most so many constraints as cold says begin at no impulses, larger ones at r.
static tact_status answer_all(const tact_options *options, tact_work *work, tact_real *r, int cold) {
    tact_rigid_work *rigid = work->rigid;
    tact_status worst = TACT_CONVERGED;
    // islands share no unknown: each is a problem of its own
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
    // large islands have what an earlier round of a cold step found
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
