// SPDX-License-Identifier: MIT
// A body and all that it carries move as one rigid piece with its joint: with theta and x the rotation and displacement of a
// body's frame per unit of the direction, the axes of its own joint rotate with its carrier,
//
//     da = theta_parent x a ,  dl = theta_parent x l ,  dc = theta x c ,  d(I w) = theta x I w + I (dw - theta x w)
//
// (except for free joints, whose axes are the world's). The rest is the product rule on tree/momentum.c.
#include "deriv/sweep.h"

#include "math/elementary.h"

enum { TURN, SHIFT, SPIN, VELOCITY, ANGULAR_MOMENTUM, MOMENTUM, CHANGES };

typedef struct {
    tact_vec3 spin, move;             // velocity of the joint's carrier at the body's origin: w, u
    tact_vec3 d_spin, d_move, r, dr;  // their derivatives
} sweep_carrier;

static tact_vec3 sweep_zero(void) {
    return tact_vec3_make(0, 0, 0);
}

static tact_vec3 sweep_spin(const tact_body *body, tact_mat3 R, tact_vec3 w) {
    return tact_mat3_apply(R, tact_sym3_apply(body->inertia, tact_mat3_apply_transposed(R, w)));
}

static void sweep_add(tact_vec3 *sum, tact_real s, tact_vec3 x) {
    *sum = tact_vec3_add_scaled(*sum, s, x);
}

// Differential of a x b.
static tact_vec3 sweep_cross(tact_vec3 a, tact_vec3 da, tact_vec3 b, tact_vec3 db) {
    return tact_vec3_add(tact_vec3_cross(da, b), tact_vec3_cross(a, db));
}

// Differential of a'b.
static tact_real sweep_dot(tact_vec3 a, tact_vec3 da, tact_vec3 b, tact_vec3 db) {
    return tact_vec3_dot(da, b) + tact_vec3_dot(a, db);
}

// Change of an axis of the joint of b with its carrier.
static tact_vec3 sweep_axis(const tact_sweep *sweep, int b, tact_vec3 axis) {
    int parent = sweep->model->body[b].parent;
    bool still = parent == TACT_WORLD || sweep->model->body[b].joint == TACT_JOINT_FREE;
    return still ? sweep_zero() : tact_vec3_cross(sweep->change[CHANGES * parent + TURN], axis);
}

// Rotation and displacement of the frame of b.
static void sweep_displace(const tact_sweep *sweep, int b, const tact_real *q) {
    TACT_ASSERT(0 <= b && b < sweep->model->nbody);
    const tact_kinematics *kin = sweep->kinematics;
    tact_vec3 *own = sweep->change + CHANGES * b;
    int parent = sweep->model->body[b].parent;
    own[TURN] = own[SHIFT] = sweep_zero();
    // the parent's rotation and displacement, moved to the body's origin; then those of its own joint
    if (parent != TACT_WORLD) {
        const tact_vec3 *from = sweep->change + CHANGES * parent;
        own[TURN] = from[TURN];
        own[SHIFT] = tact_vec3_add(from[SHIFT], tact_vec3_cross(from[TURN], tact_vec3_sub(kin->pose[b].p, kin->pose[parent].p)));
    }
    for (int m = sweep->model->body_motion[b]; q && m < sweep->model->body_motion[b + 1]; m++) {
        sweep_add(&own[TURN], q[sweep->model->motion[m].dof], kin->angular[m]);
        sweep_add(&own[SHIFT], q[sweep->model->motion[m].dof], tact_motion_velocity(kin, m, kin->pose[b].p));
    }
}

// Velocity of the carrier of b's joint, at its origin, with its derivative.
static sweep_carrier sweep_carried(const tact_sweep *sweep, int b) {
    // r: from the parent's origin.
    sweep_carrier c = {.r = sweep->kinematics->pose[b].p, .dr = sweep->change[CHANGES * b + SHIFT]};
    int parent = sweep->model->body[b].parent;
    if (parent == TACT_WORLD) return c;
    const tact_vec3 *from = sweep->change + CHANGES * parent, *V = sweep->dynamics->velocity + 2 * parent;
    c.r = tact_vec3_sub(c.r, sweep->kinematics->pose[parent].p);
    c.dr = tact_vec3_sub(c.dr, from[SHIFT]);
    c.spin = V[0];
    c.move = tact_vec3_add(V[1], tact_vec3_cross(V[0], c.r));
    c.d_spin = from[SPIN];
    c.d_move = tact_vec3_add(from[VELOCITY], sweep_cross(V[0], from[SPIN], c.r, c.dr));
    return c;
}

