// SPDX-License-Identifier: MIT
// Where as many scenes as there are lanes are: kinematics and contacts, side by side.
#ifndef TACT_BATCH_LANE_FRONT_H
#define TACT_BATCH_LANE_FRONT_H

#include "batch/lane.h"
#include "tree/composite.h"

typedef struct {
    int count;                           // scenes; the lanes above repeat the last
    bool whole;                          // the scenes need all of their kinematics
    tact_lane_scene *scene[TACT_LANES];  //
    const tact_model *model;             // of the first: their structure
    each_scenes scenes;                  // what kinematics and inertia need of them
    each_kinematics kinematics;          //
    each_pose *shape;                    // (nshape) in the world
    tact_wide *sweep;                    // (nshape)
    tact_wide *free_step;                // (nv)
    tact_wide *J;                        // (3, widest pair)
    int *slot;                           // (nv)
    tact_wide *P;                        // (inertia) the quadratic, by model->mass_first
    int *P_start;                        // (nv + 1) where its rows begin
    tact_wide *p;                        // (nv) its gradient at rest
    each_composite *composite;           // (nbody) loose ones
} tact_lane_front;

// Entry (i, i) of P.
static inline tact_wide *lane_front_diagonal(const tact_lane_front *front, int i) {
    return front->P + (front->P_start[i + 1] - 1);
}

// The quadratic and its gradient, without external forces: what tact_barrier_load does, for scenes whose drives bear no weight.
void TACT_LANE_NAME(tact_lane_load_, TACT_LANES)(tact_lane_front *front);

#endif
