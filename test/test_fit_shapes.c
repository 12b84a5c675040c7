// SPDX-License-Identifier: MIT
// Smallest shapes round points: spheres, capsules and boxes that are turned at random give their sizes back; clouds are enclosed
// and no neighbour is smaller; the sphere against all balls of up to four points; masses against sums over cells.
#include "tact/mesh.h"
#include "tact/robot.h"
#include "test.h"

enum { ROOM = 6000 };

static tact_fit_point point[ROOM];
static uint64_t seed;

static void turn_randomly(double R[3][3]) {
    double q[4], norm = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = test_random(&seed, -1, 1);
        norm += q[k] * q[k];
    }
    norm = sqrt(norm);
    double w = q[0] / norm, x = q[1] / norm, y = q[2] / norm, z = q[3] / norm;
    double turned[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(R, turned, sizeof turned);
}

static void move(int n, double R[3][3], const double p[3]) {
    for (int i = 0; i < n; i++) {
        double x[3];
        memcpy(x, point[i].x, sizeof x);
        for (int k = 0; k < 3; k++) point[i].x[k] = p[k] + R[k][0] * x[0] + R[k][1] * x[1] + R[k][2] * x[2];
    }
}

static void random_direction(double d[3]) {
    double square = 2;
    while (square > 1 || square < 0.01) {
        square = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = test_random(&seed, -1, 1);
            square += d[k] * d[k];
        }
    }
    for (int k = 0; k < 3; k++) d[k] /= sqrt(square);
}

// how far the farthest point is outside, by formulas of its own
static double find_outside(const tact_shape_fit *fit, int n) {
    double most = -HUGE_VAL;
    for (int i = 0; i < n; i++) {
        double x[3] = {0}, out = 0;
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) x[k] += fit->R[c][k] * (point[i].x[c] - fit->center[c]);
        double beyond = fabs(x[2]) > fit->size[1] ? fabs(x[2]) - fit->size[1] : 0;
        if (fit->type == TACT_SHAPE_SPHERE) out = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - fit->size[0];
        if (fit->type == TACT_SHAPE_CAPSULE) out = sqrt(x[0] * x[0] + x[1] * x[1] + beyond * beyond) - fit->size[0];
        if (fit->type == TACT_SHAPE_BOX)
            out = fmax(fabs(x[0]) - fit->size[0], fmax(fabs(x[1]) - fit->size[1], fabs(x[2]) - fit->size[2]));
        most = fmax(most, out);
    }
    return most;
}

static void check_sphere(void) {
    double p[3] = {test_random(&seed, -1, 1), test_random(&seed, -1, 1), test_random(&seed, -1, 1)};
    double r = test_random(&seed, 0.001, 2);
    for (int i = 0; i < 500; i++) {
        double d[3];
        random_direction(d);
        for (int k = 0; k < 3; k++) point[i].x[k] = p[k] + r * d[k];
    }
    tact_shape_fit fit;
    CHECK(tact_fit_points(TACT_SHAPE_SPHERE, point, 500, &fit));
    CHECK_CLOSE(fit.size[0] / r, 1, 1e-9);
    for (int k = 0; k < 3; k++) CHECK_CLOSE(fit.center[k], p[k], 1e-9);
    CHECK(find_outside(&fit, 500) <= 1e-12);
    CHECK(fit.inside <= 1e-9);
}

