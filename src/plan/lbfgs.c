// SPDX-License-Identifier: MIT
#include "plan/lbfgs.h"

#include <string.h>

#include "math/elementary.h"

// Less than a part of the slope's promise is refused; a slope that is still steep leads on; the shortest of what a step becomes.
#define LBFGS_PROMISE TACT_REAL(1e-4)
#define LBFGS_STEEP TACT_REAL(0.9)
#define LBFGS_SHORTEST TACT_REAL(0.1)

enum { LBFGS_TRIALS = 40 };

// where the search is
typedef struct {
    tact_lbfgs *lbfgs;
    const tact_lbfgs_problem *problem;
    tact_lbfgs_options options;
    tact_real *x;
    tact_real value;
    int evaluations;
} lbfgs_search;

// Memory of L-BFGS for n variables and the last `pairs` pairs (s, y); an arena without memory measures.
void tact_lbfgs_place(tact_lbfgs *lbfgs, int n, int pairs, tact_arena *arena) {
    TACT_ASSERT(lbfgs && n >= 0 && pairs > 0);
    size_t count = (size_t)n, rows = (size_t)pairs;
    lbfgs->n = n;
    lbfgs->pairs = pairs;
    // The last pairs of steps s and changes of gradient y, and s'y.
    lbfgs->s = tact_arena_take(arena, rows, count * sizeof(tact_real));
    lbfgs->y = tact_arena_take(arena, rows, count * sizeof(tact_real));
    TACT_VECTORS(arena, rows, &lbfgs->curvature, &lbfgs->share);
    TACT_VECTORS(arena, count, &lbfgs->g, &lbfgs->d, &lbfgs->trial, &lbfgs->trial_g, &lbfgs->best, &lbfgs->best_g);
    lbfgs->held = tact_arena_take(arena, count, sizeof(bool));
}

tact_lbfgs_options tact_lbfgs_options_default(void) {
    tact_lbfgs_options options = {.iteration_limit = 200, .evaluation_limit = 1000, .reach = TACT_REAL(0.1)};
    return options;
}

static void lbfgs_add_scaled(tact_real *to, tact_real factor, const tact_real *x, int n) {
    for (int i = 0; i < n; i++) to[i] += factor * x[i];
}

static tact_real lbfgs_bounded(const tact_lbfgs_problem *problem, int i, tact_real x) {
    if (problem->lower) x = tact_max(x, problem->lower[i]);
    return problem->upper ? tact_min(x, problem->upper[i]) : x;
}

// Marks the unknowns held at a bound; returns the largest component of the gradient among the others.
static tact_real lbfgs_hold(lbfgs_search *at) {
    tact_lbfgs *lbfgs = at->lbfgs;
    const tact_lbfgs_problem *problem = at->problem;
    tact_real largest = 0;
    for (int i = 0; i < problem->n; i++) {
        bool low = problem->lower && at->x[i] <= problem->lower[i], high = problem->upper && at->x[i] >= problem->upper[i];
        lbfgs->held[i] = (low && lbfgs->g[i] >= 0) || (high && lbfgs->g[i] <= 0);
        if (!lbfgs->held[i]) largest = tact_max(largest, tact_fabs(lbfgs->g[i]));
    }
    return largest;
}

static void lbfgs_clear_held(const tact_lbfgs *lbfgs, int n) {
    for (int i = 0; i < n; i++)
        if (lbfgs->held[i]) lbfgs->d[i] = 0;
}

static void lbfgs_precondition(const tact_lbfgs_problem *problem, tact_real *v) {
    if (problem->precondition) problem->precondition(problem->context, v);
}

// d = -H g on what is not held
static void lbfgs_find_direction(lbfgs_search *at) {
    tact_lbfgs *lbfgs = at->lbfgs;
    int n = at->problem->n;
    for (int i = 0; i < n; i++) lbfgs->d[i] = -lbfgs->g[i];
    lbfgs_clear_held(lbfgs, n);
    // Two-loop recursion (Nocedal 1980): from the newest pair to the oldest,
    for (int k = 0; k < lbfgs->count; k++) {
        int row = (lbfgs->last + lbfgs->pairs - k) % lbfgs->pairs;
        lbfgs->share[row] = tact_dot(lbfgs->s + (size_t)row * (size_t)n, lbfgs->d, n) / lbfgs->curvature[row];
        lbfgs_add_scaled(lbfgs->d, -lbfgs->share[row], lbfgs->y + (size_t)row * (size_t)n, n);
    }
    // the first Hessian, scaled by s'y/y'y of the newest pair or so that the first step has a given length,
    lbfgs_precondition(at->problem, lbfgs->d);
    tact_real scale = lbfgs->scale;
    if (lbfgs->count == 0) {
        tact_real largest = 0;
        for (int i = 0; i < n; i++) largest = tact_max(largest, tact_fabs(lbfgs->d[i]));
        scale = at->options.reach / largest;
    }
    for (int i = 0; i < n; i++) lbfgs->d[i] *= scale;
    // and back from the oldest to the newest.
    for (int k = lbfgs->count - 1; k >= 0; k--) {
        int row = (lbfgs->last + lbfgs->pairs - k) % lbfgs->pairs;
        tact_real share = tact_dot(lbfgs->y + (size_t)row * (size_t)n, lbfgs->d, n) / lbfgs->curvature[row];
        lbfgs_add_scaled(lbfgs->d, lbfgs->share[row] - share, lbfgs->s + (size_t)row * (size_t)n, n);
    }
    lbfgs_clear_held(lbfgs, n);
}

