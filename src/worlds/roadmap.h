// SPDX-License-Identifier: MIT
// Inside a roadmap.
#ifndef TACT_WORLDS_ROADMAP_H
#define TACT_WORLDS_ROADMAP_H

#include "tact/roadmap.h"

// The weights and tolerances with which a roadmap seeks poses.
tact_pose_goal tact_roadmap_goal(const tact_scene *scene);

// Marks a node's pose, once its q is there.
void tact_roadmap_mark(tact_roadmap *map, int node);

// How far two poses are apart [rad]: the turn, and a radian for each 0.05 m.
tact_real tact_roadmap_between(tact_vec3 p, tact_quat R, tact_vec3 q, tact_quat S);

// The error of a whole roadmap's file; false.
bool tact_roadmap_refuse(const tact_roadmap *map, tact_error_kind kind, const char *reason, tact_errors *errors);

// Adds a line to the file of a build, and marks the pose of a new node. False after errors.
bool tact_roadmap_add_node(tact_roadmap *map, long long sample, const tact_real *q, const tact_real *u, tact_errors *errors);
bool tact_roadmap_add_edge(tact_roadmap *map, tact_roadmap_edge edge, tact_errors *errors);

// What the controller does on the way to a node: nothing else is preferred to its posture, and no other grasp sought.
void tact_roadmap_approach(tact_mpc_options *control);

// Takes the posture u, after which nothing centres the body.
void tact_roadmap_regrasp(tact_mpc *mpc, const tact_mpc_options *control, const tact_real *u);

// Whether a body is near enough to a node's pose for the regrasp.
bool tact_roadmap_near(const tact_pose_goal *goal, const tact_pose *pose, tact_real part);

#endif
