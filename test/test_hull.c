// SPDX-License-Identifier: MIT
// Convex polyhedra: the hull of points against a search over all planes through three of them, distances against a lower bound by
// support and membership of the nearest point, against boxes, gradients and Hessians against difference quotients; steps and
// their derivatives with a sphere against a hull; what a scene refuses.
#include "scene/hull.h"
#include "scene_test.h"
#include "tact/deriv.h"
#include "tact/geom.h"
#include "tact/sim.h"
#include "vector_test.h"

static tact_hull_parts parts;

static tact_hull hull_of(void) {
    return (tact_hull){parts.nvertex, parts.nface, parts.nedge, parts.vertex, parts.face, parts.corner, parts.edge};
}

// points of one kind: in a ball, on a sphere, on a grid with many of them coplanar or twice
static int make_points(int kind, tact_vec3 *point) {
    int count = 4 + (int)uniform(0, 60.99);
    for (int i = 0; i < count; i++) {
        tact_vec3 x = random_vec(0.05);
        double length = sqrt((double)tact_vec3_dot(x, x));
        if (kind == 1 && length > 0.005) x = tact_vec3_scale((tact_real)(0.05 / length), x);
        if (kind == 2) x = vec(round((double)x.x * 40) / 40, round((double)x.y * 40) / 40, round((double)x.z * 40) / 40);
        point[i] = x;
    }
    return count;
}

// the largest separation of x from a plane through three points that has none outside
static double widest(const tact_vec3 *point, int count, const double x[3]) {
    double most = -HUGE_VAL, p[64][3];
    for (int i = 0; i < count; i++) spread(point[i], p[i]);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            for (int k = j + 1; k < count; k++) {
                double a[3], b[3], n[3], length, over = 0;
                for (int m = 0; m < 3; m++) a[m] = p[j][m] - p[i][m], b[m] = p[k][m] - p[i][m];
                for (int m = 0; m < 3; m++) n[m] = a[(m + 1) % 3] * b[(m + 2) % 3] - a[(m + 2) % 3] * b[(m + 1) % 3];
                length = norm_of(n);
                if (i == j || i == k || length < 1e-7) continue;
                for (int side = -1; side <= 1; side += 2) {
                    double high = -HUGE_VAL, at = 0;
                    for (int m = 0; m < count; m++) {
                        over = 0;
                        for (int c = 0; c < 3; c++) over += side * n[c] / length * (p[m][c] - p[i][c]);
                        high = fmax(high, over);
                    }
                    for (int c = 0; c < 3; c++) at += side * n[c] / length * (x[c] - p[i][c]);
                    if (high <= PICK(1e-10, 2e-7)) most = fmax(most, at);
                }
            }
    return most;
}

// outside: no point of the hull is nearer than the value, by support along the gradient, and the nearest point is in the hull;
// inside: the largest separation
static void check_distance(const tact_shape *shape, const tact_vec3 *point, int count, tact_vec3 at) {
    const double tolerance = PICK(1e-12, 2e-6);
    tact_distance d = tact_shape_distance(shape, at);
    double value = (double)d.value + (double)shape->size[0], x[3], g[3], foot[3], lowest = HUGE_VAL;
    spread(at, x);
    spread(d.gradient, g);
    CHECK_CLOSE(norm_of(g), 1, 4 * (double)TACT_EPS);
    for (int c = 0; c < 3; c++) foot[c] = x[c] - value * g[c];
    for (int i = 0; i < count; i++) {
        double v[3], along = 0;
        spread(point[i], v);
        for (int c = 0; c < 3; c++) along += g[c] * (x[c] - v[c]);
        lowest = fmin(lowest, along);
    }
    if (value > 0) {
        CHECK_CLOSE(value, lowest, tolerance);
        CHECK(widest(point, count, foot) <= 4 * tolerance);
    } else {
        CHECK_CLOSE(value, widest(point, count, x), tolerance);
    }
}

static void test_distances(void) {
    for (int k = 0, rounds = test_rounds(60); k < rounds; k++) {
        tact_vec3 point[64];
        int count = make_points(k % 3, point);
        const char *reason = tact_hull_build(point, count, &parts);
        if (reason && k % 3 == 2 && count < 12) continue;  // a few points of a grid may lie in one plane
        CHECK_TEXT(reason ? reason : "good", "good");
        if (reason) continue;
        CHECK_INT(parts.nvertex - parts.nedge + parts.nface, 2);
        tact_hull hull = hull_of();
        tact_shape shape = {.type = TACT_SHAPE_HULL, .size = {k % 2 ? TACT_REAL(0.003) : 0}, .hull = &hull};
        for (int i = 0; i < (count < 20 ? 20 : 3); i++) check_distance(&shape, point, count, random_vec(i % 2 ? 0.12 : 0.04));
        for (int i = 0; i < parts.nvertex && i < 3; i++) {
            tact_distance corner = tact_shape_distance(&shape, parts.vertex[i]);
            CHECK_CLOSE(corner.value, -(double)shape.size[0], PICK(1e-15, 1e-7));
        }
    }
}

