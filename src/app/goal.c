// SPDX-License-Identifier: MIT
#include "app/goal.h"

#include <math.h>

#include "scene/memory.h"

enum { PAIRS = 20 };

// more is not taken to keep all steps for the pass back [bytes]
#define ROLLOUT_MOST ((size_t)64 << 20)

static size_t rollout_size(const tact_model *model, int steps) {
    size_t least = tact_rollout_size(model, steps, 0), all = tact_rollout_size(model, steps, steps);
    size_t most = all < ROLLOUT_MOST ? all : ROLLOUT_MOST;
    return least > most ? least : most;
}

static void place_plan(void *context, tact_arena *arena) {
    tact_goal_plan *plan = context;
    const tact_scene *scene = plan->scene;
    const tact_model *model = &scene->model;
    size_t n = (size_t)plan->n, nu = (size_t)model->nu, horizon = (size_t)scene->goal.horizon, knots = (size_t)scene->goal.knots;
    size_t state = tact_state_size(model), rollout = rollout_size(model, scene->goal.horizon);
    plan->x = tact_arena_take(arena, n, sizeof(tact_real));
    plan->lower = tact_arena_take(arena, n, sizeof(tact_real));
    plan->upper = tact_arena_take(arena, n, sizeof(tact_real));
    plan->scale = tact_arena_take(arena, nu, sizeof(tact_real));
    plan->force = tact_arena_take(arena, nu, sizeof(bool));
    plan->command.mode = TACT_COMMAND_TRAJECTORY;
    plan->command.ntime = scene->goal.knots + 1;
    plan->command.times = tact_arena_take(arena, knots + 1, sizeof(tact_real));
    plan->command.u = tact_arena_take(arena, (knots + 1) * nu, sizeof(tact_real));
    plan->u = tact_arena_take(arena, horizon * nu, sizeof(tact_real));
    plan->u_bar = tact_arena_take(arena, horizon * nu, sizeof(tact_real));
    plan->wrench = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_wrench));
    tact_kinematics_place(&plan->kinematics, model, arena);
    tact_lbfgs_place(&plan->lbfgs, plan->n, PAIRS, arena);
    void *state_memory = tact_arena_take(arena, state, 1), *rollout_memory = tact_arena_take(arena, rollout, 1);
    if (!state_memory || !rollout_memory) return;
    tact_state_init(&plan->start, model, state_memory, state);
    tact_rollout_init(&plan->rollout, model, scene->goal.horizon, rollout_memory, rollout);
}

// A force begins as the scene commands it, and has no bounds; it counts by its square over time.
static void set_force(tact_goal_plan *plan, const tact_dof *dof) {
    const tact_scene *scene = plan->scene;
    int nu = scene->model.nu, knots = scene->goal.knots;
    tact_real duration = (tact_real)scene->goal.horizon * scene->options.dt;
    tact_real scale = (tact_real)sqrt((double)(duration / (tact_real)knots));
    plan->scale[dof->u] = scale;
    plan->force[dof->u] = true;
    for (int k = 0; k < knots; k++) {
        tact_state now = plan->start;
        now.time += duration * (tact_real)(k + 1) / (tact_real)knots;
        tact_scene_command(scene, &now, plan->u);
        plan->x[k * nu + dof->u] = scale * plan->u[dof->u];
        plan->lower[k * nu + dof->u] = -TACT_MAX;
        plan->upper[k * nu + dof->u] = TACT_MAX;
    }
}

