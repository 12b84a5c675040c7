// SPDX-License-Identifier: MIT
// Where as many scenes as there are lanes are: kinematics and contacts, side by side.
#ifndef TACT_BATCH_LANE_FRONT_H
#define TACT_BATCH_LANE_FRONT_H

#include "batch/lane.h"
#include "batch/lane_math.h"

// A body together with all that it carries: see tact_composite.
typedef struct {
    tact_wide mass;
    lane_vec3 moment;
    tact_wide inertia[6];
} lane_composite;

typedef struct {
    int count;                           // scenes; the lanes above repeat the last
    bool common;                         // all have one model
    bool whole;                          // the scenes need all of their kinematics
    tact_lane_scene *scene[TACT_LANES];  //
    const tact_model *model;             // of the first: their structure
    tact_wide own[7];                    // coordinates of the joint at hand
    lane_pose *pose;                     // (nbody)
    lane_mat3 *frame;                    // (nbody) orientation of the joint frames, of free joints only
    lane_vec3 *angular, *linear;         // (nmotion)
    lane_vec3 *origin;                   // (nmotion)
    lane_pose *shape;                    // (nshape) in the world
    tact_wide *sweep;                    // (nshape)
    tact_wide *free_step;                // (nv)
    tact_wide *J;                        // (3, widest pair)
    int *slot;                           // (nv)
    tact_wide *P;                        // (inertia) the quadratic, by model->mass_first
    int *P_start;                        // (nv + 1) where its rows begin
    tact_wide *p;                        // (nv) its gradient at rest
    lane_composite *composite;           // (nbody) loose ones
} tact_lane_front;

// Entry (i, i) of P.
static inline tact_wide *lane_front_diagonal(const tact_lane_front *front, int i) {
    return front->P + (front->P_start[i + 1] - 1);
}

static inline lane_vec3 lane_front_velocity(const tact_lane_front *front, int motion, lane_vec3 x) {
    lane_vec3 arm = lane_vec3_sub(x, front->origin[motion]);
    return lane_vec3_add(front->linear[motion], lane_vec3_cross(front->angular[motion], arm));
}

// A number of the models, at an offset from what base points to in each.
static inline tact_wide lane_read(const tact_lane_front *front, const void *const *base, size_t offset) {
    if (front->common) return tact_wide_all(*(const tact_real *)(const void *)((const char *)base[0] + offset));
    tact_wide x = tact_wide_all(0);
    for (int i = 0; i < TACT_LANES; i++) tact_wide_put(&x, i, *(const tact_real *)(const void *)((const char *)base[i] + offset));
    return x;
}

static inline lane_vec3 lane_read_vec3(const tact_lane_front *front, const void *const *base, size_t offset) {
    return lane_vec3_make(lane_read(front, base, offset + offsetof(tact_vec3, x)),
                          lane_read(front, base, offset + offsetof(tact_vec3, y)),
                          lane_read(front, base, offset + offsetof(tact_vec3, z)));
}

static inline lane_mat3 lane_read_mat3(const tact_lane_front *front, const void *const *base, size_t offset) {
    lane_mat3 R;
    for (int i = 0; i < 9; i++) R.m[i / 3][i % 3] = lane_read(front, base, offset + (size_t)i * sizeof(tact_real));
    return R;
}

// The quadratic and its gradient, without external forces: what tact_barrier_load does, for scenes whose drives bear no weight.
void TACT_LANE_NAME(tact_lane_load_, TACT_LANES)(tact_lane_front *front);

#endif
