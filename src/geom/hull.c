// SPDX-License-Identifier: MIT
// Exact signed distance of a point from a convex polyhedron, rounded by a ball of radius r. With the separations s_i = n_i'x -
// b_i from the planes of the faces,
//   inside   (all s_i <= 0)  distance = max s_i - r
//   outside                  distance = |x - p| - r,   p the nearest point of a face, an edge or a vertex
// A face that contains the foot of the perpendicular from x is nearest, since the polyhedron is convex. Otherwise the nearest
// point lies on an edge of a face with s_i > 0: x - p is a nonnegative combination of the normals of the faces at p, so that x
// is in front of one of them.
#include "geom/shapes.h"

// Points of one face may lie off its plane by this fraction of the hull's size: nearly coplanar faces are merged.
#define HULL_LEVEL TACT_REAL(4e-5)

// A point relative to a hull without its radius.
typedef struct {
    tact_real over;    // largest separation, negative inside
    tact_vec3 normal;  // of that face, the lowest on ties; outside of the face that contains the foot
    bool tie;          // inside, and another face is equally near
    bool edge;         // outside, and the nearest feature is an edge or vertex ...
    bool vertex;       // ... namely a vertex
    tact_vec3 along;   // the edge, from end to end
    tact_vec3 arm;     // from the nearest point of an edge or vertex to x
} hull_point;

static tact_real hull_separation(const tact_hull_face *face, tact_vec3 x) {
    return tact_vec3_dot(face->normal, x) - face->offset;
}

// Whether the foot of the perpendicular from x to the face's plane lies in the face.
static bool hull_face_contains(const tact_hull *hull, const tact_hull_face *face, tact_vec3 x) {
    // edges run counter-clockwise about the normal: x must not be outside of any
    const int *corner = hull->corner + face->first;
    tact_vec3 from = hull->vertex[corner[face->count - 1]];
    for (int k = 0; k < face->count; k++) {
        tact_vec3 to = hull->vertex[corner[k]], outward = tact_vec3_cross(tact_vec3_sub(to, from), face->normal);
        if (tact_vec3_dot(outward, tact_vec3_sub(x, from)) > 0) return false;
        from = to;
    }
    return true;
}

// Voronoi region of x: inside, the face of largest separation; outside, a face, an edge or a vertex.
static hull_point hull_locate(const tact_hull *hull, tact_vec3 x) {
    hull_point point = {.over = -TACT_MAX};
    tact_real over[TACT_HULL_FACES];
    int face = 0;
    TACT_ASSERT(hull && hull->nface <= TACT_HULL_FACES);
    // face of largest separation
    for (int i = 0; i < hull->nface; i++) {
        over[i] = hull_separation(&hull->face[i], x);
        point.tie = over[i] > point.over ? false : point.tie || over[i] == point.over;
        if (over[i] > point.over) {
            point.over = over[i];
            face = i;
        }
    }
    point.normal = hull->face[face].normal;
    if (!(point.over > 0)) return point;

    // outside: the face with the foot of the perpendicular is as far as the distance, which no separation exceeds: it is that of
    // largest separation, or, since the points of a face may lie off its plane, one whose separation is nearly as large
    point.tie = false;
    if (hull_face_contains(hull, &hull->face[face], x)) return point;
    tact_real most = 0;
    for (int i = 0; i < hull->nvertex; i++) most = tact_max(most, tact_vec3_dot(hull->vertex[i], hull->vertex[i]));
    const tact_real level = point.over - HULL_LEVEL * tact_sqrt(tact_vec3_dot(x, x) + most);
    for (int i = 0; i < hull->nface; i++) {
        if (over[i] <= 0 || over[i] < level || i == face || !hull_face_contains(hull, &hull->face[i], x)) continue;
        point.over = over[i];
        point.normal = hull->face[i].normal;
        return point;
    }
    // nearest point of those edges that belong to a face with x in front of it
    tact_real least = -1;
    for (int e = 0; e < hull->nedge; e++) {
        const tact_hull_edge *edge = &hull->edge[e];
        if (!(over[edge->left] > 0 || over[edge->right] > 0)) continue;
        tact_vec3 from = hull->vertex[edge->from], to = hull->vertex[edge->to], along = tact_vec3_sub(to, from);
        tact_vec3 arm = tact_vec3_sub(x, from);
        // foot of the perpendicular on the edge's line, clamped to its ends
        tact_real way = tact_vec3_dot(arm, along), length = tact_vec3_dot(along, along);
        bool vertex = way < 0 || way > length;
        if (way > length)
            arm = tact_vec3_sub(x, to);
        else if (!vertex)
            arm = tact_vec3_add_scaled(arm, -(way / length), along);
        tact_real square = tact_vec3_dot(arm, arm);
        if (least >= 0 && !(square < least)) continue;
        least = square;
        point.edge = true;
        point.vertex = vertex;
        point.along = along;
        point.arm = arm;
    }
    return point;
}

// Inside or above a face its plane decides; otherwise the vector from the edge or vertex.
static tact_distance hull_distance(const tact_shape *shape, const hull_point *point) {
    tact_distance d = {.value = point->over - shape->size[0], .gradient = point->normal, .degenerate = point->tie};
    if (!point->edge) return d;
    tact_real length = tact_direction_split(point->arm, &d.gradient);
    d.value = length - shape->size[0];
    d.degenerate = length == 0;
    return d;
}

tact_distance tact_hull_distance(const tact_shape *shape, tact_vec3 x) {
    TACT_ASSERT(shape);
    hull_point point = hull_locate(shape->hull, x);
    return hull_distance(shape, &point);
}

// Hessian: 0 for a face, (I - n n')/rho for a vertex, (I - u u' - n n')/rho for an edge along u.
tact_distance tact_hull_measure(const tact_shape *shape, tact_vec3 x, tact_mat3 *hessian) {
    TACT_ASSERT(shape && hessian);
    hull_point point = hull_locate(shape->hull, x);
    tact_vec3 n = point.normal, u = {0, 0, 0};
    *hessian = (tact_mat3){{{0}}};
    // rho: distance to the nearest edge or vertex; over a face the distance is linear
    tact_real rho = point.edge ? tact_direction_split(point.arm, &n) : 0;
    if (!(rho > TACT_EPS)) return hull_distance(shape, &point);
    if (!point.vertex) tact_direction_split(point.along, &u);
    const tact_real a[3] = {n.x, n.y, n.z}, b[3] = {u.x, u.y, u.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) hessian->m[i][j] = ((i == j ? 1 : 0) - b[i] * b[j] - a[i] * a[j]) / rho;
    return hull_distance(shape, &point);
}
