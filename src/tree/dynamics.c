// SPDX-License-Identifier: MIT
// Mass matrix by composite rigid bodies, bias force by recursive Newton-Euler (Featherstone, Rigid Body Dynamics Algorithms,
// 2008), in world axes about each body's own origin o: near it, so that nothing cancels.
//   composite   m, h = m (c - o), I about o; a child's, moved by r = o_child - o, adds to its parent's
//   momentum    of motion u, a (velocity of o, turn):  P = m u + a x h ,  L = h x u + I a
//   M_ij        = u_j . P_i + a_j . L_i, both at the origin of the body that i moves
//   armature    the rotor of a joint with the coordinate x = r q_i, energy I_r (r v_i)^2/2, adds r^2 I_r to M_ii, constant in q
#include "tact/model.h"

void tact_dynamics_place(tact_dynamics *dynamics, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(dynamics && model);
    size_t nbody = (size_t)model->nbody;
    dynamics->composite = tact_arena_take(arena, nbody, sizeof(tact_composite));
    dynamics->velocity = tact_arena_take(arena, 4 * nbody, sizeof(tact_vec3));
    dynamics->force = tact_arena_take(arena, 2 * nbody, sizeof(tact_vec3));
}

// I += 2 (r.h) 1 - h r' - r h' + m (r.r 1 - r r'): what inertia about a point, of mass m with moment h, gains at a point r back
static void dynamics_shift(tact_real *I, tact_real m, tact_vec3 h, tact_vec3 r) {
    // g = h + m r/2 twice is 2 h + m r, which gathers both terms
    tact_vec3 g = tact_vec3_add_scaled(h, m / 2, r);
    tact_real dot = 2 * tact_vec3_dot(r, g);
    I[0] += dot - 2 * r.x * g.x;
    I[1] += dot - 2 * r.y * g.y;
    I[2] += dot - 2 * r.z * g.z;
    I[3] -= r.x * g.y + r.y * g.x;
    I[4] -= r.x * g.z + r.z * g.x;
    I[5] -= r.y * g.z + r.z * g.y;
}

static bool dynamics_slides(const tact_model *model, int motion) {
    return model->motion[motion].kind == TACT_MOTION_SLIDES;
}

// whether any motion turns a body
static bool dynamics_turns(const tact_model *model, int b) {
    for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++)
        if (!dynamics_slides(model, model->path[k])) return true;
    return false;
}

// one body alone; what never turns needs no inertia
static tact_composite dynamics_body(const tact_body *body, tact_mat3 R, bool turns) {
    tact_vec3 c = tact_mat3_apply(R, body->com), zero = {0, 0, 0}, x[3], y[3];
    tact_composite own = {body->mass, tact_vec3_scale(body->mass, c), {0, 0, 0, 0, 0, 0}};
    if (!turns) return own;
    // R I R' from the rows x of R and y = I x
    for (int k = 0; k < 3; k++) {
        x[k] = tact_vec3_make(R.m[k][0], R.m[k][1], R.m[k][2]);
        y[k] = tact_sym3_apply(body->inertia, x[k]);
        own.inertia[k] = tact_vec3_dot(x[k], y[k]);
    }
    own.inertia[3] = tact_vec3_dot(x[0], y[1]);
    own.inertia[4] = tact_vec3_dot(x[0], y[2]);
    own.inertia[5] = tact_vec3_dot(x[1], y[2]);
    dynamics_shift(own.inertia, body->mass, zero, c);
    return own;
}

void tact_composite_update(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, bool loose_only) {
    // Each body alone, then from the leaves to the root.
    for (int b = 0; b < model->nbody; b++)
        if (model->loose[b] || !loose_only)
            dynamics->composite[b] = dynamics_body(&model->body[b], kinematics->pose[b].R, dynamics_turns(model, b));
    // what a loose body carries is loose
    for (int b = model->nbody - 1; b >= 0; b--) {
        if (loose_only && !model->loose[b]) continue;
        int parent = model->body[b].parent;
        if (parent == TACT_WORLD || (loose_only && !model->loose[parent])) continue;
        tact_vec3 r = tact_vec3_sub(kinematics->pose[b].p, kinematics->pose[parent].p);
        tact_composite *to = &dynamics->composite[parent];
        const tact_composite *child = &dynamics->composite[b];
        for (int k = 0; k < 6; k++) to->inertia[k] += child->inertia[k];
        dynamics_shift(to->inertia, child->mass, child->moment, r);
        to->mass += child->mass;
        to->moment = tact_vec3_add(to->moment, tact_vec3_add_scaled(child->moment, child->mass, r));
    }
}

