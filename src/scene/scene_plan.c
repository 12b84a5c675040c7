// SPDX-License-Identifier: MIT
// A scene's goal as a task of the planner, with the scene's external forces.
#include "math/elementary.h"
#include "tact/keys.h"
#include "tact/memory.h"
#include "tact/scene.h"

// more is not taken to keep all steps for the pass back [bytes]
#define PLAN_MOST ((size_t)64 << 20)

typedef struct {
    tact_scene_plan *plan;
    const tact_plan_task *task;
    const tact_state *start;
    tact_plan_method method;
} plan_request;

static void drive(void *context, int step, const tact_state *state, tact_input *input) {
    tact_scene_plan *plan = context;
    (void)step;
    if (tact_scene_wrench(plan->scene, state, plan->wrench)) input->wrench = plan->wrench;
}

static void place(void *context, tact_arena *arena) {
    const plan_request *request = context;
    tact_scene_plan *plan = request->plan;
    const tact_model *model = request->task->model;
    size_t nu = (size_t)model->nu, knots = (size_t)request->task->knots,
           size = tact_planner_size(request->task, request->method, PLAN_MOST);
    plan->command = (tact_command){.mode = TACT_COMMAND_TRAJECTORY, .ntime = request->task->knots + 1};
    plan->command.times = tact_arena_take(arena, knots + 1, sizeof(tact_real));
    plan->command.u = tact_arena_take(arena, (knots + 1) * nu, sizeof(tact_real));
    plan->wrench = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_wrench));
    plan->row = tact_arena_take(arena, ((size_t)request->task->horizon + 1) * nu, sizeof(tact_real));
    void *memory = tact_arena_take(arena, size, 1);
    if (memory) tact_planner_init(&plan->planner, request->task, request->method, PLAN_MOST, request->start, memory, size);
}

bool tact_scene_plan_open(tact_scene_plan *plan, const tact_scene *scene, const tact_state *start, tact_plan_method method,
                          tact_fault *fault) {
    TACT_ASSERT(plan && scene && start && fault);
    const tact_goal *goal = &scene->goal;
    *plan = (tact_scene_plan){.scene = scene};
    tact_plan_task task = {.model = &scene->model,
                           .options = &scene->options,
                           .horizon = goal->horizon,
                           .knots = goal->knots,
                           .nresidual = goal->nresidual,
                           .residual = goal->residual,
                           .effort = goal->effort,
                           .posture = goal->posture,
                           .drive = drive,
                           .context = plan};
    // checked before memory is taken
    *fault = tact_plan_check(&task);
    if (fault->field) return false;
    plan_request request = {plan, &task, start, method};
    plan->memory = tact_memory_place(place, &request);
    if (!plan->memory) return false;
    tact_scene_plan_hold(plan);
    return true;
}

void tact_scene_plan_close(tact_scene_plan *plan) {
    tact_memory_release(plan->memory);
    *plan = (tact_scene_plan){0};
}

// What the scene commands at the times of all steps, from the start's coordinates; or of forces only.
static void take(tact_scene_plan *plan, bool all) {
    const tact_scene *scene = plan->scene;
    const tact_model *model = &scene->model;
    tact_planner *planner = &plan->planner;
    size_t nu = (size_t)model->nu;
    tact_state now = planner->start;
    for (int k = 0; k <= scene->goal.horizon; k++, now.time += scene->options.dt) {
        tact_real *row = plan->row + (size_t)k * nu;
        tact_scene_command(scene, &now, row);
        if (!all) tact_hold(model, &now, planner->u);
        for (int i = 0; i < (int)nu && !all; i++)
            if (!planner->force[i]) row[i] = planner->u[i];
    }
    tact_planner_take(planner, plan->row, scene->goal.horizon + 1);
}

void tact_scene_plan_hold(tact_scene_plan *plan) {
    take(plan, false);
}

void tact_scene_plan_take(tact_scene_plan *plan) {
    take(plan, true);
}

