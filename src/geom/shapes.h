// SPDX-License-Identifier: MIT
// Common parts of the distances and the Hessians of the shapes.
#ifndef TACT_GEOM_SHAPES_H
#define TACT_GEOM_SHAPES_H

#include "tact/geom.h"

#include "math/elementary.h"

// n_z where the charts of the contact frame meet: see frame.c.
#define TACT_FRAME_SEAM TACT_REAL(-0.29)

// The length of v, and v divided by it in unit, which is left alone when the length is 0. Right at every size: where the
// squares would overflow or lose digits, v is divided by its largest component first. Unit vectors of the axes come out exact.
static inline tact_real tact_direction_split(tact_vec3 v, tact_vec3 *unit) {
    const tact_real small = 1 / (TACT_MAX * TACT_EPS * TACT_EPS);
    tact_real scale = 1, square = tact_vec3_dot(v, v);
    if (!(square > small && square <= TACT_MAX)) {
        scale = tact_max(tact_max(tact_fabs(v.x), tact_fabs(v.y)), tact_fabs(v.z));
        if (scale == 0) return 0;
        v = tact_vec3_make(v.x / scale, v.y / scale, v.z / scale);
        square = tact_vec3_dot(v, v);
    }
    tact_real length = tact_sqrt(square);
    *unit = tact_vec3_make(v.x / length, v.y / length, v.z / length);
    return scale * length;
}

// tact_shape_distance of a point that need not be copied: a copy waits until what it is made from is written.
tact_distance tact_shape_distance_from(const tact_shape *shape, const tact_vec3 *point);

// The positive side for both zeros.
static inline tact_real tact_side_of(tact_real x) {
    return x < 0 ? -1 : 1;
}

// From the nearest point of the segment between a capsule's centres to x.
static inline tact_vec3 tact_capsule_arm(const tact_real *size, tact_vec3 x) {
    return tact_vec3_make(x.x, x.y, x.z - tact_clamp(x.z, -size[1], size[1]));
}

// A point against the core of a box, which is the box less its corner radius.
typedef struct {
    tact_vec3 arm;   // from the nearest point of the core to x, 0 within the core
    bool open[3];    // the nearest point of the core is at an end of this axis, so that moving x along it changes the arm
    tact_real over;  // largest of |x_i| - half_i: negative inside the core
    int face;        // the axis where it is the largest, the lowest on ties
    bool tie;        // another axis has as much, or the opposite face is as near
} tact_box_point;

// A point against the core of a rounded box: along each axis the excess over the half size, the arm from the core, and the face
// of largest separation.
static inline tact_box_point tact_box_locate(const tact_real *size, tact_vec3 x) {
    const tact_real at[3] = {x.x, x.y, x.z};
    tact_real arm[3] = {0};
    tact_box_point point = {.over = -TACT_MAX};
    for (int i = 0; i < 3; i++) {
        tact_real half = size[i] - size[3];
        tact_real over = tact_fabs(at[i]) - half;
        arm[i] = over > 0 ? tact_side_of(at[i]) * over : 0;
        point.open[i] = over > 0 || half == 0;
        point.tie = over > point.over ? at[i] == 0 : point.tie || over == point.over;
        if (over > point.over) {
            point.over = over;
            point.face = i;
        }
    }
    point.arm = tact_vec3_make(arm[0], arm[1], arm[2]);
    return point;
}

// Faces of the core of a box or a hull, and one of them: its outward normal, and the offset of its plane along that.
static inline int tact_shape_faces(const tact_shape *shape) {
    return shape->type == TACT_SHAPE_BOX ? 6 : TACT_HULLS && shape->type == TACT_SHAPE_HULL ? shape->hull->nface : 0;
}
static inline tact_vec3 tact_shape_face(const tact_shape *shape, int i, tact_real *offset) {
    const tact_real sign = i % 2 ? -1 : 1;
    *offset = shape->type == TACT_SHAPE_BOX ? shape->size[i / 2] - shape->size[3] : shape->hull->face[i].offset;
    return shape->type == TACT_SHAPE_BOX ? tact_vec3_make(sign * (i / 2 == 0), sign * (i / 2 == 1), sign * (i / 2 == 2))
                                         : shape->hull->face[i].normal;
}

