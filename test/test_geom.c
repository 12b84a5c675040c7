// SPDX-License-Identifier: MIT
// Signed distances against a search over the surface, gradients and Hessians against difference quotients, the rules for
// degenerate points, huge and tiny coordinates, symmetries.
#include "tact/geom.h"

#include "vector_test.h"

static tact_shape shape_of(tact_shape_type type, double a, double b, double c, double d) {
    tact_shape shape = {.body = TACT_WORLD, .type = type, .place = tact_pose_identity()};
    const double size[4] = {a, b, c, d};
    for (int i = 0; i < 4; i++) shape.size[i] = (tact_real)size[i];
    return shape;
}

static const tact_shape shapes[] = {
    {.type = TACT_SHAPE_SPHERE, .size = {TACT_REAL(0.7)}},
    {.type = TACT_SHAPE_CAPSULE, .size = {TACT_REAL(0.5), TACT_REAL(0.6)}},
    {.type = TACT_SHAPE_BOX, .size = {TACT_REAL(0.9), TACT_REAL(0.7), TACT_REAL(0.8), 0}},
    {.type = TACT_SHAPE_BOX, .size = {TACT_REAL(0.9), TACT_REAL(0.7), TACT_REAL(0.8), TACT_REAL(0.25)}},
    {.type = TACT_SHAPE_CYLINDER, .size = {TACT_REAL(0.7), TACT_REAL(0.6)}},
    {.type = TACT_SHAPE_ELLIPSOID, .size = {TACT_REAL(0.9), TACT_REAL(0.5), TACT_REAL(0.7)}},
    {.type = TACT_SHAPE_PLANE},
};
enum { NSHAPE = sizeof shapes / sizeof shapes[0], NSOLID = NSHAPE - 1 };

// ---- the reference: membership from the definition, and a search over the surface, patch by patch

static int inside(const tact_shape *shape, const double x[3]) {
    double a = (double)shape->size[0], b = (double)shape->size[1], square = 0;
    if (shape->type == TACT_SHAPE_PLANE) return x[2] <= 0;
    if (shape->type == TACT_SHAPE_CYLINDER) return x[0] * x[0] + x[1] * x[1] <= a * a && fabs(x[2]) <= b;
    for (int i = 0; i < 3; i++) {
        double r = (double)shape->size[3], half = (double)shape->size[i] - r, over = 0;
        if (shape->type == TACT_SHAPE_SPHERE) over = x[i] / a;
        if (shape->type == TACT_SHAPE_CAPSULE) over = fmax(fabs(x[i]) - (i == 2 ? b : 0), 0) / a;
        if (shape->type == TACT_SHAPE_ELLIPSOID) over = x[i] / (double)shape->size[i];
        if (shape->type == TACT_SHAPE_BOX && fabs(x[i]) > half) over = r > 0 ? (fabs(x[i]) - half) / r : 2;
        square += over * over;
    }
    return square <= 1;
}

static int patch_count(const tact_shape *shape) {
    static const int count[] = {[TACT_SHAPE_SPHERE] = 1,   [TACT_SHAPE_CAPSULE] = 3,   [TACT_SHAPE_BOX] = 26,
                                [TACT_SHAPE_CYLINDER] = 3, [TACT_SHAPE_ELLIPSOID] = 1, [TACT_SHAPE_PLANE] = 0};
    return count[shape->type];
}

// a face, edge or corner of the core, moved out by the corner radius; u and v are the two freedoms that it has
static void box_surface(const tact_shape *shape, int patch, double u, double v, double p[3]) {
    int code = patch < 13 ? patch : patch + 1, side[3] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
    double r = (double)shape->size[3], free_part[2] = {u, v}, out[3] = {0}, rest = 1;
    int at = 0;
    for (int i = 0; i < 3; i++) {
        double half = (double)shape->size[i] - r;
        if (side[i] == 0)
            p[i] = (2 * free_part[at++] - 1) * half;
        else
            p[i] = side[i] * half;
    }
    // the direction: an angle for every axis beyond the first that is at an end
    for (int i = 0, left = 3 - at; i < 3; i++) {
        if (side[i] == 0) continue;
        double angle = --left > 0 ? free_part[at++] * 1.5707963267948966 : 0;
        out[i] = side[i] * rest * cos(angle);
        rest *= sin(angle);
    }
    for (int i = 0; i < 3; i++) p[i] += r * out[i];
}

