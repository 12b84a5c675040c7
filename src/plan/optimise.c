// SPDX-License-Identifier: MIT
// Trajectory optimisation: knots to commands, rollouts to values and gradients, and choice of the method.
#include "tact/optimise.h"

#include "math/elementary.h"
#include "math/random.h"
#include "plan/ilqr.h"
#include "plan/lbfgs.h"

enum { PLAN_PAIRS = 20, PLAN_MOST_STEPS = 1000000, PLAN_PERIOD = 10 };

static bool plan_is_barrier(const tact_model *model) {
    return model->law->derivatives == TACT_DERIV_BARRIER;
}

tact_plan_options tact_plan_options_default(void) {
    tact_plan_options options = {.method = TACT_PLAN_AUTO,
                                 .iteration_limit = 100,
                                 .idle = 3,
                                 .gain_least = TACT_REAL(0.001),
                                 .gain_reached = TACT_REAL(0.05),
                                 .relaxations = 3};
    return options;
}

tact_fault tact_plan_check(const tact_plan_task *task) {
    TACT_ASSERT(task && task->model && task->options);
    tact_fault fault = {NULL, 0};
    if (task->horizon < 1 || task->horizon > PLAN_MOST_STEPS) fault.field = "task.horizon";
    if (task->knots < 1 || task->knots > PLAN_MOST_STEPS) fault.field = "task.knots";
    if (!(task->effort >= 0 && task->effort <= TACT_MAX)) fault.field = "task.effort";
    if (!(task->posture >= 0 && task->posture <= TACT_MAX)) fault.field = "task.posture";
    if (task->model->nu == 0) fault.field = "model.nu";
    if (!task->model->law || task->model->law->derivatives == TACT_DERIV_NONE) fault.field = "model.law";
    if (task->model->search) fault.field = "model.search";
    if (!fault.field) fault = tact_residual_check(task->model, task->residual, task->nresidual);
    // residuals of steps beyond the horizon would count as reached
    for (int i = 0; i < task->nresidual && !fault.field; i++)
        if (task->residual[i].last > task->horizon) fault = (tact_fault){"residual.last", i};
    return fault;
}

static tact_plan_method plan_choose(const tact_plan_task *task, tact_plan_method method) {
    if (method != TACT_PLAN_AUTO) return method;
    // with anchors iLQR's Hessian is not that of the plan
    return plan_is_barrier(task->model) && !task->options->anchor ? TACT_PLAN_ILQR : TACT_PLAN_LBFGS;
}

// Whether a planner that was placed for one method, or for all that the law has, can use another.
static bool plan_has_room(const tact_planner *planner, tact_plan_method method) {
    bool barrier = plan_is_barrier(planner->task.model);
    return (method != TACT_PLAN_ILQR || barrier) && (planner->room == TACT_PLAN_AUTO || planner->room == method);
}

// Memory of the planner: variables, commands, methods, and the rollout, for which `most` bytes are requested; an arena that
// only measures returns none.
static void plan_place(tact_planner *planner, size_t most, tact_arena *arena) {
    const tact_plan_task *task = &planner->task;
    const tact_model *model = task->model;
    size_t n = (size_t)planner->n, nu = (size_t)model->nu, steps = (size_t)task->horizon, knots = (size_t)task->knots;
    size_t state = tact_state_size(model);
    // Memory of the rollout: all checkpoints where they fit
    size_t least = tact_rollout_size(task->model, task->horizon, 0);
    size_t all = tact_rollout_size(task->model, task->horizon, task->horizon), size = all < most ? all : most;
    size_t rollout = least > size ? least : size;

    tact_lbfgs lbfgs = {0};
    tact_ilqr ilqr = {0};
    // variables with bounds and scales; knots and the commands of all steps
    TACT_VECTORS(arena, n, &planner->x, &planner->lower, &planner->upper, &planner->gradient);
    planner->scale = tact_arena_take(arena, nu, sizeof(tact_real));
    planner->force = tact_arena_take(arena, nu, sizeof(bool));
    planner->times = tact_arena_take(arena, knots + 1, sizeof(tact_real));
    planner->u = tact_arena_take(arena, (knots + 1) * nu, sizeof(tact_real));
    planner->error = tact_arena_take(arena, (size_t)task->nresidual, sizeof(tact_real));
    planner->knot = tact_arena_take(arena, steps, sizeof(int));
    planner->part = tact_arena_take(arena, steps, sizeof(tact_real));
    TACT_VECTORS(arena, steps * nu, &planner->command, &planner->command_bar);
    // contacts seen, to count those that begin and end
    planner->seen = tact_arena_take(arena, (size_t)model->npair, sizeof(uint8_t));
    planner->seen_before = tact_arena_take(arena, (size_t)model->npair, sizeof(uint8_t));
    tact_residual_place(&planner->residual, model, arena);
    // one method, or all that the law supports
    planner->lbfgs = tact_arena_take(arena, 1, sizeof lbfgs);
    planner->ilqr = tact_arena_take(arena, 1, sizeof ilqr);
    if (plan_has_room(planner, TACT_PLAN_LBFGS)) tact_lbfgs_place(&lbfgs, planner->n, PLAN_PAIRS, arena);
    if (plan_has_room(planner, TACT_PLAN_ILQR)) tact_ilqr_place(&ilqr, task, planner->n, arena);
    void *state_memory = tact_arena_take(arena, state, 1), *roll_memory = tact_arena_take(arena, rollout, 1);
    if (!roll_memory) return;
    *planner->lbfgs = lbfgs;
    *planner->ilqr = ilqr;
    tact_state_init(&planner->start, model, state_memory, state);
    tact_rollout_init(&planner->rollout, model, task->horizon, roll_memory, rollout);
}

