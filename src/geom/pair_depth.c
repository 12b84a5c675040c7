// SPDX-License-Identifier: MIT
// Penetration depth of two convex cores, the shortest translation by which b leaves a: the distance of the origin from the
// surface of the Minkowski difference D = {x - y: x in a, y in b}, by the expanding polytope algorithm (G. van den Bergen,
// Proximity queries and penetration depth computation on 3D game objects, 2001): a polytope within D is expanded at the face
// nearest to the origin by the support point of D along that face's normal, until that is no farther. It is exact for
// polyhedra; for curved shapes the faces at the nearest point shrink until the depth has converged.
#include "geom/pair.h"

#include "math/elementary.h"

#define DEPTH_POINTS 400
#define DEPTH_FACES 800
#define DEPTH_RIM 200
#define DEPTH_STEPS 100  // of the descent

typedef struct {
    tact_vec3 w, a, b;  // w = a - b
} depth_point;

typedef struct {
    int corner[3];
    tact_vec3 normal;
    tact_real distance;  // of the origin from its plane
} depth_face;

typedef struct {
    const tact_core *a, *b;
    depth_point point[DEPTH_POINTS];
    depth_face face[DEPTH_FACES];
    int points, faces;
    tact_real size;  // magnitude of D's points
} depth_polytope;

static depth_point depth_support(const depth_polytope *p, tact_vec3 n) {
    depth_point point = {.a = tact_core_support(p->a, n), .b = tact_core_support(p->b, tact_vec3_scale(-1, n))};
    point.w = tact_vec3_sub(point.a, point.b);
    return point;
}

static bool add_face(depth_polytope *p, int i, int j, int k) {
    TACT_ASSERT(i >= 0 && i < p->points && j >= 0 && j < p->points && k >= 0 && k < p->points);
    if (p->faces == DEPTH_FACES) return false;
    depth_face *face = &p->face[p->faces++];
    *face = (depth_face){.corner = {i, j, k}};
    // outward normal by the order of the corners, and the distance of its plane from the origin
    tact_vec3 u = tact_vec3_sub(p->point[j].w, p->point[i].w), v = tact_vec3_sub(p->point[k].w, p->point[i].w);
    // a face without area is never the nearest
    bool flat = !(tact_direction_split(tact_vec3_cross(u, v), &face->normal) > 0);
    face->distance = flat ? TACT_MAX : tact_vec3_dot(face->normal, p->point[i].w);
    return true;
}

// Initial tetrahedron of points of D; false when D is flat.
static bool start_polytope(depth_polytope *p) {
    const tact_vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    tact_real widest = 0;
    // first edge: the longest in three directions
    for (int k = 0; k < 3; k++) {
        depth_point high = depth_support(p, axis[k]), low = depth_support(p, tact_vec3_scale(-1, axis[k]));
        tact_vec3 apart = tact_vec3_sub(high.w, low.w);
        tact_real width = tact_sqrt(tact_vec3_dot(apart, apart));
        p->size = tact_max(p->size, width);
        if (!(width > widest)) continue;
        widest = width;
        p->point[0] = high;
        p->point[1] = low;
    }
    // third corner: the farthest from that line, in four directions normal to it
    tact_vec3 line = {0, 0, 1}, normal = {0, 0, 1};
    if (!(tact_direction_split(tact_vec3_sub(p->point[1].w, p->point[0].w), &line) > 0)) return false;
    tact_mat3 F = tact_frame_from_normal(line);
    tact_real farthest = 0;
    for (int k = 0; k < 4; k++) {
        const tact_real *row = F.m[1 + k / 2];
        tact_real side = k % 2 ? -1 : 1;
        depth_point point = depth_support(p, tact_vec3_make(side * row[0], side * row[1], side * row[2]));
        tact_vec3 across = tact_vec3_cross(line, tact_vec3_sub(point.w, p->point[0].w));
        tact_real far = tact_vec3_dot(across, across);
        if (!(far > farthest)) continue;
        farthest = far;
        p->point[2] = point;
        tact_direction_split(across, &normal);
    }
    // collinear points span no triangle beyond rounding
    tact_real thin = 64 * TACT_EPS * p->size;
    if (!(farthest > thin * thin)) return false;
    // fourth corner: the farther one along the triangle's normal
    tact_real height[2] = {0, 0};
    depth_point tip[2] = {depth_support(p, normal), depth_support(p, tact_vec3_scale(-1, normal))};
    for (int k = 0; k < 2; k++) height[k] = tact_fabs(tact_vec3_dot(normal, tact_vec3_sub(tip[k].w, p->point[0].w)));
    int k = height[1] > height[0];
    if (!(height[k] > thin)) return false;
    p->point[3] = tip[k];
    p->points = 4;
    // orient the faces outwards by the sign of the tetrahedron's volume
    bool turned =
        tact_vec3_dot(tact_vec3_cross(tact_vec3_sub(p->point[1].w, p->point[0].w), tact_vec3_sub(p->point[2].w, p->point[0].w)),
                      tact_vec3_sub(p->point[3].w, p->point[0].w)) > 0;
    int i = turned ? 2 : 1, j = turned ? 1 : 2;
    return add_face(p, 0, i, j) && add_face(p, 0, j, 3) && add_face(p, j, i, 3) && add_face(p, i, 0, 3);
}

