// SPDX-License-Identifier: MIT
// Momentum of a tree, in world axes about each body's own origin o. With S the velocity (turn a, velocity s of o) that a motion
// gives for a unit rate, V = (w, u) the velocity of what it moves, counted up to the motion itself, and (L, P) the momentum of
// the body with all that it carries:
//
//     p = S.(L, P)                 a.L + s.P
//     c = -(S x V).(L, P)          -((a x w).L + (a x u + s x w).P)
//
// since a coordinate moves all that is carried as one piece, but leaves the motions before it: T changes as if these, with
// velocity V, had been rotated back. A free joint's axes do not rotate with it, which leaves L x w + P x u for its rotations.
#include "tact/model.h"

// Velocity (angular, of the origin) of the carrier of the body's joint, at the body's origin.
static void momentum_carried(const tact_model *model, const tact_kinematics *kinematics, int b, const tact_vec3 *velocity,
                             tact_vec3 V[2]) {
    TACT_ASSERT(0 <= b && b < model->nbody);
    int parent = model->body[b].parent;
    V[0] = tact_vec3_make(0, 0, 0);
    V[1] = V[0];
    if (parent == TACT_WORLD) return;
    // rigid motion of the parent at the body's origin: u + w x r
    tact_vec3 r = tact_vec3_sub(kinematics->pose[b].p, kinematics->pose[parent].p);
    V[0] = velocity[2 * parent];
    V[1] = tact_vec3_add(velocity[2 * parent + 1], tact_vec3_cross(V[0], r));
}

static void momentum_move(const tact_kinematics *kinematics, int motion, tact_vec3 origin, tact_real rate, tact_vec3 V[2]) {
    V[0] = tact_vec3_add_scaled(V[0], rate, kinematics->angular[motion]);
    V[1] = tact_vec3_add_scaled(V[1], rate, tact_motion_velocity(kinematics, motion, origin));
}

void tact_momentum_update(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, const tact_real *v,
                          tact_real *p, tact_real *c) {
    TACT_ASSERT(model && kinematics && dynamics && ((v && p) || !model->nv));
    // outward: velocities; P = m (u + w x c), L = R I R'w + c x P
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        tact_vec3 *V = dynamics->velocity + 2 * b, *momentum = dynamics->force + 2 * b;
        tact_mat3 R = kinematics->pose[b].R;
        momentum_carried(model, kinematics, b, dynamics->velocity, V);
        for (int m = model->body_motion[b]; m < model->body_motion[b + 1]; m++)
            momentum_move(kinematics, m, kinematics->pose[b].p, v[model->motion[m].dof], V);
        tact_vec3 com = tact_mat3_apply(R, body->com);
        momentum[1] = tact_vec3_scale(body->mass, tact_vec3_add(V[1], tact_vec3_cross(V[0], com)));
        tact_vec3 spin = tact_mat3_apply(R, tact_sym3_apply(body->inertia, tact_mat3_apply_transposed(R, V[0])));
        momentum[0] = tact_vec3_add(spin, tact_vec3_cross(com, momentum[1]));
    }
    for (int i = 0; i < model->nv; i++) p[i] = 0;
    for (int i = 0; c && i < model->nv; i++) c[i] = 0;
    // inward: momentum of the subtree, moved to the parent's origin
    for (int b = model->nbody - 1; b >= 0; b--) {
        int parent = model->body[b].parent;
        // p and c of the joint's motions.
        tact_vec3 V[2], o = kinematics->pose[b].p, L = dynamics->force[2 * b], P = dynamics->force[2 * b + 1];
        bool free = model->body[b].joint == TACT_JOINT_FREE;
        momentum_carried(model, kinematics, b, dynamics->velocity, V);
        // p = a.L + s.P for each motion; c = -(S x V).(L, P)
        for (int m = model->body_motion[b]; m < model->body_motion[b + 1]; m++) {
            int i = model->motion[m].dof;
            tact_vec3 a = kinematics->angular[m], s = tact_motion_velocity(kinematics, m, o);
            p[i] += tact_vec3_dot(a, L) + tact_vec3_dot(s, P) + tact_motion_armature(model, m) * v[i];
            if (!c) continue;
            // a free joint's axes are the world's: L x w + P x u
            if (free) {
                const tact_vec3 *w = dynamics->velocity + 2 * b;
                c[i] += tact_vec3_dot(a, tact_vec3_add(tact_vec3_cross(L, w[0]), tact_vec3_cross(P, w[1])));
                continue;
            }
            momentum_move(kinematics, m, o, v[i], V);
            tact_vec3 move = tact_vec3_add(tact_vec3_cross(a, V[1]), tact_vec3_cross(s, V[0]));
            c[i] -= tact_vec3_dot(tact_vec3_cross(a, V[0]), L) + tact_vec3_dot(move, P);
        }
        // momentum and angular momentum of the subtree, moved to the parent's origin
        if (parent == TACT_WORLD) continue;
        tact_vec3 *own = dynamics->force + 2 * b, *carrier = dynamics->force + 2 * parent;
        tact_vec3 r = tact_vec3_sub(kinematics->pose[b].p, kinematics->pose[parent].p);
        carrier[0] = tact_vec3_add(carrier[0], tact_vec3_add(own[0], tact_vec3_cross(r, own[1])));
        carrier[1] = tact_vec3_add(carrier[1], own[1]);
    }
}

tact_real tact_weight_energy(const tact_model *model, const tact_kinematics *kinematics, tact_vec3 gravity) {
    TACT_ASSERT(model && kinematics);
    tact_real sum = 0;
    for (int b = 0; b < model->nbody; b++)
        sum -= model->body[b].mass * tact_vec3_dot(gravity, tact_pose_apply(kinematics->pose[b], model->body[b].com));
    return sum;
}
