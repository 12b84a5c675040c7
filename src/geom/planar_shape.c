// SPDX-License-Identifier: MIT
// Silhouettes of shapes along the plane's normal: a core of corners and a radius about it. With outward normals N, N' of the
// edges at a corner v of a polygon and the corner radius r, the core's corner is v - r (N + N')/(1 + N'N), the point at depth r
// behind both edges. Corners and their derivatives by the sizes are in the axes that the body has in the plane.
#include "geom/planar_core.h"

// Placement of a shape relative to the plane.
typedef struct {
    const tact_shape *shape;
    tact_vec2 origin;   // of the shape, from the body's origin
    tact_vec2 axis[3];  // of the shape, seen along the normal
    bool across[3];     // along the normal
} silhouette;

static tact_vec2 silhouette_see(const tact_plane *plane, tact_vec3 v) {
    return tact_vec2_make(tact_vec3_dot(plane->x, v), tact_vec3_dot(plane->y, v));
}

static silhouette silhouette_of(const tact_shape *shape, const tact_plane *plane, tact_pose body) {
    silhouette view = {.shape = shape};
    // axes seen along the normal; across: those along it
    tact_mat3 R = tact_mat3_multiply(body.R, shape->place.R);
    view.origin = silhouette_see(plane, tact_mat3_apply(body.R, shape->place.p));
    for (int k = 0; k < 3; k++) {
        tact_vec3 axis = tact_mat3_column(R, k);
        view.axis[k] = silhouette_see(plane, axis);
        view.across[k] = tact_fabs(tact_vec3_dot(plane->z, axis)) > TACT_REAL(0.5);
    }
    return view;
}

int tact_planar_corners(const tact_shape *shape, const tact_plane *plane, tact_pose body) {
    // axis along the normal: the silhouette is a circle
    bool across = silhouette_of(shape, plane, body).across[2];
    switch (shape->type) {
    case TACT_SHAPE_SPHERE:
    case TACT_SHAPE_PLANE:
    case TACT_SHAPE_CIRCLE:
    case TACT_SHAPE_HALFPLANE:
    case TACT_SHAPE_ELLIPSOID: return 1;
    case TACT_SHAPE_CAPSULE: return across ? 1 : 2;
    case TACT_SHAPE_CYLINDER: return across ? 1 : 4;
    case TACT_SHAPE_BOX:
    case TACT_SHAPE_RECTANGLE: return 4;
    case TACT_SHAPE_POLYGON: return shape->count;
    case TACT_SHAPE_UNION:
    case TACT_SHAPE_SMOOTH_UNION: return 0;
    case TACT_SHAPE_HULL:
    case TACT_SHAPE_GRID: TACT_ASSERT(false); break;
    }
    return 0;
}

static tact_vec2 silhouette_unit(tact_vec2 v) {
    tact_real length = tact_sqrt(tact_vec2_dot(v, v));
    return length > 0 ? tact_vec2_scale(1 / length, v) : tact_vec2_make(1, 0);
}

static void add_size(tact_planar_shape *planar, int size, tact_real radius_rate) {
    planar->size[planar->nsize] = size;
    planar->radius_rate[planar->nsize++] = radius_rate;
}

static void make_circle(const silhouette *view, tact_planar_shape *planar, tact_planar_corner *corner) {
    planar->radius = view->shape->size[0];
    add_size(planar, 0, 1);
    corner[0].point = view->origin;
    corner[0].normal = tact_vec2_make(1, 0);
}

static void make_halfplane(const silhouette *view, int normal, tact_planar_shape *planar, tact_planar_corner *corner) {
    planar->kind = TACT_PLANAR_HALFPLANE;
    corner[0].point = view->origin;
    corner[0].normal = silhouette_unit(view->axis[normal]);
}

