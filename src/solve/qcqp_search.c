// SPDX-License-Identifier: MIT
// Branch and bound over the choices of an otherwise convex problem. A node solves the convex program in which open choices only
// require l >= 0 and m >= 0; if the solution has l and m positive, it branches into l = 0 and m = 0. A node whose value is no
// better than the best known point is pruned.
#include "math/elementary.h"
#include "solve/qcqp_parts.h"

// Distance of a row from zero, in its norm.
static tact_real distance(const tact_qcqp_work *work, int row, const tact_real *x) {
    const tact_quadratic *f = &work->row[row];
    tact_real norm = 0;
    for (int k = 0; k < f->nlinear; k++) norm += f->linear[k].value * f->linear[k].value;
    return norm > 0 ? tact_fabs(tact_quadratic_value(f, x)) / tact_sqrt(norm) : 0;
}

static unsigned char nearer_side(const tact_qcqp_work *work, int choice, const tact_real *x) {
    return distance(work, work->choice[choice].a, x) <= distance(work, work->choice[choice].b, x) ? 1 : 2;
}

static tact_status solve_node(tact_qcqp_work *work, tact_real *x) {
    const tact_qcqp *problem = work->problem;
    // from the guess, or from 0: a dual method does not need a feasible start
    for (int i = 0; i < problem->n; i++) x[i] = problem->x0 ? problem->x0[i] : 0;
    tact_qcqp_decide(work);
    work->program.n = problem->n;
    work->program.m = work->nrow;
    work->nodes++;
    return tact_convex_solve(&work->program, &work->convex, x, work->multiplier);
}

// Makes a row exactly zero by the least change of one of its unknowns, if possible. Unknowns that no other zero row contains go
// first, since changing them affects nothing else. Zero unknowns stay: they have a row of their own, or belong to another
// choice.
static void settle(const tact_quadratic *row, const tact_real *rows, tact_real *x) {
    // unknowns of this row only, then shared ones
    for (int shared = 0; shared < 2; shared++)
        for (int k = row->nlinear - 1; k >= 0; k--) {
            tact_real slope = row->linear[k].value, left = tact_quadratic_value(row, x), *unknown = &x[row->linear[k].column];
            tact_real before = *unknown;
            if (left == 0) return;
            if (before == 0 || slope == 0 || (rows[row->linear[k].column] > 1) != (shared == 1)) continue;
            // x_k = x_k - row/a_k, unless rounding makes it worse
            *unknown -= left / slope;
            if (!(tact_fabs(tact_quadratic_value(row, x)) <= tact_fabs(left))) *unknown = before;
        }
}

void tact_qcqp_snap(const tact_qcqp_work *work, tact_real *x) {
    TACT_ASSERT(work);
    // values within rounding of a short decimal become that: data with few digits have solutions with few, at which rows vanish
    // exactly
    int n = work->problem->n;
    for (int i = 0; i < n; i++) {
        tact_real millionths = tact_floor(x[i] * 1000000 + TACT_REAL(0.5)), near = millionths / 1000000;
        if (tact_fabs(x[i] - near) <= 64 * TACT_EPS * tact_fabs(x[i])) x[i] = near;
    }
    // after the decimals, rows of one unknown exactly, then the zero rows of the choices; rows: number of zero rows that
    // contain each unknown
    tact_real *rows = work->s;
    for (int i = 0; i < work->problem->n; i++) rows[i] = 0;
    for (int i = 0; i < work->nrow; i++)
        for (int k = 0; work->present[i] == TACT_ROW_EQUAL && k < work->row[i].nlinear; k++)
            rows[work->row[i].linear[k].column]++;
    for (int i = 0; i < work->nrow; i++)
        if (work->present[i] == TACT_ROW_EQUAL && work->row[i].nlinear == 1 && work->row[i].linear[0].value != 0)
            x[work->row[i].linear[0].column] = -work->row[i].constant / work->row[i].linear[0].value;
    for (int k = 0; k < work->nchoice; k++) {
        const tact_quadratic *zero = &work->row[work->side[k] == 1 ? work->choice[k].a : work->choice[k].b];
        if (zero->nlinear > 1) settle(zero, work->s, x);
    }
}

// A node with all choices decided: keeps its point if it is the best so far.
static tact_status try_leaf(tact_qcqp_work *work) {
    tact_status status = solve_node(work, work->trial);
    // make zero rows exact before the value is taken
    if (status != TACT_CONVERGED) return status;
    tact_qcqp_snap(work, work->trial);
    tact_real value = tact_quadratic_value(&work->problem->objective, work->trial);
    if (work->found && value >= work->best_value) return status;
    work->found = true;
    work->best_value = value;
    for (int i = 0; i < work->problem->n; i++) work->best[i] = work->trial[i];
    for (int k = 0; k < work->nchoice; k++) work->best_side[k] = work->side[k];
    for (int i = 0; i < work->nrow; i++) work->best_multiplier[i] = work->multiplier[i];
    return status;
}

// Backtracks to the last decision whose other side is not done. False: there is none.
static bool step_back(tact_qcqp_work *work, int *depth) {
    // depth-first: the second side of the deepest such decision
    while (*depth > 0) {
        int k = work->stack[*depth - 1];
        if (!work->second[k]) {
            work->second[k] = true;
            work->side[k] = (unsigned char)(3 - work->side[k]);
            return true;
        }
        work->side[k] = 0;
        (*depth)--;
    }
    return false;
}

