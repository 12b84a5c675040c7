// SPDX-License-Identifier: MIT
// Sequential quadratic programming for nonconvex problems. At x_k with multipliers y the program
//
//     min 1/2 x'B x + (f'(x_k) - B x_k)'x + M t
//     g_i(x_k) + g_i'(x_k)(x - x_k) + t >= 0 (and <= t for equalities),  t >= 0,  linear rows as they are
//
// gives a direction; B is the Hessian of f - sum y_i g_i, plus a multiple of the identity if it is not positive semi-definite.
// The step is shortened until the exact penalty function f + M max violation falls below the largest of its last values.
#include "math/elementary.h"
#include "solve/qcqp_parts.h"

enum { MEMORY = 5, ITERATIONS = 300, RAISES = 20 };

typedef struct {
    tact_real penalty;                           // M
    tact_real value[MEMORY], violation[MEMORY];  // of the last iterates
    int iteration;
} descent;

void tact_qcqp_curvature(tact_qcqp_work *work, const tact_real *y, const bool *use, int size) {
    TACT_ASSERT(work);
    const tact_qcqp *problem = work->problem;
    // 1/2 Q of the objective minus y_i/2 Q_i of the constraints, both triangles
    for (int i = 0; i < size * size; i++) work->G[i] = 0;
    for (int i = -1; i < problem->ncon; i++) {
        const tact_quadratic *f = i < 0 ? &problem->objective : &problem->constraint[i];
        if (i >= 0 && use && !use[i]) continue;
        tact_real s = i < 0 ? TACT_REAL(0.5) : -y[i] / 2;
        for (int k = 0; k < f->nquadratic; k++) {
            const tact_triplet *q = &f->quadratic[k];
            work->G[q->row * size + q->column] += s * q->value;
            work->G[q->column * size + q->row] += s * q->value;
        }
    }
}

bool tact_qcqp_is_convex(tact_qcqp_work *work, const tact_real *y, const bool *use) {
    TACT_ASSERT(work);
    const tact_qcqp *problem = work->problem;
    tact_real size = 0;
    work->program.n = problem->n;
    tact_qcqp_curvature(work, y, use, problem->n);
    // cancellation leaves the rounding of the largest term, which may make a flat direction negative
    for (int i = -1; i < problem->ncon; i++) {
        const tact_quadratic *f = i < 0 ? &problem->objective : &problem->constraint[i];
        for (int k = 0; (i < 0 || !use || use[i]) && k < f->nquadratic; k++)
            size = tact_max(size, tact_fabs(f->quadratic[k].value) * (i < 0 ? 1 : tact_fabs(y[i])));
    }
    // a ridge of 1024 roundings
    for (int i = 0; i < problem->n; i++) work->G[i * problem->n + i] += 1024 * TACT_EPS * size;
    return tact_convex_holds(&work->program, &work->convex);
}

// Adds to B the least multiple of the identity, in powers of 4, that makes it convex; false when it overflows or is too large.
static bool raise_curvature(tact_qcqp_work *work) {
    int n = work->problem->n, size = n + 1;
    tact_real scale = 0, raised = 0;
    // from 1/4096 of the largest entry on, four times as much in each round, in the place of the last
    for (int i = 0; i < size * size; i++) scale = tact_max(scale, tact_fabs(work->G[i]));
    tact_real raise = scale / 4096;
    for (int round = 0; round < RAISES; round++, raise *= 4) {
        if (tact_convex_holds(&work->program, &work->convex)) return true;
        for (int i = 0; i < n; i++) work->G[i * size + i] += raise - raised;
        raised = raise;
    }
    return false;
}

static int append(tact_qcqp_work *work, int *entry, int source, const tact_real *gradient, tact_real constant, tact_real sign) {
    // g'x + c, and t for rows that come from a constraint
    int n = work->problem->n, at = *entry, row = work->program.m++;
    for (int i = 0; i < n; i++)
        if (gradient[i] != 0) work->entry[(*entry)++] = (tact_triplet){.column = i, .value = sign * gradient[i]};
    if (source >= 0) work->entry[(*entry)++] = (tact_triplet){.column = n, .value = 1};
    work->row[row] = (tact_quadratic){.nlinear = *entry - at, .linear = work->entry + at, .constant = sign * constant};
    work->present[row] = TACT_ROW_AT_LEAST;
    return row;
}

