// SPDX-License-Identifier: MIT
// Forward kinematics. With the joint's coordinates q
//   pose(body) = pose(parent) place joint(q)
// A motion's columns: angular a and linear l, so that a moved point x has velocity l + a x (x - origin) for a unit rate of the
// dof. All but a free joint's are fixed in the joint frame; those are fixed in the world, about and along its axes.
#include "math/wide_trig.h"
#include "tree/joint.h"

enum { KINEMATICS_BUNCH = 8 };  // joints whose sines are computed together

void tact_kinematics_place(tact_kinematics *kinematics, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(kinematics && model);
    size_t nbody = (size_t)model->nbody, nmotion = (size_t)model->nmotion;
    kinematics->pose = tact_arena_take(arena, nbody, sizeof(tact_pose));
    kinematics->frame = tact_arena_take(arena, nbody, sizeof(tact_mat3));
    kinematics->angular = tact_arena_take(arena, nmotion, sizeof(tact_vec3));
    kinematics->linear = tact_arena_take(arena, nmotion, sizeof(tact_vec3));
    kinematics->origin = tact_arena_take(arena, nmotion, sizeof(tact_vec3));
}

// J times the rotation about the axis k next to its columns i and j; that axis
static inline tact_vec3 kinematics_turn_columns(const tact_mat3 *J, int i, int j, int k, tact_real s, tact_real c, tact_mat3 *R) {
    // Only two columns of R change when a joint turns about an axis of its frame.
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
static inline tact_vec3 kinematics_turn(tact_motion_kind kind, const tact_mat3 *J, tact_vec3 a, tact_real s, tact_real c,
                                        tact_mat3 *R) {
    switch (kind) {
    case TACT_MOTION_TURNS_X: return tact_vec3_scale(a.x, kinematics_turn_columns(J, 1, 2, 0, a.x * s, c, R));
    case TACT_MOTION_TURNS_Y: return tact_vec3_scale(a.y, kinematics_turn_columns(J, 2, 0, 1, a.y * s, c, R));
    case TACT_MOTION_TURNS_Z: return tact_vec3_scale(a.z, kinematics_turn_columns(J, 0, 1, 2, a.z * s, c, R));
    case TACT_MOTION_TURNS:
    case TACT_MOTION_SLIDES: break;
    }
    *R = tact_mat3_multiply(*J, tact_rotation_about(a, s, c));
    return tact_mat3_apply(*J, a);
}

static inline bool kinematics_turns(tact_joint_type joint) {
    return joint == TACT_JOINT_REVOLUTE || joint == TACT_JOINT_CONTINUOUS;
}

// Sines and cosines of the next turning joints from a body on, side by side; their number.
static int kinematics_sines(const tact_model *model, const tact_real *q, int first, tact_real *s, tact_real *c) {
    // The next joints' angles, then sines and cosines in lanes.
    tact_real angle[KINEMATICS_BUNCH] = {0};
    int count = 0;
    for (int b = first; b < model->nbody && count < KINEMATICS_BUNCH; b++)
        if (kinematics_turns(model->body[b].joint)) angle[count++] = tact_joint_coordinate(&model->body[b], q);
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

void tact_kinematics_update(tact_kinematics *kinematics, const tact_model *model, const tact_real *q) {
    TACT_ASSERT(kinematics && model && (q || !model->nq) && (kinematics->pose || !model->nbody));
    const tact_pose world = tact_pose_identity();
    const tact_vec3 zero = {0, 0, 0};
    tact_real s[KINEMATICS_BUNCH], c[KINEMATICS_BUNCH];
    int ready = 0, used = 0;
    // Parents come before children.
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        tact_pose *pose = &kinematics->pose[b];
        const tact_pose *parent = body->parent == TACT_WORLD ? &world : &kinematics->pose[body->parent];
        const tact_mat3 *frame = &parent->R;
        tact_mat3 own;
        // Joint frame: parent's pose times the body's place; a pure shift leaves the axes as they are.
        pose->p = tact_pose_apply(*parent, body->place.p);
        if (!model->shift[b]) {
            own = tact_mat3_multiply(parent->R, body->place.R);
            frame = &own;
        }
        if (!kinematics_turns(body->joint)) {
            pose->R = *frame;
            tact_joint_move(kinematics, model, q, b);
            continue;
        }
        // Sines are computed for several joints at once, so that a vector register is full.
        if (used == ready) {
            ready = kinematics_sines(model, q, b, s, c);
            used = 0;
        }
        // Pose and column of a hinge: a = axis in the world, through the body's origin.
        int motion = model->body_motion[b];
        tact_vec3 axis = kinematics_turn(model->motion[motion].kind, frame, body->axis, s[used], c[used], &pose->R);
        if (body->ratio != 1) axis = tact_vec3_scale(body->ratio, axis);
        tact_motion_set(kinematics, motion, axis, zero, pose->p);
        used++;
    }
}

tact_vec3 tact_loop_error(const tact_model *model, const tact_kinematics *kinematics, int loop) {
    TACT_ASSERT(model && kinematics && 0 <= loop && loop < model->nloop);
    tact_vec3 x[2];
    for (int end = 0; end < 2; end++) {
        int body = model->loop[loop].body[end];
        x[end] = model->loop[loop].at[end];
        if (body != TACT_WORLD) x[end] = tact_pose_apply(kinematics->pose[body], x[end]);
    }
    return tact_vec3_sub(x[1], x[0]);
}