// Evaluates x(t); *slope: g(x)'(x(t) - x), what the gradient promised; *left: the same of the gradient there.
static tact_real lbfgs_try_step(lbfgs_search *at, tact_real t, tact_real *slope, tact_real *left) {
    tact_lbfgs *lbfgs = at->lbfgs;
    int n = at->problem->n;
    for (int i = 0; i < n; i++) lbfgs->trial[i] = lbfgs_bounded(at->problem, i, at->x[i] + t * lbfgs->d[i]);
    // so long a step that it leaves the numbers
    if (!tact_all_finite(lbfgs->trial, n)) {
        *slope = *left = -TACT_MAX;
        return TACT_MAX;
    }
    // NaN counts as infinite.
    at->evaluations++;
    tact_real value = at->problem->evaluate(at->problem->context, lbfgs->trial, lbfgs->trial_g);
    if (!tact_is_finite(value) || !tact_all_finite(lbfgs->trial_g, n)) value = TACT_MAX;
    *slope = *left = 0;
    for (int i = 0; i < n; i++) {
        *slope += lbfgs->g[i] * (lbfgs->trial[i] - at->x[i]);
        *left += lbfgs->trial_g[i] * (lbfgs->trial[i] - at->x[i]);
    }
    return value;
}

// Forwards by doubling while the value falls and the slope stays steep; or back, to the minimum of the parabola through both
// values and the slope, until it has fallen. The best step is in best. False when there is none.
static bool lbfgs_search_line(lbfgs_search *at, tact_real *best_value) {
    tact_lbfgs *lbfgs = at->lbfgs;
    tact_real t = 1, slope = 0, left = 0;
    bool found = false, back = false;
    *best_value = at->value;
    for (int k = 0; k < LBFGS_TRIALS && at->evaluations < at->options.evaluation_limit; k++) {
        tact_real value = lbfgs_try_step(at, t, &slope, &left);
        // Armijo's rule, and better than the best so far.
        bool less = value < *best_value && value <= at->value + LBFGS_PROMISE * slope;
        if (less) {
            tact_copy(lbfgs->best, lbfgs->trial, at->problem->n);
            tact_copy(lbfgs->best_g, lbfgs->trial_g, at->problem->n);
            *best_value = value;
        }
        if (found && !less) return true;
        found = less;
        // Good enough: the slope has become flat (Wolfe), or it was on the way back.
        if (found && (back || left >= LBFGS_STEEP * slope)) return true;
        if (!(slope < 0)) break;
        // Minimum of the parabola on the way back, twice as far on the way out.
        back = !found;
        t *= back ? tact_clamp(-slope / (2 * (value - at->value - slope)), LBFGS_SHORTEST, TACT_REAL(0.5)) : 2;
    }
    return found;
}

// The pair of the step just found; only where the gradient grew along it, so that H stays positive.
static void lbfgs_remember(lbfgs_search *at) {
    tact_lbfgs *lbfgs = at->lbfgs;
    int n = at->problem->n, row = lbfgs->count > 0 ? (lbfgs->last + 1) % lbfgs->pairs : 0;
    tact_real *s = lbfgs->s + (size_t)row * (size_t)n, *y = lbfgs->y + (size_t)row * (size_t)n;
    tact_real curvature = 0, square = 0, length = 0;
    for (int i = 0; i < n; i++) {
        tact_real ds = lbfgs->best[i] - at->x[i], dy = lbfgs->best_g[i] - lbfgs->g[i];
        curvature += ds * dy;
        square += dy * dy;
        length += ds * ds;
    }
    // s'y > 0, or the inverse Hessian would not stay positive definite.
    if (!(curvature > TACT_EPS * tact_sqrt(square) * tact_sqrt(length))) return;
    for (int i = 0; i < n; i++) lbfgs->trial[i] = lbfgs->trial_g[i] = lbfgs->best_g[i] - lbfgs->g[i];
    lbfgs_precondition(at->problem, lbfgs->trial);
    tact_real inner = tact_dot(lbfgs->trial_g, lbfgs->trial, n);
    // so small or so large that products are none
    if (!(inner > 0) || !tact_is_finite(curvature / inner)) return;
    for (int i = 0; i < n; i++) s[i] = lbfgs->best[i] - at->x[i];
    tact_copy(y, lbfgs->trial_g, n);
    lbfgs->scale = curvature / inner;
    lbfgs->curvature[row] = curvature;
    lbfgs->last = row;
    if (lbfgs->count < lbfgs->pairs) lbfgs->count++;
}

