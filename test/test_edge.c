// SPDX-License-Identifier: MIT
// Edges of boxes and hulls under the barrier law, which touch at two places that move smoothly: places in closed form, forces
// that have a potential, and steps along random smooth motions, of which neighbours differ by no more than the derivatives tell.
#include "contact/ball.h"
#include "geom/shapes.h"
#include "rigid_world.h"
#include "tact/deriv.h"

// how far the derivative may change between two neighbours
#define BOUND 1.5

enum { MOTIONS = 1000, PLACES = 21 };

static const tact_vec3 x_axis = {1, 0, 0};

static void test_places(void) {
    const tact_shape plane = {.type = TACT_SHAPE_PLANE},
                     box = {.type = TACT_SHAPE_BOX, .size = {(tact_real)0.1, (tact_real)0.1, (tact_real)0.1}};
    const double least = within(1e-12, 1e-5);
    // flat: at the quarters, also in an overlap
    for (int side = -1; side <= 1; side += 2)
        for (int k = -1; k <= 1; k++) {
            tact_vec3 c = tact_vec3_make(0, 0, (tact_real)0.01 * (tact_real)k);
            CHECK_CLOSE(tact_segment_between(&plane, c, tact_vec3_scale((tact_real)0.1, x_axis), 0, side), 0.5 * side, least);
        }
    CHECK(tact_segment_between(&plane, x_axis, tact_vec3_make(0, 0, 0), 0, 1) > 0);
    // tilted, g = 0.01 - 0.002 + 0.005 t: t = -(e' g + g')/(g + e' g') with e' = -e
    for (int side = -1; side <= 1; side += 2) {
        double g = 0.008, slope = 0.005, e = 0.5 * side, wanted = (e * g - slope) / (g - e * slope);
        tact_real t = tact_segment_between(&plane, tact_vec3_make(0, 0, (tact_real)0.01),
                                           tact_vec3_make((tact_real)0.1, 0, (tact_real)0.005), (tact_real)0.002, side);
        CHECK_CLOSE(t, wanted, within(1e-5, 1e-4));
    }
    // across an edge of the box at t = 0.3: as near as the square of the gap
    for (int k = 0; k < 3; k++) {
        double gap = pow(10, -2 - k);
        tact_vec3 h = tact_vec3_make((tact_real)0.05, 0, (tact_real)-0.05);
        tact_vec3 c = tact_vec3_make((tact_real)(0.1 + gap - 0.3 * 0.05), 0, (tact_real)(0.1 + gap + 0.3 * 0.05));
        for (int side = -1; side <= 1; side += 2) {
            tact_real t = tact_segment_between(&box, c, h, 0, side);
            CHECK(fabs((double)t - 0.3) < 2 * gap * gap / (0.05 * 0.05) + within(1e-9, 1e-3));
        }
    }
    // overlaps have a place, too
    tact_real t = tact_segment_between(&box, tact_vec3_make(0, 0, (tact_real)0.09), tact_vec3_make((tact_real)0.2, 0, 0), 0, -1);
    CHECK(-1 < t && t < 0);
}

#define SCENE(a, b)                                                                                                             \
    "{\"tact\":1,\"law\":\"barrier\",\"gravity\":[0,0,-9.81],\"mu\":0.5,\"options\":{\"dt\":0.01,\"kappa\":20000,\"margin\":0." \
    "5,"                                                                                                                        \
    "\"anchor\":false},\"bodies\":[{\"name\":\"b\",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[3e-5,3e-5,4e-5,0,0,0],"       \
    "\"joint\":{\"type\":\"free\"}}],\"shapes\":[{\"name\":\"low\",\"body\":\"world\"," a                                       \
    "},{\"name\":\"high\",\"body\":\"b\"," b "}],\"pairs\":[{\"a\":\"low\",\"b\":\"high\"}]}"
#define WEDGE                                                                                                                    \
    "\"type\":\"hull\",\"round\":0.001,\"points\":[[-0.02,-0.02,-0.02],[0.02,-0.02,-0.02],[-0.02,0.02,-0.02],[0.02,0.02,-0.02]," \
    "[0,-0.02,0.02],[0,0.02,0.02]]"
#define BOX(size) "\"type\":\"box\",\"size\":[" size "]"

