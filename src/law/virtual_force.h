// SPDX-License-Identifier: MIT
// The force of one virtual contact between two planar bodies, and how it changes. On the first body
//
//     f = -fn n - F t ,  fn = w g_a(d) max(0, kn + kd ddot) ,  |F| <= mu fn ,  ddot = n.v_r ,  v_t = t.v_r
//
// with v_r = V1 v1 - V2 v2 the velocity of the first body's point at x relative to the second's, and w the contact's weight.
#ifndef TACT_LAW_VIRTUAL_FORCE_H
#define TACT_LAW_VIRTUAL_FORCE_H

#include "tact/law.h"

// g_a(d), its first two derivatives by d, and the derivatives of g and g' by a
typedef struct {
    tact_real value, slope, curve, by_a, slope_by_a;
} tact_soft_depth;

tact_soft_depth tact_soften(tact_penalty penalty, tact_real d, tact_real a);

// How far a penalty's force reaches before contact: 0, or 40 a where it has fallen to exp(-40) = 4e-18, or TACT_MAX.
static inline tact_real tact_soft_reach(tact_penalty penalty, tact_real a) {
    if (!(a > 0) || penalty == TACT_PENALTY_QUADRATIC) return 0;
    return penalty == TACT_PENALTY_ALGEBRAIC ? TACT_MAX : 40 * a;
}

typedef struct {
    const tact_options *options;
    tact_real a;   // temperature in force
    tact_real mu;  //
    bool stick;    // friction goes on as below its limit
} tact_virtual_material;

// What a force depends on besides q and v.
enum {
    TACT_VIRTUAL_BY_KN,
    TACT_VIRTUAL_BY_KD,
    TACT_VIRTUAL_BY_KT,
    TACT_VIRTUAL_BY_MU,
    TACT_VIRTUAL_BY_A,
    TACT_VIRTUAL_PARAMETERS,
};

// The force law at one depth and velocity: values and slopes.
typedef struct {
    tact_real fn, F;
    tact_real fn_d, fn_ddot, fn_w;
    tact_real F_t, F_fn, F_w;  // by v_t, fn, w
} tact_virtual_response;

// What fn and F change by with each parameter, F through fn, too.
typedef struct {
    tact_real fn[TACT_VIRTUAL_PARAMETERS], F[TACT_VIRTUAL_PARAMETERS];
} tact_virtual_sensitivity;

tact_virtual_response tact_virtual_respond(const tact_virtual_material *material, tact_real d, tact_real weight, tact_real ddot,
                                           tact_real vt);
tact_virtual_sensitivity tact_virtual_respond_by(const tact_virtual_material *material, tact_real d, tact_real weight,
                                                 tact_real ddot, tact_real vt);

// A force in place: what stepping and its adjoint keep of it.
typedef struct {
    int pair;
    int mover[2];          // that carry the two shapes; TACT_WORLD
    tact_vec2 x, n;        //
    tact_real d;           //
    tact_vec2 f;           // on the first body
    tact_real fn, F;       //
    tact_vec2 arm[2];      // x less the movers' origins
    tact_real by_v[2][2];  // df/dv_r
} tact_virtual_force;

// The two bodies at a contact: origins p and velocities (x, y, angle).
typedef struct {
    tact_vec2 p[2];
    tact_real v[2][3];
} tact_virtual_ends;

// The first body's point at x less the second's: v_r.
tact_vec2 tact_virtual_meeting(tact_vec2 x, const tact_virtual_ends *ends);

// Fills in the rest of a force of which pair, mover, x, n and d are given.
void tact_virtual_load(const tact_virtual_ends *ends, const tact_virtual_response *response, tact_virtual_force *force);

// The forces between two movers at the last evaluation, those of one pair.
typedef struct {
    int mover[2];
    int first, count;  // forces
    tact_vec2 p[2];    // the movers' origins; a world's is the other's
    tact_real D[9];  // of the force and its moment about p[0] by the velocity there and the turning of the first over the second
} tact_virtual_couple;

// D += that of a force.
void tact_virtual_couple_force(const tact_virtual_force *force, tact_virtual_couple *couple);

// The response at a contact between bodies that move so; contact's columns are those of the movers.
tact_virtual_response tact_virtual_react(const tact_virtual_material *material, const tact_virtual *contact,
                                         const tact_virtual_ends *ends);

// df by one column of the contact, at fixed velocities: column < 6 one of q_1, q_2, beyond a size.
tact_vec2 tact_virtual_force_slope(const tact_virtual *contact, const tact_virtual_ends *ends,
                                   const tact_virtual_response *response, int column);

#endif