// gradient and Hessian against differences, where the same piece is nearest on both sides
static void test_differences(void) {
    const double h = 1e-6;
    int compared = 0, bent = 0;
    // steps large enough for single precision cross from piece to piece
    if (PICK(false, true)) {
        printf("    skipped: derivatives of the distance against differences (of double only)\n");
        return;
    }
    for (int k = 0, rounds = test_rounds(40); k < rounds; k++) {
        tact_vec3 point[64];
        int count = make_points(k % 2, point);
        if (tact_hull_build(point, count, &parts)) continue;
        tact_hull hull = hull_of();
        tact_shape shape = {.type = TACT_SHAPE_HULL, .size = {TACT_REAL(0.002)}, .hull = &hull};
        for (int i = 0; i < 50; i++) {
            tact_vec3 x = random_vec(0.15);
            tact_distance d = tact_shape_distance(&shape, x);
            if ((double)d.value < 0.02) continue;
            tact_mat3 H = tact_shape_hessian(&shape, x);
            double rows[3][3], slope[3], g[3], jump = 0, most = 0;
            spread(d.gradient, g);
            for (int c = 0; c < 3; c++) {
                tact_vec3 e = vec(c == 0 ? h : 0, c == 1 ? h : 0, c == 2 ? h : 0);
                tact_distance high = tact_shape_distance(&shape, tact_vec3_add(x, e));
                tact_distance low = tact_shape_distance(&shape, tact_vec3_sub(x, e));
                tact_mat3 other = tact_shape_hessian(&shape, tact_vec3_add(x, e)),
                          another = tact_shape_hessian(&shape, tact_vec3_sub(x, e));
                double up[3], down[3];
                spread(high.gradient, up);
                spread(low.gradient, down);
                slope[c] = ((double)high.value - (double)low.value) / (2 * h);
                for (int r = 0; r < 3; r++) {
                    rows[r][c] = (up[r] - down[r]) / (2 * h);
                    jump = fmax(jump, fabs((double)(other.m[r][c] - H.m[r][c])));
                    jump = fmax(jump, fabs((double)(another.m[r][c] - H.m[r][c])));
                    most = fmax(most, fabs((double)H.m[r][c]));
                }
            }
            if (jump > PICK(0.01, 0.1 * fmax(1, most))) continue;  // another piece is nearest on one side
            compared++;
            bent += most > 0;
            for (int r = 0; r < 3; r++) {
                CHECK_CLOSE(slope[r], g[r], PICK(1e-7, 2e-3));
                for (int c = 0; c < 3; c++) CHECK_CLOSE(rows[r][c], H.m[r][c], PICK(1e-7, 2e-2) * fmax(1, most));
            }
        }
    }
    printf("gradient and Hessian at %d points, %d of them bent\n", compared, bent);
    CHECK(compared > test_rounds(500) - 20 && bent > test_rounds(300) - 20);
}

// a box is the hull of its corners, a rounded one that of its core with the radius around it
static void test_boxes(void) {
    for (int k = 0, rounds = test_rounds(40); k < rounds; k++) {
        tact_vec3 point[10];
        double half[3] = {uniform(0.01, 0.1), uniform(0.01, 0.1), uniform(0.01, 0.1)}, round = k % 2 ? 0.004 : 0;
        for (int i = 0; i < 8; i++)
            point[i] = vec(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]);
        point[8] = vec(half[0], half[1], 0);      // on an edge
        point[9] = vec(0, half[1] / 2, half[2]);  // on a face
        CHECK(!tact_hull_build(point, 10, &parts));
        CHECK(parts.nvertex == 8 && parts.nface == 6 && parts.nedge == 12);
        tact_hull hull = hull_of();
        tact_shape shape = {.type = TACT_SHAPE_HULL, .size = {(tact_real)round}, .hull = &hull}, box = {.type = TACT_SHAPE_BOX};
        for (int c = 0; c < 3; c++) box.size[c] = (tact_real)(half[c] + round);
        box.size[3] = (tact_real)round;
        for (int i = 0; i < 200; i++) {
            tact_vec3 x = random_vec(0.15);
            tact_distance a = tact_shape_distance(&shape, x), b = tact_shape_distance(&box, x);
            tact_mat3 H = tact_shape_hessian(&shape, x), G = tact_shape_hessian(&box, x);
            tact_vec3 off = tact_vec3_sub(a.gradient, b.gradient);
            CHECK_CLOSE(a.value, b.value, PICK(1e-12, 5e-7));
            // near the border of two pieces single precision takes one for the other
            if (PICK(false, true)) continue;
            CHECK((double)tact_vec3_dot(off, off) < PICK(1e-22, 1e-8));
            for (int r = 0; r < 9; r++) CHECK_CLOSE(H.m[r / 3][r % 3], G.m[r / 3][r % 3], PICK(1e-10, 1e-2));
        }
    }
}

