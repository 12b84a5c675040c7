// SPDX-License-Identifier: MIT
#include "app/qcqp_scene.h"

#include <math.h>

#include "app/stage.h"
#include "scene/memory.h"
#include "scene/quote.h"
#include "tact/trajectory.h"
#include "trace/names.h"
#include "trace/write.h"

typedef struct {
    const tact_call *call;
    tact_world world;
    tact_trajectory_task task;
    tact_trajectory trajectory;
    tact_qcqp_solution solution;
    bool *reach;
    tact_real *target;
    tact_output trace;
    void *memory[3];
} passage;

static int say_no_memory(void) {
    tact_say("qcqp: error: out of memory");
    return TACT_EXIT_NO_MEMORY;
}

static void *take_memory(passage *p, int block, size_t size) {
    if (size < SIZE_MAX) p->memory[block] = tact_memory_get(size);
    return p->memory[block];
}

// Which dofs are to be where, so that the goal's body is at its position. False when its straight motions do not reach it.
static bool find_target(passage *p) {
    const tact_model *model = &p->world.scene->model;
    const tact_goal *goal = &p->world.scene->goal;
    tact_kinematics *kinematics = &p->world.work.kinematics;
    tact_kinematics_update(kinematics, model, model->q0);
    tact_vec3 left = tact_vec3_sub(goal->position, kinematics->pose[goal->body].p);
    for (int k = model->path_start[goal->body]; k < model->path_start[goal->body + 1]; k++) {
        int motion = model->path[k], dof = model->motion[motion].dof;
        tact_vec3 along = kinematics->linear[motion];
        tact_real square = tact_vec3_dot(along, along);
        p->reach[dof] = true;
        p->target[dof] = model->dof[dof].q >= 0 ? model->q0[model->dof[dof].q] : 0;
        if (!(square > 0)) continue;
        tact_real way = tact_vec3_dot(along, left) / square;
        p->target[dof] += way;
        left = tact_vec3_add_scaled(left, -way, along);
    }
    return tact_vec3_dot(left, left) <= (tact_real)1e-18;
}

static int say_fault(const passage *p, tact_status status, tact_fault fault) {
    const tact_model *model = &p->world.scene->model;
    if (status == TACT_SINGULAR) {
        tact_say("qcqp: error: a dof has no mass");
    } else if (fault.field[0] == 'n') {
        tact_say("qcqp: error: loops and springs of a scene are not there");
    } else if (fault.field[0] == 'p') {
        const tact_pair *pair = &model->pair[fault.index];
        tact_say("qcqp: error: the pair of %s and %s has friction, or a gap that is not linear in the coordinates",
                 tact_quote(tact_shape_name(model, pair->a).text).text, tact_quote(tact_shape_name(model, pair->b).text).text);
    } else if (fault.field[0] == 'b') {
        tact_say("qcqp: error: %s moves in a way that is not linear: its inertia or its bias changes",
                 tact_quote(tact_body_name(model, fault.index).text).text);
    } else {
        tact_say("qcqp: error: %s is out of range", fault.field);
    }
    return TACT_EXIT_REFUSED;
}

// the task and the problem
static int build(passage *p) {
    const tact_scene *scene = p->world.scene;
    tact_arena arena = {0};
    tact_fault fault;
    long long steps = 0;
    if (scene->goal.body < 0) {
        tact_say("qcqp: error: the scene has no goal");
        return TACT_EXIT_REFUSED;
    }
    if (!tact_call_integer(p->call, "--steps", 1, 10000, scene->goal.horizon, &steps)) return TACT_EXIT_USAGE;
    size_t nv = (size_t)scene->model.nv;
    unsigned char *memory = take_memory(p, 0, nv * (sizeof(tact_real) + sizeof(bool)));
    if (!memory) return say_no_memory();
    p->target = (tact_real *)(void *)memory;
    p->reach = (bool *)(memory + nv * sizeof(tact_real));
    for (size_t i = 0; i < nv; i++) p->reach[i] = false;
    if (!find_target(p)) {
        tact_say("qcqp: error: the goal's body cannot get to its position by straight motions");
        return TACT_EXIT_REFUSED;
    }
    p->task = (tact_trajectory_task){.model = &scene->model,
                                     .dt = scene->options.dt,
                                     .gravity = scene->options.gravity,
                                     .steps = (int)steps,
                                     .reach = p->reach,
                                     .target = p->target};
    tact_status status = tact_trajectory_build(&p->task, &p->trajectory, &fault, &arena);
    if (status < 0) return say_fault(p, status, fault);
    arena = (tact_arena){.memory = take_memory(p, 1, arena.used), .size = arena.used};
    if (!arena.memory) return say_no_memory();
    status = tact_trajectory_build(&p->task, &p->trajectory, &fault, &arena);
    return status < 0 ? say_fault(p, status, fault) : TACT_EXIT_DONE;
}

