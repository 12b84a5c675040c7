// SPDX-License-Identifier: MIT
// The smallest sphere, capsule or box round points, and what shapes weigh.
#ifndef TACT_SCENE_SHAPE_FIT_H
#define TACT_SCENE_SHAPE_FIT_H

#include <stdbool.h>

#include "tact/geom.h"

typedef struct {
    double x[3];
} tact_fit_point;

typedef struct {
    tact_shape_type type;
    double center[3];
    double R[3][3];    // its axes are the columns; a capsule lies along the third
    double size[3];    // as in tact_shape: half lengths
    double inside;     // the greatest depth of a point below the surface [m]; no point is outside but by rounding
    double deviation;  // the greatest distance of the surface from the triangles, over some hundred places [m]
} tact_shape_fit;

// Fits a shape of the type (sphere, capsule, box) to n > 0 points, the same for the same points. A capsule of no length comes as
// a sphere. False without memory; sizes may be 0 where the points lie in a plane or a line.
//   sphere: the smallest (Welzl 1991), its radius to rounding
//   capsule: over its directions the one of least volume, found by a pattern search from several starts; for a direction the
//   smallest circle round the projected points, and the shortest segment for that radius
//   box: likewise, and for a direction the smallest rectangle, one side of which lies on the projected hull (Freeman and Shapira
//   1975)
bool tact_fit_points(tact_shape_type type, const tact_fit_point *point, int n, tact_shape_fit *fit);

// Direction k of n that are spread evenly: a spherical Fibonacci lattice.
void tact_fit_direction(int k, int n, double d[3]);

// Fills in the deviation; corner: three points a triangle.
void tact_fit_measure(tact_shape_fit *fit, const tact_fit_point *point, const int (*corner)[3], int ntriangle);

// Volume [m^3] and, over the mass, moments of inertia about the centre along the shape's own axes [m^2] of a sphere, capsule,
// cylinder, ellipsoid or box; false for other shapes.
bool tact_shape_volume(tact_shape_type type, const tact_real *size, double *volume, double moment[3]);

#endif