size_t tact_planner_size(const tact_plan_task *task, tact_plan_method method, size_t most) {
    TACT_ASSERT(task && !tact_plan_check(task).field);
    tact_arena arena = {0};
    tact_planner planner = {
        .task = *task, .method = plan_choose(task, method), .room = method, .n = task->knots * task->model->nu};
    plan_place(&planner, most, &arena);
    return arena.used;
}

// Driven dofs have limits of one coordinate, or none; forces have none.
static void plan_set_bounds(tact_planner *planner) {
    const tact_plan_task *task = &planner->task;
    const tact_model *model = task->model;
    tact_real duration = (tact_real)task->horizon * task->options->dt;
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->u < 0) continue;
        // a drive of a sum of coordinates has no limits
        bool sum = !dof->force && dof->stiffness == 0;
        tact_real stiffness = dof->stiffness;
        for (int s = 0; s < model->nspring && stiffness == 0; s++) {
            const tact_spring *spring = &model->spring[s];
            if (spring->u != dof->u) continue;
            stiffness = spring->stiffness;
            // a drive with a limit of its force
            if (spring->count == 1 && spring->factor[0] == 1 && spring->rest == 0) sum = false;
        }
        // scaled by the square root of the stiffness, so that x^2 is an energy; forces so that the effort is the sum of x^2
        tact_real scale = dof->force ? tact_sqrt(duration / (tact_real)task->knots) : tact_sqrt(stiffness);
        planner->scale[dof->u] = scale;
        planner->force[dof->u] = dof->force;
        for (int i = dof->u; i < planner->n; i += model->nu) {
            planner->lower[i] = !sum && !dof->force && dof->lower > -TACT_MAX ? scale * dof->lower : -TACT_MAX;
            planner->upper[i] = !sum && !dof->force && dof->upper < TACT_MAX ? scale * dof->upper : TACT_MAX;
        }
    }
}

tact_status tact_planner_init(tact_planner *planner, const tact_plan_task *task, tact_plan_method method, size_t most,
                              const tact_state *start, void *memory, size_t size) {
    TACT_ASSERT(planner && task && start && !tact_plan_check(task).field);
    tact_arena arena = {.memory = memory, .size = size};
    *planner =
        (tact_planner){.task = *task, .method = plan_choose(task, method), .room = method, .n = task->knots * task->model->nu};
    plan_place(planner, most, &arena);
    if (!tact_arena_fits(&arena)) return TACT_NO_MEMORY;
    tact_state_copy(&planner->start, start, task->model);
    // times of the knots, and the knots around each step's command
    tact_real t = planner->start.time, duration = (tact_real)task->horizon * task->options->dt;
    int knot = 0;
    for (int j = 0; j <= task->knots; j++) planner->times[j] = t + duration * (tact_real)j / (tact_real)task->knots;
    for (int k = 0; k < task->horizon; k++, t += task->options->dt) {
        while (knot < task->knots - 1 && planner->times[knot + 1] <= t) knot++;
        tact_real before = planner->times[knot], after = planner->times[knot + 1];
        planner->knot[k] = knot;
        planner->part[k] = tact_clamp((t - before) / (after - before), 0, 1);
    }
    // bounds of the commands, and as first guess commands that hold the start
    plan_set_bounds(planner);
    tact_planner_hold(planner);
    return TACT_CONVERGED;
}

