// SPDX-License-Identifier: MIT
// What comes first in every step.
#ifndef TACT_SIM_STEP_H
#define TACT_SIM_STEP_H

#include "tact/sim.h"

// Checks options, state and input, and fills in the options that follow from the model; false, with the status in the work,
// when they are not acceptable.
bool tact_step_begin(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                     tact_work *work, tact_options *inforce);

#endif
