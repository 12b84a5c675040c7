// SPDX-License-Identifier: MIT
#include "app/mpc_loop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/table.h"

enum { SETTINGS_MAX = 64, SOLVES_MAX = 100000000, YAWS = 32 };

// a drop: how far the body may fall below the goal, or below where it began if that is lower [m]
#define DROP TACT_REAL(0.15)
// the rule of Jin 2024: 1 - (q.q*)^2, [m], [s]
#define JIN_TURN TACT_REAL(0.04)
#define JIN_POSITION TACT_REAL(0.02)
#define JIN_HOLD 2
// a start stands by itself when its body is no deeper [m] within others, and stays for so long [s] within [m] and [rad] of where
// it was put
#define STAND_DEPTH TACT_REAL(0.001)
#define STAND_TIME TACT_REAL(0.5)
#define STAND_POSITION TACT_REAL(0.002)
#define STAND_ANGLE TACT_REAL(0.03)
// a push lasts so long in each second [s]
#define PUSH_TIME TACT_REAL(0.1)

bool tact_mpc_loop_read(const tact_call *call, tact_mpc_loop_settings *settings) {
    tact_real mass = 0, size = 0, friction = 0;
    settings->plant = tact_call_value(call, "--plant");
    bool good = tact_call_real(call, "--rate", 1e-3, 1e6, 0, &settings->rate) &&
                tact_call_real(call, "--delay", 0, 1, 0, &settings->delay) &&
                tact_call_real(call, "--noise-joint", 0, 1, 0, &settings->noise_joint) &&
                tact_call_real(call, "--noise-position", 0, 1, 0, &settings->noise_position) &&
                tact_call_real(call, "--noise-angle", 0, 1, 0, &settings->noise_angle) &&
                tact_call_real(call, "--plant-mass", -90, 900, 0, &mass) &&
                tact_call_real(call, "--plant-size", -50, 100, 0, &size) &&
                tact_call_real(call, "--plant-friction", -100, 900, 0, &friction) &&
                tact_call_real(call, "--push", 0, 1000, 0, &settings->push) &&
                tact_call_integer(call, "--seed", 0, 1000000000, 1, &settings->seed);
    // percent become factors
    settings->off =
        (tact_disturbance){.body = TACT_WORLD, .mass = 1 + mass / 100, .size = 1 + size / 100, .friction = 1 + friction / 100};
    const char *law = settings->plant;
    bool mujoco = law && strcmp(law, "mujoco") == 0;
    if (good && law && !mujoco && strcmp(law, "barrier") != 0 && strcmp(law, "rigid") != 0) {
        tact_say_usage(call->command, "--plant: no plant %s (allowed: barrier, rigid, mujoco)", tact_quote(law).text);
        return false;
    }
    if (good && mujoco && settings->push > 0) {
        tact_say_usage(call->command, "--push: not with --plant mujoco, which takes no forces");
        return false;
    }
    return good;
}

// Memory of the closed loop and its controller; an arena without memory measures.
static void place_loop(void *context, tact_arena *arena) {
    tact_mpc_loop *loop = context;
    const tact_model *model = &loop->world.scene->model;
    size_t nq = (size_t)model->nq, mpc = tact_mpc_size(model, loop->world.scene->mpc.horizon);
    loop->q = tact_arena_take(arena, nq, sizeof(tact_real));
    loop->measured = tact_arena_take(arena, nq, sizeof(tact_real));
    loop->turn = tact_arena_take(arena, (size_t)model->nv, sizeof(tact_real));
    // commands queued for the length of the delay
    loop->queue = tact_arena_take(arena, (size_t)(loop->ndelay + 1) * (size_t)model->nu, sizeof(tact_real));
    loop->spent = tact_arena_take(arena, (size_t)loop->room, sizeof(double));
    bool contacts = loop->world.scene->mpc.region > 0;
    size_t region = contacts ? tact_region_size(model, loop->world.scene->mpc.horizon) : 0;
    void *region_memory = tact_arena_take(arena, region, 1);
    if (contacts && region_memory) tact_region_init(&loop->region, model, loop->world.scene->mpc.horizon, region_memory, region);
    loop->region.bearing = tact_force_min(model, &loop->step);
    loop->control.region = contacts ? &loop->region : NULL;
    void *memory = tact_arena_take(arena, mpc, 1);
    if (memory) tact_mpc_init(&loop->mpc, model, loop->world.scene->mpc.horizon, memory, mpc);
}