void tact_planner_hold(tact_planner *planner) {
    const tact_model *model = planner->task.model;
    tact_hold(model, &planner->start, planner->u);
    for (int i = 0; i < planner->n; i++) planner->x[i] = planner->scale[i % model->nu] * planner->u[i % model->nu];
}

void tact_planner_take(tact_planner *planner, const tact_real *command, int steps) {
    TACT_ASSERT(planner && command && steps >= 1);
    const tact_plan_task *task = &planner->task;
    int nu = task->model->nu;
    for (int j = 1; j <= task->knots; j++) {
        // the step that begins at the knot's time
        int64_t step = ((int64_t)j * task->horizon + task->knots / 2) / task->knots;
        const tact_real *row = command + (step < steps ? step : steps - 1) * nu;
        for (int i = 0; i < nu; i++) {
            int at = (j - 1) * nu + i;
            planner->x[at] = tact_clamp(planner->scale[i] * row[i], planner->lower[at], planner->upper[at]);
        }
    }
}

void tact_planner_scatter(tact_planner *planner, uint64_t seed, uint64_t number) {
    TACT_ASSERT(planner);
    const tact_model *model = planner->task.model;
    uint64_t state = seed * 0xd1342543de82ef95u + number;
    tact_planner_hold(planner);
    for (int j = 0; j < planner->task.knots; j++)
        for (int v = 0; v < model->nv; v++) {
            const tact_dof *dof = &model->dof[v];
            if (dof->u < 0) continue;
            int at = j * model->nu + dof->u;
            bool slides = model->body[dof->body].joint == TACT_JOINT_PRISMATIC;
            tact_real spread = planner->scale[dof->u] * (slides ? TACT_REAL(0.05) : TACT_REAL(0.5));
            // uniform in [-1, 1)
            tact_real unit = (tact_real)(tact_random_bits(&state) >> 44) / (tact_real)(1 << 19) - 1;
            // a force's size is not known: a unit of it
            if (dof->force) spread = planner->scale[dof->u];
            planner->x[at] = tact_clamp(planner->x[at] + spread * unit, planner->lower[at], planner->upper[at]);
        }
}

// Commands at a knot from its variables; before the first knot a force is that of the first.
static void plan_set_knot(tact_planner *planner, const tact_real *x, int j) {
    int nu = planner->task.model->nu;
    for (int i = 0; i < nu; i++) {
        tact_real u = x[(j - 1) * nu + i] / planner->scale[i];
        planner->u[j * nu + i] = u;
        if (j == 1 && planner->force[i]) planner->u[i] = u;
    }
}

// Command of a step, by the same arithmetic as a scene's trajectory.
static void plan_set_command(tact_planner *planner, int k) {
    int nu = planner->task.model->nu;
    const tact_real *a = planner->u + planner->knot[k] * nu, *b = a + nu;
    tact_real *u = planner->command + (size_t)k * (size_t)nu;
    for (int i = 0; i < nu; i++) u[i] = a[i] + planner->part[k] * (b[i] - a[i]);
}

// effort K sum |x_j - x_{j-1}|^2 + posture/K sum |x_j - x_0|^2, and its gradient.
static tact_real plan_add_effort(const tact_planner *planner, tact_real *gradient) {
    const tact_plan_task *task = &planner->task;
    tact_real factor = task->effort * (tact_real)task->knots, rest = task->posture / (tact_real)task->knots, sum = 0;
    const tact_real *u = planner->u;
    int nu = task->model->nu;
    for (int i = 0; i < planner->n; i++) {
        if (planner->force[i % nu]) continue;
        // Change from the knot before, and distance from the first knot.
        tact_real scale = planner->scale[i % nu], change = scale * (u[nu + i] - u[i]), away = scale * (u[nu + i] - u[i % nu]);
        sum += factor * change * change + rest * away * away;
        if (!gradient) continue;
        gradient[i] += 2 * factor * change + 2 * rest * away;
        if (i >= nu) gradient[i - nu] -= 2 * factor * change;
    }
    return sum;
}

