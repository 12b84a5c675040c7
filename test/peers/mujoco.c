// SPDX-License-Identifier: MIT
// peer: library mujoco (Debian: libmujoco-dev)
// The seed's hand over its ball in MuJoCo: the same tree, masses, spheres at the fingertips, ball and table, position drives of
// the same stiffness, steps of 10 ms from the same states, one after the other and many scenes in threads. MuJoCo has its own
// warm start in both: that of the step it repeats.
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include "peer.h"
#include "tact/lanes.h"

// scenes side by side in a thread, and how often they step
enum { ROUNDS = 9, REPEAT = 100, SCENES = 400, ALIKE = 8, PASSES = 4, THREADS = 2 };

static const char differs[] =
    "What differs. MuJoCo integrates velocities, semi-implicitly; contacts are soft constraints that begin at touching (margin 1 "
    "mm\n"
    "here, pyramidal cones); joints have an armature of 1e-3 and damping of 0.02, without which 10 ms are unstable; Newton to "
    "1e-8.\n"
    "Tact's barrier step is quasidynamic: no velocities, forces before touching, exact cones, solved to rounding.\n";

static char *xml;
static size_t used, room;

static void say(const char *format, ...) {
    va_list list;
    if (room - used < 4096) xml = realloc(xml, room += 1 << 16);
    if (!xml) abort();
    va_start(list, format);
    used += (size_t)vsnprintf(xml + used, room - used, format, list);
    va_end(list);
}

static void say_place(tact_pose pose) {
    // the first two columns of the rotation
    say(" pos=\"%.17g %.17g %.17g\" xyaxes=\"%.17g %.17g %.17g %.17g %.17g %.17g\"", (double)pose.p.x, (double)pose.p.y,
        (double)pose.p.z, (double)pose.R.m[0][0], (double)pose.R.m[1][0], (double)pose.R.m[2][0], (double)pose.R.m[0][1],
        (double)pose.R.m[1][1], (double)pose.R.m[2][1]);
}

static void say_joint(const tact_model *model, int b) {
    const tact_body *body = &model->body[b];
    const char *type = body->joint == TACT_JOINT_PRISMATIC ? "slide" : "hinge";
    if (body->joint == TACT_JOINT_TRANSLATION) {
        for (int k = 0; k < 3; k++) say("<joint name=\"%d_%d\" type=\"slide\" axis=\"%d %d %d\"/>", b, k, k == 0, k == 1, k == 2);
    } else if (body->joint != TACT_JOINT_FIXED) {
        say("<joint name=\"%d_0\" type=\"%s\" axis=\"%.17g %.17g %.17g\" limited=\"false\" armature=\"1e-3\" damping=\"0.02\"/>",
            b, type, (double)body->axis.x, (double)body->axis.y, (double)body->axis.z);
    }
}

// bit 1: the ball, bit 2: what it may touch
static void say_shapes(const tact_model *model, int b, int ball) {
    for (int i = 0; i < model->nshape; i++) {
        const tact_shape *shape = &model->shape[i];
        if (shape->body != b) continue;
        const char *type = shape->type == TACT_SHAPE_SPHERE ? "sphere" : "plane";
        say("<geom type=\"%s\" size=\"%.17g %s\" contype=\"%d\" conaffinity=\"%d\" friction=\"0.5 0 0\" condim=\"3\" "
            "margin=\"0.001\"",
            type, shape->type == TACT_SHAPE_SPHERE ? (double)shape->size[0] : 1.0, shape->type == TACT_SHAPE_SPHERE ? "" : "1 1",
            b == ball ? 1 : 2, b == ball ? 2 : 1);
        say_place(shape->place);
        say("/>");
    }
}

// bodies below a parent, depth first by hand: the tree lists parents before children
static void say_bodies(const tact_model *model, int ball) {
    int stack[256], depth = 0, next[256];
    stack[0] = TACT_WORLD;
    next[0] = 0;
    while (depth >= 0) {
        int b = next[depth];
        while (b < model->nbody && model->body[b].parent != stack[depth]) b++;
        if (b >= model->nbody) {
            if (depth > 0) say("</body>");
            depth--;
            continue;
        }
        const tact_body *body = &model->body[b];
        next[depth] = b + 1;
        say("<body");
        say_place(body->place);
        const tact_real *I = body->inertia;
        double floor_of = body->mass > 0 ? 0 : 1e-6;
        say("><inertial pos=\"%.17g %.17g %.17g\" mass=\"%.17g\" diaginertia=\"%.17g %.17g %.17g\"/>", (double)body->com.x,
            (double)body->com.y, (double)body->com.z, (double)body->mass + floor_of, (double)I[0] + floor_of,
            (double)I[1] + floor_of, (double)I[2] + floor_of);
        say_joint(model, b);
        say_shapes(model, b, ball);
        stack[++depth] = b;
        next[depth] = b + 1;
    }
}

