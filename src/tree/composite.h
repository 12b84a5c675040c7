// SPDX-License-Identifier: MIT
// Composite rigid bodies (Featherstone, Rigid Body Dynamics Algorithms, 2008) in world axes about each body's own origin o: near
// it, so that nothing cancels. Of one scene, and of several side by side.
//   composite   m, h = m (c - o), I about o; a child's, moved by r = o_child - o, adds to its parent's
//   momentum    of motion u, a (velocity of o, turn):  P = m u + a x h ,  L = h x u + I a
//   M_ij        = u_j . P_i + a_j . L_i, both at the origin of the body that i moves
//   armature    the rotor of a joint with the coordinate x = r q_i, energy I_r (r v_i)^2/2, adds r^2 I_r to M_ii, constant in q
#ifndef TACT_TREE_COMPOSITE_H
#define TACT_TREE_COMPOSITE_H

#include "tree/each.h"

// I += 2 (r.h) 1 - h r' - r h' + m (r.r 1 - r r'): what inertia about a point, of mass m with moment h, gains at a point r back
static inline void composite_shift(tact_each *I, tact_each m, each_vec3 h, each_vec3 r) {
    // g = h + m r/2 twice is 2 h + m r, which gathers both terms
    each_vec3 g = each_vec3_add_scaled(h, m / 2, r);
    tact_each dot = 2 * each_vec3_dot(r, g);
    I[0] += dot - 2 * r.x * g.x;
    I[1] += dot - 2 * r.y * g.y;
    I[2] += dot - 2 * r.z * g.z;
    I[3] -= r.x * g.y + r.y * g.x;
    I[4] -= r.x * g.z + r.z * g.x;
    I[5] -= r.y * g.z + r.z * g.y;
}

static inline bool composite_slides(const tact_model *model, int motion) {
    return model->motion[motion].kind == TACT_MOTION_SLIDES;
}

// whether any motion turns a body
static inline bool composite_turns(const tact_model *model, int b) {
    for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++)
        if (!composite_slides(model, model->path[k])) return true;
    return false;
}

// one body alone; what never turns needs no inertia
static inline void composite_begin(const each_scenes *scenes, int b, const each_mat3 *R, each_composite *own) {
    // m, and h = m c with c from the origin to the centre of mass, world axes.
    tact_each inertia[6];
    each_vec3 x[3], y[3], c = each_mat3_apply(R, each_vec3_of(scenes, body[b].com));
    own->mass = each_real(scenes, body[b].mass);
    own->moment = each_vec3_scale(own->mass, c);
    for (int k = 0; k < 6; k++) own->inertia[k] = tact_each_all(0);
    if (!composite_turns(scenes->model[0], b)) return;
    for (int k = 0; k < 6; k++) inertia[k] = each_real(scenes, body[b].inertia[k]);
    // R I R' from the rows x of R and y = I x
    for (int k = 0; k < 3; k++) {
        x[k] = each_vec3_make(R->m[k][0], R->m[k][1], R->m[k][2]);
        y[k] = each_sym3_apply(inertia, x[k]);
        own->inertia[k] = each_vec3_dot(x[k], y[k]);
    }
    own->inertia[3] = each_vec3_dot(x[0], y[1]);
    own->inertia[4] = each_vec3_dot(x[0], y[2]);
    own->inertia[5] = each_vec3_dot(x[1], y[2]);
    composite_shift(own->inertia, own->mass, each_vec3_all(0, 0, 0), c);
}

// As tact_composite_update.
static inline void composite_update(const each_scenes *scenes, const each_kinematics *kinematics, each_composite *composite,
                                    bool loose_only) {
    const tact_model *model = scenes->model[0];
    // Each body alone, then from the leaves to the root.
    for (int b = 0; b < model->nbody; b++)
        if (model->loose[b] || !loose_only) composite_begin(scenes, b, &kinematics->pose[b].R, &composite[b]);
    // what a loose body carries is loose
    for (int b = model->nbody - 1; b >= 0; b--) {
        if (loose_only && !model->loose[b]) continue;
        int parent = model->body[b].parent;
        if (parent == TACT_WORLD || (loose_only && !model->loose[parent])) continue;
        each_vec3 r = each_vec3_sub(kinematics->pose[b].p, kinematics->pose[parent].p);
        each_composite *to = &composite[parent];
        const each_composite *child = &composite[b];
        // The parent gains what its child carries, moved by r.
        for (int k = 0; k < 6; k++) to->inertia[k] += child->inertia[k];
        composite_shift(to->inertia, child->mass, child->moment, r);
        to->mass += child->mass;
        to->moment = each_vec3_add(to->moment, each_vec3_add_scaled(child->moment, child->mass, r));
    }
}

// As tact_composite_coupling.
static inline tact_each composite_coupling(const each_scenes *scenes, const each_kinematics *kinematics,
                                           const each_composite *composite, int motion, int carrier) {
    const tact_model *model = scenes->model[0];
    int b = model->motion[motion].body;
    const each_composite *own = &composite[b];
    // Armature of the joint: on the diagonal only.
    tact_each rotor = tact_each_all(0);
    for (int i = 0; motion == carrier && i < TACT_SCENES; i++)
        tact_each_put(&rotor, i, tact_motion_armature(scenes->model[i], motion));
    // of two translations: what is below with all turns 0
    if (composite_slides(model, motion) && composite_slides(model, carrier))
        return rotor + each_vec3_dot(kinematics->linear[carrier], each_vec3_scale(own->mass, kinematics->linear[motion]));
    // Momentum of the composite for a unit rate of the motion, and the carrier's velocity in it.
    each_vec3 o = kinematics->pose[b].p, a = kinematics->angular[motion], u = each_motion_velocity(kinematics, motion, o);
    each_vec3 P = each_vec3_add_scaled(each_vec3_cross(a, own->moment), own->mass, u);
    each_vec3 L = each_vec3_add(each_vec3_cross(own->moment, u), each_sym3_apply(own->inertia, a));
    return rotor + each_vec3_dot(each_motion_velocity(kinematics, carrier, o), P) +
           each_vec3_dot(kinematics->angular[carrier], L);
}

// As tact_composite_weight.
static inline tact_each composite_weight(const tact_model *model, const each_kinematics *kinematics,
                                         const each_composite *composite, int motion, each_vec3 gravity) {
    int b = model->motion[motion].body;
    const each_composite *own = &composite[b];
    if (composite_slides(model, motion)) return own->mass * each_vec3_dot(kinematics->linear[motion], gravity);
    // Velocity of the origin for a unit rate.
    each_vec3 u = each_motion_velocity(kinematics, motion, kinematics->pose[b].p);
    // Gravity's power for a unit rate: m u'g + a'(h x g).
    each_vec3 moment = each_vec3_cross(own->moment, gravity);
    return own->mass * each_vec3_dot(u, gravity) + each_vec3_dot(kinematics->angular[motion], moment);
}

#endif
