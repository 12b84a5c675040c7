// SPDX-License-Identifier: MIT
// Groups of the virtual law whose mass matrix M and Jacobians J depend on q: a joint behind a turning joint, or one that slides
// and turns with its centre of mass off the axis. The integrators are applied to q' = v, v' = M^-1 (Q - c), so that a stage
// remains
//
//      r(x) = M(x) (x - qhat) - beta (Q - c) = 0 ,   c = the inertial forces C(x, w) w
//
// and all other equations hold, too, if soft->Q holds Q - c, H includes the derivatives of M(x) a and J(x) at fixed a = x -
// qhat, and D that of -c by w, which is -soft->gyration.
//
// In the plane these derivatives have a closed form. Let motion j of a path rotate at the rate o_j (0 for a slide) and J_j be
// its column of the Jacobian for a point p on the path. Then, for i before j before k or equal,
//
//     dJ_j/dq_i = dJ_i/dq_j = o_i E J_j ,   d2J_k/dq_i dq_j = -o_i o_j J_k
//
// since motions nearer to the root rotate those farther out. For the centre of mass p of a body with mass m and inertia I,
//
//     M_ij = m J_i.J_j + I o_i o_j ,   c_i = m J_i.z ,   z = sum_jk dJ_j/dq_k w_j w_k
#ifndef TACT_LAW_VIRTUAL_CHAIN_H
#define TACT_LAW_VIRTUAL_CHAIN_H

#include "law/virtual.h"

// Screws and moments of inertia at q = 0; groups and rest poses must be known.
void tact_chain_prepare(const tact_model *model, const tact_kinematics *kinematics, tact_virtual_work *soft);

// Clears what an evaluation accumulates: M and gyration of these groups, and contact forces of the movers.
void tact_chain_clear(const tact_model *model, tact_virtual_work *soft);

// Pose, velocity and Jacobian of a mover at x, w; with slopes also d(J w)/dq in soft->drift.
void tact_chain_move(const tact_virtual_job *job, int mover, const tact_real *x, const tact_real *w, bool slopes);

// Adds M, and to Q the weight, external forces and -c, of all bodies in these groups; with slopes also H and the gyration.
void tact_chain_add_bodies(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes);

// Sums the forces f, -f of a contact on its movers; and their geometric stiffness -beta f'dJ/dq, added to H.
void tact_chain_note_force(tact_virtual_work *soft, const tact_virtual_force *force);
void tact_chain_add_pull(const tact_virtual_job *job);

// H += derivative of a couple's damping forces through the velocities of its ends, which depend on q at fixed w.
void tact_chain_add_drift(const tact_virtual_job *job, const tact_virtual_couple *couple);

// Derivative of the relative velocity of the two movers by q at fixed w, along x.
tact_vec2 tact_chain_slip(const tact_virtual_work *soft, const int mover[2], const tact_real *x);

// y -= gyration x of one group, or its transpose.
void tact_chain_damp(const tact_virtual_work *soft, int group, const tact_real *x, bool transposed, tact_real *y);

// Upper bound on the displacement of any point of a mover between the coordinates `from` and x, at which its pose is.
tact_real tact_chain_way(const tact_virtual_work *soft, int mover, const tact_real *x, const tact_real *from);

// y += beta times the generalised force of a force in the plane and a torque at a body's centre of mass; undriven: only for
// unknowns without a drive. The other: y -= the derivative of M a + beta c by the body's mass, or by its inertia (turning).
// Both at the last evaluation.
void tact_chain_push(const tact_virtual_job *job, int body, tact_vec2 force, tact_real torque, bool undriven, tact_real *y);
void tact_chain_load(const tact_virtual_job *job, int body, bool turning, tact_real *y);

#endif
