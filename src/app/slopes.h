// SPDX-License-Identifier: MIT
// "slope" in the lines of a trace under the virtual law: how much each dof moves in the step for a unit of force on it,
// the diagonal of dq+/df.
#ifndef TACT_APP_SLOPES_H
#define TACT_APP_SLOPES_H

#include "tact/tact.h"

// Starts as {0}.
typedef struct {
    const tact_model *model;
    tact_state before;
    tact_linear linear;
    tact_real *unit, *dq, *slope;  // (nv)
    void *memory;                  // NULL: not asked for
} tact_force_slopes;

// False when there is no memory; ends with tact_force_slopes_free.
bool tact_force_slopes_make(tact_force_slopes *slopes, const tact_world *world);
void tact_force_slopes_free(tact_force_slopes *slopes);

// Before a step, and after it: adds to the line of the step, which ends with }.
void tact_force_slopes_keep(tact_force_slopes *slopes, const tact_world *world);
void tact_force_slopes_add(tact_force_slopes *slopes, tact_world *world, tact_text *line);

#endif
