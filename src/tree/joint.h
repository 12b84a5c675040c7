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
    // x = ratio q + offset: ratio and offset are 1 and 0 unless the joint mimics another.
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
    // Axes of the frame, in their direction or against it (a = +-1); any other by the whole matrix.
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

// Moves the pose of b, which is that of the joint frame, by a joint that does not only turn; its motions.
static inline void joint_move(each_kinematics *kinematics, const each_scenes *scenes, int b, each_pose *pose) {
    const tact_body *body = &scenes->model[0]->body[b];
    const each_vec3 zero = each_vec3_all(0, 0, 0);
    const each_mat3 world = each_mat3_identity();
    int motion = scenes->model[0]->body_motion[b];
    bool planar = body->joint == TACT_JOINT_PLANAR, free = body->joint == TACT_JOINT_FREE;
    if (body->joint == TACT_JOINT_FIXED) return;  // its q means nothing
    if (body->joint == TACT_JOINT_PRISMATIC) {
        joint_slide(kinematics, scenes, b, motion, pose);
        return;
    }
    // Three translations in the joint frame, or two in its plane; a free joint's motions are about and along the world's axes:
    // rotations come first among the dofs, and their columns do not depend on q.
    each_vec3 way = each_vec3_make(each_coordinate(scenes, body->q), each_coordinate(scenes, body->q + 1), zero.z);
    tact_each last = each_coordinate(scenes, body->q + 2);
    if (!planar) way.z = last;
    pose->p = each_pose_apply(pose, way);
    for (int k = 0; k < (planar ? 2 : 3); k++) {
        if (free) each_motion_set(kinematics, motion + k, each_mat3_column(&world, k), zero, pose->p);
        each_vec3 along = each_mat3_column(free ? &world : &pose->R, k);
        each_motion_set(kinematics, motion + k + (free ? 3 : 0), zero, along, pose->p);
    }
    if (!planar && !free) return;
    // Then a turn: about the plane's normal, or by a quaternion.
    each_mat3 turn = world;
    if (planar) {
        tact_each s = last, c = last;
        tact_each_sincos(last, &s, &c);
        each_motion_set(kinematics, motion + 2, each_mat3_column(&pose->R, 2), zero, pose->p);
        turn = each_rotation_about(each_vec3_all(0, 0, 1), s, c);
    } else {
        kinematics->frame[b] = pose->R;
        for (int i = 0; i < TACT_SCENES; i++)
            each_mat3_put(&turn, i, tact_quat_matrix(tact_joint_quat(scenes->q[i] + body->q + 3)));
    }
    pose->R = each_mat3_multiply(&pose->R, &turn);
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
    // Joint frame first; then what the joint does to it.
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
