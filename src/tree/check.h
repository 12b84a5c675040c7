// SPDX-License-Identifier: MIT
// What the reader of scenes asks of a grid before the model's check does.
#ifndef TACT_TREE_CHECK_H
#define TACT_TREE_CHECK_H

#include "tact/model.h"

// Whether phi > 0 on the border of the box in which a grid's spline is looked at, so that the surface lies within.
bool tact_grid_is_closed(const tact_grid *grid);

#endif
