// SPDX-License-Identifier: MIT
// Small models of any numbers: of tame ones most are accepted.
#ifndef TACT_FUZZ_MODEL_H
#define TACT_FUZZ_MODEL_H

#include "fuzz.h"

enum { BODIES = 3, SHAPES = 5, PAIRS = 3, DOFS = 18 };

typedef struct {
    tact_model model;
    tact_body body[BODIES];
    tact_dof dof[DOFS];
    tact_shape shape[SHAPES];
    tact_pair pair[PAIRS];
    tact_vec2 point[SHAPES][5];
    int member[SHAPES][2];
    tact_real q0[DOFS + BODIES], v0[DOFS];
} any_model;

// what is positive in a tame model
static inline tact_real fuzz_size(fuzz_source *source) {
    tact_real x = fuzz_real(source);
    return source->wild ? x : x * x / 8 + TACT_REAL(0.01);
}

static inline tact_pose any_pose(fuzz_source *source) {
    tact_pose pose = tact_pose_identity();
    tact_real x = fuzz_real(source), y = fuzz_real(source), z = fuzz_real(source);
    pose.p = tact_vec3_make(x, y, z);
    if (source->wild && fuzz_below(source, 8) == 0) pose.R.m[fuzz_below(source, 3)][fuzz_below(source, 3)] = fuzz_real(source);
    return pose;
}

// a joint of its own
static inline void any_joint(any_model *any, fuzz_source *source, int b) {
    tact_model *model = &any->model;
    tact_body *body = &any->body[b];
    bool free = body->joint == TACT_JOINT_FREE;
    int dofs = tact_joint_dofs(body->joint), coordinates = tact_joint_coordinates(body->joint);
    body->q = model->nq, body->v = model->nv;
    for (int i = 0; i < dofs; i++) {
        tact_dof *dof = &any->dof[model->nv + i];
        int q = free && i < 3 ? -1 : model->nq + (free ? i - 3 : i);
        *dof = (tact_dof){.body = b, .q = q, .u = -1, .lower = -TACT_MAX, .upper = TACT_MAX};
        if (free || fuzz_below(source, 2) == 0) continue;
        dof->u = model->nu++;
        dof->stiffness = 16 * fuzz_size(source);
        dof->damping = fuzz_size(source);
        if (fuzz_below(source, 2)) dof->lower = fuzz_real(source);
        if (fuzz_below(source, 2)) dof->upper = dof->lower > -TACT_MAX ? dof->lower + fuzz_size(source) : fuzz_real(source);
        dof->force = model->planar && fuzz_below(source, 4) == 0;
        if (dof->force) dof->stiffness = 0;
    }
    for (int i = 0; i < coordinates; i++) any->q0[model->nq + i] = fuzz_real(source) / 4;
    for (int i = 3; i < coordinates && free; i++) any->q0[model->nq + i] = i == 3;
    model->nv += dofs;
    model->nq += coordinates;
}

static inline void any_body(any_model *any, fuzz_source *source, int b) {
    static const tact_joint_type planar[] = {TACT_JOINT_PLANAR, TACT_JOINT_REVOLUTE, TACT_JOINT_PRISMATIC, TACT_JOINT_PLANAR};
    tact_body *body = &any->body[b];
    int parent = fuzz_below(source, b + 1) - 1, joint = fuzz_byte(source), axis = fuzz_below(source, 3);
    *body = (tact_body){.parent = parent, .joint = (tact_joint_type)(joint % 7), .place = any_pose(source), .ratio = 1};
    if (any->model.planar) body->joint = planar[joint % 4];
    body->axis = any->model.planar && body->joint == TACT_JOINT_REVOLUTE ? (tact_vec3){0, 0, 1}
                 : any->model.planar                                     ? (tact_vec3){1, 0, 0}
                                                                         : (tact_vec3){axis == 0, axis == 1, axis == 2};
    body->mass = fuzz_size(source);
    if (!any->model.planar) body->com = (tact_vec3){fuzz_real(source) / 16, 0, 0};
    for (int k = 0; k < 3; k++) body->inertia[k] = fuzz_size(source) + (source->wild ? 0 : 1);
    body->inertia[5] = fuzz_real(source) / 16;
    const tact_body *leader = b > 0 ? &any->body[b - 1] : NULL;
    bool single = leader && tact_joint_dofs(leader->joint) == 1 && leader->ratio == 1 && tact_joint_dofs(body->joint) == 1;
    if (!single || fuzz_below(source, 4)) {
        any_joint(any, source, b);
        return;
    }
    body->q = leader->q, body->v = leader->v;
    body->ratio = fuzz_real(source), body->offset = fuzz_real(source);
}

