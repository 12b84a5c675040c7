// SPDX-License-Identifier: MIT
// Distances of planar shapes: against all segments of the core one by one, against known forms, and their derivatives against
// difference quotients.
#include "planar_test.h"

#include <tact/geom.h>

static tact_vec2 random_point(double range) {
    return tact_vec2_make((tact_real)uniform(-range, range), (tact_real)uniform(-range, range));
}

// ---- values

static double segment_distance(tact_vec2 a, tact_vec2 b, tact_vec2 y) {
    double ex = (double)(b.x - a.x), ey = (double)(b.y - a.y), square = ex * ex + ey * ey;
    double u = square > 0 ? ((double)(y.x - a.x) * ex + (double)(y.y - a.y) * ey) / square : 0;
    u = fmin(fmax(u, 0), 1);
    return hypot((double)(y.x - a.x) - u * ex, (double)(y.y - a.y) - u * ey);
}

// by crossings of a ray, whatever the order of the points
static bool is_inside(const tact_planar_shape *shape, tact_vec2 y) {
    bool inside = false;
    for (int i = 0; i < shape->count; i++) {
        tact_vec2 a = shape->corner[i].point, b = shape->corner[(i + 1) % shape->count].point;
        if ((a.y > y.y) != (b.y > y.y) && y.x < a.x + (y.y - a.y) / (b.y - a.y) * (b.x - a.x)) inside = !inside;
    }
    return inside;
}

static double plain_value(const tact_planar_shape *shape, tact_vec2 y) {
    double least = 1e30;
    if (shape->kind == TACT_PLANAR_HALFPLANE)
        return (double)tact_vec2_dot(shape->corner[0].normal, tact_vec2_sub(y, shape->corner[0].point));
    for (int i = 0; i < shape->count; i++)
        least = fmin(least, segment_distance(shape->corner[i].point, shape->corner[(i + 1) % shape->count].point, y));
    return (shape->count > 2 && is_inside(shape, y) ? -least : least) - (double)shape->radius;
}

static double slow_value(const tact_planar_shape *shape, tact_vec2 y) {
    if (shape->kind == TACT_PLANAR_CORE || shape->kind == TACT_PLANAR_HALFPLANE) return plain_value(shape, y);
    double least = 1e30, sum = 0;
    for (int k = 0; k < shape->count; k++) least = fmin(least, plain_value(shape->member[k], y));
    if (shape->kind == TACT_PLANAR_UNION) return least;
    for (int k = 0; k < shape->count; k++) sum += exp((least - plain_value(shape->member[k], y)) / (double)shape->temperature);
    return least - (double)shape->temperature * log(sum);
}

static void test_values(void) {
    for (int n = 0; n < 300; n++) {
        test_shape t;
        test_shape_make(&seed, n % KINDS, &t);
        for (int k = 0; k < 50; k++) {
            tact_vec2 y = random_point(2);
            tact_planar_distance d = tact_planar_distance_at(&t.shape, y);
            CHECK_CLOSE(d.value, slow_value(&t.shape, y), 64 * TACT_EPS);
            CHECK_CLOSE(tact_planar_value(&t.shape, y), d.value, 4 * TACT_EPS);
            if (n % KINDS == KIND_SMOOTH_UNION) {
                CHECK(tact_vec2_dot(d.gradient, d.gradient) <= 1 + 8 * TACT_EPS);
            } else {
                CHECK_CLOSE(tact_vec2_dot(d.gradient, d.gradient), 1, 8 * TACT_EPS);
            }
        }
    }
}

