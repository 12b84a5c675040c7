// SPDX-License-Identifier: MIT
// Derivatives of the last step as matrices by the state x, with room for them.
#ifndef TACT_BATCH_SLOPES_H
#define TACT_BATCH_SLOPES_H

#include "deriv/record.h"

typedef enum { TACT_SLOPES_NONE = -1, TACT_SLOPES_SMOOTH, TACT_SLOPES_KINK } tact_slopes_kind;

typedef struct {
    tact_state before;        // the caller's, of the step
    tact_jacobians matrices;  // A (nx, nx), B (nx, nu), C (3 nc, nx), D (3 nc, nu)
    tact_linear linear;
} tact_slopes;

void tact_slopes_place(tact_slopes *slopes, const tact_model *model, tact_arena *arena);

// Fills the matrices for the step that work has just made from slopes->before to after; TACT_SLOPES_NONE where it has none.
tact_slopes_kind tact_slopes_find(tact_slopes *slopes, const tact_model *model, const tact_options *options,
                                  const tact_input *input, const tact_state *after, tact_work *work);

#endif
