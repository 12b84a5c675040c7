// SPDX-License-Identifier: MIT
// Forward kinematics and the tangent space. With the joint's coordinates q
//   pose(body) = pose(parent) place joint(q)
// A motion's columns: angular a and linear l, so that a moved point x has velocity l + a x (x - origin) for a unit rate of the
// dof. All but a free joint's are fixed in the joint frame; those are fixed in the world, about and along its axes.
#include "tact/model.h"

#include "math/elementary.h"
#include "math/rotation.h"
#include "math/wide_trig.h"

enum { KINEMATICS_BUNCH = 8 };  // joints whose sines are computed together

void tact_kinematics_place(tact_kinematics *kinematics, const tact_model *model, tact_arena *arena) {
    size_t nbody = (size_t)model->nbody, nmotion = (size_t)model->nmotion;
    kinematics->pose = tact_arena_take(arena, nbody, sizeof(tact_pose));
    kinematics->frame = tact_arena_take(arena, nbody, sizeof(tact_mat3));
    kinematics->angular = tact_arena_take(arena, nmotion, sizeof(tact_vec3));
    kinematics->linear = tact_arena_take(arena, nmotion, sizeof(tact_vec3));
    kinematics->origin = tact_arena_take(arena, nmotion, sizeof(tact_vec3));
}

static tact_quat kinematics_quat(const tact_real *q) {
    tact_quat turn = {q[0], q[1], q[2], q[3]};
    return tact_quat_normalize(turn);
}

static void kinematics_motion(tact_kinematics *kinematics, int motion, tact_vec3 angular, tact_vec3 linear, tact_vec3 origin) {
    kinematics->angular[motion] = angular;
    kinematics->linear[motion] = linear;
    kinematics->origin[motion] = origin;
}

// J times the rotation about the axis k next to its columns i and j; that axis
static inline tact_vec3 kinematics_turn_columns(const tact_mat3 *J, int i, int j, int k, tact_real s, tact_real c, tact_mat3 *R) {
    tact_vec3 axis = tact_mat3_column(*J, k);
    for (int row = 0; row < 3; row++) {
        tact_real a = J->m[row][i], b = J->m[row][j];
        R->m[row][i] = c * a + s * b;
        R->m[row][j] = c * b - s * a;
    }
    R->m[0][k] = axis.x;
    R->m[1][k] = axis.y;
    R->m[2][k] = axis.z;
    return axis;
}

// R from the joint frame J and the angle of which s and c are sine and cosine; the axis in the world.
static inline tact_vec3 kinematics_turn(const tact_mat3 *J, tact_vec3 a, tact_real s, tact_real c, tact_mat3 *R) {
    if (a.x == 0 && a.y == 0) return tact_vec3_scale(a.z, kinematics_turn_columns(J, 0, 1, 2, a.z * s, c, R));
    if (a.x == 0 && a.z == 0) return tact_vec3_scale(a.y, kinematics_turn_columns(J, 2, 0, 1, a.y * s, c, R));
    if (a.y == 0 && a.z == 0) return tact_vec3_scale(a.x, kinematics_turn_columns(J, 1, 2, 0, a.x * s, c, R));
    *R = tact_mat3_multiply(*J, tact_rotation_about(a, s, c));
    return tact_mat3_apply(*J, a);
}

static void kinematics_slide(tact_kinematics *kinematics, const tact_body *body, int motion, tact_real way, tact_pose *pose) {
    const tact_vec3 zero = {0, 0, 0};
    tact_vec3 axis = tact_mat3_apply(pose->R, body->axis);
    pose->p = tact_vec3_add_scaled(pose->p, way, axis);
    kinematics_motion(kinematics, motion, zero, tact_vec3_scale(body->ratio, axis), pose->p);
}

static void kinematics_translate(tact_kinematics *kinematics, int motion, const tact_real *q, tact_pose *pose) {
    const tact_vec3 zero = {0, 0, 0};
    pose->p = tact_pose_apply(*pose, tact_vec3_make(q[0], q[1], q[2]));
    for (int k = 0; k < 3; k++) kinematics_motion(kinematics, motion + k, zero, tact_mat3_column(pose->R, k), pose->p);
}

