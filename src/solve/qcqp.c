// SPDX-License-Identifier: MIT
// Quadratically constrained programs: checks, memory, choice of the method, multipliers and certificates.
#include "tact/qcqp.h"

#include "math/elementary.h"
#include "solve/qcqp_parts.h"

// With at most this many choices every combination is tried.
enum { FEW = 8 };

// The magnitudes of a well-scaled problem lie between 1/EVEN and EVEN; tolerances of convex programs and multipliers assume
// this.
#define EVEN TACT_REAL(32768)

tact_qcqp_options tact_qcqp_options_default(void) {
    tact_qcqp_options options = {.max_nodes = 20000, .starts = 30, .tolerance = TACT_CLOSE / 10};
    return options;
}

// Memory of the solver for this problem; an arena that only measures returns none.
static void place_qcqp(tact_qcqp_work *work, const tact_qcqp *problem, tact_arena *arena) {
    size_t n = (size_t)problem->n, ncon = (size_t)problem->ncon, nonlinear = 0, rows = 0, choices = n + 2 * ncon;
    // each nonlinear constraint may give two cuts and two linearised rows; each product of two rows is a choice
    for (size_t i = 0; i < ncon; i++) nonlinear += problem->constraint[i].nquadratic > 0;
    rows = ncon + 4 * nonlinear + 1;
    // one more unknown than the problem has: the elastic variable t of sequential quadratic programming
    tact_convex_place(&work->convex, problem->n + 1, (int)rows, arena);
    // rows, and their kinds at a node of the search
    work->row = tact_arena_take(arena, rows, sizeof(tact_quadratic));
    work->kind = tact_arena_take(arena, rows, 1);
    work->present = tact_arena_take(arena, rows, 1);
    work->entry = tact_arena_take(arena, 2 * nonlinear * (n + 2) + 1, sizeof(tact_triplet));
    work->general = tact_arena_take(arena, ncon, sizeof(bool));
    // choices, and the stack of the search
    work->choice = tact_arena_take(arena, choices, sizeof(tact_choice));
    work->side = tact_arena_take(arena, choices, 1);
    work->best_side = tact_arena_take(arena, choices, 1);
    work->stack = tact_arena_take(arena, choices, sizeof(int));
    work->second = tact_arena_take(arena, choices, sizeof(bool));
    // objective and points of the convex programs
    work->G = tact_arena_take(arena, (n + 1) * (n + 1), sizeof(tact_real));
    TACT_VECTORS(arena, n + 1, &work->a, &work->x, &work->best);
    TACT_VECTORS(arena, n * n, &work->S, &work->proof.error, &work->proof.factor);
    TACT_VECTORS(arena, n, &work->s, &work->proof.diagonal);
    work->trial = tact_arena_take(arena, 2 * n + 2, sizeof(tact_real));
    TACT_VECTORS(arena, rows, &work->multiplier, &work->best_multiplier, &work->proof.unit, &work->proof.rounded);
    work->y = tact_arena_take(arena, ncon, sizeof(tact_real));
    tact_spatial_place(&work->spatial, problem, arena);
}

size_t tact_qcqp_size(const tact_qcqp *problem) {
    TACT_ASSERT(problem && problem->n >= 0 && problem->ncon >= 0);
    tact_arena arena = {0};
    tact_qcqp_work work;
    place_qcqp(&work, problem, &arena);
    return arena.used;
}

// Start 0: the guess; 1: zero; others: random points within the bounds, in a box that widens from start to start where there
// are none.
static void set_start(tact_qcqp_work *work, int start, uint64_t *seed) {
    TACT_ASSERT(start >= 0);
    const tact_qcqp *problem = work->problem;
    // Widths 1 to 128, in turn.
    tact_real width = (tact_real)(1 << (start % 8));
    for (int i = 0; i < problem->n; i++) {
        // random number between 0 and 1 (xorshift64)
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        tact_real low = -TACT_MAX, high = TACT_MAX, share = (tact_real)(*seed >> 40) / 16777216;
        // bounds by rows a x + c >= 0 of this unknown alone: x >= -c/a or x <= -c/a
        for (int r = 0; r < work->nrow; r++) {
            const tact_quadratic *row = &work->row[r];
            if (work->kind[r] != TACT_ROW_AT_LEAST || row->nlinear != 1 || row->linear[0].column != i) continue;
            if (row->linear[0].value == 0) continue;
            tact_real bound = -row->constant / row->linear[0].value;
            if (row->linear[0].value > 0) low = tact_max(low, bound);
            if (row->linear[0].value < 0) high = tact_min(high, bound);
        }
        // an unknown with one bound gets another at a distance of 2 width
        if (low == -TACT_MAX && high == TACT_MAX) low = -width;
        if (low == -TACT_MAX) low = high - 2 * width;
        if (high == TACT_MAX) high = low + 2 * width;
        work->x[i] = start > 1 ? low + share * (high - low) : start == 0 && problem->x0 ? problem->x0[i] : 0;
    }
}

