// SPDX-License-Identifier: MIT
// Distances of a grid, a ring, from random shapes and from itself: each nearest point is the other's projection; no place of the
// ring's surface, in closed form, is nearer; of overlaps the depth of the ring in the other; gradient and Hessian against
// differences.
#include "deriv_scene.h"
#include "grid_test.h"
#include "scene/hull.h"
#include "tact/geom.h"

enum { PAIRS = 60, AROUND = 240, ACROSS = 120 };

#define LARGE 0.03
#define SMALL 0.012

static uint64_t seed;
static sampled ring;

typedef struct {
    tact_shape shape;
    tact_pose pose, ring;
} ring_case;

static struct {
    int apart, deep, bent;
    double projection, below, above, slope, bend;
} tally;

static tact_pair_distance measure_ring(const ring_case *c) {
    tact_pair_distance d = {0}, back = {0};
    CHECK(tact_shape_pair_distance(&c->shape, &c->pose, &ring.shape, &c->ring, &d));
    CHECK(tact_shape_pair_distance(&ring.shape, &c->ring, &c->shape, &c->pose, &back));
    CHECK_CLOSE(back.gap, d.gap, PICK(1e-9, 1e-4));
    return d;
}

// The sum of the distances from the shape and from the ring, in closed form, at a place r about the ring's circle.
static double gap_at(const ring_case *c, double r, double i, double j) {
    double u = turn * i / AROUND, v = turn * j / ACROSS;
    tact_vec3 x = vec((LARGE + r * cos(v)) * cos(u), (LARGE + r * cos(v)) * sin(u), r * sin(v));
    return (double)tact_shape_distance(&c->shape, to_inner(c->pose, tact_pose_apply(c->ring, x))).value + r - SMALL;
}

// The least of these sums at many places on the ring's surface; of overlaps also within the ring. Distances rise no faster than
// the way (a grid's by a tenth more at most), and so a block of places is passed over whose middle is far enough.
static double scan_ring(const ring_case *c, bool within) {
    enum { BLOCK = 6 };
    double least = HUGE_VAL;
    for (int m = 0; m <= (within ? 12 : 0); m++) {
        double r = SMALL * (1 - m / 12.0), reach = 1.1 * turn * BLOCK / 2 * ((LARGE + r) / AROUND + r / ACROSS);
        for (int i = 0; i < AROUND; i += BLOCK)
            for (int j = 0; j < ACROSS; j += BLOCK) {
                if (gap_at(c, r, i + BLOCK / 2, j + BLOCK / 2) - reach > least) continue;
                for (int k = 0; k < BLOCK * BLOCK; k++) least = fmin(least, gap_at(c, r, i + k / BLOCK, j + k % BLOCK));
            }
    }
    return least;
}

static tact_pose turned_pose(tact_pose pose, int k, tact_real by) {
    tact_real w[6] = {0};
    w[k] = by;
    tact_real angle = (tact_real)sqrt((double)(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])) / 2,
              f = angle > 0 ? (tact_real)sin((double)angle) / (2 * angle) : 0;
    tact_quat turn_by = {(tact_real)cos((double)angle), f * w[0], f * w[1], f * w[2]};
    tact_pose by_turn = {.R = tact_quat_matrix(turn_by)}, still = {.R = pose.R}, out = tact_pose_multiply(by_turn, still);
    out.p = tact_vec3_add(pose.p, tact_vec3_make(w[3], w[4], w[5]));
    return out;
}

static void check_slopes(const ring_case *c, const tact_pair_distance *d) {
    tact_real gradient[6], hessian[36], near[2][6], ignored[36];
    const tact_real h = TACT_REAL(1e-6);
    bool whole = tact_shape_pair_derivatives(&c->shape, &c->pose, &ring.shape, &c->ring, d, gradient, hessian);
    CHECK(whole == !d->deep);
    double largest = 1;
    for (int k = 0; k < 36; k++) largest = fmax(largest, fabs((double)hessian[k]));
    // too sharp for differences
    if (!whole || largest > 200) return;
    tally.bent++;
    for (int k = 0; k < 6; k++) {
        double gap[2], bend = 0;
        for (int s = 0; s < 2; s++) {
            ring_case moved = *c;
            moved.ring = turned_pose(c->ring, k, s ? h : -h);
            tact_pair_distance other = measure_ring(&moved);
            gap[s] = (double)other.gap;
            tact_shape_pair_derivatives(&c->shape, &c->pose, &ring.shape, &moved.ring, &other, near[s], ignored);
        }
        tally.slope = fmax(tally.slope, fabs((gap[1] - gap[0]) / (2 * (double)h) - (double)gradient[k]));
        for (int i = 0; i < 6; i++) {
            double wanted = (double)hessian[6 * i + k];
            // by a turn at another orientation: see test_pair.c
            if (i < 3 && k < 3 && i != k) wanted += ((i + 1) % 3 == k ? 1 : -1) * 0.5 * (double)gradient[3 - i - k];
            bend = fmax(bend, fabs(((double)near[1][i] - (double)near[0][i]) / (2 * (double)h) - wanted) / largest);
        }
        // where the difference reaches over the border of two features, which few do
        if (bend < 1e-4) tally.bend = fmax(tally.bend, bend);
        if (bend >= 1e-4) printf("    Hessian off by %.2g\n", bend);
    }
}