static void kinematics_plane(tact_kinematics *kinematics, int motion, const tact_real *q, tact_pose *pose) {
    const tact_vec3 zero = {0, 0, 0}, z = {0, 0, 1};
    tact_real s = 0, c = 0;
    tact_sincos(q[2], &s, &c);
    pose->p = tact_pose_apply(*pose, tact_vec3_make(q[0], q[1], 0));
    for (int k = 0; k < 2; k++) kinematics_motion(kinematics, motion + k, zero, tact_mat3_column(pose->R, k), pose->p);
    kinematics_motion(kinematics, motion + 2, tact_mat3_column(pose->R, 2), zero, pose->p);
    pose->R = tact_mat3_multiply(pose->R, tact_rotation_about(z, s, c));
}

static void kinematics_float(tact_kinematics *kinematics, int motion, const tact_real *q, tact_pose *pose) {
    const tact_vec3 zero = {0, 0, 0};
    const tact_mat3 world = tact_mat3_identity();
    pose->p = tact_pose_apply(*pose, tact_vec3_make(q[0], q[1], q[2]));
    pose->R = tact_mat3_multiply(pose->R, tact_quat_matrix(kinematics_quat(q + 3)));
    for (int k = 0; k < 3; k++) {
        kinematics_motion(kinematics, motion + k, tact_mat3_column(world, k), zero, pose->p);
        kinematics_motion(kinematics, motion + 3 + k, zero, tact_mat3_column(world, k), pose->p);
    }
}

static inline bool kinematics_turns(tact_joint_type joint) {
    return joint == TACT_JOINT_REVOLUTE || joint == TACT_JOINT_CONTINUOUS;
}

static inline tact_real kinematics_coordinate(const tact_body *body, const tact_real *q) {
    return body->ratio * q[body->q] + body->offset;
}

// Sines and cosines of the next turning joints from a body on, side by side; their number.
static int kinematics_sines(const tact_model *model, const tact_real *q, int first, tact_real *s, tact_real *c) {
    tact_real angle[KINEMATICS_BUNCH] = {0};
    int count = 0;
    for (int b = first; b < model->nbody && count < KINEMATICS_BUNCH; b++)
        if (kinematics_turns(model->body[b].joint)) angle[count++] = kinematics_coordinate(&model->body[b], q);
    for (int i = 0; i < count; i += TACT_LANES) {
        tact_wide x = tact_wide_all(0), sine = x, cosine = x;
        for (int lane = 0; lane < TACT_LANES; lane++) tact_wide_put(&x, lane, angle[i + lane]);
        tact_wide_sincos(x, &sine, &cosine);
        for (int lane = 0; lane < TACT_LANES; lane++) {
            s[i + lane] = tact_wide_get(&sine, lane);
            c[i + lane] = tact_wide_get(&cosine, lane);
        }
    }
    return count;
}

// Moves the pose, which is the joint frame, by a joint that does not only turn.
static void kinematics_move(tact_kinematics *kinematics, const tact_model *model, const tact_real *q, int b) {
    const tact_body *body = &model->body[b];
    // a fixed joint's q means nothing
    const tact_real *own = q + (body->joint == TACT_JOINT_FIXED ? 0 : body->q);
    int motion = model->body_motion[b];
    tact_pose *pose = &kinematics->pose[b];
    switch (body->joint) {
    case TACT_JOINT_FIXED:
    case TACT_JOINT_REVOLUTE:
    case TACT_JOINT_CONTINUOUS: break;
    case TACT_JOINT_PRISMATIC: kinematics_slide(kinematics, body, motion, kinematics_coordinate(body, q), pose); break;
    case TACT_JOINT_TRANSLATION: kinematics_translate(kinematics, motion, own, pose); break;
    case TACT_JOINT_PLANAR: kinematics_plane(kinematics, motion, own, pose); break;
    case TACT_JOINT_FREE:
        kinematics->frame[b] = pose->R;
        kinematics_float(kinematics, motion, own, pose);
        break;
    }
}