static double quantile(const double *sorted, long long count, double part) {
    return count > 0 ? sorted[(long long)(part * (double)(count - 1))] : 0;
}

// Numbers that depend on the seed, the goal and their own number only.
static tact_real draw_uniform(const tact_mpc_loop *loop, int number, int parameter, tact_real low, tact_real high) {
    tact_draw draw = {.kind = TACT_DRAW_UNIFORM, .a = low, .b = high};
    int index = 0;
    return tact_draw_value(&draw, (uint64_t)loop->settings.seed, (uint64_t)number + ((uint64_t)1 << 40), parameter, &index);
}

// Measures the plant: its coordinates, each dof displaced by noise.
static void measure(tact_mpc_loop *loop, const tact_goal *goal, uint64_t number) {
    const tact_model *model = &loop->world.scene->model;
    const tact_real *q = loop->plant.world.state.q;
    for (int i = 0; i < model->nq; i++) loop->measured[i] = q[i];
    const tact_mpc_loop_settings *noise = &loop->settings;
    if (!(noise->noise_joint > 0 || noise->noise_position > 0 || noise->noise_angle > 0)) return;
    for (int i = 0; i < model->nv; i++) {
        const tact_body *body = &model->body[model->dof[i].body];
        bool object = model->dof[i].body == goal->body, turns = body->joint == TACT_JOINT_FREE && i - body->v < 3;
        tact_real deviation = !object ? noise->noise_joint : turns ? noise->noise_angle : noise->noise_position;
        tact_draw draw = {.kind = TACT_DRAW_NORMAL, .a = 0, .b = deviation};
        int index = 0;
        loop->turn[i] = deviation > 0 ? tact_draw_value(&draw, (uint64_t)loop->settings.seed, number, i, &index) : 0;
    }
    tact_kinematics_update(&loop->mpc.pose, model, q);
    tact_model_integrate(model, &loop->mpc.pose, loop->turn, loop->measured);
}

static tact_pose_error find_error(tact_mpc_loop *loop, const tact_pose_goal *goal) {
    const tact_world *world = &loop->plant.world;
    tact_kinematics_update(&loop->mpc.pose, &world->scene->model, world->state.q);
    return tact_pose_goal_error(goal, &loop->mpc.pose.pose[goal->body]);
}

static tact_real length(tact_vec3 x) {
    return (tact_real)sqrt((double)tact_vec3_dot(x, x));
}

static tact_real *arriving(const tact_mpc_loop *loop) {
    return loop->queue + (size_t)loop->arrives * (size_t)loop->world.scene->model.nu;
}

static bool add_trace(tact_mpc_loop *loop, bool first) {
    if (!loop->tracing) return true;
    const tact_world *world = &loop->plant.world;
    tact_trace_add_step(world->scene, (int)loop->line, &world->state, first ? NULL : &world->work, arriving(loop),
                        &loop->trace.text);
    tact_text_add(&loop->trace.text, "\n");
    loop->line++;
    // a line is written at once: a run that is killed leaves those before
    return tact_output_flush(&loop->trace);
}

// Sends a command on its way, in the place of the one that was in force; then the oldest arrives.
static void send(tact_mpc_loop *loop, const tact_real *u) {
    tact_real *last = arriving(loop);
    for (int i = 0; i < loop->world.scene->model.nu; i++) last[i] = u[i];
    loop->arrives = loop->arrives < loop->ndelay ? loop->arrives + 1 : 0;
}

// One second in ten the body is pushed from the side, in a direction of its own.
static void push(tact_mpc_loop *loop, int body, tact_real time, uint64_t number) {
    tact_plant *plant = &loop->plant;
    tact_real part = time - (tact_real)floor((double)time);
    if (!(loop->settings.push > 0) || part >= PUSH_TIME - loop->control.tick / 2) {
        plant->push = tact_vec3_make(0, 0, 0);
    } else if (tact_vec3_dot(plant->push, plant->push) == 0) {
        double around =
            (double)draw_uniform(loop, (int)(number % 1000000000), 4, -TACT_REAL(3.14159265358979), TACT_REAL(3.14159265358979));
        plant->push =
            tact_vec3_make(loop->settings.push * (tact_real)cos(around), loop->settings.push * (tact_real)sin(around), 0);
        plant->pushed = body;
    }
}

