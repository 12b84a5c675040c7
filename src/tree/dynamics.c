// SPDX-License-Identifier: MIT
// Mass matrix by composite rigid bodies (composite.h), bias force by recursive Newton-Euler (Featherstone, Rigid Body Dynamics
// Algorithms, 2008).
#include "tree/composite.h"

void tact_dynamics_place(tact_dynamics *dynamics, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(dynamics && model);
    size_t nbody = (size_t)model->nbody;
    dynamics->composite = tact_arena_take(arena, nbody, sizeof(tact_composite));
    dynamics->velocity = tact_arena_take(arena, 4 * nbody, sizeof(tact_vec3));
    dynamics->force = tact_arena_take(arena, 2 * nbody, sizeof(tact_vec3));
}

void tact_composite_update(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, bool loose_only) {
    const each_scenes scene = {.model = {model}, .common = true};
    composite_update(&scene, kinematics, dynamics->composite, loose_only);
}

tact_real tact_composite_coupling(const tact_model *model, const tact_kinematics *kinematics, const tact_dynamics *dynamics,
                                  int motion, int carrier) {
    const each_scenes scene = {.model = {model}, .common = true};
    return composite_coupling(&scene, kinematics, dynamics->composite, motion, carrier);
}

tact_real tact_composite_weight(const tact_model *model, const tact_kinematics *kinematics, const tact_dynamics *dynamics,
                                int motion, tact_vec3 gravity) {
    return composite_weight(model, kinematics, dynamics->composite, motion, gravity);
}

void tact_mass_matrix(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, tact_real *M) {
    TACT_ASSERT(model && kinematics && dynamics && (M || !model->nv));
    int nv = model->nv;
    // composite rigid bodies; M_ij for each motion and each one that carries it
    tact_composite_update(model, kinematics, dynamics, false);
    for (int k = 0; k < nv * nv; k++) M[k] = 0;
    for (int m = 0; m < model->nmotion; m++) {
        int b = model->motion[m].body, i = model->motion[m].dof;
        // the path up to the motion itself
        for (int k = model->path_start[b]; model->path[k] <= m; k++) {
            int carrier = model->path[k], j = model->motion[carrier].dof;
            tact_real entry = tact_composite_coupling(model, kinematics, dynamics, m, carrier);
            M[i * nv + j] += entry;
            if (carrier == m) break;
            M[j * nv + i] += entry;
        }
    }
}

// Velocity and acceleration V = (w, v, alpha, a) of a body from its parent's U, at r = o - o_parent. The axes of a free joint
// are fixed in the world, all others rotate with the parent.
static void dynamics_move(const tact_model *model, const tact_kinematics *kinematics, int b, const tact_real *v,
                          const tact_vec3 *U, tact_vec3 *V) {
    tact_vec3 turn = {0, 0, 0}, move = {0, 0, 0}, r = kinematics->pose[b].p;
    int parent = model->body[b].parent;
    if (parent != TACT_WORLD) r = tact_vec3_sub(r, kinematics->pose[parent].p);
    // velocity of the joint itself
    for (int m = model->body_motion[b]; m < model->body_motion[b + 1]; m++) {
        tact_real rate = v[model->motion[m].dof];
        turn = tact_vec3_add_scaled(turn, rate, kinematics->angular[m]);
        move = tact_vec3_add_scaled(move, rate, kinematics->linear[m]);
    }
    // derivative of r, and contribution of the rotating axes of the joint's own motions to the accelerations
    tact_vec3 rate = tact_vec3_add(tact_vec3_cross(U[0], r), move);
    tact_real follows = model->body[b].joint == TACT_JOINT_FREE ? 0 : 1;
    // velocities: the parent's at r, plus the joint's; accelerations with alpha x r, w x (w x r) and Coriolis terms
    V[0] = tact_vec3_add(U[0], turn);
    V[1] = tact_vec3_add(U[1], rate);
    V[2] = tact_vec3_add_scaled(U[2], follows, tact_vec3_cross(U[0], turn));
    V[3] = tact_vec3_add(U[3], tact_vec3_add(tact_vec3_cross(U[2], r), tact_vec3_cross(U[0], rate)));
    V[3] = tact_vec3_add_scaled(V[3], follows, tact_vec3_cross(U[0], move));
}

void tact_bias_force(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, tact_vec3 gravity,
                     const tact_real *v, tact_real *bias) {
    TACT_ASSERT(model && kinematics && dynamics && ((v && bias) || !model->nv));
    // gravity acts like an upward acceleration of the world
    const tact_vec3 world[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, tact_vec3_scale(-1, gravity)};
    tact_vec3 *V = dynamics->velocity, *force = dynamics->force;
    // outward: velocities, accelerations and the force that each body needs
    for (int b = 0; b < model->nbody; b++) {
        int parent = model->body[b].parent;
        dynamics_move(model, kinematics, b, v, parent == TACT_WORLD ? world : V + 4 * parent, V + 4 * b);
        // Newton-Euler equations about the centre of mass, in body axes: moment about the origin, and force
        const tact_body *body = &model->body[b];
        const tact_vec3 *own = V + 4 * b;
        tact_mat3 R = kinematics->pose[b].R;
        tact_vec3 c = tact_mat3_apply(R, body->com), w = tact_mat3_apply_transposed(R, own[0]);
        tact_vec3 spin = tact_sym3_apply(body->inertia, tact_mat3_apply_transposed(R, own[2]));
        spin = tact_vec3_add(spin, tact_vec3_cross(w, tact_sym3_apply(body->inertia, w)));
        // acceleration of the centre of mass: a + alpha x c + w x (w x c)
        tact_vec3 a = tact_vec3_add(own[3], tact_vec3_cross(own[2], c));
        a = tact_vec3_add(a, tact_vec3_cross(own[0], tact_vec3_cross(own[0], c)));
        force[2 * b + 1] = tact_vec3_scale(body->mass, a);
        force[2 * b] = tact_vec3_add(tact_mat3_apply(R, spin), tact_vec3_cross(c, force[2 * b + 1]));
    }
    for (int i = 0; i < model->nv; i++) bias[i] = 0;
    // inward: each joint transmits the force of its subtree, bias = S'f
    for (int b = model->nbody - 1; b >= 0; b--) {
        int parent = model->body[b].parent;
        tact_vec3 o = kinematics->pose[b].p, *own = force + 2 * b;
        for (int m = model->body_motion[b]; m < model->body_motion[b + 1]; m++)
            bias[model->motion[m].dof] +=
                tact_vec3_dot(kinematics->angular[m], own[0]) + tact_vec3_dot(tact_motion_velocity(kinematics, m, o), own[1]);
        if (parent == TACT_WORLD) continue;
        tact_vec3 arm = tact_vec3_cross(tact_vec3_sub(o, kinematics->pose[parent].p), own[1]);
        force[2 * parent] = tact_vec3_add(force[2 * parent], tact_vec3_add(own[0], arm));
        force[2 * parent + 1] = tact_vec3_add(force[2 * parent + 1], own[1]);
    }
}