// rings and caps, so that the capsule is the only smallest one
static void check_capsule(void) {
    double R[3][3], p[3] = {test_random(&seed, -1, 1), test_random(&seed, -1, 1), test_random(&seed, -1, 1)};
    double r = test_random(&seed, 0.01, 0.5), half = r * test_random(&seed, 0.2, 4);
    int n = 0;
    for (int i = 0; i < 17; i++) {
        double latitude = i * 3.14159265358979323846 / 16 - 1.57079632679489661923;
        for (int k = 0; k < 64; k++) {
            double angle = k * 3.14159265358979323846 / 32;
            point[n++] = (tact_fit_point){
                {r * cos(latitude) * cos(angle), r * cos(latitude) * sin(angle), r * sin(latitude) + (i < 8 ? -half : half)}};
        }
    }
    turn_randomly(R);
    move(n, R, p);
    tact_shape_fit fit;
    CHECK(tact_fit_points(TACT_SHAPE_CAPSULE, point, n, &fit));
    CHECK_INT(fit.type, TACT_SHAPE_CAPSULE);
    CHECK_CLOSE(fit.size[0] / r, 1, 1e-5);
    CHECK_CLOSE(fit.size[1] / half, 1, 1e-4);
    CHECK_CLOSE(fabs(fit.R[0][2] * R[0][2] + fit.R[1][2] * R[1][2] + fit.R[2][2] * R[2][2]), 1, 1e-5);
    for (int k = 0; k < 3; k++) CHECK_CLOSE(fit.center[k], p[k], 1e-4 * (r + half));
    CHECK(find_outside(&fit, n) <= 1e-9);
}

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_box(void) {
    double R[3][3], size[3], found[3], p[3] = {test_random(&seed, -1, 1), test_random(&seed, -1, 1), test_random(&seed, -1, 1)};
    int n = 0;
    for (int k = 0; k < 3; k++) size[k] = test_random(&seed, 0.01, 1);
    for (int i = 0; i < 8; i++)
        point[n++] = (tact_fit_point){{i & 1 ? size[0] : -size[0], i & 2 ? size[1] : -size[1], i & 4 ? size[2] : -size[2]}};
    for (int i = 0; i < 300; i++, n++)
        for (int k = 0; k < 3; k++) point[n].x[k] = test_random(&seed, -size[k], size[k]);
    turn_randomly(R);
    move(n, R, p);
    tact_shape_fit fit;
    CHECK(tact_fit_points(TACT_SHAPE_BOX, point, n, &fit));
    memcpy(found, fit.size, sizeof found);
    qsort(size, 3, sizeof size[0], compare_numbers);
    qsort(found, 3, sizeof found[0], compare_numbers);
    for (int k = 0; k < 3; k++) {
        CHECK_CLOSE(found[k] / size[k], 1, 1e-5);
        CHECK_CLOSE(fit.center[k], p[k], 1e-5);
    }
    CHECK(find_outside(&fit, n) <= 1e-9);
}

// the smallest ball of few points by trying the midpoints and circumcentres of all pairs, threes and fours: the largest of
// the smallest balls of any four points (Helly)
static double pair_radius(int n) {
    double least = 0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            double square = 0;
            for (int c = 0; c < 3; c++) square += (point[i].x[c] - point[k].x[c]) * (point[i].x[c] - point[k].x[c]);
            least = fmax(least, sqrt(square) / 2);
        }
    }
    return least;
}

static double farthest(const double center[3], int n) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++) square += (point[i].x[c] - center[c]) * (point[i].x[c] - center[c]);
        most = fmax(most, sqrt(square));
    }
    return most;
}

static void check_cloud(tact_shape_type type) {
    int n = 1 + (int)(test_random_bits(&seed) % (test_random_bits(&seed) % 8 == 0 ? 4000 : 60));
    double shape[3] = {test_random(&seed, 0.01, 1), test_random(&seed, 0.01, 1), test_random(&seed, 0.01, 1)};
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) point[i].x[k] = shape[k] * test_random(&seed, -1, 1) + 0.5;
    // some twice, some in a line
    if (n > 10) point[3] = point[7];
    if (n > 10)
        for (int k = 0; k < 3; k++) point[5].x[k] = (point[2].x[k] + point[8].x[k]) / 2;
    tact_shape_fit fit, again;
    CHECK(tact_fit_points(type, point, n, &fit));
    CHECK(tact_fit_points(type, point, n, &again));
    CHECK(memcmp(&fit, &again, sizeof fit) == 0);
    CHECK(find_outside(&fit, n) <= (n > 1500 ? 1e-4 : 1e-6));
    if (fit.type != TACT_SHAPE_SPHERE || type != TACT_SHAPE_SPHERE) return;
    // not smaller than half the diameter, and no centre beside it is better
    CHECK(fit.size[0] >= pair_radius(n) * (1 - 1e-12));
    for (int i = 0; i < 20; i++) {
        double d[3], center[3], step = pow(10, test_random(&seed, -6, -1));
        random_direction(d);
        for (int k = 0; k < 3; k++) center[k] = fit.center[k] + step * d[k];
        CHECK(farthest(center, n) >= fit.size[0] * (1 - 1e-12));
    }
}

