// SPDX-License-Identifier: MIT
// Passes of single contacts bring the impulses near the answer, Newton's method finishes. Where that fails an interior point
// (friction_interior.c) goes round the pieces between which Newton's method cycles; with the slip held the problem is convex.
// What is left takes further rounds, and then a proximal term that is added to the problem and taken back,
//
//     r+ = the answer with u = W r + q + shift W_ii (r - r_before),
//
// whose steps are the easier the larger the shift, and which come to rest only at an answer of the problem itself.
#include "solve/friction.h"

enum {
    FRICTION_ROUNDS = 8,
    FRICTION_CYCLE = 5,
    FRICTION_FIRST_SWEEPS = 10,
    FRICTION_FIRST_STEPS = 15,
    FRICTION_NEWTON_STEPS = 40,
    FRICTION_PROXIMAL_STEPS = 200,
    FRICTION_PROOF_STEPS = 40,
    FRICTION_PROOF_SHARE = 5,
    FRICTION_STARTS = 4,      // of paths inside the cones
    FRICTION_PATH_STEPS = 4,  // of Newton's method at the end of one
    FRICTION_LARGE_ROUNDS = 12,
    FRICTION_HELD_ROUNDS = 4
};

// where paths begin: one may lead along the boundary where another does not
static const tact_real path_start[FRICTION_STARTS] = {TACT_REAL(0.1), 10, 1, 100};

// of large problems: passes of each round, steps of Newton's method after them, and how far from r a path begins
static const int large_passes[FRICTION_LARGE_ROUNDS] = {30, 100, 300, 0, 400, 600, 900, 1350, 2000, 3000, 4000, 4000};
static const int large_steps[FRICTION_LARGE_ROUNDS] = {60, 80, 120, 200, 200, 200, 200, 200, 200, 200, 200, 200};
static const tact_real large_start[FRICTION_LARGE_ROUNDS] = {-10, -30, -100, 10, -10, -30, -100, 10, -10, -30, -100, 10};

// Newton's method takes over from a path at the tolerance times the square of this; where it fails, at the tolerance times this,
// and then at the tolerance.
#ifdef TACT_FLOAT
#define FRICTION_NEAR 3
#else
#define FRICTION_NEAR 100
#endif

// of rho: what is far apart in size converges with one and not with another
static const tact_real round_stretch[FRICTION_ROUNDS] = {1, 10, 100, 1000, 10000, 1, 100000, 10};
static const tact_real proximal_stretch[FRICTION_CYCLE] = {10, 100, 1, 10000, 1000};

// residual that is as good as none
#define FRICTION_AIM (16 * TACT_EPS)

// of the closing velocity in a proof, relative to its terms
#define FRICTION_CERTAIN TACT_REAL(1e-3)

typedef struct {
    tact_friction_system system;
    tact_friction_work *work;
    tact_friction_solution *solution;
    tact_real tolerance, best;
    int limit;  // of factorisations, up to here
} tact_friction_search;

// keeps r (projected) where it is the best yet; true when it answers the problem
static bool friction_keep_best(tact_friction_search *search, const tact_real *r) {
    // Judged without the proximal term: an answer of the problem itself.
    tact_friction_system plain = search->system;
    plain.shift = 0;
    tact_real error = tact_friction_error(&plain, search->work, r);
    if (!(error < search->best)) return search->best <= search->tolerance;
    search->best = error;
    for (int row = 0; row < 3 * plain.given.nc; row++) search->work->best[row] = search->work->next[row];
    return error <= search->tolerance;
}

// from r; true when it answers the problem
static bool friction_newton_from(tact_friction_search *search, int steps, tact_real *r) {
    TACT_ASSERT(steps >= 0);
    int left = search->limit - search->solution->iterations;
    int spent = tact_friction_newton(&search->system, search->work, search->tolerance, left < steps ? left : steps, r);
    search->solution->iterations += spent;
    return friction_keep_best(search, r);
}

