// SPDX-License-Identifier: MIT
// Stepping: memory of a state and of the scratch, one step, many steps.
#ifndef TACT_SIM_H
#define TACT_SIM_H

#include "tact/law.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

tact_options tact_options_default(void);

// The field that is out of range, as its name, or NULL when all are acceptable. Ranges stand at the fields; margin and force_min
// are also finite.
const char *tact_options_check(const tact_options *options);

// The margin in force: options->margin, or for TACT_MARGIN_AUTO 2/(kappa F) + 2 g h^2/epsilon, with F a thousandth of the
// lightest weight of an unactuated body: there the barrier force is negligible, and a free fall of one step does not jump over
// it. TACT_MAX when nothing has weight. Under the virtual law as far as the penalty's force reaches before contact: 40
// temperatures, TACT_MAX (algebraic) or 0 (quadratic). Given explicitly, pairs are not widened by what commands may move.
tact_real tact_margin(const tact_model *model, const tact_options *options);

// The least force of an anchor in force: options->force_min, or for TACT_FORCE_AUTO a hundredth of the lightest weight of an
// unactuated body.
tact_real tact_force_min(const tact_model *model, const tact_options *options);

// Memory in bytes, and its placement: aligned to TACT_ALIGN. A new state is at the model's q0 and v0, without contact forces.
size_t tact_state_size(const tact_model *model);
tact_status tact_state_init(tact_state *state, const tact_model *model, void *memory, size_t size);
void tact_state_reset(tact_state *state, const tact_model *model);
void tact_state_copy(tact_state *to, const tact_state *from, const tact_model *model);

size_t tact_work_size(const tact_model *model);
tact_status tact_work_init(tact_work *work, const tact_model *model, void *memory, size_t size);

// What a step refuses: the first of the options ("dt"), the input ("input.u", "input.spare", "input.wrench") and the state
// ("state.q", "state.v", "state.time", "state.lambda", "state.anchor", "state.normal") that is not finite or larger than
// TACT_MOST_LENGTH and its like say; also a quaternion in q and a normal that are not of unit length to 1e-3 (a normal may be 0).
tact_fault tact_step_check(const tact_model *model, const tact_options *options, const tact_input *input,
                           const tact_state *state);

// One step of options->dt. On a negative status the state is untouched. TACT_BAD_INPUT: work->fault says what tact_step_check
// found, or "body.joint" and its like for a model that its law cannot step, before anything was computed. TACT_SINGULAR also for
// a displacement beyond TACT_MOST_LENGTH, or such forces. TACT_ITERATION_LIMIT under the barrier law, from max_iterations = 1 on:
// all gaps are inside their cones; where the step begins so the objective, barriers included, is no larger than without motion.
// Of a step that begins with a closed gap a small budget may leave one: then work->worst_pair or worst_dof names the most closed
// one, which is less closed than the most closed at the start. Under the virtual law: where Newton's method stood. A state that
// has come beyond TACT_MOST_LENGTH, as a joint does that turns on and on, is refused by the step after.
tact_status tact_step(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                      tact_work *work);

// The model of which a work's contacts name the pairs: the one given, or, when it has a search, one with the pairs that its last
// step found behind those listed; the state that the step led to has forces and anchors in their order.
const tact_model *tact_step_model(const tact_model *model, const tact_work *work);

// u (nu) = the present coordinates of the driven dofs: what "hold" commands; 0 of those driven by a force.
void tact_hold(const tact_model *model, const tact_state *state, tact_real *u);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
