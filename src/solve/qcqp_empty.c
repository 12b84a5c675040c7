// SPDX-License-Identifier: MIT
// Proof of infeasibility. The descent without an objective ends at the least violation; its multipliers there combine the rows
// and the general constraints into one function
//
//     L(x) = sum m_i row_i(x) + sum y_i g_i(x),    m_i, y_i >= 0 of inequalities,
//
// which every feasible point makes >= 0. Where L is concave, stationary and negative, it is nowhere >= 0 (qcqp_proof.c).
#include "solve/qcqp_parts.h"

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
    if (tact_convex_solve(&work->program, &work->convex, work->trial, work->multiplier) == TACT_INFEASIBLE)
        return tact_qcqp_proves_empty(work, work->multiplier, NULL);
    constraints.objective = (tact_quadratic){0};
    work->problem = &constraints;
    tact_status status = tact_qcqp_descend(work, tolerance);
    bool empty = status == TACT_INFEASIBLE && tact_qcqp_proves_empty(work, work->multiplier, work->y);
    work->problem = problem;
    return empty;
}
