// SPDX-License-Identifier: MIT
// The surface of a grid as polygons, to be drawn.
#ifndef TACT_SCENE_GRID_SURFACE_H
#define TACT_SCENE_GRID_SURFACE_H

#include "tact/geom.h"

// Starts as {0}; ends with tact_grid_surface_free.
typedef struct {
    int npoint, nface;
    tact_vec3 *point;  // (npoint) on the surface
    int (*face)[4];    // (nface) corners, counter-clockwise seen from outside
} tact_grid_surface;

// shape: a grid, with its round. cells: along the longest side of the box. False without memory.
bool tact_grid_surface_make(tact_grid_surface *surface, const tact_shape *shape, int cells);

void tact_grid_surface_free(tact_grid_surface *surface);

#endif
