// SPDX-License-Identifier: MIT
// Bodies moved by their joints: see kinematics.c, which does it for one scene, and the lanes for several.
#ifndef TACT_TREE_JOINT_H
#define TACT_TREE_JOINT_H

#include "math/wide_trig.h"
#include "tree/each.h"

static inline tact_quat tact_joint_quat(const tact_real *q) {
    tact_quat turn = {q[0], q[1], q[2], q[3]};
    return tact_quat_normalize(turn);
}

static inline bool tact_joint_turns(tact_joint_type joint) {
    return joint == TACT_JOINT_REVOLUTE || joint == TACT_JOINT_CONTINUOUS;
}

// Coordinate of a joint along or about its axis.
static inline tact_each tact_joint_coordinate(const each_scenes *scenes, int b) {
    int q = scenes->model[0]->body[b].q;
    return each_real(scenes, body[b].ratio) * each_coordinate(scenes, q) + each_real(scenes, body[b].offset);
}

// J times the rotation about the axis k next to its columns i and j; that axis
static inline each_vec3 joint_turn_columns(const each_mat3 *J, int i, int j, int k, tact_each s, tact_each c, each_mat3 *R) {
    // Only two columns of R change when a joint turns about an axis of its frame.
    each_vec3 axis = each_mat3_column(J, k);
    for (int row = 0; row < 3; row++) {
        tact_each a = J->m[row][i], b = J->m[row][j];
        R->m[row][i] = c * a + s * b;
        R->m[row][j] = c * b - s * a;
    }
    R->m[0][k] = axis.x;
    R->m[1][k] = axis.y;
    R->m[2][k] = axis.z;
    return axis;
}

// R from the joint frame J and the angle of which s and c are sine and cosine; the axis in the world.
static inline each_vec3 joint_turn(tact_motion_kind kind, const each_mat3 *J, each_vec3 a, tact_each s, tact_each c,
                                   each_mat3 *R) {
    switch (kind) {
    case TACT_MOTION_TURNS_X: return each_vec3_scale(a.x, joint_turn_columns(J, 1, 2, 0, a.x * s, c, R));
    case TACT_MOTION_TURNS_Y: return each_vec3_scale(a.y, joint_turn_columns(J, 2, 0, 1, a.y * s, c, R));
    case TACT_MOTION_TURNS_Z: return each_vec3_scale(a.z, joint_turn_columns(J, 0, 1, 2, a.z * s, c, R));
    case TACT_MOTION_TURNS:
    case TACT_MOTION_SLIDES: break;
    }
    each_mat3 turn = each_rotation_about(a, s, c);
    *R = each_mat3_multiply(J, &turn);
    return each_mat3_apply(J, a);
}

static inline void joint_slide(each_kinematics *kinematics, const each_scenes *scenes, int b, int motion, each_pose *pose) {
    // One translation along the axis.
    each_vec3 axis = each_mat3_apply(&pose->R, each_vec3_of(scenes, body[b].axis));
    pose->p = each_vec3_add_scaled(pose->p, tact_joint_coordinate(scenes, b), axis);
    each_motion_set(kinematics, motion, each_vec3_all(0, 0, 0), each_vec3_scale(each_real(scenes, body[b].ratio), axis), pose->p);
}

static inline void joint_translate(each_kinematics *kinematics, int motion, each_vec3 way, each_pose *pose) {
    pose->p = each_pose_apply(pose, way);
    for (int k = 0; k < 3; k++)
        each_motion_set(kinematics, motion + k, each_vec3_all(0, 0, 0), each_mat3_column(&pose->R, k), pose->p);
}

static inline void joint_plane(each_kinematics *kinematics, int motion, each_vec3 q, each_pose *pose) {
    const each_vec3 zero = each_vec3_all(0, 0, 0);
    // Two translations in the joint's plane, then a turn about its normal.
    tact_each s = q.z, c = q.z;
    tact_each_sincos(q.z, &s, &c);
    pose->p = each_pose_apply(pose, each_vec3_make(q.x, q.y, tact_each_all(0)));
    for (int k = 0; k < 2; k++) each_motion_set(kinematics, motion + k, zero, each_mat3_column(&pose->R, k), pose->p);
    each_motion_set(kinematics, motion + 2, each_mat3_column(&pose->R, 2), zero, pose->p);
    each_mat3 turn = each_rotation_about(each_vec3_all(0, 0, 1), s, c);
    pose->R = each_mat3_multiply(&pose->R, &turn);
}