static void friction_sweep_many(tact_friction_search *search, int count, tact_real *r) {
    tact_real most = TACT_MAX;
    for (int k = 0; k < count && most > 0; k++, search->solution->sweeps++) most = tact_friction_sweep(&search->system, r);
}

// along the interior of the cones, on to rounding; true when it answers the problem
static bool friction_inner_path(tact_friction_search *search, int first, int last) {
    // From the start points of the interior path, not from r; r receives the best iterate.
    tact_friction_work *work = search->work;
    for (int k = first; k < last; k++) {
        int left = search->limit - search->solution->iterations;
        for (int row = 0; row < 3 * search->system.given.nc; row++) work->trial[row] = work->best[row];
        search->solution->iterations +=
            tact_friction_interior(&search->system, work, path_start[k], FRICTION_AIM, left, work->trial);
        if (friction_keep_best(search, work->trial)) return true;
        // the path's last steps lose digits where contacts are redundant: Newton's method ends it
        int steps = search->system.nodes ? FRICTION_NEWTON_STEPS : FRICTION_PATH_STEPS;
        if (friction_newton_from(search, steps, work->trial)) return true;
    }
    return false;
}

// With the slip s = |u_t| held at that of the best impulses the problem is convex, and the interior path leads to the middle of
// its answers however many there are; s of that, and once more. True when it answers the problem. Where contacts slide by little
// s changes little in one round.
static bool friction_held_rounds(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    const int nc = search->system.given.nc;
    tact_real before = TACT_MAX;
    for (int k = 0; k < FRICTION_HELD_ROUNDS && search->best < before / 2; k++) {
        before = search->best;
        tact_friction_error(&search->system, work, work->best);
        for (int i = 0; i < nc; i++)
            work->mu[i] = tact_sqrt(work->u[3 * i + 1] * work->u[3 * i + 1] + work->u[3 * i + 2] * work->u[3 * i + 2]);
        search->system.slip = work->mu;
        int left = search->limit - search->solution->iterations;
        for (int row = 0; row < 3 * nc; row++) work->trial[row] = work->best[row];
        search->solution->iterations += tact_friction_interior(&search->system, work, 1, FRICTION_AIM, left, work->trial);
        search->system.slip = NULL;
        if (friction_keep_best(search, work->trial)) return true;
        if (friction_newton_from(search, FRICTION_PATH_STEPS, work->trial)) return true;
    }
    return false;
}

// Newton's method from the impulses at hand, and from none
static bool friction_first_rounds(tact_friction_search *search, bool warm) {
    tact_friction_work *work = search->work;
    // Warm start first, then from r = 0.
    for (int k = warm ? 0 : 1; k < 2; k++) {
        for (int row = 0; row < 3 * search->system.given.nc; row++) work->trial[row] = k == 0 ? work->best[row] : 0;
        // A few passes of nonlinear Gauss-Seidel find the modes of most contacts.
        if (k > 0) friction_sweep_many(search, FRICTION_FIRST_SWEEPS, work->trial);
        friction_keep_best(search, work->trial);
        if (friction_newton_from(search, FRICTION_FIRST_STEPS, work->trial)) return true;
    }
    return false;
}

// each round begins where the best of the last one was
static bool friction_plain_rounds(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    // Another rho for each round: rho decides on which piece of the equations Newton's method is.
    for (int k = 1; k < FRICTION_ROUNDS; k++) {
        search->system.stretch = round_stretch[k];
        // Impulses projected on their cones are a start that passes accept.
        tact_friction_project_all(&search->system.given, work->best, work->trial);
        friction_sweep_many(search, FRICTION_FIRST_SWEEPS << (k / 2), work->trial);
        friction_keep_best(search, work->trial);
        if (friction_newton_from(search, FRICTION_NEWTON_STEPS, work->trial)) return true;
    }
    return false;
}