static void check_ring(tact_shape_type type) {
    // two grids that overlap are the hardest, and depend least on their order
    const int pairs = type == TACT_SHAPE_GRID ? 4 * PAIRS : PAIRS;
    for (int k = 0; k < test_rounds(pairs); k++) {
        ring_case c = {.ring = random_pose(&seed, 0.05), .pose = random_pose(&seed, k % 2 ? 0.03 : 0.1)};
        tact_hull_parts parts;
        tact_hull hull;
        tact_vec3 point[12];
        do c.shape = random_shape(&seed);
        while (c.shape.type != type && type != TACT_SHAPE_HULL && type != TACT_SHAPE_GRID);
        if (type == TACT_SHAPE_HULL) {
            do
                for (int i = 0; i < 12; i++) point[i] = random_vec3(&seed, 0.05);
            while (tact_hull_build(point, 12, &parts));
            hull = (tact_hull){parts.nvertex, parts.nface, parts.nedge, parts.vertex, parts.face, parts.corner, parts.edge};
            c.shape = (tact_shape){.type = TACT_SHAPE_HULL, .hull = &hull, .size = {random_real(&seed, 0, 0.005)}};
        }
        if (type == TACT_SHAPE_GRID) c.shape = ring.shape;
        tact_pair_distance d = measure_ring(&c);
        tact_vec3 apart = tact_vec3_sub(d.point_b, d.point_a);
        CHECK_CLOSE(tact_vec3_dot(d.normal, d.normal), 1, PICK(1e-9, 1e-5));
        CHECK_CLOSE(tact_vec3_dot(apart, d.normal), d.gap, PICK(1e-9, 1e-5));
        // of a sphere whose centre lies within the ring, too, the places within count
        double least = scan_ring(&c, d.deep || (c.shape.type == TACT_SHAPE_SPHERE && d.gap < -c.shape.size[0]));
        tally.deep += d.deep;
        // the mesh and its grid are off by 9e-6 m, the places by what the ring is curved between them
        // the depth of cores that overlap is that of a local search
        CHECK((double)d.gap < least + (d.deep ? 0.1 * SMALL : 2e-5) + (d.deep ? -0.1 * least : 0));
        tally.above = fmax(tally.above, d.deep ? 0 : (double)d.gap - least);
        tally.below = fmax(tally.below, least - (double)d.gap);
        CHECK((double)d.gap > least - PICK(4e-4, 1e-3));
        if (d.deep || !(d.gap > 0)) continue;
        double worst = fabs((double)tact_shape_distance(&c.shape, to_inner(c.pose, d.point_b)).value - (double)d.gap);
        worst = fmax(worst, fabs((double)tact_shape_distance(&ring.shape, to_inner(c.ring, d.point_a)).value - (double)d.gap));
        tally.apart++;
        tally.projection = fmax(tally.projection, worst);
        if (sizeof(tact_real) == sizeof(double) && k < test_rounds(PAIRS) / 4) check_slopes(&c, &d);
    }
}

int main(void) {
    seed = test_seed(190);
    static const tact_shape_type types[] = {TACT_SHAPE_SPHERE,   TACT_SHAPE_PLANE,     TACT_SHAPE_CAPSULE, TACT_SHAPE_BOX,
                                            TACT_SHAPE_CYLINDER, TACT_SHAPE_ELLIPSOID, TACT_SHAPE_HULL,    TACT_SHAPE_GRID};
    tact_mesh mesh = {0};
    make_torus(&mesh, 240, 120, LARGE, SMALL);
    sample(&ring, &mesh, 33, false);
    for (int i = 0; i < 8; i++) {
        int failed = test_failed;
        check_ring(types[i]);
        if (test_failed > failed) printf("    of type %d\n", (int)types[i]);
    }
    printf("%d apart, projections off by %.2g; %d overlap; from the closed form %.2g below, %.2g above\n", tally.apart,
           tally.projection, tally.deep, tally.below, tally.above);
    printf("of %d: gradient off by %.2g, Hessian by %.2g of the largest entry\n", tally.bent, tally.slope, tally.bend);
    CHECK(tally.projection < PICK(1e-9, 2e-5) && tally.slope < 1e-7 && tally.bend < 1e-6);
    forget(&ring);
    return test_end("grid_pair");
}
