// SPDX-License-Identifier: MIT
// The gradient of a rollout: N steps under commands u_k, a loss summed over the states, and one pass back.
//
//     x_{k+1} = step(x_k, u_k) ,   L = sum over k = 0..N of loss_k(q_k, lambda_k)   =>   dL/dq_0 , dL/du_k
//
// lambda_k are the contact forces of the step that led to state k. The state is q and, with options.anchor, the stored
// displacements and their normals: the adjoint carries all of them. A kink of an anchor at its cap makes the gradient one-sided,
// and is counted.
//
// The pass back needs the scratch of every step. Where memory does not hold all of them, states are kept at the beginnings of
// segments, and each segment but the last is stepped again, to the same bits: the gradient does not depend on the memory given.
#ifndef TACT_ROLLOUT_H
#define TACT_ROLLOUT_H

#include "tact/record.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int steps;           // N
    const tact_real *u;  // (N, nu) commands; may be NULL when drive gives them
    void *context;       // of the functions

    // NULL, or: points input at what drives a step. It is called more than once for a step and must then say the same; how it
    // depends on the state is not differentiated. input->u is that of the array, input->wrench NULL when it is called.
    void (*drive)(void *context, int step, const tact_state *state, tact_input *input);

    // The loss of state k = 0..N. contacts are those of the step that led there, NULL for k = 0. Without q_bar only the value is
    // wanted; otherwise the gradient is added to q_bar (nv), in the tangent space at q, and to lambda_bar (3 per contact).
    tact_real (*loss)(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                      tact_real *lambda_bar);

    // NULL, or: adds the gradient of the same loss to v_bar (nv), under laws with velocities. The virtual law has no gradient by
    // lambda.
    void (*loss_by_v)(void *context, int k, const tact_state *state, tact_real *v_bar);

    // NULL, or: asked with the loss after the steps whether the pass back shall be made.
    bool (*go_back)(void *context, tact_real loss);

    // NULL, or: called in the pass back under the barrier law after step k was linearised and pulled back, for its matrices.
    void (*linear)(void *context, int k, const tact_work *work, tact_deriv_work *deriv);
} tact_rollout;

// What is wanted; NULL leaves a member out, and without any there is no pass back.
typedef struct {
    tact_real *q;  // (nv) dL/dq_0
    tact_real *u;  // (N, nu) dL/du_k
    tact_real *v;  // (nv) dL/dv_0, under laws with velocities; else 0
    int nparameter;
    const tact_parameter *parameter;  // (nparameter) that the law has: see tact_linear_has
    tact_real *by_parameter;          // (nparameter) dL/dparameter
} tact_rollout_slope;

typedef struct {
    tact_status status;  // negative: of the step that ended the rollout, and there is no gradient; the worst of all otherwise
    tact_fault fault;    // TACT_BAD_INPUT: "model.law" (one without derivatives), "slope.parameter" (index: one that the law has
                         // none by), "rollout.steps", "rollout.u" (index: the command of that step), "rollout.loss" (a value or
                         // gradient that is not finite) or what tact_step_check finds; NULL: as tact_deriv_linearise
    int step;            // that step; N: none
    tact_real loss;      // of the states that were reached
    int kinks;           // steps whose derivative is one-sided: an anchor at its cap, a contact between sticking and sliding
} tact_rollout_result;

// A step that is kept for the pass back.
typedef struct {
    tact_state before;
    tact_work work;
} tact_rollout_slot;

typedef struct {
    tact_sizes of;                               // sizes of the model that it was placed for
    int steps;                                   // most that it has room for
    int segment;                                 // steps that are kept for the pass back: those between two states
    int nstate;                                  // states that are kept: one for each segment
    tact_state state;                            // that of the rollout
    tact_state *kept;                            // (nstate)
    tact_rollout_slot *slot;                     // (segment)
    tact_linear deriv;                           // its frozen_geometry may be set
    tact_vec3 *anchor_bar, *normal_bar;          // (npair)
    tact_real *q_bar;                            // (nv)
    tact_real *lambda_bar;                       // (npair, 3)
    tact_real *u_bar;                            // (nu)
    tact_real *v_bar, *q_past_bar, *v_past_bar;  // (nv)
} tact_rollout_work;

// Memory in bytes for up to so many steps. segment: N keeps all of them, 0 takes what needs the least memory, about
// 2 sqrt(N state work).
size_t tact_rollout_size(const tact_model *model, int steps, int segment);

// Takes the longest segment for which the memory suffices; TACT_NO_MEMORY when that is none.
tact_status tact_rollout_init(tact_rollout_work *work, const tact_model *model, int steps, void *memory, size_t size);

// Steps from start, which stays as it is. TACT_BAD_INPUT also where tact_deriv_linearise gives it, and for more steps than work
// has room for.
tact_rollout_result tact_rollout_gradient(const tact_model *model, const tact_options *options, const tact_rollout *rollout,
                                          const tact_state *start, tact_rollout_work *work, const tact_rollout_slope *slope);

// Bundled: the mean of loss and gradient over rollouts under commands that are disturbed at random, u_k + sigma N(0, 1), each
// sample with its mirror image. Of a loss with kinks or steps it is the slope of what a blurred look would see.
typedef struct {
    int samples;      // pairs, at least 1
    tact_real sigma;  // of the commands [their units]
    uint64_t seed;
    tact_real *u;    // (N, nu) scratch
    tact_real *sum;  // (N, nu) scratch
} tact_rollout_bundle;

tact_rollout_result tact_rollout_gradient_bundled(const tact_model *model, const tact_options *options,
                                                  const tact_rollout *rollout, const tact_state *start, tact_rollout_work *work,
                                                  const tact_rollout_bundle *bundle, tact_real *u_bar);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