static void surface(const tact_shape *shape, int patch, double u, double v, double p[3]) {
    double a = (double)shape->size[0], b = (double)shape->size[1];
    double turn = v * 6.283185307179586, tilt = u * 3.141592653589793;
    if (shape->type == TACT_SHAPE_BOX) {
        box_surface(shape, patch, u, v, p);
        return;
    }
    double radius = sin(tilt), z = cos(tilt);
    if (shape->type == TACT_SHAPE_CAPSULE) {
        radius = patch == 0 ? a : a * sin(tilt / 2);
        z = patch == 0 ? (2 * u - 1) * b : (patch == 1 ? 1 : -1) * (b + a * cos(tilt / 2));
    } else if (shape->type == TACT_SHAPE_CYLINDER) {
        radius = patch == 0 ? a : a * u;
        z = patch == 0 ? (2 * u - 1) * b : (patch == 1 ? b : -b);
    } else if (shape->type == TACT_SHAPE_SPHERE) {
        radius *= a;
        z *= a;
    }
    int ellipsoid = shape->type == TACT_SHAPE_ELLIPSOID;
    p[0] = radius * cos(turn) * (ellipsoid ? a : 1);
    p[1] = radius * sin(turn) * (ellipsoid ? b : 1);
    p[2] = z * (ellipsoid ? (double)shape->size[2] : 1);
}

static double distance_to(const tact_shape *shape, int patch, double u, double v, const double x[3]) {
    double p[3];
    surface(shape, patch, u, v, p);
    for (int i = 0; i < 3; i++) p[i] -= x[i];
    return norm_of(p);
}

// the least distance from x to the patch: the best of a grid in each quarter of it, then a compass search
static double nearest_on_patch(const tact_shape *shape, int patch, const double x[3]) {
    enum { GRID = 10 };
    double least = HUGE_VAL;
    for (int quarter = 0; quarter < 4; quarter++) {
        double u = 0, v = 0, best = HUGE_VAL, step = 0.5 / GRID;
        for (int k = 0; k <= GRID * GRID + 2 * GRID; k++) {
            double gu = (quarter % 2 * GRID + k % (GRID + 1)) * step, gv = (quarter / 2 * GRID + k / (GRID + 1)) * step;
            double d = distance_to(shape, patch, gu, gv, x);
            if (d < best) best = d, u = gu, v = gv;
        }
        while (step > 1e-14) {
            double bu = u, bv = v, before = best;
            for (int k = 0; k < 9; k++) {
                double gu = fmin(fmax(u + (k % 3 - 1) * step, 0), 1), gv = fmin(fmax(v + (k / 3 - 1) * step, 0), 1);
                double d = distance_to(shape, patch, gu, gv, x);
                if (d < best) best = d, bu = gu, bv = gv;
            }
            u = bu, v = bv;
            if (best >= before) step /= 2;
        }
        least = fmin(least, best);
    }
    return least;
}

// value is the least distance with the right sign, and x - value gradient is a point of the surface: then it is the nearest
static void check_against_search(const tact_shape *shape, tact_vec3 point) {
    const double tolerance = PICK(1e-12, 1e-6), nudge = PICK(1e-9, 1e-5);
    tact_distance d = tact_shape_distance(shape, point);
    double x[3], g[3], in[3], out[3], least = HUGE_VAL;
    spread(point, x);
    spread(d.gradient, g);
    for (int patch = 0; patch < patch_count(shape); patch++) least = fmin(least, nearest_on_patch(shape, patch, x));
    CHECK_CLOSE(fabs((double)d.value), least, tolerance);
    CHECK(least < 1e-6 || (d.value < 0) == inside(shape, x));
    CHECK_CLOSE(norm_of(g), 1, 3 * (double)TACT_EPS);
    for (int i = 0; i < 3; i++) {
        in[i] = x[i] - ((double)d.value + nudge) * g[i];
        out[i] = x[i] - ((double)d.value - nudge) * g[i];
    }
    CHECK(inside(shape, in) && !inside(shape, out));
}

