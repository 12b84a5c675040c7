// SPDX-License-Identifier: MIT
// A scene as MJCF, MuJoCo's format: the same kinematics, masses, drives, shapes and pairs, friction included.
#ifndef TACT_SCENE_MJCF_WRITE_H
#define TACT_SCENE_MJCF_WRITE_H

#include "tact/scene.h"
#include "tact/text.h"

// Appends the document. A joint of one coordinate keeps its name, translations and planar joints become slides and hinges NAME.x,
// NAME.y
// ..., a free joint a freejoint; commands are actuators in the order of u, named as their joints. False after adding to reason
// what has no counterpart: planar shapes, a plane on a body that moves, a free joint on a body that moves. left_out tells, a line
// each, what is left out: corner radii of boxes, restitution. timestep [s] is that of MuJoCo's steps.
bool tact_mjcf_write(const tact_scene *scene, double timestep, tact_text *out, tact_text *left_out, tact_text *reason);

#endif