// Where the plant is at the end of a tick: reached is within the tolerances for as long as the goal asks, dropped is far below.
// A tick that the plant did not end counts for neither.
static void judge(tact_mpc_loop *loop, const tact_goal *goal, const tact_pose_goal *pose, tact_real held[2],
                  tact_mpc_loop_outcome *outcome) {
    tact_real tick = loop->control.tick;
    tact_vec3 up = tact_vec3_scale(-1, loop->step.gravity);
    tact_real weight = length(up);
    tact_pose_error error = find_error(loop, pose);
    outcome->angle = goal->oriented ? length(error.rotation) : 0;
    outcome->position = length(error.position);
    if (outcome->failed) return;
    bool within = outcome->angle < goal->angle_tolerance && outcome->position < goal->position_tolerance;
    // 1 - (q.q*)^2 = sin^2 of half the angle
    tact_real half = (tact_real)sin((double)outcome->angle / 2);
    bool near = half * half < JIN_TURN && outcome->position < JIN_POSITION;
    held[0] = within ? held[0] + tick : 0;
    held[1] = near ? held[1] + tick : 0;
    outcome->success = held[0] >= goal->hold - tick / 2 && within;
    outcome->jin = outcome->jin || held[1] >= JIN_HOLD - tick / 2;
    outcome->dropped = weight > 0 && tact_vec3_dot(error.position, up) < (loop->begun < 0 ? loop->begun : 0) - DROP * weight;
}

// Sorts the times of the solves, and adds the goal to the totals.
static void count(tact_mpc_loop *loop, tact_mpc_loop_outcome *outcome) {
    long long counted = outcome->solves < loop->room ? outcome->solves : loop->room;
    qsort(loop->spent, (size_t)counted, sizeof(double), tact_compare_numbers);
    outcome->median = quantile(loop->spent, counted, 0.5);
    outcome->p99 = quantile(loop->spent, counted, 0.99);
    outcome->worst = quantile(loop->spent, counted, 1);
    loop->solves += outcome->solves;
    loop->late += outcome->late;
    loop->unanswered += outcome->unanswered;
    loop->worst = outcome->worst > loop->worst ? outcome->worst : loop->worst;
    loop->goals++;
    loop->reached += outcome->success;
    loop->dropped += outcome->dropped;
    loop->failed += outcome->failed;
}

// Puts the plant to the start, holding. False: it did not begin.
static bool begin_goal(tact_mpc_loop *loop, int body) {
    if (loop->settings.off.size > 1) tact_disturb_raise(loop->plant.world.scene, &loop->plant.world.work, body, false, loop->q);
    bool begun = tact_plant_reset(&loop->plant, loop->q);
    tact_mpc_reset(&loop->mpc, loop->q);
    for (int i = 0; i <= loop->ndelay; i++) send(loop, loop->mpc.last);
    return begun;
}

// The command that has arrived acts for a tick.
static void step_plant(tact_mpc_loop *loop, tact_mpc_loop_outcome *outcome) {
    outcome->failed = !tact_plant_step(&loop->plant, arriving(loop), loop->control.tick);
    outcome->failure = loop->plant.failure;
    outcome->step = outcome->failed ? loop->plant.steps : 0;
}

