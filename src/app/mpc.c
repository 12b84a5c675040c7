// SPDX-License-Identifier: MIT
// tact mpc: a controller that brings a body to its goal, in closed loop with a plant.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/lookup.h"
#include "app/plant.h"
#include "app/records.h"
#include "batch/draw.h"
#include "math/rotation.h"
#include "scene/number.h"
#include "scene/quote.h"
#include "tact/mpc.h"
#include "trace/names.h"
#include "trace/write.h"

enum { SETTINGS_MAX = 64, RANDOM_MAX = 1000000, SOLVES_MAX = 100000000 };

// the step of a plant that has none of its own, and a drop: how far the body may fall below the goal [s], [m]
#define PLANT_DT TACT_REAL(0.005)
#define DROP TACT_REAL(0.15)

static const char help[] =
    "The controller plans by steps of the barrier law (\"mpc\" in the scene, see: tact help scene) which commands bring the "
    "goal's\n"
    "body to its pose, sends the first of them to the plant, measures the coordinates, and plans again, --rate times a second.\n"
    "The plant is the same scene under the rigid law with steps of 5 ms, the barrier law, or another scene with the same "
    "joints.\n"
    "A goal is reached when the body has stayed within its tolerances for its time of \"hold\"; then the next one begins.\n"
    "\n"
    "Goals come from the scene (\"goal\"), from --goals FILE, a line each (- is standard input), or at random:\n"
    "  "
    "{\"id\":1,\"state\":{\"q\":{\"JOINT\":value}},\"goal\":{\"body\":\"cube\",\"position\":[0,0,0.04],\"orientation\":[1,0,0,0]}"
    "}\n"
    "state is where the plant begins, joints that it does not name at their initial values. --random N turns the start by a "
    "random\n"
    "yaw and asks for N turns of up to --within degrees from there, about the vertical or, with --any, about any axis.\n"
    "\n"
    "A line on standard output tells what came of each goal; with --json\n"
    "  {\"id\":1,\"success\":true,\"angle\":rad,\"position\":m,\"time\":s,\"dropped\":false,\"late\":0,\n"
    "   \"solve_ms\":{\"median\":..,\"p99\":..,\"worst\":..}}\n"
    "angle and position are the errors at the end, time is that of the plant, late counts solves longer than a tick. Exit code 0 "
    "when\n"
    "all goals were reached, 1 when some were not.\n"
    "\n"
    "examples:\n"
    "  tact mpc data/scenes/allegro_cube.json\n"
    "  tact mpc data/scenes/allegro_cube.json --random 20 --within 90 --seed 1\n"
    "  tact mpc data/scenes/allegro_cube.json --plant-set mu=0.35 --noise-joint 0.02 --noise-position 0.005 --delay 0.02\n"
    "  tact mpc data/scenes/allegro_cube.json --trace turn.jsonl && tact view turn.jsonl\n";

typedef struct {
    tact_real joint, position, angle;  // standard deviations of what is measured [rad or m], [m], [rad]
} mpc_noise;

typedef struct {
    tact_world world;  // of the planning model
    tact_plant plant;
    tact_mpc mpc;
    tact_options step;
    tact_mpc_options control;
    tact_lookup joints, bodies;
    mpc_noise noise;
    tact_real time, delay;  // [s]
    long long seed;
    bool json;
    bool endless;         // goals follow each other without a new start
    int ndelay;           // ticks by which commands come late
    tact_real *q;         // (nq) start
    tact_real *measured;  // (nq)
    tact_real *turn;      // (nv) noise as a displacement
    tact_real *queue;     // (ndelay + 1, nu) commands under way, the oldest first
    double *spent;        // (room) [ms] of each solve
    long long room;       //
    void *memory;         //
    tact_output trace;    //
    bool tracing;         //
    long long line;       // of the trace
    // of all goals
    int goals, reached, dropped;
    long long solves, late;
    double worst;
} mpc_job;