// Free joint: pose from position and quaternion, and its six motions about and along the world's axes.
static inline void joint_float(each_kinematics *kinematics, const each_scenes *scenes, int b, int motion, each_vec3 way,
                               each_pose *pose) {
    const each_vec3 zero = each_vec3_all(0, 0, 0);
    const each_mat3 world = each_mat3_identity();
    each_mat3 turn = world;
    for (int i = 0; i < TACT_SCENES; i++)
        each_mat3_put(&turn, i, tact_quat_matrix(tact_joint_quat(scenes->q[i] + scenes->model[0]->body[b].q + 3)));
    kinematics->frame[b] = pose->R;
    // World axes: rotations come first among the dofs, and their columns do not depend on q.
    pose->p = each_pose_apply(pose, way);
    pose->R = each_mat3_multiply(&pose->R, &turn);
    for (int k = 0; k < 3; k++) {
        each_motion_set(kinematics, motion + k, each_mat3_column(&world, k), zero, pose->p);
        each_motion_set(kinematics, motion + 3 + k, zero, each_mat3_column(&world, k), pose->p);
    }
}

// Moves the pose of b, which is that of the joint frame, by a joint that does not only turn; its motions.
static inline void joint_move(each_kinematics *kinematics, const each_scenes *scenes, int b, each_pose *pose) {
    const tact_body *body = &scenes->model[0]->body[b];
    int motion = scenes->model[0]->body_motion[b];
    each_vec3 own = each_vec3_all(0, 0, 0);
    if (body->joint == TACT_JOINT_FIXED) return;  // its q means nothing
    if (body->joint == TACT_JOINT_PRISMATIC) {
        joint_slide(kinematics, scenes, b, motion, pose);
        return;
    }
    own.x = each_coordinate(scenes, body->q);
    own.y = each_coordinate(scenes, body->q + 1);
    own.z = each_coordinate(scenes, body->q + 2);
    if (body->joint == TACT_JOINT_TRANSLATION) joint_translate(kinematics, motion, own, pose);
    if (body->joint == TACT_JOINT_PLANAR) joint_plane(kinematics, motion, own, pose);
    if (body->joint == TACT_JOINT_FREE) joint_float(kinematics, scenes, b, motion, own, pose);
}

// Joint frame of body b, whose parent's pose is known: its origin in the pose of b, its axes.
static inline const each_mat3 *joint_frame(each_kinematics *kinematics, const each_scenes *scenes, int b, const each_pose *world,
                                           each_mat3 *own) {
    int above = scenes->model[0]->body[b].parent;
    const each_pose *parent = above == TACT_WORLD ? world : &kinematics->pose[above];
    // Joint frame: parent's pose times the body's place; a pure shift leaves the axes as they are.
    kinematics->pose[b].p = each_pose_apply(parent, each_vec3_of(scenes, body[b].place.p));
    if (scenes->model[0]->shift[b]) return &parent->R;
    each_mat3 place = each_mat3_of(scenes, body[b].place.R);
    *own = each_mat3_multiply(&parent->R, &place);
    return own;
}

// Pose and motions of body b, whose parent's pose is known; s and c are sine and cosine where the joint turns about its axis.
static inline void tact_joint_place(each_kinematics *kinematics, const each_scenes *scenes, int b, const each_pose *world,
                                    const tact_each *s, const tact_each *c) {
    each_pose *pose = &kinematics->pose[b];
    each_mat3 own;
    const each_mat3 *frame = joint_frame(kinematics, scenes, b, world, &own);
    if (!s) {
        pose->R = *frame;
        joint_move(kinematics, scenes, b, pose);
        return;
    }
    // Pose and column of a hinge: a = axis in the world, through the body's origin.
    int motion = scenes->model[0]->body_motion[b];
    tact_motion_kind kind = scenes->model[0]->motion[motion].kind;
    each_vec3 axis = joint_turn(kind, frame, each_vec3_of(scenes, body[b].axis), *s, *c, &pose->R);
    if (!scenes->common || scenes->model[0]->body[b].ratio != 1) axis = each_vec3_scale(each_real(scenes, body[b].ratio), axis);
    each_motion_set(kinematics, motion, axis, each_vec3_all(0, 0, 0), pose->p);
}

#endif
