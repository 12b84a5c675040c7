// SPDX-License-Identifier: MIT
// Joints other than those that turn about an axis: see kinematics.c.
#include "tree/joint.h"

#include "math/elementary.h"

static void joint_slide(tact_kinematics *kinematics, const tact_body *body, int motion, tact_real way, tact_pose *pose) {
    const tact_vec3 zero = {0, 0, 0};
    // One translation along the axis.
    tact_vec3 axis = tact_mat3_apply(pose->R, body->axis);
    pose->p = tact_vec3_add_scaled(pose->p, way, axis);
    tact_motion_set(kinematics, motion, zero, tact_vec3_scale(body->ratio, axis), pose->p);
}

static void joint_translate(tact_kinematics *kinematics, int motion, const tact_real *q, tact_pose *pose) {
    const tact_vec3 zero = {0, 0, 0};
    pose->p = tact_pose_apply(*pose, tact_vec3_make(q[0], q[1], q[2]));
    for (int k = 0; k < 3; k++) tact_motion_set(kinematics, motion + k, zero, tact_mat3_column(pose->R, k), pose->p);
}

static void joint_plane(tact_kinematics *kinematics, int motion, const tact_real *q, tact_pose *pose) {
    const tact_vec3 zero = {0, 0, 0}, z = {0, 0, 1};
    // Two translations in the joint's plane, then a turn about its normal.
    tact_real s = 0, c = 0;
    tact_sincos(q[2], &s, &c);
    pose->p = tact_pose_apply(*pose, tact_vec3_make(q[0], q[1], 0));
    for (int k = 0; k < 2; k++) tact_motion_set(kinematics, motion + k, zero, tact_mat3_column(pose->R, k), pose->p);
    tact_motion_set(kinematics, motion + 2, tact_mat3_column(pose->R, 2), zero, pose->p);
    pose->R = tact_mat3_multiply(pose->R, tact_rotation_about(z, s, c));
}

void tact_joint_move(tact_kinematics *kinematics, const tact_model *model, const tact_real *q, int b) {
    const tact_body *body = &model->body[b];
    // a fixed joint's q means nothing
    const tact_real *own = q + (body->joint == TACT_JOINT_FIXED ? 0 : body->q);
    int motion = model->body_motion[b];
    tact_pose *pose = &kinematics->pose[b];
    switch (body->joint) {
    case TACT_JOINT_FIXED:
    case TACT_JOINT_REVOLUTE:
    case TACT_JOINT_CONTINUOUS: break;
    case TACT_JOINT_PRISMATIC: joint_slide(kinematics, body, motion, tact_joint_coordinate(body, q), pose); break;
    case TACT_JOINT_TRANSLATION: joint_translate(kinematics, motion, own, pose); break;
    case TACT_JOINT_PLANAR: joint_plane(kinematics, motion, own, pose); break;
    case TACT_JOINT_FREE:
        kinematics->frame[b] = pose->R;
        // World axes: rotations come first among the dofs, and their columns do not depend on q.
        const tact_vec3 zero = {0, 0, 0};
        const tact_mat3 world = tact_mat3_identity();
        pose->p = tact_pose_apply(*pose, tact_vec3_make(own[0], own[1], own[2]));
        pose->R = tact_mat3_multiply(pose->R, tact_quat_matrix(tact_joint_quat(own + 3)));
        for (int k = 0; k < 3; k++) {
            tact_motion_set(kinematics, motion + k, tact_mat3_column(world, k), zero, pose->p);
            tact_motion_set(kinematics, motion + 3 + k, zero, tact_mat3_column(world, k), pose->p);
        }
        break;
    }
}