// All residuals of a state. In the forward pass their lengths are stored, in the backward pass their Hessians for iLQR.
// NOLINTNEXTLINE(readability-non-const-parameter)
static tact_real plan_add_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                               tact_real *lambda_bar) {  // NOLINT(readability-non-const-parameter): the type of a loss
    tact_planner *planner = context;
    const tact_plan_task *task = &planner->task;
    const tact_model *model = task->model;
    tact_ilqr *ilqr = planner->ilqr;
    tact_residual_state at = {.q = state->q, .contacts = contacts, .kappa = task->options->kappa};
    tact_residual_sums sums = {.q = q_bar, .lambda = q_bar ? lambda_bar : NULL};
    tact_real sum = 0;
    bool placed = false;
    // in iLQR's backward pass the residuals' Hessians are gathered as well
    if (q_bar && planner->method == TACT_PLAN_ILQR) {
        sums.qq = ilqr->qq;
        sums.ll = ilqr->forces ? ilqr->ll : NULL;
        for (int i = 0; i < model->nv * model->nv; i++) ilqr->qq[i] = 0;
        for (int i = 0; i < 9 * model->npair && sums.ll; i++) ilqr->ll[i] = 0;
    }
    for (int i = 0; contacts && !q_bar && i < contacts->count; i++) planner->seen[contacts->contact[i].pair] = 1;
    for (int i = 0; i < task->nresidual; i++) {
        // residuals of this step, at the poses of the state
        const tact_residual *r = &task->residual[i];
        if (k < r->first || k > r->last) continue;
        if (!placed) tact_kinematics_update(&planner->residual.kinematics, model, state->q);
        placed = true;
        tact_real part = tact_residual_add(model, r, &at, &planner->residual, &sums);
        sum += part;
        if (q_bar || k < r->last) continue;
        // The error of the last step that counts, without its weight.
        planner->error[i] =
            r->weight > 0 ? tact_sqrt(2 * part / r->weight) : tact_residual_length(model, r, &at, &planner->residual);
    }
    return sum;
}

// Knot j + 1 by the feedback policy from the state at the beginning of its interval: w = w_of + a k + K (z - z_of), within the
// limits.
static void plan_decide(tact_planner *planner, int j, const tact_state *state) {
    tact_ilqr *ilqr = planner->ilqr;
    const tact_model *model = planner->task.model;
    int nu = model->nu, nv = model->nv, nz = ilqr->nz;
    const tact_real *q_of = ilqr->q_of + j * model->nq;
    if (ilqr->policy) {
        // z = (q, y): state and previous knot, relative to the iterate's
        tact_real *dz = ilqr->dz;
        tact_kinematics_update(&planner->residual.kinematics, model, q_of);
        tact_model_difference(model, &planner->residual.kinematics, q_of, state->q, dz);
        for (int i = 0; i < nu; i++) dz[nv + i] = j > 0 ? ilqr->trial[(j - 1) * nu + i] - ilqr->x[(j - 1) * nu + i] : 0;
        for (int at = j * nu; at < (j + 1) * nu; at++) {
            tact_real x = ilqr->x[at] + ilqr->length * ilqr->k[at];
            for (int l = 0; l < nz; l++) x += ilqr->K[at * nz + l] * dz[l];
            ilqr->trial[at] = tact_clamp(x, planner->lower[at], planner->upper[at]);
        }
    }
    // the state at the beginning of the interval is stored for the next policy
    for (int i = 0; i < model->nq; i++) ilqr->q[j * model->nq + i] = state->q[i];
    plan_set_knot(planner, ilqr->trial, j + 1);
}

static void plan_drive(void *context, int step, const tact_state *state, tact_input *input) {
    tact_planner *planner = context;
    if (planner->method == TACT_PLAN_ILQR) {
        // command of a step; a repeated step keeps its command
        tact_ilqr *ilqr = planner->ilqr;
        if (!(step < ilqr->driven)) {
            ilqr->driven = step + 1;
            for (; ilqr->decided <= planner->knot[step]; ilqr->decided++) plan_decide(planner, ilqr->decided, state);
            plan_set_command(planner, step);
        }
    }
    if (planner->task.drive) planner->task.drive(planner->task.context, step, state, input);
    input->u = planner->command + (size_t)step * (size_t)planner->task.model->nu;
}