// Adds a motion of b's joint to the carrier's velocity.
static void sweep_advance(const tact_sweep *sweep, int b, int motion, const tact_real *dv, sweep_carrier *c) {
    tact_vec3 a = sweep->kinematics->angular[motion],
              l = tact_motion_velocity(sweep->kinematics, motion, sweep->kinematics->pose[b].p);
    int i = sweep->model->motion[motion].dof;
    tact_real v = sweep->v[i], rate = dv ? dv[i] : 0;
    // angular and linear velocity with the next motion, and their changes by q (axes rotate) and by v
    sweep_add(&c->spin, v, a);
    sweep_add(&c->move, v, l);
    c->d_spin = tact_vec3_add_scaled(tact_vec3_add_scaled(c->d_spin, v, sweep_axis(sweep, b, a)), rate, a);
    c->d_move = tact_vec3_add_scaled(tact_vec3_add_scaled(c->d_move, v, sweep_axis(sweep, b, l)), rate, l);
}

// (1 - (a/2) cot(a/2))/a^2 and its derivative by a^2.
static tact_real sweep_exponential(tact_real square, tact_real *slope) {
    // series near 0, where the quotient cancels
    if (square < TACT_REAL(0.01)) {
        *slope = TACT_REAL(1.0) / 720 + square * (TACT_REAL(1.0) / 15120 + square * (TACT_REAL(1.0) / 403200));
        return TACT_REAL(1.0) / 12 +
               square * (TACT_REAL(1.0) / 720 + square * (TACT_REAL(1.0) / 30240 + square * (TACT_REAL(1.0) / 1209600)));
    }
    tact_real a = tact_sqrt(square), s = 0, c = 0;
    tact_sincos(a / 2, &s, &c);
    *slope = -1 / (square * square) + c / (4 * square * a * s) + 1 / (8 * square * s * s);
    return (1 - a * c / (2 * s)) / square;
}

// Differential of T(h w) L - L.
static tact_vec3 sweep_transport(tact_real h, tact_vec3 w, tact_vec3 dw, tact_vec3 L, tact_vec3 dL) {
    // T(f) L = L + f x L/2 + k f x (f x L), k = (1 - (a/2) cot(a/2))/a^2
    tact_vec3 f = tact_vec3_scale(h, w), df = tact_vec3_scale(h, dw), once = tact_vec3_cross(f, L),
              d_once = sweep_cross(f, df, L, dL);
    tact_real slope = 0, k = sweep_exponential(tact_min(tact_vec3_dot(f, f), 36), &slope);
    tact_vec3 change = tact_vec3_scale(TACT_REAL(0.5), d_once);
    sweep_add(&change, k, sweep_cross(f, df, once, d_once));
    sweep_add(&change, 2 * slope * tact_vec3_dot(f, df), tact_vec3_cross(f, once));
    return change;
}

