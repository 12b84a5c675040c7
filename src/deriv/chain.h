// SPDX-License-Identifier: MIT
// The kinematic Hessian, motion by motion. With V_j(x) = l_j + a_j x (x - o_j) the velocity that motion j gives a point x, and k
// a motion on the same path whose body comes before (its axis carries that of j) or is the same:
//
//     da_j = a_k x a_j ,  dl_j = a_k x l_j      when k's body comes before, and j's joint is not free (its axes stay the world's)
//     do_j = V_k(o_j)
//     dV_j(x) = dl_j + da_j x (x - o_j) + a_j x (dx - do_j)
#ifndef TACT_DERIV_CHAIN_H
#define TACT_DERIV_CHAIN_H

#include "tact/deriv.h"

// da_j along k
tact_vec3 tact_chain_axis_slope(const tact_model *model, const tact_kinematics *kinematics, int j, int k);

// dV_j(x) along k at a point that stays where it is
tact_vec3 tact_chain_velocity_slope(const tact_model *model, const tact_kinematics *kinematics, int j, int k, tact_vec3 x);

// d(P d + p)/dq in the solver's order, for the step in work
void tact_inertia_slope(const tact_model *model, const tact_options *options, const tact_input *input, const tact_work *work,
                        tact_deriv_work *deriv);

// N, T and W of one contact of the step
void tact_contact_linearise(const tact_model *model, const tact_options *options, const tact_state *before, const tact_work *work,
                            int index, tact_deriv_work *deriv);

// normal, tangent, tangent
static inline tact_vec3 frame_row(const tact_contact *contact, int row) {
    return tact_vec3_make(contact->frame.m[row][0], contact->frame.m[row][1], contact->frame.m[row][2]);
}

// y = W x
static inline void tact_slope_apply(const tact_real W[6], const tact_real x[3], tact_real y[3]) {
    y[0] = W[0] * x[0] + W[1] * x[1] + W[3] * x[2];
    y[1] = W[1] * x[0] + W[2] * x[1] + W[4] * x[2];
    y[2] = W[3] * x[0] + W[4] * x[1] + W[5] * x[2];
}

// Exp(d) and its left Jacobian for the displacements of free rotations. False for a free joint that a moving body carries.
bool tact_deriv_find_turns(const tact_model *model, const tact_work *work, tact_deriv_work *deriv);

// E of a coordinate: adds its column to x, by dof.
void tact_deriv_add_identity(const tact_model *model, const tact_deriv_work *deriv, int dof, tact_real share, tact_real *x);

// G x, or G'x, for the displacements x by dof, in place
void tact_deriv_turn(const tact_model *model, const tact_deriv_work *deriv, tact_real *x, bool transposed);

#endif
