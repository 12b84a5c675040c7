// SPDX-License-Identifier: MIT
// The lines of a trace, without their ends.
#ifndef TACT_TRACE_WRITE_H
#define TACT_TRACE_WRITE_H

#include "scene/text.h"
#include "tact/scene.h"

void tact_trace_add_header(const tact_scene *scene, tact_text *out);

// The state that a step led to. work holds the step's contacts; NULL: none, as at step 0.
void tact_trace_add_step(const tact_scene *scene, int step, const tact_state *state, const tact_work *work, const tact_real *u,
                         tact_text *out);

// {"a":..,"b":..,"gap":..,...}
void tact_trace_add_contact(const tact_model *model, const tact_contact *contact, tact_text *out);

#endif
