// SPDX-License-Identifier: MIT
// Derivatives of a step of the barrier law, by the implicit function theorem at its solution:
//
//     0 = P d + p - sum J'lambda(nu)  =>  H dd = -(the change of the right side at fixed d),  H = P + sum J'W J
//
// Everything that depends on q is differentiated: the joint axes of both chains, the contact points on both surfaces, the
// rotation of the frame, the mass matrix and the weight of unactuated bodies, the manifold of free joints. Derivatives with
// respect to q and q+ are in the tangent space (nv). They are not zero before contact, since the barrier's force is not.
#ifndef TACT_DERIV_H
#define TACT_DERIV_H

#include "tact/sim.h"

#pragma GCC visibility push(default)
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

// The derivative of a contact's geometry by one coordinate.
typedef struct {
    tact_vec3 a, b;  // the nearest points of the two bodies
    tact_vec3 spin;  // angular velocity of the frame
    tact_real gap;
} tact_contact_motion;

// One contact at the solution.
typedef struct {
    tact_real W[6];             // -dlambda/dnu: 00, 10, 11, 20, 21, 22
    tact_real *N;               // (3, width) dnu/dq at fixed d, for the pair's columns
    tact_real *T;               // (width, width) d(J'lambda)/dq at fixed lambda: row the component, column the coordinate
    tact_contact_motion *move;  // (width)
    bool capped;                // its stored tangential displacement was shortened to the cap
    bool jumps;  // a segment parallel to a face or an axis touches in the middle; rotated, it would touch at an end
} tact_contact_slope;

typedef struct {
    tact_sizes of;                // sizes of the model that it was placed for ...
    size_t squares;               // ... and how many numbers slope_T holds
    bool frozen_geometry;         // leave out how J, frame and points depend on q: cheaper, but approximate
    tact_fault fault;             // TACT_BAD_INPUT: what was refused
    bool kink;                    // an anchor is at its cap, a drive has just reached its limit, or a contact jumps: one-sided
    tact_skyline H;               // factored, in the solver's order
    tact_real *pivot;             // (nv)
    tact_contact_slope *contact;  // (npair) with the places of their N, T and move:
    tact_real *slope_N, *slope_T;
    tact_contact_motion *slope_move;
    tact_real *motion;    // (nv, nv) d(P d + p)/dq, solver's order
    tact_real *bound;     // (nv) stiffness of the limits, solver's order
    tact_real *turn;      // (nv, 6) per free rotation: rows of Exp(d) and of the left Jacobian at d
    tact_real *column;    // (nv)
    tact_real *rhs;       // (nv)
    tact_real *z;         // (nv) H^-1 of the last pullback's seed, solver's order
    tact_real *pull;      // (nv) q - u of the driven dofs where the step began, solver's order
    tact_real *columns;   // (nv, nv + nu) dd/dq and dd/du, solver's order
    tact_vec3 *sway;      // (3, nv) scratch
    tact_vec3 *velocity;  // (2, nmotion) scratch
    tact_real *rates;     // (6, nv) scratch
    int *slot;            // (nv), and scratch (nmotion)
} tact_deriv_work;

// Bytes that tact_deriv_init needs for the model.
size_t tact_deriv_size(const tact_model *model);

// Places the work in the caller's memory, which must outlive it; TACT_NO_MEMORY if size is too small. One work per thread.
tact_status tact_deriv_init(tact_deriv_work *deriv, const tact_model *model, void *memory, size_t size);

// Linearises the step that work has just done (status >= 0). before is the state the step began with; options and input are
// the step's. Everything below builds on it. TACT_BAD_INPUT for what tact_step_check finds, in deriv->fault; for a step without
// an answer, "work.status"; and, without a field, for a free joint on a body that moves, which is not supported.
tact_status tact_deriv_linearise(const tact_model *model, const tact_options *options, const tact_input *input,
                                 const tact_state *before, const tact_work *work, tact_deriv_work *deriv);

// Forward: the matrices.
void tact_deriv_matrices(const tact_model *model, const tact_work *work, tact_deriv_work *deriv, const tact_jacobians *jacobians);

// What a loss depends on: dL/dq+ (nv) and dL/dlambda (3 nc), or NULL.
typedef struct {
    const tact_real *q;
    const tact_real *lambda;
} tact_deriv_seed;

// Reverse: dL/dq (nv) and dL/du (nu) of this step, without forming matrices. q_bar may not be seed.q.
void tact_deriv_pullback(const tact_model *model, const tact_work *work, tact_deriv_work *deriv, tact_deriv_seed seed,
                         tact_real *q_bar, tact_real *u_bar);

