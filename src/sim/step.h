// SPDX-License-Identifier: MIT
// First stage of every step: checks and automatic options.
#ifndef TACT_SIM_STEP_H
#define TACT_SIM_STEP_H

#include "tact/sim.h"

// Was the state, the work, placed for models of this one's sizes, the work by its law?
static inline bool tact_state_fits(const tact_state *state, const tact_model *model) {
    return state && state->nq == model->nq && state->nv == model->nv && state->npair == tact_model_pairs(model);
}
static inline bool tact_work_fits(const tact_work *work, const tact_model *model) {
    return work && work->law == model->law && tact_model_has_sizes(model, &work->of);
}

// The arrays of a state, which are not set.
void tact_state_place(tact_state *state, const tact_model *model, tact_arena *arena);

// Checks options, state and input, and fills in the options that follow from the model; false, with the status in the work,
// when they are not acceptable.
bool tact_step_begin(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                     tact_work *work, tact_options *inforce);

#endif
