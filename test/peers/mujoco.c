// SPDX-License-Identifier: MIT
// peer: library mujoco (Debian: libmujoco-dev)
// The seed's hand over its ball in MuJoCo: the same tree, masses, spheres at the fingertips, ball and table, position drives of
// the same stiffness, steps of 10 ms. What differs: MuJoCo integrates velocities, its contacts are soft constraints that begin at
// touching, its inertias need a floor (armature) for a step of 10 ms; Tact's step is quasidynamic, finds forces before contact
// and converges to rounding. Both do the first step from the same states.
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

enum { ROUNDS = 9, STEPS = 2000 };

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

// q of both models has the same order: bodies as listed, the ball last
static double time_mujoco(const mjModel *model, mjData *data, const peer_case *item, int *contacts) {
    mj_resetData(model, data);
    for (int i = 0; i < model->nq; i++) data->qpos[i] = (double)item->q[i];
    for (int i = 0; i < model->nu; i++) data->ctrl[i] = (double)item->u[i];
    mj_forward(model, data);
    double *start = malloc(sizeof(double) * (size_t)model->nq), spent = 0;
    memcpy(start, data->qpos, sizeof(double) * (size_t)model->nq);
    *contacts = 0;
    double begin = peer_clock();
    for (int k = 0; k < STEPS / 16; k++) {
        memcpy(data->qpos, start, sizeof(double) * (size_t)model->nq);
        memset(data->qvel, 0, sizeof(double) * (size_t)model->nv);
        mj_step(model, data);
        *contacts += data->ncon;
    }
    spent = (peer_clock() - begin) / (STEPS / 16);
    free(start);
    return spent;
}

int main(void) {
    char message[TACT_ERROR_LENGTH];
    tact_scene *lesson = tact_scene_load("data/scenes/lesson.json", message, sizeof message);
    if (!lesson) return puts(message), 1;
    int ball = lesson->model.nbody - 1;
    mjModel *model = make_model(lesson, ball);
    if (!model || model->nq != lesson->model.nq || model->nu != lesson->model.nu) return puts("mujoco: no model of the hand"), 1;
    mjData *data = mj_makeData(model);
    peer_cases cases = peer_load(lesson);
    double ours[400], theirs[400], ratio[400];
    int count = 0, touching = 0;
    for (int i = 0; i < cases.count; i++) {
        double own[ROUNDS], other[ROUNDS];
        int contacts = 0;
        if (!cases.item[i].step) continue;
        for (int round = 0; round < ROUNDS; round++) {
            double begin = peer_clock();
            for (int k = 0; k < STEPS / 16; k++) peer_step(lesson, &cases.item[i]);
            own[round] = (peer_clock() - begin) / (STEPS / 16);
            other[round] = time_mujoco(model, data, &cases.item[i], &contacts);
        }
        ours[count] = peer_median(own, ROUNDS);
        theirs[count] = peer_median(other, ROUNDS);
        ratio[count] = theirs[count] / ours[count];
        touching += contacts > 0;
        count++;
    }
    double middle = peer_median(ratio, count);
    printf("MuJoCo %s: steps of the hand of 10 ms, %d states: tact %.2f us, MuJoCo %.2f us, ratio %.1f (%.1f to %.1f); contacts "
           "there in %d\n",
           mj_versionString(), count, 1e6 * peer_median(ours, count), 1e6 * peer_median(theirs, count), middle, ratio[0],
           ratio[count - 1], touching);
    mj_deleteData(data);
    mj_deleteModel(model);
    tact_scene_free(lesson);
    return 0;
}
