// SPDX-License-Identifier: MIT
// What the distance of two shapes and its derivatives share: a shape without the ball that rounds it, in the world.
#ifndef TACT_GEOM_PAIR_H
#define TACT_GEOM_PAIR_H

#include "geom/shapes.h"

typedef struct {
    tact_shape shape;  // a sphere is its centre, a capsule its segment, of a box or hull what is not round
    tact_pose pose;    //
    tact_real round;   // radius that was taken off
} tact_core;

tact_core tact_core_make(const tact_shape *shape, const tact_pose *pose);

// Distance of a point in the world, and its gradient and Hessian there.
tact_distance tact_core_distance(const tact_core *core, tact_vec3 z, tact_mat3 *hessian);

// The farthest point along a unit direction; not of a plane.
tact_vec3 tact_core_support(const tact_core *core, tact_vec3 n);

// Of two cores that overlap: the depth, the normal from a to b along which b must go so far, and the points; see pair_depth.c.
tact_real tact_core_depth(const tact_core *a, const tact_core *b, tact_pair_distance *out);

// The middle between two cores that are apart, from a place near it; a point of both where they overlap.
tact_vec3 tact_core_middle(const tact_core *a, const tact_core *b, tact_vec3 start);

// What was measured of (a, b), told of (b, a).
void tact_pair_swap(tact_pair_distance *out);

// Of a grid and a core that is not a point: gap, points and normal; see pair_grid.c.
void tact_core_measure_grid(const tact_core *a, const tact_core *b, tact_pair_distance *out);

#endif
