// SPDX-License-Identifier: MIT
// Signed distances of shapes in closed form, with gradient and Hessian, and the contact frame on a normal.
#ifndef TACT_GEOM_H
#define TACT_GEOM_H

#include "tact/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of a point x in the shape's own frame: exact signed distance to the surface (negative inside) and its gradient, a unit vector.
// Where the gradient is not unique (equally near surface points, or a sharp edge or corner itself) a rule decides: lowest axis
// index, positive side, +z at a sphere's centre; src/geom/distance.c lists it for each shape. Right for coordinates from the
// smallest to TACT_MAX/4: no square overflows or underflows.
typedef struct {
    tact_real value;     // [m]
    tact_vec3 gradient;  // unit, defined everywhere
    bool degenerate;     // the rule decided
} tact_distance;

tact_distance tact_shape_distance(const tact_shape *shape, tact_vec3 x);

// d(gradient)/dx at the same point [1/m], symmetric; of the smooth piece that the gradient belongs to, and of the flatter one on
// the border of two. Closer than TACT_EPS metres to a point or line about which the gradient turns (a sphere's centre, a sharp
// edge) it is 0, the gradient being taken as constant there: the curvature never exceeds 1/TACT_EPS.
tact_mat3 tact_shape_hessian(const tact_shape *shape, tact_vec3 x);

// Orthonormal right-handed rows: normal, tangent, tangent. Smooth in the normal, with bounded derivative, on each of two charts
// that meet on a parallel below the horizontal; for normal (0, 0, 1) the tangents are x and y.
tact_mat3 tact_frame_from_normal(tact_vec3 normal);

// How the frame turns with its normal: spin (world rotation vector rate) for a rate of change dn of the normal, so that each
// row r changes by spin x r. It is linear in dn, of which only the part across the normal counts.
tact_vec3 tact_frame_spin(tact_vec3 normal, tact_vec3 dn);

#ifdef __cplusplus
}
#endif

#endif