typedef enum { NODE_CLOSED, NODE_OPEN, NODE_UNBOUNDED } node_end;

// Visits a node; next: the choice to branch on.
static node_end visit(tact_qcqp_work *work, int *next) {
    // convex relaxation at this node
    const tact_quadratic *objective = &work->problem->objective;
    tact_status status = solve_node(work, work->x);
    tact_real gap = 0;
    // Branch on the open choice that is furthest from being made, by the lesser of its two distances.
    const tact_real *x = work->x;
    // The choice whose smaller distance is largest: branching on it moves the bound most.
    int widest = -1;
    gap = -1;
    for (int k = 0; k < work->nchoice; k++) {
        if (work->side[k]) continue;
        tact_real least = tact_min(distance(work, work->choice[k].a, x), distance(work, work->choice[k].b, x));
        if (least > gap) {
            gap = least;
            widest = k;
        }
    }
    *next = widest;
    // infeasible, or no better than the best known: pruned
    if (status == TACT_INFEASIBLE && !tact_qcqp_proves_empty(work, work->multiplier, NULL)) work->doubt = true;
    if (status == TACT_INFEASIBLE) return NODE_CLOSED;
    if (status == TACT_ITERATION_LIMIT) work->doubt = true;
    if (status == TACT_SINGULAR) return *next < 0 ? NODE_UNBOUNDED : NODE_OPEN;
    tact_real value = tact_quadratic_value(objective, work->x), size = tact_quadratic_size(objective, work->x);
    if (work->found && value >= work->best_value - 1024 * TACT_EPS * size) return NODE_CLOSED;
    // rounding every open choice to its nearer side may give a better point
    int first = 0;
    // open choices to the nearer side, remembered at the far end of the stack for reopening
    for (int k = 0; k < work->nchoice; k++) {
        if (work->side[k]) continue;
        work->side[k] = nearer_side(work, k, work->x);
        work->stack[work->nchoice - ++first] = k;  // the far end of the stack is free
    }
    tact_status leaf = try_leaf(work);
    for (int i = 1; i <= first; i++) work->side[work->stack[work->nchoice - i]] = 0;
    if (*next < 0) return NODE_CLOSED;
    // no choice is open: the leaf is the node's own point, made exact
    tact_real extent = 0;
    for (int i = 0; i < work->problem->n; i++) extent = tact_max(extent, tact_fabs(work->x[i]));
    return leaf == TACT_CONVERGED && gap <= TACT_CLOSE * extent && work->best_value <= value + TACT_CLOSE * size ? NODE_CLOSED
                                                                                                                 : NODE_OPEN;
}

// Local improvement: switches the side of choices with both factors zero whose multiplier shows descent.
static void flip(tact_qcqp_work *work, int max_nodes) {
    // multiplier of the zero row < 0: the objective falls towards the other side, which is equally feasible here
    for (int k = 0; k < work->nchoice && work->nodes < max_nodes; k++) {
        const tact_choice *choice = &work->choice[k];
        int zero = work->best_side[k] == 1 ? choice->a : choice->b, other = work->best_side[k] == 1 ? choice->b : choice->a;
        if (!(work->best_multiplier[zero] < 0) || distance(work, other, work->best) > 0) continue;
        tact_real before = work->best_value;
        for (int j = 0; j < work->nchoice; j++) work->side[j] = work->best_side[j];
        work->side[k] = (unsigned char)(3 - work->side[k]);
        try_leaf(work);
        // improved: start again with the first choice
        if (work->best_value < before) k = -1;
    }
}

tact_status tact_qcqp_search(tact_qcqp_work *work, int max_nodes) {
    TACT_ASSERT(work);
    int depth = 0, next = 0;
    // initial points: all first factors zero, all second ones, the nearer ones at the guess; then local improvement. Each leaf
    // costs one convex program
    for (int start = 1; start <= (work->problem->x0 ? 3 : 2) && work->nchoice > 0; start++) {
        for (int k = 0; k < work->nchoice; k++)
            work->side[k] = start < 3 ? (unsigned char)start : nearer_side(work, k, work->problem->x0);
        tact_real before = work->best_value;
        bool found = work->found;
        try_leaf(work);
        if (work->found && (!found || work->best_value < before)) flip(work, max_nodes);
    }
    for (int k = 0; k < work->nchoice; k++) work->side[k] = 0;
    // depth-first branch and bound
    for (;;) {
        if (work->nodes >= max_nodes) {
            if (work->found) flip(work, 2 * max_nodes);
            return TACT_ITERATION_LIMIT;
        }
        node_end end = visit(work, &next);
        if (end == NODE_UNBOUNDED) return TACT_SINGULAR;
        // branch: the nearer side first
        if (end == NODE_OPEN) {
            work->side[next] = nearer_side(work, next, work->x);
            work->second[next] = false;
            work->stack[depth++] = next;
        } else if (!step_back(work, &depth)) {
            return work->found ? TACT_CONVERGED : TACT_INFEASIBLE;
        }
    }
}