static void check_refused(const tact_vec3 *point, int count, const char *reason) {
    const char *got = tact_hull_build(point, count, &parts);
    CHECK_TEXT(got ? got : "accepted", reason);
}

static void test_flat(void) {
    tact_vec3 same[4], line[5], plane[6];
    for (int i = 0; i < 4; i++) same[i] = vec(1, 2, 3);
    for (int i = 0; i < 5; i++) line[i] = vec(0.1 * i, 0.2 * i, -0.1 * i);
    for (int i = 0; i < 6; i++) plane[i] = vec(0.01 * i, 0.01 * i * i, 0.02 * i + 0.03 * i * i);
    check_refused(same, 4, "all points lie at one place: a hull needs a volume");
    check_refused(line, 5, "the points lie on one line: a hull needs a volume");
    check_refused(plane, 6, "the points lie in one plane: a hull needs a volume");
}

#define TETRAHEDRON "[0.02,0,0],[0,0.02,0],[0,0,0.02],[-0.01,-0.01,-0.01]"
#define HULL(points, more) \
    "{\"tact\":1,\"shapes\":[{\"name\":\"h\",\"body\":\"world\",\"type\":\"hull\",\"points\":[" points "]" more "}]}"

static void test_messages(void) {
    CHECK_SCENE(HULL("[0,0,0]", ""), "/shapes/0/points: expected 4 to 64 points, found 1");
    CHECK_SCENE(HULL("[0,0,0],[1,0,0],[0,1,0],[1,1]", ""), "/shapes/0/points/3: expected 3 numbers, found 2");
    CHECK_SCENE(HULL("[0,0,0],[1,0,0],[0,1,0],[1,1,0]", ""),
                "/shapes/0/points: the points lie in one plane: a hull needs a volume");
    CHECK_SCENE(HULL(TETRAHEDRON, ",\"round\":-1"), "/shapes/0/round: must be >= 0 (found -1)");
    CHECK_SCENE(HULL(TETRAHEDRON, ",\"rnd\":1"), "/shapes/0: unknown key \"rnd\" (did you mean \"round\"?)");
    CHECK_SCENE(HULL(TETRAHEDRON ",[0,0,0],[0.02,0,0]", ""), "/shapes/0/points/4: warning: 2 of 6 points left out, of which this "
                                                             "is the first: no vertices, they lie within the hull of "
                                                             "the others");
    CHECK_SCENE("{\"tact\":1,\"shapes\":[{\"name\":\"h\",\"body\":\"world\",\"type\":\"hull\"}]}",
                "/shapes/0: key \"points\" is missing, or \"file\": a mesh");
    CHECK_SCENE("{\"tact\":1,\"law\":\"virtual\",\"shapes\":[{\"name\":\"h\",\"body\":\"world\",\"type\":\"hull\",\"points\":"
                "[" TETRAHEDRON "]}]}",
                "/shapes/0/type: law \"virtual\": a shape of type \"hull\" has no outline in a plane");
}

