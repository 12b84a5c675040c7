// SPDX-License-Identifier: MIT
// Distances of two shapes. Apart: each nearest point is the other's projection, which proves both. Overlapping: the way that is
// told leads b out, and no other way that is shorter. Gradient and Hessian against differences.
#include "deriv_scene.h"
#include "scene/hull.h"
#include "tact/geom.h"

#ifdef TACT_FLOAT
#define EXACT 2e-5
#else
#define EXACT 1e-10
#endif

enum { PAIRS = 1200 };

typedef struct {
    tact_shape shape[2];
    tact_pose pose[2];
} pair_case;

static struct {
    int apart, deep, bent, over, aligned;
    double projection, leave, gradient, hessian;
} tally;

static double distance_at(const pair_case *c, int k, tact_vec3 x) {
    return (double)tact_shape_distance(&c->shape[k], to_inner(c->pose[k], x)).value;
}

static tact_pair_distance measure_pair(const pair_case *c) {
    tact_pair_distance d;
    CHECK(tact_shape_pair_distance(&c->shape[0], &c->pose[0], &c->shape[1], &c->pose[1], &d));
    return d;
}

static void check_apart(const pair_case *c, const tact_pair_distance *d) {
    const tact_vec3 a = d->point_a, b = d->point_b;
    double worst = fabs(distance_at(c, 0, b) - (double)d->gap);
    worst = fmax(worst, fabs(distance_at(c, 1, a) - (double)d->gap));
    worst = fmax(worst, fabs(distance_at(c, 0, a)));
    worst = fmax(worst, fabs(distance_at(c, 1, b)));
    tally.apart++;
    tally.projection = fmax(tally.projection, worst);
    CHECK_CLOSE(worst, 0, EXACT);
}

static void check_deep(const pair_case *c, const tact_pair_distance *d, uint64_t *seed) {
    pair_case moved = *c;
    tally.deep++;
    moved.pose[1].p = tact_vec3_add_scaled(c->pose[1].p, -d->gap, d->normal);
    double left = (double)measure_pair(&moved).gap;
    tally.leave = fmax(tally.leave, fabs(left));
    CHECK_CLOSE(left, 0, 1000 * EXACT);
    for (int k = 0; k < 20; k++) {
        tact_vec3 way = k < 10 ? random_axis(seed) : tact_vec3_add_scaled(d->normal, TACT_REAL(0.1), random_axis(seed));
        tact_real length = (tact_real)sqrt((double)tact_vec3_dot(way, way));
        moved.pose[1].p = tact_vec3_add_scaled(c->pose[1].p, -d->gap * TACT_REAL(0.9999) / length, way);
        double other = (double)measure_pair(&moved).gap;
        CHECK(other < EXACT);
    }
}

static tact_pose shift_pose(tact_pose pose, int k, tact_real by) {
    tact_real w[6] = {0};
    w[k] = by;
    tact_vec3 half = {w[0] / 2, w[1] / 2, w[2] / 2};
    tact_real angle = (tact_real)sqrt((double)tact_vec3_dot(half, half)),
              f = angle > 0 ? (tact_real)sin((double)angle) / angle : 1;
    tact_quat turn = {(tact_real)cos((double)angle), f * half.x, f * half.y, f * half.z};
    tact_pose by_turn = {.R = tact_quat_matrix(turn)}, still = {.R = pose.R};
    tact_pose out = tact_pose_multiply(by_turn, still);
    out.p = tact_vec3_add(pose.p, tact_vec3_make(w[3], w[4], w[5]));
    return out;
}