tact_mpc_loop_outcome tact_mpc_loop_run(tact_mpc_loop *loop, const tact_goal *goal) {
    tact_pose_goal pose = tact_control_goal(loop->world.scene, goal);
    tact_mpc_loop_outcome outcome = {0};
    tact_real held[2] = {0}, tick = loop->control.tick;
    bool first = !loop->settings.endless || loop->goals == 0;
    outcome.failed = first && !begin_goal(loop, goal->body);
    loop->wanted = goal->orientation;
    bool guided = loop->guide.map && goal->oriented && goal->body == loop->world.scene->goal.body;
    // the grasps that lead to the goal, if it is that of the map's body
    if (guided) tact_roadmap_guide_begin(&loop->guide, &loop->mpc, &pose, loop->plant.world.state.q);
    tact_pose_error before = find_error(loop, &pose);
    outcome.inside = length(before.position) < goal->position_tolerance &&
                     (!goal->oriented || length(before.rotation) < goal->angle_tolerance);
    outcome.position = length(before.position);
    // height at the start, by which a drop is noticed
    loop->begun = -tact_vec3_dot(before.position, loop->step.gravity);
    outcome.angle = goal->oriented ? length(before.rotation) : 0;
    if (loop->bar) tact_progress_begin(loop->bar, (long long)(loop->settings.time / tick + TACT_REAL(0.5)), true);
    bool going = !outcome.failed && (!first || add_trace(loop, true));
    while (going && outcome.time < loop->settings.time - tick / 2) {
        outcome.stopped = loop->go_on && !loop->go_on();
        if (outcome.stopped) break;
        uint64_t number = (uint64_t)(loop->solves + outcome.solves);
        // measure with noise, solve, send by way of the delay, step the plant, judge
        measure(loop, goal, number);
        double begin = loop->clock();
        tact_mpc_options control = loop->control;
        tact_pose_goal next = pose;
        if (guided) next = tact_roadmap_guide_goal(&loop->guide, &loop->mpc, &control, loop->measured);
        tact_status status = tact_mpc_solve(&loop->mpc, &loop->step, &control, &next, loop->measured);
        double spent = 1e3 * (loop->clock() - begin);
        if (status < 0 && loop->unanswered + outcome.unanswered++ == 0) {
            loop->why = tact_step_explain(&loop->world.scene->model, &loop->mpc.work);
            loop->when = outcome.time;
            loop->ended = loop->mpc.steps + 1;
        }
        if (outcome.solves < loop->room) loop->spent[outcome.solves] = spent;
        outcome.late += spent > 1e3 * (double)tick;
        outcome.solves++;
        send(loop, loop->mpc.last);
        push(loop, goal->body, outcome.time, number);
        step_plant(loop, &outcome);
        if (!outcome.failed) outcome.time += tick;
        judge(loop, goal, &pose, held, &outcome);
        going = !outcome.failed && add_trace(loop, false) && !outcome.success && !outcome.dropped;
        if (loop->bar) tact_progress_show(loop->bar, outcome.solves);
    }
    if (loop->bar) tact_progress_end(loop->bar);
    count(loop, &outcome);
    outcome.legs = guided ? loop->guide.legs : 0;
    return outcome;
}

// The pose of the goal's body at loop->q becomes the goal.
static void set_goal_there(tact_mpc_loop *loop, tact_goal *goal) {
    tact_kinematics_update(&loop->mpc.pose, &loop->world.scene->model, loop->q);
    const tact_pose *pose = &loop->mpc.pose.pose[goal->body];
    goal->position = pose->p;
    goal->orientation = tact_quat_from_matrix(pose->R);
}

// A goal in which the plant's body would lie within what no joint moves, as a turned cube within the palm, is raised until it
// touches it.
static void raise_goal(tact_mpc_loop *loop, tact_goal *goal) {
    const tact_scene *scene = loop->plant.world.scene;
    const tact_body *body = &scene->model.body[goal->body];
    tact_real *q = loop->q + body->q, begin[7];
    for (int i = 0; i < 7; i++) begin[i] = q[i];
    tact_vec3 p = tact_mat3_apply_transposed(body->place.R, tact_vec3_sub(goal->position, body->place.p));
    q[0] = p.x, q[1] = p.y, q[2] = p.z;
    q[3] = goal->orientation.w, q[4] = goal->orientation.x, q[5] = goal->orientation.y, q[6] = goal->orientation.z;
    tact_disturb_raise(scene, &loop->plant.world.work, goal->body, true, loop->q);
    p = tact_vec3_make(q[0], q[1], q[2]);
    goal->position = tact_vec3_add(body->place.p, tact_mat3_apply(body->place.R, p));
    for (int i = 0; i < 7; i++) q[i] = begin[i];
}

// A start by its number: the goal's body turned by a random yaw, or about its hinge.
static void draw_start(tact_mpc_loop *loop, int number, int attempt) {
    const tact_model *model = &loop->world.scene->model;
    const tact_real pi = TACT_REAL(3.14159265358979323846);
    const tact_body *body = &model->body[loop->world.scene->goal.body];
    tact_real *q = loop->q + body->q, yaw = draw_uniform(loop, number, attempt > 0 ? 4 + attempt : 0, -pi, pi);
    for (int i = 0; i < model->nq; i++) loop->q[i] = model->q0[i];
    if (body->joint != TACT_JOINT_FREE) {
        q[0] += yaw;
        return;
    }
    tact_quat start = {q[3], q[4], q[5], q[6]};
    start = tact_quat_multiply(tact_rotation_exp(tact_vec3_make(0, 0, yaw)), start);
    q[3] = start.w, q[4] = start.x, q[5] = start.y, q[6] = start.z;
}