// Derivatives of momentum and gyroscopic term of b's joint, from the momenta (L, P) that b carries.
static void sweep_read(const tact_sweep *sweep, int b, const tact_real *dv, tact_real *dp, tact_real *turning) {
    const tact_model *model = sweep->model;
    const tact_vec3 *own = sweep->change + CHANGES * b, *momentum = sweep->dynamics->force + 2 * b;
    tact_vec3 L = momentum[0], P = momentum[1], dL = own[ANGULAR_MOMENTUM], dP = own[MOMENTUM];
    sweep_carrier c = sweep_carried(sweep, b);
    // p = a.L + l.P and the gyroscopic term -h (S x V).(L, P), both by the product rule
    for (int m = model->body_motion[b]; m < model->body_motion[b + 1]; m++) {
        int i = model->motion[m].dof;
        tact_vec3 a = sweep->kinematics->angular[m], l = tact_motion_velocity(sweep->kinematics, m, sweep->kinematics->pose[b].p);
        tact_vec3 da = sweep_axis(sweep, b, a), dl = sweep_axis(sweep, b, l);
        dp[i] += sweep_dot(a, da, L, dL) + sweep_dot(l, dl, P, dP) + (dv ? tact_motion_armature(model, m) * dv[i] : 0);
        sweep_advance(sweep, b, m, dv, &c);
        if (!turning || model->body[b].joint == TACT_JOINT_FREE) continue;
        tact_vec3 aw = tact_vec3_cross(a, c.spin), daw = sweep_cross(a, da, c.spin, c.d_spin);
        tact_vec3 linear = tact_vec3_add(tact_vec3_cross(a, c.move), tact_vec3_cross(l, c.spin));
        tact_vec3 d_linear = tact_vec3_add(sweep_cross(a, da, c.move, c.d_move), sweep_cross(l, dl, c.spin, c.d_spin));
        turning[i] -= sweep->h * (sweep_dot(aw, daw, L, dL) + sweep_dot(linear, d_linear, P, dP));
    }
}

// Gyroscopic term and final momentum of a free joint's rotation.
static void sweep_read_free(const tact_sweep *sweep, int b, tact_real *turning, tact_real *end) {
    TACT_ASSERT(sweep->model->body[b].joint == TACT_JOINT_FREE);
    const tact_vec3 *own = sweep->change + CHANGES * b, *momentum = sweep->dynamics->force + 2 * b,
                    *V = sweep->dynamics->velocity + 2 * b;
    int i = sweep->model->body[b].v;
    // d(h P x u) and d(T(h w) L - L), with T L in the place of L at the end of the step
    tact_vec3 more = sweep_transport(sweep->h, V[0], own[SPIN], momentum[0], own[ANGULAR_MOMENTUM]);
    tact_vec3 change = tact_vec3_scale(sweep->h, sweep_cross(momentum[1], own[MOMENTUM], V[1], own[VELOCITY]));
    change = tact_vec3_sub(change, more);
    const tact_real both[6] = {change.x, change.y, change.z, more.x, more.y, more.z};
    for (int k = 0; k < 3; k++) {
        if (turning) turning[i + k] += both[k];
        if (end) end[i + k] += both[3 + k];
    }
}

void tact_sweep_momentum(const tact_sweep *sweep, tact_direction direction, tact_real *dp, tact_real *turning, tact_real *end) {
    TACT_ASSERT(sweep);
    const tact_model *model = sweep->model;
    // outward: changes of velocities and momenta, body by body
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        tact_vec3 *own = sweep->change + CHANGES * b;
        tact_mat3 R = sweep->kinematics->pose[b].R;
        sweep_displace(sweep, b, direction.q);
        sweep_carrier c = sweep_carried(sweep, b);
        for (int m = model->body_motion[b]; m < model->body_motion[b + 1]; m++) sweep_advance(sweep, b, m, direction.v, &c);
        own[SPIN] = c.d_spin;
        own[VELOCITY] = c.d_move;
        // P = m (u + w x c), dP by the product rule; a change of the mass adds the velocity
        tact_vec3 x = tact_mat3_apply(R, body->com), dx = tact_vec3_cross(own[TURN], x);
        tact_vec3 velocity = tact_vec3_add(c.move, tact_vec3_cross(c.spin, x)), P = tact_vec3_scale(body->mass, velocity);
        own[MOMENTUM] = tact_vec3_scale(body->mass, tact_vec3_add(own[VELOCITY], sweep_cross(c.spin, own[SPIN], x, dx)));
        if (b == direction.body) own[MOMENTUM] = tact_vec3_add(own[MOMENTUM], velocity);
        // dL = theta x I w + I (dw - theta x w) + d(c x P)
        tact_vec3 spun = tact_vec3_cross(own[TURN], sweep_spin(body, R, c.spin));
        tact_vec3 more = sweep_spin(body, R, tact_vec3_sub(own[SPIN], tact_vec3_cross(own[TURN], c.spin)));
        own[ANGULAR_MOMENTUM] = tact_vec3_add(tact_vec3_add(spun, more), sweep_cross(x, dx, P, own[MOMENTUM]));
    }
    for (int i = 0; i < model->nv; i++) dp[i] = 0;
    for (int i = 0; turning && i < model->nv; i++) turning[i] = 0;
    // inward: read for each joint, then passed to the parent, with moments about its origin
    for (int b = model->nbody - 1; b >= 0; b--) {
        int parent = model->body[b].parent;
        sweep_read(sweep, b, direction.v, dp, turning);
        if (parent == TACT_WORLD) continue;
        sweep_carrier c = sweep_carried(sweep, b);
        tact_vec3 *own = sweep->change + CHANGES * b, *to = sweep->change + CHANGES * parent;
        tact_vec3 lever = sweep_cross(c.r, c.dr, sweep->dynamics->force[2 * b + 1], own[MOMENTUM]);
        to[ANGULAR_MOMENTUM] = tact_vec3_add(to[ANGULAR_MOMENTUM], tact_vec3_add(own[ANGULAR_MOMENTUM], lever));
        to[MOMENTUM] = tact_vec3_add(to[MOMENTUM], own[MOMENTUM]);
    }
    // changes of the motions' momenta; free joints rotate in the step as well
    for (int i = 0; end && i < model->nv; i++) end[i] = dp[i];
    for (int b = 0; b < model->nbody; b++)
        if (model->body[b].joint == TACT_JOINT_FREE) sweep_read_free(sweep, b, turning, end);
}

