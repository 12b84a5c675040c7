// SPDX-License-Identifier: MIT
// What a controller takes from its scene, alike in the command and in the page.
#ifndef TACT_CONTROL_H
#define TACT_CONTROL_H

#include "tact/scene.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Options of the planning steps and of the controller that the scene's mpc asks for. rate: solves a second, 0: the scene's.
void tact_control_options(const tact_scene *scene, tact_real rate, tact_options *step, tact_mpc_options *control);

// The goal with the weights of the scene's mpc.
tact_pose_goal tact_control_goal(const tact_scene *scene, const tact_goal *goal);

// Step of a plant under the law that was meant for it [s]: the tick itself under the barrier law, otherwise the longest part of a
// tick that is at most 5 ms.
tact_real tact_control_plant_dt(const tact_mpc_options *control, bool barrier);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