// The corner radius lies within the polygon: its edges stay where they are, its corners are cut back by r (1/cos(half turn) - 1).
static void test_rounding(void) {
    for (int n = 0; n < 100; n++) {
        test_shape t;
        test_shape_make(&seed, KIND_SMOOTHED_POLYGON, &t);
        const tact_shape *s = &t.part[0];
        for (int i = 0; i < s->count; i++) {
            tact_vec2 a = s->point[i], b = s->point[(i + 1) % s->count], c = s->point[(i + 2) % s->count];
            tact_vec3 middle = {(a.x + b.x) / 2 * s->size[0], (a.y + b.y) / 2 * s->size[0], 0};
            tact_vec3 point = {b.x * s->size[0], b.y * s->size[0], 0};
            tact_vec3 on = tact_pose_apply(s->place, middle), corner = tact_pose_apply(s->place, point);
            double turn = atan2((double)(c.y - b.y), (double)(c.x - b.x)) - atan2((double)(b.y - a.y), (double)(b.x - a.x));
            double cut = (double)s->size[1] * (1 / fabs(cos(turn / 2)) - 1);
            CHECK_CLOSE(tact_planar_value(&t.shape, tact_vec2_make(on.x, on.y)), 0, 32 * TACT_EPS);
            CHECK_CLOSE(tact_planar_value(&t.shape, tact_vec2_make(corner.x, corner.y)), cut, 64 * TACT_EPS);
        }
    }
}

// In three dimensions planar shapes are prisms, and a circle is a sphere.
static void test_prisms(void) {
    for (int n = 0; n < 600; n++) {
        test_shape t;
        int kind = n % (KIND_HALFPLANE + 1);
        if (kind == KIND_CAPSULE) continue;
        test_shape_make(&seed, kind, &t);
        const tact_shape *s = &t.part[0];
        tact_vec3 x = {(tact_real)uniform(-2, 2), (tact_real)uniform(-2, 2), kind == KIND_CIRCLE ? 0 : (tact_real)uniform(-2, 2)};
        tact_vec3 seen = tact_pose_apply(s->place, x);
        tact_distance d = tact_shape_distance(s, x);
        tact_planar_distance p = tact_planar_distance_at(&t.shape, tact_vec2_make(seen.x, seen.y));
        tact_vec3 turned = tact_mat3_apply(s->place.R, d.gradient);
        CHECK_CLOSE(d.value, p.value, 64 * TACT_EPS);
        CHECK_CLOSE(turned.x * p.gradient.x + turned.y * p.gradient.y, 1, 64 * TACT_EPS);
        CHECK(turned.z == 0);
        tact_mat3 H = tact_shape_hessian(s, x);
        tact_real across = p.hessian.xx + p.hessian.yy;
        CHECK_CLOSE(H.m[0][0] + H.m[1][1], across, PICK(1e-10, 1e-2));
        CHECK_CLOSE(H.m[2][2], kind == KIND_CIRCLE ? across : 0, PICK(1e-10, 1e-2));
    }
}

// ---- derivatives

typedef struct {
    double value, gx, gy;
} sample;

static sample sample_at(test_shape *t, tact_vec2 y) {
    tact_planar_distance d = tact_planar_distance_at(&t->shape, y);
    return (sample){(double)d.value, (double)d.gradient.x, (double)d.gradient.y};
}

// fourth order; bad becomes true where halving the step changes the quotient, at a kink
static sample quotient(test_shape *t, tact_vec2 y, int direction, int size, bool *bad) {
    sample result = {0, 0, 0}, before = {0, 0, 0};
    for (int round = 0; round < 2; round++) {
        const double h = round ? 1e-4 : 2e-4, weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, at[4] = {-2, -1, 1, 2};
        before = result;
        result = (sample){0, 0, 0};
        for (int k = 0; k < 4; k++) {
            tact_vec2 moved = y;
            tact_shape *sized = test_sized(t);
            tact_real *x = size >= 0 ? &sized->size[size] : direction ? &moved.y : &moved.x, kept = *x;
            *x = (tact_real)((double)kept + at[k] * h);
            if (size >= 0) test_make(t);
            sample s = sample_at(t, moved);
            *x = kept;
            if (size >= 0) test_make(t);
            result.value += weights[k] / h * s.value;
            result.gx += weights[k] / h * s.gx;
            result.gy += weights[k] / h * s.gy;
        }
    }
    double change = fabs(result.value - before.value) + fabs(result.gx - before.gx) + fabs(result.gy - before.gy);
    *bad = *bad || change > 1e-6;
    return result;
}