// Proximal point method: problems with a shift, each from the answer of the one before. True once the problem without shift is
// solved.
static bool friction_proximal_steps(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    tact_friction_system *system = &search->system;
    int n = 3 * system->given.nc;
    // r+ = argument of the problem with shift W_ii (r - centre) added to u.
    system->shift = system->stretch = 1;
    for (int row = 0; row < n; row++) work->centre[row] = work->trial[row] = 0;
    for (int k = 0; k < FRICTION_PROXIMAL_STEPS && search->solution->iterations < search->limit; k++) {
        friction_sweep_many(search, 5, work->trial);
        if (friction_newton_from(search, FRICTION_NEWTON_STEPS, work->trial)) return true;
        // done: this proximal problem is solved, the next one may have a smaller shift.
        bool done = tact_friction_error(system, work, work->trial) <= 10 * search->tolerance;
        tact_friction_project_all(&system->given, work->trial, work->trial);
        if (done) {
            // New centre, and a try without the proximal term.
            for (int row = 0; row < n; row++) work->centre[row] = work->trial[row];
            tact_real next = tact_max(system->shift * TACT_REAL(0.3), TACT_REAL(1e-8));
            system->shift = 0;
            if (friction_newton_from(search, FRICTION_NEWTON_STEPS / 4, work->trial)) return true;
            // Not an answer yet: on with three tenths of the shift.
            for (int row = 0; row < n; row++) work->trial[row] = work->centre[row];
            system->shift = next;
            system->stretch = 1;
        } else {
            // Not solved: another rho, more passes, and a larger shift.
            system->stretch = proximal_stretch[k % FRICTION_CYCLE];
            friction_sweep_many(search, 20, work->trial);
            system->shift = tact_min(2 * system->shift, 10);
        }
    }
    return false;
}

// A path of a large problem that begins by r, or far from it; Newton's method ends it, and where it does not yet the path goes
// on. r becomes what is nearer.
static bool friction_large_path(tact_friction_search *search, tact_real start, tact_real *r) {
    tact_friction_work *work = search->work;
    tact_friction_system *system = &search->system;
    tact_real least = tact_friction_error(system, work, r), aim = search->tolerance * FRICTION_NEAR * FRICTION_NEAR;
    // legs to an error that is FRICTION_NEAR smaller each time
    for (int leg = 0; leg < 3; leg++, start = 0, aim /= FRICTION_NEAR) {
        for (int row = 0; row < 3 * system->given.nc; row++) work->trial[row] = r[row];
        int left = search->limit - search->solution->iterations;
        search->solution->iterations += tact_friction_interior(system, work, start, aim, left, work->trial);
        tact_real error = tact_friction_error(system, work, work->trial);
        for (int row = 0; row < 3 * system->given.nc && error < least; row++) r[row] = work->trial[row];
        least = tact_min(least, error);
        // good enough as it is, or after Newton's method from this point
        if (friction_keep_best(search, work->trial)) return true;
        if (friction_newton_from(search, FRICTION_PATH_STEPS + 2 * leg, work->trial)) return true;
        if (!(error <= aim)) return false;
    }
    return false;
}

// Of large problems: a pass costs a twentieth of a factorisation or less, so that most of the way is made by passes. Newton's
// method leads on from there, and where contacts go to and fro between two ways, the interior of the cones.
static bool friction_large_rounds(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    tact_friction_system *system = &search->system;
    tact_real *r = work->centre, steep = 1;  // no proximal term yet
    int n = 3 * system->given.nc;
    for (int row = 0; row < n; row++) r[row] = work->trial[row] = work->best[row];
    if (friction_keep_best(search, work->trial)) return true;
    // a larger rho for steep cones, in which tangents count for more than normals
    for (int i = 0; i < system->given.nc; i++) steep = tact_max(steep, 2 * system->given.mu[i]);
    system->stretch = steep;
    for (int k = 0; k < FRICTION_LARGE_ROUNDS && search->solution->iterations < search->limit; k++) {
        // once again from no impulses
        for (int row = 0; row < n && k == FRICTION_LARGE_ROUNDS / 3; row++) r[row] = 0;
        search->solution->sweeps += tact_friction_sweep_fast(system, work, large_passes[k], r);
        if (friction_keep_best(search, r)) return true;
        for (int row = 0; row < n; row++) work->trial[row] = r[row];
        if (friction_newton_from(search, large_steps[k], work->trial)) return true;
        if (friction_large_path(search, large_start[k], r)) return true;
    }
    system->stretch = 1;
    return false;
}

