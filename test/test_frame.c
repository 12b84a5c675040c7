// SPDX-License-Identifier: MIT
// The contact frame: orthonormal, the smallest rotation on each chart; its spin against difference quotients.
#include "tact/geom.h"

#include "vector_test.h"

static tact_vec3 unit_of(double x, double y, double z) {
    double length = sqrt(x * x + y * y + z * z);
    return vec(x / length, y / length, z / length);
}

static tact_vec3 random_unit(void) {
    double x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1);
    return unit_of(x, y, z);
}

static tact_vec3 row(tact_mat3 A, int i) {
    return tact_vec3_make(A.m[i][0], A.m[i][1], A.m[i][2]);
}

static void check_frame(tact_vec3 normal) {
    tact_mat3 T = tact_frame_from_normal(normal);
    double t[3][3], worst = 0;
    for (int i = 0; i < 3; i++) spread(row(T, i), t[i]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        worst = fmax(worst, fabs(norm_of(t[i]) - 1));
        worst = fmax(worst, fabs(t[i][0] * t[j][0] + t[i][1] * t[j][1] + t[i][2] * t[j][2]));
    }
    CHECK_CLOSE(worst, 0, 3 * (double)TACT_EPS);
    CHECK(tact_vec3_dot(tact_vec3_cross(row(T, 1), row(T, 2)), normal) > 0);
    CHECK(T.m[0][0] == normal.x && T.m[0][1] == normal.y && T.m[0][2] == normal.z);
    // the smallest rotation from the chart's pole has the cosine of the normal's angle to it in its trace
    double s = normal.z > TACT_REAL(-0.29) ? 1 : -1;
    if (fabs((double)normal.z + 0.29) > 1e-5)
        CHECK_CLOSE(t[1][0] + s * t[2][1] + s * t[0][2], 1 + 2 * s * t[0][2], 6 * (double)TACT_EPS);
}

static void test_frames(void) {
    for (int k = 0; k < 100000; k++) check_frame(random_unit());
    for (int k = 0; k < 125; k++)
        if (k != 62) check_frame(unit_of(k % 5 - 2, k / 5 % 5 - 2, k / 25 - 2));
    for (int k = -50; k <= 50; k++) {
        double z = (double)TACT_REAL(-0.29) + k * (double)TACT_EPS / 4, turn = uniform(0, 7), across = sqrt(1 - z * z);
        check_frame(vec(across * cos(turn), across * sin(turn), z));
    }
    tact_mat3 up = tact_frame_from_normal(vec(0, 0, 1)), down = tact_frame_from_normal(vec(0, 0, -1));
    for (int i = 0; i < 3; i++) {
        CHECK((double)up.m[1][i] == (i == 0) && (double)up.m[2][i] == (i == 1));
        CHECK((double)down.m[1][i] == (i == 0) && (double)down.m[2][i] == -(i == 1));
    }
}

static void test_spin(void) {
    const double h = PICK(1e-5, 4e-3), tolerance = PICK(1e-8, 1e-3);
    for (int k = 0; k < 20000; k++) {
        tact_vec3 n = random_unit(), dn = random_vec(1);
        tact_vec3 spin = tact_frame_spin(n, dn), more = tact_frame_spin(n, tact_vec3_add_scaled(dn, 3, n));
        tact_vec3 across = tact_vec3_add_scaled(dn, -tact_vec3_dot(n, dn), n);
        double rate[3], flat[3];
        spread(spin, rate);
        spread(across, flat);
        CHECK(norm_of(rate) <= 1.71 * norm_of(flat) + 1e-6);
        CHECK_CLOSE(tact_vec3_dot(tact_vec3_sub(spin, more), tact_vec3_sub(spin, more)), 0, 100 * TACT_EPS * TACT_EPS);
        if (fabs((double)n.z + 0.29) < 2 * h) continue;
        double x[3], d[3];
        spread(n, x);
        spread(dn, d);
        tact_mat3 above = tact_frame_from_normal(unit_of(x[0] + h * d[0], x[1] + h * d[1], x[2] + h * d[2]));
        tact_mat3 below = tact_frame_from_normal(unit_of(x[0] - h * d[0], x[1] - h * d[1], x[2] - h * d[2]));
        tact_mat3 T = tact_frame_from_normal(n);
        for (int i = 0; i < 3; i++) {
            double got[3];
            spread(tact_vec3_cross(spin, row(T, i)), got);
            for (int j = 0; j < 3; j++) CHECK_CLOSE(got[j], ((double)above.m[i][j] - (double)below.m[i][j]) / (2 * h), tolerance);
        }
    }
}

int main(void) {
    seed = test_seed(20250502);
    test_frames();
    test_spin();
    return test_end("frame");
}