static void say_drives(const tact_model *model) {
    say("<actuator>");
    for (int i = 0; i < model->nv; i++) {
        if (model->dof[i].u < 0) continue;
        say("<position joint=\"%d_0\" kp=\"%.17g\"/>", model->dof[i].body, (double)model->dof[i].stiffness);
    }
    say("</actuator>");
}

static mjModel *make_model(const tact_scene *scene, int ball) {
    static mjVFS files;
    char message[1000];
    say("<mujoco><option timestep=\"0.01\" gravity=\"0 0 -9.81\"/><compiler balanceinertia=\"true\" boundmass=\"1e-6\" "
        "boundinertia=\"1e-9\"/><worldbody>");
    say_shapes(&scene->model, TACT_WORLD, ball);
    say_bodies(&scene->model, ball);
    say("</worldbody>");
    say_drives(&scene->model);
    say("</mujoco>");
    mj_defaultVFS(&files);
    if (mj_makeEmptyFileVFS(&files, "hand.xml", (int)used) < 0) return NULL;
    memcpy(files.filedata[0], xml, used);
    mjModel *model = mj_loadXML("hand.xml", &files, message, sizeof message);
    if (!model) puts(message);
    return model;
}

typedef enum { COLD, WARM, MUJOCO_COLD, MUJOCO_WARM, SIDES } batch_side;

// What both sides step, and where it is on each.
typedef struct {
    const tact_scene *lesson;
    const mjModel *model;
    int count;               // states
    const peer_case **item;  // (count)
    double *warm;            // (count, nv) MuJoCo's accelerations of the step that is repeated
    tact_state *cold_from;   // (count)
    tact_state *warm_from;   // (count) with the forces of the step that is repeated
} setting;

// q of both models has the same order: bodies as listed, the ball last
static int step_mujoco(const setting *s, mjData *data, int i, bool warm) {
    size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv, nu = (size_t)s->model->nu;
    memcpy(data->qpos, s->item[i]->q, nq * sizeof(double));
    memcpy(data->ctrl, s->item[i]->u, nu * sizeof(double));
    memset(data->qvel, 0, nv * sizeof(double));
    memset(data->qacc_warmstart, 0, nv * sizeof(double));
    if (warm) memcpy(data->qacc_warmstart, s->warm + (size_t)i * nv, nv * sizeof(double));
    mj_step(s->model, data);
    return data->ncon;
}

static tact_state make_state(const tact_model *model) {
    tact_state state;
    size_t size = tact_state_size(model);
    if (tact_state_init(&state, model, malloc(size), size) < 0) abort();
    return state;
}

// A work of its own for each thread, as a tact_lanes and an mjData are.
static void make_work(const tact_model *model, tact_work *work) {
    size_t size = tact_work_size(model);
    if (tact_work_init(work, model, malloc(size), size) < 0) abort();
}

// All states with their warm starts on both sides; how many touch something in MuJoCo.
static int prepare(setting *s, const peer_cases *cases, mjData *data) {
    const tact_model *model = &s->lesson->model;
    size_t most = (size_t)cases->count + 1;
    tact_work work;
    int touching = 0;
    make_work(model, &work);
    s->item = calloc(most, sizeof *s->item);
    s->warm = calloc(most * (size_t)s->model->nv, sizeof *s->warm);
    s->cold_from = calloc(most, sizeof *s->cold_from);
    s->warm_from = calloc(most, sizeof *s->warm_from);
    if (!s->item || !s->warm || !s->cold_from || !s->warm_from) abort();
    for (int k = 0; k < cases->count; k++) {
        const peer_case *item = &cases->item[k];
        int i = s->count;
        if (!item->step) continue;
        s->item[s->count++] = item;
        touching += step_mujoco(s, data, i, false) > 0;
        memcpy(s->warm + (size_t)(i * s->model->nv), data->qacc_warmstart, (size_t)s->model->nv * sizeof(double));
        s->cold_from[i] = make_state(model);
        s->warm_from[i] = make_state(model);
        tact_input input = {.u = item->u};
        for (int from = 0; from < 2; from++) {
            tact_state *state = from ? &s->warm_from[i] : &s->cold_from[i];
            memcpy(state->q, item->q, (size_t)model->nq * sizeof *state->q);
            if (from && tact_step(model, &s->lesson->options, &input, state, &work) < 0) abort();
            memcpy(state->q, item->q, (size_t)model->nq * sizeof *state->q);
        }
    }
    return touching;
}