// A point against a cylinder, in the plane through its axis.
typedef struct {
    tact_vec3 outward;  // unit, away from the axis; +x on it
    tact_real radius;   // distance from the axis
    tact_real side;     // distance from the side, negative within
    tact_real cap;      // distance from the nearer cap's plane, negative within
} tact_cylinder_point;

static inline tact_cylinder_point tact_cylinder_locate(const tact_real *size, tact_vec3 x) {
    tact_cylinder_point point = {.outward = {1, 0, 0}};
    point.radius = tact_direction_split(tact_vec3_make(x.x, x.y, 0), &point.outward);
    point.side = point.radius - size[0];
    point.cap = tact_fabs(x.z) - size[1];
    return point;
}

// A point against a polygon's core, which is the polygon less its corner radius; z does not matter.
typedef struct {
    tact_vec2 normal;  // of the edge of largest separation, the lowest on ties
    tact_real over;    // that separation, negative inside the core
    bool tie;          // inside, and another edge is as near
    bool corner;       // outside, and nearest is a corner ...
    tact_vec3 arm;     // ... from which this leads to x
} tact_polygon_point;

tact_polygon_point tact_polygon_locate(const tact_shape *shape, tact_vec3 x);

// The t in [-1, 1] where the distance from a convex shape is least on the segment c + t h, in the shape's frame: see segment.c.
tact_real tact_segment_nearest(const tact_shape *shape, tact_vec3 c, tact_vec3 h);

// How the edge of another shape leaves a box or a hull that it touches or overlaps: across an edge or, where that is shorter, out
// of a face. Where it lies flush on a face, an end of the stretch on it: side says which, as in segment.c. Given are the nearest
// t and the distance there; false where these tell the way out.
typedef struct {
    tact_real along;         // t
    tact_vec3 edge;          // unit; 0: out of a face
    tact_real apart;         // the two lines
    tact_distance distance;  // of the two lines, or from the face, less the shape's ball; the gradient is across
} tact_crossing;
bool tact_segment_cross(const tact_shape *shape, tact_vec3 c, tact_vec3 h, tact_vec3 side, tact_crossing *at);

// One of the two places that move smoothly, on the side of t = -1 or 1: where g'(1 - t^2) + R (t - e) = 0, with the gap
// g(t) = phi(c + t h) - radius, R of tact_segment_scale and e = side/2.
#define TACT_SEGMENT_LEAN TACT_REAL(0.5)
tact_real tact_segment_between(const tact_shape *shape, tact_vec3 c, tact_vec3 h, tact_real radius, int side);

// R = (g^2 + d^2)^(1/2) with a d that is small beside the segment's half length.
static inline tact_real tact_segment_scale(tact_real gap, tact_real length) {
    const tact_real d = TACT_REAL(1e-4) * length;
    return tact_sqrt(gap * gap + d * d);
}

// A point against a hull, see hull.c.
tact_distance tact_hull_distance(const tact_shape *shape, tact_vec3 x);
tact_distance tact_hull_measure(const tact_shape *shape, tact_vec3 x, tact_mat3 *hessian);

// A point against a grid, see grid.c. hessian: NULL where it is not wanted.
tact_distance tact_grid_distance(const tact_shape *shape, tact_vec3 x, tact_mat3 *hessian);

// Its distance is at least this, which takes no search; -TACT_MAX: x may be inside, or grid->steep is not known.
tact_real tact_grid_least(const tact_shape *shape, tact_vec3 x);

// A point against an ellipsoid, see ellipsoid.c.
tact_distance tact_ellipsoid_distance(const tact_real *size, tact_vec3 x);
tact_mat3 tact_ellipsoid_hessian(const tact_real *size, tact_vec3 x);

#endif