// Rows of the program at x.
static void linearise_constraints(tact_qcqp_work *work) {
    const tact_qcqp *problem = work->problem;
    int n = problem->n, entry = work->nentry;
    work->program.m = work->nrow;
    // g(x_k) + g'(x_k)(x - x_k) + t >= 0; an equality gives two such rows
    for (int i = 0; i < problem->ncon; i++) {
        if (!work->general[i]) continue;
        tact_real constant = tact_quadratic_value(&problem->constraint[i], work->x);
        for (int k = 0; k < n; k++) work->s[k] = 0;
        tact_quadratic_add_gradient(&problem->constraint[i], work->x, 1, work->s);
        for (int k = 0; k < n; k++) constant -= work->s[k] * work->x[k];
        append(work, &entry, i, work->s, constant, 1);
        if (problem->equality[i]) append(work, &entry, i, work->s, constant, -1);
    }
    // t >= 0.
    work->entry[entry] = (tact_triplet){.column = n, .value = 1};
    work->row[work->program.m] = (tact_quadratic){.nlinear = 1, .linear = work->entry + entry};
    work->present[work->program.m++] = TACT_ROW_AT_LEAST;
}

static tact_real violation_at(const tact_qcqp_work *work, const tact_real *x) {
    const tact_qcqp *problem = work->problem;
    // largest violation, the penalty's second term
    tact_real most = 0;
    for (int i = 0; i < problem->ncon; i++) {
        if (!work->general[i]) continue;
        tact_real value = tact_quadratic_value(&problem->constraint[i], x);
        most = tact_max(most, problem->equality[i] ? tact_fabs(value) : -value);
    }
    return most;
}

// Whether x satisfies the linear rows to rounding.
static bool rows_hold(const tact_qcqp_work *work) {
    for (int i = 0; i < work->nrow; i++) {
        tact_real value = tact_quadratic_value(&work->row[i], work->x),
                  least = TACT_CLOSE * tact_quadratic_size(&work->row[i], work->x);
        if (work->present[i] != TACT_ROW_OFF && value < -least) return false;
        if (work->present[i] == TACT_ROW_EQUAL && value > least) return false;
    }
    return true;
}

// Backtracks from x towards trial, the program's solution; false when no step length is acceptable. From a point that violates
// the linear rows the full step is taken; between two points that satisfy them all points do.
static bool take_step(tact_qcqp_work *work, descent *d) {
    TACT_ASSERT(d->iteration >= 0);
    int n = work->problem->n;
    int last = d->iteration % MEMORY;
    // merit of the last MEMORY iterates; the penalty may have changed since
    d->value[last] = tact_quadratic_value(&work->problem->objective, work->x);
    d->violation[last] = violation_at(work, work->x);
    if (!rows_hold(work)) {
        for (int i = 0; i < n; i++) work->x[i] = work->trial[i];
        return true;
    }
    // non-monotone: no higher than the highest of them
    tact_real highest = -TACT_MAX, alpha = 1;
    for (int i = 0; i < MEMORY && i <= d->iteration; i++) highest = tact_max(highest, d->value[i] + d->penalty * d->violation[i]);
    // backtracking; slack: the rounding of the merit
    for (int halving = 0; halving < 40; halving++, alpha /= 2) {
        tact_real slack = 64 * TACT_EPS * (tact_fabs(highest) + tact_quadratic_size(&work->problem->objective, work->x));
        for (int i = 0; i < n; i++) work->trial[n + 1 + i] = work->x[i] + alpha * (work->trial[i] - work->x[i]);
        const tact_real *at = work->trial + n + 1;
        if (tact_quadratic_value(&work->problem->objective, at) + d->penalty * violation_at(work, at) > highest + slack) continue;
        for (int i = 0; i < n; i++) work->x[i] = work->trial[n + 1 + i];
        return true;
    }
    return false;
}

// max_i |trial_i - x_i| / (1 + max_i |x_i|)
static tact_real movement(const tact_qcqp_work *work) {
    tact_real most = 0, extent = 0;
    for (int i = 0; i < work->problem->n; i++) {
        most = tact_max(most, tact_fabs(work->trial[i] - work->x[i]));
        extent = tact_max(extent, tact_fabs(work->x[i]));
    }
    return most / (1 + extent);
}

static tact_status solve_raised(tact_qcqp_work *work, const descent *d) {
    int n = work->problem->n;
    // gradient of the model at x_k
    tact_real penalty = d->penalty;
    int size = n + 1;
    // a = f'(x_k) - B x_k, and the penalty M of t
    for (int i = 0; i < n; i++) work->a[i] = 0;
    tact_quadratic_add_gradient(&work->problem->objective, work->x, 1, work->a);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) work->a[i] -= work->G[i * size + j] * work->x[j];
    work->a[n] = penalty;
    // the elastic variable starts at 0, the others at x
    for (int i = 0; i < n; i++) work->trial[i] = work->x[i];
    work->trial[n] = 0;
    work->nodes++;
    return tact_convex_solve(&work->program, &work->convex, work->trial, work->multiplier);
}

