// SPDX-License-Identifier: MIT
#include "tact/control.h"

#include <math.h>

// longest step of a plant that has none of its own [s]
#define PLANT_DT TACT_REAL(0.005)

// epsilon m / h^2 = 1000 N/m, which holds a body back about as much as it weighs on a palm, whatever its mass
static tact_real find_epsilon(const tact_scene *scene) {
    const tact_mpc_settings *settings = &scene->mpc;
    int body = scene->goal.body;
    if (settings->epsilon >= 0 || body < 0 || !(scene->model.body[body].mass > 0))
        return settings->epsilon >= 0 ? settings->epsilon : scene->options.epsilon;
    tact_real epsilon = 1000 * settings->dt * settings->dt / scene->model.body[body].mass;
    return epsilon < 1000 ? epsilon : 1000;
}

void tact_control_options(const tact_scene *scene, tact_real rate, tact_options *step, tact_mpc_options *control) {
    TACT_ASSERT(scene && step && control);
    const tact_mpc_settings *settings = &scene->mpc;
    tact_real tick = 1 / (rate > 0 ? rate : settings->rate);
    *step = scene->options;
    step->dt = settings->dt;
    step->kappa = settings->kappa;
    step->margin = settings->margin;
    step->epsilon = find_epsilon(scene);
    *control = settings->control;
    control->tick = tick < settings->dt ? tick : settings->dt;
}

tact_pose_goal tact_control_goal(const tact_scene *scene, const tact_goal *goal) {
    TACT_ASSERT(scene && goal);
    const tact_mpc_settings *settings = &scene->mpc;
    return (tact_pose_goal){.body = goal->body,
                            .position = goal->position,
                            .orientation = goal->orientation,
                            .position_weight = settings->position_weight,
                            .position_tolerance = goal->position_tolerance,
                            .angle_tolerance = goal->angle_tolerance,
                            .angle_weight = goal->oriented ? settings->angle_weight : 0};
}

tact_real tact_control_plant_dt(const tact_mpc_options *control, bool barrier) {
    double parts = barrier ? 1 : ceil((double)(control->tick / PLANT_DT) - 1e-6);
    return control->tick / (tact_real)(parts > 1 ? parts : 1);
}
