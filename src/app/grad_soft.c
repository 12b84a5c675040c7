// SPDX-License-Identifier: MIT
#include "app/grad_soft.h"

#include "scene/memory.h"

typedef struct {
    tact_grad_soft *soft;
    tact_world *world;
    bool whole;
    tact_real *change;  // (columns, 4 nv) of q, v, q', v' before a step
    tact_real *unit;    // (nv or nu)
} soft_job;

static size_t place_soft(soft_job *job, void *memory) {
    const tact_model *model = &job->world->scene->model;
    tact_grad_soft *soft = job->soft;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, columns = (size_t)soft->columns, state = tact_state_size(model);
    tact_arena arena = {.memory = memory, .size = SIZE_MAX};
    void *before = tact_arena_take(&arena, state, 1);
    soft->q = tact_arena_take(&arena, columns * nv, sizeof(tact_real));
    soft->v = tact_arena_take(&arena, columns * nv, sizeof(tact_real));
    soft->lambda = tact_arena_take(&arena, columns * 3 * (size_t)model->npair, sizeof(tact_real));
    job->change = tact_arena_take(&arena, columns * 4 * nv, sizeof(tact_real));
    job->unit = tact_arena_take(&arena, nv + nu, sizeof(tact_real));
    if (memory) tact_state_init(&soft->before, model, before, state);
    return arena.used;
}

static void clear(tact_real *x, size_t count) {
    for (size_t i = 0; i < count; i++) x[i] = 0;
}

// What one column changes of the commands, in job->unit; NULL: nothing.
static const tact_real *find_command(const soft_job *job, int column, const tact_real *change) {
    const tact_scene *scene = job->world->scene;
    int nv = scene->model.nv, shifted = column - 2 * nv;
    bool follows = job->whole && scene->command.mode == TACT_COMMAND_HOLD;
    clear(job->unit, (size_t)scene->model.nu);
    for (int i = 0; i < nv; i++) {
        const tact_dof *dof = &scene->model.dof[i];
        if (dof->u >= 0 && follows && !dof->force) job->unit[dof->u] += change[i];
    }
    if (shifted >= 0 && shifted < scene->model.nu) job->unit[shifted] += 1;
    return job->unit;
}

// One step further: columns of q, v from those of the change before.
static tact_status push_columns(soft_job *job) {
    tact_world *world = job->world;
    const tact_scene *scene = world->scene;
    const tact_model *model = &scene->model;
    tact_grad_soft *soft = job->soft;
    size_t nv = (size_t)model->nv, nl = 3 * (size_t)world->work.contacts.count;
    tact_input input = {.u = world->u, .wrench = scene->nforce > 0 ? world->wrench : NULL};
    tact_status worst = TACT_CONVERGED;
    for (int c = 0; c < soft->columns; c++) {
        tact_real *x = job->change + 4 * nv * (size_t)c;
        tact_virtual_change change = {.q = x, .v = x + nv, .q_past = x + 2 * nv, .v_past = x + 3 * nv};
        tact_virtual_effect effect = {soft->q + nv * (size_t)c, soft->v + nv * (size_t)c, soft->lambda + nl * (size_t)c};
        int force = c - 2 * model->nv - model->nu;
        change.u = find_command(job, c, x);
        if (force >= 0) {
            clear(job->unit, nv + (size_t)model->nu);
            job->unit[force] = 1;
            change.force = job->unit;
            change.u = NULL;
        }
        tact_status status =
            tact_virtual_differentiate(model, &scene->options, &input, &soft->before, &world->work, &change, &effect);
        if (status < 0) return status;
        if (status != TACT_CONVERGED) worst = status;
    }
    return worst;
}

// The state that a step led to is that before the next.
static void carry_columns(soft_job *job) {
    size_t nv = (size_t)job->world->scene->model.nv;
    for (int c = 0; c < job->soft->columns; c++) {
        tact_real *x = job->change + 4 * nv * (size_t)c;
        for (size_t i = 0; i < nv; i++) {
            x[2 * nv + i] = x[i];
            x[3 * nv + i] = x[nv + i];
            x[i] = job->soft->q[nv * (size_t)c + i];
            x[nv + i] = job->soft->v[nv * (size_t)c + i];
        }
    }
}

bool tact_grad_soft_make(tact_grad_soft *soft, tact_world *world, int steps, bool whole) {
    const tact_model *model = &world->scene->model;
    *soft = (tact_grad_soft){.status = TACT_CONVERGED, .columns = (whole ? 2 : 3) * model->nv + model->nu};
    soft_job job = {.soft = soft, .world = world, .whole = whole};
    size_t size = place_soft(&job, NULL), nv = (size_t)model->nv;
    soft->memory = size < SIZE_MAX ? tact_memory_get(size) : NULL;
    if (!soft->memory) return false;
    place_soft(&job, soft->memory);
    clear(job.change, 4 * nv * (size_t)soft->columns);
    for (size_t i = 0; i < 2 * nv; i++) job.change[4 * nv * i + i] = 1;
    while (soft->steps < steps && soft->status >= 0) {
        tact_state_copy(&soft->before, &world->state, model);
        tact_status status = tact_world_step(world);
        bool last = ++soft->steps == steps;
        if (status >= 0 && (whole || last)) {
            tact_status linear = push_columns(&job);
            if (linear < 0 || status == TACT_CONVERGED) status = linear;
        }
        if (status != TACT_CONVERGED && (status != TACT_HELD || soft->status == TACT_CONVERGED)) soft->status = status;
        if (whole && !last && status >= 0) carry_columns(&job);
    }
    return true;
}

void tact_grad_soft_free(tact_grad_soft *soft) {
    tact_memory_release(soft->memory);
    *soft = (tact_grad_soft){0};
}

// columns from first on, as a matrix row by row
static void add_matrix(tact_text *out, const char *key, const tact_real *columns, int rows, int first, int count) {
    tact_text_add(out, ",\"");
    tact_text_add(out, key);
    tact_text_add(out, "\":[");
    for (int i = 0; i < rows; i++)
        for (int c = first; c < first + count; c++) {
            if (i > 0 || c > first) tact_text_add(out, ",");
            tact_text_add_number(out, (double)columns[(size_t)c * (size_t)rows + (size_t)i]);
        }
    tact_text_add(out, "]");
}

void tact_grad_soft_print(const tact_grad_soft *soft, const tact_world *world, bool whole, tact_text *out) {
    int nv = world->scene->model.nv, nu = world->scene->model.nu, nl = 3 * world->work.contacts.count;
    add_matrix(out, "A", soft->q, nv, 0, nv);
    add_matrix(out, "B", soft->q, nv, 2 * nv, nu);
    add_matrix(out, "C", soft->lambda, nl, 0, nv);
    add_matrix(out, "D", soft->lambda, nl, 2 * nv, nu);
    add_matrix(out, "A_qv", soft->q, nv, nv, nv);
    add_matrix(out, "A_vq", soft->v, nv, 0, nv);
    add_matrix(out, "A_vv", soft->v, nv, nv, nv);
    add_matrix(out, "B_v", soft->v, nv, 2 * nv, nu);
    if (whole) return;
    add_matrix(out, "F", soft->q, nv, 2 * nv + nu, nv);
    add_matrix(out, "F_v", soft->v, nv, 2 * nv + nu, nv);
}