static bool plan_go_back(void *context, tact_real loss) {
    tact_planner *planner = context;
    tact_ilqr *ilqr = planner->ilqr;
    // knots after the last step's interval
    for (; ilqr->decided < planner->task.knots; ilqr->decided++) plan_decide(planner, ilqr->decided, &planner->start);
    return loss + plan_add_effort(planner, NULL) <= planner->ilqr->most;
}

static void plan_linear(void *context, int k, const tact_work *work, tact_deriv_work *deriv) {
    tact_ilqr_condense(context, k, work, deriv);
}

tact_real tact_planner_roll(tact_planner *planner, const tact_real *x, tact_real most, tact_real *gradient) {
    TACT_ASSERT(planner && (x || planner->n == 0 || planner->method == TACT_PLAN_ILQR));
    const tact_plan_task *task = &planner->task;
    bool ilqr = planner->method == TACT_PLAN_ILQR;
    tact_rollout rollout = {.steps = task->horizon,
                            .u = ilqr ? NULL : planner->command,
                            .context = planner,
                            .drive = plan_drive,
                            .loss = plan_add_loss,
                            .go_back = ilqr ? plan_go_back : NULL,
                            .linear = ilqr && gradient ? plan_linear : NULL};
    tact_rollout_slope slope = {.u = gradient ? planner->command_bar : NULL};
    // commands: by the policy during the rollout, or from all knots at once
    tact_hold(task->model, &planner->start, planner->u);
    if (ilqr) {
        planner->ilqr->most = most;
        planner->ilqr->driven = planner->ilqr->decided = 0;
        if (!planner->ilqr->policy)
            for (int i = 0; i < planner->n; i++) planner->ilqr->trial[i] = x[i];
    } else {
        for (int j = 1; j <= task->knots; j++) plan_set_knot(planner, x, j);
        for (int k = 0; k < task->horizon; k++) plan_set_command(planner, k);
    }
    for (int i = 0; i < task->model->npair; i++) planner->seen[i] = 0;
    for (int i = 0; i < task->nresidual; i++) planner->error[i] = 0;
    // forward, and backward unless iLQR's value is too large to be accepted
    tact_rollout_result result =
        tact_rollout_gradient(task->model, task->options, &rollout, &planner->start, &planner->rollout, &slope);
    planner->status = result.status;
    planner->step = result.step;
    if (result.kinks > planner->kinks) planner->kinks = result.kinks;
    if (result.status < 0) return TACT_MAX;
    // gradient by steps to gradient by knots, with effort and posture
    bool back = gradient && (!ilqr || result.loss + plan_add_effort(planner, NULL) <= most);
    for (int i = 0; back && i < planner->n; i++) gradient[i] = 0;
    // effort h sum of the squared forces of all steps; its gradient goes to command_bar
    tact_real factor = task->effort * task->options->dt, effort = 0;
    int nu = task->model->nu;
    for (int k = 0; k < task->horizon; k++)
        for (int i = 0; i < nu; i++) {
            tact_real u = planner->command[(size_t)k * (size_t)nu + (size_t)i];
            // drives by position have their effort elsewhere
            if (!planner->force[i]) continue;
            effort += factor * u * u;
            if (back) planner->command_bar[(size_t)k * (size_t)nu + (size_t)i] += 2 * factor * u;
        }
    // gradient by the commands of all steps to that by the knots
    if (back) {
        for (int k = 0; k < planner->task.horizon; k++) {
            int knot = planner->knot[k];
            for (int i = 0; i < nu; i++) {
                tact_real bar = planner->command_bar[(size_t)k * (size_t)nu + (size_t)i] / planner->scale[i];
                int before = knot == 0 && planner->force[i] ? 0 : knot - 1;
                if (before >= 0) gradient[before * nu + i] += (1 - planner->part[k]) * bar;
                gradient[knot * nu + i] += planner->part[k] * bar;
            }
        }
    }
    return result.loss + effort + plan_add_effort(planner, back ? gradient : NULL);
}

tact_real tact_planner_value(tact_planner *planner, const tact_real *x, tact_real *gradient) {
    TACT_ASSERT(planner && x);
    planner->ilqr->policy = false;
    return tact_planner_roll(planner, x, TACT_MAX, gradient);
}

