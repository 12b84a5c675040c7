// SPDX-License-Identifier: MIT
// Derivatives of a step of the barrier law, by the implicit function theorem at its solution:
//
//     0 = P d + p - sum J'lambda(nu)  =>  H dd = -(the change of the right side at fixed d),  H = P + sum J'W J
//
// All that depends on q is differentiated: the axes of both chains, the contact points on both surfaces, the turning frame, the
// mass matrix and the weight of unactuated bodies, the manifold of free joints. Derivatives with respect to q and q+ are in the
// tangent space (nv). They exist before contact, since the barrier's force does.
#ifndef TACT_DERIV_H
#define TACT_DERIV_H

#include "tact/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// The matrices of a step, row-major; contacts are those of the step, in their order. NULL leaves one out.
typedef struct {
    tact_real *A;  // (nv, nv) dq+/dq
    tact_real *B;  // (nv, nu) dq+/du
    tact_real *C;  // (3 nc, nv) dlambda/dq, in the contact frames
    tact_real *D;  // (3 nc, nu) dlambda/du
} tact_jacobians;

// How a contact moves with one coordinate.
typedef struct {
    tact_vec3 a, b;  // the nearest points of the two bodies
    tact_vec3 spin;  // of the frame
    tact_real gap;
} tact_contact_motion;

// One contact at the solution.
typedef struct {
    tact_real W[6];             // -dlambda/dnu: 00, 10, 11, 20, 21, 22
    tact_real *N;               // (3, width) dnu/dq at fixed d, for the pair's columns
    tact_real *T;               // (width, width) d(J'lambda)/dq at fixed lambda: row the component, column the coordinate
    tact_contact_motion *move;  // (width)
} tact_contact_slope;

typedef struct {
    bool frozen_geometry;         // leave out how J, frame and points depend on q: cheaper, and only roughly right
    bool kink;                    // an anchor is at its cap: the derivative is one-sided
    tact_skyline H;               // factored, in the solver's order
    tact_real *pivot;             // (nv)
    tact_contact_slope *contact;  // (npair) with the places of their N, T and move:
    tact_real *slope_N, *slope_T;
    tact_contact_motion *slope_move;
    tact_real *motion;            // (nv, nv) d(P d + p)/dq, solver's order
    tact_real *bound;             // (nv) stiffness of the limits, solver's order
    tact_real *turn;              // (nv, 6) per free rotation: rows of Exp(d) and of the left Jacobian at d
    tact_real *column;            // (nv)
    tact_real *rhs;               // (nv)
    tact_vec3 *sway;              // (3, nv) scratch
    int *slot;                    // (nv)
} tact_deriv_work;

size_t tact_deriv_size(const tact_model *model);
tact_status tact_deriv_init(tact_deriv_work *deriv, const tact_model *model, void *memory, size_t size);

// Linearises the step that work has just done (status >= 0). before is the state the step began with; options and input are
// the step's. Everything below builds on it. TACT_BAD_INPUT for a free joint on a body that moves: that is not there.
tact_status tact_deriv_linearise(const tact_model *model, const tact_options *options, const tact_input *input,
                                 const tact_state *before, const tact_work *work, tact_deriv_work *deriv);

// Forward: the matrices.
void tact_deriv_matrices(const tact_model *model, const tact_work *work, tact_deriv_work *deriv, const tact_jacobians *jacobians);

// Reverse: from dL/dq+ (nv) and dL/dlambda (3 nc, or NULL), dL/dq (nv) and dL/du (nu) of this step, without forming matrices.
void tact_deriv_pullback(const tact_model *model, const tact_work *work, tact_deriv_work *deriv, const tact_real *q_next,
                         const tact_real *lambda, tact_real *q_bar, tact_real *u_bar);

#ifdef __cplusplus
}
#endif

#endif
