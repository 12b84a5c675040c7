// SPDX-License-Identifier: MIT
// Groups of the virtual law that bend: joints behind joints that turn, and what slides and turns with its centre of mass off the
// axis. Their mass matrix M and the columns J of their movers depend on q. Integrators are applied to q' = v, v' = M^-1 (Q - c),
// so that a stage stays
//
//     r(x) = M(x) (x - qhat) - beta (Q - c) = 0 ,   c = the inertial forces C(x, w) w
//
// and everything else does, too, when soft->Q holds Q - c, H the derivatives of M(x) a and J(x) at fixed a = x - qhat, and D
// that of -c, which is -soft->gyration.
//
// In the plane all of it is in closed form. Along a path let motion j turn by o_j (0 for a slide) and move a point p that the
// path carries by J_j. Then, for i before j before k or the same,
//
//     dJ_j/dq_i = dJ_i/dq_j = o_i E J_j ,   d2J_k/dq_i dq_j = -o_i o_j J_k
//
// since what is nearer to the root turns what is farther out. With p a centre of mass, m and I mass and inertia, one body adds
//
//     M_ij = m J_i.J_j + I o_i o_j ,   c_i = m J_i.z ,   z = sum_jk dJ_j/dq_k w_j w_k
#ifndef TACT_LAW_VIRTUAL_CHAIN_H
#define TACT_LAW_VIRTUAL_CHAIN_H

#include "law/virtual.h"

// What they are at q = 0, once groups and rests are known.
void tact_chain_prepare(const tact_model *model, const tact_kinematics *kinematics, tact_virtual_work *soft);

// Empties what an evaluation fills: their M, and with slopes the rest.
void tact_chain_clear(const tact_model *model, tact_virtual_work *soft);

// A mover at x, w: pose, velocity, J; with slopes the drift.
void tact_chain_move(const tact_virtual_job *job, int mover, const tact_real *x, const tact_real *w, bool slopes);

// M, and into Q weight, pushes and -c of all their bodies; with slopes H and the gyration.
void tact_chain_add_bodies(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes);

// The forces f, -f of a contact on its movers, and what H has of all of them because J turns.
void tact_chain_note_force(tact_virtual_work *soft, const tact_virtual_force *force);
void tact_chain_add_pull(const tact_virtual_job *job);

// H += how the forces of a couple change with the velocities of the ends, as those change with q at fixed w.
void tact_chain_add_drift(const tact_virtual_job *job, const tact_virtual_couple *couple);

// What x as a change of q at fixed w adds to the velocity of the first body's point less the second's.
tact_vec2 tact_chain_slip(const tact_virtual_work *soft, const int mover[2], const tact_real *x);

// y -= gyration x of one group, or its transpose
void tact_chain_damp(const tact_virtual_work *soft, int group, const tact_real *x, bool transposed, tact_real *y);

// A bound of how far a point of a mover that is at x is from where it would be at another.
tact_real tact_chain_way(const tact_virtual_work *soft, int mover, const tact_real *x, const tact_real *from);

// y += beta times the generalised force of a push on a body's centre of mass, its force in the plane; undriven: on unknowns
// without a drive only. y -= what a unit of mass there, or of inertia, adds to M a + beta c. At the last evaluation.
void tact_chain_push(const tact_virtual_job *job, int body, tact_vec2 force, tact_real torque, bool undriven, tact_real *y);
void tact_chain_load(const tact_virtual_job *job, int body, bool turning, tact_real *y);

#endif
