// SPDX-License-Identifier: MIT
// How a robot stands in the world: fixed, on a free joint, or on six driven ones.
#ifndef TACT_SCENE_ROBOT_BASE_H
#define TACT_SCENE_ROBOT_BASE_H

#include "scene/draft.h"

typedef enum {
    TACT_BASE_FIXED,
    TACT_BASE_FREE,    // a free joint, which nothing drives
    TACT_BASE_DRIVEN,  // three prismatic joints and three revolute ones, yaw, pitch, roll, each with a drive
} tact_base_joint;

// "fixed", "free", "driven"; NULL ends them.
extern const char *const tact_base_joint_names[];

// Lets the bodies from body on that the world carries move by such joints. A robot with one body that is fixed to the world moves
// by that body's joint; one with several, or whose first joint moves, gets a body without mass before them. Shapes of the world
// stay there. mark: where it was asked for. False after refusing.
bool tact_robot_set_base(tact_draft *draft, int body, tact_base_joint joint, const tact_draft_mark *mark);

#endif