void tact_qcqp_keep_better(tact_qcqp_work *work) {
    TACT_ASSERT(work);
    const tact_qcqp *problem = work->problem;
    // short decimals and exact zeros before the value is taken
    tact_qcqp_snap(work, work->x);
    tact_real value = tact_quadratic_value(&problem->objective, work->x);
    if (work->found && value >= work->best_value) return;
    // the point, its sides and its multipliers belong together
    work->found = true;
    work->best_value = value;
    for (int i = 0; i < problem->n; i++) work->best[i] = work->x[i];
    for (int k = 0; k < work->nchoice; k++) work->best_side[k] = work->side[k];
    for (int i = 0; i < work->nrow; i++) work->best_multiplier[i] = work->multiplier[i];
    for (int i = 0; i < problem->ncon; i++)
        // nonlinear constraints have multipliers of their own
        if (work->general[i]) work->best_multiplier[i] = work->y[i];
}

static bool is_nearer_to_a(const tact_qcqp_work *work, const tact_choice *choice) {
    return tact_fabs(tact_quadratic_value(&work->row[choice->a], work->x)) <=
           tact_fabs(tact_quadratic_value(&work->row[choice->b], work->x));
}

// Sides of a combination: all in turn when there are few choices, otherwise one, the nearest to the point.
static bool set_sides(tact_qcqp_work *work, int combination) {
    // 2^nchoice combinations with at most FEW choices
    if (combination >= (work->nchoice <= FEW ? 1 << work->nchoice : 1)) return false;
    for (int k = 0; k < work->nchoice; k++) {
        const tact_choice *choice = &work->choice[k];
        bool a = work->nchoice <= FEW ? combination >> k & 1 : is_nearer_to_a(work, choice);
        work->side[k] = a ? 1 : 2;
    }
    return true;
}

void tact_qcqp_take_nearer_sides(tact_qcqp_work *work) {
    for (int k = 0; k < work->nchoice; k++) work->side[k] = is_nearer_to_a(work, &work->choice[k]) ? 1 : 2;
}

// Sequential programming with the sides as they are; keeps the local minimum if it is the best.
static tact_status descend_from_start(tact_qcqp_work *work, const tact_qcqp_options *options, int start, uint64_t seed) {
    set_start(work, start, &seed);
    tact_status status = tact_qcqp_descend(work, options->tolerance);
    if (status == TACT_CONVERGED) tact_qcqp_keep_better(work);
    return status;
}

// As above while no feasible point is known: tests first whether there is one. The descent then starts from the point of least
// violation, which finds some minima that it does not find from the start itself, and vice versa. INFEASIBLE: proven.
static tact_status descend_or_prove(tact_qcqp_work *work, const tact_qcqp_options *options, int start, uint64_t seed) {
    TACT_ASSERT(start >= 0);
    uint64_t again = seed;
    set_start(work, start, &again);
    if (tact_qcqp_is_empty(work, options->tolerance)) return TACT_INFEASIBLE;
    tact_status status = tact_qcqp_descend(work, options->tolerance);
    if (status == TACT_CONVERGED) tact_qcqp_keep_better(work);
    if (status != TACT_CONVERGED && status != TACT_SINGULAR) status = descend_from_start(work, options, start, seed);
    return status == TACT_INFEASIBLE ? TACT_UNDECIDED : status;
}