static void check_slopes(const pair_case *c, const tact_pair_distance *d) {
    tact_real gradient[6], hessian[36], near[2][6], ignored[36];
    const tact_real h = TACT_REAL(1e-6);
    bool whole = tact_shape_pair_derivatives(&c->shape[0], &c->pose[0], &c->shape[1], &c->pose[1], d, gradient, hessian);
    CHECK(whole != d->deep);
    double largest = 1, slope = 0, bend = 0;
    for (int k = 0; k < 36; k++) largest = fmax(largest, fabs((double)hessian[k]));
    // too sharp for differences
    if (!whole || largest > 200) return;
    for (int k = 0; k < 6; k++) {
        double gap[2];
        for (int s = 0; s < 2; s++) {
            pair_case moved = *c;
            moved.pose[1] = shift_pose(c->pose[1], k, s ? h : -h);
            tact_pair_distance other = measure_pair(&moved);
            gap[s] = (double)other.gap;
            tact_shape_pair_derivatives(&c->shape[0], &moved.pose[0], &c->shape[1], &moved.pose[1], &other, near[s], ignored);
        }
        slope = fmax(slope, fabs((gap[1] - gap[0]) / (2 * (double)h) - (double)gradient[k]));
        // by w at another orientation the slope is that of a turn after it: the mean of both orders is symmetric
        for (int i = 0; i < 6; i++) {
            double difference = ((double)near[1][i] - (double)near[0][i]) / (2 * (double)h), wanted = (double)hessian[6 * i + k];
            if (i < 3 && k < 3 && i != k) {
                // d(g_i)/dw_k = H_ik + (e_k x g)_i / 2 of the turn's own group
                int l = 3 - i - k, sign = (i + 1) % 3 == k ? 1 : -1;
                wanted += sign * 0.5 * (double)gradient[l];
            }
            bend = fmax(bend, fabs(difference - wanted) / largest);
        }
    }
    tally.gradient = fmax(tally.gradient, slope);
    tally.hessian = fmax(tally.hessian, bend);
    CHECK_CLOSE(slope, 0, 1e-7);
    // a few differences reach over the border of two features
    tally.bent++;
    tally.over += bend > 2e-6;
}

// of 12 points, in one of two places of memory, half of them rounded
static tact_shape random_hull(uint64_t *seed, int place) {
    static tact_hull_parts parts[2];
    static tact_hull hull[2];
    tact_hull_parts *own = &parts[place];
    tact_vec3 point[12];
    do
        for (int i = 0; i < 12; i++) point[i] = random_vec3(seed, 0.05);
    while (tact_hull_build(point, 12, own));
    hull[place] = (tact_hull){own->nvertex, own->nface, own->nedge, own->vertex, own->face, own->corner, own->edge};
    tact_shape shape = {.type = TACT_SHAPE_HULL, .hull = &hull[place]};
    if (random_chance(seed, 0.5)) shape.size[0] = random_real(seed, 0, 0.01);
    return shape;
}

static void check_pairs(uint64_t *seed, tact_shape_type a, tact_shape_type b) {
    pair_case c;
    for (int k = 0; k < PAIRS / 10; k++) {
        for (int s = 0; s < 2; s++) {
            tact_shape_type wanted = s ? b : a;
            c.shape[s] = wanted == TACT_SHAPE_HULL ? random_hull(seed, s) : random_shape(seed);
            while (c.shape[s].type != wanted) c.shape[s] = random_shape(seed);
            c.pose[s] = random_pose(seed, k % 2 ? 0.05 : 0.12);
        }
        tact_pair_distance d = measure_pair(&c);
        tact_vec3 apart = tact_vec3_sub(d.point_b, d.point_a);
        CHECK_CLOSE(tact_vec3_dot(d.normal, d.normal), 1, EXACT);
        CHECK_CLOSE(tact_vec3_dot(apart, d.normal), d.gap, d.deep ? 1000 * EXACT : EXACT);
        // the points lie on the surfaces of both
        if (d.deep) CHECK_CLOSE(tact_vec3_dot(apart, apart), d.gap * d.gap, sizeof(tact_real) == sizeof(double) ? 1e-4 : 2e-3);
        if (d.gap > TACT_REAL(1e-4)) check_apart(&c, &d);
        if (d.gap < TACT_REAL(-1e-4)) check_deep(&c, &d, seed);
        if (sizeof(tact_real) == sizeof(double) && fabs((double)d.gap) > 1e-4) check_slopes(&c, &d);
        // the other way round
        pair_case back = {{c.shape[1], c.shape[0]}, {c.pose[1], c.pose[0]}};
        CHECK_CLOSE(measure_pair(&back).gap, d.gap, d.deep ? 1000 * EXACT : EXACT);
    }
}

