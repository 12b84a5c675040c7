// SPDX-License-Identifier: MIT
// Which part of a core is nearest to a point.
#ifndef TACT_GEOM_PLANAR_CORE_H
#define TACT_GEOM_PLANAR_CORE_H

#include "tact/planar.h"

#include "math/elementary.h"

typedef struct {
    int edge;              // of largest separation, the lowest on ties; it begins at the corner of this number
    int corner;            // the nearest corner where it is nearer than the edge, else -1
    tact_real separation;  // from the line of the edge [m]
} tact_planar_nearest;

// Of a core or a half-plane, y in the body's axes.
tact_planar_nearest tact_planar_locate(const tact_planar_shape *shape, tact_vec2 y);

// The same for one whose edge of largest separation is known: the corner.
void tact_planar_settle(const tact_planar_shape *shape, tact_vec2 y, tact_planar_nearest *near);

// What of a shape is nearest: the member of a union (0 of others), and its edge or, where that is nearer, its corner, else -1. A
// smooth union has no such part.
typedef struct {
    int member, edge, corner;
} tact_planar_part;

// Of a point y in the body's axes; and the distance from that part, also where another one is nearer: of an edge that from its
// line.
tact_planar_part tact_planar_part_at(const tact_planar_shape *shape, tact_vec2 y);
tact_planar_distance tact_planar_distance_from(const tact_planar_shape *shape, tact_planar_part part, tact_vec2 y);

// Of a polygon, in the frame of its points: the outward unit normal of the edge from point i to the next, i up to 2 count; and
// the way from point i, times the factor, to the corner of its core, per metre of the corner radius, negative.
tact_vec2 tact_polygon_normal(const tact_shape *shape, int i);
tact_vec2 tact_polygon_miter(const tact_shape *shape, int i);

#endif