// Driven dofs have limits of one coordinate, or none.
static void set_bounds(tact_goal_plan *plan) {
    const tact_model *model = &plan->scene->model;
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->u < 0) continue;
        if (dof->force) set_force(plan, dof);
        if (dof->force) continue;
        plan->force[dof->u] = false;
        // a drive on a sum of coordinates has no limits
        bool sum = dof->stiffness == 0;
        tact_real stiffness = dof->stiffness, at = plan->start.q[dof->q];
        for (int s = 0; s < model->nspring && sum; s++)
            if (model->spring[s].u == dof->u) stiffness = model->spring[s].stiffness;
        if (sum) {
            tact_hold(model, &plan->start, plan->command.u);
            at = plan->command.u[dof->u];
        }
        tact_real scale = (tact_real)sqrt((double)stiffness);
        plan->scale[dof->u] = scale;
        for (int k = 0; k < plan->scene->goal.knots; k++) {
            int i = k * model->nu + dof->u;
            plan->x[i] = scale * at;
            plan->lower[i] = !sum && dof->lower > -TACT_MAX ? scale * dof->lower : -TACT_MAX;
            plan->upper[i] = !sum && dof->upper < TACT_MAX ? scale * dof->upper : TACT_MAX;
        }
        plan->command.u[dof->u] = at;
    }
}

bool tact_goal_plan_make(tact_goal_plan *plan, const tact_scene *scene, const tact_state *start) {
    *plan = (tact_goal_plan){.scene = scene, .n = scene->goal.knots * scene->model.nu};
    plan->memory = tact_memory_place(place_plan, plan);
    if (!plan->memory) return false;
    tact_state_copy(&plan->start, start, &scene->model);
    set_bounds(plan);
    tact_real duration = (tact_real)scene->goal.horizon * scene->options.dt;
    for (int k = 0; k <= scene->goal.knots; k++)
        plan->command.times[k] = start->time + duration * (tact_real)k / (tact_real)scene->goal.knots;
    tact_goal_plan_command(plan, plan->x);
    return true;
}

void tact_goal_plan_free(tact_goal_plan *plan) {
    tact_memory_release(plan->memory);
    *plan = (tact_goal_plan){0};
}

void tact_goal_plan_command(tact_goal_plan *plan, const tact_real *x) {
    int nu = plan->scene->model.nu;
    for (int i = 0; i < plan->n; i++) {
        int knot = i / nu + 1, dof = i % nu;
        plan->command.u[knot * nu + dof] = x[i] / plan->scale[dof];
        // before the first knot a force is that of the first
        if (knot == 1 && plan->force[dof]) plan->command.u[dof] = x[i] / plan->scale[dof];
    }
}

static tact_vec3 find_way(const tact_scene *scene, tact_kinematics *kinematics, const tact_real *q) {
    tact_kinematics_update(kinematics, &scene->model, q);
    return tact_vec3_sub(kinematics->pose[scene->goal.body].p, scene->goal.position);
}

tact_real tact_goal_distance(const tact_scene *scene, tact_kinematics *kinematics, const tact_real *q) {
    tact_vec3 way = find_way(scene, kinematics, q);
    return (tact_real)sqrt((double)tact_vec3_dot(way, way));
}

static tact_real add_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                          tact_real *lambda_bar) {  // NOLINT(readability-non-const-parameter): the type of a loss
    tact_goal_plan *plan = context;
    const tact_goal *goal = &plan->scene->goal;
    const tact_model *model = &plan->scene->model;
    tact_real weight = k == goal->horizon ? goal->weight : 0;
    (void)contacts, (void)lambda_bar;
    if (k > 0) weight += goal->path / (tact_real)goal->horizon;
    if (!(weight > 0)) return 0;
    tact_vec3 way = find_way(plan->scene, &plan->kinematics, state->q), p = plan->kinematics.pose[goal->body].p;
    for (int i = model->path_start[goal->body]; q_bar && i < model->path_start[goal->body + 1]; i++) {
        int motion = model->path[i];
        q_bar[model->motion[motion].dof] += 2 * weight * tact_vec3_dot(way, tact_motion_velocity(&plan->kinematics, motion, p));
    }
    return weight * tact_vec3_dot(way, way);
}