static void test_derivatives(void) {
    int kinks = 0, checks = 0;
    if (!IN_DOUBLE) return;
    for (int n = 0; n < 100 * KINDS; n++) {
        test_shape t;
        test_shape_make(&seed, n % KINDS, &t);
        for (int k = 0; k < 5; k++) {
            tact_vec2 y = random_point(1.5);
            tact_planar_distance d = tact_planar_distance_at(&t.shape, y);
            bool bad = false;
            sample x = quotient(&t, y, 0, -1, &bad), z = quotient(&t, y, 1, -1, &bad), s[TACT_PLANAR_SIZES];
            for (int i = 0; i < t.shape.nsize; i++) s[i] = quotient(&t, y, 0, t.shape.size[i], &bad);
            checks++;
            kinks += bad;
            if (bad) continue;
            const double tolerance = 1e-8;
            CHECK_CLOSE(d.gradient.x, x.value, tolerance);
            CHECK_CLOSE(d.gradient.y, z.value, tolerance);
            CHECK_CLOSE(d.hessian.xx, x.gx, tolerance);
            CHECK_CLOSE(d.hessian.xy, x.gy, tolerance);
            CHECK_CLOSE(d.hessian.xy, z.gx, tolerance);
            CHECK_CLOSE(d.hessian.yy, z.gy, tolerance);
            for (int i = 0; i < t.shape.nsize; i++) {
                CHECK_CLOSE(d.by_size[i], s[i].value, tolerance);
                CHECK_CLOSE(d.gradient_by[i].x, s[i].gx, tolerance);
                CHECK_CLOSE(d.gradient_by[i].y, s[i].gy, tolerance);
            }
        }
    }
    printf("%d of %d at kinks\n", kinks, checks);
    CHECK(kinks < checks / 20);
}

// ---- solid shapes seen along the normal

static void check_seen(tact_shape solid, tact_shape flat, const tact_plane *plane) {
    tact_planar_corner a[8], b[8];
    tact_planar_shape from, to;
    tact_pose body = test_turned(0.7, 0.2, -0.1);
    tact_planar_shape_make(&from, &solid, plane, body, a);
    tact_planar_shape_make(&to, &flat, plane, body, b);
    for (int k = 0; k < 50; k++) {
        tact_vec2 y = random_point(3);
        CHECK_CLOSE(tact_planar_value(&from, y), tact_planar_value(&to, y), 32 * TACT_EPS);
    }
}

