// SPDX-License-Identifier: MIT
// Friction problem by a sequence of methods: nonlinear Gauss-Seidel sweeps find most contact modes, then semismooth Newton
// converges. Where Newton's method cycles between active sets, an interior-point method (friction_interior.c) passes around
// them; with the sliding speed held fixed the problem is convex. What remains is tried from further starts, and then by the
// proximal point method,
//
//     r+ = the solution for u = W r + q + shift W_ii (r - r_before),
//
// whose problems are the easier the larger the shift, and whose fixed points are exactly the solutions of the original problem.
#include "solve/friction.h"

enum {
    FRICTION_ROUNDS = 8,            // rounds of sweeps and Newton steps
    FRICTION_CYCLE = 5,             // stretches tried in turn by the proximal point method
    FRICTION_FIRST_SWEEPS = 10,     // sweeps of the first round
    FRICTION_FIRST_STEPS = 15,      // Newton steps of the first round
    FRICTION_NEWTON_STEPS = 40,     // Newton steps of later rounds
    FRICTION_PROXIMAL_STEPS = 200,  // proximal problems at most
    FRICTION_PROOF_STEPS = 40,      // proximal steps without friction, for a certificate of infeasibility
    FRICTION_PROOF_SHARE = 5,       // one part in this many of the iterations is reserved for it
    FRICTION_STARTS = 4,            // starts of the interior-point method
    FRICTION_PATH_STEPS = 4,        // Newton steps at the end of an interior path
    FRICTION_LARGE_ROUNDS = 12,     // rounds of sweeps, Newton steps and interior paths of large problems
    FRICTION_HELD_ROUNDS = 4        // interior paths with the sliding speed held fixed
};

// Multiples of the identity e at which interior paths start: one may run along the boundary where another does not.
static const tact_real path_start[FRICTION_STARTS] = {TACT_REAL(0.1), 10, 1, 100};

// For large problems: Gauss-Seidel sweeps of each round, Newton steps after them, and the start of an interior path (see
// tact_friction_interior).
static const int large_passes[FRICTION_LARGE_ROUNDS] = {30, 100, 300, 0, 400, 600, 900, 1350, 2000, 3000, 4000, 4000};
static const int large_steps[FRICTION_LARGE_ROUNDS] = {60, 80, 120, 200, 200, 200, 200, 200, 200, 200, 200, 200};
static const tact_real large_start[FRICTION_LARGE_ROUNDS] = {-10, -30, -100, 10, -10, -30, -100, 10, -10, -30, -100, 10};

// Newton's method takes over from an interior path at a residual of this squared times the tolerance; if that fails, at this
// times the tolerance, and then at the tolerance.
#ifdef TACT_FLOAT
#define FRICTION_NEAR 3
#else
#define FRICTION_NEAR 100
#endif

// Multiples of rho = 1/W_ii in the equations of Alart and Curnier: badly scaled problems converge with some and not with
// others.
static const tact_real round_stretch[FRICTION_ROUNDS] = {1, 10, 100, 1000, 10000, 1, 100000, 10};
static const tact_real proximal_stretch[FRICTION_CYCLE] = {10, 100, 1, 10000, 1000};

// residual aimed for by interior paths: rounding
#define FRICTION_AIM (16 * TACT_EPS)

// closing velocity -q'y of a certificate, relative to the sum of the magnitudes of its terms
#define FRICTION_CERTAIN TACT_REAL(1e-3)

typedef struct {
    tact_friction_system system;
    tact_friction_work *work;
    tact_friction_solution *solution;
    tact_real tolerance, best;  // accepted residual, and the smallest so far
    int limit;                  // on solution->iterations (factorisations) in the present phase
} tact_friction_search;

// Projects r and keeps it in work->best if its residual is the smallest so far; true once the best is within the tolerance.
static bool friction_keep_best(tact_friction_search *search, const tact_real *r) {
    // judged without the proximal term, as a solution of the original problem
    tact_friction_system plain = search->system;
    plain.shift = 0;
    tact_real error = tact_friction_error(&plain, search->work, r);
    if (!(error < search->best)) return search->best <= search->tolerance;
    search->best = error;
    for (int row = 0; row < 3 * plain.given.nc; row++) search->work->best[row] = search->work->next[row];
    return error <= search->tolerance;
}

// Up to `steps` Newton steps from r; true once the best impulses are within the tolerance.
static bool friction_newton_from(tact_friction_search *search, int steps, tact_real *r) {
    TACT_ASSERT(steps >= 0);
    int left = search->limit - search->solution->iterations;
    int spent = tact_friction_newton(&search->system, search->work, search->tolerance, left < steps ? left : steps, r);
    search->solution->iterations += spent;
    return friction_keep_best(search, r);
}