static void test_search(void) {
    for (int s = 0; s < NSOLID; s++) {
        for (int k = 0; k < 100; k++) check_against_search(&shapes[s], random_vec(1.6));
        // planes of symmetry, axes, and the core's or the edges' own coordinates
        for (int k = 0; k < 60; k++) {
            const double special[4] = {0, uniform(-1, 1), PICK(0.65, (double)0.65f), -(double)shapes[s].size[k % 3]};
            check_against_search(&shapes[s], vec(special[k % 4], special[k / 4 % 4], special[(k / 16 + 3) % 4]));
        }
    }
}

// ---- derivatives

// which smooth piece a point belongs to, and how far it is from the nearest other piece or from where the gradient jumps
static int region_of(const tact_shape *shape, const double x[3], double *clear) {
    double a = (double)shape->size[0], b = (double)shape->size[1], r = hypot(x[0], x[1]), top = -1, second = -1, deep = 0;
    int beyond = 0;
    *clear = 1;
    switch (shape->type) {
    case TACT_SHAPE_PLANE: return 0;
    case TACT_SHAPE_SPHERE: *clear = norm_of(x); return 0;
    case TACT_SHAPE_CAPSULE: *clear = fmin(r, fabs(fabs(x[2]) - b)); return fabs(x[2]) > b;
    case TACT_SHAPE_ELLIPSOID: return inside(shape, x);
    case TACT_SHAPE_CYLINDER:
        *clear = fmin(fmin(r, fabs(x[2])), fmin(fabs(r - a), fabs(fabs(x[2]) - b)));
        if (inside(shape, x)) *clear = fmin(*clear, fabs((r - a) - (fabs(x[2]) - b)));
        if (inside(shape, x)) return r - a > fabs(x[2]) - b ? 0 : 1;
        return fabs(x[2]) <= b ? 2 : r <= a ? 3 : 4;
    case TACT_SHAPE_BOX: break;
    // see test_planar
    case TACT_SHAPE_CIRCLE:
    case TACT_SHAPE_RECTANGLE:
    case TACT_SHAPE_POLYGON:
    case TACT_SHAPE_HALFPLANE:
    case TACT_SHAPE_UNION:
    case TACT_SHAPE_SMOOTH_UNION:
    // see test_hull, test_grid
    case TACT_SHAPE_HULL:
    case TACT_SHAPE_GRID: return 0;
    }
    for (int i = 0; i < 3; i++) {
        double over = fabs(x[i]) - ((double)shape->size[i] - (double)shape->size[3]);
        *clear = fmin(*clear, fabs(over));
        beyond += over > 0;
        if (over > top)
            second = top, top = over, deep = fabs(x[i]);
        else if (over > second)
            second = over;
    }
    if (!beyond) *clear = fmin(*clear, fmin(top - second, deep));
    return beyond;
}

static void check_derivatives(const tact_shape *shape, tact_vec3 x) {
    const double h = PICK(1e-5, 4e-3), gradient_tolerance = PICK(3e-8, 4e-3), hessian_tolerance = PICK(3e-7, 2e-2);
    tact_distance d = tact_shape_distance(shape, x);
    tact_mat3 H = tact_shape_hessian(shape, x);
    for (int i = 0; i < 3; i++) {
        tact_real below[3] = {x.x, x.y, x.z}, above[3] = {x.x, x.y, x.z};
        double g[3], g_below[3], g_above[3];
        above[i] += (tact_real)h;
        below[i] -= (tact_real)h;
        double width = (double)above[i] - (double)below[i];
        tact_distance da = tact_shape_distance(shape, tact_vec3_make(above[0], above[1], above[2]));
        tact_distance db = tact_shape_distance(shape, tact_vec3_make(below[0], below[1], below[2]));
        spread(d.gradient, g);
        spread(da.gradient, g_above);
        spread(db.gradient, g_below);
        CHECK_CLOSE(g[i], ((double)da.value - (double)db.value) / width, gradient_tolerance);
        for (int j = 0; j < 3; j++) {
            CHECK_CLOSE(H.m[j][i], (g_above[j] - g_below[j]) / width, hessian_tolerance);
            CHECK(H.m[j][i] == H.m[i][j]);
        }
        CHECK_CLOSE((double)H.m[i][0] * g[0] + (double)H.m[i][1] * g[1] + (double)H.m[i][2] * g[2], 0, 300 * (double)TACT_EPS);
    }
}

