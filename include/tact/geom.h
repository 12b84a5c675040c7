// SPDX-License-Identifier: MIT
// Signed distances of shapes in closed form, with gradient and Hessian, and the contact frame on a normal.
#ifndef TACT_GEOM_H
#define TACT_GEOM_H

#include "tact/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of a point x in the shape's own frame: exact signed distance to the surface (negative inside) and its gradient, a unit vector.
// Where the nearest surface point is not unique the rule of the shape's source holds (lowest axis index, positive side, +z).
typedef struct {
    tact_real value;     // [m]
    tact_vec3 gradient;  // unit, defined everywhere
    bool degenerate;     // the nearest point was not unique and the rule decided
} tact_distance;

tact_distance tact_shape_distance(const tact_shape *shape, tact_vec3 x);

// d(gradient)/dx at the same point [1/m]; of the smooth piece that the gradient belongs to.
tact_mat3 tact_shape_hessian(const tact_shape *shape, tact_vec3 x);

// Orthonormal right-handed rows: normal, tangent, tangent. Smooth in the normal, with bounded derivative, on each of two charts
// that meet on a parallel below the horizontal; for normal (0, 0, 1) the tangents are x and y.
tact_mat3 tact_frame_from_normal(tact_vec3 normal);

// How the frame turns with its normal: spin (world rotation vector rate) for a rate of change dn of the normal, so that each
// row r changes by spin x r. It is linear in dn.
tact_vec3 tact_frame_spin(tact_vec3 normal, tact_vec3 dn);

#ifdef __cplusplus
}
#endif

#endif