// Solves one convex program; the solution is in trial.
static tact_status solve_program(tact_qcqp_work *work, const descent *d) {
    // B = Hessian of the Lagrangian with the present multipliers
    int n = work->problem->n;
    tact_convex_problem program = {.n = n + 1, .G = work->G, .a = work->a, .row = work->row, .kind = work->present};
    work->program = program;
    tact_qcqp_curvature(work, work->y, work->general, n + 1);
    linearise_constraints(work);
    if (!raise_curvature(work)) return TACT_SINGULAR;
    tact_status status = solve_raised(work, d);
    if (status != TACT_SINGULAR) return status;
    // unbounded, as it may be where B is flat although the problem is bounded: again with a regularised step
    int size = n + 1;
    // Hessian plus |f'|/(1 + |x|) I: the step is then of the size of 1 + |x|
    for (int i = 0; i < n; i++) work->s[i] = 0;
    tact_quadratic_add_gradient(&work->problem->objective, work->x, 1, work->s);
    tact_real raise = tact_largest(work->s, n) / (1 + tact_largest(work->x, n));
    for (int i = 0; i < n; i++) work->G[i * size + i] += raise;
    return solve_raised(work, d);
}

// Whether x diverges: feasible to rounding, with an objective beyond the rounding of its first values.
static bool runs_off(const tact_qcqp_work *work, tact_real begin) {
    const tact_qcqp *problem = work->problem;
    // f EPS is below the values at the start
    if (!(tact_quadratic_value(&problem->objective, work->x) * TACT_EPS < -1 - tact_fabs(begin))) return false;
    for (int i = 0; i < problem->ncon; i++) {
        const tact_quadratic *g = &problem->constraint[i];
        tact_real value = tact_quadratic_value(g, work->x);
        if (!work->general[i]) continue;
        if ((problem->equality[i] ? tact_fabs(value) : -value) > TACT_CLOSE * tact_quadratic_size(g, work->x)) return false;
    }
    return true;
}

tact_status tact_qcqp_descend(tact_qcqp_work *work, tact_real tolerance) {
    TACT_ASSERT(work->x && work->trial);
    const tact_qcqp *problem = work->problem;
    descent d = {.penalty = 1};
    tact_real begin = tact_quadratic_value(&problem->objective, work->x);
    bool priced = problem->objective.nlinear > 0 || problem->objective.nquadratic > 0;
    for (int i = 0; i < problem->ncon; i++) work->y[i] = 0;
    tact_qcqp_decide(work);
    // each program counts as a node of the budget
    for (d.iteration = 0; d.iteration < ITERATIONS; d.iteration++) {
        if (work->nodes >= work->most_nodes) return TACT_ITERATION_LIMIT;
        tact_status status = solve_program(work, &d);
        // an unbounded program does not mean an unbounded problem
        if (status == TACT_SINGULAR) return TACT_ITERATION_LIMIT;
        if (status == TACT_INFEASIBLE) return status;
        if (runs_off(work, begin)) return TACT_SINGULAR;
        // multipliers of the general constraints from those of their rows; equalities have two rows of opposite sign
        for (int i = 0, row = work->nrow; i < problem->ncon; i++) {
            work->y[i] = 0;
            if (!work->general[i]) continue;
            work->y[i] = work->multiplier[row++];
            if (problem->equality[i]) work->y[i] -= work->multiplier[row++];
        }
        // left: the elastic variable; sum: of the multipliers
        tact_real left = work->trial[problem->n], sum = 0, now = violation_at(work, work->x);
        for (int i = 0; i < problem->ncon; i++) sum += tact_fabs(work->y[i]);
        // the penalty must exceed the multipliers, or violations would pay off; without an objective it is not needed
        if (priced && left > tolerance * (1 + now) && d.penalty < TACT_REAL(1e8)) {
            d.penalty *= 10;
            d.iteration--;
            if (d.penalty < TACT_REAL(1e8)) continue;
            d.iteration++;
        }
        // lowered again to twice the multipliers, which keeps steps long
        if (priced && (sum > d.penalty / 2 || left <= tolerance)) d.penalty = tact_max(2 * sum, 1);
        // converged when the step is below the tolerance and x feasible; infeasible when x is stationary but not feasible
        bool still = movement(work) <= tolerance;
        if (!take_step(work, &d)) {
            if (!still) return TACT_ITERATION_LIMIT;
            return violation_at(work, work->x) <= tolerance ? TACT_CONVERGED : TACT_INFEASIBLE;
        }
        if (still) return violation_at(work, work->x) <= 1000 * tolerance ? TACT_CONVERGED : TACT_INFEASIBLE;
    }
    return TACT_ITERATION_LIMIT;
}