static void test_derivatives(void) {
    static const int regions[NSHAPE] = {1, 2, 4, 4, 5, 2, 1};
    for (int s = 0; s < NSHAPE; s++) {
        int seen[5] = {0};
        for (int k = 0; k < 4000; k++) {
            tact_vec3 point = random_vec(1.3);
            double x[3], clear;
            spread(point, x);
            int region = region_of(&shapes[s], x, &clear);
            tact_mat3 H = tact_shape_hessian(&shapes[s], point);
            // of an ellipsoid: clear of the centres of curvature and, inside, of the least half axis' middle plane
            double bend = shapes[s].type == TACT_SHAPE_ELLIPSOID ? (double)(H.m[0][0] + H.m[1][1] + H.m[2][2]) : 0;
            if (bend > 0) clear = fmin(0.5 / bend, region == 1 ? fabs(x[1]) : 1);
            if (clear < PICK(0.05, 0.12)) continue;
            check_derivatives(&shapes[s], point);
            seen[region]++;
        }
        for (int r = 0; r < regions[s]; r++) CHECK(seen[r] >= 20);
    }
}

// ---- where the rules decide

static void check_sane(const tact_shape *shape, tact_vec3 x) {
    tact_distance d = tact_shape_distance(shape, x);
    tact_mat3 H = tact_shape_hessian(shape, x);
    double g[3], at[3], largest = 0;
    spread(d.gradient, g);
    spread(x, at);
    CHECK_CLOSE(norm_of(g), 1, 4 * (double)TACT_EPS);
    for (int i = 0; i < 9; i++) CHECK(fabs((double)H.m[i / 3][i % 3]) <= 1 / (double)TACT_EPS);
    for (int i = 0; i < 3; i++) largest = fmax(largest, fabs(at[i]));
    // far away every solid is a point, whose distance hypot finds without overflow
    double length = hypot(hypot(at[0], at[1]), at[2]);
    if (largest > 1e20 && shape->type != TACT_SHAPE_PLANE) CHECK_CLOSE((double)d.value / length, 1, 4 * (double)TACT_EPS);
    CHECK(isfinite(d.value));
}

static void check_rule(tact_shape shape, tact_vec3 x, double value, tact_vec3 gradient, bool degenerate) {
    tact_distance d = tact_shape_distance(&shape, x);
    int same = d.gradient.x == gradient.x && d.gradient.y == gradient.y && d.gradient.z == gradient.z;
    if (!same)
        printf("type %d at %g %g %g: gradient %g %g %g\n", (int)shape.type, (double)x.x, (double)x.y, (double)x.z,
               (double)d.gradient.x, (double)d.gradient.y, (double)d.gradient.z);
    CHECK(same);
    CHECK(d.degenerate == degenerate);
    CHECK_CLOSE(d.value, value, 2 * TACT_EPS);
    check_sane(&shape, x);
}

static const tact_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1}, O = {0, 0, 0};

static void test_rules_round(void) {
    tact_shape ball = shape_of(TACT_SHAPE_SPHERE, 0.5, 0, 0, 0), dot = shape_of(TACT_SHAPE_SPHERE, 0, 0, 0, 0);
    check_rule(ball, O, -0.5, Z, true);
    check_rule(ball, vec(-0.0, -0.0, -0.0), -0.5, Z, true);
    check_rule(ball, vec(0, -0.25, 0), -0.25, vec(0, -1, 0), false);
    check_rule(dot, O, 0, Z, true);
    check_rule(dot, vec(0, 0, -3), 3, vec(0, 0, -1), false);
    check_rule(shape_of(TACT_SHAPE_PLANE, 0, 0, 0, 0), vec(4, -3, -2), -2, Z, false);

    tact_shape pill = shape_of(TACT_SHAPE_CAPSULE, 0.25, 0.5, 0, 0);
    check_rule(pill, O, -0.25, X, true);
    check_rule(pill, vec(0, 0, 0.5), -0.25, X, true);
    check_rule(pill, vec(0, 0, -0.5), -0.25, X, true);
    check_rule(pill, vec(0, 0, 0.625), -0.125, Z, false);
    check_rule(shape_of(TACT_SHAPE_CAPSULE, 0.25, 0, 0, 0), O, -0.25, X, true);
}