// Up to `count` Gauss-Seidel sweeps, fewer when r no longer changes.
static void friction_sweep_many(tact_friction_search *search, int count, tact_real *r) {
    tact_real most = TACT_MAX;
    for (int k = 0; k < count && most > 0; k++, search->solution->sweeps++) most = tact_friction_sweep(&search->system, r);
}

// Interior paths from the starts first .. last - 1, down to rounding; true once the best impulses are within the tolerance.
static bool friction_inner_path(tact_friction_search *search, int first, int last) {
    // paths start at a multiple of the identity; work->trial receives the best iterate
    tact_friction_work *work = search->work;
    for (int k = first; k < last; k++) {
        int left = search->limit - search->solution->iterations;
        for (int row = 0; row < 3 * search->system.given.nc; row++) work->trial[row] = work->best[row];
        search->solution->iterations +=
            tact_friction_interior(&search->system, work, path_start[k], FRICTION_AIM, left, work->trial);
        if (friction_keep_best(search, work->trial)) return true;
        // a path's last steps lose digits where contacts are redundant: finish by Newton's method
        int steps = search->system.nodes ? FRICTION_NEWTON_STEPS : FRICTION_PATH_STEPS;
        if (friction_newton_from(search, steps, work->trial)) return true;
    }
    return false;
}

// Interior paths with the sliding speed s = |u_t| held at that of the best impulses. The problem is then convex, and the path
// leads to the analytic centre of its solutions even where they are not unique; s is updated from the result and the round
// repeated while the residual halves. True once the best impulses are within the tolerance. Where contacts slide slowly, s
// changes little in a round.
static bool friction_held_rounds(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    const int nc = search->system.given.nc;
    tact_real before = TACT_MAX;
    for (int k = 0; k < FRICTION_HELD_ROUNDS && search->best < before / 2; k++) {
        before = search->best;
        tact_friction_error(&search->system, work, work->best);
        for (int i = 0; i < nc; i++)
            // s = |u_t| of the best impulses
            work->mu[i] = tact_sqrt(work->u[3 * i + 1] * work->u[3 * i + 1] + work->u[3 * i + 2] * work->u[3 * i + 2]);
        search->system.slip = work->mu;
        int left = search->limit - search->solution->iterations;
        for (int row = 0; row < 3 * nc; row++) work->trial[row] = work->best[row];
        // the convex problem, then semismooth Newton on the original one
        search->solution->iterations += tact_friction_interior(&search->system, work, 1, FRICTION_AIM, left, work->trial);
        search->system.slip = NULL;
        if (friction_keep_best(search, work->trial)) return true;
        if (friction_newton_from(search, FRICTION_PATH_STEPS, work->trial)) return true;
    }
    return false;
}

// Newton's method from the given impulses, then from r = 0.
static bool friction_first_rounds(tact_friction_search *search, bool warm) {
    tact_friction_work *work = search->work;
    // warm start first, then from r = 0
    for (int k = warm ? 0 : 1; k < 2; k++) {
        for (int row = 0; row < 3 * search->system.given.nc; row++) work->trial[row] = k == 0 ? work->best[row] : 0;
        // a few nonlinear Gauss-Seidel sweeps find the modes of most contacts
        if (k > 0) friction_sweep_many(search, FRICTION_FIRST_SWEEPS, work->trial);
        friction_keep_best(search, work->trial);
        if (friction_newton_from(search, FRICTION_FIRST_STEPS, work->trial)) return true;
    }
    return false;
}

// Rounds of sweeps and Newton steps, each from the best impulses so far.
static bool friction_plain_rounds(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    // another rho for each round: it decides in which piece of the equations Newton's method starts
    for (int k = 1; k < FRICTION_ROUNDS; k++) {
        search->system.stretch = round_stretch[k];
        // sweeps need a start inside the cones
        tact_friction_project_all(&search->system.given, work->best, work->trial);
        friction_sweep_many(search, FRICTION_FIRST_SWEEPS << (k / 2), work->trial);
        friction_keep_best(search, work->trial);
        if (friction_newton_from(search, FRICTION_NEWTON_STEPS, work->trial)) return true;
    }
    return false;
}

