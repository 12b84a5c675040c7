// SPDX-License-Identifier: MIT
// The gradient of a rollout: N steps under commands u_k, a loss summed over the states, and one adjoint pass.
//
//     x_{k+1} = step(x_k, u_k) ,   L = sum over k = 0..N of loss_k(q_k, lambda_k)   =>   dL/dq_0 , dL/du_k
//
// lambda_k are the contact forces of the step that led to state k. The state is q and, with options.anchor, the stored
// displacements and their normals; the adjoint includes all of them. An anchor at its cap is a kink: the gradient is one-sided,
// and the step is counted.
//
// The adjoint pass needs the scratch of every step. If the memory does not suffice for all of them, states are stored at the
// beginning of segments (checkpoints) and each segment except the last is stepped again, with the same bits. The gradient does
// not depend on the memory given.
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

    // NULL, or a function that sets the input of a step. It may be called several times for a step and must give the same result;
    // its dependence on the state is not differentiated. On entry input->u points into the array u and input->wrench is NULL.
    void (*drive)(void *context, int step, const tact_state *state, tact_input *input);

    // Returns the loss of state k = 0..N. contacts are those of the step that led there, NULL for k = 0. If q_bar is not NULL it
    // also adds the gradient to q_bar (nv), in the tangent space at q, and to lambda_bar (3 per contact).
    tact_real (*loss)(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                      tact_real *lambda_bar);

    // NULL, or a function that adds the gradient of the same loss to v_bar (nv), under laws with velocities. The virtual law has
    // no gradient by lambda.
    void (*loss_by_v)(void *context, int k, const tact_state *state, tact_real *v_bar);

    // NULL, or a function of the loss that decides after the steps whether the adjoint pass is made.
    bool (*go_back)(void *context, tact_real loss);

    // NULL, or a function that is called in the adjoint pass under the barrier law after step k was linearised, for its matrices.
    void (*linear)(void *context, int k, const tact_work *work, tact_deriv_work *deriv);
} tact_rollout;

// The gradients to compute, in the caller's arrays; NULL leaves one out. If all are NULL there is no adjoint pass.
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

// A step that is stored for the adjoint pass.
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

// Memory in bytes for up to the given number of steps. segment: N stores the scratch of all steps, 0 chooses the segment with the
// least memory, about 2 sqrt(N state work).
size_t tact_rollout_size(const tact_model *model, int steps, int segment);

// Places the work in the caller's memory with the longest segment that fits; TACT_NO_MEMORY if none does.
tact_status tact_rollout_init(tact_rollout_work *work, const tact_model *model, int steps, void *memory, size_t size);

// Makes the steps from start, which is not changed, and computes the loss and the gradients in slope. One work per thread.
// TACT_BAD_INPUT: see tact_rollout_result.fault; also for more steps than work has room for.
tact_rollout_result tact_rollout_gradient(const tact_model *model, const tact_options *options, const tact_rollout *rollout,
                                          const tact_state *start, tact_rollout_work *work, const tact_rollout_slope *slope);

// Bundled gradient: the mean of loss and gradient over rollouts under randomly perturbed commands u_k + sigma N(0, 1), in
// antithetic pairs. For a loss with kinks or steps it is the gradient of the smoothed loss.
typedef struct {
    int samples;      // pairs, at least 1
    tact_real sigma;  // of the commands [their units]
    uint64_t seed;
    tact_real *u;    // (N, nu) scratch
    tact_real *sum;  // (N, nu) scratch
} tact_rollout_bundle;

// Makes 2 samples rollouts; u_bar (N, nu) is the mean of their gradients, the result's loss that of their losses. The same seed
// draws the same perturbations. A rollout that fails ends it, with its result; u_bar is then not the mean.
tact_rollout_result tact_rollout_gradient_bundled(const tact_model *model, const tact_options *options,
                                                  const tact_rollout *rollout, const tact_state *start, tact_rollout_work *work,
                                                  const tact_rollout_bundle *bundle, tact_real *u_bar);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