static inline void any_shape(any_model *any, fuzz_source *source, int i) {
    tact_shape *shape = &any->shape[i];
    int type = fuzz_byte(source);
    *shape = (tact_shape){.body = fuzz_below(source, any->model.nbody + 1) - 1,
                          .type = (tact_shape_type)(type % (TACT_SHAPE_SMOOTH_UNION + 1)),
                          .place = any_pose(source)};
    // a ball first, so that every pair may have one
    if (i == 0) shape->type = any->model.planar ? TACT_SHAPE_CIRCLE : TACT_SHAPE_SPHERE;
    if (any->model.planar && !tact_shape_is_planar(shape->type)) shape->type = TACT_SHAPE_CIRCLE;
    for (int k = 0; k < 4; k++) shape->size[k] = k < 3 || source->wild ? fuzz_size(source) : 0;
    if (!source->wild && shape->type == TACT_SHAPE_RECTANGLE) shape->size[2] = 0;
    if (shape->type == TACT_SHAPE_POLYGON) {
        static const tact_vec2 corner[5] = {{1, 0}, {TACT_REAL(0.3), 1}, {-1, TACT_REAL(0.5)}, {-1, TACT_REAL(-0.5)}, {0, -1}};
        shape->count = 3 + fuzz_below(source, 3);
        for (int k = 0; k < 5; k++) any->point[i][k] = corner[k];
        if (source->wild) any->point[i][fuzz_below(source, 5)].x = fuzz_real(source);
        shape->point = any->point[i];
        if (!source->wild) shape->size[1] = 0;
    }
    if (!tact_shape_is_union(shape->type)) return;
    shape->count = i < 2 ? i : 1 + fuzz_below(source, 2);
    for (int k = 0; k < shape->count; k++) {
        any->member[i][k] = fuzz_below(source, i);
        if (!source->wild) any->shape[any->member[i][k]].body = shape->body;
    }
    shape->member = any->member[i];
}

static inline void make_model(any_model *any, fuzz_source *source) {
    static const tact_law *const laws[] = {&tact_law_barrier, &tact_law_rigid, &tact_law_virtual};
    memset(any, 0, sizeof *any);
    tact_model *model = &any->model;
    model->law = laws[fuzz_below(source, 3)];
    model->planar = model->law == &tact_law_virtual;
    model->nbody = 1 + fuzz_below(source, BODIES);
    model->nshape = fuzz_below(source, SHAPES + 1);
    model->npair = model->nshape > 1 ? fuzz_below(source, PAIRS + 1) : 0;
    for (int b = 0; b < model->nbody; b++) any_body(any, source, b);
    for (int i = 0; i < model->nshape; i++) any_shape(any, source, i);
    for (int i = 0; i < model->npair; i++) {
        int a = source->wild ? fuzz_below(source, model->nshape) : 0, b = fuzz_below(source, model->nshape);
        tact_real mu = fuzz_size(source), restitution = fuzz_size(source);
        any->pair[i] = (tact_pair){a, b, mu, source->wild || restitution < 1 ? restitution : 1, 0};
    }
    fuzz_fill(source, any->v0, model->nv);
    model->body = any->body, model->dof = any->dof, model->shape = any->shape, model->pair = any->pair;
    model->q0 = any->q0, model->v0 = any->v0;
}

#endif