static void test_silhouettes(void) {
    const tact_mat3 stand = {{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}}, lie = {{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
    tact_shape box = {.type = TACT_SHAPE_BOX, .place = test_turned(0.3, 1, 2), .size = {1, 2, 3, TACT_REAL(0.5)}};
    tact_shape rectangle = {.type = TACT_SHAPE_RECTANGLE, .place = box.place, .size = {1, 2, TACT_REAL(0.5)}};
    check_seen(box, rectangle, &test_plane);
    // the box on its side: x and z are seen
    box.place.R = tact_mat3_multiply(box.place.R, stand);
    rectangle.size[1] = 3;
    check_seen(box, rectangle, &test_plane);
    tact_shape can = {.type = TACT_SHAPE_CYLINDER, .place = test_turned(0.3, 1, 2), .size = {1, 2}};
    tact_shape circle = {.type = TACT_SHAPE_CIRCLE, .place = can.place, .size = {1}};
    check_seen(can, circle, &test_plane);
    can.place.R = tact_mat3_multiply(can.place.R, lie);
    rectangle = (tact_shape){.type = TACT_SHAPE_RECTANGLE, .place = test_turned(0.3, 1, 2), .size = {2, 1}};
    check_seen(can, rectangle, &test_plane);
    tact_shape pill = {.type = TACT_SHAPE_CAPSULE, .place = can.place, .size = {1, 2}};
    rectangle.size[0] = 3;
    rectangle.size[2] = 1;
    check_seen(pill, rectangle, &test_plane);
    tact_shape ground = {.type = TACT_SHAPE_PLANE, .place = test_turned(0.3, 1, 2)};
    tact_shape half = {.type = TACT_SHAPE_HALFPLANE, .place = ground.place};
    tact_mat3 up = {{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}}};
    ground.place.R = tact_mat3_multiply(ground.place.R, up);
    check_seen(ground, half, &test_plane);
    // a polygon seen from behind
    static const tact_vec2 points[4] = {{0, 0}, {2, 0}, {1, 1}, {0, 1}};
    tact_shape front = {
        .type = TACT_SHAPE_POLYGON, .place = tact_pose_identity(), .size = {1, TACT_REAL(0.1)}, .count = 4, .point = points};
    tact_planar_corner corner[4];
    tact_planar_shape seen;
    tact_plane behind = {{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}, 0};
    tact_planar_shape_make(&seen, &front, &behind, tact_pose_identity(), corner);
    for (int k = 0; k < 100; k++) {
        tact_vec2 y = random_point(3);
        CHECK_CLOSE(tact_planar_value(&seen, y), tact_shape_distance(&front, tact_vec3_make(-y.x, y.y, 0)).value, 32 * TACT_EPS);
        CHECK_CLOSE(tact_planar_value(&seen, y), plain_value(&seen, y), 32 * TACT_EPS);
    }
}

// ---- the plane of a model

static tact_model one_body(tact_body *body, tact_shape *shape, tact_joint_type joint) {
    *body = (tact_body){.parent = TACT_WORLD, .joint = joint, .place = tact_pose_identity(), .axis = {0, 0, 1}, .ratio = 1};
    return (tact_model){.nbody = 1, .nshape = shape ? 1 : 0, .body = body, .shape = shape};
}

static void check_plane(tact_model model, tact_vec3 z) {
    tact_plane plane = tact_plane_find(&model);
    tact_vec3 made = tact_vec3_cross(plane.x, plane.y);
    CHECK_CLOSE(tact_vec3_dot(plane.z, z), 1, 8 * TACT_EPS);
    CHECK_CLOSE(tact_vec3_dot(plane.z, made), 1, 8 * TACT_EPS);
}

static void test_plane_of(void) {
    tact_body body;
    tact_shape ball = {.body = 0, .type = TACT_SHAPE_SPHERE, .place = tact_pose_identity(), .size = {1}}, disc = ball;
    const tact_mat3 stand = {{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    disc.type = TACT_SHAPE_CIRCLE;
    check_plane(one_body(&body, &ball, TACT_JOINT_PLANAR), tact_vec3_make(0, 0, 1));
    check_plane(one_body(&body, &ball, TACT_JOINT_TRANSLATION), tact_vec3_make(0, -1, 0));
    check_plane(one_body(&body, &disc, TACT_JOINT_TRANSLATION), tact_vec3_make(0, 0, 1));
    check_plane(one_body(&body, &ball, TACT_JOINT_REVOLUTE), tact_vec3_make(0, 0, 1));
    tact_model model = one_body(&body, &disc, TACT_JOINT_PLANAR);
    body.place.R = stand;
    check_plane(model, tact_vec3_make(0, -1, 0));

    tact_plane plane = tact_plane_find(&model);
    CHECK(plane.x.x == 1 && plane.y.z == 1);
    CHECK(!tact_plane_check(&model, &plane).field);
    CHECK_TEXT(tact_plane_check(&model, &test_plane).field, "body.joint");
    model = one_body(&body, &disc, TACT_JOINT_FREE);
    CHECK_TEXT(tact_plane_check(&model, &test_plane).field, "body.joint");
    model = one_body(&body, &disc, TACT_JOINT_PRISMATIC);
    CHECK_TEXT(tact_plane_check(&model, &test_plane).field, "body.joint");
    body.axis = tact_vec3_make(1, 0, 0);
    CHECK(!tact_plane_check(&model, &test_plane).field);
    disc.type = TACT_SHAPE_ELLIPSOID;
    CHECK_TEXT(tact_plane_check(&model, &test_plane).field, "shape.type");
    disc.type = TACT_SHAPE_BOX;
    CHECK(!tact_plane_check(&model, &test_plane).field);
    const tact_mat3 tilt = {{{1, 0, 0}, {0, TACT_REAL(0.8), TACT_REAL(-0.6)}, {0, TACT_REAL(0.6), TACT_REAL(0.8)}}};
    disc.place.R = tilt;
    CHECK_TEXT(tact_plane_check(&model, &test_plane).field, "shape.place");
}

int main(void) {
    seed = test_seed(20260607);
    test_values();
    test_rounding();
    test_prisms();
    test_derivatives();
    test_silhouettes();
    test_plane_of();
    return test_end("planar");
}