// Several starts, with every combination of the choices if they are few. If the first start finds no point, feasibility is
// tested.
static tact_status descend_often(tact_qcqp_work *work, const tact_qcqp_options *options) {
    uint64_t seed = 88172645463325252u;
    // start 0 is the guess, start 1 zero, the others are random
    for (int start = 0; start < options->starts && work->nodes < options->max_nodes; start++) {
        bool ask = start > 0 && !work->found;
        int combination = 0;
        work->empty = ask && work->nchoice <= FEW;
        set_start(work, start, &seed);
        // every combination of the choices from this start
        for (; set_sides(work, combination) && work->nodes < options->max_nodes; combination++) {
            tact_status status =
                ask ? descend_or_prove(work, options, start, seed) : descend_from_start(work, options, start, seed);
            work->empty = work->empty && status == TACT_INFEASIBLE;
            if (status == TACT_SINGULAR) return status;
        }
        // infeasible only if every combination was proven empty
        work->empty = work->empty && !set_sides(work, combination);
        if (work->empty) return TACT_INFEASIBLE;
    }
    return work->found ? TACT_CONVERGED : TACT_UNDECIDED;
}

tact_real tact_qcqp_violation(const tact_qcqp *problem, const tact_real *x) {
    TACT_ASSERT(problem);
    tact_real most = 0;
    // violation relative to the constraint's terms, or absolute where these are below 1
    for (int i = 0; i < problem->ncon; i++) {
        const tact_quadratic *g = &problem->constraint[i];
        tact_real value = tact_quadratic_value(g, x), size = tact_quadratic_size(g, x);
        tact_real wrong = problem->equality[i] ? tact_fabs(value) : -value;
        // terms that overflow say nothing about the row
        if (!tact_is_finite(value)) return TACT_MAX;
        if (wrong > 0) most = tact_max(most, wrong / tact_max(size, 1));
    }
    return most;
}

// Stationarity f' = sum y g' to the tolerance, with y >= 0 and y g = 0 for inequalities.
static bool is_stationary(tact_qcqp_work *work, const tact_real *y, tact_real tolerance) {
    const tact_qcqp *problem = work->problem;
    tact_real size = 0, most = 0;
    // gradient of the Lagrangian f' - sum y_i g_i'
    for (int i = 0; i < problem->n; i++) work->s[i] = 0;
    tact_quadratic_add_gradient(&problem->objective, work->best, 1, work->s);
    for (int i = 0; i < problem->n; i++) size = tact_max(size, tact_fabs(work->s[i]));
    // inequalities: y >= 0 and y g = 0
    for (int i = 0; i < problem->ncon; i++) {
        const tact_quadratic *g = &problem->constraint[i];
        tact_real slack = tact_fabs(y[i] * tact_quadratic_value(g, work->best)) / tact_max(tact_quadratic_size(g, work->best), 1);
        bool wrong = y[i] < -tolerance * (1 + size) || slack > 1000 * tolerance * (1 + size);
        if (wrong && !problem->equality[i]) return false;
        tact_quadratic_add_gradient(g, work->best, -y[i], work->s);
    }
    for (int i = 0; i < problem->n; i++) most = tact_max(most, tact_fabs(work->s[i]));
    return most <= 1000 * tolerance * (1 + size);
}

static bool is_even(tact_real x) {
    return x == 0 || (tact_fabs(x) <= EVEN && tact_fabs(x) >= 1 / EVEN);
}