void tact_scene_plan_command(tact_scene_plan *plan) {
    tact_planner *planner = &plan->planner;
    const tact_plan_task *task = &planner->task;
    int nu = task->model->nu;
    tact_hold(task->model, &planner->start, plan->command.u);
    for (int j = 0; j <= task->knots; j++) {
        plan->command.times[j] = planner->times[j];
        for (int i = 0; i < nu; i++) {
            if (j > 0) plan->command.u[j * nu + i] = planner->x[(j - 1) * nu + i] / planner->scale[i];
            if (j == 0 && planner->force[i]) plan->command.u[i] = planner->x[i] / planner->scale[i];
        }
    }
}

// Whether a body is moved by drives only.
static bool is_driven(const tact_model *model, int body) {
    return body >= 0 && !model->loose[body] && model->path_start[body + 1] > model->path_start[body];
}

// The diameter of the ball about the origin of the goal's body that holds its shapes [m]; TACT_MAX: none is known.
static tact_real goal_size(const tact_scene *scene) {
    const tact_model *model = &scene->model;
    tact_real radius = 0;
    for (int i = 0; i < model->nshape; i++) {
        const tact_vec3 p = model->shape[i].place.p;
        if (scene->goal.body < 0 || model->shape[i].body != scene->goal.body) continue;
        radius = tact_max(radius, tact_sqrt(tact_vec3_dot(p, p)) + tact_contact_bound(&model->shape[i], p));
    }
    return radius > 0 && radius < TACT_MAX / 2 ? 2 * radius : TACT_MAX;
}

// At the start, the nearest pair of a driven body and one that is not, of those from a gap on; -1: there is none.
static int find_nearest(const tact_scene_plan *plan, tact_real from, tact_real *nearest) {
    const tact_model *model = &plan->scene->model;
    tact_kinematics kinematics = plan->planner.residual.kinematics;
    int pair = -1;
    tact_kinematics_update(&kinematics, model, plan->planner.start.q);
    for (int i = 0; i < model->npair && !model->planar; i++) {
        int a = model->shape[model->pair[i].a].body, b = model->shape[model->pair[i].b].body;
        bool mixed = (is_driven(model, a) && b >= 0 && model->loose[b]) || (is_driven(model, b) && a >= 0 && model->loose[a]);
        if (!mixed) continue;
        tact_real gap = tact_contact_gap(model, &kinematics, i);
        if (!(gap >= from) || (pair >= 0 && gap >= *nearest)) continue;
        pair = i;
        *nearest = gap;
    }
    return pair;
}

tact_advice tact_scene_plan_advise(const tact_scene_plan *plan, const tact_plan_result *result) {
    TACT_ASSERT(plan && plan->scene && result);
    const tact_scene *scene = plan->scene;
    bool barrier = scene->model.law->derivatives == TACT_DERIV_BARRIER;
    tact_advice advice = {.pair = -1, .margin = tact_margin(&scene->model, &scene->options)};
    // a slope below the rounding of the loss itself, in single precision that of the knots, is none
    advice.numb = result->iterations == 0 && result->gradient <= 16 * TACT_EPS * tact_fabs(result->value) &&
                  (result->status == TACT_CONVERGED || result->status == TACT_STATIONARY);
    advice.anchors = barrier && scene->options.anchor && result->kinks > 0;
    if (advice.numb) advice.pair = find_nearest(plan, advice.margin, &advice.gap);
    tact_real gap = 0;
    advice.far = find_nearest(plan, -TACT_MAX, &gap) < 0 || gap > goal_size(scene) / 4;
    // a force at the margin: 2/(kappa margin)
    advice.jump = 2 / (scene->options.kappa * advice.margin);
    advice.wanted_margin =
        (tact_real)tact_key_round((double)(advice.pair >= 0 ? advice.gap * TACT_REAL(1.5) : 2 * advice.margin), 2);
    advice.jumps = barrier && result->jumps > 0 && result->rejected > 0 && advice.wanted_margin <= goal_size(scene);
    return advice;
}
