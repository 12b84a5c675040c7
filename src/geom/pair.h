// SPDX-License-Identifier: MIT
// Common parts of the distance of two shapes and its derivatives: cores, which are shapes without the ball that rounds them.
#ifndef TACT_GEOM_PAIR_H
#define TACT_GEOM_PAIR_H

#include "geom/shapes.h"

typedef struct {
    tact_shape shape;  // a sphere's centre, a capsule's segment, the inner part of a box or hull
    tact_pose pose;    // in the world
    tact_real round;   // radius of the ball that was taken off
} tact_core;

tact_core tact_core_make(const tact_shape *shape, const tact_pose *pose);

// Signed distance of a point in the world from a core, with gradient and Hessian.
tact_distance tact_core_distance(const tact_core *core, tact_vec3 z, tact_mat3 *hessian);

// Support point along a unit direction; not for a plane.
tact_vec3 tact_core_support(const tact_core *core, tact_vec3 n);

// For overlapping cores: penetration depth, the normal from a to b along which b must be translated, and witness points; see
// pair_depth.c.
tact_real tact_core_depth(const tact_core *a, const tact_core *b, tact_pair_distance *out);

// The midpoint between two cores that are apart, from a point near it; a common point if they overlap.
tact_vec3 tact_core_middle(const tact_core *a, const tact_core *b, tact_vec3 start);

// Converts a result for (a, b) to one for (b, a).
void tact_pair_swap(tact_pair_distance *out);

// Gap, witness points and normal of a grid and a core that is not a point; see pair_grid.c.
void tact_core_measure_grid(const tact_core *a, const tact_core *b, tact_pair_distance *out);

#endif
