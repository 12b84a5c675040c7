// SPDX-License-Identifier: MIT
// Derivatives of a finished step, under any law. The state x is q in the tangent space, followed by v under a law with
// velocities. tact_law says which derivatives a law has; others are refused.
//
//     matrices   A = dx+/dx , B = dx+/du , C = dlambda/dx , D = dlambda/du
//     push       dx+ = A dx + B du + ..  ,  dlambda
//     pull       x_bar = A'x+_bar + C'lambda_bar ,  u_bar = B'x+_bar + D'lambda_bar ,  parameters
//
//     tact_record step = {model, options, input, &before, &after, work};     // of a call of tact_step
//     if (tact_linearise(&linear, &step) >= 0) tact_linear_pull(&linear, &adjoint);
//
// A program that uses these links the derivatives of all three laws; the functions of one law are in tact/deriv.h and
// tact/virtual.h.
#ifndef TACT_RECORD_H
#define TACT_RECORD_H

#include "tact/virtual.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Scratch of the adjoint of the anchors.
typedef struct {
    tact_vec3 *anchor, *normal;  // (npair) dL by state->anchor and state->normal
    tact_real *slip;             // (npair, 3) dL by nu of each contact
    tact_real *loaded;           // (npair) dL by the length of the stored displacement in the step
    tact_real *seed;             // (nv) the part of the adjoint by dL/dq+ ...
    tact_real *direct;           // (nv) ... and the rest
} tact_anchor_adjoint;

// A linearised step. Only the part of the model's own law has memory.
typedef struct {
    tact_sizes of;         // sizes of the model that it was placed for ...
    tact_deriv_kind kind;  // ... and its law's derivatives
    bool frozen_geometry;  // barrier law: leave out how J, frame and points depend on q
    bool kink;             // the derivative is one-sided
    bool redundant;     // rigid law: the forces are not unique; C, D and derivatives from lambda are those of the solution chosen
    tact_fault fault;   // TACT_BAD_INPUT: what was refused
    tact_record given;  // what was linearised ...
    tact_record step;   // ... and the same; of a model with a search its view that lists the pairs found,
    tact_state before;  // with the state before in their order
    tact_vec3 *sorted;  // (npair) scratch of the way back to the order of the state given
    tact_deriv_work barrier;      //
    tact_anchor_adjoint anchor;   // with the caller's anchor and normal
    tact_rigid_deriv rigid;       //
    tact_jacobians matrices;      // of the rigid law, for the reverse
    bool filled;                  // these are those of the step
    tact_real *q, *v;             // (nv) scratch ...
    tact_real *lambda, *dlambda;  // (3 npair)
    tact_real *unit;              // (nv or nu) ...
} tact_linear;

// Bytes that tact_linear_init needs for the model.
size_t tact_linear_size(const tact_model *model);

// Places linear in the caller's memory, which must outlive it; TACT_NO_MEMORY if size is too small. One linear per thread.
tact_status tact_linear_init(tact_linear *linear, const tact_model *model, void *memory, size_t size);

// The dimension of x: nv, or 2 nv under a law with velocities.
int tact_linear_order(const tact_model *model);

// The reason why no step of the model has derivatives ("is under a law without derivatives", "has a free joint ..."), or NULL. A
// constant string.
const char *tact_linear_refuse(const tact_model *model);

// Whether a step has a forward derivative by a parameter. An index of -1 asks for any; a size of a shape that is part of a union
// has none.
bool tact_linear_has(const tact_model *model, tact_parameter parameter);

// Whether a step under these options has a reverse derivative by a parameter, too: with stored displacements there is none by
// kappa and mu, on which their caps depend.
bool tact_linear_pulls(const tact_model *model, const tact_options *options, tact_parameter parameter);

// Linearises a finished step; call it before the functions below. The record must stay unchanged until they are done.
// TACT_BAD_INPUT, with linear->fault: "model.law" (without derivatives), "work.status" (a step without an answer) and what
// tact_step_check finds; without a field: a free joint on a body that moves. TACT_SINGULAR: the step has no derivative.
// TACT_NO_MEMORY: more contacts than the derivatives of the rigid law have room for.
tact_status tact_linearise(tact_linear *linear, const tact_record *step);

// Computes the matrices, row-major, in the caller's arrays (NULL leaves one out). With nx = tact_linear_order: A (nx, nx), B (nx,
// nu), C (3 nc, nx), D (3 nc, nu). TACT_SINGULAR as tact_rigid_matrices has it; TACT_HELD as tact_virtual_differentiate.
tact_status tact_linear_matrices(tact_linear *linear, const tact_jacobians *jacobians);

// Forward product: the change of the resulting state for a change at the start of the step. Stored displacements are held
// constant. A parameter must be one that the law has.
tact_status tact_linear_push(tact_linear *linear, const tact_step_change *change, const tact_step_effect *effect);

// Reverse product: replaces the gradient by the resulting state with that by the state at the start, and computes that by u and
// parameters. TACT_BAD_INPUT for an adjoint->lambda other than 0 under the virtual law, which has none ("adjoint.lambda");
// TACT_AMBIGUOUS for one if forces are redundant. Under the barrier law v is unchanged.
tact_status tact_linear_pull(tact_linear *linear, tact_step_adjoint *adjoint);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