tact_real tact_planner_excess(const tact_planner *planner) {
    TACT_ASSERT(planner);
    const tact_plan_task *task = &planner->task;
    tact_real most = 0;
    for (int i = 0; i < task->nresidual; i++) {
        tact_real tolerance = task->residual[i].tolerance;
        if (tolerance < TACT_MAX) most = tact_max(most, planner->error[i] / tact_max(tolerance, TACT_EPS));
    }
    return most;
}

bool tact_plan_is_better(const tact_plan_result *a, const tact_plan_result *b) {
    TACT_ASSERT(a && b);
    if (a->status < 0 || b->status < 0) return a->status >= 0;
    return a->excess == b->excess || (a->excess <= 1 && b->excess <= 1) ? a->value < b->value : a->excess < b->excess;
}

tact_real tact_planner_slope(const tact_planner *planner, const tact_real *x, const tact_real *gradient) {
    tact_real most = 0;
    for (int i = 0; i < planner->n; i++) {
        bool held = (x[i] <= planner->lower[i] && gradient[i] > 0) || (x[i] >= planner->upper[i] && gradient[i] < 0);
        if (!held) most = tact_max(most, tact_fabs(gradient[i]));
    }
    return most;
}

bool tact_planner_go_on(tact_planner *planner, const tact_plan_options *options, tact_plan_judge *judge, tact_plan_result *result,
                        const tact_real *x) {
    TACT_ASSERT(planner && options && judge && result);
    int npair = planner->task.model->npair, period = result->method == TACT_PLAN_LBFGS ? PLAN_PERIOD : 1;
    // report, and count contacts that began and ended
    result->excess = tact_planner_excess(planner);
    tact_plan_progress progress = {.iteration = planner->iterations + result->iterations,
                                   .evaluations = planner->evaluations + result->evaluations,
                                   .value = result->value,
                                   .gradient = result->gradient,
                                   .excess = result->excess,
                                   .error = planner->error,
                                   .x = x};
    for (int i = 0; i < npair; i++) {
        result->jumps += result->iterations > 0 && planner->seen[i] != planner->seen_before[i];
        planner->seen_before[i] = planner->seen[i];
    }
    // where it goes on after a relaxation the iterate was told before
    bool again = planner->iterations > 0 && result->iterations == 0;
    bool wanted = again || !options->report || options->report(options->context, &progress);
    result->stopped = !wanted;
    if (!wanted) result->status = TACT_CONVERGED;
    if (!wanted || result->iterations % period > 0) return wanted;
    // slow: the value has fallen by less than a fraction over this many iterations
    tact_real gain = result->excess <= 1 ? options->gain_reached : options->gain_least;
    bool gained = result->iterations == 0 || judge->mark - result->value >= gain * tact_fabs(result->value);
    judge->idle = gained ? 0 : judge->idle + 1;
    judge->mark = result->value;
    result->slow = judge->idle >= (period > 1 ? 1 : options->idle);
    if (result->slow) result->status = TACT_CONVERGED;
    return !result->slow;
}

// Minimisation by gradients.
typedef struct {
    tact_planner *planner;
    const tact_plan_options *options;
    tact_plan_result *result;
    tact_plan_judge judge;
    int extra;  // rollouts for reports
} plan_descent;

static tact_real plan_evaluate(void *context, const tact_real *x, tact_real *gradient) {
    plan_descent *down = context;
    tact_real value = tact_planner_value(down->planner, x, gradient);
    return value < TACT_MAX ? value : 2 * value;  // infinite
}

// Preconditioner: the second differences of K knots from a fixed one have the inverse min(i, j): sums from the last to i, then
// from the first.
static void plan_precondition(void *context, tact_real *v) {
    const plan_descent *down = context;
    const tact_planner *planner = down->planner;
    int nu = planner->task.model->nu;
    for (int i = planner->n - nu - 1; i >= 0; i--)
        if (!planner->force[i % nu]) v[i] += v[i + nu];
    for (int i = nu; i < planner->n; i++)
        if (!planner->force[i % nu]) v[i] += v[i - nu];
}

static bool plan_report(void *context, const tact_lbfgs_progress *at) {
    plan_descent *down = context;
    tact_plan_result *result = down->result;
    // the last rollout is not always that of x
    tact_planner_value(down->planner, at->x, NULL);
    down->extra++;
    result->iterations = at->iteration;
    result->evaluations = at->evaluations;
    result->value = at->value;
    result->gradient = at->gradient;
    return tact_planner_go_on(down->planner, down->options, &down->judge, result, at->x);
}

