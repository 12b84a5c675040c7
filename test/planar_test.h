// SPDX-License-Identifier: MIT
// Random planar shapes, for the tests of distances and of virtual contacts.
#ifndef TACT_PLANAR_TEST_H
#define TACT_PLANAR_TEST_H

#include "test.h"

#include <tact/manifold.h>

#define IN_DOUBLE (sizeof(tact_real) == sizeof(double))
#define PICK(in_double, in_float) (IN_DOUBLE ? (in_double) : (in_float))

enum {
    KIND_CIRCLE,
    KIND_RECTANGLE,
    KIND_ROUNDED,
    KIND_CAPSULE,
    KIND_POLYGON,
    KIND_SMOOTHED_POLYGON,
    KIND_HALFPLANE,
    KIND_UNION,
    KIND_SMOOTH_UNION,
    KINDS
};

static const char *const kind_names[] = {"circle",     "rectangle", "rounded rectangle", "capsule", "polygon", "rounded polygon",
                                         "half-plane", "union",     "smooth union"};

// a shape with all that it points to
typedef struct {
    tact_shape part[3];
    tact_vec2 point[3][TACT_POLYGON_MAX];
    tact_planar_corner corner[3][TACT_POLYGON_MAX];
    tact_planar_shape planar[3];
    const tact_planar_shape *member[2];
    tact_shape whole;
    tact_planar_shape shape;
    int parts;
} test_shape;

static const tact_plane test_plane = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, 0};

static inline tact_pose test_turned(double angle, double x, double y) {
    tact_pose pose = tact_pose_identity();
    pose.R.m[0][0] = pose.R.m[1][1] = (tact_real)cos(angle);
    pose.R.m[1][0] = (tact_real)sin(angle);
    pose.R.m[0][1] = -pose.R.m[1][0];
    pose.p = tact_vec3_make((tact_real)x, (tact_real)y, 0);
    return pose;
}

// a convex polygon of 3 to 8 points on a circle
static inline int test_polygon(uint64_t *seed, tact_vec2 *point) {
    int count = 3 + (int)test_random(seed, 0, 6);
    for (int i = 0; i < count; i++) {
        double angle = 6.283185307179586 * (i + test_random(seed, -0.3, 0.3)) / count;
        point[i] = tact_vec2_make((tact_real)cos(angle), (tact_real)sin(angle));
    }
    return count;
}

static inline void test_part(uint64_t *seed, int kind, double scale, tact_shape *shape, tact_vec2 *point) {
    double a = test_random(seed, 0.3, 1) * scale, b = test_random(seed, 0.3, 1) * scale, least = a < b ? a : b;
    *shape = (tact_shape){.body = 0, .type = TACT_SHAPE_CIRCLE};
    shape->place = test_turned(test_random(seed, -3, 3), test_random(seed, -0.3, 0.3), test_random(seed, -0.3, 0.3));
    shape->size[0] = (tact_real)a;
    shape->size[1] = (tact_real)b;
    if (kind == KIND_RECTANGLE || kind == KIND_ROUNDED) shape->type = TACT_SHAPE_RECTANGLE;
    if (kind == KIND_ROUNDED) shape->size[2] = (tact_real)(least * test_random(seed, 0.1, 0.9));
    if (kind == KIND_HALFPLANE) shape->type = TACT_SHAPE_HALFPLANE;
    if (kind == KIND_CAPSULE) {
        shape->type = TACT_SHAPE_CAPSULE;
        // its axis is z: laid down along x, and turned in the plane
        tact_mat3 lie = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
        shape->place.R = tact_mat3_multiply(shape->place.R, lie);
        shape->size[0] /= 2;
    }
    if (kind == KIND_POLYGON || kind == KIND_SMOOTHED_POLYGON) {
        shape->type = TACT_SHAPE_POLYGON;
        shape->count = test_polygon(seed, point);
        shape->point = point;
        shape->size[1] = kind == KIND_POLYGON ? 0 : (tact_real)(a * test_random(seed, 0.02, 0.08));
    }
}

// makes the planar shapes anew: after the sizes were changed
static inline void test_make(test_shape *t) {
    tact_pose body = tact_pose_identity();
    for (int i = 0; i < t->parts; i++) tact_planar_shape_make(&t->planar[i], &t->part[i], &test_plane, body, t->corner[i]);
    if (t->parts == 1) {
        t->shape = t->planar[0];
        return;
    }
    tact_planar_shape_make(&t->shape, &t->whole, &test_plane, body, NULL);
    t->member[0] = &t->planar[0];
    t->member[1] = &t->planar[1];
    t->shape.member = t->member;
    t->shape.count = 2;
    t->shape.reach = 2;
}

static inline void test_shape_make(uint64_t *seed, int kind, test_shape *t) {
    *t = (test_shape){.parts = 1};
    if (kind == KIND_UNION || kind == KIND_SMOOTH_UNION) {
        t->parts = 2;
        test_part(seed, KIND_CIRCLE, 0.6, &t->part[0], t->point[0]);
        test_part(seed, kind == KIND_UNION ? KIND_SMOOTHED_POLYGON : KIND_CAPSULE, 0.8, &t->part[1], t->point[1]);
        t->whole.type = kind == KIND_UNION ? TACT_SHAPE_UNION : TACT_SHAPE_SMOOTH_UNION;
        t->whole.place = tact_pose_identity();
        t->whole.size[0] = kind == KIND_UNION ? 0 : TACT_REAL(0.1);
    } else {
        test_part(seed, kind, 1, &t->part[0], t->point[0]);
    }
    test_make(t);
}

// the tact_shape whose sizes the planar shape depends on
static inline tact_shape *test_sized(test_shape *t) {
    return t->parts == 1 ? &t->part[0] : &t->whole;
}

static inline tact_planar_pose test_pose(double x, double y, double angle) {
    tact_planar_pose pose = {{(tact_real)x, (tact_real)y}, {(tact_real)cos(angle), (tact_real)sin(angle)}};
    return pose;
}

static uint64_t seed;

static inline double uniform(double low, double high) {
    return test_random(&seed, low, high);
}

#endif