// Rectangle of the axes i and j; round: which size is the corner radius, -1: none.
static void make_rectangle(const silhouette *view, int i, int j, int round, tact_planar_shape *planar,
                           tact_planar_corner *corner) {
    const tact_real *size = view->shape->size;
    tact_vec2 u = silhouette_unit(view->axis[i]), v = tact_vec2_turn(u);
    tact_real r = round >= 0 ? size[round] : 0;
    // a cylinder has its radius normal to its axis
    int iu = view->shape->type == TACT_SHAPE_CYLINDER ? 0 : i, iv = view->shape->type == TACT_SHAPE_CYLINDER ? 1 : j;
    planar->radius = r;
    add_size(planar, iu, 0);
    add_size(planar, iv, 0);
    if (round >= 0) add_size(planar, round, 1);
    // corners counter-clockwise from (-u, -v); their derivatives by half lengths and radius
    for (int k = 0; k < 4; k++) {
        tact_vec2 su = tact_vec2_scale(k == 0 || k == 3 ? -1 : 1, u), sv = tact_vec2_scale(k < 2 ? -1 : 1, v);
        tact_vec2 point = tact_vec2_add_scaled(view->origin, size[iu] - r, su);
        corner[k].point = tact_vec2_add_scaled(point, size[iv] - r, sv);
        corner[k].rate[0] = su;
        corner[k].rate[1] = sv;
        corner[k].rate[2] = tact_vec2_scale(-1, tact_vec2_add(su, sv));
        corner[k].normal = k == 0 ? tact_vec2_scale(-1, v) : k == 1 ? u : k == 2 ? v : tact_vec2_scale(-1, u);
    }
}

tact_vec2 tact_polygon_normal(const tact_shape *shape, int i) {
    tact_vec2 edge = tact_vec2_sub(shape->point[(i + 1) % shape->count], shape->point[i % shape->count]);
    return silhouette_unit(tact_vec2_make(edge.y, -edge.x));
}

tact_vec2 tact_polygon_miter(const tact_shape *shape, int i) {
    tact_vec2 before = tact_polygon_normal(shape, i + shape->count - 1), after = tact_polygon_normal(shape, i);
    return tact_vec2_scale(1 / (1 + tact_vec2_dot(before, after)), tact_vec2_add(before, after));
}

// Corners and edge normals of a polygon in the plane, counter-clockwise, with their rates by scale and corner radius.
static void make_polygon(const silhouette *view, tact_planar_shape *planar, tact_planar_corner *corner) {
    const tact_shape *shape = view->shape;
    int count = shape->count;
    tact_vec2 x = view->axis[0], y = view->axis[1];
    // seen from behind the points run clockwise
    bool mirrored = x.x * y.y - x.y * y.x < 0;
    planar->radius = shape->size[1];
    add_size(planar, 0, 0);
    add_size(planar, 1, 1);
    // corner v - r miter, scaled by size[0]; mirrored views run the other way round
    for (int i = 0; i < count; i++) {
        tact_vec2 point = shape->point[i], miter = tact_polygon_miter(shape, i);
        tact_vec2 at = tact_vec2_add_scaled(tact_vec2_scale(shape->size[0], point), -shape->size[1], miter);
        tact_vec2 normal = tact_polygon_normal(shape, mirrored ? i + count - 1 : i);
        tact_planar_corner *to = &corner[mirrored ? count - 1 - i : i];
        to->point = tact_vec2_add_scaled(tact_vec2_add_scaled(view->origin, at.x, x), at.y, y);
        to->rate[0] = tact_vec2_add_scaled(tact_vec2_scale(point.x, x), point.y, y);
        to->rate[1] = tact_vec2_add_scaled(tact_vec2_scale(-miter.x, x), -miter.y, y);
        to->normal = tact_vec2_add_scaled(tact_vec2_scale(normal.x, x), normal.y, y);
    }
}