// Newton's last steps are quadratic: one or two more reach what rounding allows.
static void friction_polish(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    // A thousandth of the tolerance, but nothing below rounding.
    tact_real aim = tact_max(search->tolerance / 1000, 64 * TACT_EPS);
    int left = search->limit - search->solution->iterations, most = search->system.nodes ? 6 : 2;
    if (search->best > search->tolerance || search->best <= aim) return;
    for (int row = 0; row < 3 * search->system.given.nc; row++) work->trial[row] = work->best[row];
    search->solution->iterations += tact_friction_newton(&search->system, work, aim, left < most ? left : most, work->trial);
    friction_keep_best(search, work->trial);
}

// Whether y, impulses of contacts without friction, proves that they cannot all open: W'y = 0, so that y'u is q'y < 0 whatever
// the impulses.
static bool friction_is_certificate(const tact_friction_system *system, tact_friction_work *work, const tact_real *y) {
    const tact_friction_problem *P = &system->given;
    tact_real most = 0, along = 0, size = 0, moved = 0;
    // what ran off further has no products with W
    if (tact_find_larger(y, 3 * P->nc, TACT_REAL(TACT_MOST_NUMBER)) < 3 * P->nc) return false;
    // y'q < 0 by more than the rounding of its terms.
    for (int row = 0; row < 3 * P->nc; row++) {
        most = tact_max(most, tact_fabs(y[row]) * system->size[row]);
        size += tact_fabs(P->q[row] * y[row]);
        along += P->q[row] * y[row];
        work->u[row] = 0;
    }
    // moved = |W'y|, which must vanish beside y.
    for (int i = 0; i < P->nc; i++)
        for (int at = P->row_start[i]; at < P->row_start[i + 1]; at++)
            for (int k = 0; k < 9; k++) work->u[3 * P->column[at] + k % 3] += P->W[9 * (size_t)at + (size_t)k] * y[3 * i + k / 3];
    for (int row = 0; row < 3 * P->nc; row++) moved = tact_max(moved, tact_fabs(work->u[row]));
    // Both to a tolerance: q'y certain to 1e-3 of its terms, W'y to the residual of a solution.
    return along < -FRICTION_CERTAIN * size && moved <= TACT_FRICTION_TOLERANCE * most && tact_is_finite(moved);
}

// The part of a step that an impulse may take without end.
static tact_real friction_endless(const tact_friction_problem *problem, int row, tact_real step) {
    // Contacts: normal impulses without bound above. Scalar rows: those directions in which no limit ends.
    bool rows = problem->mu[row / 3] < 0;
    if (!rows) return row % 3 ? 0 : tact_max(step, 0);
    if (tact_friction_low(problem, row) > -TACT_MAX) step = tact_max(step, 0);
    return tact_friction_high(problem, row) < TACT_MAX ? tact_min(step, 0) : step;
}

