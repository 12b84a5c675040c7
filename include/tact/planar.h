// SPDX-License-Identifier: MIT
// Planar shapes: the plane of a scene, shapes in it, and their signed distances with gradient, Hessian and size derivatives.
//
// In the plane a body is at p (its origin) and turned by an angle th; q = (p.x, p.y, th). A shape but for half-planes and
// unions is all points within a radius of a convex core: one point (circle), two (capsule) or a polygon; its distance is the
// exact one to the core less the radius. Virtual contacts between two of them: tact/manifold.h.
#ifndef TACT_PLANAR_H
#define TACT_PLANAR_H

#include "tact/geom.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define TACT_PLANAR_SIZES 3  // most sizes that a planar shape has

// (x, y)
static inline tact_vec2 tact_vec2_make(tact_real x, tact_real y) {
    tact_vec2 v = {x, y};
    return v;
}

// a + b
static inline tact_vec2 tact_vec2_add(tact_vec2 a, tact_vec2 b) {
    return tact_vec2_make(a.x + b.x, a.y + b.y);
}

// a - b
static inline tact_vec2 tact_vec2_sub(tact_vec2 a, tact_vec2 b) {
    return tact_vec2_make(a.x - b.x, a.y - b.y);
}

// s a
static inline tact_vec2 tact_vec2_scale(tact_real s, tact_vec2 a) {
    return tact_vec2_make(s * a.x, s * a.y);
}

// a + s b
static inline tact_vec2 tact_vec2_add_scaled(tact_vec2 a, tact_real s, tact_vec2 b) {
    return tact_vec2_make(a.x + s * b.x, a.y + s * b.y);
}

// a'b
static inline tact_real tact_vec2_dot(tact_vec2 a, tact_vec2 b) {
    return a.x * b.x + a.y * b.y;
}

// E a, with E = [[0, -1], [1, 0]]: a turned by a right angle
static inline tact_vec2 tact_vec2_turn(tact_vec2 a) {
    return tact_vec2_make(-a.y, a.x);
}

// symmetric 2 x 2
typedef struct {
    tact_real xx, xy, yy;
} tact_sym2;

// A v
static inline tact_vec2 tact_sym2_apply(tact_sym2 A, tact_vec2 v) {
    return tact_vec2_make(A.xx * v.x + A.xy * v.y, A.xy * v.x + A.yy * v.y);
}

// The plane of a scene: its axes in the world, orthonormal, right-handed. A world point X is at (x'X, y'X).
typedef struct {
    tact_vec3 x, y, z;  // z: out of the plane
    tact_real height;   // of the plane along z, where points are put back into the world [m]
} tact_plane;

// A vector or a point of the plane in the world.
static inline tact_vec3 tact_plane_vector(const tact_plane *plane, tact_vec2 v) {
    return tact_vec3_add_scaled(tact_vec3_scale(v.x, plane->x), v.y, plane->y);
}

// A point of the plane in the world, at the height of the plane.
static inline tact_vec3 tact_plane_point(const tact_plane *plane, tact_vec2 x) {
    return tact_vec3_add_scaled(tact_plane_vector(plane, x), plane->height, plane->z);
}

// The x-y plane of the first planar joint's frame; without one, of the first planar shape's frame (circle, rectangle, polygon,
// half-plane); without one, the plane across the first revolute or continuous joint's axis; else the world's x-z plane. All
// taken with every joint coordinate at 0.
tact_plane tact_plane_find(const tact_model *model);

// What of a model does not fit in the plane, as tact_model_check tells it: "body.joint" (its motion leaves the plane: a free
// joint, an axis of turning that is not across the plane, a slider that is not in it), "shape.place" (planar shapes and boxes
// that do not lie in the plane, capsules and cylinders neither in it nor across it), "shape.type" (ellipsoids that are no
// spheres). Of bodies without shapes nothing is asked.
tact_fault tact_plane_check(const tact_model *model, const tact_plane *plane);

// Where a body is in the plane.
typedef struct {
    tact_vec2 p;     // its origin [m]
    tact_vec2 turn;  // cosine and sine of its angle from the orientation with all joint coordinates at 0
} tact_planar_pose;

