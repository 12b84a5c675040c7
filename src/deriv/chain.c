// SPDX-License-Identifier: MIT
#include "deriv/chain.h"

// k's axis carries j's
static bool carries(const tact_model *model, int k, int j) {
    int own = model->motion[j].body;
    return model->motion[k].body < own && model->body[own].joint != TACT_JOINT_FREE;
}

tact_vec3 tact_chain_axis_slope(const tact_model *model, const tact_kinematics *kinematics, int j, int k) {
    if (!carries(model, k, j)) return tact_vec3_make(0, 0, 0);
    return tact_vec3_cross(kinematics->angular[k], kinematics->angular[j]);
}

tact_vec3 tact_chain_velocity_slope(const tact_model *model, const tact_kinematics *kinematics, int j, int k, tact_vec3 x) {
    TACT_ASSERT(model && kinematics);
    tact_vec3 zero = {0, 0, 0}, axis = kinematics->angular[j];
    // A motion behind j does not move its axis.
    if (model->motion[k].body > model->motion[j].body) return zero;
    tact_vec3 bend = tact_vec3_cross(axis, tact_motion_velocity(kinematics, k, kinematics->origin[j]));
    bend = tact_vec3_scale(-1, bend);
    // k carries j: its axis and the arm turn, too.
    if (!carries(model, k, j)) return bend;
    tact_vec3 turn = tact_vec3_cross(kinematics->angular[k], axis), arm = tact_vec3_sub(x, kinematics->origin[j]);
    bend = tact_vec3_add(bend, tact_vec3_cross(turn, arm));
    return tact_vec3_add(bend, tact_vec3_cross(kinematics->angular[k], kinematics->linear[j]));
}