static void test_model(void) {
    const tact_model *good = open_scene(HULL(TETRAHEDRON, ",\"round\":0.001"));
    if (!scene) return;
    CHECK(good->shape[0].hull && good->shape[0].hull->nvertex == 4 && good->shape[0].size[0] == TACT_REAL(0.001));
    static tact_vec3 vertex[4];
    static tact_hull_face face[4];
    static int corner[12];
    static tact_hull_edge edge[6];
    tact_hull hull = *good->shape[0].hull;
    tact_shape shape = good->shape[0];
    tact_model model = *good;
    memcpy(vertex, hull.vertex, sizeof vertex), memcpy(face, hull.face, sizeof face);
    memcpy(corner, hull.corner, sizeof corner), memcpy(edge, hull.edge, sizeof edge);
    hull.vertex = vertex, hull.face = face, hull.corner = corner, hull.edge = edge;
    model.shape = &shape;
    shape.hull = &hull;
    CHECK(!tact_model_check(&model).field);
#define BREAK(place, value)                                                                                           \
    do {                                                                                                              \
        memcpy(&shape, &good->shape[0], sizeof shape);                                                                \
        shape.hull = &hull;                                                                                           \
        tact_hull kept_hull = hull;                                                                                   \
        tact_vec3 kept_vertex = vertex[1];                                                                            \
        tact_hull_face kept_face = face[1];                                                                           \
        tact_hull_edge kept_edge = edge[1];                                                                           \
        int kept_corner = corner[1];                                                                                  \
        place = value;                                                                                                \
        tact_fault fault = tact_model_check(&model);                                                                  \
        CHECK(fault.field &&strncmp(fault.field, "shape.", 6) == 0);                                                  \
        hull = kept_hull, vertex[1] = kept_vertex, face[1] = kept_face, edge[1] = kept_edge, corner[1] = kept_corner; \
    } while (0)
    BREAK(shape.hull, NULL);
    BREAK(shape.size[0], -1);
    BREAK(hull.nvertex, 3);
    BREAK(hull.nface, TACT_HULL_FACES + 1);
    BREAK(hull.nedge, 7);
    BREAK(hull.edge, NULL);
    BREAK(vertex[1].x, (tact_real)NAN);
    BREAK(vertex[1].x, TACT_REAL(0.5));
    BREAK(face[1].normal.x, 2);
    BREAK(face[1].offset, 1);
    BREAK(face[1].count, 4);
    BREAK(corner[1], 4);
    BREAK(edge[1].to, -1);
    BREAK(edge[1].left, 4);
    BREAK(hull.vertex, NULL);
    BREAK(hull.face, NULL);
    BREAK(hull.corner, NULL);
    BREAK(hull.nface, 3);
    BREAK(hull.nvertex, TACT_HULL_VERTICES + 1);
    BREAK(face[1].first, 4);
    BREAK(face[1].count, 2);
    BREAK(corner[1], -1);
    BREAK(edge[1].to, edge[1].from);
    BREAK(edge[1].left, edge[1].right);
    BREAK(edge[1].from, 4);
    BREAK(edge[1].right, -1);
    close_scene();
}

// ---- steps: a hull that turns about an axis, held by a spring, and a ball that is pressed against its edge and a vertex

#define TURNING                                                                                                         \
    "{\"tact\":1,\"law\":\"barrier\",\"gravity\":[0,0,-9.81],\"options\":{\"dt\":0.02,\"kappa\":1e5},\"mu\":0.4,"       \
    "\"bodies\":[{\"name\":\"arm\",\"parent\":\"world\",\"mass\":0.3,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],"               \
    "\"joint\":{\"type\":\"continuous\",\"axis\":[0,1,0]}},"                                                            \
    "{\"name\":\"tip\",\"parent\":\"world\",\"joint\":{\"type\":\"translation\"}}],"                                    \
    "\"shapes\":[{\"name\":\"rock\",\"body\":\"arm\",\"type\":\"hull\",\"round\":0.003,\"points\":["                    \
    "[0.03,0.01,0.02],[-0.03,0.02,0.01],[-0.01,-0.03,0.025],[0.02,-0.02,-0.02],[-0.02,0.01,-0.03],[0.01,0.03,-0.01]]}," \
    "{\"name\":\"ball\",\"body\":\"tip\",\"type\":\"sphere\",\"radius\":0.01}],"                                        \
    "\"pairs\":[{\"a\":\"rock\",\"b\":\"ball\"}],"                                                                      \
    "\"drives\":[{\"joint\":\"arm\",\"stiffness\":5},{\"joint\":\"tip\",\"stiffness\":300}],"

typedef struct {
    const tact_model *model;
    tact_options options;
    tact_state start, end;
    tact_work work;
    tact_deriv_work deriv;
    tact_real u[4];
    tact_input input;
} stepped;

static stepped s;
static void *memory[4];

