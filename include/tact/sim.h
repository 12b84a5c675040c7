// SPDX-License-Identifier: MIT
// Stepping: memory of states and scratch, and one step. All functions are re-entrant: they may run concurrently with different
// states and works; model and options are only read. Memory belongs to the caller.
#ifndef TACT_SIM_H
#define TACT_SIM_H

#include "tact/law.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// The default options. Change members as needed; every value is taken as given, zero included.
tact_options tact_options_default(void);

// The name of the first option that is out of range, or NULL. The ranges are given in tact_options; margin and force_min must
// also be finite.
const char *tact_options_check(const tact_options *options);

// The margin [m] that a step uses: options->margin, or for TACT_MARGIN_AUTO 2/(kappa F) + 2 g h^2/epsilon, with F a thousandth of
// the lightest weight of an unactuated body. At that distance the barrier force is negligible, and a free fall of one step does
// not skip it. TACT_MAX if nothing has weight. Under the virtual law it is the range of the penalty's force before contact: 40
// temperatures, TACT_MAX (algebraic) or 0 (quadratic). An explicit margin is not increased by the motion of commands.
tact_real tact_margin(const tact_model *model, const tact_options *options);

// The normal force [N] below which a step drops an anchor: options->force_min, or for TACT_FORCE_AUTO a hundredth of the lightest
// weight of an unactuated body.
tact_real tact_force_min(const tact_model *model, const tact_options *options);

// Bytes that tact_state_init needs, in memory of any alignment.
size_t tact_state_size(const tact_model *model);

// Places the state in the caller's memory, which must outlive it, and resets it; TACT_NO_MEMORY if size is too small.
tact_status tact_state_init(tact_state *state, const tact_model *model, void *memory, size_t size);

// Sets the model's q0 and v0, time 0, no contact forces and no stored displacements.
void tact_state_reset(tact_state *state, const tact_model *model);

// Copies all values; both states must be of the same model.
void tact_state_copy(tact_state *to, const tact_state *from, const tact_model *model);

// Bytes that tact_work_init needs, in memory of any alignment.
size_t tact_work_size(const tact_model *model);

// Places the scratch of a step in the caller's memory, which must outlive it; TACT_NO_MEMORY if size is too small. One work per
// thread.
tact_status tact_work_init(tact_work *work, const tact_model *model, void *memory, size_t size);

// What a step refuses: the first number of the options ("dt"), the input ("input.u", "input.spare", "input.wrench") or the state
// ("state.q", "state.v", "state.time", "state.lambda", "state.anchor", "state.normal") that is not finite or larger than
// TACT_MOST_LENGTH and similar limits allow; also a quaternion in q or a normal whose length is not 1 to 1e-3 (a normal may be
// 0). No field if all are acceptable.
tact_fault tact_step_check(const tact_model *model, const tact_options *options, const tact_input *input,
                           const tact_state *state);

// Makes one step of options->dt from state to state. work receives contacts, forces and status. Statuses:
// * negative: the state is untouched.
// * TACT_BAD_INPUT: work->fault has what tact_step_check found, or "body.joint" and the like for a model that the law cannot
// step.
// * TACT_SINGULAR: also for a displacement beyond TACT_MOST_LENGTH, or a force beyond its limit.
// * TACT_ITERATION_LIMIT under the barrier law, for any max_iterations >= 1: all gaps are inside their cones; if they were at the
//   start, the objective with its barriers is no larger than without motion. If a gap was closed at the start, a small budget may
//   leave one closed: work->worst_pair or worst_dof then names the most closed one, which is less closed than the most closed one
//   at the start. Under the virtual law: the last iterate of Newton's method.
// A state that exceeds TACT_MOST_LENGTH, such as a joint that keeps turning, is refused by the next step.
tact_status tact_step(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                      tact_work *work);

// The model whose pairs the contacts of work refer to: model itself or, if it has a search, one with the pairs that the last step
// found after the listed ones. Forces and anchors of the resulting state are in the same order. It lives in work.
const tact_model *tact_step_model(const tact_model *model, const tact_work *work);

// Sets u (nu) to the present coordinates of the driven dofs, the command "hold"; 0 for dofs that are driven by a force.
void tact_hold(const tact_model *model, const tact_state *state, tact_real *u);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