// What came of one goal.
typedef struct {
    bool success, dropped;
    tact_real angle, position, time;
    double median, p99, worst;
    long long late;
} mpc_outcome;

static void place_job(void *context, tact_arena *arena) {
    mpc_job *job = context;
    const tact_model *model = &job->world.scene->model;
    size_t nq = (size_t)model->nq, mpc = tact_mpc_size(model, job->world.scene->mpc.horizon);
    job->q = tact_arena_take(arena, nq, sizeof(tact_real));
    job->measured = tact_arena_take(arena, nq, sizeof(tact_real));
    job->turn = tact_arena_take(arena, (size_t)model->nv, sizeof(tact_real));
    job->queue = tact_arena_take(arena, (size_t)(job->ndelay + 1) * (size_t)model->nu, sizeof(tact_real));
    job->spent = tact_arena_take(arena, (size_t)job->room, sizeof(double));
    void *memory = tact_arena_take(arena, mpc, 1);
    if (memory) tact_mpc_init(&job->mpc, model, job->world.scene->mpc.horizon, memory, mpc);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double quantile(const double *sorted, long long count, double part) {
    return count > 0 ? sorted[(long long)(part * (double)(count - 1))] : 0;
}

static tact_real draw_normal(const mpc_job *job, uint64_t number, int parameter, tact_real deviation) {
    tact_draw draw = {.kind = TACT_DRAW_NORMAL, .a = 0, .b = deviation};
    int index = 0;
    return deviation > 0 ? tact_draw_value(&draw, (uint64_t)job->seed, number, parameter, &index) : 0;
}

// The plant's coordinates with noise, as a displacement of each dof.
static void measure(mpc_job *job, const tact_goal *goal, uint64_t number) {
    const tact_model *model = &job->world.scene->model;
    const tact_real *q = job->plant.world.state.q;
    for (int i = 0; i < model->nq; i++) job->measured[i] = q[i];
    const mpc_noise *noise = &job->noise;
    if (!(noise->joint > 0 || noise->position > 0 || noise->angle > 0)) return;
    for (int i = 0; i < model->nv; i++) {
        const tact_body *body = &model->body[model->dof[i].body];
        bool object = model->dof[i].body == goal->body, turns = body->joint == TACT_JOINT_FREE && i - body->v < 3;
        tact_real deviation = !object ? noise->joint : turns ? noise->angle : noise->position;
        job->turn[i] = draw_normal(job, number, i, deviation);
    }
    tact_kinematics_update(&job->mpc.pose, model, q);
    tact_model_integrate(model, &job->mpc.pose, job->turn, job->measured);
}

static tact_pose_error find_error(mpc_job *job, const tact_pose_goal *goal) {
    const tact_world *world = &job->plant.world;
    tact_kinematics_update(&job->mpc.pose, &world->scene->model, world->state.q);
    return tact_pose_goal_error(goal, &job->mpc.pose.pose[goal->body]);
}

static tact_real length(tact_vec3 x) {
    return (tact_real)sqrt((double)tact_vec3_dot(x, x));
}

static bool add_trace(mpc_job *job, bool first) {
    if (!job->tracing) return true;
    const tact_world *world = &job->plant.world;
    tact_trace_add_step(world->scene, (int)job->line, &world->state, first ? NULL : &world->work, job->queue, &job->trace.text);
    tact_text_add(&job->trace.text, "\n");
    job->line++;
    return tact_output_spill(&job->trace);
}

// Sends a command on its way; the one that arrives is the first of the queue.
static void send(mpc_job *job, const tact_real *u) {
    int nu = job->world.scene->model.nu;
    for (int i = 0; i < job->ndelay * nu; i++) job->queue[i] = job->queue[nu + i];
    for (int i = 0; i < nu; i++) job->queue[job->ndelay * nu + i] = u[i];
}

// The loop of one goal: measure, solve, step the plant for a tick. job->q is where the plant begins.
static mpc_outcome control(mpc_job *job, const tact_goal *goal) {
    const tact_mpc_settings *settings = &job->world.scene->mpc;
    tact_pose_goal pose = {.body = goal->body,
                           .position = goal->position,
                           .orientation = goal->orientation,
                           .position_weight = settings->position_weight,
                           .position_tolerance = goal->position_tolerance,
                           .angle_tolerance = goal->angle_tolerance,
                           .angle_weight = goal->oriented ? settings->angle_weight : 0};
    mpc_outcome outcome = {0};
    tact_real held = 0, tick = job->control.tick;
    tact_vec3 up = tact_vec3_scale(-1, job->step.gravity);
    tact_real weight = length(up);
    long long solves = 0;
    if (!job->endless || job->goals == 0) {
        if (!tact_plant_reset(&job->plant, job->q)) return outcome;
        tact_mpc_reset(&job->mpc, job->q);
        for (int i = 0; i <= job->ndelay; i++) send(job, job->mpc.last);
        if (!add_trace(job, true)) return outcome;
    }
    while (outcome.time < job->time - tick / 2) {
        measure(job, goal, (uint64_t)(job->solves + solves));
        double begin = tact_clock();
        tact_mpc_solve(&job->mpc, &job->step, &job->control, &pose, job->measured);
        double spent = 1e3 * (tact_clock() - begin);
        if (solves < job->room) job->spent[solves] = spent;
        outcome.late += spent > 1e3 * (double)tick;
        solves++;
        send(job, job->mpc.last);
        if (!tact_plant_step(&job->plant, job->queue, tick) || !add_trace(job, false)) break;
        outcome.time += tick;
        // reached: within the tolerances for as long as the goal asks; dropped: far below
        tact_pose_error error = find_error(job, &pose);
        outcome.angle = goal->oriented ? length(error.rotation) : 0;
        outcome.position = length(error.position);
        bool within = outcome.angle < goal->angle_tolerance && outcome.position < goal->position_tolerance;
        held = within ? held + tick : 0;
        outcome.success = held >= goal->hold - tick / 2 && within;
        outcome.dropped = weight > 0 && tact_vec3_dot(error.position, up) < -DROP * weight;
        if (outcome.success || outcome.dropped) break;
    }
    long long counted = solves < job->room ? solves : job->room;
    qsort(job->spent, (size_t)counted, sizeof(double), compare);
    outcome.median = quantile(job->spent, counted, 0.5);
    outcome.p99 = quantile(job->spent, counted, 0.99);
    outcome.worst = quantile(job->spent, counted, 1);
    job->solves += solves;
    job->late += outcome.late;
    job->worst = outcome.worst > job->worst ? outcome.worst : job->worst;
    job->goals++;
    job->reached += outcome.success;
    job->dropped += outcome.dropped;
    return outcome;
}

static void add_number(tact_text *out, const char *before, double value) {
    tact_text_add(out, before);
    tact_text_add(out, tact_number_print(value).text);
}

static void add_outcome(const mpc_job *job, const mpc_outcome *outcome, tact_text *out) {
    if (job->json) {
        tact_text_add(out, outcome->success ? "\"success\":true" : "\"success\":false");
        add_number(out, ",\"angle\":", (double)outcome->angle);
        add_number(out, ",\"position\":", (double)outcome->position);
        add_number(out, ",\"time\":", (double)outcome->time);
        tact_text_add(out, outcome->dropped ? ",\"dropped\":true" : ",\"dropped\":false");
        add_number(out, ",\"late\":", (double)outcome->late);
        add_number(out, ",\"solve_ms\":{\"median\":", outcome->median);
        add_number(out, ",\"p99\":", outcome->p99);
        add_number(out, ",\"worst\":", outcome->worst);
        tact_text_add(out, "}}");
        return;
    }
    char line[240];
    snprintf(line, sizeof line, "%s after %.1f s: %.1f degrees, %.1f mm off; solves %.2f ms median, %.2f p99, %.2f worst",
             outcome->success   ? "reached"
             : outcome->dropped ? "dropped"
                                : "not reached",
             (double)outcome->time, (double)outcome->angle * 180 / 3.14159265358979, (double)outcome->position * 1e3,
             outcome->median, outcome->p99, outcome->worst);
    tact_text_add(out, line);
}

// The id of a goal's line, or its number where it has none.
static void begin_line(const mpc_job *job, const tact_json *json, int number, tact_text *out) {
    if (job->json && json) {
        tact_record_begin(json, out);
        return;
    }
    tact_text_add(out, job->json ? "{\"id\":" : "goal ");
    tact_text_add_integer(out, number);
    tact_text_add(out, job->json ? "," : ": ");
}

// A goal's line with its body; false after reporting.
static bool read_goal(mpc_job *job, const tact_json *json, tact_goal *goal) {
    static const char *const keys[] = {"id", "name", "state", "goal", NULL}, *const states[] = {"q", NULL};
    const tact_model *model = &job->world.scene->model;
    if (!tact_json_check_object(json, 0, keys)) return false;
    int node = tact_json_need(json, 0, "goal"), state = tact_json_find(json, 0, "state");
    const char *body = tact_scene_read_pose_goal(json, node, goal);
    if (body) goal->body = tact_lookup_find(&job->bodies, body);
    if (body && goal->body < 0) tact_lookup_refuse(&job->bodies, json, node, "body", body);
    for (int i = 0; i < model->nq; i++) job->q[i] = model->q0[i];
    if (state >= 0 && tact_json_check_object(json, state, states)) {
        int q = tact_json_find(json, state, "q");
        if (q >= 0) tact_lookup_coordinates(&job->joints, model, json, q, job->q);
    }
    return json->errors->errors == 0 && goal->body >= 0;
}

static bool answer(void *context, const tact_json *json, tact_text *out, tact_errors *errors) {
    mpc_job *job = context;
    tact_goal goal;
    (void)errors;
    if (!read_goal(job, json, &goal)) return false;
    mpc_outcome outcome = control(job, &goal);
    begin_line(job, json, job->goals, out);
    add_outcome(job, &outcome, out);
    return outcome.success;
}

// Numbers that depend on the seed, the goal and their own number only.
static tact_real draw_uniform(const mpc_job *job, int number, int parameter, tact_real low, tact_real high) {
    tact_draw draw = {.kind = TACT_DRAW_UNIFORM, .a = low, .b = high};
    int index = 0;
    return tact_draw_value(&draw, (uint64_t)job->seed, (uint64_t)number + ((uint64_t)1 << 40), parameter, &index);
}

// Turns the start of the goal's body, which is free, by a random yaw, and asks for a random turn from there.
static void draw_goal(mpc_job *job, const tact_goal *base, int number, tact_real within, bool any, tact_goal *goal) {
    const tact_model *model = &job->world.scene->model;
    const tact_real pi = TACT_REAL(3.14159265358979323846);
    tact_real *q = job->q + model->body[base->body].q;
    bool first = !job->endless || number == 0;
    for (int i = 0; i < model->nq; i++) job->q[i] = first ? model->q0[i] : job->plant.world.state.q[i];
    tact_vec3 axis = {0, 0, 1};
    tact_quat start = {q[3], q[4], q[5], q[6]};
    tact_real yaw = first ? draw_uniform(job, number, 0, -pi, pi) : 0;
    start = tact_quat_multiply(tact_rotation_exp(tact_vec3_scale(yaw, axis)), start);
    q[3] = start.w, q[4] = start.x, q[5] = start.y, q[6] = start.z;
    tact_real angle = draw_uniform(job, number, 1, -within, within);
    if (any) {
        // a direction uniform on the sphere
        tact_real z = draw_uniform(job, number, 2, -1, 1), around = draw_uniform(job, number, 3, -pi, pi);
        tact_real across = (tact_real)sqrt((double)(1 - z * z));
        axis = tact_vec3_make(across * (tact_real)cos((double)around), across * (tact_real)sin((double)around), z);
    }
    *goal = *base;
    goal->oriented = true;
    goal->orientation = tact_quat_multiply(tact_rotation_exp(tact_vec3_scale(angle, axis)), start);
}

// The scene's goal, or random ones. The exit code.
static int run_goals(mpc_job *job, const tact_call *call, int count, tact_real within) {
    const tact_goal *base = &job->world.scene->goal;
    const tact_model *model = &job->world.scene->model;
    bool any = tact_call_value(call, "--any") != NULL, all = true, written = true;
    tact_errors errors = {0};
    tact_output output;
    tact_output_open(&output, "-", &errors);
    for (int i = 0, one = count == 0; written && i < count + one; i++) {
        tact_goal goal = *base;
        for (int k = 0; k < model->nq; k++) job->q[k] = model->q0[k];
        if (!one) draw_goal(job, base, i, within, any, &goal);
        mpc_outcome outcome = control(job, &goal);
        all = all && outcome.success;
        if (job->endless && !outcome.success) count = 0;
        begin_line(job, NULL, i + 1, &output.text);
        add_outcome(job, &outcome, &output.text);
        tact_text_add(&output.text, "\n");
        written = tact_output_flush(&output);
    }
    return tact_print_finish(&output, all ? TACT_EXIT_DONE : TACT_EXIT_UNSOLVED);
}

// A number of an option within its range; false after saying what is wrong.
static bool get_number(const tact_call *call, const char *option, double low, double high, tact_real fallback, tact_real *value) {
    const char *word = tact_call_value(call, option);
    double x = 0;
    *value = fallback;
    if (!word) return true;
    if (tact_number_read_loose(word, strlen(word), &x) == TACT_NUMBER_READ && x >= low && x <= high) {
        *value = (tact_real)x;
        return true;
    }
    tact_say_usage(call->command, "%s: must be a number within [%g, %g] (found %s)", option, low, high, tact_quote(word).text);
    return false;
}

// Which plant: its scene, law and step.
static int open_plant(mpc_job *job, const tact_call *call, const char *path) {
    const char *law = tact_call_value(call, "--plant"), *scene = tact_call_value(call, "--plant-scene");
    bool mujoco = law && strcmp(law, "mujoco") == 0, quasistatic = law && strcmp(law, "barrier") == 0;
    if (law && !mujoco && !quasistatic && strcmp(law, "rigid") != 0)
        return tact_say_usage(call->command, "--plant: no plant %s (allowed barrier, rigid, mujoco)", tact_quote(law).text);
    // of the scene itself as a plant: small steps, crisp contacts, and a barrier law that hardly drags; --plant-set comes after
    // them
    static const char *const own[] = {"options.kappa=1e4", "options.epsilon=1"};
    const char *set[SETTINGS_MAX];
    int at = 0, count = 0;
    for (int i = 0; !scene && quasistatic && i < 2; i++) set[count++] = own[i];
    const char *word = tact_call_next(call, "--plant-set", &at);
    for (; count < SETTINGS_MAX && word; word = tact_call_next(call, "--plant-set", &at)) set[count++] = word;
    tact_plant_settings settings = {.scene = scene ? scene : path, .set = set, .nset = count, .mujoco = mujoco};
    settings.law = mujoco ? "rigid" : law ? law : scene ? NULL : "rigid";
    if (!scene) settings.dt = quasistatic || job->control.tick < PLANT_DT ? job->control.tick : PLANT_DT;
    int code = tact_plant_open(&job->plant, call, &settings);
    if (code != TACT_EXIT_DONE) return code;
    const tact_model *model = &job->world.scene->model, *plant = &job->plant.world.scene->model;
    bool same = model->nv == plant->nv && model->nq == plant->nq && model->nu == plant->nu && model->nbody == plant->nbody;
    for (int i = 0; same && i < model->nbody; i++)
        same = strcmp(tact_joint_name(model, i).text, tact_joint_name(plant, i).text) == 0;
    if (same) return TACT_EXIT_DONE;
    tact_say("mpc: the plant's joints are not those of the scene, in the same order");
    return TACT_EXIT_REFUSED;
}

// Options of the planning steps and of the controller.
static bool prepare(mpc_job *job, const tact_call *call) {
    const tact_scene *scene = job->world.scene;
    const tact_mpc_settings *settings = &scene->mpc;
    tact_real rate = settings->rate;
    if (!get_number(call, "--rate", 1e-3, 1e6, rate, &rate)) return false;
    if (!get_number(call, "--time", 0, 1e6, 30, &job->time)) return false;
    if (!get_number(call, "--delay", 0, 1, 0, &job->delay)) return false;
    if (!get_number(call, "--noise-joint", 0, 1, 0, &job->noise.joint)) return false;
    if (!get_number(call, "--noise-position", 0, 1, 0, &job->noise.position)) return false;
    if (!get_number(call, "--noise-angle", 0, 1, 0, &job->noise.angle)) return false;
    if (!tact_call_integer(call, "--seed", 0, 1000000000, 1, &job->seed)) return false;
    job->json = tact_call_value(call, "--json") != NULL;
    job->endless = tact_call_value(call, "--endless") != NULL;
    job->step = scene->options;
    job->step.dt = settings->dt;
    job->step.kappa = settings->kappa;
    job->step.margin = settings->margin;
    job->control = settings->control;
    job->control.tick = 1 / rate < settings->dt ? 1 / rate : settings->dt;
    job->ndelay = (int)lround((double)(job->delay / job->control.tick));
    double solves = ceil((double)(job->time / job->control.tick)) + 1;
    job->room = solves < SOLVES_MAX ? (long long)solves : SOLVES_MAX;
    return true;
}

// epsilon m / h^2 = 1000 N/m, which holds a body back about as much as it weighs on a palm, whatever its mass
static tact_real find_epsilon(const mpc_job *job, int body) {
    const tact_mpc_settings *settings = &job->world.scene->mpc;
    const tact_model *model = &job->world.scene->model;
    if (settings->epsilon >= 0 || body < 0 || !(model->body[body].mass > 0))
        return settings->epsilon >= 0 ? settings->epsilon : job->world.scene->options.epsilon;
    tact_real epsilon = 1000 * settings->dt * settings->dt / model->body[body].mass;
    return epsilon < 1000 ? epsilon : 1000;
}

static int run_loop(mpc_job *job, const tact_call *call, int count, tact_real within) {
    const char *goals = tact_call_value(call, "--goals"), *trace = tact_call_value(call, "--trace");
    tact_errors errors = {0};
    job->tracing = trace != NULL;
    if (trace && !tact_guard_open(&job->trace, trace, &errors)) return tact_say_errors(&errors);
    if (trace) {
        tact_trace_add_header(job->plant.world.scene, &job->trace.text);
        tact_text_add(&job->trace.text, "\n");
    }
    job->step.epsilon = find_epsilon(job, job->world.scene->goal.body);
    tact_records records = {.context = job, .answer = answer, .refuse = tact_record_add_error};
    int code = goals ? tact_records_run(&records, goals) : run_goals(job, call, count, within);
    if (trace && !tact_guard_finish(&job->trace, &errors)) return tact_say_errors(&errors);
    if (job->goals > 1)
        tact_say("mpc: %d of %d goals reached, %d dropped; worst solve %.2f ms, %lld of %lld late", job->reached, job->goals,
                 job->dropped, job->worst, job->late, job->solves);
    return code;
}

static int start(mpc_job *job, const tact_call *call, const char *path) {
    const tact_scene *scene = job->world.scene;
    const tact_model *model = &scene->model;
    long long count = 0;
    tact_real within = 90;
    if (!tact_call_integer(call, "--random", 1, RANDOM_MAX, 0, &count)) return TACT_EXIT_USAGE;
    if (!get_number(call, "--within", 0, 180, 90, &within) || !prepare(job, call)) return TACT_EXIT_USAGE;
    const char *fault = NULL;
    if (model->nu == 0) fault = "the scene has no driven joint";
    if (!tact_call_value(call, "--goals") && scene->goal.body < 0)
        fault = "the scene has no goal: give it one (see: tact help scene), or --goals";
    if (count > 0 && scene->goal.body >= 0 && model->body[scene->goal.body].joint != TACT_JOINT_FREE)
        fault = "--random: the goal's body has no free joint";
    if (fault) {
        tact_say("mpc: %s", fault);
        return TACT_EXIT_REFUSED;
    }
    int code = open_plant(job, call, path);
    if (code != TACT_EXIT_DONE) return code;
    job->memory = tact_memory_place(place_job, job);
    if (job->memory && tact_lookup_make(&job->joints, model->names->joint, model->nbody) &&
        tact_lookup_make(&job->bodies, model->names->body, model->nbody))
        return run_loop(job, call, (int)count, within * TACT_REAL(3.14159265358979323846) / 180);
    tact_say("out of memory");
    return TACT_EXIT_NO_MEMORY;
}

static int run(const tact_call *call) {
    const char *path = tact_call_operand(call, 0);
    mpc_job job = {0};
    int code = tact_stage_open_as(call, path, "barrier", NULL, 0, &job.world);
    if (code != TACT_EXIT_DONE) return code;
    code = start(&job, call, path);
    tact_lookup_free(&job.joints);
    tact_lookup_free(&job.bodies);
    tact_memory_release(job.memory);
    tact_plant_close(&job.plant);
    tact_stage_close(&job.world);
    return code;
}

static const tact_call_option options[] = {
    {"--goals", "FILE", "goals, a line each; - is standard input"},
    {"--random", "N", "N random turns of the goal's body"},
    {"--within", "DEGREES", "largest of these turns (default 90)"},
    {"--any", NULL, "turns about any axis, not only the vertical"},
    {"--endless", NULL, "each random goal from where the last one ended, until one is not reached"},
    {"--plant", "LAW", "barrier, rigid (the default, with steps of 5 ms) or mujoco"},
    {"--plant-scene", "FILE", "another scene as the plant, under its own law and time step"},
    {"--plant-set", "PATH=VALUE", "change a value of the plant only; may be repeated"},
    {"--rate", "HZ", "solves a second (default: the scene's, or 50)"},
    {"--time", "S", "most time for a goal (default 30)"},
    {"--delay", "S", "commands reach the plant so much later (default 0)"},
    {"--noise-joint", "RAD", "standard deviation of measured joints (default 0)"},
    {"--noise-position", "M", "of the measured position of the goal's body (default 0)"},
    {"--noise-angle", "RAD", "of its measured orientation (default 0)"},
    {"--seed", "N", "of random goals and noise (default 1)"},
    {"--set", "PATH=VALUE", "change a value of the scene, as mpc.horizon=8; may be repeated"},
    {"--json", NULL, "a line of JSON for each goal"},
    {"--trace", "FILE", "record the plant, a line each tick; goals follow each other"},
    {0}};

const tact_subcommand tact_mpc_command = {.name = "mpc",
                                          .operands = "SCENE",
                                          .summary = "Brings a body to a pose, in closed loop with a plant.",
                                          .help = help,
                                          .options = options,
                                          .least = 1,
                                          .most = 1,
                                          .run = run};
