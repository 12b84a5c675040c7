// SPDX-License-Identifier: MIT
// Proof that no point satisfies a problem's constraints. The descent without an objective ends where the largest violation
// is least; its multipliers there add the rows and the general constraints up to one function
//
//     L(x) = sum m_i row_i(x) + sum y_i g_i(x),    m_i, y_i >= 0 of inequalities,
//
// which every point that satisfies them all makes >= 0. Where L is concave, level and negative it is nowhere >= 0.
#include "math/elementary.h"
#include "solve/qcqp_parts.h"

// by how many tolerances of its terms L must be below zero
enum { BELOW = 1000 };

// adds weight f(x) to a sum, its terms and its slope
static void add_weighted(tact_qcqp_work *work, const tact_quadratic *f, tact_real weight, tact_real *value, tact_real *size) {
    *value += weight * tact_quadratic_value(f, work->x);
    *size += tact_fabs(weight) * tact_quadratic_size(f, work->x);
    tact_quadratic_add_gradient(f, work->x, weight, work->s);
}

// Whether L, at x with the multipliers of the descent, is such a proof. The problem is without its objective here, so that its
// Lagrangian is -L.
static bool multipliers_prove(tact_qcqp_work *work, tact_real tolerance) {
    TACT_ASSERT(work->x && work->s);
    const tact_qcqp *problem = work->problem;
    tact_real value = 0, size = 0, slope = 0, extent = 1;
    for (int i = 0; i < problem->n; i++) work->s[i] = 0;
    // Sum of rows and constraints with their multipliers; a wrong sign proves nothing.
    for (int i = 0; i < work->nrow; i++) {
        if (work->present[i] == TACT_ROW_OFF) continue;
        if (work->present[i] == TACT_ROW_AT_LEAST && work->multiplier[i] < 0) return false;
        add_weighted(work, &work->row[i], work->multiplier[i], &value, &size);
    }
    for (int i = 0; i < problem->ncon; i++) {
        if (!work->general[i]) continue;
        if (!problem->equality[i] && work->y[i] < 0) return false;
        add_weighted(work, &problem->constraint[i], work->y[i], &value, &size);
    }
    for (int i = 0; i < problem->n; i++) {
        slope += tact_fabs(work->s[i]);
        extent = tact_max(extent, tact_fabs(work->x[i]));
    }
    // L < 0 by more than rounding, level, and concave.
    // what is left of the slope must not bring L to zero within 1/TACT_CLOSE extents of x
    return -value > BELOW * tolerance * size && slope * extent <= TACT_CLOSE * -value &&
           tact_qcqp_is_convex(work, work->y, work->general);
}

bool tact_qcqp_is_empty(tact_qcqp_work *work, tact_real tolerance) {
    TACT_ASSERT(work);
    const tact_qcqp *problem = work->problem;
    // Without an objective the descent minimises the largest violation.
    tact_qcqp constraints = *problem;
    // Whether the rows as they are decided contradict each other already, without the general constraints.
    int n = work->problem->n;
    tact_qcqp_decide(work);
    // The linear rows alone: feasibility of a convex program.
    work->program =
        (tact_convex_problem){.n = n, .m = work->nrow, .G = work->G, .a = work->a, .row = work->row, .kind = work->present};
    for (int i = 0; i < n * n; i++) work->G[i] = 0;
    for (int i = 0; i < n; i++) work->a[i] = work->trial[i] = 0;
    work->nodes++;
    if ((tact_convex_solve(&work->program, &work->convex, work->trial, work->multiplier) == TACT_INFEASIBLE)) return true;
    constraints.objective = (tact_quadratic){0};
    work->problem = &constraints;
    tact_status status = tact_qcqp_descend(work, tolerance);
    bool empty = status == TACT_INFEASIBLE && multipliers_prove(work, tolerance);
    work->problem = problem;
    return empty;
}