// Forward: dq+ (nv) and dlambda (3 nc) for a unit of one parameter, of those that the barrier law has; NULL leaves one out.
typedef struct {
    tact_real *q;
    tact_real *lambda;
} tact_deriv_column;

// Column of one parameter, after tact_deriv_linearise: H dq = -(derivative of the force balance by it at constant q+).
void tact_deriv_parameter(const tact_model *model, const tact_options *options, const tact_work *work, tact_deriv_work *deriv,
                          tact_parameter parameter, tact_deriv_column column);

// Forward: the same for a change of q, u and generalised forces; v and stored displacements do not enter, nor does a parameter.
void tact_deriv_push(const tact_model *model, const tact_work *work, tact_deriv_work *deriv, const tact_step_change *change,
                     tact_deriv_column column);

// Reverse: dL/dparameter, after tact_deriv_pullback and with the same dL/dlambda. No equations are solved.
tact_real tact_deriv_parameter_pullback(const tact_model *model, const tact_options *options, const tact_work *work,
                                        tact_deriv_work *deriv, const tact_real *lambda, tact_parameter parameter);

// How the rigid law takes a step that was made.
typedef tact_record tact_rigid_record;

// Derivatives of a step of the rigid law, of which the state is (q, v): A (2 nv, 2 nv) by q and v, B (2 nv, nu), C (3 nc, 2 nv),
// D (3 nc, nu) of a tact_jacobians. Each contact keeps its mode: separating, sticking or sliding. If sliding contacts are
// redundant, such as the four corners of a box, the rotation caused by their friction is not unique; its derivative then agrees
// with that of the step to a few thousandths.
typedef struct {
    bool kink;                 // a contact is between two modes, or an overlap was closed: the derivative is one-sided
    bool redundant;            // contact forces are not unique: C and D are those of the solution chosen
    int most;                  // impulses that there is room for
    int unknowns;              // nv, and the nonzero impulses of contacts and limits
    tact_real *matrix;         // (nv + most, nv + most) their equations, factored
    int *exchange;             // (nv + most)
    tact_real *right, *solve;  // (nv + most)
    int *row;                  // (constraints, 3) which unknown an impulse is; -1: none
    tact_real *slip;    // (constraints, 3) direction and speed of those that slide; speed 0: it does not. With polyhedral cones
                        // less the corner of a polygon of radius 1, or the middle of the edge, that friction is in
    tact_real *bounce;  // d(J_n v)/dq of the columns of each contact
    tact_real *by_velocity;  // (nv) scratch ...
    tact_real *turning, *end, *load, *next_q, *basis, *unit;
    tact_vec3 *change;                // (nbody, 6)
    tact_dynamics start, with, stop;  // momenta at v, v+ and the new v
    tact_cone *cone;                  // (npair)
    tact_deriv_work contact;          // slopes of the contacts
    tact_rigid_record of;             // what was linearised
} tact_rigid_deriv;

// Bytes that tact_rigid_deriv_init needs for the model.
size_t tact_rigid_deriv_size(const tact_model *model);

// Places the work in the caller's memory, which must outlive it; TACT_NO_MEMORY if size is too small. One work per thread.
tact_status tact_rigid_deriv_init(tact_rigid_deriv *deriv, const tact_model *model, void *memory, size_t size);

// TACT_BAD_INPUT when the step has no answer or its law is another; TACT_NO_MEMORY for more contacts than there is room for;
// TACT_SINGULAR. With polyhedral cones a sliding contact's friction stays in the corner of its polygon, or on the edge, that it
// is in.
tact_status tact_rigid_linearise(tact_rigid_deriv *deriv, const tact_rigid_record *step);

// TACT_SINGULAR: sticking contacts are incompatible with the degrees of freedom of a body, such as one on a slide that is not in
// their plane. It would slide at any change, and the matrices are not those of the step.
tact_status tact_rigid_matrices(tact_rigid_deriv *deriv, const tact_jacobians *jacobians);

// Forward. TACT_BAD_INPUT for a parameter that is not there; TACT_SINGULAR as above.
tact_status tact_rigid_push(tact_rigid_deriv *deriv, const tact_step_change *change, const tact_step_effect *effect);

// dq+ (nv), dv+ (nv), dlambda (3 nc) for a unit of mu of a pair, mass of a body, stiffness of a dof or a force; NULL leaves one
// out. False for the other parameters.
bool tact_rigid_parameter(tact_rigid_deriv *deriv, tact_parameter parameter, tact_real *dq, tact_real *dv, tact_real *dlambda);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