// Adds one load of a body, at its centre of mass, to all motions of its path: V(x)'F + a'T.
static void sweep_load_body(const tact_sweep *sweep, int b, const tact_wrench *load, tact_vec3 more, bool on_driven,
                            tact_real *df) {
    TACT_ASSERT(0 <= b && b < sweep->model->nbody);
    const tact_model *model = sweep->model;
    const tact_kinematics *kin = sweep->kinematics;
    const tact_vec3 *own = sweep->change + CHANGES * b;
    tact_vec3 arm = tact_mat3_apply(kin->pose[b].R, model->body[b].com), x = tact_vec3_add(kin->pose[b].p, arm);
    tact_vec3 dx = tact_vec3_add(own[SHIFT], tact_vec3_cross(own[TURN], arm));
    for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++) {
        int m = model->path[k], carrier = model->motion[m].body, i = model->motion[m].dof;
        if (!on_driven && model->dof[i].u >= 0) continue;
        tact_vec3 o = kin->pose[carrier].p, a = kin->angular[m], l = tact_motion_velocity(kin, m, o);
        tact_vec3 da = sweep_axis(sweep, carrier, a), dl = sweep_axis(sweep, carrier, l);
        // V = l + a x (x - o), and its change
        tact_vec3 d_arm = tact_vec3_sub(dx, sweep->change[CHANGES * carrier + SHIFT]);
        tact_vec3 d_velocity = tact_vec3_add(dl, sweep_cross(a, da, tact_vec3_sub(x, o), d_arm));
        df[i] += tact_vec3_dot(d_velocity, load->force) + tact_vec3_dot(da, load->torque) +
                 tact_vec3_dot(tact_motion_velocity(kin, m, x), more);
    }
}

void tact_sweep_load(const tact_sweep *sweep, const tact_options *options, const tact_input *input, tact_direction direction,
                     tact_real *df) {
    TACT_ASSERT(sweep && options && input);
    const tact_model *model = sweep->model;
    const tact_vec3 none = {0, 0, 0};
    for (int i = 0; i < model->nv; i++) df[i] = 0;
    for (int b = 0; b < model->nbody; b++) {
        sweep_displace(sweep, b, direction.q);
        // the weight is m g; its derivative by the mass is g
        tact_wrench weight = {tact_vec3_scale(model->body[b].mass, options->gravity), {0, 0, 0}};
        sweep_load_body(sweep, b, &weight, b == direction.body ? options->gravity : none, options->gravity_on_driven, df);
        if (input->wrench) sweep_load_body(sweep, b, &input->wrench[b], none, true, df);
    }
}