static void add_entries(const tact_triplet *entry, int count, bool quadratic, tact_text *out) {
    tact_text_add(out, "[");
    for (int k = 0; k < count; k++) {
        tact_text_add(out, k > 0 ? ",[" : "[");
        if (quadratic) tact_text_add_integer(out, entry[k].row);
        if (quadratic) tact_text_add(out, ",");
        tact_text_add_integer(out, entry[k].column);
        tact_text_add(out, ",");
        tact_text_add_number(out, (double)entry[k].value);
        tact_text_add(out, "]");
    }
    tact_text_add(out, "]");
}

static void add_function(const tact_quadratic *f, const char *type, tact_text *out) {
    tact_text_add(out, "{\"Q\":");
    add_entries(f->quadratic, f->nquadratic, true, out);
    tact_text_add(out, ",\"r\":");
    add_entries(f->linear, f->nlinear, false, out);
    tact_text_add(out, ",\"c\":");
    tact_text_add_number(out, (double)f->constant);
    if (type) tact_text_add(out, ",\"type\":\"");
    if (type) tact_text_add(out, type);
    tact_text_add(out, type ? "\"}" : "}");
}

static void add_head(const passage *p, tact_text *out) {
    tact_text_add(out, "{\"id\":");
    tact_text_add_json(out, p->world.scene->model.names->scene);
}

// as a line for tact qcqp, or any other solver
static int print_problem(const passage *p) {
    const tact_qcqp *problem = &p->trajectory.problem;
    tact_text out = {0};
    add_head(p, &out);
    tact_text_add(&out, ",\"n\":");
    tact_text_add_integer(&out, problem->n);
    tact_text_add(&out, ",\"objective\":");
    add_function(&problem->objective, NULL, &out);
    tact_text_add(&out, ",\"constraints\":[");
    for (int i = 0; i < problem->ncon; i++) {
        if (i > 0) tact_text_add(&out, ",");
        add_function(&problem->constraint[i], problem->equality[i] ? "=" : ">=", &out);
    }
    tact_text_add(&out, "]}\n");
    return tact_print_text(&out, TACT_EXIT_DONE);
}

static int solve_passage(passage *p, const tact_qcqp_options *options, tact_status *status) {
    const tact_qcqp *problem = &p->trajectory.problem;
    size_t scratch = tact_qcqp_size(problem), n = (size_t)problem->n, ncon = (size_t)problem->ncon;
    unsigned char *memory = take_memory(p, 2, scratch + TACT_ALIGN + (n + ncon) * sizeof(tact_real));
    if (!memory) return say_no_memory();
    p->solution.x = (tact_real *)(void *)memory;
    p->solution.multiplier = p->solution.x + n;
    *status = tact_qcqp_solve(problem, options, memory + (n + ncon) * sizeof(tact_real), scratch + TACT_ALIGN, &p->solution);
    return TACT_EXIT_DONE;
}

// rows of q, v, u or f, one a step
static void add_rows(const char *key, const tact_real *x, int rows, int columns, tact_text *out) {
    tact_text_add(out, key);
    for (int k = 0; k < rows; k++) {
        tact_text_add(out, k > 0 ? "," : "[");
        tact_text_add_vector(out, x + (size_t)k * (size_t)columns, (size_t)columns);
    }
    tact_text_add(out, "]");
}