// Seconds of processor for a step of a state.
static double time_tact(const setting *s, int i, bool warm, tact_state *state, tact_work *work) {
    const tact_model *model = &s->lesson->model;
    tact_options options = s->lesson->options;
    tact_input input = {.u = s->item[i]->u};
    options.warm_start = warm;
    double begin = peer_processor();
    for (int k = 0; k < REPEAT; k++) {
        tact_state_copy(state, warm ? &s->warm_from[i] : &s->cold_from[i], model);
        tact_step(model, &options, &input, state, work);
    }
    return (peer_processor() - begin) / REPEAT;
}

static double time_mujoco(const setting *s, int i, bool warm, mjData *data) {
    double begin = peer_processor();
    for (int k = 0; k < REPEAT; k++) step_mujoco(s, data, i, warm);
    return (peer_processor() - begin) / REPEAT;
}

static void compare_single(const setting *s, mjData *data) {
    double time[SIDES][400], ratio[2][400];
    tact_state state = make_state(&s->lesson->model);
    tact_work work;
    make_work(&s->lesson->model, &work);
    for (int i = 0; i < s->count; i++) {
        double sample[SIDES][ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            for (int warm = 0; warm < 2; warm++) sample[COLD + warm][round] = time_tact(s, i, warm == 1, &state, &work);
            for (int warm = 0; warm < 2; warm++) sample[MUJOCO_COLD + warm][round] = time_mujoco(s, i, warm == 1, data);
        }
        for (int side = 0; side < SIDES; side++) time[side][i] = peer_median(sample[side], ROUNDS);
        for (int warm = 0; warm < 2; warm++) ratio[warm][i] = time[MUJOCO_COLD + warm][i] / time[COLD + warm][i];
    }
    puts("one thread, us of processor a step, medians    tact   MuJoCo    ratio    least     most");
    for (int warm = 0; warm < 2; warm++) {
        double middle = peer_median(ratio[warm], s->count), ours = peer_median(time[COLD + warm], s->count);
        printf("  %-40s %8.2f %8.2f %8.1f %8.1f %8.1f\n", warm ? "warm" : "cold", 1e6 * ours,
               1e6 * peer_median(time[MUJOCO_COLD + warm], s->count), middle, ratio[warm][0], ratio[warm][s->count - 1]);
    }
}

// A thread's share of a batch.
typedef struct {
    const setting *s;
    batch_side side;
    int alike;  // neighbours that are in the same state
    mjData *data;
    tact_lanes lanes;
    const tact_model *model[SCENES];
    tact_options options[SCENES];
    tact_input input[SCENES];
    tact_state state[SCENES];
    tact_status status[SCENES];
    double processor;  // [s] that it took
} share;

static share *make_share(const setting *s) {
    share *own = calloc(1, sizeof *own);
    const tact_model *model = &s->lesson->model;
    size_t size = tact_lanes_size(model, 0);
    if (!own || tact_lanes_init(&own->lanes, model, 0, malloc(size), size) < 0) abort();
    own->s = s;
    own->data = mj_makeData(s->model);
    for (int k = 0; k < SCENES; k++) {
        own->model[k] = model;
        own->options[k] = s->lesson->options;
        own->state[k] = make_state(model);
    }
    return own;
}

static void *run_share(void *context) {
    share *own = context;
    const setting *s = own->s;
    bool warm = own->side == WARM || own->side == MUJOCO_WARM, mujoco = own->side >= MUJOCO_COLD;
    double begin = peer_processor();
    for (int pass = 0; pass < PASSES; pass++) {
        for (int k = 0; k < SCENES; k++) {
            int i = k / own->alike % s->count;
            own->options[k].warm_start = warm;
            own->input[k].u = s->item[i]->u;
            if (mujoco) step_mujoco(s, own->data, i, warm);
            if (!mujoco) tact_state_copy(&own->state[k], warm ? &s->warm_from[i] : &s->cold_from[i], own->model[k]);
        }
        if (!mujoco) tact_lanes_step(&own->lanes, SCENES, own->model, own->options, own->input, own->state, own->status, NULL);
    }
    own->processor = peer_processor() - begin;
    return NULL;
}

