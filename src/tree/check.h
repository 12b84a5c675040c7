// SPDX-License-Identifier: MIT
// What readers and writers of models ask beside the check itself.
#ifndef TACT_TREE_CHECK_H
#define TACT_TREE_CHECK_H

#include "tact/model.h"

// Whether phi > 0 on the border of the box in which a grid's spline is looked at, so that the surface lies within.
bool tact_grid_is_closed(const tact_grid *grid);

// How many of tact_shape.size a shape has; -1 for a type that does not exist.
static inline int tact_shape_sizes(tact_shape_type type) {
    switch (type) {
    case TACT_SHAPE_PLANE:
    case TACT_SHAPE_HALFPLANE:
    case TACT_SHAPE_UNION: return 0;
    case TACT_SHAPE_SPHERE:
    case TACT_SHAPE_CIRCLE:
    case TACT_SHAPE_SMOOTH_UNION:
    case TACT_SHAPE_HULL:
    case TACT_SHAPE_GRID: return 1;
    case TACT_SHAPE_CAPSULE:
    case TACT_SHAPE_CYLINDER:
    case TACT_SHAPE_POLYGON: return 2;
    case TACT_SHAPE_ELLIPSOID:
    case TACT_SHAPE_RECTANGLE: return 3;
    case TACT_SHAPE_BOX: return 4;
    }
    return -1;
}

#endif
