// SPDX-License-Identifier: MIT
#include "app/qcqp_scene.h"

#include <string.h>

#include "app/stage.h"

typedef struct {
    const tact_call *call;
    tact_world world;
    tact_passage way;
    tact_output trace;
} passage;

// Says why a scene gives no problem. Returns the exit code.
static int say_fault(const passage *p, tact_status status, tact_fault fault) {
    const tact_model *model = &p->world.scene->model;
    if (status == TACT_NO_MEMORY) return tact_say_no_memory("qcqp: ");
    // the name of the field that is at fault begins with n, p or b
    if (status == TACT_SINGULAR) {
        tact_say("qcqp: error: a dof has no mass");
    } else if (fault.field[0] == 'n') {
        tact_say("qcqp: error: loops and springs of a scene are not supported");
    } else if (strcmp(fault.field, "position") == 0) {
        tact_say("qcqp: error: the goal's body cannot get to its position by straight motions");
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

static void add_entries(const tact_triplet *entry, int count, bool quadratic, tact_text *out) {
    tact_text_add(out, "[");
    for (int k = 0; k < count; k++) {
        tact_text_add(out, k > 0 ? ",[" : "[");
        if (quadratic) tact_text_add_integer(out, entry[k].row);
        if (quadratic) tact_text_add(out, ",");
        tact_text_print(out, "%d,%g]", entry[k].column, (double)entry[k].value);
    }
    tact_text_add(out, "]");
}

static void add_function(const tact_quadratic *f, const char *type, tact_text *out) {
    tact_text_add(out, "{\"Q\":");
    add_entries(f->quadratic, f->nquadratic, true, out);
    tact_text_add(out, ",\"r\":");
    add_entries(f->linear, f->nlinear, false, out);
    tact_text_print(out, ",\"c\":%g", (double)f->constant);
    if (type) tact_text_add(out, ",\"type\":\"");
    if (type) tact_text_add(out, type);
    tact_text_add(out, type ? "\"}" : "}");
}

static void add_head(const passage *p, tact_text *out) {
    tact_text_print(out, "{\"id\":%s", p->world.scene->model.names->scene);
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

// Prints the trajectory found as a line of JSON. Returns the exit code.
static int print_solution(const passage *p, tact_status status) {
    const tact_trajectory *t = &p->way.trajectory;
    const tact_qcqp_solution *s = &p->way.solution;
    tact_text out = {0};
    add_head(p, &out);
    const char *word = status == TACT_CONVERGED ? "solved" : status == TACT_SINGULAR ? "unbounded" : tact_status_name(status);
    tact_text_print(&out, ",\"status\":%s,\"certificate\":%s", word, s->global ? "global" : "local");
    if (status >= 0) {
        tact_text_print(&out, ",\"objective\":%g,\"violation\":%g,\"complementarity\":%g", (double)s->objective,
                        (double)s->violation, (double)s->complementarity);
        add_rows(",\"q\":", s->x, t->steps, t->nv, &out);
        add_rows(",\"v\":", s->x + tact_trajectory_v(t, 0, 0), t->steps, t->nv, &out);
        add_rows(",\"u\":", s->x + tact_trajectory_u(t, 0, 0), t->steps, t->nu, &out);
        add_rows(",\"f\":", s->x + tact_trajectory_f(t, 0, 0), t->steps, t->nc, &out);
    }
    tact_text_add(&out, "}\n");
    return tact_print_text(&out, status == TACT_CONVERGED ? TACT_EXIT_DONE : TACT_EXIT_UNSOLVED);
}

static void add_trace_line(passage *p, int step, const tact_work *work) {
    tact_trace_add_step(p->world.scene, step, &p->world.state, work, p->world.u, &p->trace.text);
    tact_text_add(&p->trace.text, "\n");
}

// the trajectory as a run whose commands are the forces
static int write_trace(passage *p, const char *path) {
    const tact_trajectory *t = &p->way.trajectory;
    tact_errors errors = {0};
    if (!tact_guard_open(&p->trace, path, &errors)) return tact_say_errors(&errors);
    tact_trace_add_force_header(p->world.scene, &p->trace.text);
    tact_text_add(&p->trace.text, "\n");
    for (int j = 0; j < t->nu; j++) p->world.u[j] = p->way.solution.x[tact_trajectory_u(t, 0, j)];
    add_trace_line(p, 0, NULL);
    for (int k = 0; k < t->steps; k++) {
        tact_passage_step(&p->way, k, &p->world.state, &p->world.work, p->world.u);
        add_trace_line(p, k + 1, &p->world.work);
    }
    return tact_guard_finish(&p->trace, &errors) ? TACT_EXIT_DONE : tact_say_errors(&errors);
}

// Builds the problem of the scene's goal, and prints or solves it. Returns the exit code.
static int run_passage(passage *p, const tact_qcqp_options *options) {
    const char *trace = tact_call_value(p->call, "--trace");
    const tact_scene *scene = p->world.scene;
    tact_fault fault;
    long long steps = 0;
    if (scene->goal.body < 0) {
        tact_say("qcqp: error: the scene has no goal");
        return TACT_EXIT_REFUSED;
    }
    if (!tact_call_integer(p->call, "--steps", 1, 10000, scene->goal.horizon, &steps)) return TACT_EXIT_USAGE;
    tact_status status = tact_passage_open(&p->way, scene, (int)steps, &p->world.work.kinematics, &fault);
    if (status < 0) return say_fault(p, status, fault);
    // the problem alone, for another solver
    if (tact_call_value(p->call, "--problem")) {
        // The problem as a line for tact qcqp, or any other solver
        const tact_qcqp *problem = &p->way.trajectory.problem;
        tact_text out = {0};
        add_head(p, &out);
        tact_text_print(&out, ",\"n\":%d,\"objective\":", problem->n);
        add_function(&problem->objective, NULL, &out);
        tact_text_add(&out, ",\"constraints\":[");
        for (int i = 0; i < problem->ncon; i++) {
            if (i > 0) tact_text_add(&out, ",");
            add_function(&problem->constraint[i], problem->equality[i] ? "=" : ">=", &out);
        }
        tact_text_add(&out, "]}\n");
        return tact_print_text(&out, TACT_EXIT_DONE);
    }
    status = tact_passage_solve(&p->way, options);
    if (status == TACT_NO_MEMORY) return say_fault(p, status, fault);
    int code = trace && status >= 0 ? write_trace(p, trace) : TACT_EXIT_DONE;
    return code == TACT_EXIT_DONE ? print_solution(p, status) : code;
}

int tact_qcqp_scene_run(const tact_call *call, const char *path, const tact_qcqp_options *options) {
    passage p = {.call = call};
    int code = tact_stage_open(call, path, &p.world);
    if (code != TACT_EXIT_DONE) return code;
    code = run_passage(&p, options);
    tact_passage_close(&p.way);
    tact_stage_close(&p.world);
    return code;
}