static void begin_steps(void) {
    const tact_model *model = s.model = &scene->model;
    s.options = scene->options;
    size_t state = tact_state_size(model), work = tact_work_size(model), deriv = tact_deriv_size(model);
    memory[0] = malloc(state), memory[1] = malloc(state), memory[2] = malloc(work), memory[3] = malloc(deriv);
    CHECK_INT(tact_state_init(&s.start, model, memory[0], state), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&s.end, model, memory[1], state), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&s.work, model, memory[2], work), TACT_CONVERGED);
    CHECK_INT(tact_deriv_init(&s.deriv, model, memory[3], deriv), TACT_CONVERGED);
    tact_scene_command(scene, &s.start, s.u);
    s.input = (tact_input){.u = s.u};
}

static void end_steps(void) {
    for (int i = 0; i < 4; i++) free(memory[i]);
    close_scene();
}

// the step from start with one coordinate, command or the hull's radius changed
static void step_changed(int which, double by, double *q, double *force) {
    tact_shape *shape = (tact_shape *)(uintptr_t)&s.model->shape[0];
    tact_real size = shape->size[0], u = which >= 4 && which < 8 ? s.u[which - 4] : 0;
    tact_state_copy(&s.end, &s.start, s.model);
    if (which >= 0 && which < 4) s.end.q[which] += (tact_real)by;
    if (which >= 4 && which < 8) s.u[which - 4] += (tact_real)by;
    if (which == 8) shape->size[0] += (tact_real)by;
    CHECK(tact_step(s.model, &s.options, &s.input, &s.end, &s.work) >= 0);
    for (int i = 0; i < 4; i++) q[i] = (double)s.end.q[i];
    for (int i = 0; i < 3; i++) force[i] = (double)s.work.contacts.contact[0].lambda[i];
    shape->size[0] = size;
    if (which >= 4 && which < 8) s.u[which - 4] = u;
}

// A and B against differences of the step
static void check_slopes(void) {
    tact_real A[16], B[16], C[12], D[12];
    const double h = PICK(1e-6, 1e-3);
    double high[4], low[4], up[3], down[3], worst = 0, most = 0;
    step_changed(-1, 0, high, up);
    CHECK_INT(s.work.contacts.count, 1);
    CHECK(up[0] > 0.05);
    CHECK(tact_deriv_linearise(s.model, &s.options, &s.input, &s.start, &s.work, &s.deriv) >= 0);
    tact_jacobians slopes = {A, B, C, D};
    tact_deriv_matrices(s.model, &s.work, &s.deriv, &slopes);
    for (int which = 0; which < 8; which++) {
        step_changed(which, h, high, up);
        step_changed(which, -h, low, down);
        for (int row = 0; row < 4; row++) {
            double slope = (high[row] - low[row]) / (2 * h),
                   got = (double)(which < 4 ? A[4 * row + which] : B[4 * row + which - 4]);
            worst = fmax(worst, fabs(slope - got));
        }
        for (int row = 0; row < 3; row++) {
            double slope = (up[row] - down[row]) / (2 * h),
                   got = (double)(which < 4 ? C[4 * row + which] : D[4 * row + which - 4]);
            worst = fmax(worst, fabs(slope - got) / 1000);
            most = fmax(most, fabs(got));
        }
    }
    printf("slopes of the step off by %.2g (forces up to %.3g N/m)\n", worst, most);
    CHECK(worst < PICK(2e-7, 5e-2) && most > 10);
}

static void test_steps(void) {
    // against the face, against an edge, against a vertex
    static const char *const places[] = {"[0.1,0.005,0,0.045]", "[0.3,0.012,0.016,0.0295]", "[0.2,0.055,0.012,0.016]"};
    for (int k = 0; k < 3; k++) {
        char text[2000];
        snprintf(text, sizeof text, TURNING "\"state\":{\"q\":{\"arm\":%.3s,\"tip\":[%s}}}", places[k] + 1,
                 strchr(places[k], ',') + 1);
        open_scene(text);
        if (!scene) continue;
        begin_steps();
        // commanded further in
        for (int i = 0; i < 40; i++) CHECK(tact_step(s.model, &s.options, &s.input, &s.start, &s.work) >= 0);
        for (int i = 1; i < 4; i++) s.u[i] -= TACT_REAL(0.6) * s.start.q[i];
        for (int i = 0; i < 20; i++) CHECK(tact_step(s.model, &s.options, &s.input, &s.start, &s.work) >= 0);
        check_slopes();
        end_steps();
    }
}

int main(void) {
    seed = test_seed(20261);
    test_distances();
    test_differences();
    test_boxes();
    test_flat();
    test_messages();
    test_model();
    test_steps();
    return test_end("hull");
}