// Shapes that share an axis or a centre overlap by whole faces: of the points there are many, but each way from one to the other
// is the gap, and each lies on the surface of its shape.
static void check_aligned(uint64_t *seed, tact_shape_type a, tact_shape_type b) {
    pair_case c;
    for (int k = 0; k < PAIRS / 20; k++) {
        for (int s = 0; s < 2; s++) {
            tact_shape_type wanted = s ? b : a;
            do c.shape[s] = random_shape(seed);
            while (c.shape[s].type != wanted);
            tact_real turn = random_chance(seed, 0.5) ? TACT_REAL(0.70710678118654752) : 0;
            tact_real still = turn > 0 ? turn : 1;
            c.pose[s].R =
                tact_quat_matrix((tact_quat){still, k % 3 == 0 ? turn : 0, k % 3 == 1 ? turn : 0, k % 3 == 2 ? turn : 0});
            c.pose[s].p = tact_vec3_make(0, 0, 0);
        }
        if (random_chance(seed, 0.7)) c.pose[1].p.x = random_real(seed, -0.03, 0.03);
        if (random_chance(seed, 0.3)) c.pose[1].p.z = random_real(seed, -0.03, 0.03);
        tact_pair_distance d = measure_pair(&c);
        tact_vec3 apart = tact_vec3_sub(d.point_b, d.point_a);
        CHECK_CLOSE(sqrt((double)tact_vec3_dot(apart, apart)), fabs((double)d.gap), EXACT);
        // of curved shapes the depth is least at a normal that is known to the root of rounding only: there b is left by as
        // little
        CHECK_CLOSE(distance_at(&c, 0, d.point_a), 0, d.deep ? 1000 * EXACT : EXACT);
        CHECK_CLOSE(distance_at(&c, 1, d.point_b), 0, d.deep ? 100000 * EXACT : EXACT);
        tally.aligned += d.deep;
    }
}

// Two boxes between which Newton's method went to and fro between two faces, 300 times: from some poses next to this one the gap
// was 0.9 mm too large.
static void check_sawtooth(void) {
    pair_case c = {
        .shape = {{.type = TACT_SHAPE_BOX,
                   .size = {TACT_REAL(0.054281378228563569), TACT_REAL(0.028867519552958229), TACT_REAL(0.054106431059533548),
                            TACT_REAL(0.0095485924236542626)}},
                  {.type = TACT_SHAPE_BOX,
                   .size = {TACT_REAL(0.036287377620493437), TACT_REAL(0.023513374804492955), TACT_REAL(0.044686574694973877)}}}};
    const double R[2][9] = {
        {-0.32162154110561447, 0.92378805588895152, -0.20778645791716321, 0.66535868924080033, 0.06435855496930265,
         -0.74374443934326484, -0.67368939352539436, -0.37745675805206447, -0.63534950763513742},
        {-0.21377446768495934, 0.19125282761044285, -0.9579785137971637, -0.62759784732511381, 0.72461018593136528,
         0.28471217128425574, 0.74861299681403848, 0.66208944590253249, -0.034873293873421973}};
    for (int k = 0; k < 18; k++) c.pose[k / 9].R.m[k % 9 / 3][k % 3] = (tact_real)R[k / 9][k % 9];
    c.pose[0].p =
        tact_vec3_make(TACT_REAL(0.008280732222689359), TACT_REAL(0.024212490329654002), TACT_REAL(0.020348053921839776));
    c.pose[1].p =
        tact_vec3_make(TACT_REAL(-0.042944160375467659), TACT_REAL(-0.0038248122461055564), TACT_REAL(-0.041403808270454118));
    for (int k = 0; k < 12; k++) {
        pair_case moved = c;
        moved.pose[1] = shift_pose(c.pose[1], k / 2, k % 2 ? TACT_REAL(1e-6) : TACT_REAL(-1e-6));
        CHECK_CLOSE(measure_pair(&moved).gap, -0.0082426652256513428, 2e-6 + EXACT);
    }
}

