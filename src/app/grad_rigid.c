// SPDX-License-Identifier: MIT
// tact grad under the rigid law: the state is (q, v), and so are the rows of A and B and the columns of A and C.
#include "app/grad_rigid.h"

#include "app/app.h"
#include "scene/memory.h"
#include "tact/deriv.h"
#include "trace/names.h"

typedef struct {
    tact_world *world;
    const tact_model *model;
    tact_state before;
    tact_input input;
    tact_rigid_deriv deriv;
    tact_jacobians jacobians;
    tact_real *dx, *dlambda;  // (2 nv), (3 npair) of a parameter
    tact_text out;
} rigid_job;

static size_t place_rigid(rigid_job *job, void *memory) {
    const tact_model *model = job->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, nl = 3 * (size_t)model->npair;
    size_t state = tact_state_size(model), deriv = tact_rigid_deriv_size(model);
    tact_arena arena = {.memory = memory, .size = SIZE_MAX};
    void *before = tact_arena_take(&arena, state, 1), *linear = tact_arena_take(&arena, deriv, 1);
    job->jacobians.A = tact_arena_take(&arena, 4 * nv * nv, sizeof(tact_real));
    job->jacobians.B = tact_arena_take(&arena, 2 * nv * nu, sizeof(tact_real));
    job->jacobians.C = tact_arena_take(&arena, 2 * nl * nv, sizeof(tact_real));
    job->jacobians.D = tact_arena_take(&arena, nl * nu, sizeof(tact_real));
    job->dx = tact_arena_take(&arena, 2 * nv, sizeof(tact_real));
    job->dlambda = tact_arena_take(&arena, nl, sizeof(tact_real));
    if (!memory) return arena.used;
    tact_state_init(&job->before, model, before, state);
    tact_rigid_deriv_init(&job->deriv, model, linear, deriv);
    return arena.used;
}

static void add_array(tact_text *out, const char *key, const tact_real *x, int count) {
    tact_text_add(out, ",\"");
    tact_text_add(out, key);
    tact_text_add(out, "\":");
    tact_text_add_vector(out, x, (size_t)count);
}

static void add_dof_names(const tact_model *model, const char *key, bool driven, tact_text *out) {
    const char *before = "[";
    tact_text_add(out, key);
    for (int i = 0; i < model->nv; i++) {
        if (driven && model->dof[i].u < 0) continue;
        tact_text_add(out, before);
        tact_text_add_json(out, tact_dof_name(model, i).text);
        before = ",";
    }
    tact_text_add(out, *before == '[' ? "[]" : "]");
}

static void add_parameter(rigid_job *job, tact_parameter parameter, const char *key, const char *name, bool *first) {
    tact_text *out = &job->out;
    int nv = job->model->nv;
    tact_rigid_parameter(&job->deriv, parameter, job->dx, job->dx + nv, job->dlambda);
    tact_text_add(out, *first ? "{\"" : ",{\"");
    tact_text_add(out, key);
    tact_text_add(out, "\":");
    tact_text_add_json(out, name);
    if (parameter.kind == TACT_PARAMETER_FORCE) {
        tact_text_add(out, ",\"axis\":");
        tact_text_add_integer(out, parameter.component);
    }
    add_array(out, "dq", job->dx, nv);
    add_array(out, "dv", job->dx + nv, nv);
    add_array(out, "dlambda", job->dlambda, 3 * job->world->work.contacts.count);
    tact_text_add(out, "}");
    *first = false;
}

static void add_body_parameters(rigid_job *job) {
    const tact_model *model = job->model;
    bool first = true;
    tact_text_add(&job->out, "],\"mass\":[");
    for (int b = 0; b < model->nbody; b++) {
        bool moves = model->path_start[b + 1] > model->path_start[b];
        tact_parameter mass = {.kind = TACT_PARAMETER_MASS, .index = b};
        if (moves) add_parameter(job, mass, "body", tact_body_name(model, b).text, &first);
    }
    tact_text_add(&job->out, "],\"stiffness\":[");
    first = true;
    for (int i = 0; i < model->nv; i++) {
        tact_parameter stiffness = {.kind = TACT_PARAMETER_STIFFNESS, .index = i};
        if (model->dof[i].u >= 0) add_parameter(job, stiffness, "dof", tact_dof_name(model, i).text, &first);
    }
    tact_text_add(&job->out, "],\"force\":[");
    first = true;
    for (int b = 0; b < model->nbody; b++)
        for (int k = 0; k < 3 && model->path_start[b + 1] > model->path_start[b]; k++) {
            tact_parameter force = {.kind = TACT_PARAMETER_FORCE, .index = b, .component = k};
            add_parameter(job, force, "body", tact_body_name(model, b).text, &first);
        }
    tact_text_add(&job->out, "]}");
}

