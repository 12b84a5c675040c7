// SPDX-License-Identifier: MIT
// Small planar models built by hand: bodies on planar joints in the world's x-y plane, shapes, pairs.
#ifndef TACT_TEST_VIRTUAL_SCENE_H
#define TACT_TEST_VIRTUAL_SCENE_H

#include "tact/sim.h"
#include "test.h"

enum { VIRTUAL_BODIES = 8, VIRTUAL_SHAPES = 16, VIRTUAL_PAIRS = 40, VIRTUAL_MEMORY = 1 << 21 };

typedef struct {
    tact_body body[VIRTUAL_BODIES];
    tact_dof dof[3 * VIRTUAL_BODIES];
    tact_shape shape[VIRTUAL_SHAPES];
    tact_pair pair[VIRTUAL_PAIRS];
    tact_vec2 point[VIRTUAL_SHAPES][8];
    tact_real q0[3 * VIRTUAL_BODIES], v0[3 * VIRTUAL_BODIES];
    tact_model model;
    tact_options options;
    tact_state state;
    tact_work work;
    unsigned char memory[3][VIRTUAL_MEMORY];
} virtual_scene;

static inline void virtual_begin(virtual_scene *s) {
    memset(s, 0, sizeof *s);
    s->model = (tact_model){.law = &tact_law_virtual,
                            .planar = true,
                            .body = s->body,
                            .dof = s->dof,
                            .shape = s->shape,
                            .pair = s->pair,
                            .q0 = s->q0,
                            .v0 = s->v0};
    s->options = tact_options_default();
    s->options.gravity = tact_vec3_make(0, 0, 0);
}

// a body with a joint of so many dofs
static inline int virtual_add_body(virtual_scene *s, tact_joint_type joint, double mass, double inertia) {
    int b = s->model.nbody++, dofs = tact_joint_dofs(joint);
    s->body[b] = (tact_body){.parent = TACT_WORLD,
                             .joint = joint,
                             .place = tact_pose_identity(),
                             .axis = {0, 0, 1},
                             .q = s->model.nv,
                             .v = s->model.nv,
                             .ratio = 1,
                             .mass = (tact_real)mass,
                             .inertia = {(tact_real)inertia, (tact_real)inertia, (tact_real)inertia}};
    for (int k = 0; k < dofs; k++)
        s->dof[s->model.nv + k] = (tact_dof){.body = b, .q = s->model.nv + k, .u = -1, .lower = -TACT_MAX, .upper = TACT_MAX};
    s->model.nv = s->model.nq += dofs;
    return b;
}

static inline int virtual_add_shape(virtual_scene *s, int body, tact_shape_type type, double a, double b, double c) {
    int i = s->model.nshape++;
    s->shape[i] = (tact_shape){.body = body, .type = type, .place = tact_pose_identity()};
    s->shape[i].size[0] = (tact_real)a;
    s->shape[i].size[1] = (tact_real)b;
    s->shape[i].size[2] = (tact_real)c;
    return i;
}

// a regular polygon of circumradius r, its first corner at an angle
static inline int virtual_add_polygon(virtual_scene *s, int body, int sides, double r, double angle) {
    int i = virtual_add_shape(s, body, TACT_SHAPE_POLYGON, 1, 0, 0);
    for (int k = 0; k < sides; k++) {
        double at = angle + 2 * 3.14159265358979323846 * k / sides;
        s->point[i][k] = (tact_vec2){(tact_real)(r * cos(at)), (tact_real)(r * sin(at))};
    }
    s->shape[i].count = sides;
    s->shape[i].point = s->point[i];
    return i;
}

static inline void virtual_add_pair(virtual_scene *s, int a, int b, double mu) {
    s->pair[s->model.npair++] = (tact_pair){.a = a, .b = b, .mu = (tact_real)mu};
}

// after this sizes and masses may still change, with virtual_renew
static inline void virtual_end(virtual_scene *s) {
    tact_arena arena = {.memory = s->memory[0], .size = sizeof s->memory[0]};
    for (int i = 0; i < s->model.nv; i++)
        if (s->dof[i].force || s->dof[i].stiffness > 0) s->dof[i].u = s->model.nu++;
    tact_fault fault = tact_model_check(&s->model);
    if (fault.field) printf("    %s %d\n", fault.field, fault.index);
    CHECK_INT(tact_model_prepare(&s->model, &arena), TACT_CONVERGED);
    fault = tact_virtual_check(&s->model);
    if (fault.field) printf("    %s %d\n", fault.field, fault.index);
    CHECK(fault.field == NULL);
    CHECK_INT(tact_state_init(&s->state, &s->model, s->memory[1], sizeof s->memory[1]), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&s->work, &s->model, s->memory[2], sizeof s->memory[2]), TACT_CONVERGED);
}

static inline tact_status virtual_go(virtual_scene *s, const tact_real *u, const tact_wrench *wrench) {
    tact_input input = {.u = u, .wrench = wrench};
    return tact_step(&s->model, &s->options, &input, &s->state, &s->work);
}

// where a parameter is kept
static inline tact_real *virtual_parameter(virtual_scene *s, tact_parameter p) {
    switch (p.kind) {
    case TACT_PARAMETER_KN: return &s->options.kn;
    case TACT_PARAMETER_KD: return &s->options.kd;
    case TACT_PARAMETER_KT: return &s->options.kt;
    case TACT_PARAMETER_TEMPERATURE: return &s->options.temperature;
    case TACT_PARAMETER_MU: return &s->pair[p.index].mu;
    case TACT_PARAMETER_MASS: return &s->body[p.index].mass;
    case TACT_PARAMETER_INERTIA: return &s->body[p.index].inertia[2];
    case TACT_PARAMETER_STIFFNESS: return &s->dof[p.index].stiffness;
    case TACT_PARAMETER_DAMPING: return &s->dof[p.index].damping;
    default: return &s->shape[p.index].size[p.component];
    }
}

#endif