static void test_rules_box(void) {
    tact_shape cube = shape_of(TACT_SHAPE_BOX, 1, 1, 1, 0), slab = shape_of(TACT_SHAPE_BOX, 3, 1, 2, 0);
    check_rule(cube, O, -1, X, true);
    check_rule(cube, vec(-0.0, 0.5, -0.5), -0.5, Y, true);
    check_rule(cube, vec(-0.5, 0.5, 0), -0.5, vec(-1, 0, 0), true);
    check_rule(cube, vec(0, 0, -0.5), -0.5, vec(0, 0, -1), false);
    check_rule(cube, vec(1, 0.25, 0), 0, X, false);
    check_rule(cube, vec(-1, 1, 0), 0, vec(-1, 0, 0), true);
    check_rule(cube, vec(0.25, -1, 1), 0, vec(0, -1, 0), true);
    check_rule(cube, vec(-1, -1, -1), 0, vec(-1, 0, 0), true);
    check_rule(cube, vec(1.5, 0, 0), 0.5, X, false);
    check_rule(slab, O, -1, Y, true);
    tact_distance beside_edge = tact_shape_distance(&cube, vec(1.5, -1.5, 0));
    CHECK(!beside_edge.degenerate);
    CHECK_CLOSE(beside_edge.value, sqrt(0.5), TACT_EPS);
    check_rule(slab, vec(2.5, 0, 0), -0.5, X, false);

    tact_shape rounded = shape_of(TACT_SHAPE_BOX, 1, 1, 1, 0.5), bead = shape_of(TACT_SHAPE_BOX, 1, 1, 1, 1);
    check_rule(rounded, O, -1, X, true);
    check_rule(rounded, vec(0.25, -0.5, 0), -0.5, vec(0, -1, 0), false);
    check_rule(rounded, vec(0.5, 0.5, 0.5), -0.5, X, true);
    check_rule(rounded, vec(0, 0, -0.75), -0.25, vec(0, 0, -1), false);
    check_rule(bead, O, -1, X, true);
    check_rule(shape_of(TACT_SHAPE_BOX, 1, 1, 2, 1), vec(0, 0, 0.5), -1, X, true);
    check_rule(shape_of(TACT_SHAPE_BOX, 0, 0, 0, 0), O, 0, X, true);
}

static void test_rules_other(void) {
    tact_shape can = shape_of(TACT_SHAPE_CYLINDER, 1, 2, 0, 0), coin = shape_of(TACT_SHAPE_CYLINDER, 2, 1, 0, 0);
    check_rule(can, O, -1, X, true);
    check_rule(coin, O, -1, Z, true);
    check_rule(coin, vec(0, 0, -0.5), -0.5, vec(0, 0, -1), false);
    check_rule(can, vec(0, 0, 1), -1, X, true);
    check_rule(can, vec(0, -0.5, 1.5), -0.5, vec(0, -1, 0), true);
    check_rule(can, vec(0, 0, 3), 1, Z, false);
    check_rule(can, vec(0, 1, -2), 0, Y, true);
    check_rule(can, vec(0, 1, 0.5), 0, Y, false);
    check_rule(can, vec(0.5, 0, -2), 0, vec(0, 0, -1), false);
    check_rule(shape_of(TACT_SHAPE_CYLINDER, 0, 0, 0, 0), O, 0, X, true);

    tact_shape egg = shape_of(TACT_SHAPE_ELLIPSOID, 1, 2, 1, 0), pebble = shape_of(TACT_SHAPE_ELLIPSOID, 3, 2, 1, 0);
    check_rule(egg, O, -1, X, true);
    check_rule(pebble, O, -1, Z, true);
    check_rule(pebble, vec(0, 0, -0.0), -1, Z, true);
    check_rule(pebble, vec(0, 0, -0.5), -0.5, vec(0, 0, -1), false);
    check_rule(pebble, vec(-2.75, 0, 0), -0.25, vec(-1, 0, 0), false);
    check_rule(pebble, vec(0, -2, 0), 0, vec(0, -1, 0), false);
    check_rule(shape_of(TACT_SHAPE_ELLIPSOID, 1, 1, 0, 0), O, 0, Z, true);
    check_rule(shape_of(TACT_SHAPE_ELLIPSOID, 0, 0, 0, 0), O, 0, X, true);
    check_rule(shape_of(TACT_SHAPE_ELLIPSOID, 1, 1, 1, 0), O, -1, X, true);
}

