// SPDX-License-Identifier: MIT
// One adjoint for each row: with g the derivative of an output by the state k + 1,
//
//     (g, h) <- pullback of step k (g) ,   g += S'h where commands hold the coordinates S q ,   sum of all h: the shift
//
// All rows go back together, so that a step is made again and linearised once. The state is q and the anchors.
#include "app/grad_run.h"

#include "app/console.h"
#include "deriv/adjoint.h"
#include "scene/memory.h"

typedef struct {
    tact_world *world;
    tact_grad_run *run;
    int rows;
    tact_state *kept;  // (steps + 1)
    tact_deriv_work deriv;
    tact_vec3 *anchor;  // (rows, npair) of each row
    tact_vec3 *normal;  // (rows, npair)
    tact_anchor_adjoint scratch;
    tact_real *q_next, *lambda, *u;  // (nv), (npair, 3), (nu)
} grad_job;

// All memory, or its size. The rows are as many as there can be contacts.
static size_t place_job(grad_job *job, int steps, void *memory) {
    const tact_model *model = &job->world->scene->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, npair = (size_t)model->npair, rows = nv + 3 * npair;
    size_t state = tact_state_size(model), deriv = tact_deriv_size(model);
    tact_arena arena = {.memory = memory, .size = SIZE_MAX};
    job->kept = tact_arena_take(&arena, (size_t)steps + 1, sizeof(tact_state));
    for (int k = 0; k <= steps; k++) {
        void *own = tact_arena_take(&arena, state, 1);
        if (memory) tact_state_init(&job->kept[k], model, own, state);
    }
    void *linear = tact_arena_take(&arena, deriv, 1);
    job->run->by_q = tact_arena_take(&arena, rows * nv, sizeof(tact_real));
    job->run->by_u = tact_arena_take(&arena, rows * nu, sizeof(tact_real));
    job->run->pair = tact_arena_take(&arena, npair, sizeof(int));
    job->anchor = tact_arena_take(&arena, rows * npair, sizeof(tact_vec3));
    job->normal = tact_arena_take(&arena, rows * npair, sizeof(tact_vec3));
    job->scratch.slip = tact_arena_take(&arena, 3 * npair, sizeof(tact_real));
    job->scratch.loaded = tact_arena_take(&arena, npair, sizeof(tact_real));
    job->scratch.seed = tact_arena_take(&arena, nv, sizeof(tact_real));
    job->scratch.direct = tact_arena_take(&arena, nv, sizeof(tact_real));
    job->q_next = tact_arena_take(&arena, nv, sizeof(tact_real));
    job->lambda = tact_arena_take(&arena, 3 * npair, sizeof(tact_real));
    job->u = tact_arena_take(&arena, nu, sizeof(tact_real));
    if (memory) tact_deriv_init(&job->deriv, model, linear, deriv);
    return arena.used;
}

static void step_forward(grad_job *job, int steps) {
    tact_world *world = job->world;
    tact_grad_run *run = job->run;
    while (run->steps < steps && run->status >= 0) {
        tact_state_copy(&job->kept[run->steps], &world->state, &world->scene->model);
        tact_status status = tact_world_step(world);
        if (status != TACT_CONVERGED) run->status = status;
        run->steps++;
    }
    if (run->status >= 0) tact_state_copy(&job->kept[run->steps], &world->state, &world->scene->model);
}

// The units of which each row is the derivative.
static void seed_rows(grad_job *job) {
    const tact_model *model = &job->world->scene->model;
    size_t nv = (size_t)model->nv, rows = (size_t)job->rows;
    for (size_t i = 0; i < rows * nv; i++) job->run->by_q[i] = 0;
    for (size_t i = 0; i < rows * (size_t)model->nu; i++) job->run->by_u[i] = 0;
    for (size_t i = 0; i < nv; i++) job->run->by_q[i * nv + i] = 1;
    for (size_t i = 0; i < rows * (size_t)model->npair; i++) job->anchor[i] = job->normal[i] = tact_vec3_make(0, 0, 0);
}

static void pull_row(grad_job *job, int row, bool last, const tact_rollout_slot *slot) {
    const tact_scene *scene = job->world->scene;
    const tact_model *model = &scene->model;
    const tact_state *next = &job->world->state;
    tact_real *by_q = job->run->by_q + (size_t)row * (size_t)model->nv, *by_u = job->run->by_u + (size_t)row * (size_t)model->nu;
    tact_anchor_adjoint adjoint = job->scratch;
    adjoint.anchor = job->anchor + (size_t)row * (size_t)model->npair;
    adjoint.normal = job->normal + (size_t)row * (size_t)model->npair;
    for (int i = 0; i < model->nv; i++) job->q_next[i] = by_q[i];
    for (int i = 0; i < 3 * slot->work.contacts.count; i++) job->lambda[i] = last && model->nv + i == row;
    tact_anchor_step anchors = {model, &scene->options, slot, &job->deriv, next};
    if (scene->options.anchor) tact_anchor_adjoint_begin(&anchors, &adjoint, job->q_next, job->lambda);
    tact_deriv_pullback(model, &slot->work, &job->deriv, (tact_deriv_seed){job->q_next, job->lambda}, by_q, job->u);
    if (scene->options.anchor) tact_anchor_adjoint_end(&anchors, &adjoint, by_q);
    for (int i = 0; i < model->nv; i++) {
        int u = model->dof[i].u;
        if (u < 0) continue;
        by_u[u] += job->u[u];
        if (scene->command.mode == TACT_COMMAND_HOLD) by_q[i] += job->u[u];
    }
}

static void step_back(grad_job *job, int k) {
    tact_world *world = job->world;
    const tact_scene *scene = world->scene;
    tact_state_copy(&world->state, &job->kept[k], &scene->model);
    tact_world_step(world);
    // the forces of that time, which the step left in place
    tact_input input = {.u = world->u, .wrench = scene->nforce > 0 ? world->wrench : NULL};
    tact_rollout_slot slot = {.before = job->kept[k], .work = world->work};
    tact_status status = tact_deriv_linearise(&scene->model, &scene->options, &input, &job->kept[k], &world->work, &job->deriv);
    if (status < 0) {
        job->run->status = status;
        return;
    }
    job->run->kinks += job->deriv.kink;
    for (int row = 0; row < job->rows; row++) pull_row(job, row, k == job->run->steps - 1, &slot);
}

bool tact_grad_run_make(tact_grad_run *run, tact_world *world, int steps, bool frozen) {
    const tact_model *model = &world->scene->model;
    grad_job job = {.world = world, .run = run};
    *run = (tact_grad_run){.status = TACT_CONVERGED};
    size_t size = place_job(&job, steps, NULL);
    run->memory = size < SIZE_MAX ? tact_memory_get(size) : NULL;
    if (!run->memory) return false;
    place_job(&job, steps, run->memory);
    job.deriv.frozen_geometry = frozen;
    step_forward(&job, steps);
    if (run->status < 0) return true;
    run->nc = world->work.contacts.count;
    for (int c = 0; c < run->nc; c++) run->pair[c] = world->work.contacts.contact[c].pair;
    job.rows = model->nv + 3 * run->nc;
    seed_rows(&job);
    tact_progress progress;
    tact_progress_begin(&progress, steps, true);
    for (int k = run->steps - 1; k >= 0 && run->status >= 0; k--) {
        step_back(&job, k);
        tact_progress_show(&progress, steps - k);
    }
    tact_progress_end(&progress);
    return true;
}

void tact_grad_run_free(tact_grad_run *run) {
    tact_memory_release(run->memory);
    *run = (tact_grad_run){.status = TACT_CONVERGED};
}