static bool lbfgs_tell(const lbfgs_search *at, int iteration, tact_real gradient) {
    tact_lbfgs_progress progress = {iteration, at->evaluations, at->value, gradient, at->x};
    return !at->problem->report || at->problem->report(at->problem->context, &progress);
}

// One step downhill; when the pairs lead nowhere, once more without them. False when there is none.
static bool lbfgs_descend(lbfgs_search *at) {
    tact_lbfgs *lbfgs = at->lbfgs;
    tact_real value = at->value;
    // Direction, then line search.
    lbfgs_find_direction(at);
    bool found = lbfgs_search_line(at, &value);
    if (!found && lbfgs->count > 0) {
        lbfgs->count = 0;
        lbfgs_find_direction(at);
        found = lbfgs_search_line(at, &value);
    }
    if (!found) return false;
    lbfgs_remember(at);
    tact_copy(at->x, lbfgs->best, at->problem->n);
    tact_copy(lbfgs->g, lbfgs->best_g, at->problem->n);
    at->value = value;
    return true;
}

tact_lbfgs_result tact_lbfgs_minimise(tact_lbfgs *lbfgs, const tact_lbfgs_problem *problem, tact_lbfgs_options options,
                                      tact_real *x) {
    lbfgs_search at = {.lbfgs = lbfgs, .problem = problem, .options = options, .x = x};
    tact_lbfgs_result result = {.status = TACT_ITERATION_LIMIT};
    int n = problem->n;
    TACT_ASSERT(n <= lbfgs->n && lbfgs->pairs > 0);
    lbfgs->count = lbfgs->last = 0;
    // Options, start and bounds within their ranges
    tact_fault fault = {NULL, 0};
    if (options.iteration_limit < 0) fault.field = "options.iteration_limit";
    if (options.evaluation_limit < 1) fault.field = "options.evaluation_limit";
    if (!(options.tolerance >= 0 && options.tolerance <= TACT_MAX)) fault.field = "options.tolerance";
    if (!(options.reach > 0 && options.reach <= TACT_MAX)) fault.field = "options.reach";
    for (int i = 0; !fault.field && i < problem->n; i++) {
        // Bounds that leave no value, or a start that is not a number.
        bool upside_down = problem->lower && problem->upper && problem->lower[i] > problem->upper[i];
        if (!tact_is_finite(x[i])) fault.field = "x";
        if (problem->lower && !(problem->lower[i] <= TACT_MAX)) fault.field = "lower";
        if (problem->upper && (upside_down || !(problem->upper[i] >= -TACT_MAX))) fault.field = "upper";
        fault.index = i;
    }
    result.fault = fault;
    if (result.fault.field) {
        result.status = TACT_BAD_INPUT;
        return result;
    }
    // The start within its bounds.
    for (int i = 0; i < n; i++) x[i] = lbfgs_bounded(problem, i, x[i]);
    at.value = problem->evaluate(problem->context, x, lbfgs->g);
    at.evaluations = 1;
    if (!tact_is_finite(at.value) || !tact_all_finite(lbfgs->g, n)) {
        result.status = TACT_BAD_INPUT;
        return result;
    }
    // Converged when the gradient on what is not held is below the tolerance.
    result.gradient = lbfgs_hold(&at);
    bool wanted = lbfgs_tell(&at, 0, result.gradient);
    while (wanted && result.gradient > options.tolerance && result.iterations < options.iteration_limit &&
           at.evaluations < options.evaluation_limit) {
        if (!lbfgs_descend(&at)) {
            result.status = at.evaluations < options.evaluation_limit ? TACT_STATIONARY : TACT_ITERATION_LIMIT;
            break;
        }
        result.iterations++;
        result.gradient = lbfgs_hold(&at);
        wanted = lbfgs_tell(&at, result.iterations, result.gradient);
    }
    if (!wanted || result.gradient <= options.tolerance) result.status = TACT_CONVERGED;
    result.evaluations = at.evaluations;
    result.value = at.value;
    return result;
}