// Whether the body stays where the start has put it while the plant holds its command.
static bool stands(tact_mpc_loop *loop, int body) {
    const tact_model *model = &loop->plant.world.scene->model;
    tact_work *work = &loop->plant.world.work;
    tact_pose_goal here = {.body = body};
    if (!begin_goal(loop, body)) return false;
    // what overlaps is pushed apart
    tact_kinematics_update(&work->kinematics, model, loop->q);
    tact_contacts_detect(&work->contacts, model, &work->kinematics, 0, NULL);
    for (int i = 0; i < work->contacts.count; i++) {
        const tact_contact *contact = &work->contacts.contact[i];
        const tact_pair *pair = &model->pair[contact->pair];
        bool own = model->shape[pair->a].body == body || model->shape[pair->b].body == body;
        if (own && contact->gap < -STAND_DEPTH) return false;
    }
    tact_kinematics_update(&loop->mpc.pose, &loop->world.scene->model, loop->q);
    here.position = loop->mpc.pose.pose[body].p;
    here.orientation = tact_quat_from_matrix(loop->mpc.pose.pose[body].R);
    if (!tact_plant_step(&loop->plant, loop->mpc.last, STAND_TIME)) return false;
    tact_pose_error moved = find_error(loop, &here);
    return length(moved.position) < STAND_POSITION && length(moved.rotation) < STAND_ANGLE;
}

void tact_mpc_loop_draw_goal(tact_mpc_loop *loop, const tact_mpc_loop_draw *how, int number, tact_goal *goal) {
    const tact_goal *base = &loop->world.scene->goal;
    const tact_model *model = &loop->world.scene->model;
    const tact_real pi = TACT_REAL(3.14159265358979323846);
    tact_real *q = loop->q + model->body[base->body].q;
    bool first = !loop->settings.endless || loop->goals == 0, standing = !first;
    for (int i = 0; i < model->nq && !first; i++) loop->q[i] = loop->plant.world.state.q[i];
    // a body that falls or slides away by itself is not a start
    for (int attempt = 0; attempt < YAWS && !standing; attempt++) {
        draw_start(loop, number, attempt);
        standing = stands(loop, base->body);
    }
    if (!standing) {
        loop->restless++;
        draw_start(loop, number, 0);
    }
    *goal = *base;
    goal->oriented = true;
    if (model->body[base->body].joint != TACT_JOINT_FREE) {
        // a hinge: its angle is drawn instead
        tact_real begin = q[0];
        q[0] = begin + draw_uniform(loop, number, 1, -how->within, how->within);
        set_goal_there(loop, goal);
        q[0] = begin;
        return;
    }
    tact_vec3 axis = {0, 0, 1};
    tact_quat start = {q[3], q[4], q[5], q[6]};
    tact_real angle = draw_uniform(loop, number, 1, -how->within, how->within);
    if (how->any) {
        // a direction uniform on the sphere
        tact_real z = draw_uniform(loop, number, 2, -1, 1), around = draw_uniform(loop, number, 3, -pi, pi);
        tact_real across = (tact_real)sqrt((double)(1 - z * z));
        axis = tact_vec3_make(across * (tact_real)cos((double)around), across * (tact_real)sin((double)around), z);
    }
    if (how->quarter) {
        // R* = R exp(+-90 degrees e_k), from where the body was to be
        static const tact_vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        int side = (int)draw_uniform(loop, number, 2, 0, 6) % 6;
        tact_vec3 turn = tact_vec3_scale((side < 3 ? 1 : -1) * pi / 2, axes[side % 3]);
        goal->orientation = tact_quat_normalize(tact_quat_multiply(first ? start : loop->wanted, tact_rotation_exp(turn)));
    } else {
        goal->orientation = tact_quat_multiply(tact_rotation_exp(tact_vec3_scale(angle, axis)), start);
    }
    raise_goal(loop, goal);
}

