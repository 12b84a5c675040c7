// SPDX-License-Identifier: MIT
// Signed distances of shapes, with gradient and Hessian, and the contact frame on a normal.
#ifndef TACT_GEOM_H
#define TACT_GEOM_H

#include "tact/model.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// A signed distance, negative inside.
typedef struct {
    tact_real value;     // [m]
    tact_vec3 gradient;  // unit, defined everywhere
    bool degenerate;     // the rule decided
} tact_distance;

// Of a point x in the shape's own frame: exact signed distance to the surface (negative inside) and its gradient, a unit vector.
// Where the gradient is not unique (equally near surface points, or a sharp edge or corner itself) a rule decides: lowest axis
// index, positive side, +z at a sphere's centre; src/geom/distance.c lists it for each shape. Right for coordinates from the
// smallest to TACT_MAX/4: no square overflows or underflows.
tact_distance tact_shape_distance(const tact_shape *shape, tact_vec3 x);

// The gap of a grid is the exact distance from the surface of its spline, where that has one nearest point with the spline's
// slope pointing to it; see docs/shapes.md.

// d(gradient)/dx at the same point [1/m], symmetric; of the smooth piece that the gradient belongs to, and of the flatter one on
// the border of two. Closer than TACT_EPS metres to a point or line about which the gradient turns (a sphere's centre, a sharp
// edge) it is 0, the gradient being taken as constant there: the curvature never exceeds 1/TACT_EPS.
tact_mat3 tact_shape_hessian(const tact_shape *shape, tact_vec3 x);

// Both at once, which costs a grid or a hull no more than one.
tact_distance tact_shape_measure(const tact_shape *shape, tact_vec3 x, tact_mat3 *hessian);

// Orthonormal right-handed rows: normal, tangent, tangent. Smooth in the normal, with bounded derivative, on each of two charts
// that meet on a parallel below the horizontal; for normal (0, 0, 1) the tangents are x and y.
tact_mat3 tact_frame_from_normal(tact_vec3 normal);

// How the frame turns with its normal: spin (world rotation vector rate) for a rate of change dn of the normal, so that each
// row r changes by spin x r. It is linear in dn, of which only the part across the normal counts.
tact_vec3 tact_frame_spin(tact_vec3 normal, tact_vec3 dn);

// How two convex shapes lie to each other in the world.
typedef struct {
    tact_real gap;      // signed distance [m]; of an overlap less the length of the shortest way by which b leaves a
    tact_vec3 point_a;  // nearest points, on the surfaces; of several as near, one
    tact_vec3 point_b;  //
    tact_vec3 normal;   // unit, from a to b: point_b = point_a + gap normal
    bool deep;          // what is left of the shapes without their rounding balls overlaps, too
} tact_pair_distance;

// The steepness of a grid for tact_grid.steep: a bound of |grad phi|, by the coefficients of all cells; at least 1.
tact_real tact_grid_steep(const tact_grid *grid);

// Of each two of sphere, capsule, box, cylinder, ellipsoid, hull, grid and plane, but not of two planes: else false. Where cores
// of which one is a grid overlap, the gap is found to about a tenth. The capsule's depth in another shape here is that of leaving
// it, not that of its deepest ball as in contacts.
bool tact_shape_pair_distance(const tact_shape *a, const tact_pose *pose_a, const tact_shape *b, const tact_pose *pose_b,
                              tact_pair_distance *out);

// Gradient and Hessian (6 x 6, row-major) of that gap by the pose of b: a turn about the origin of its frame (a rotation vector
// along the world's axes) and a shift of the origin. False where the gap is deep: then the Hessian is 0 and only the gradient is
// meant.
bool tact_shape_pair_derivatives(const tact_shape *a, const tact_pose *pose_a, const tact_shape *b, const tact_pose *pose_b,
                                 const tact_pair_distance *at, tact_real *gradient, tact_real *hessian);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
