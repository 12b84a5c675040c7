// SPDX-License-Identifier: MIT
// tact plot --body: what moves a body and how much. A row of charts for each of: input, coordinate, velocity, dq+/dinput; a
// column for each degree of freedom. The derivative is the central difference of two steps from the same state, whatever the law.
#include <stdio.h>
#include <string.h>

#include "app/plot.h"
#include "scene/memory.h"
#include "scene/quote.h"
#include "trace/names.h"

enum {
    RUNS_MAX = 8,
    DOFS_MAX = 6,
    ROWS = 4,
    WORDS_MAX = 256,
    LEFT = 84,
    WIDE = 270,
    BETWEEN = 78,
    TALL = 150,
    GAP = 52,
    TOP = 74
};

static const char *const row_names[ROWS] = {"input", "q", "v", "dq+/dinput"};

// One run of the scene.
typedef struct {
    char label[200];
    tact_series series;
} body_run;

typedef struct {
    tact_world world;
    tact_state more, less;  // after a step with a little more, and less, of an input
    void *memory;
    int body, n;  // dofs
    tact_real off[DOFS_MAX];
} body_stage;

static size_t place_states(body_stage *stage, void *memory) {
    const tact_model *model = &stage->world.scene->model;
    tact_arena arena = {.memory = memory, .size = SIZE_MAX};
    size_t size = tact_state_size(model);
    void *one = tact_arena_take(&arena, size, 1), *other = tact_arena_take(&arena, size, 1);
    if (!memory) return arena.used;
    tact_state_init(&stage->more, model, one, size);
    tact_state_init(&stage->less, model, other, size);
    return arena.used;
}

static int find_body(const tact_call *call, const tact_model *model) {
    const char *name = tact_call_value(call, "--body");
    for (int b = 0; b < model->nbody; b++)
        if (strcmp(tact_body_name(model, b).text, name) == 0) return b;
    tact_say_usage(call->command, "--body: no body %s in the scene", tact_quote(name).text);
    return -1;
}

// A thousandth of the body's weight, or of a newton, and a small part of a stroke for commands.
static void choose_offsets(body_stage *stage) {
    const tact_model *model = &stage->world.scene->model;
    const tact_body *body = &model->body[stage->body];
    tact_real small = sizeof(tact_real) == sizeof(float) ? TACT_REAL(0.1) : TACT_REAL(1e-3);
    for (int k = 0; k < stage->n; k++) {
        bool driven = model->dof[body->v + k].u >= 0;
        stage->off[k] = driven ? TACT_REAL(1e-5) : small * (body->mass > 0 ? body->mass : 1);
    }
}

// The inputs changed by off along one dof, the step made on a copy of the state.
static void step_with(body_stage *stage, int k, tact_real off, tact_state *to) {
    tact_world *world = &stage->world;
    const tact_model *model = &world->scene->model;
    const tact_body *body = &model->body[stage->body];
    int motion = model->body_motion[stage->body] + k, u = model->dof[body->v + k].u;
    tact_state_copy(to, &world->state, model);
    tact_scene_command(world->scene, to, world->u);
    if (!tact_scene_wrench(world->scene, to, world->wrench))
        for (int b = 0; b < model->nbody; b++) world->wrench[b] = (tact_wrench){0};
    tact_kinematics_update(&world->work.kinematics, model, to->q);
    tact_wrench *wrench = &world->wrench[stage->body];
    if (u >= 0) {
        world->u[u] += off;
    } else {
        wrench->force = tact_vec3_add_scaled(wrench->force, off, world->work.kinematics.linear[motion]);
        wrench->torque = tact_vec3_add_scaled(wrench->torque, off, world->work.kinematics.angular[motion]);
    }
    tact_input input = {.u = world->u, .wrench = world->wrench};
    tact_step(model, &world->scene->options, &input, to, &world->work);
}

static void fill_inputs(body_stage *stage, double *row) {
    tact_world *world = &stage->world;
    const tact_model *model = &world->scene->model;
    const tact_body *body = &model->body[stage->body];
    bool pushed = tact_scene_wrench(world->scene, &world->state, world->wrench);
    tact_scene_command(world->scene, &world->state, world->u);
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    const tact_wrench *wrench = &world->wrench[stage->body];
    for (int k = 0; k < stage->n; k++) {
        int motion = model->body_motion[stage->body] + k, u = model->dof[body->v + k].u;
        tact_real force = tact_vec3_dot(wrench->force, world->work.kinematics.linear[motion]) +
                          tact_vec3_dot(wrench->torque, world->work.kinematics.angular[motion]);
        row[k] = u >= 0 ? (double)world->u[u] : pushed ? (double)force : 0;
    }
}