// ---- sizes of numbers, symmetry, one shape as another

static double any_magnitude(void) {
    double magnitude = pow(10, uniform(PICK(-320, -44), PICK(150, 37)));
    return uniform(0, 1) < 0.1 ? 0 : uniform(-1, 1) < 0 ? -magnitude : magnitude;
}

static void test_magnitudes(void) {
    for (int s = 0; s < NSHAPE; s++) {
        for (int k = 0; k < 2000; k++) {
            double x = any_magnitude(), y = any_magnitude(), z = any_magnitude();
            check_sane(&shapes[s], vec(x, y, z));
        }
        double most = (double)TACT_MAX / 4;
        check_sane(&shapes[s], vec(most, -most, most));
        check_sane(&shapes[s], vec(most, 0, 1));
    }
    // a few units in the last place from the corner of a box, or the smallest numbers from a point
    tact_shape cube = shape_of(TACT_SHAPE_BOX, 1, 1, 1, 0), dot = shape_of(TACT_SHAPE_SPHERE, 0, 0, 0, 0);
    const double tiny = PICK(0x1p-1070, 0x1p-145), unit = (double)TACT_EPS;
    for (int k = 1; k < 8 * 8 * 8; k++) {
        double a = k % 8, b = k / 8 % 8, c = k / 64, length = sqrt(a * a + b * b + c * c);
        tact_distance d[2] = {tact_shape_distance(&cube, vec(1 + a * unit, 1 + b * unit, -1 - c * unit)),
                              tact_shape_distance(&dot, vec(a * tiny, b * tiny, -c * tiny))};
        CHECK_CLOSE((double)d[0].value / unit / length, 1, 4 * unit);
        for (int i = 0; i < 2; i++) {
            CHECK_CLOSE(d[i].gradient.x, a / length, 2 * unit);
            CHECK_CLOSE(d[i].gradient.y, b / length, 2 * unit);
            CHECK_CLOSE(d[i].gradient.z, -c / length, 2 * unit);
        }
    }
}

static void test_symmetry(void) {
    for (int k = 0; k < 2000; k++) {
        const tact_shape *shape = &shapes[k % NSOLID];
        tact_real sign[3] = {k & 8 ? -1 : 1, k & 16 ? -1 : 1, k & 32 ? -1 : 1};
        tact_vec3 x = random_vec(1.5);
        tact_distance d = tact_shape_distance(shape, x);
        tact_distance m = tact_shape_distance(shape, tact_vec3_make(sign[0] * x.x, sign[1] * x.y, sign[2] * x.z));
        CHECK(m.value == d.value && m.degenerate == d.degenerate);
        CHECK(m.gradient.x == sign[0] * d.gradient.x && m.gradient.y == sign[1] * d.gradient.y &&
              m.gradient.z == sign[2] * d.gradient.z);

        // axes permuted together with the sizes
        if (shape->type != TACT_SHAPE_BOX && shape->type != TACT_SHAPE_ELLIPSOID) continue;
        tact_shape turned = *shape;
        turned.size[0] = shape->size[1];
        turned.size[1] = shape->size[2];
        turned.size[2] = shape->size[0];
        tact_distance t = tact_shape_distance(&turned, tact_vec3_make(x.y, x.z, x.x));
        CHECK_CLOSE(t.value, d.value, 4 * TACT_EPS);
        CHECK_CLOSE(t.gradient.z, d.gradient.x, 100 * TACT_EPS);
    }
}

static void check_same(tact_shape a, tact_shape b, tact_vec3 x) {
    tact_distance da = tact_shape_distance(&a, x), db = tact_shape_distance(&b, x);
    tact_mat3 Ha = tact_shape_hessian(&a, x), Hb = tact_shape_hessian(&b, x);
    CHECK_CLOSE(da.value, db.value, 8 * TACT_EPS);
    CHECK_CLOSE(tact_vec3_dot(da.gradient, db.gradient), 1, 8 * TACT_EPS);
    for (int i = 0; i < 9; i++) CHECK_CLOSE(Ha.m[i / 3][i % 3], Hb.m[i / 3][i % 3], 100 * TACT_EPS);
}