// A cylinder over a box, their faces parallel but for a turn of 1e-7: the search ended on the slope between them, 7.5 nm too far.
static void check_nearly_parallel(void) {
    pair_case c = {
        .shape = {{.type = TACT_SHAPE_BOX,
                   .size = {TACT_REAL(0.48429290297069888), TACT_REAL(0.34760685291440885), TACT_REAL(0.18720780352699207)}},
                  {.type = TACT_SHAPE_CYLINDER, .size = {TACT_REAL(0.43518026247620545), TACT_REAL(0.13755603274367151)}}}};
    const double R[2][9] = {
        {-0.6150683218683437, -0.712357408190333, 0.33799095021969322, 0.73657410479682706, -0.67206639917707722,
         -0.076061443845819837, 0.28133529386981065, 0.2021723969623678, 0.93807077255912741},
        {-0.61506832110507892, -0.71235745144334406, 0.33799086044762161, 0.73657412956835355, -0.67206637151874382,
         -0.076061448344429516, 0.2813352306832585, 0.20217233650223676, 0.93807080453962755}};
    for (int k = 0; k < 18; k++) c.pose[k / 9].R.m[k % 9 / 3][k % 3] = (tact_real)R[k / 9][k % 9];
    c.pose[0].p = tact_vec3_make(TACT_REAL(0.69053831768900453), TACT_REAL(-0.6276062865407952), TACT_REAL(0.97205116327507923));
    c.pose[1].p = tact_vec3_make(TACT_REAL(0.7799073760656271), TACT_REAL(-0.88590571843973176), TACT_REAL(1.3494157092184116));
    CHECK_CLOSE(measure_pair(&c).gap, 0.079083339110223, 10 * EXACT);
}

// Two capsules on one line, up to rounding: the way out is across, as long as both radii, and not a direction of rounding.
static void check_one_line(void) {
    pair_case c = {.shape = {{.type = TACT_SHAPE_CAPSULE, .size = {TACT_REAL(0.2328), TACT_REAL(0.3695)}},
                             {.type = TACT_SHAPE_CAPSULE, .size = {TACT_REAL(0.0506), TACT_REAL(0.3933)}}}};
    uint64_t seed = test_seed(78);
    for (int k = 0; k < 200; k++) {
        tact_pose pose = random_pose(&seed, 1);
        c.pose[0] = c.pose[1] = pose;
        tact_real along = (tact_real)test_random(&seed, -0.7, 0.7);
        c.pose[1].p = tact_vec3_add_scaled(pose.p, along, tact_mat3_column(pose.R, 2));
        CHECK_CLOSE(measure_pair(&c).gap, -0.2834, 10 * EXACT);
    }
}

int main(void) {
    check_sawtooth();
    check_nearly_parallel();
    check_one_line();
    uint64_t seed = test_seed(77);
    static const tact_shape_type types[] = {TACT_SHAPE_SPHERE,   TACT_SHAPE_PLANE,     TACT_SHAPE_CAPSULE, TACT_SHAPE_BOX,
                                            TACT_SHAPE_CYLINDER, TACT_SHAPE_ELLIPSOID, TACT_SHAPE_HULL};
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++) {
            tact_shape_type a = types[i], b = types[j];
            if (a == TACT_SHAPE_PLANE && b == TACT_SHAPE_PLANE) continue;
            int failed = test_failed;
            check_pairs(&seed, a, b);
            if (a != TACT_SHAPE_PLANE && b != TACT_SHAPE_PLANE && a != TACT_SHAPE_HULL && b != TACT_SHAPE_HULL)
                check_aligned(&seed, a, b);
            if (test_failed > failed) printf("    of types %d and %d\n", (int)a, (int)b);
        }
    printf("%d apart, projections off by %.2g; %d overlap, left by %.2g\n", tally.apart, tally.projection, tally.deep,
           tally.leave);
    printf("gradient off by %.2g, Hessian by %.2g of the largest\n", tally.gradient, tally.hessian);
    printf("of %d Hessians %d are off by more than 2e-6 of the largest entry\n", tally.bent, tally.over);
    printf("%d overlap about a common axis or centre\n", tally.aligned);
    CHECK(tally.aligned > 400);
    CHECK(tally.over <= tally.bent / 500);
    return test_end("pair");
}