// Adds a point: removes the faces that it is in front of, and joins their horizon to it.
static bool grow_polytope(depth_polytope *p, depth_point point) {
    TACT_ASSERT(p->faces > 0);
    int rim[DEPTH_RIM][2], count = 0, kept = 0;
    if (p->points == DEPTH_POINTS) return false;
    p->point[p->points++] = point;
    // remove faces that the point is in front of
    for (int f = 0; f < p->faces; f++) {
        depth_face face = p->face[f];
        tact_real above = tact_vec3_dot(face.normal, tact_vec3_sub(point.w, p->point[face.corner[0]].w));
        if (!(above > 256 * TACT_EPS * p->size)) {
            p->face[kept++] = face;
            continue;
        }
        // an edge of two removed faces is not on the horizon
        for (int e = 0; e < 3; e++) {
            int from = face.corner[e], to = face.corner[(e + 1) % 3], same = 0;
            while (same < count && !(rim[same][0] == to && rim[same][1] == from)) same++;
            if (same < count) {
                count--;
                rim[same][0] = rim[count][0];
                rim[same][1] = rim[count][1];
            } else if (count < DEPTH_RIM) {
                rim[count][0] = from;
                rim[count++][1] = to;
            } else {
                return false;
            }
        }
    }
    // new faces from the horizon to the point
    p->faces = kept;
    for (int e = 0; e < count; e++)
        if (!add_face(p, rim[e][0], rim[e][1], p->points - 1)) return false;
    return p->faces > 0;
}

static bool is_curved(const tact_core *core) {
    tact_shape_type type = core->shape.type;
    return type == TACT_SHAPE_CYLINDER || type == TACT_SHAPE_ELLIPSOID || (type == TACT_SHAPE_BOX && core->shape.size[3] > 0);
}

// The part of x across a direction n, and across an axis if there is one.
static tact_vec3 part_across(tact_vec3 x, tact_vec3 n, const tact_vec3 *axis) {
    if (axis) x = tact_vec3_add_scaled(x, -tact_vec3_dot(*axis, x), *axis);
    return tact_vec3_add_scaled(x, -tact_vec3_dot(n, x), n);
}