static int print_solution(const passage *p, tact_status status) {
    const tact_trajectory *t = &p->trajectory;
    const tact_qcqp_solution *s = &p->solution;
    tact_text out = {0};
    add_head(p, &out);
    tact_text_add(&out, ",\"status\":\"");
    tact_text_add(&out, status == TACT_CONVERGED ? "solved" : status == TACT_SINGULAR ? "unbounded" : tact_status_name(status));
    tact_text_add(&out, s->global ? "\",\"certificate\":\"global\"" : "\",\"certificate\":\"local\"");
    if (status >= 0) {
        tact_text_add(&out, ",\"objective\":");
        tact_text_add_number(&out, (double)s->objective);
        tact_text_add(&out, ",\"violation\":");
        tact_text_add_number(&out, (double)s->violation);
        tact_text_add(&out, ",\"complementarity\":");
        tact_text_add_number(&out, (double)s->complementarity);
        add_rows(",\"q\":", s->x, t->steps, t->nv, &out);
        add_rows(",\"v\":", s->x + tact_trajectory_v(t, 0, 0), t->steps, t->nv, &out);
        add_rows(",\"u\":", s->x + tact_trajectory_u(t, 0, 0), t->steps, t->nu, &out);
        add_rows(",\"f\":", s->x + tact_trajectory_f(t, 0, 0), t->steps, t->nc, &out);
    }
    tact_text_add(&out, "}\n");
    return tact_print_text(&out, status == TACT_CONVERGED ? TACT_EXIT_DONE : TACT_EXIT_UNSOLVED);
}

// the contacts of step k, with the forces found
static void set_contacts(passage *p, int k) {
    tact_work *work = &p->world.work;
    tact_kinematics_update(&work->kinematics, p->task.model, p->world.state.q);
    tact_contacts_detect(&work->contacts, p->task.model, &work->kinematics, TACT_MAX, NULL);
    work->status = TACT_CONVERGED;
    for (int i = 0; i < work->contacts.count; i++) {
        tact_contact *contact = &work->contacts.contact[i];
        contact->lambda[0] = p->solution.x[tact_trajectory_f(&p->trajectory, k, contact->pair)];
        contact->force = tact_mat3_apply_transposed(contact->frame, tact_vec3_make(contact->lambda[0], 0, 0));
    }
}

static void add_trace_line(passage *p, int step, const tact_work *work) {
    const tact_trajectory *t = &p->trajectory;
    for (int j = 0; j < t->nu; j++) p->world.u[j] = p->solution.x[tact_trajectory_u(t, step > 0 ? step - 1 : 0, j)];
    tact_trace_add_step(p->world.scene, step, &p->world.state, work, p->world.u, &p->trace.text);
    tact_text_add(&p->trace.text, "\n");
}

// the trajectory as a run whose commands are the forces
static int write_trace(passage *p, const char *path) {
    const tact_trajectory *t = &p->trajectory;
    tact_state *state = &p->world.state;
    tact_errors errors = {0};
    if (!tact_guard_open(&p->trace, path, &errors)) return tact_say_errors(&errors);
    tact_trace_add_header(p->world.scene, &p->trace.text);
    tact_text_add(&p->trace.text, "\n");
    add_trace_line(p, 0, NULL);
    for (int k = 0; k < t->steps; k++) {
        set_contacts(p, k);
        for (int i = 0; i < t->nv; i++) {
            state->q[p->task.model->dof[i].q] = p->solution.x[tact_trajectory_q(t, k, i)];
            state->v[i] = p->solution.x[tact_trajectory_v(t, k, i)];
        }
        state->time += p->task.dt;
        add_trace_line(p, k + 1, &p->world.work);
    }
    return tact_guard_finish(&p->trace, &errors) ? TACT_EXIT_DONE : tact_say_errors(&errors);
}

static int run_passage(passage *p, const tact_qcqp_options *options) {
    const char *trace = tact_call_value(p->call, "--trace");
    tact_status status = TACT_BAD_INPUT;
    int code = build(p);
    if (code != TACT_EXIT_DONE) return code;
    if (tact_call_value(p->call, "--problem")) return print_problem(p);
    code = solve_passage(p, options, &status);
    if (code == TACT_EXIT_DONE && trace && status >= 0) code = write_trace(p, trace);
    return code == TACT_EXIT_DONE ? print_solution(p, status) : code;
}

int tact_qcqp_scene_run(const tact_call *call, const char *path, const tact_qcqp_options *options) {
    passage p = {.call = call};
    int code = tact_stage_open(call, path, &p.world);
    if (code != TACT_EXIT_DONE) return code;
    code = run_passage(&p, options);
    for (int i = 0; i < 3; i++) tact_memory_release(p.memory[i]);
    tact_stage_close(&p.world);
    return code;
}