static void fill_derivatives(body_stage *stage, double *row) {
    tact_world *world = &stage->world;
    const tact_model *model = &world->scene->model;
    const tact_body *body = &model->body[stage->body];
    tact_real moved[DOFS_MAX];
    for (int k = 0; k < stage->n; k++) {
        step_with(stage, k, stage->off[k], &stage->more);
        step_with(stage, k, -stage->off[k], &stage->less);
        tact_kinematics_update(&world->work.kinematics, model, stage->less.q);
        moved[k] = 0;
        int q = model->dof[body->v + k].q;
        if (q >= 0) moved[k] = stage->more.q[q] - stage->less.q[q];
        row[k] = (double)(moved[k] / (2 * stage->off[k]));
    }
}

// A row for the state at hand, with the derivatives of the step that follows.
static void add_state(body_stage *stage, body_run *run) {
    tact_world *world = &stage->world;
    const tact_model *model = &world->scene->model;
    const tact_body *body = &model->body[stage->body];
    double *row = tact_series_add(&run->series, (double)world->state.time);
    if (!row) return;
    fill_inputs(stage, row);
    for (int k = 0; k < stage->n; k++) {
        int q = model->dof[body->v + k].q;
        if (q >= 0) row[stage->n + k] = (double)world->state.q[q];
        row[2 * stage->n + k] = (double)world->state.v[body->v + k];
    }
    fill_derivatives(stage, row + 3 * stage->n);
}

static int make_run(const tact_call *call, body_stage *stage, body_run *run, long long steps) {
    const tact_model *model = &stage->world.scene->model;
    stage->body = find_body(call, model);
    if (stage->body < 0) return TACT_EXIT_USAGE;
    stage->n = tact_joint_dofs(model->body[stage->body].joint);
    if (stage->n == 0) return tact_say_usage(call->command, "--body: it does not move");
    stage->memory = tact_memory_get(place_states(stage, NULL));
    if (!stage->memory) {
        tact_say("out of memory");
        return TACT_EXIT_NO_MEMORY;
    }
    place_states(stage, stage->memory);
    choose_offsets(stage);
    run->series.columns = ROWS * stage->n;
    int code = TACT_EXIT_DONE;
    add_state(stage, run);
    for (long long k = 0; k < steps && stage->world.work.status >= 0; k++) {
        tact_status status = tact_world_step(&stage->world);
        if (status != TACT_CONVERGED) code = TACT_EXIT_UNSOLVED;
        if (status < 0) break;
        add_state(stage, run);
    }
    if (!run->series.failed) return code;
    tact_say("out of memory");
    return TACT_EXIT_NO_MEMORY;
}

// The call with one more setting before its words.
static bool add_setting(const tact_call *call, char *setting, char **words, tact_call *more) {
    static char set[] = "--set";
    if (call->count > WORDS_MAX - 2) return false;
    words[0] = set;
    words[1] = setting;
    for (int i = 0; i < call->count; i++) words[i + 2] = call->words[i];
    *more = (tact_call){.command = call->command, .count = call->count + 2, .words = words};
    return true;
}

static void draw_grid(const body_run *run, int nrun, int n, tact_thing_name *dof, tact_text *out) {
    for (int row = 0; row < ROWS; row++) {
        for (int k = 0; k < n; k++) {
            tact_curve curve[RUNS_MAX];
            char title[340];
            snprintf(title, sizeof title, "%s, %.280s", row_names[row], dof[k].text);
            for (int r = 0; r < nrun; r++)
                curve[r] = (tact_curve){.name = run[r].label[0] ? run[r].label : dof[k].text,
                                        .t = run[r].series.t,
                                        .y = run[r].series.cell + row * n + k,
                                        .count = run[r].series.count,
                                        .stride = (size_t)run[r].series.columns,
                                        .colour = r};
            tact_chart chart = {.x = LEFT + k * (WIDE + BETWEEN),
                                .y = TOP + row * (TALL + GAP),
                                .width = WIDE,
                                .height = TALL,
                                .title = title,
                                .time = row == ROWS - 1 ? "time [s]" : "",
                                .curve = curve,
                                .ncurve = nrun,
                                .legend = k == n - 1 && run[0].label[0] ? 8 : 0,
                                .from_zero = row != 1};
            tact_chart_draw(&chart, out);
        }
    }
}

