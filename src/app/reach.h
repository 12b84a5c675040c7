// SPDX-License-Identifier: MIT
// Goals that no driven link can touch the body at, and how far a robot's links go ahead of where they are.
#ifndef TACT_APP_REACH_H
#define TACT_APP_REACH_H

#include "tact/scene.h"

// Warns where the goal's position lies farther from all driven links than they can go; true then. False where it is not known.
bool tact_reach_warn(const tact_scene *scene, const tact_goal *goal, const char *command);

// Warns where a goal's body, and no other loose body either, has a pair with a driven link; true then.
bool tact_reach_unpaired(const tact_model *model, int goal, const char *command);

// The longest side of the box about the shapes of all bodies but one, where the state is [m].
double tact_reach_span(tact_world *world, int but);

// Robots longer than that are arms [m]. A command goes ahead of its joint by at most mpc.lead: of a finger 0.2 rad are some
// centimetres, of an arm they are more than most objects are wide, which it then strikes away. The lead with which the end of an
// arm goes ahead by 5 cm, as the tip of a finger of 25 cm does [rad].
#define TACT_REACH_ARM 0.5
#define TACT_REACH_LEAD(span) (0.05 / (span))

#endif