// volume and moments against a grid of cells
static void check_volume(tact_shape_type type, tact_real a, tact_real b, tact_real c) {
    enum { CELLS = 80 };
    tact_real size[4] = {a, b, c, 0};
    double volume = 0, moment[3], sum = 0, square[3] = {0}, half[3] = {(double)a, (double)b, (double)c};
    bool round = type == TACT_SHAPE_CAPSULE || type == TACT_SHAPE_CYLINDER;
    CHECK(tact_shape_volume(type, size, &volume, moment));
    if (type == TACT_SHAPE_SPHERE) half[1] = half[2] = half[0];
    if (round) {
        half[1] = half[0];
        half[2] = (double)b + (type == TACT_SHAPE_CAPSULE ? (double)a : 0);
    }
    for (int i = 0; i < CELLS * CELLS * CELLS; i++) {
        double x[3] = {(i % CELLS + 0.5) / CELLS * 2 - 1, (i / CELLS % CELLS + 0.5) / CELLS * 2 - 1,
                       (i / CELLS / CELLS + 0.5) / CELLS * 2 - 1};
        bool in = true;
        if (type == TACT_SHAPE_SPHERE || type == TACT_SHAPE_ELLIPSOID) in = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] <= 1;
        for (int k = 0; k < 3; k++) x[k] *= half[k];
        double beyond = type == TACT_SHAPE_CAPSULE && fabs(x[2]) > (double)b ? fabs(x[2]) - (double)b : 0;
        if (round) in = x[0] * x[0] + x[1] * x[1] + beyond * beyond <= half[0] * half[0];
        if (!in) continue;
        sum += 1;
        for (int k = 0; k < 3; k++) square[k] += x[k] * x[k];
    }
    CHECK_CLOSE(volume / (8 * half[0] * half[1] * half[2] * sum / (CELLS * CELLS * CELLS)), 1, 0.01);
    for (int k = 0; k < 3; k++) CHECK_CLOSE(moment[k] / ((square[(k + 1) % 3] + square[(k + 2) % 3]) / sum), 1, 0.01);
}

static void check_measure(void) {
    // of a square of side 2 at z = 0, the sphere round it: its poles are 2^(1/2) away
    tact_fit_point corners[4] = {{{-1, -1, 0}}, {{1, -1, 0}}, {{1, 1, 0}}, {{-1, 1, 0}}};
    const int triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    tact_shape_fit fit;
    CHECK(tact_fit_points(TACT_SHAPE_SPHERE, corners, 4, &fit));
    CHECK_CLOSE(fit.size[0], sqrt(2), 1e-12);
    tact_fit_measure(&fit, corners, triangles, 2);
    CHECK_CLOSE(fit.deviation, sqrt(2), 0.01);

    // a capsule of rings of triangles is off by the sag of its sides, r (1 - cos(pi/64)) = 0.0012 r and less than twice that
    static int sides[2 * 17 * 64][3];
    int count = 0, n = 0;
    for (int i = 0; i < 18; i++) {
        double latitude = (i < 9 ? i : i - 1) * 3.14159265358979323846 / 16 - 1.57079632679489661923;
        for (int k = 0; k < 64; k++) {
            double angle = k * 3.14159265358979323846 / 32;
            point[n++] =
                (tact_fit_point){{cos(latitude) * cos(angle), cos(latitude) * sin(angle), sin(latitude) + (i < 9 ? -1.5 : 1.5)}};
            if (i == 17) continue;
            int next = (k + 1) % 64;
            int quad[4] = {64 * i + k, 64 * i + next, 64 * (i + 1) + k, 64 * (i + 1) + next};
            memcpy(sides[count++], (int[3]){quad[0], quad[1], quad[3]}, sizeof sides[0]);
            memcpy(sides[count++], (int[3]){quad[0], quad[3], quad[2]}, sizeof sides[0]);
        }
    }
    CHECK(tact_fit_points(TACT_SHAPE_CAPSULE, point, n, &fit));
    tact_fit_measure(&fit, point, (const int(*)[3])sides, count);
    CHECK(fit.deviation > 1e-4 && fit.deviation < 0.01);
}

