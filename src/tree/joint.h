// SPDX-License-Identifier: MIT
// Joints, one by one: what a file needs that moves them.
#ifndef TACT_TREE_JOINT_H
#define TACT_TREE_JOINT_H

#include "tact/math.h"
#include "tact/model.h"

static inline tact_real tact_joint_coordinate(const tact_body *body, const tact_real *q) {
    return body->ratio * q[body->q] + body->offset;
}

static inline tact_quat tact_joint_quat(const tact_real *q) {
    tact_quat turn = {q[0], q[1], q[2], q[3]};
    return tact_quat_normalize(turn);
}

static inline void tact_motion_set(tact_kinematics *kinematics, int motion, tact_vec3 angular, tact_vec3 linear,
                                   tact_vec3 origin) {
    kinematics->angular[motion] = angular;
    kinematics->linear[motion] = linear;
    kinematics->origin[motion] = origin;
}

// Moves the pose of b, which is that of the joint frame, by a joint that does not only turn; its motions.
void tact_joint_move(tact_kinematics *kinematics, const tact_model *model, const tact_real *q, int b);

#endif