static tact_vec3 random_vector(uint64_t *seed, double size) {
    tact_real x[3];
    for (int k = 0; k < 3; k++) x[k] = (tact_real)test_random(seed, -size, size);
    return tact_vec3_make(x[0], x[1], x[2]);
}

// An edge's segment c + t h that pierces a box, as the rigid law sees it.
static tact_pair_ball pierce(const tact_shape *box, tact_vec3 c, tact_vec3 h) {
    const tact_real half = tact_sqrt(tact_vec3_dot(h, h));
    const tact_shape shape[2] = {{.type = TACT_SHAPE_CAPSULE, .size = {0, half, half}}, *box};
    const tact_model model = {.nshape = 2, .shape = shape};
    const tact_pair pair = {.a = 0, .b = 1};
    tact_pose a = {.p = c}, b = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    a.R.m[0][2] = h.x / half, a.R.m[1][2] = h.y / half, a.R.m[2][2] = h.z / half;
    return tact_pair_find_ball(&model, &pair, &a, &b);
}

// The shortest way out, over the normals of the box's faces and those across one of its edges and h.
static double way_out(const tact_real *size, tact_vec3 c, tact_vec3 h) {
    double best = -HUGE_VAL;
    for (int k = 0; k < 6; k++) {
        tact_vec3 axis = tact_vec3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2), n = k < 3 ? axis : tact_vec3_cross(axis, h);
        double length = sqrt((double)tact_vec3_dot(n, n));
        if (length < 1e-6) continue;
        double reach = (double)(size[0] * tact_fabs(n.x) + size[1] * tact_fabs(n.y) + size[2] * tact_fabs(n.z));
        double apart = fabs((double)tact_vec3_dot(n, c)) - reach - fabs((double)tact_vec3_dot(n, h));
        best = fmax(best, apart / length);
    }
    return best;
}

// Edges that have sunk in, also through plates: the gap is the way out, and moves as the normal says.
static void test_way_out(uint64_t *seed) {
    const double step = within(1e-7, 1e-3);
    int smooth = 0, pierced = 0;
    for (int k = 0; k < 3000; k++) {
        tact_shape box = {.type = TACT_SHAPE_BOX};
        for (int i = 0; i < 3; i++) box.size[i] = (tact_real)test_random(seed, 0.2, 1);
        if (k % 3 == 0) box.size[k / 3 % 3] = (tact_real)0.02;
        tact_vec3 h = random_vector(seed, 1), v = random_vector(seed, 1), turn = random_vector(seed, 1),
                  at = random_vector(seed, 1);
        at = tact_vec3_make(at.x * box.size[0], at.y * box.size[1], at.z * box.size[2]);
        // near an edge
        if (k % 2) at.x = box.size[0], at.z = box.size[2];
        tact_vec3 c = tact_vec3_add_scaled(at, (tact_real)test_random(seed, -1, 1), h);
        if (k % 5 == 0) h = tact_vec3_make(0, h.y, 0);
        if (!(way_out(box.size, c, h) < -1e-4) || !(tact_vec3_dot(h, h) > (tact_real)0.01)) continue;
        tact_pair_ball ball = pierce(&box, c, h);
        CHECK_CLOSE(ball.distance.value, way_out(box.size, c, h), within(1e-7, 1e-3));
        // both ways, where they agree
        double change[2];
        for (int side = 0; side < 2; side++) {
            tact_real by = (tact_real)(side ? step : -step);
            tact_vec3 d = tact_vec3_add_scaled(h, by, tact_vec3_cross(turn, h));
            change[side] =
                ((double)pierce(&box, tact_vec3_add_scaled(c, by, v), d).distance.value - (double)ball.distance.value) /
                (double)by;
        }
        if (fabs(change[0] - change[1]) > within(1e-4, 1e-2)) continue;
        tact_vec3 moved = tact_vec3_add_scaled(v, ball.along, tact_vec3_cross(turn, h));
        CHECK_CLOSE((change[0] + change[1]) / 2, tact_vec3_dot(ball.distance.gradient, moved), within(1e-4, 3e-2));
        smooth++;
        pierced += ball.crosses && !ball.slides;
    }
    printf("%d edges sunk in, %d of them leave by a face beside the nearest\n", smooth, pierced);
    CHECK(smooth > 1000 && pierced > 50);
}