static void check_rules(void) {
    const char *rules[] = {"box", "link_*=sphere", "*_tip=none", "exact=capsule", "a*b*c=sphere"};
    tact_draft_fit fit = {.rule = rules, .nrule = 5};
    bool matched[5] = {false};
    CHECK_INT(tact_fit_rule_find(&fit, "palm", NULL).kind, TACT_FIT_BOX);
    CHECK_INT(tact_fit_rule_find(&fit, "link_3", NULL).kind, TACT_FIT_SPHERE);
    CHECK_INT(tact_fit_rule_find(&fit, "link_3_tip", matched).kind, TACT_FIT_NONE);
    CHECK(matched[0] && matched[1] && matched[2] && !matched[3] && !matched[4]);
    CHECK_INT(tact_fit_rule_find(&fit, "exact", NULL).kind, TACT_FIT_CAPSULE);
    CHECK_INT(tact_fit_rule_find(&fit, "exactly", NULL).kind, TACT_FIT_BOX);
    CHECK_INT(tact_fit_rule_find(&fit, "a_b_bc", NULL).kind, TACT_FIT_SPHERE);
    CHECK_INT(tact_fit_rule_find(&fit, "a_c_b", NULL).kind, TACT_FIT_BOX);
    for (int i = 0; i < 5; i++) CHECK(tact_fit_rule_check(rules[i], false).text[0] == '\0');
    const char *wrong[] = {"", "sdf", "tip=sdf", "=box", "tip=", "boxes", "tip=box "};
    for (int i = 0; i < 7; i++) CHECK(tact_fit_rule_check(wrong[i], false).text[0] != '\0');
    // how many numbers a grid has; where no array can be written there is none
    const char *grids[] = {"sdf", "tip=sdf:9", "sdf:256"},
               *sizes[] = {"sdf:", "sdf:8", "tip=sdf:257", "sdf:3x", "sdf:9.5", "box:9"};
    fit = (tact_draft_fit){.rule = grids, .nrule = 2};
    for (int i = 0; i < 3; i++) CHECK(tact_fit_rule_check(grids[i], true).text[0] == '\0');
    for (int i = 0; i < 6; i++) CHECK(tact_fit_rule_check(sizes[i], true).text[0] != '\0');
    CHECK(strstr(tact_fit_rule_check("tip=sdf", false).text, "tact import ROBOT --fit sdf -o ROBOT.json") != NULL);
    CHECK_INT(tact_fit_rule_find(&fit, "palm", NULL).count, 49);
    CHECK_INT(tact_fit_rule_find(&fit, "tip", NULL).kind, TACT_FIT_SDF);
    CHECK_INT(tact_fit_rule_find(&fit, "tip", NULL).count, 9);
}

int main(void) {
    seed = test_seed(20);
    int rounds = test_rounds(12);
    for (int i = 0; i < rounds; i++) {
        check_sphere();
        check_capsule();
        check_box();
        check_cloud(TACT_SHAPE_CAPSULE);
        check_cloud(TACT_SHAPE_BOX);
    }
    for (int i = 0; i < 20 * rounds; i++) check_cloud(TACT_SHAPE_SPHERE);
    check_volume(TACT_SHAPE_SPHERE, TACT_REAL(0.3), 0, 0);
    check_volume(TACT_SHAPE_ELLIPSOID, TACT_REAL(0.3), TACT_REAL(0.2), TACT_REAL(0.5));
    check_volume(TACT_SHAPE_BOX, TACT_REAL(0.3), TACT_REAL(0.2), TACT_REAL(0.5));
    check_volume(TACT_SHAPE_CYLINDER, TACT_REAL(0.3), TACT_REAL(0.2), 0);
    check_volume(TACT_SHAPE_CAPSULE, TACT_REAL(0.3), TACT_REAL(0.2), 0);
    check_measure();
    check_rules();
    return test_end("fit_shapes");
}
