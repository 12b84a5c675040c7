// SPDX-License-Identifier: MIT
// Force of one virtual contact between two planar bodies, and its derivatives. On the first body
//
//     f = -fn n - F t ,  fn = w g_a(d) max(0, kn + kd ddot) ,  |F| <= mu fn ,  ddot = n.v_r ,  v_t = t.v_r
//
// with v_r = V1 v1 - V2 v2 the velocity of the first body at x relative to the second, and w the contact's weight.
#ifndef TACT_LAW_VIRTUAL_FORCE_H
#define TACT_LAW_VIRTUAL_FORCE_H

#include "tact/law.h"

// Softened depth g_a(d), its first two derivatives by d, and the derivatives of g and g' by a.
typedef struct {
    tact_real value, slope, curve, by_a, slope_by_a;
} tact_soft_depth;

tact_soft_depth tact_soften(tact_penalty penalty, tact_real d, tact_real a);

// Distance at which a penalty force begins [m]: 0, or 40 a where it has decayed to exp(-40) = 4e-18, or TACT_MAX.
static inline tact_real tact_soft_reach(tact_penalty penalty, tact_real a) {
    if (!(a > 0) || penalty == TACT_PENALTY_QUADRATIC) return 0;
    return penalty == TACT_PENALTY_ALGEBRAIC ? TACT_MAX : 40 * a;
}

typedef struct {
    const tact_options *options;
    tact_real a;   // temperature in use [m]
    tact_real mu;  // friction coefficient
    bool stick;    // friction without its limit: the contact is linearised as sticking
} tact_virtual_material;

// Parameters of the force law.
enum {
    TACT_VIRTUAL_BY_KN,
    TACT_VIRTUAL_BY_KD,
    TACT_VIRTUAL_BY_KT,
    TACT_VIRTUAL_BY_MU,
    TACT_VIRTUAL_BY_A,
    TACT_VIRTUAL_PARAMETERS,
};

// Force law at one depth and velocity: normal and friction force, and their derivatives.
typedef struct {
    tact_real fn, F;
    tact_real fn_d, fn_ddot, fn_w;
    tact_real F_t, F_fn, F_w;  // by v_t, fn, w
} tact_virtual_response;

// Derivatives of fn and F by each parameter; of F including those through fn.
typedef struct {
    tact_real fn[TACT_VIRTUAL_PARAMETERS], F[TACT_VIRTUAL_PARAMETERS];
} tact_virtual_sensitivity;

tact_virtual_response tact_virtual_respond(const tact_virtual_material *material, tact_real d, tact_real weight, tact_real ddot,
                                           tact_real vt);
tact_virtual_sensitivity tact_virtual_respond_by(const tact_virtual_material *material, tact_real d, tact_real weight,
                                                 tact_real ddot, tact_real vt);

// A contact force in its place: what the step and its adjoint need.
typedef struct {
    int pair;
    int mover[2];          // movers of the two shapes; TACT_WORLD: none
    tact_vec2 x, n;        // point and normal
    tact_real d;           // depth [m]
    tact_vec2 f;           // on the first body
    tact_real fn, F;       // normal force and friction force [N]
    tact_vec2 arm[2];      // x relative to the movers' origins
    tact_real by_v[2][2];  // df/dv_r
} tact_virtual_force;

// The two bodies at a contact: origins p and velocities (x, y, angle).
typedef struct {
    tact_vec2 p[2];
    tact_real v[2][3];
} tact_virtual_ends;

// Relative velocity v_r: of the first body at x less that of the second.
tact_vec2 tact_virtual_meeting(tact_vec2 x, const tact_virtual_ends *ends);

// Completes a force whose pair, mover, x, n and d are set.
void tact_virtual_load(const tact_virtual_ends *ends, const tact_virtual_response *response, tact_virtual_force *force);

// The forces of one pair between two movers, at the last evaluation.
typedef struct {
    int mover[2];
    int first, count;  // range of its forces
    tact_vec2 p[2];    // origins of the movers; for the world the other's origin
    tact_real D[9];  // of the force and its moment about p[0] by the velocity there and the turning of the first over the second
} tact_virtual_couple;

// Adds the damping matrix of a force to couple->D.
void tact_virtual_couple_force(const tact_virtual_force *force, tact_virtual_couple *couple);

// Response at a contact of bodies with these velocities; the contact's derivatives are by the movers' coordinates.
tact_virtual_response tact_virtual_react(const tact_virtual_material *material, const tact_virtual *contact,
                                         const tact_virtual_ends *ends);

// Derivative of f by one column of the contact, at fixed velocities of the origins: column < 6 is a coordinate of q_1 or q_2,
// beyond a size of a shape.
tact_vec2 tact_virtual_force_slope(const tact_virtual *contact, const tact_virtual_ends *ends,
                                   const tact_virtual_response *response, int column);

#endif