// Descends from the best normal n so far along the gradient of the support h(n) = n'w(n), which is w's part across n, with steps
// of Barzilai and Borwein (1988). Of an axis: within the plane across it, where h has an edge if it is a cylinder's or a box's.
static void descend_depth(const depth_polytope *p, const tact_vec3 *axis, tact_real *depth, tact_vec3 *normal) {
    tact_vec3 n = *normal, next;
    if (axis && !(tact_direction_split(tact_vec3_add_scaled(n, -tact_vec3_dot(*axis, n), *axis), &n) > 0)) return;
    tact_vec3 w = depth_support(p, n).w, g = part_across(w, n, axis);
    tact_real h = tact_vec3_dot(n, w), step = 1 / p->size;
    for (int k = 0; k < DEPTH_STEPS && step * tact_vec3_dot(g, g) > TACT_EPS * TACT_EPS * p->size; k++) {
        if (!(tact_direction_split(tact_vec3_add_scaled(n, -step, g), &next) > 0)) break;
        w = depth_support(p, next).w;
        tact_real lower = tact_vec3_dot(next, w);
        if (!(lower < h)) {
            step /= 4;
            continue;
        }
        tact_vec3 slope = part_across(w, next, axis), s = tact_vec3_sub(next, n), y = tact_vec3_sub(slope, g);
        tact_real bend = tact_vec3_dot(s, y);
        step = bend > 0 ? tact_vec3_dot(s, s) / bend : 4 * step;
        n = next;
        g = slope;
        h = lower;
    }
    if (!(h < *depth)) return;
    *depth = h;
    *normal = n;
}

tact_real tact_core_depth(const tact_core *a, const tact_core *b, tact_pair_distance *out) {
    TACT_ASSERT(a && b && out);
    depth_polytope p = {.a = a, .b = b};
    tact_real depth = TACT_MAX;
    if (!start_polytope(&p)) {
        // two crossing segments: any direction normal to both, from a common point
        tact_vec3 across = tact_vec3_cross(tact_mat3_column(a->pose.R, 2), tact_mat3_column(b->pose.R, 2));
        tact_mat3 F = tact_frame_from_normal(tact_mat3_column(a->pose.R, 2));
        out->normal = tact_vec3_make(F.m[1][0], F.m[1][1], F.m[1][2]);
        // for parallel ones the cross product is rounding, in any direction
        if (tact_vec3_dot(across, across) > 4096 * TACT_EPS * TACT_EPS) tact_direction_split(across, &out->normal);
        tact_vec3 middle = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(a->pose.p, b->pose.p));
        out->point_a = out->point_b = tact_core_middle(a, b, middle);
        return 0;
    }
    // expand the face nearest to the origin until its support point is no farther
    for (bool more = true; more;) {
        int nearest = 0;
        for (int f = 1; f < p.faces; f++)
            if (p.face[f].distance < p.face[nearest].distance) nearest = f;
        depth_face face = p.face[nearest];
        depth_point point = depth_support(&p, face.normal);
        tact_real reach = tact_vec3_dot(face.normal, point.w);
        // the least support along any face's normal is an upper bound of the depth
        if (reach < depth) {
            depth = reach;
            out->normal = face.normal;
        }
        more = reach - face.distance > 512 * TACT_EPS * p.size && grow_polytope(&p, point);
    }
    // the nearest faces at a curved place of D, and at an edge of its support, shrink slowly
    for (int k = 0; k < 7 && (is_curved(a) || is_curved(b)); k++) {
        tact_vec3 axis = tact_mat3_column(k < 3 ? a->pose.R : b->pose.R, k % 3);
        descend_depth(&p, k < 6 ? &axis : NULL, &depth, &out->normal);
    }
    // Witness points: with b translated along the normal until it is clear of a, the direction of its nearest point of a is
    // unchanged, since the separating plane touches both as before; so that point is one at which b leaves a
    tact_core moved = *p.b;
    tact_real apart = p.size / 4;
    moved.pose.p = tact_vec3_add_scaled(moved.pose.p, depth + apart, out->normal);
    tact_vec3 z =
        tact_core_middle(p.a, &moved, tact_vec3_add_scaled(tact_core_support(p.a, out->normal), apart / 2, out->normal));
    tact_distance side = tact_core_distance(p.a, z, NULL);
    out->point_a = tact_vec3_add_scaled(z, -side.value, side.gradient);
    out->point_b = tact_vec3_add_scaled(out->point_a, -depth, out->normal);
    return depth;
}
