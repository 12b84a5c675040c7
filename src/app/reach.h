// SPDX-License-Identifier: MIT
// Goals that no driven link can touch the body at.
#ifndef TACT_APP_REACH_H
#define TACT_APP_REACH_H

#include "tact/scene.h"

// Warns where the goal's position lies farther from all driven links than they can go; true then. False where it is not known.
bool tact_reach_warn(const tact_scene *scene, const tact_goal *goal, const char *command);

#endif
