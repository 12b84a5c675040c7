// SPDX-License-Identifier: MIT
#ifndef TACT_DERIV_RECORD_H
#define TACT_DERIV_RECORD_H

#include "tact/record.h"

// Takes its memory from the arena: once to measure, once to place.
void tact_linear_place(tact_linear *linear, const tact_model *model, tact_arena *arena);

#endif