// Minimises the plan's cost over the knots by L-BFGS.
static tact_plan_result plan_descend(tact_planner *planner, const tact_plan_options *options) {
    tact_plan_result result = {.status = TACT_ITERATION_LIMIT, .method = TACT_PLAN_LBFGS};
    plan_descent down = {.planner = planner, .options = options, .result = &result};
    // L-BFGS on the knots, with the inverse Hessian of the effort as initial metric
    tact_lbfgs_options limits = tact_lbfgs_options_default();
    tact_lbfgs_problem problem = {.n = planner->n,
                                  .lower = planner->lower,
                                  .upper = planner->upper,
                                  .context = &down,
                                  .evaluate = plan_evaluate,
                                  .precondition = plan_precondition,
                                  .report = plan_report};
    limits.iteration_limit = options->iteration_limit;
    limits.evaluation_limit = 20 * options->iteration_limit + 20;
    tact_lbfgs_result found = tact_lbfgs_minimise(planner->lbfgs, &problem, limits, planner->x);
    // the last rollout is made at the result itself
    result.step = planner->step;
    result.fault = found.fault;
    result.status = found.status < 0 && planner->status < 0 ? planner->status : found.status;
    if (found.status < 0) return result;
    result.iterations = found.iterations;
    result.evaluations = found.evaluations;
    result.value = found.value;
    result.gradient = found.gradient;
    tact_planner_value(planner, planner->x, NULL);
    result.excess = tact_planner_excess(planner);
    return result;
}

tact_plan_result tact_planner_search(tact_planner *planner, const tact_plan_options *options) {
    TACT_ASSERT(planner && options && options->iteration_limit >= 0);
    tact_plan_result result = {.status = TACT_BAD_INPUT, .fault = {"options.method", 0}};
    // method auto: the one for which there is memory, otherwise the better one for the task
    bool given = options->method == TACT_PLAN_AUTO && planner->room != TACT_PLAN_AUTO;
    tact_plan_method method = given ? planner->room : plan_choose(&planner->task, options->method);
    tact_plan_options left = *options;
    tact_real effort = planner->task.effort, posture = planner->task.posture;
    // start projected onto its bounds
    for (int i = 0; i < planner->n; i++) planner->x[i] = tact_clamp(planner->x[i], planner->lower[i], planner->upper[i]);
    if (!plan_has_room(planner, method)) return result;
    bool both = options->method == TACT_PLAN_AUTO && planner->task.options->anchor && plan_has_room(planner, TACT_PLAN_ILQR) &&
                planner->room == TACT_PLAN_AUTO;
    planner->iterations = planner->evaluations = planner->kinks = 0;
    // continuation: effort and posture are weighted by a tenth each time until the goal is met (excess <= 1)
    for (int relaxations = 0, jumps = 0, rejected = 0;; relaxations++) {
        planner->method = method;
        result = method == TACT_PLAN_LBFGS ? plan_descend(planner, &left) : tact_ilqr_search(planner, &left);
        bool numb = result.iterations == 0 && !(result.gradient > 0);
        planner->iterations = result.iterations += planner->iterations;
        planner->evaluations = result.evaluations += planner->evaluations;
        result.relaxations = relaxations;
        result.kinks = planner->kinks;
        result.both = both && relaxations > 0;
        result.jumps = jumps += result.jumps;
        result.rejected = rejected += result.rejected;
        left.iteration_limit = options->iteration_limit - result.iterations;
        if (result.status < 0 || result.excess <= 1 || result.stopped || numb) break;
        if (relaxations >= options->relaxations || left.iteration_limit <= 0) break;
        planner->task.effort /= 10;
        planner->task.posture /= 10;
        // where one method stalls the other may not
        if (both) method = method == TACT_PLAN_LBFGS ? TACT_PLAN_ILQR : TACT_PLAN_LBFGS;
    }
    // the task's own weights again
    planner->task.effort = effort;
    planner->task.posture = posture;
    // value with the effort requested
    if (result.status >= 0 && result.relaxations > 0) result.value = tact_planner_value(planner, planner->x, NULL);
    return result;
}