static void add_all(rigid_job *job) {
    const tact_model *model = job->model;
    const tact_contacts *contacts = &job->world->work.contacts;
    int nv = model->nv, nu = model->nu, nl = 3 * contacts->count;
    tact_text *out = &job->out;
    tact_text_add(out, job->deriv.kink ? ",\"kink\":true" : ",\"kink\":false");
    tact_text_add(out, job->deriv.redundant ? ",\"redundant\":true,\"contacts\":[" : ",\"redundant\":false,\"contacts\":[");
    for (int c = 0; c < contacts->count; c++) {
        const tact_pair *pair = &model->pair[contacts->contact[c].pair];
        tact_text_add(out, c > 0 ? ",{\"a\":" : "{\"a\":");
        tact_text_add_json(out, tact_shape_name(model, pair->a).text);
        tact_text_add(out, ",\"b\":");
        tact_text_add_json(out, tact_shape_name(model, pair->b).text);
        tact_text_add(out, "}");
    }
    tact_text_add(out, "]");
    add_array(out, "A", job->jacobians.A, 4 * nv * nv);
    add_array(out, "B", job->jacobians.B, 2 * nv * nu);
    add_array(out, "C", job->jacobians.C, 2 * nl * nv);
    add_array(out, "D", job->jacobians.D, nl * nu);
    tact_text_add(out, ",\"parameters\":{\"mu\":[");
    bool first = true;
    for (int c = 0; c < contacts->count; c++) {
        int pair = contacts->contact[c].pair;
        tact_parameter mu = {.kind = TACT_PARAMETER_MU, .index = pair};
        add_parameter(job, mu, "shape", tact_shape_name(model, model->pair[pair].b).text, &first);
    }
    add_body_parameters(job);
}

static tact_status step_all(rigid_job *job, long long steps, long long *done) {
    const tact_scene *scene = job->world->scene;
    tact_status status = TACT_CONVERGED;
    for (*done = 0; *done < steps && status >= 0; ++*done) {
        if (*done == steps - 1) tact_state_copy(&job->before, &job->world->state, job->model);
        status = tact_world_step(job->world);
    }
    if (status < 0) return status;
    job->input = (tact_input){.u = job->world->u, .wrench = scene->nforce > 0 ? job->world->wrench : NULL};
    tact_rigid_record made = {job->model, &scene->options, &job->input, &job->before, &job->world->state, &job->world->work};
    tact_status linear = tact_rigid_linearise(&job->deriv, &made);
    if (linear >= 0) linear = tact_rigid_matrices(&job->deriv, &job->jacobians);
    return linear < 0 ? linear : status;
}

int tact_grad_rigid(tact_world *world, long long steps) {
    rigid_job job = {.world = world, .model = &world->scene->model};
    long long done = 0;
    size_t size = place_rigid(&job, NULL);
    void *memory = size < SIZE_MAX ? tact_memory_get(size) : NULL;
    if (!memory) {
        tact_say("out of memory");
        return TACT_EXIT_NO_MEMORY;
    }
    place_rigid(&job, memory);
    tact_status status = step_all(&job, steps, &done);
    tact_text_add(&job.out, "{\"step\":");
    tact_text_add_integer(&job.out, done);
    tact_text_add(&job.out, ",\"status\":");
    tact_text_add_json(&job.out, tact_status_name(status));
    add_dof_names(job.model, ",\"dofs\":", false, &job.out);
    add_dof_names(job.model, ",\"driven\":", true, &job.out);
    if (status >= 0) add_all(&job);
    tact_text_add(&job.out, "}\n");
    int code = tact_print_text(&job.out, status == TACT_CONVERGED ? TACT_EXIT_DONE : TACT_EXIT_UNSOLVED);
    tact_memory_release(memory);
    return code;
}