// Proximal point method: a sequence of problems with a shift, each started from the solution of the one before. True once the
// problem without a shift is solved.
static bool friction_proximal_steps(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    tact_friction_system *system = &search->system;
    int n = 3 * system->given.nc;
    // r+ = solution of the problem with shift W_ii (r - centre) added to u
    system->shift = system->stretch = 1;
    for (int row = 0; row < n; row++) work->centre[row] = work->trial[row] = 0;
    for (int k = 0; k < FRICTION_PROXIMAL_STEPS && search->solution->iterations < search->limit; k++) {
        friction_sweep_many(search, 5, work->trial);
        if (friction_newton_from(search, FRICTION_NEWTON_STEPS, work->trial)) return true;
        // done: this proximal problem is solved, and the next may have a smaller shift
        bool done = tact_friction_error(system, work, work->trial) <= 10 * search->tolerance;
        tact_friction_project_all(&system->given, work->trial, work->trial);
        if (done) {
            // new centre, and an attempt without the proximal term
            for (int row = 0; row < n; row++) work->centre[row] = work->trial[row];
            tact_real next = tact_max(system->shift * TACT_REAL(0.3), TACT_REAL(1e-8));
            system->shift = 0;
            if (friction_newton_from(search, FRICTION_NEWTON_STEPS / 4, work->trial)) return true;
            // not solved yet: continue with three tenths of the shift
            for (int row = 0; row < n; row++) work->trial[row] = work->centre[row];
            system->shift = next;
            system->stretch = 1;
        } else {
            // not solved: another rho, more sweeps, and a larger shift
            system->stretch = proximal_stretch[k % FRICTION_CYCLE];
            friction_sweep_many(search, 20, work->trial);
            system->shift = tact_min(2 * system->shift, 10);
        }
    }
    return false;
}

// Interior path of a large problem, in up to three legs, each finished by Newton's method; a leg that reached its aim without
// success is followed by one that goes further. start: see tact_friction_interior. r is replaced by the best iterate of the
// path. True once the best impulses are within the tolerance.
static bool friction_large_path(tact_friction_search *search, tact_real start, tact_real *r) {
    tact_friction_work *work = search->work;
    tact_friction_system *system = &search->system;
    tact_real least = tact_friction_error(system, work, r), aim = search->tolerance * FRICTION_NEAR * FRICTION_NEAR;
    // legs to residuals smaller by FRICTION_NEAR each
    for (int leg = 0; leg < 3; leg++, start = 0, aim /= FRICTION_NEAR) {
        for (int row = 0; row < 3 * system->given.nc; row++) work->trial[row] = r[row];
        int left = search->limit - search->solution->iterations;
        search->solution->iterations += tact_friction_interior(system, work, start, aim, left, work->trial);
        tact_real error = tact_friction_error(system, work, work->trial);
        for (int row = 0; row < 3 * system->given.nc && error < least; row++) r[row] = work->trial[row];
        least = tact_min(least, error);
        // within the tolerance as it is, or after Newton's method from this point
        if (friction_keep_best(search, work->trial)) return true;
        if (friction_newton_from(search, FRICTION_PATH_STEPS + 2 * leg, work->trial)) return true;
        if (!(error <= aim)) return false;
    }
    return false;
}