// Without friction the problem is convex, and where it has no answer its proximal steps end up all alike: they are the proof.
static bool friction_find_certificate(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    tact_friction_system *system = &search->system;
    int n = 3 * system->given.nc;
    // Contacts without friction: mu = 0; scalar rows (mu < 0) stay.
    for (int i = 0; i < system->given.nc; i++) work->mu[i] = tact_min(system->given.mu[i], 0);
    system->given.mu = work->mu;
    system->shift = system->stretch = 1;
    for (int row = 0; row < n; row++) work->centre[row] = work->trial[row] = 0;
    for (int k = 0; k < FRICTION_PROOF_STEPS && search->solution->iterations < search->limit; k++) {
        int left = search->limit - search->solution->iterations,
            most = left < FRICTION_NEWTON_STEPS ? left : FRICTION_NEWTON_STEPS;
        friction_sweep_many(search, 5, work->trial);
        search->solution->iterations += tact_friction_newton(system, work, search->tolerance, most, work->trial);
        tact_friction_project_all(&system->given, work->trial, work->trial);
        // The step of the proximal point algorithm, made a direction of recession.
        for (int row = 0; row < n; row++) {
            tact_real step = work->trial[row] - work->centre[row];
            work->centre[row] = work->trial[row];
            work->best[row] = friction_endless(&system->given, row, step);
        }
        // the smaller, the sooner what has an answer is at rest, and no longer part of the proof
        system->shift = tact_max(system->shift / 2, tact_sqrt(TACT_EPS));
        if (!friction_is_certificate(system, work, work->best)) continue;
        for (int row = 0; row < n; row++) search->solution->r[row] = work->best[row];
        return true;
    }
    return false;
}

static bool friction_closes(const tact_friction_problem *problem) {
    for (int row = 0; row < 3 * problem->nc; row++)
        if (problem->q[row] != 0) return true;
    return false;
}

tact_status tact_friction_solve_by_nodes(const tact_friction_problem *problem, const tact_friction_nodes *nodes,
                                         const tact_friction_options *options, tact_friction_work *work,
                                         tact_friction_solution *solution) {
    TACT_ASSERT(problem && options && work && solution && problem->nc >= 0);
    TACT_ASSERT(problem->nc == 0 || (solution->r && solution->u));
    int n = 3 * problem->nc;
    tact_friction_search search = {.work = work, .solution = solution, .tolerance = options->tolerance, .best = TACT_MAX};
    // A fifth of the iterations is for the proof that there is no answer.
    search.limit = options->max_iterations - options->max_iterations / FRICTION_PROOF_SHARE;
    solution->iterations = solution->sweeps = 0;
    solution->residual = TACT_MAX;
    if (problem->nc > work->nc) return TACT_NO_MEMORY;
    if (tact_friction_check(problem, options, options->warm ? solution->r : NULL).field) return TACT_BAD_INPUT;
    if (!tact_friction_begin(problem, work, &search.system)) return TACT_NO_MEMORY;
    search.system.nodes = nodes;
    // where nothing closes, no impulses are the answer
    bool warm = options->warm && friction_closes(problem);
    for (int row = 0; row < n; row++) work->best[row] = warm ? solution->r[row] : 0;
    tact_friction_project_all(problem, work->best, work->best);
    // Each method takes what the one before left over.
    bool found = nodes ? friction_large_rounds(&search) : friction_first_rounds(&search, warm);
    found = found || friction_inner_path(&search, 0, 1) || friction_held_rounds(&search) ||
            friction_inner_path(&search, 1, FRICTION_STARTS) || friction_plain_rounds(&search);
    found = found || friction_proximal_steps(&search);
    // Judged and polished without the proximal term.
    search.system.shift = 0;
    search.limit = options->max_iterations;
    friction_polish(&search);
    tact_real residual = tact_friction_error(&search.system, work, work->best);
    // squares of larger ones overflow, and their residual says nothing
    const tact_real most = TACT_REAL(TACT_MOST_NUMBER);
    if (!tact_is_finite(residual) || tact_find_larger(work->next, n, most) < n || tact_find_larger(work->u, n, most) < n)
        return TACT_BAD_INPUT;
    solution->residual = residual;
    for (int row = 0; row < n; row++) {
        solution->r[row] = work->next[row];
        solution->u[row] = work->u[row];
    }
    if (found) return TACT_CONVERGED;
    return friction_find_certificate(&search) ? TACT_INFEASIBLE : TACT_ITERATION_LIMIT;
}

tact_status tact_friction_solve(const tact_friction_problem *problem, const tact_friction_options *options,
                                tact_friction_work *work, tact_friction_solution *solution) {
    return tact_friction_solve_by_nodes(problem, NULL, options, work, solution);
}
