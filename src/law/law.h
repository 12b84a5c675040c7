// SPDX-License-Identifier: MIT
// The contact laws behind one table. A law's step finds the contacts, solves, and writes the new state.
#ifndef TACT_LAW_LAW_H
#define TACT_LAW_LAW_H

#include "tact/law.h"

typedef struct {
    const char *name;
    // kinematics are up to date, input and options checked; margin is the one in force
    tact_status (*step)(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                        tact_work *work);
} tact_law_entry;

// NULL for a law that this build does not hold.
const tact_law_entry *tact_law_find(tact_law law);

tact_status tact_barrier_step(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                              tact_work *work);

#endif