// Rounds of large problems. A Gauss-Seidel sweep costs a twentieth of a factorisation or less, so that sweeps do most of the
// work; Newton's method continues from there, and where it cycles between active sets, an interior path.
static bool friction_large_rounds(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    tact_friction_system *system = &search->system;
    tact_real *r = work->centre, steep = 1;  // current impulses, free while there is no proximal term
    int n = 3 * system->given.nc;
    for (int row = 0; row < n; row++) r[row] = work->trial[row] = work->best[row];
    if (friction_keep_best(search, work->trial)) return true;
    // a larger rho for steep cones, where tangential impulses exceed normal ones
    for (int i = 0; i < system->given.nc; i++) steep = tact_max(steep, 2 * system->given.mu[i]);
    system->stretch = steep;
    for (int k = 0; k < FRICTION_LARGE_ROUNDS && search->solution->iterations < search->limit; k++) {
        // one restart from r = 0
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

// Newton's method converges quadratically: one or two more steps reach rounding.
static void friction_polish(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    // aim: a thousandth of the tolerance, but not below rounding
    tact_real aim = tact_max(search->tolerance / 1000, 64 * TACT_EPS);
    int left = search->limit - search->solution->iterations, most = search->system.nodes ? 6 : 2;
    if (search->best > search->tolerance || search->best <= aim) return;
    for (int row = 0; row < 3 * search->system.given.nc; row++) work->trial[row] = work->best[row];
    search->solution->iterations += tact_friction_newton(&search->system, work, aim, left < most ? left : most, work->trial);
    friction_keep_best(search, work->trial);
}

// Whether y, impulses of contacts without friction, is a certificate of infeasibility (Farkas): W'y = 0 and q'y < 0, so that
// y'u = q'y < 0 for all impulses, although y'u >= 0 is required.
static bool friction_is_certificate(const tact_friction_system *system, tact_friction_work *work, const tact_real *y) {
    const tact_friction_problem *P = &system->given;
    tact_real most = 0, along = 0, size = 0, moved = 0;
    // entries beyond TACT_MOST_NUMBER would overflow in products with W
    if (tact_find_larger(y, 3 * P->nc, TACT_REAL(TACT_MOST_NUMBER)) < 3 * P->nc) return false;
    // y'q < 0 by more than the rounding of its terms
    for (int row = 0; row < 3 * P->nc; row++) {
        most = tact_max(most, tact_fabs(y[row]) * system->size[row]);
        size += tact_fabs(P->q[row] * y[row]);
        along += P->q[row] * y[row];
        work->u[row] = 0;
    }
    // moved = |W'y|, which must vanish relative to y
    for (int i = 0; i < P->nc; i++)
        for (int at = P->row_start[i]; at < P->row_start[i + 1]; at++)
            for (int k = 0; k < 9; k++) work->u[3 * P->column[at] + k % 3] += P->W[9 * (size_t)at + (size_t)k] * y[3 * i + k / 3];
    for (int row = 0; row < 3 * P->nc; row++) moved = tact_max(moved, tact_fabs(work->u[row]));
    // q'y certain to 1e-3 of its terms, W'y to the tolerance of a solution
    return along < -FRICTION_CERTAIN * size && moved <= TACT_FRICTION_TOLERANCE * most && tact_is_finite(moved);
}

// Projects a step of one impulse onto the recession cone of its admissible set.
static tact_real friction_endless(const tact_friction_problem *problem, int row, tact_real step) {
    // contacts: normal impulses are unbounded above; scalar rows: directions in which there is no bound
    bool rows = problem->mu[row / 3] < 0;
    if (!rows) return row % 3 ? 0 : tact_max(step, 0);
    if (tact_friction_low(problem, row) > -TACT_MAX) step = tact_max(step, 0);
    return tact_friction_high(problem, row) < TACT_MAX ? tact_min(step, 0) : step;
}

// Without friction the problem is convex; when it is infeasible, the steps of the proximal point method converge to a
// certificate.
static bool friction_find_certificate(tact_friction_search *search) {
    tact_friction_work *work = search->work;
    tact_friction_system *system = &search->system;
    int n = 3 * system->given.nc;
    // contacts without friction: mu = 0; scalar rows (mu < 0) stay
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
        // step of the proximal point method, projected onto the recession cone
        for (int row = 0; row < n; row++) {
            tact_real step = work->trial[row] - work->centre[row];
            work->centre[row] = work->trial[row];
            work->best[row] = friction_endless(&system->given, row, step);
        }
        // the smaller the shift, the sooner feasible parts converge and drop out of the certificate
        system->shift = tact_max(system->shift / 2, tact_sqrt(TACT_EPS));
        if (!friction_is_certificate(system, work, work->best)) continue;
        for (int row = 0; row < n; row++) search->solution->r[row] = work->best[row];
        return true;
    }
    return false;
}

// Whether the problem has a right-hand side, without which r = 0 solves it.
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
    // a fifth of the iterations is reserved for the certificate of infeasibility
    search.limit = options->max_iterations - options->max_iterations / FRICTION_PROOF_SHARE;
    solution->iterations = solution->sweeps = 0;
    solution->residual = TACT_MAX;
    if (problem->nc > work->nc) return TACT_NO_MEMORY;
    if (tact_friction_check(problem, options, options->warm ? solution->r : NULL).field) return TACT_BAD_INPUT;
    if (!tact_friction_begin(problem, work, &search.system)) return TACT_NO_MEMORY;
    search.system.nodes = nodes;
    // without a right-hand side the solution is r = 0: no warm start
    bool warm = options->warm && friction_closes(problem);
    for (int row = 0; row < n; row++) work->best[row] = warm ? solution->r[row] : 0;
    tact_friction_project_all(problem, work->best, work->best);
    // each method continues from the best impulses of the one before
    bool found = nodes ? friction_large_rounds(&search) : friction_first_rounds(&search, warm);
    found = found || friction_inner_path(&search, 0, 1) || friction_held_rounds(&search) ||
            friction_inner_path(&search, 1, FRICTION_STARTS) || friction_plain_rounds(&search);
    found = found || friction_proximal_steps(&search);
    // judged and polished without the proximal term
    search.system.shift = 0;
    search.limit = options->max_iterations;
    friction_polish(&search);
    tact_real residual = tact_friction_error(&search.system, work, work->best);
    // larger entries would overflow when squared, and their residual means nothing
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