// Opens the simulated plant: its scene, law and time step.
static int open_plant(tact_mpc_loop *loop, const tact_call *call, const char *path) {
    const char *law = loop->settings.plant, *scene = loop->settings.plant_scene;
    bool mujoco = law && strcmp(law, "mujoco") == 0, quasistatic = law && strcmp(law, "barrier") == 0;
    if (scene && law && !mujoco)
        return tact_say_usage(call->command, "--plant: not with --plant-scene, whose law is its own (--plant-set law=%s)", law);
    // of the scene itself as a plant: small steps, crisp contacts, and a barrier law that hardly drags; --plant-set comes after
    // them
    static const char *const own[] = {"options.kappa=1e4", "options.epsilon=1"};
    const char *set[SETTINGS_MAX];
    int at = 0, count = 0;
    for (int i = 0; !scene && quasistatic && i < 2; i++) set[count++] = own[i];
    const char *word = tact_call_next(call, "--plant-set", &at);
    for (; count < SETTINGS_MAX && word; word = tact_call_next(call, "--plant-set", &at)) set[count++] = word;
    tact_plant_settings settings = {
        .scene = scene ? scene : path, .set = set, .nset = count, .mujoco = mujoco, .disturbance = loop->settings.off};
    settings.law = mujoco ? "rigid" : law ? law : scene ? NULL : "rigid";
    // whole steps in a tick; the barrier law makes one
    if (!scene) settings.dt = tact_control_plant_dt(&loop->control, quasistatic);
    settings.disturbance.body = loop->world.scene->goal.body;
    int code = tact_plant_open(&loop->plant, call, &settings);
    if (code != TACT_EXIT_DONE) return code;
    const tact_model *model = &loop->world.scene->model, *plant = &loop->plant.world.scene->model;
    bool same = model->nv == plant->nv && model->nq == plant->nq && model->nu == plant->nu && model->nbody == plant->nbody;
    for (int i = 0; same && i < model->nbody; i++)
        same = strcmp(tact_joint_name(model, i).text, tact_joint_name(plant, i).text) == 0;
    if (same) return TACT_EXIT_DONE;
    tact_say("%s: error: the plant's joints are not those of the scene, in the same order", call->command->name);
    return TACT_EXIT_REFUSED;
}

// The roadmap of the scene, if one is asked for.
static int open_roadmap(tact_mpc_loop *loop) {
    tact_errors errors = {0};
    if (!loop->settings.roadmap) return TACT_EXIT_DONE;
    if (!tact_roadmap_read(&loop->map, loop->world.scene, loop->settings.roadmap, &errors)) return tact_say_errors(&errors);
    if (tact_roadmap_guide_open(&loop->guide, &loop->map)) return TACT_EXIT_DONE;
    return tact_say_no_memory("");
}

int tact_mpc_loop_open(tact_mpc_loop *loop, const tact_call *call, const char *path, const tact_mpc_loop_settings *settings) {
    // the controller plans under the barrier law, whatever the plant's
    int code = tact_stage_open_as(call, path, "barrier", NULL, 0, &loop->world);
    if (code != TACT_EXIT_DONE) return code;
    loop->settings = *settings;
    loop->clock = tact_clock;
    // options of the planning steps and of the controller
    tact_control_options(loop->world.scene, loop->settings.rate, &loop->step, &loop->control);
    loop->ndelay = (int)lround((double)(loop->settings.delay / loop->control.tick));
    double solves = ceil((double)(loop->settings.time / loop->control.tick)) + 1;
    loop->room = solves < SOLVES_MAX ? (long long)solves : SOLVES_MAX;
    const char *fault = NULL;
    if (loop->world.scene->model.nu == 0)
        fault = "the scene has no driven joint: \"drives\": [{\"joint\": NAME, \"stiffness\": 100}] drives one";
    if (loop->world.scene->goal.body < 0 && (settings->off.mass != 1 || settings->off.size != 1 || settings->push > 0))
        fault = "--plant-mass, --plant-size and --push are those of the goal's body, and the scene has no goal";
    if (fault) {
        tact_say("%s: error: %s", call->command->name, fault);
        return TACT_EXIT_REFUSED;
    }
    code = open_plant(loop, call, path);
    if (code != TACT_EXIT_DONE) return code;
    loop->memory = tact_memory_place(place_loop, loop);
    if (loop->memory) return open_roadmap(loop);
    return tact_say_no_memory("");
}

void tact_mpc_loop_close(tact_mpc_loop *loop) {
    tact_memory_release(loop->memory);
    tact_roadmap_guide_close(&loop->guide);
    tact_roadmap_free(&loop->map);
    tact_plant_close(&loop->plant);
    tact_stage_close(&loop->world);
}
