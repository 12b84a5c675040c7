// SPDX-License-Identifier: MIT
// tact plot --body: what moves a body and how much. A row of charts for each of: input, coordinate, velocity, dq+/dinput; a
// column for each degree of freedom. The derivative is the central difference of two steps from the same state, whatever the law.
#include <stdio.h>
#include <string.h>

#include "app/plot.h"

enum {
    RUNS_MAX = 8,
    DOFS_MAX = 6,
    ROWS = 4,
    WORDS_MAX = 256,
    LEFT = 84,
    WIDE = 270,
    BETWEEN = 78,
    ACROSS = 3,  // charts in a row: six dofs take two
    TALL = 150,
    GAP = 52,
    TOP = 74
};

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
    bool begun;
    tact_quat last;    // of a free body, in the state before
    double turned[3];  // since the beginning [rad]
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
    tact_nearest nearest = {.word = name};
    for (int b = 0; b < model->nbody; b++) tact_nearest_try(&nearest, model->names->body[b]);
    tact_say_usage(call->command, "--body: no body %s in the scene%s", tact_quote(name).text, tact_nearest_hint(&nearest).text);
    return -1;
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
    // a driven dof is moved by its command, a free one by a force along it
    if (u >= 0) {
        world->u[u] += off;
    } else {
        wrench->force = tact_vec3_add_scaled(wrench->force, off, world->work.kinematics.linear[motion]);
        wrench->torque = tact_vec3_add_scaled(wrench->torque, off, world->work.kinematics.angular[motion]);
    }
    tact_input input = {.u = world->u, .wrench = world->wrench};
    tact_step(model, &world->scene->options, &input, to, &world->work);
}

// of the free joint whose coordinates begin at an index
static tact_quat read_turn(const tact_real *q, int at) {
    return (tact_quat){q[at + 3], q[at + 4], q[at + 5], q[at + 6]};
}

// x, y or z of the rotation from one orientation to another, in world axes
static double turn_between(tact_quat from, tact_quat to, int k) {
    tact_vec3 r = tact_rotation_log(tact_quat_multiply(to, tact_quat_conjugate(from)));
    return (double)(k == 0 ? r.x : k == 1 ? r.y : r.z);
}

// Whether a dof is one of the three turns of a free joint, which have no coordinate of their own; dofs: turns, then motions.
static bool is_turn(const tact_body *body, int k) {
    return body->joint == TACT_JOINT_FREE && k < 3;
}

// What a free body has turned since the beginning: the sum of its turns from state to state, about the axes of the world.
static void add_turn(body_stage *stage) {
    const tact_body *body = &stage->world.scene->model.body[stage->body];
    if (body->joint != TACT_JOINT_FREE) return;
    tact_quat now = read_turn(stage->world.state.q, body->q);
    for (int k = 0; k < 3 && stage->begun; k++) stage->turned[k] += turn_between(stage->last, now, k);
    stage->last = now;
    stage->begun = true;
}

// A row for the state at hand, with the derivatives of the step that follows.
static void add_state(body_stage *stage, body_run *run) {
    tact_world *world = &stage->world;
    const tact_model *model = &world->scene->model;
    const tact_body *body = &model->body[stage->body];
    add_turn(stage);
    double *row = tact_series_add(&run->series, (double)world->state.time);
    if (!row) return;
    bool pushed = tact_scene_wrench(world->scene, &world->state, world->wrench);
    tact_world_command(world);
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    const tact_wrench *wrench = &world->wrench[stage->body];
    for (int k = 0; k < stage->n; k++) {
        int motion = model->body_motion[stage->body] + k, u = model->dof[body->v + k].u;
        tact_real force = tact_vec3_dot(wrench->force, world->work.kinematics.linear[motion]) +
                          tact_vec3_dot(wrench->torque, world->work.kinematics.angular[motion]);
        row[k] = u >= 0 ? (double)world->u[u] : pushed ? (double)force : 0;
    }
    for (int k = 0; k < stage->n; k++) {
        row[stage->n + k] = is_turn(body, k) ? stage->turned[k] : (double)world->state.q[model->dof[body->v + k].q];
        row[2 * stage->n + k] = (double)world->state.v[body->v + k];
    }
    // dq+/dinput by central differences
    for (int k = 0; k < stage->n; k++) {
        step_with(stage, k, stage->off[k], &stage->more);
        step_with(stage, k, -stage->off[k], &stage->less);
        tact_kinematics_update(&world->work.kinematics, model, stage->less.q);
        const tact_real *more = stage->more.q, *less = stage->less.q;
        double moved = is_turn(body, k) ? turn_between(read_turn(less, body->q), read_turn(more, body->q), k)
                                        : (double)(more[model->dof[body->v + k].q] - less[model->dof[body->v + k].q]);
        row[3 * stage->n + k] = moved / (2 * (double)stage->off[k]);
    }
}

