// SPDX-License-Identifier: MIT
// The convex hull of a few points: vertices, planes of the faces, edges.
#ifndef TACT_SCENE_HULL_H
#define TACT_SCENE_HULL_H

#include "tact/draft.h"

// Some of the given points are not vertices: they lie within the hull of the others, on a face or an edge, or twice at one place.
typedef struct {
    int nvertex, nface, nedge;
    int from[TACT_HULL_VERTICES];  // number of each vertex among the points
    tact_vec3 vertex[TACT_HULL_VERTICES];
    tact_hull_face face[TACT_HULL_FACES];
    int corner[2 * TACT_HULL_EDGES];
    tact_hull_edge edge[TACT_HULL_EDGES];
} tact_hull_parts;

// NULL, or why the points (4 to TACT_HULL_VERTICES) have no hull with a volume. What lies closer than 1e-9 of the largest extent
// (2e-6 in single precision) to a plane or line through others counts as on it.
const char *tact_hull_build(const tact_vec3 *point, int count, tact_hull_parts *parts);

// A copy in the draft's memory; NULL without.
tact_hull *tact_scene_keep_hull(tact_draft *draft, const tact_hull_parts *parts);

#endif
