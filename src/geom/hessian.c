// SPDX-License-Identifier: MIT
// Hessians of the signed distances: the derivative of the gradient n by the point. A vector of length rho from a fixed point
// (sphere's centre, box's corner) gives (I - n n')/rho; from a line (capsule's axis, box's edge) the same in the plane normal
// to it; from a face 0. For the rim of a cylinder, a circle, with n = c outward + s z:
//   H = (c/radius) t t' + (1/rho) m m',   t along the circle, m = s outward - c z
// On the border of two pieces the flatter one is used. A vector not longer than TACT_EPS metres gives 0: its direction is
// rounding, or chosen by a rule, and counts as constant. So no entry exceeds 1/TACT_EPS per metre.
#include "geom/shapes.h"

// (I - n n')/rho among the open axes; n is 0 along the others.
static tact_mat3 arm_hessian(const bool open[3], tact_vec3 n, tact_real rho) {
    const tact_real at[3] = {n.x, n.y, n.z};
    tact_real curvature = rho > TACT_EPS ? 1 / rho : 0;
    tact_mat3 H;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H.m[i][j] = ((i == j && open[i] ? 1 : 0) - at[i] * at[j]) * curvature;
    return H;
}

static tact_mat3 sphere_hessian(tact_vec3 x) {
    const bool open[3] = {true, true, true};
    tact_vec3 n = {0, 0, 1};
    tact_real rho = tact_direction_split(x, &n);
    return arm_hessian(open, n, rho);
}

static tact_mat3 capsule_hessian(const tact_real *size, tact_vec3 x) {
    const bool open[3] = {true, true, tact_fabs(x.z) > size[1] || size[1] == 0};
    tact_vec3 n = {1, 0, 0};
    tact_real rho = tact_direction_split(tact_capsule_arm(size, x), &n);
    return arm_hessian(open, n, rho);
}

static tact_mat3 box_hessian(const tact_real *size, tact_vec3 x) {
    tact_box_point point = tact_box_locate(size, x);
    tact_vec3 n = {1, 0, 0};
    tact_real rho = tact_direction_split(point.arm, &n);
    return arm_hessian(point.open, n, rho);
}

// Hessian of a cylinder's signed distance: flat over a cap, curved about the axis beside the side, both curvatures at the rim.
static tact_mat3 cylinder_hessian(const tact_real *size, tact_vec3 x) {
    const bool across[3] = {true, true, false};
    tact_cylinder_point point = tact_cylinder_locate(size, x);
    bool edge = point.side > 0 && point.cap > 0;
    tact_mat3 H = {{{0}}};
    // beyond the caps only: flat; beyond the side only: that of a circle
    if (!edge && point.cap > point.side) return H;
    H = arm_hessian(across, point.outward, point.radius);
    if (!edge) return H;

    tact_vec3 n = {1, 0, 0};
    // at the rim: rho = |(side, cap)|, H = n_s H_side + t t'/rho with t = n_c grad side - n_s grad cap
    tact_real rho = tact_direction_split(tact_vec3_make(point.side, 0, point.cap), &n);
    tact_real curvature = rho > TACT_EPS ? 1 / rho : 0;
    const tact_real m[3] = {n.z * point.outward.x, n.z * point.outward.y, -n.x * tact_side_of(x.z)};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H.m[i][j] = n.x * H.m[i][j] + curvature * (m[i] * m[j]);
    return H;
}

static tact_mat3 rectangle_hessian(const tact_real *size, tact_vec3 x) {
    const tact_real prism[4] = {size[0], size[1], TACT_MAX, size[2]};
    return box_hessian(prism, x);
}

static tact_mat3 polygon_hessian(const tact_shape *shape, tact_vec3 x) {
    tact_polygon_point point = tact_polygon_locate(shape, x);
    const bool turns[3] = {point.corner, point.corner, false};
    tact_vec3 n = {1, 0, 0};
    tact_real rho = point.corner ? tact_direction_split(point.arm, &n) : 0;
    return arm_hessian(turns, n, rho);
}

tact_mat3 tact_shape_hessian(const tact_shape *shape, tact_vec3 x) {
    tact_mat3 flat = {{{0}}};
    switch (shape->type) {
    case TACT_SHAPE_SPHERE: return sphere_hessian(x);
    case TACT_SHAPE_CAPSULE: return capsule_hessian(shape->size, x);
    case TACT_SHAPE_BOX: return box_hessian(shape->size, x);
    case TACT_SHAPE_CYLINDER: return cylinder_hessian(shape->size, x);
    case TACT_SHAPE_ELLIPSOID: return tact_ellipsoid_hessian(shape->size, x);
    case TACT_SHAPE_CIRCLE: return sphere_hessian(x);
    case TACT_SHAPE_RECTANGLE: return rectangle_hessian(shape->size, x);
    case TACT_SHAPE_POLYGON:
        if (TACT_POLYGONS) return polygon_hessian(shape, x);
        break;
    case TACT_SHAPE_HULL:
        if (TACT_HULLS) tact_hull_measure(shape, x, &flat);
        break;
    case TACT_SHAPE_GRID:
        if (TACT_GRIDS) tact_grid_distance(shape, x, &flat);
        break;
    // flat
    case TACT_SHAPE_PLANE:
    case TACT_SHAPE_HALFPLANE: break;
    case TACT_SHAPE_UNION:
    case TACT_SHAPE_SMOOTH_UNION: TACT_ASSERT(false); break;
    }
    return flat;
}

tact_distance tact_shape_measure(const tact_shape *shape, tact_vec3 x, tact_mat3 *hessian) {
    TACT_ASSERT(shape && hessian);
    if (TACT_GRIDS && shape->type == TACT_SHAPE_GRID) return tact_grid_distance(shape, x, hessian);
    if (TACT_HULLS && shape->type == TACT_SHAPE_HULL) return tact_hull_measure(shape, x, hessian);
    *hessian = tact_shape_hessian(shape, x);
    return tact_shape_distance(shape, x);
}
