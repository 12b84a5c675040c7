// SPDX-License-Identifier: MIT
// The parts of tact plot.
#ifndef TACT_APP_PLOT_H
#define TACT_APP_PLOT_H

#include "app/recording.h"

// The figure of one body of a scene; the exit code.
int tact_plot_body(const tact_call *call, long long steps);

// Whether no curve moves by more than rounding.
bool tact_plot_is_still(const tact_curve *curve, int count);

// The virtual contacts of all pairs where a scene of the virtual law is, over its picture. False when there is no memory.
bool tact_render_contacts(tact_world *world, const tact_drawing *drawing, tact_text *out);

#endif