static int draw_body(const tact_call *call, const body_run *run, int nrun, const body_stage *stage) {
    const tact_model *model = &stage->world.scene->model;
    tact_thing_name dof[DOFS_MAX], body = tact_body_name(model, stage->body);
    tact_text text = {0};
    char title[700];
    for (int k = 0; k < stage->n; k++) dof[k] = tact_dof_name(model, model->body[stage->body].v + k);
    snprintf(title, sizeof title, "%.200s: input, motion and derivative of %.300s", model->names ? model->names->scene : "",
             body.text);
    tact_svg_begin(&text, LEFT + stage->n * (WIDE + BETWEEN) + (run[0].label[0] ? 200 : 0), TOP + ROWS * (TALL + GAP), title,
                   "Rows: input, coordinate, velocity, derivative of the coordinate after a step by the input. SI units.");
    tact_svg_label(&text, "big ink", "start", LEFT, 28, title);
    draw_grid(run, nrun, stage->n, dof, &text);
    tact_svg_end(&text);
    return tact_write_text(&text, tact_call_value(call, "-o"));
}

static void close_stage(body_stage *stage) {
    tact_memory_release(stage->memory);
    tact_stage_close(&stage->world);
    *stage = (body_stage){0};
}

// The run with the list's next value; the stage stays open after it.
static int add_run(const tact_call *call, const char *vary, size_t path, const char *value, body_stage *stage, body_run *run,
                   long long steps) {
    char setting[400], *words[WORDS_MAX];
    tact_call more = *call;
    if (vary) {
        int length = snprintf(setting, sizeof setting, "%.*s=%.*s", (int)path, vary, (int)strcspn(value, ","), value);
        if (length >= (int)sizeof setting || !add_setting(call, setting, words, &more))
            return tact_say_usage(call->command, "--vary: too long");
        // kappa=1e4 of options.kappa=1e4
        const char *name = setting + path;
        while (name > setting && name[-1] != '.' && name[-1] != '/') name--;
        snprintf(run->label, sizeof run->label, "%.190s", name);
    }
    int code = tact_stage_open(&more, tact_call_operand(call, 0), &stage->world);
    return code == TACT_EXIT_DONE ? make_run(call, stage, run, steps) : code;
}

int tact_plot_body(const tact_call *call, long long steps) {
    body_run run[RUNS_MAX] = {{{0}, {0}}};
    body_stage stage = {0};
    const char *vary = tact_call_value(call, "--vary"), *value = vary ? strchr(vary, '=') : "";
    int nrun = 0, code = TACT_EXIT_DONE;
    if (tact_call_operand(call, 1)) return tact_say_usage(call->command, "--body takes one scene");
    bool trace = tact_recording_is_trace(tact_call_operand(call, 0), &code);
    if (code != TACT_EXIT_DONE) return code;
    if (trace) return tact_say_usage(call->command, "--body takes a scene, not a trace");
    if (!value) return tact_say_usage(call->command, "--vary: needs PATH=VALUE,VALUE..");
    size_t path = vary ? (size_t)(value - vary) : 0;
    value += vary != NULL;
    do {
        if (nrun == RUNS_MAX) {
            code = tact_say_usage(call->command, "--vary: at most %d values", RUNS_MAX);
            break;
        }
        close_stage(&stage);
        int one = add_run(call, vary, path, value, &stage, &run[nrun++], steps);
        if (one != TACT_EXIT_DONE) code = one;
        value += strcspn(value, ",");
        value += *value == ',';
    } while (*value && (code == TACT_EXIT_DONE || code == TACT_EXIT_UNSOLVED));
    if (code == TACT_EXIT_DONE || code == TACT_EXIT_UNSOLVED) {
        int written = draw_body(call, run, nrun, &stage);
        if (written != TACT_EXIT_DONE) code = written;
    }
    for (int r = 0; r < nrun; r++) tact_series_free(&run[r].series);
    close_stage(&stage);
    return code;
}