// Steps the scene and keeps a row for each step. Returns the exit code.
static int make_run(const tact_call *call, body_stage *stage, body_run *run, long long steps) {
    const tact_model *model = &stage->world.scene->model;
    stage->body = find_body(call, model);
    if (stage->body < 0) return TACT_EXIT_USAGE;
    stage->n = tact_joint_dofs(model->body[stage->body].joint);
    if (stage->n == 0) return tact_say_usage(call->command, "--body: it does not move");
    // measured with no memory, then placed
    stage->memory = tact_memory_get(place_states(stage, NULL));
    if (!stage->memory) return tact_say_no_memory("");
    place_states(stage, stage->memory);
    // A thousandth of the body's weight, or of a newton, and a small part of a stroke for commands.
    const tact_body *body = &model->body[stage->body];
    tact_real small = sizeof(tact_real) == sizeof(float) ? TACT_REAL(0.1) : TACT_REAL(1e-3);
    for (int k = 0; k < stage->n; k++) {
        bool driven = model->dof[body->v + k].u >= 0;
        stage->off[k] = driven ? TACT_REAL(1e-5) : small * (body->mass > 0 ? body->mass : 1);
    }
    run->series.columns = ROWS * stage->n;
    int code = TACT_EXIT_DONE;
    add_state(stage, run);
    for (long long k = 0; k < steps; k++) {
        tact_status status = tact_world_step(&stage->world);
        if (status < 0 || (status != TACT_CONVERGED && code == TACT_EXIT_DONE)) tact_stage_say_step(call, &stage->world, k + 1);
        if (status != TACT_CONVERGED) code = TACT_EXIT_UNSOLVED;
        if (status < 0) break;
        add_state(stage, run);
    }
    if (!run->series.failed) return code;
    return tact_say_no_memory("");
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

// What a dof is called in the titles of its charts: its place and not its speed, "cube.x", and the turns "turn of cube about x".
static tact_thing_name name_dof(const tact_model *model, int body, int k) {
    static const char *const axes[] = {"x", "y", "z"};
    tact_thing_name name = tact_dof_name(model, model->body[body].v + k);
    if (model->body[body].joint != TACT_JOINT_FREE) return name;
    tact_thing_name joint = tact_joint_name(model, body);
    if (k < 3)
        snprintf(name.text, sizeof name.text, "turn of %.240s about %s", joint.text, axes[k]);
    else
        snprintf(name.text, sizeof name.text, "%.255s.%s", joint.text, axes[k - 3]);
    return name;
}

static bool turns(const tact_body *body, int k) {
    switch (body->joint) {
    case TACT_JOINT_REVOLUTE:
    case TACT_JOINT_CONTINUOUS: return true;
    case TACT_JOINT_PLANAR: return k == 2;
    case TACT_JOINT_FREE: return k < 3;
    case TACT_JOINT_FIXED:
    case TACT_JOINT_PRISMATIC:
    case TACT_JOINT_TRANSLATION: break;
    }
    return false;
}

static void fill_curves(const body_run *run, int nrun, int cell, const char *title, tact_curve *curve) {
    for (int r = 0; r < nrun; r++)
        curve[r] = (tact_curve){.name = run[r].label[0] ? run[r].label : title,
                                .t = run[r].series.t,
                                .y = run[r].series.cell + cell,
                                .count = run[r].series.count,
                                .stride = (size_t)run[r].series.columns,
                                .colour = r};
}

// The rows in which something changes, and the derivative, which tells something without; how many. The others are named in
// still.
static int list_rows(const body_run *run, int nrun, const body_stage *stage, int *rows, char *still, size_t size) {
    static const char *const names[ROWS] = {"input", "place", "speed", ""};
    int count = 0;
    size_t used = 0;
    still[0] = '\0';
    for (int row = 0; row < ROWS; row++) {
        bool moves = row == ROWS - 1;
        for (int k = 0; k < stage->n && !moves; k++) {
            tact_curve curve[RUNS_MAX];
            fill_curves(run, nrun, row * stage->n + k, "", curve);
            moves = !tact_plot_is_still(curve, nrun);
        }
        if (moves)
            rows[count++] = row;
        else
            used += (size_t)snprintf(still + used, size - used, "%s%s",
                                     used > 0 ? ", " : "not drawn, as nothing changes: ", names[row]);
    }
    return count;
}

// Draws the charts of all runs: a row for each quantity, a column for each degree of freedom.
static void draw_grid(const body_run *run, int nrun, const body_stage *stage, const int *rows, int count, tact_text *out) {
    const tact_model *model = &stage->world.scene->model;
    int n = stage->n;
    for (int at = 0; at < count * n; at++) {
        // charts of many dofs continue in a block below
        int row = rows[at / n], k = at % n, block = k / ACROSS;
        tact_curve curve[RUNS_MAX];
        char title[340];
        // The chart's title, as "dq+/dinput of cube.x [m/N]".
        const tact_dof *dof = &model->dof[model->body[stage->body].v + k];
        bool turn = turns(&model->body[stage->body], k), driven = dof->u >= 0, force = !driven || dof->force;
        const char *length = turn ? "rad" : "m", *load = turn ? "N m" : "N", *unit = length;
        char ratio[24];
        snprintf(ratio, sizeof ratio, turn ? "%s/(%s)" : "%s/%s", length, force ? load : length);
        if (row == 0 && force) unit = load;
        if (row == 2) unit = turn ? "rad/s" : "m/s";
        if (row == 3) unit = force ? ratio : "1";
        static const char *const whats[ROWS] = {"command:", "place:", "speed:", "dq+/dinput:"};
        const char *what = row == 0 && force ? (turn ? "torque:" : "force:") : whats[row];
        snprintf(title, (sizeof title), "%s %.280s [%s]", what, name_dof(model, stage->body, k).text, unit);
        fill_curves(run, nrun, row * n + k, title, curve);
        int y = TOP + (block * count + at / n) * (TALL + GAP) + block * GAP / 2;
        bool last = k == (n < ACROSS ? n : ACROSS) - 1;
        tact_chart chart = {.x = LEFT + k % ACROSS * (WIDE + BETWEEN),
                            .y = y,
                            .width = WIDE,
                            .height = TALL,
                            .title = title,
                            .time = at / n == count - 1 ? "time [s]" : "",
                            .curve = curve,
                            .ncurve = nrun,
                            .named = last && at / n == 0 && run[0].label[0] ? nrun : 0,
                            .legend = RUNS_MAX,
                            .from_zero = row != 1};
        tact_chart_draw(&chart, out);
    }
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
    if (code == TACT_EXIT_DONE) code = tact_stage_check_start(&more, &stage->world);
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
    // one run for each value of --vary
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
        // Title, then a grid of charts
        TACT_ASSERT(stage.world.scene);
        const tact_model *model = &stage.world.scene->model;
        tact_thing_name body = tact_body_name(model, stage.body);
        tact_text text = {0};
        char title[700], still[120];
        int rows[ROWS], count = list_rows(run, nrun, &stage, rows, still, sizeof still);
        int across = stage.n < ACROSS ? stage.n : ACROSS, blocks = (stage.n + ACROSS - 1) / ACROSS;
        snprintf(title, sizeof title, "%.200s: input, motion and derivative of %.300s", model->names ? model->names->scene : "",
                 body.text);
        tact_svg_begin(&text, LEFT + across * (WIDE + BETWEEN) + (run[0].label[0] ? 200 : 0),
                       TOP + blocks * count * (TALL + GAP) + (blocks - 1) * GAP / 2, title,
                       "Rows: input, coordinate, velocity, derivative of the coordinate after a step by the input. SI units.");
        tact_svg_label(&text, "big ink", "start", LEFT, 28, title);
        if (still[0]) tact_svg_label(&text, "small soft", "start", LEFT, 28 + TACT_CHART_LINE, still);
        draw_grid(run, nrun, &stage, rows, count, &text);
        tact_svg_end(&text);
        int written = tact_write_text(&text, tact_call_value(call, "-o"));
        if (written != TACT_EXIT_DONE) code = written;
    }
    for (int r = 0; r < nrun; r++) tact_series_free(&run[r].series);
    close_stage(&stage);
    return code;
}