// The pose with all joint coordinates at 0, with its origin at that of the plane.
static inline tact_planar_pose tact_planar_pose_identity(void) {
    tact_planar_pose pose = {{0, 0}, {1, 0}};
    return pose;
}

// From a body's axes to the plane's: R a. And back.
static inline tact_vec2 tact_planar_rotate(tact_planar_pose pose, tact_vec2 a) {
    return tact_vec2_make(pose.turn.x * a.x - pose.turn.y * a.y, pose.turn.y * a.x + pose.turn.x * a.y);
}

// From the plane's axes to the body's: R' a.
static inline tact_vec2 tact_planar_unrotate(tact_planar_pose pose, tact_vec2 a) {
    return tact_vec2_make(pose.turn.x * a.x + pose.turn.y * a.y, pose.turn.x * a.y - pose.turn.y * a.x);
}

typedef enum {
    TACT_PLANAR_CORE,       // within radius of the core
    TACT_PLANAR_HALFPLANE,  // normal'(y - point) <= 0
    TACT_PLANAR_UNION,      // of its members, distance min_k psi_k (exact outside)
    TACT_PLANAR_SMOOTH,     // -T ln sum exp(-psi_k/T): lies within the union's distance and T ln(members) less; |gradient| <= 1
} tact_planar_kind;

// A corner of a core, in the body's axes.
typedef struct {
    tact_vec2 point;                    // [m]
    tact_vec2 normal;                   // outward unit normal of the edge from this corner to the next
    tact_real length;                   // of that edge [m]
    tact_vec2 rate[TACT_PLANAR_SIZES];  // d(point)/d(size); edges keep their directions
} tact_planar_corner;

// A shape as it is seen along the plane's normal: made by tact_planar_shape_make.
typedef struct tact_planar_shape tact_planar_shape;
struct tact_planar_shape {
    tact_planar_kind kind;                     //
    int body;                                  // TACT_WORLD
    int count;                                 // corners; members of a union
    const tact_planar_corner *corner;          // (count) counter-clockwise; of a half-plane one on the surface
    const tact_planar_shape *const *member;    // (count) of a union, on the same body, none of them a union
    tact_real radius;                          // about the core [m]
    tact_real temperature;                     // T of a smooth union [m]
    int nsize;                                 // sizes that it depends on ...
    int size[TACT_PLANAR_SIZES];               // ... which of tact_shape.size each is
    tact_real radius_rate[TACT_PLANAR_SIZES];  // d(radius)/d(size)
    tact_vec2 centre;                          // of a circle about all of it (of a half-plane: TACT_MAX), body's axes
    tact_real reach;                           // its radius [m]
};

// How many corners a shape has when seen along the normal; 0 for a union.
int tact_planar_corners(const tact_shape *shape, const tact_plane *plane, tact_pose body);

// Fills a planar shape, but for the members of a union, from a shape of a model that passes tact_plane_check. body: the pose of
// its body with all joint coordinates at 0. corner: room for tact_planar_corners.
void tact_planar_shape_make(tact_planar_shape *planar, const tact_shape *shape, const tact_plane *plane, tact_pose body,
                            tact_planar_corner *corner);

// Signed distance at a point, negative inside.
typedef struct {
    tact_real value;                           // [m]
    tact_vec2 gradient;                        // of length 1, but for smooth unions
    tact_sym2 hessian;                         // [1/m]
    tact_real by_size[TACT_PLANAR_SIZES];      // d(value)/d(size)
    tact_vec2 gradient_by[TACT_PLANAR_SIZES];  // d(gradient)/d(size) [1/m]
} tact_planar_distance;

// Of a point y in the body's axes. Where the nearest point is not unique a rule decides: the lowest edge or member; on a circle's
// centre +x, on a capsule's segment its right side. Closer than TACT_EPS metres to the corner that it turns about, the gradient
// is taken as constant.
tact_planar_distance tact_planar_distance_at(const tact_planar_shape *shape, tact_vec2 y);

// The value only.
tact_real tact_planar_value(const tact_planar_shape *shape, tact_vec2 y);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