// q turned by a rotation vector and shifted
static void move(const tact_real *from, tact_vec3 turn, tact_vec3 shift, tact_real *to) {
    double angle = sqrt((double)tact_vec3_dot(turn, turn)), share = angle > 0 ? sin(angle / 2) / angle : 0.5, c = cos(angle / 2);
    double x = share * (double)turn.x, y = share * (double)turn.y, z = share * (double)turn.z;
    double w = (double)from[3], i = (double)from[4], j = (double)from[5], k = (double)from[6];
    for (int n = 0; n < 3; n++) to[n] = from[n] + (n == 0 ? shift.x : n == 1 ? shift.y : shift.z);
    to[3] = (tact_real)(c * w - x * i - y * j - z * k);
    to[4] = (tact_real)(c * i + x * w + y * k - z * j);
    to[5] = (tact_real)(c * j + y * w + z * i - x * k);
    to[6] = (tact_real)(c * k + z * w + x * j - y * i);
}

static tact_real gap_at(const tact_model *model, const tact_real *q) {
    const tact_real *s = q + 3;
    tact_pose pose = {.p = {q[0], q[1], q[2]}};
    tact_real w = s[0], x = s[1], y = s[2], z = s[3];
    tact_mat3 R = {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                    {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                    {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
    tact_pair_distance distance = {0};
    pose.R = R;
    CHECK(tact_shape_pair_distance(&model->shape[0], &model->shape[0].place, &model->shape[1], &pose, &distance));
    return distance.gap;
}

// One step from q: where it leads, and how far it goes for the motion (turn, shift) to the next place, by the derivatives.
typedef struct {
    double q[7], turned, shifted;
} edge_step;

static bool step_from(tact_deriv_work *deriv, tact_state *before, const tact_real *q, const tact_real by[6], edge_step *out) {
    static tact_real A[36], C[3 * 100 * 6];
    const tact_model *model = &world.scene->model;
    const tact_input input = {.u = world.u, .wrench = world.wrench};
    for (int i = 0; i < 7; i++) world.state.q[i] = before->q[i] = q[i];
    tact_status status = tact_step(model, &world.scene->options, &input, &world.state, &world.work);
    CHECK_INT(status, TACT_CONVERGED);
    if (status != TACT_CONVERGED) return false;
    for (int i = 0; i < 7; i++) out->q[i] = (double)world.state.q[i];
    CHECK_INT(tact_deriv_linearise(model, &world.scene->options, &input, before, &world.work, deriv), TACT_CONVERGED);
    tact_deriv_matrices(model, &world.work, deriv, &(tact_jacobians){.A = A, .C = C});
    double d[6] = {0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) d[i] += (double)(A[6 * i + j] * by[j]);
    out->turned = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    out->shifted = sqrt(d[3] * d[3] + d[4] * d[4] + d[5] * d[5]);
    return true;
}

// A motion from a base pose: at s, -1 to 1, turned by s turn and shifted by s shift.
typedef struct {
    tact_deriv_work *deriv;
    tact_state *before;
    tact_real base[7];
    tact_vec3 turn, shift;
} edge_motion;

// The ratio of the jump between the steps at s and at s + ds to what the derivatives at the two tell.
static double compare_steps(const edge_motion *m, double s, double ds, edge_step *first) {
    tact_real q[7];
    const tact_real each = (tact_real)ds, by[6] = {each * m->turn.x,  each * m->turn.y,  each * m->turn.z,
                                                   each * m->shift.x, each * m->shift.y, each * m->shift.z};
    edge_step last = {0}, now = {0};
    double shifted = 0, turned = 0;
    for (int k = 0; k < 2; k++) {
        double at = s + k * ds;
        move(m->base, tact_vec3_scale((tact_real)at, m->turn), tact_vec3_scale((tact_real)at, m->shift), q);
        if (!step_from(m->deriv, m->before, q, by, k ? &now : &last)) return 0;
    }
    for (int k = 0; k < 3; k++) shifted += pow(now.q[k] - last.q[k], 2);
    for (int k = 3; k < 7; k++) turned += 4 * pow(now.q[k] - last.q[k], 2);
    *first = last;
    // beside them the rounding of a step
    return fmax(sqrt(shifted) / (fmax(last.shifted, now.shifted) + 1e-8), sqrt(turned) / (fmax(last.turned, now.turned) + 1e-6));
}

static double jump_between(const edge_step *a, const edge_step *b) {
    double sum = 0;
    for (int k = 0; k < 7; k++) sum += pow(a->q[k] - b->q[k], 2);
    return sqrt(sum);
}

// Where neighbours differ by more than the derivatives at the two tell, these may have changed in between: the half with the
// larger jump is looked at, and so on. A jump of q+ itself stays.
static double refine(const edge_motion *m, double s, double ds) {
    edge_step at[3];
    double ratio = compare_steps(m, s, ds, &at[0]);
    for (int k = 0; k < 16 && ratio > BOUND; k++) {
        edge_step end;
        ds /= 2;
        double first = compare_steps(m, s, ds, &at[0]), second = compare_steps(m, s + ds, ds, &at[1]);
        compare_steps(m, s + 2 * ds, ds, &end);
        bool later = jump_between(&at[1], &end) > jump_between(&at[0], &at[1]);
        ratio = later ? second : first;
        if (later) s += ds;
    }
    return ratio;
}

// Largest ratio along a random motion.
static double run_motion(tact_deriv_work *deriv, tact_state *before, uint64_t *seed) {
    const tact_model *model = &world.scene->model;
    edge_motion m = {.deriv = deriv, .before = before, .base = {0, 0, (tact_real)0.045, 1, 0, 0, 0}};
    // Beside the middle, turned about z, and in half of the motions tilted at first; the others pass through being parallel.
    bool parallel = test_random(seed, 0, 1) < 0.5, along = test_random(seed, 0, 1) < 0.5;
    double gap = pow(10, test_random(seed, -4, -2.5)), tilt = pow(10, test_random(seed, -3, -0.5));
    tact_vec3 place = random_vector(seed, 0.025), twist = random_vector(seed, parallel ? 0 : tilt), none = {0, 0, 0};
    place.z = 0;
    if (!along) move(m.base, tact_vec3_make(0, 0, (tact_real)test_random(seed, -1, 1)), none, m.base);
    move(m.base, twist, place, m.base);
    for (int k = 0; k < 20; k++) m.base[2] += (tact_real)gap - gap_at(model, m.base);
    // the largest tilt leaves some of the gap
    m.turn = random_vector(seed, 12 * gap);
    m.shift = random_vector(seed, 0.2 * gap);
    double worst = 0, ds = 2.0 / (PLACES - 1);
    for (int i = 0; i + 1 < PLACES; i++) worst = fmax(worst, refine(&m, ds * i - 1, ds));
    return worst;
}

static void test_continuity(void) {
    static const char *const scenes[] = {SCENE(BOX("0.04,0.04,0.04"), BOX("0.2,0.2,0.04")),
                                         SCENE(BOX("0.04,0.05,0.04"), BOX("0.045,0.04,0.04")),
                                         SCENE(BOX("0.15,0.02,0.04"), BOX("0.03,0.1,0.04")), SCENE(WEDGE, BOX("0.04,0.04,0.04"))};
    uint64_t first = test_seed(20261125), seed = first;
    double worst = 0;
    int jumps = 0;
    for (int k = 0; k < 4; k++) {
        if (!world_text(scenes[k])) continue;
        const tact_model *model = &world.scene->model;
        size_t size[2] = {tact_deriv_size(model), tact_state_size(model)};
        void *memory[2] = {malloc(size[0]), malloc(size[1])};
        tact_deriv_work deriv;
        tact_state before;
        CHECK_INT(tact_deriv_init(&deriv, model, memory[0], size[0]), TACT_CONVERGED);
        CHECK_INT(tact_state_init(&before, model, memory[1], size[1]), TACT_CONVERGED);
        for (int i = 0, rounds = test_rounds(MOTIONS) / 4; i < rounds; i++) {
            double ratio = run_motion(&deriv, &before, &seed);
            jumps += ratio > BOUND;
            if (ratio > BOUND) printf("    scene %d motion %d: jump of %.3g times the bound\n", k, i, ratio);
            worst = fmax(worst, ratio);
        }
        for (int i = 0; i < 2; i++) free(memory[i]);
        world_end();
    }
    printf("%d motions from seed %llu: largest jump %.4g of what the derivatives tell\n", test_rounds(MOTIONS) / 4 * 4,
           (unsigned long long)first, worst);
    CHECK_INT(jumps, 0);
}

int main(void) {
    uint64_t seed = test_seed(1127);
    test_places();
    test_way_out(&seed);
    if (DOUBLE) test_continuity();
    return test_end("edge");
}