tact_real tact_composite_coupling(const tact_model *model, const tact_kinematics *kinematics, const tact_dynamics *dynamics,
                                  int motion, int carrier) {
    int b = model->motion[motion].body;
    const tact_composite *own = &dynamics->composite[b];
    tact_real rotor = motion == carrier ? tact_motion_armature(model, motion) : 0;
    // of two translations: what is below with all turns 0
    if (dynamics_slides(model, motion) && dynamics_slides(model, carrier))
        return rotor + tact_vec3_dot(kinematics->linear[carrier], tact_vec3_scale(own->mass, kinematics->linear[motion]));
    // Momentum of the composite for a unit rate of the motion, and the carrier's velocity in it.
    tact_vec3 o = kinematics->pose[b].p, a = kinematics->angular[motion], u = tact_motion_velocity(kinematics, motion, o);
    tact_vec3 P = tact_vec3_add_scaled(tact_vec3_cross(a, own->moment), own->mass, u);
    tact_vec3 L = tact_vec3_add(tact_vec3_cross(own->moment, u), tact_sym3_apply(own->inertia, a));
    return rotor + tact_vec3_dot(tact_motion_velocity(kinematics, carrier, o), P) +
           tact_vec3_dot(kinematics->angular[carrier], L);
}

tact_real tact_composite_weight(const tact_model *model, const tact_kinematics *kinematics, const tact_dynamics *dynamics,
                                int motion, tact_vec3 gravity) {
    int b = model->motion[motion].body;
    const tact_composite *own = &dynamics->composite[b];
    if (dynamics_slides(model, motion)) return own->mass * tact_vec3_dot(kinematics->linear[motion], gravity);
    tact_vec3 u = tact_motion_velocity(kinematics, motion, kinematics->pose[b].p);
    // Gravity's power for a unit rate: m u'g + a'(h x g).
    tact_vec3 moment = tact_vec3_cross(own->moment, gravity);
    return own->mass * tact_vec3_dot(u, gravity) + tact_vec3_dot(kinematics->angular[motion], moment);
}

void tact_mass_matrix(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, tact_real *M) {
    TACT_ASSERT(model && kinematics && dynamics && (M || !model->nv));
    int nv = model->nv;
    // Composite rigid bodies; M_ij for each motion and each one that carries it.
    tact_composite_update(model, kinematics, dynamics, false);
    for (int k = 0; k < nv * nv; k++) M[k] = 0;
    for (int m = 0; m < model->nmotion; m++) {
        int b = model->motion[m].body, i = model->motion[m].dof;
        // the path up to the motion itself, which meets itself once
        for (int k = model->path_start[b]; model->path[k] <= m; k++) {
            int carrier = model->path[k], j = model->motion[carrier].dof;
            tact_real entry = tact_composite_coupling(model, kinematics, dynamics, m, carrier);
            M[i * nv + j] += entry;
            if (carrier == m) break;
            M[j * nv + i] += entry;
        }
    }
}

// One body's velocity and acceleration in V = (w, v, alpha, a) from its parent's in U, at r = o - o_parent. A free joint's
// motions keep their direction in the world, all others turn with the parent.
static void dynamics_move(const tact_model *model, const tact_kinematics *kinematics, int b, const tact_real *v,
                          const tact_vec3 *U, tact_vec3 *V) {
    tact_vec3 turn = {0, 0, 0}, move = {0, 0, 0}, r = kinematics->pose[b].p;
    int parent = model->body[b].parent;
    if (parent != TACT_WORLD) r = tact_vec3_sub(r, kinematics->pose[parent].p);
    // Velocity of the joint itself.
    for (int m = model->body_motion[b]; m < model->body_motion[b + 1]; m++) {
        tact_real rate = v[model->motion[m].dof];
        turn = tact_vec3_add_scaled(turn, rate, kinematics->angular[m]);
        move = tact_vec3_add_scaled(move, rate, kinematics->linear[m]);
    }
    // the rate of r, and what the directions of the joint's own motions add to the accelerations
    tact_vec3 rate = tact_vec3_add(tact_vec3_cross(U[0], r), move);
    tact_real follows = model->body[b].joint == TACT_JOINT_FREE ? 0 : 1;
    // Velocities: the parent's at r, plus the joint's; accelerations with alpha x r, w x (w x r) and the Coriolis terms.
    V[0] = tact_vec3_add(U[0], turn);
    V[1] = tact_vec3_add(U[1], rate);
    V[2] = tact_vec3_add_scaled(U[2], follows, tact_vec3_cross(U[0], turn));
    V[3] = tact_vec3_add(U[3], tact_vec3_add(tact_vec3_cross(U[2], r), tact_vec3_cross(U[0], rate)));
    V[3] = tact_vec3_add_scaled(V[3], follows, tact_vec3_cross(U[0], move));
}

void tact_bias_force(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, tact_vec3 gravity,
                     const tact_real *v, tact_real *bias) {
    TACT_ASSERT(model && kinematics && dynamics && ((v && bias) || !model->nv));
    // gravity is felt as an acceleration of the world upwards
    const tact_vec3 world[4] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, tact_vec3_scale(-1, gravity)};
    tact_vec3 *V = dynamics->velocity, *force = dynamics->force;
    // Outward: velocities, accelerations and the force that each body needs.
    for (int b = 0; b < model->nbody; b++) {
        int parent = model->body[b].parent;
        dynamics_move(model, kinematics, b, v, parent == TACT_WORLD ? world : V + 4 * parent, V + 4 * b);
        // Newton and Euler about the centre of mass, in body axes: the moment about the origin, and the force
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
    // Inward: each joint bears the force of all that it carries, bias = S'f.
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