// Whether the multipliers of the best point prove that it is a global minimum: stationary, with a convex Lagrangian.
static bool best_is_global(tact_qcqp_work *work, const tact_qcqp_options *options, tact_qcqp_solution *solution) {
    // multipliers of the constraints as given, from those of the rows: if row a of a choice is zero with multiplier y < 0, the
    // choice's own constraint has the multiplier -y/(factor m); if m is zero as well, none exists
    tact_real tolerance = options->tolerance;
    tact_real *y = solution->multiplier;
    int ncon = work->problem->ncon;
    bool exist = true;
    for (int i = 0; i < ncon; i++) y[i] = work->kind[i] == TACT_ROW_OFF && !work->general[i] ? 0 : work->best_multiplier[i];
    // for each choice: the row that is zero, and its other factor m
    for (int k = 0; k < work->nchoice; k++) {
        const tact_choice *choice = &work->choice[k];
        int zero = work->best_side[k] == 1 ? choice->a : choice->b, other = work->best_side[k] == 1 ? choice->b : choice->a;
        tact_real force = work->best_multiplier[zero], m = tact_quadratic_value(&work->row[other], work->best);
        // the derivative of the constraint -factor l m along l is -factor m: hence y = -force/(factor m)
        // value below which a row is rounding, to the tolerance, with all unknowns as large as the largest
        const tact_quadratic *row = &work->row[other];
        // terms of the row with all unknowns as large as the largest
        int n = work->problem->n;
        tact_real most = 0;
        for (int i = 0; i < n; i++) most = tact_max(most, tact_fabs(work->best[i]));
        for (int i = 0; i < n; i++) work->s[i] = most;
        tact_real slope = tact_fabs(m) > (tolerance * tact_quadratic_size(row, work->s)) ? choice->factor * m : 0;
        bool free = work->problem->equality[choice->source];
        if (force >= 0 && !free) continue;
        if (slope == 0) exist = exist && force == 0;
        if (slope == 0) continue;
        y[choice->source] = free && zero >= ncon ? -force / slope : tact_max(y[choice->source], -force / slope);
    }
    // subtract the choice's contribution from the row's own multiplier
    for (int k = 0; k < work->nchoice; k++) {
        const tact_choice *choice = &work->choice[k];
        int zero = work->best_side[k] == 1 ? choice->a : choice->b, other = work->best_side[k] == 1 ? choice->b : choice->a;
        if (zero < ncon) y[zero] += y[choice->source] * choice->factor * tact_quadratic_value(&work->row[other], work->best);
    }
    solution->stationary = exist && is_stationary(work, solution->multiplier, options->tolerance);
    return work->even && solution->stationary && tact_qcqp_is_convex(work, solution->multiplier, NULL);
}

// Limit of nodes; a node costs n^2 and more.
static int node_limit(const tact_qcqp *problem, const tact_qcqp_options *options) {
    // 4e7 multiplications
    tact_real most = TACT_REAL(4e7) / ((tact_real)problem->n * (tact_real)problem->n);
    return most < 100 ? 100 : most < (tact_real)options->max_nodes ? (int)most : options->max_nodes;
}

// Objective of the convex programs at the search's nodes; whether it is convex.
static bool objective_is_convex(tact_qcqp_work *work) {
    const tact_qcqp *problem = work->problem;
    work->program = (tact_convex_problem){.n = problem->n, .G = work->G, .a = work->a, .row = work->row, .kind = work->present};
    tact_qcqp_curvature(work, NULL, work->general, problem->n);
    // a: linear part of the objective, G: its Hessian without nonlinear constraints
    for (int i = 0; i < problem->n; i++) work->a[i] = 0;
    for (int k = 0; k < problem->objective.nlinear; k++)
        work->a[problem->objective.linear[k].column] += problem->objective.linear[k].value;
    return tact_convex_holds(&work->program, &work->convex);
}

// Spatial branch and bound proves what sequential programming has found, finds a better point, or proves that there is none;
// not needed if the multipliers prove it.
static tact_status prove(tact_qcqp_work *work, const tact_qcqp_options *options, tact_status status, bool *complete,
                         tact_qcqp_solution *solution) {
    // a local minimum with a convex Lagrangian is global: nothing left to prove
    tact_real outside = work->found ? tact_qcqp_violation(work->problem, work->best) : 0;
    if (work->found && outside <= TACT_QCQP_FEASIBLE * options->tolerance && best_is_global(work, options, solution))
        return status;
    // spatial branch and bound decides
    tact_spatial_end end = tact_qcqp_spatial(work, &work->spatial, options, &solution->bound);
    *complete = end == TACT_SPATIAL_COMPLETE || end == TACT_SPATIAL_EMPTY;
    if (end == TACT_SPATIAL_EMPTY) return TACT_INFEASIBLE;
    return work->found ? TACT_CONVERGED : status;
}