void tact_kinematics_update(tact_kinematics *kinematics, const tact_model *model, const tact_real *q) {
    const tact_pose world = tact_pose_identity();
    const tact_vec3 zero = {0, 0, 0};
    tact_real s[KINEMATICS_BUNCH], c[KINEMATICS_BUNCH];
    int ready = 0, used = 0;
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        tact_pose *pose = &kinematics->pose[b];
        const tact_pose *parent = body->parent == TACT_WORLD ? &world : &kinematics->pose[body->parent];
        const tact_mat3 *frame = &parent->R;
        tact_mat3 own;
        pose->p = tact_pose_apply(*parent, body->place.p);
        if (!model->shift[b]) {
            own = tact_mat3_multiply(parent->R, body->place.R);
            frame = &own;
        }
        if (!kinematics_turns(body->joint)) {
            pose->R = *frame;
            kinematics_move(kinematics, model, q, b);
            continue;
        }
        if (used == ready) {
            ready = kinematics_sines(model, q, b, s, c);
            used = 0;
        }
        tact_vec3 axis = kinematics_turn(frame, body->axis, s[used], c[used], &pose->R);
        kinematics_motion(kinematics, model->body_motion[b], tact_vec3_scale(body->ratio, axis), zero, pose->p);
        used++;
    }
}

void tact_body_jacobian(const tact_model *model, const tact_kinematics *kinematics, int body, tact_real *J) {
    int nv = model->nv;
    TACT_ASSERT(0 <= body && body < model->nbody);
    for (int k = 0; k < 6 * nv; k++) J[k] = 0;
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int m = model->path[k];
        tact_vec3 turn = kinematics->angular[m], move = tact_motion_velocity(kinematics, m, kinematics->pose[body].p);
        tact_real *column = &J[model->motion[m].dof];
        column[0 * nv] += turn.x;
        column[1 * nv] += turn.y;
        column[2 * nv] += turn.z;
        column[3 * nv] += move.x;
        column[4 * nv] += move.y;
        column[5 * nv] += move.z;
    }
}

// R_world <- exp(d) R_world with R_world = F R(q) is R(q) <- exp(F'd) R(q)
static void kinematics_integrate_free(tact_mat3 F, const tact_real *d, tact_real *q) {
    tact_vec3 turn = tact_mat3_apply_transposed(F, tact_vec3_make(d[0], d[1], d[2]));
    tact_vec3 move = tact_mat3_apply_transposed(F, tact_vec3_make(d[3], d[4], d[5]));
    tact_quat r = tact_quat_normalize(tact_quat_multiply(tact_rotation_exp(turn), kinematics_quat(q + 3)));
    q[0] += move.x;
    q[1] += move.y;
    q[2] += move.z;
    q[3] = r.w;
    q[4] = r.x;
    q[5] = r.y;
    q[6] = r.z;
}

void tact_model_integrate(const tact_model *model, const tact_kinematics *kinematics, const tact_real *d, tact_real *q) {
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->q >= 0) {
            q[dof->q] += d[v];
            continue;
        }
        kinematics_integrate_free(kinematics->frame[dof->body], d + v, q + model->body[dof->body].q);
        v += 5;
    }
}

static void kinematics_difference_free(tact_mat3 F, const tact_real *q0, const tact_real *q1, tact_real *d) {
    tact_quat r = tact_quat_multiply(kinematics_quat(q1 + 3), tact_quat_conjugate(kinematics_quat(q0 + 3)));
    tact_vec3 turn = tact_mat3_apply(F, tact_rotation_log(r));
    tact_vec3 move = tact_mat3_apply(F, tact_vec3_make(q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]));
    d[0] = turn.x;
    d[1] = turn.y;
    d[2] = turn.z;
    d[3] = move.x;
    d[4] = move.y;
    d[5] = move.z;
}

void tact_model_difference(const tact_model *model, const tact_kinematics *kinematics, const tact_real *q0, const tact_real *q1,
                           tact_real *d) {
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->q >= 0) {
            d[v] = q1[dof->q] - q0[dof->q];
            continue;
        }
        int q = model->body[dof->body].q;
        kinematics_difference_free(kinematics->frame[dof->body], q0 + q, q1 + q, d + v);
        v += 5;
    }
}
