// SPDX-License-Identifier: MIT
// Data that are stepped in lanes: one scene, or as many of one structure as there are lanes.
#ifndef TACT_TREE_EACH_H
#define TACT_TREE_EACH_H

#include "math/each.h"
#include "tact/model.h"

typedef struct {
    const tact_model *model[TACT_SCENES];  // alike but for numbers: tests of the first hold for all
    const tact_real *q[TACT_SCENES];       // coordinates
    bool common;                           // all have one model
} each_scenes;

#if TACT_SCENES == 1
typedef tact_kinematics each_kinematics;
typedef tact_composite each_composite;
#else
// As tact_kinematics and tact_composite.
typedef struct {
    each_pose *pose;
    each_mat3 *frame;
    each_vec3 *angular, *linear, *origin;
} each_kinematics;
typedef struct {
    tact_each mass;
    each_vec3 moment;
    tact_each inertia[6];
} each_composite;
#endif

// A number, vector or matrix of the model of each scene: each_real(scenes, body[b].mass).
#define each_real(scenes, member) each_gather((scenes)->common, (const tact_real *const[]){EACH_LIST(scenes, member)})
#define each_vec3_of(scenes, member) each_gather_vec3((scenes)->common, (const tact_vec3 *const[]){EACH_LIST(scenes, member)})
#define each_mat3_of(scenes, member) each_gather_mat3((scenes)->common, (const tact_mat3 *const[]){EACH_LIST(scenes, member)})
// Its places in all models, one behind the other.
#define EACH_1(scenes, i, member) &(scenes)->model[i]->member
#define EACH_2(scenes, i, member) EACH_1(scenes, i, member), EACH_1(scenes, (i) + 1, member)
#define EACH_4(scenes, i, member) EACH_2(scenes, i, member), EACH_2(scenes, (i) + 2, member)
#define EACH_8(scenes, i, member) EACH_4(scenes, i, member), EACH_4(scenes, (i) + 4, member)
#define EACH_16(scenes, i, member) EACH_8(scenes, i, member), EACH_8(scenes, (i) + 8, member)
#if TACT_SCENES == 1
#define EACH_LIST(scenes, member) EACH_1(scenes, 0, member)
#elif TACT_SCENES == 2
#define EACH_LIST(scenes, member) EACH_2(scenes, 0, member)
#elif TACT_SCENES == 4
#define EACH_LIST(scenes, member) EACH_4(scenes, 0, member)
#elif TACT_SCENES == 8
#define EACH_LIST(scenes, member) EACH_8(scenes, 0, member)
#else
#define EACH_LIST(scenes, member) EACH_16(scenes, 0, member)
#endif

static inline tact_each each_gather(bool common, const tact_real *const *from) {
    // One model for all: its number in every lane.
    tact_each x = tact_each_all(*from[0]);
    for (int i = 1; i < TACT_SCENES && !common; i++) tact_each_put(&x, i, *from[i]);
    return x;
}

static inline each_vec3 each_gather_vec3(bool common, const tact_vec3 *const *from) {
    each_vec3 v = each_vec3_all(from[0]->x, from[0]->y, from[0]->z);
    for (int i = 1; i < TACT_SCENES && !common; i++) each_vec3_put(&v, i, *from[i]);
    return v;
}

static inline each_mat3 each_gather_mat3(bool common, const tact_mat3 *const *from) {
    const tact_mat3 *A = from[0];
    each_mat3 R = {{{tact_each_all(A->m[0][0]), tact_each_all(A->m[0][1]), tact_each_all(A->m[0][2])},
                    {tact_each_all(A->m[1][0]), tact_each_all(A->m[1][1]), tact_each_all(A->m[1][2])},
                    {tact_each_all(A->m[2][0]), tact_each_all(A->m[2][1]), tact_each_all(A->m[2][2])}}};
    for (int i = 1; i < TACT_SCENES && !common; i++) each_mat3_put(&R, i, *from[i]);
    return R;
}

// Coordinate k of each.
static inline tact_each each_coordinate(const each_scenes *scenes, int k) {
    tact_each x = tact_each_all(scenes->q[0][k]);
    for (int i = 1; i < TACT_SCENES; i++) tact_each_put(&x, i, scenes->q[i][k]);
    return x;
}

static inline void each_motion_set(each_kinematics *kinematics, int motion, each_vec3 angular, each_vec3 linear,
                                   each_vec3 origin) {
    kinematics->angular[motion] = angular;
    kinematics->linear[motion] = linear;
    kinematics->origin[motion] = origin;
}

// As tact_motion_velocity.
static inline each_vec3 each_motion_velocity(const each_kinematics *kinematics, int motion, each_vec3 x) {
    // l + a x (x - o).
    each_vec3 arm = each_vec3_sub(x, kinematics->origin[motion]);
    return each_vec3_add(kinematics->linear[motion], each_vec3_cross(kinematics->angular[motion], arm));
}

#endif
