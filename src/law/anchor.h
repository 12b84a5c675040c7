// SPDX-License-Identifier: MIT
// The anchor: a tangential displacement s stored for each contact, so that a friction force needs no sliding in every step.
//
//   in the step   nu = J d + (phi, T s)                                   T: the frame's tangents
//   afterwards    s+ = nu_t                                        if |nu_t| <= s_max
//                 s+ = nu_t min(s_max, |s|)/|nu_t|                 if it slides
//                 s_max = 2 rho / (kappa mu lambda_n (1 - rho^2)),  rho = 0.99
//
// s is a world vector: between steps it is rotated with the bodies about the normal, and with the normal.
#ifndef TACT_LAW_ANCHOR_H
#define TACT_LAW_ANCHOR_H

#include "tact/law.h"

#define TACT_ANCHOR_SHARE TACT_REAL(0.99)  // rho

// Stored displacement as (tangent, tangent) in the contact's frame: rotated to its normal and limited to |s| <= 0.99 gap/mu, so
// that (gap, s) lies inside the cone.
void tact_anchor_load(const tact_state *state, const tact_contact *contact, tact_real mu, tact_real s[2]);

// x rotated by the smallest rotation that takes the unit vector `from` to the unit vector `to`, less than a right angle apart.
tact_vec3 tact_anchor_turn(tact_vec3 from, tact_vec3 to, tact_vec3 x);

// Derivative of this when `to` changes at `rate`.
tact_vec3 tact_anchor_turn_rate(tact_vec3 from, tact_vec3 to, tact_vec3 x, tact_vec3 rate);

// Stores s+ of a contact for the next step, after a step with displacement d (by dof) and final nu, in the contact's frame.
void tact_anchor_store(const tact_model *model, const tact_options *options, const tact_work *work, int index,
                       const tact_real nu[3], tact_state *state);

#endif
