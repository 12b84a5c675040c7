// SPDX-License-Identifier: MIT
// Exact signed distances. Sphere, capsule and box are all points within r of a core (a point, a segment, a smaller box):
// distance = |x - nearest point of the core| - r, with the direction of that difference as gradient.
//
// If the direction is not unique:
//   sphere     centre: +z
//   capsule    segment between the centres: +x
//   box        core (with corner radius 0 the box itself): the face of least depth, of equal ones the lowest axis; on its
//              middle plane the positive side
//   cylinder   inside the nearer of side and cap, of equal ones the side; side from the axis: +x; cap from the middle: +z
//   circle     centre: +x
//   rectangle  as an infinitely long box
//   polygon    inside the nearest edge, of equal ones the lowest
//   hull       inside the nearest face, of equal ones the lowest
//   ellipsoid  middle plane of the least half axis: its positive side; of equal least half axes the lowest index
#include "geom/shapes.h"

static tact_distance sphere_distance(const tact_real *size, tact_vec3 x) {
    tact_distance d = {.gradient = {0, 0, 1}};
    tact_real length = tact_direction_split(x, &d.gradient);
    d.value = length - size[0];
    d.degenerate = length == 0;
    return d;
}

static tact_distance capsule_distance(const tact_real *size, tact_vec3 x) {
    tact_distance d = {.gradient = {1, 0, 0}};
    tact_real length = tact_direction_split(tact_capsule_arm(size, x), &d.gradient);
    d.value = length - size[0];
    d.degenerate = length == 0;
    return d;
}

static tact_distance box_distance(const tact_real *size, tact_vec3 x) {
    tact_box_point point = tact_box_locate(size, x);
    tact_distance d = {.value = point.over - size[3], .degenerate = point.tie};
    // outside the core along the vector from it; inside along the axis of the nearest face
    if (point.over > 0) {
        d.value = tact_direction_split(point.arm, &d.gradient) - size[3];
        d.degenerate = false;
    } else if (point.face == 0) {
        d.gradient.x = tact_side_of(x.x);
    } else if (point.face == 1) {
        d.gradient.y = tact_side_of(x.y);
    } else {
        d.gradient.z = tact_side_of(x.z);
    }
    return d;
}

// Signed distance of a cylinder about z: the nearer of side and cap inside, the rim where x is beyond both.
static tact_distance cylinder_distance(const tact_real *size, tact_vec3 x) {
    tact_cylinder_point point = tact_cylinder_locate(size, x);
    tact_distance d = {.value = point.side, .gradient = point.outward};
    if (point.side > 0 && point.cap > 0) {
        // nearest is the edge: the direction in the plane through the axis
        tact_vec3 lean = {0};
        d.value = tact_direction_split(tact_vec3_make(point.side, 0, point.cap), &lean);
        d.gradient = tact_vec3_scale(lean.x, point.outward);
        d.gradient.z = tact_side_of(x.z) * lean.z;
    } else if (point.cap > point.side) {
        d.value = point.cap;
        d.gradient = tact_vec3_make(0, 0, tact_side_of(x.z));
        d.degenerate = x.z == 0;
    } else {
        d.degenerate = point.radius == 0 || point.side == point.cap;
    }
    return d;
}

static tact_distance circle_distance(const tact_real *size, tact_vec3 x) {
    tact_distance d = sphere_distance(size, x);
    if (d.degenerate) d.gradient = tact_vec3_make(1, 0, 0);
    return d;
}

static tact_distance rectangle_distance(const tact_real *size, tact_vec3 x) {
    const tact_real prism[4] = {size[0], size[1], TACT_MAX, size[2]};
    return box_distance(prism, x);
}

static tact_distance polygon_distance(const tact_shape *shape, tact_vec3 x) {
    tact_polygon_point point = tact_polygon_locate(shape, x);
    tact_distance d = {.value = point.over - shape->size[1], .degenerate = point.tie};
    d.gradient = tact_vec3_make(point.normal.x, point.normal.y, 0);
    if (point.corner) d.value = tact_direction_split(point.arm, &d.gradient) - shape->size[1];
    return d;
}

// Signed distance of a point in the shape's frame, with gradient. Unions are measured member by member, not here.
tact_distance tact_shape_distance_from(const tact_shape *shape, const tact_vec3 *point) {
    tact_vec3 x = *point;
    switch (shape->type) {
    case TACT_SHAPE_SPHERE: return sphere_distance(shape->size, x);
    case TACT_SHAPE_CAPSULE: return capsule_distance(shape->size, x);
    case TACT_SHAPE_BOX: return box_distance(shape->size, x);
    case TACT_SHAPE_CYLINDER: return cylinder_distance(shape->size, x);
    case TACT_SHAPE_ELLIPSOID: return tact_ellipsoid_distance(shape->size, x);
    case TACT_SHAPE_CIRCLE: return circle_distance(shape->size, x);
    case TACT_SHAPE_RECTANGLE: return rectangle_distance(shape->size, x);
    case TACT_SHAPE_POLYGON:
        if (TACT_POLYGONS) return polygon_distance(shape, x);
        break;
    // boundaries through the origin: y = 0, and z = 0 for a plane (below)
    case TACT_SHAPE_HALFPLANE: return (tact_distance){.value = x.y, .gradient = {0, 1, 0}};
    case TACT_SHAPE_HULL:
        if (TACT_HULLS) return tact_hull_distance(shape, x);
        break;
    case TACT_SHAPE_GRID:
        if (TACT_GRIDS) return tact_grid_distance(shape, x, NULL);
        break;
    case TACT_SHAPE_PLANE: break;
    case TACT_SHAPE_UNION:
    case TACT_SHAPE_SMOOTH_UNION: TACT_ASSERT(false); break;
    }
    return (tact_distance){.value = x.z, .gradient = {0, 0, 1}};
}

tact_distance tact_shape_distance(const tact_shape *shape, tact_vec3 x) {
    return tact_shape_distance_from(shape, &x);
}