typedef struct {
    double wall, processor;  // [s] a step
} batch_time;

static batch_time run_batch(share **own, int threads, batch_side side) {
    pthread_t thread[THREADS];
    batch_time sum = {0};
    double begin = peer_clock();
    for (int t = 0; t < threads; t++) {
        own[t]->side = side;
        if (pthread_create(&thread[t], NULL, run_share, own[t]) != 0) abort();
    }
    for (int t = 0; t < threads; t++) pthread_join(thread[t], NULL);
    sum.wall = (peer_clock() - begin) / (threads * SCENES * PASSES);
    for (int t = 0; t < threads; t++) sum.processor += own[t]->processor / (threads * SCENES * PASSES);
    return sum;
}

// Both sides in turn, so that what else runs meets both.
static void compare_batch(share **own, int threads) {
    double wall[SIDES][ROUNDS], processor[SIDES][ROUNDS], by_wall[2][ROUNDS], by_processor[2][ROUNDS];
    for (int round = -1; round < ROUNDS; round++) {
        batch_time found[SIDES];
        for (int s = 0; s < SIDES; s++) found[s] = run_batch(own, threads, (batch_side)s);
        for (int s = 0; s < SIDES && round >= 0; s++) {
            wall[s][round] = found[s].wall;
            processor[s][round] = found[s].processor;
        }
        for (int warm = 0; warm < 2 && round >= 0; warm++) {
            by_wall[warm][round] = found[MUJOCO_COLD + warm].wall / found[COLD + warm].wall;
            by_processor[warm][round] = found[MUJOCO_COLD + warm].processor / found[COLD + warm].processor;
        }
    }
    for (int warm = 0; warm < 2; warm++)
        printf("  %d %-8s %-6s %-6s %9.0f %9.0f %7.1f %17.0f %9.0f %7.1f\n", threads, threads > 1 ? "threads" : "thread",
               own[0]->alike > 1 ? "alike" : "mixed", warm ? "warm" : "cold", 1 / peer_median(wall[COLD + warm], ROUNDS),
               1 / peer_median(wall[MUJOCO_COLD + warm], ROUNDS), peer_median(by_wall[warm], ROUNDS),
               1 / peer_median(processor[COLD + warm], ROUNDS), 1 / peer_median(processor[MUJOCO_COLD + warm], ROUNDS),
               peer_median(by_processor[warm], ROUNDS));
}

int main(void) {
    char message[TACT_ERROR_LENGTH];
    tact_scene *lesson = tact_scene_load("data/scenes/lesson.json", message, sizeof message);
    if (!lesson) return puts(message), 1;
    if (sizeof(tact_real) != sizeof(double)) return puts("MuJoCo is compared in double precision"), 1;
    mjModel *model = make_model(lesson, lesson->model.nbody - 1);
    if (!model || model->nq != lesson->model.nq || model->nu != lesson->model.nu) return puts("mujoco: no model of the hand"), 1;
    mjData *data = mj_makeData(model);
    peer_cases cases = peer_load(lesson);
    setting s = {.lesson = lesson, .model = model};
    int touching = prepare(&s, &cases, data);
    share *own[THREADS];
    for (int t = 0; t < THREADS; t++) own[t] = make_share(&s);
    printf("MuJoCo %s: steps of the hand of 10 ms from %d states, of which %d touch something there\n%s", mj_versionString(),
           s.count, touching, differs);
    compare_single(&s, data);
    printf("%d scenes a thread, mixed: neighbours in other states, alike: %d in the same; tact: %d lanes; medians of %d\n",
           SCENES, ALIKE, own[0]->lanes.width, ROUNDS);
    puts("  steps a second             tact    MuJoCo   ratio   of processor:  tact    MuJoCo   ratio");
    for (int alike = 1; alike <= ALIKE; alike += ALIKE - 1) {
        for (int t = 0; t < THREADS; t++) own[t]->alike = alike;
        for (int threads = 1; threads <= THREADS; threads++) compare_batch(own, threads);
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    tact_scene_free(lesson);
    return 0;
}