// Lengths of the edges, and the bounding circle.
static void finish(tact_planar_shape *planar, tact_planar_corner *corner) {
    int count = planar->count;
    planar->centre = tact_vec2_make(0, 0);
    // edge lengths, and the mean of the corners as centre of the bounding circle
    for (int i = 0; i < count; i++) {
        tact_vec2 edge = tact_vec2_sub(corner[(i + 1) % count].point, corner[i].point);
        corner[i].length = tact_max(0, tact_vec2_dot(tact_vec2_turn(corner[i].normal), edge));
        planar->centre = tact_vec2_add_scaled(planar->centre, 1 / (tact_real)count, corner[i].point);
    }
    planar->reach = 0;
    for (int i = 0; i < count; i++) {
        tact_vec2 arm = tact_vec2_sub(corner[i].point, planar->centre);
        planar->reach = tact_max(planar->reach, tact_sqrt(tact_vec2_dot(arm, arm)));
    }
    planar->reach += planar->radius;
    if (planar->kind == TACT_PLANAR_HALFPLANE) planar->reach = TACT_MAX;
}

void tact_planar_shape_make(tact_planar_shape *planar, const tact_shape *shape, const tact_plane *plane, tact_pose body,
                            tact_planar_corner *corner) {
    silhouette view = silhouette_of(shape, plane, body);
    // The silhouette along the plane's normal, whose corners the caller has room for.
    int count = tact_planar_corners(shape, plane, body);
    *planar = (tact_planar_shape){.kind = TACT_PLANAR_CORE, .body = shape->body, .count = count, .corner = corner};
    for (int i = 0; i < count; i++) corner[i] = (tact_planar_corner){0};
    switch (shape->type) {
    case TACT_SHAPE_SPHERE:
    case TACT_SHAPE_CIRCLE:
    case TACT_SHAPE_ELLIPSOID: make_circle(&view, planar, corner); break;
    case TACT_SHAPE_PLANE: make_halfplane(&view, 2, planar, corner); break;
    case TACT_SHAPE_HALFPLANE: make_halfplane(&view, 1, planar, corner); break;
    case TACT_SHAPE_CAPSULE:
        // along its axis: a circle
        if (count == 1)
            make_circle(&view, planar, corner);
        else {
            // two corners at the ends of the axis, with a radius
            tact_vec2 along = silhouette_unit(view.axis[2]);
            planar->radius = view.shape->size[0];
            add_size(planar, 0, 1);
            add_size(planar, 1, 0);
            for (int i = 0; i < 2; i++) {
                tact_vec2 end = tact_vec2_scale(i == 0 ? -1 : 1, along);
                corner[i].point = tact_vec2_add_scaled(view.origin, view.shape->size[1], end);
                corner[i].rate[1] = end;
                corner[i].normal = tact_vec2_turn(end);
            }
        }
        break;
    case TACT_SHAPE_CYLINDER:
        if (count == 1)
            make_circle(&view, planar, corner);
        else
            make_rectangle(&view, view.across[0] ? 1 : 0, 2, -1, planar, corner);
        break;
    case TACT_SHAPE_BOX:
        // rectangle of the two axes that are not along the normal
        if (view.across[0])
            make_rectangle(&view, 1, 2, 3, planar, corner);
        else if (view.across[1])
            make_rectangle(&view, 0, 2, 3, planar, corner);
        else
            make_rectangle(&view, 0, 1, 3, planar, corner);
        break;
    case TACT_SHAPE_RECTANGLE: make_rectangle(&view, 0, 1, 2, planar, corner); break;
    case TACT_SHAPE_POLYGON: make_polygon(&view, planar, corner); break;
    case TACT_SHAPE_UNION: planar->kind = TACT_PLANAR_UNION; break;
    case TACT_SHAPE_SMOOTH_UNION:
        planar->kind = TACT_PLANAR_SMOOTH;
        planar->temperature = shape->size[0];
        add_size(planar, 0, 0);
        break;
    case TACT_SHAPE_HULL:
    case TACT_SHAPE_GRID: TACT_ASSERT(false); break;
    }
    if (count > 0) finish(planar, corner);
}