tact_status tact_qcqp_solve(const tact_qcqp *problem, const tact_qcqp_options *options, void *memory, size_t size,
                            tact_qcqp_solution *solution) {
    TACT_ASSERT(memory || size == 0);
    TACT_ASSERT(problem && options && solution && solution->x && (solution->multiplier || problem->ncon <= 0));
    tact_arena arena = {.memory = memory, .size = size};
    tact_qcqp_work work = {.problem = problem};
    if (tact_qcqp_check(problem, options).field) return TACT_BAD_INPUT;
    place_qcqp(&work, problem, &arena);
    if (!tact_arena_fits(&arena)) return TACT_NO_MEMORY;
    tact_real *x = solution->x, *multiplier = solution->multiplier;
    *solution = (tact_qcqp_solution){.x = x, .multiplier = multiplier};
    for (int i = 0; i < problem->n; i++) work.x[i] = 0;
    // linear rows, choices, and other nonlinear constraints
    tact_qcqp_analyse(&work);
    solution->choices = work.nchoice;
    work.most_nodes = options->max_nodes;
    // scales of unknowns, rows and objective: where they are far apart, a tolerance may be larger than the quantity itself, and
    // only proofs beyond rounding are accepted
    bool even = true;
    for (int i = -1; i < problem->ncon; i++) {
        const tact_quadratic *f = i < 0 ? &problem->objective : &problem->constraint[i];
        even = even && is_even(f->constant);
        for (int k = 0; k < f->nlinear; k++) even = even && is_even(f->linear[k].value);
        for (int k = 0; k < f->nquadratic; k++) even = even && is_even(f->quadratic[k].value);
    }
    work.even = even;
    bool convex = work.ngeneral == 0 && objective_is_convex(&work);
    // convex apart from its choices: branch and bound over them; otherwise sequential programming from several starts
    tact_status status = convex ? tact_qcqp_search(&work, node_limit(problem, options)) : descend_often(&work, options);
    // a complete search without doubtful nodes is a proof: of infeasibility beyond rounding, or of a minimum if the scales are
    // even
    bool searched = (status == TACT_CONVERGED && work.even) || status == TACT_INFEASIBLE;
    bool complete = work.empty || (convex && searched && !work.doubt);
    solution->bound = -TACT_MAX;
    if ((!convex || !work.even || !work.found) && !complete && status != TACT_SINGULAR)
        status = prove(&work, options, status, &complete, solution);
    solution->nodes = work.nodes;
    solution->global = complete;
    if (work.found) {
        // the best point, its value, residual and complementarity, and whether it is global
        for (int i = 0; i < problem->n; i++) solution->x[i] = work.best[i];
        solution->objective = tact_quadratic_value(&problem->objective, work.best);
        solution->violation = tact_qcqp_violation(problem, work.best);
        // complementarity: the largest product of the two factors of a choice
        for (int k = 0; k < work.nchoice; k++) {
            tact_real l = tact_quadratic_value(&work.row[work.choice[k].a], work.best);
            tact_real m = tact_quadratic_value(&work.row[work.choice[k].b], work.best);
            solution->complementarity = tact_max(solution->complementarity, tact_fabs(l * m));
        }
        bool global = best_is_global(&work, options, solution);
        solution->global = complete || global;
    }
    if (!work.found) {
        // the last iterate
        for (int i = 0; i < problem->n; i++) solution->x[i] = tact_is_finite(work.x[i]) ? work.x[i] : 0;
        for (int i = 0; i < problem->ncon; i++) solution->multiplier[i] = 0;
        solution->objective = tact_quadratic_value(&problem->objective, solution->x);
        solution->violation = tact_qcqp_violation(problem, solution->x);
    }
    if (!work.found && (status == TACT_ITERATION_LIMIT || (status == TACT_INFEASIBLE && !complete))) status = TACT_UNDECIDED;
    // numbers of the problem may be so large that the solution overflows
    const tact_real told[3] = {solution->objective, solution->violation, solution->complementarity};
    if (!tact_all_finite(told, 3) || !tact_all_finite(solution->multiplier, problem->ncon)) return TACT_BAD_INPUT;
    // rounding at large magnitudes may have accepted a row that is violated
    bool outside = work.found && solution->violation > TACT_QCQP_FEASIBLE * options->tolerance;
    if (outside) solution->global = solution->stationary = false;
    if (outside && status >= 0) status = TACT_UNDECIDED;
    // the search was cut short, but its best point is a local minimum
    if (status == TACT_ITERATION_LIMIT && work.found && solution->stationary) status = TACT_CONVERGED;
    return status;
}