// The commands of all steps, at the times that a run of the scene has; with gather the way back: u_bar to the knots.
static void play_commands(tact_goal_plan *plan, tact_real *gather) {
    const tact_command *command = &plan->command;
    tact_real t = plan->start.time;
    size_t nu = (size_t)plan->scene->model.nu;
    int knot = 0;
    tact_scene played = *plan->scene;
    played.command = *command;
    for (int k = 0; k < plan->scene->goal.horizon; k++, t += plan->scene->options.dt) {
        size_t row = (size_t)k * nu;
        tact_state now = {.time = t};
        if (!gather) {
            tact_scene_command(&played, &now, plan->u + row);
            continue;
        }
        while (knot < command->ntime - 2 && command->times[knot + 1] <= t) knot++;
        tact_real part = (t - command->times[knot]) / (command->times[knot + 1] - command->times[knot]);
        part = part > 1 ? 1 : part;
        for (size_t i = 0; i < nu; i++) {
            tact_real bar = plan->u_bar[row + i] / plan->scale[i];
            int before = knot == 0 && plan->force[i] ? 0 : knot - 1;
            if (before >= 0) gather[(size_t)before * nu + i] += (1 - part) * bar;
            gather[(size_t)knot * nu + i] += part * bar;
        }
    }
}

static void push(void *context, int step, const tact_state *state, tact_input *input) {
    tact_goal_plan *plan = context;
    (void)step;
    if (tact_scene_wrench(plan->scene, state, plan->wrench)) input->wrench = plan->wrench;
}

// effort h sum of the squared forces of all steps; the slope goes to u_bar
static tact_real add_force_effort(const tact_goal_plan *plan, bool slope) {
    tact_real factor = plan->scene->goal.effort * plan->scene->options.dt, sum = 0;
    int nu = plan->scene->model.nu;
    for (int i = 0; i < nu * plan->scene->goal.horizon; i++) {
        if (!plan->force[i % nu]) continue;
        sum += factor * plan->u[i] * plan->u[i];
        if (slope) plan->u_bar[i] += 2 * factor * plan->u[i];
    }
    return sum;
}

static tact_real add_effort(const tact_goal_plan *plan, tact_real *gradient) {
    tact_real factor = plan->scene->goal.effort * (tact_real)plan->scene->goal.knots, sum = 0;
    const tact_real *u = plan->command.u;
    int nu = plan->scene->model.nu;
    for (int i = 0; i < plan->n; i++) {
        if (plan->force[i % nu]) continue;
        tact_real scale = plan->scale[i % nu], change = scale * (u[nu + i] - u[i]);
        sum += factor * change * change;
        if (!gradient) continue;
        gradient[i] += 2 * factor * change;
        if (i >= nu) gradient[i - nu] -= 2 * factor * change;
    }
    return sum;
}

// The second differences of K knots from a fixed one have the inverse min(i, j): sums from the last to i, then from the first.
void tact_goal_plan_precondition(const tact_goal_plan *plan, tact_real *v) {
    int nu = plan->scene->model.nu;
    for (int i = plan->n - nu - 1; i >= 0; i--)
        if (!plan->force[i % nu]) v[i] += v[i + nu];
    for (int i = nu; i < plan->n; i++)
        if (!plan->force[i % nu]) v[i] += v[i - nu];
}

tact_real tact_goal_plan_value(tact_goal_plan *plan, const tact_real *x, tact_real *gradient) {
    tact_rollout rollout = {.steps = plan->scene->goal.horizon, .u = plan->u, .context = plan, .drive = push, .loss = add_loss};
    tact_rollout_slope slope = {.u = gradient ? plan->u_bar : NULL};
    tact_goal_plan_command(plan, x);
    play_commands(plan, NULL);
    tact_rollout_result result =
        tact_rollout_gradient(&plan->scene->model, &plan->scene->options, &rollout, &plan->start, &plan->rollout, &slope);
    plan->status = result.status;
    plan->step = result.step;
    if (result.status < 0) return (tact_real)INFINITY;
    for (int i = 0; gradient && i < plan->n; i++) gradient[i] = 0;
    tact_real effort = add_force_effort(plan, gradient != NULL);
    if (gradient) play_commands(plan, gradient);
    return result.loss + effort + add_effort(plan, gradient);
}