static void test_equals(void) {
    for (int k = 0; k < 1000; k++) {
        // also on the planes of symmetry, where the core of the box has no thickness
        tact_vec3 x = random_vec(1);
        if (k % 3 == 0) x.x = 0;
        if (k % 5 == 0) x.y = 0;
        if (k % 7 == 0) x.z = 0;
        if (tact_vec3_dot(x, x) < TACT_REAL(0.04)) continue;
        if (x.x == 0 && x.z == 0) continue;
        tact_shape ball = shape_of(TACT_SHAPE_SPHERE, 0.5, 0, 0, 0), pill = shape_of(TACT_SHAPE_CAPSULE, 0.5, 0.25, 0, 0);
        check_same(ball, shape_of(TACT_SHAPE_CAPSULE, 0.5, 0, 0, 0), x);
        check_same(ball, shape_of(TACT_SHAPE_BOX, 0.5, 0.5, 0.5, 0.5), x);
        check_same(ball, shape_of(TACT_SHAPE_ELLIPSOID, 0.5, 0.5, 0.5, 0), x);
        if (x.x != 0 || x.y != 0) check_same(pill, shape_of(TACT_SHAPE_BOX, 0.5, 0.5, 0.75, 0.5), x);
    }
}

// Of an ellipsoid, also a thin one: p = x - value g is on it, g is its normal there, and no other point is nearer, which holds
// when value/|(p_i/a_i^2)| >= -(least half axis)^2.
static void test_ellipsoid(void) {
    const double thin = PICK(3, 1), tolerance = PICK(1e-9, 3e-4);
    for (int k = 0; k < 20000; k++) {
        tact_shape shape = {.type = TACT_SHAPE_ELLIPSOID};
        for (int i = 0; i < 3; i++) shape.size[i] = (tact_real)pow(10, uniform(-thin, 0));
        if (k % 3 == 0) shape.size[k % 2] = shape.size[2];
        double x[3], g[3], a[3], q[3], on = 0, least = 1;
        for (int i = 0; i < 3; i++) {
            a[i] = (double)shape.size[i];
            x[i] = k % 4 ? uniform(-1, 1) * a[i] : uniform(-2, 2);
            if (uniform(0, 1) < 0.1) x[i] = 0;
            if (uniform(0, 1) < 0.1) x[i] *= pow(10, -uniform(0, PICK(300, 40)));
        }
        // close to the rim of the middle plane's part where two points are nearest: a centre of curvature
        if (k % 10 == 0) {
            int m = a[0] < a[1] ? 0 : 1, i = (m + 1) % 3, j = (m + 2) % 3;
            if (a[2] < a[m]) m = 2, i = 0, j = 1;
            double turn = uniform(0, 7);
            x[i] = (a[i] * a[i] - a[m] * a[m]) / a[i] * cos(turn);
            x[j] = (a[j] * a[j] - a[m] * a[m]) / a[j] * sin(turn);
            x[m] = uniform(-1, 1) * pow(10, -uniform(0, PICK(300, 40)));
        }
        tact_vec3 point = vec(x[0], x[1], x[2]);
        check_sane(&shape, point);
        tact_distance d = tact_shape_distance(&shape, point);
        spread(point, x);
        spread(d.gradient, g);
        for (int i = 0; i < 3; i++) {
            double p = x[i] - (double)d.value * g[i];
            least = fmin(least, a[i]);
            q[i] = p / (a[i] * a[i]);
            on += p / a[i] * (p / a[i]);
        }
        CHECK_CLOSE(on, 1, tolerance);
        double slope = norm_of(q);
        CHECK_CLOSE((g[0] * q[0] + g[1] * q[1] + g[2] * q[2]) / slope, 1, tolerance);
        CHECK((double)d.value / slope >= -least * least * (1 + tolerance));
    }
}

int main(void) {
    seed = test_seed(20250501);
    test_rules_round();
    test_rules_box();
    test_rules_other();
    test_magnitudes();
    test_search();
    test_derivatives();
    test_symmetry();
    test_equals();
    test_ellipsoid();
    return test_end("geom");
}
