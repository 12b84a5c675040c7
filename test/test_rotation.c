// SPDX-License-Identifier: MIT
#include "tact/math.h"

#include "random_model.h"

static double quat_angle(tact_quat a, tact_quat b) {
    double x = (double)a.w - (double)b.w, y = (double)a.x - (double)b.x, z = (double)a.y - (double)b.y,
           w = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z + w * w);
}

// exp against the formula in long double, relative to the vector part, from the smallest angles to several turns
static void test_exp(uint64_t *seed) {
    double worst = 0, worst_unit = 0;
    for (int i = 0; i < 20000; i++) {
        tact_vec3 axis = random_axis(seed);
        double size = pow(10, test_random(seed, 2 * log10((double)TACT_EPS), 1));
        tact_vec3 r = tact_vec3_scale((tact_real)size, axis);
        tact_quat q = tact_rotation_exp(r);
        long double x = (long double)r.x, y = (long double)r.y, z = (long double)r.z;
        long double angle = sqrtl(x * x + y * y + z * z), s = sinl(angle / 2) / angle;
        long double error = fabsl((long double)q.x - s * x) + fabsl((long double)q.y - s * y) + fabsl((long double)q.z - s * z);
        // beyond one radian the rounding of the argument counts
        double more = angle > 1 ? (double)angle : 0;
        worst = fmax(worst, (double)error / (fabs((double)(s * angle)) + more));
        worst = fmax(worst, fabs((double)((long double)q.w - cosl(angle / 2))) / (1 + more));
        double unit =
            (double)q.w * (double)q.w + (double)q.x * (double)q.x + (double)q.y * (double)q.y + (double)q.z * (double)q.z;
        worst_unit = fmax(worst_unit, fabs(unit - 1));
    }
    printf("exp: error %.2g eps, length %.2g eps\n", worst / (double)TACT_EPS, worst_unit / (double)TACT_EPS);
    CHECK(worst < 6 * (double)TACT_EPS);
    CHECK(worst_unit < 4 * (double)TACT_EPS);
    tact_quat none = tact_rotation_exp(tact_vec3_make(0, 0, 0));
    CHECK(none.w == 1 && none.x == 0 && none.y == 0 && none.z == 0);
}

// log of exp, with either sign, from the smallest angles to pi
static void test_log(uint64_t *seed) {
    double worst = 0;
    for (int i = 0; i < 20000; i++) {
        double gap = pow(10, test_random(seed, 2 * log10((double)TACT_EPS), 0)), size = i % 2 ? gap : 3.14159265358979 - gap;
        // below pi, so that the shortest rotation is r itself
        tact_vec3 r = tact_vec3_scale((tact_real)(size * (1 - 4 * (double)TACT_EPS)), random_axis(seed));
        tact_quat q = tact_rotation_exp(r);
        tact_real sign = i % 3 ? 1 : -1, length = (tact_real)pow(2, random_int(seed, -3, 3));
        tact_quat same = {sign * length * q.w, sign * length * q.x, sign * length * q.y, sign * length * q.z};
        tact_vec3 d = tact_vec3_sub(tact_rotation_log(same), r);
        worst = fmax(worst, sqrt((double)tact_vec3_dot(d, d) / (double)tact_vec3_dot(r, r)));
    }
    printf("log: relative error %.2g eps\n", worst / (double)TACT_EPS);
    CHECK(worst < 8 * (double)TACT_EPS);
}

static void test_log_ends(void) {
    const double pi = 3.14159265358979323846;
    tact_quat identity = {1, 0, 0, 0}, half = {0, 0, 1, 0}, negative = {TACT_REAL(-0.0), 0, 0, -1};
    tact_vec3 r = tact_rotation_log(identity);
    CHECK(r.x == 0 && r.y == 0 && r.z == 0);
    r = tact_rotation_log(half);
    CHECK(r.x == 0 && r.z == 0);
    CHECK_CLOSE(r.y, pi, ROUNDING(1e-15));
    r = tact_rotation_log(negative);
    CHECK_CLOSE(r.z, -pi, ROUNDING(1e-15));
    // below the square root of the smallest number the square vanishes
    tact_quat tiny = {1, 8 * TACT_REAL(FLT_MIN) * TACT_EPS, 0, 0};
    r = tact_rotation_log(tiny);
    CHECK(r.x == 2 * tiny.x);
    CHECK(tact_rotation_exp(r).x == tiny.x);
}

static void test_matrices(uint64_t *seed) {
    double worst = 0, worst_about = 0;
    for (int i = 0; i < 5000; i++) {
        tact_vec3 axis = random_axis(seed);
        // many of them close to half a turn, where w vanishes
        double angle = i % 2 ? test_random(seed, -3, 3) : 3.14159265358979 - pow(10, test_random(seed, -9, 0));
        tact_quat q = tact_rotation_exp(tact_vec3_scale((tact_real)angle, axis));
        tact_mat3 R = tact_quat_matrix(q), A = tact_rotation_about(axis, (tact_real)sin(angle), (tact_real)cos(angle));
        tact_quat back = tact_quat_from_matrix(R), minus = {-back.w, -back.x, -back.y, -back.z};
        CHECK(back.w >= 0);
        worst = fmax(worst, fmin(quat_angle(back, q), quat_angle(minus, q)));
        for (int k = 0; k < 9; k++) worst_about = fmax(worst_about, fabs((double)(A.m[k / 3][k % 3] - R.m[k / 3][k % 3])));
        tact_mat3 C = tact_quat_matrix(tact_quat_conjugate(q)), I = tact_mat3_multiply(R, C);
        for (int k = 0; k < 9; k++) worst_about = fmax(worst_about, fabs((double)I.m[k / 3][k % 3] - (k % 4 == 0)));
    }
    CHECK(worst < 8 * (double)TACT_EPS);
    CHECK(worst_about < 16 * (double)TACT_EPS);
}

static void test_normalize(uint64_t *seed) {
    tact_real x[4];
    random_quat(seed, x);
    tact_quat q = {3 * x[0], 3 * x[1], 3 * x[2], 3 * x[3]}, zero = {0, 0, 0, 0}, unit = tact_quat_normalize(q);
    CHECK_CLOSE(unit.w, x[0], 4 * (double)TACT_EPS);
    CHECK_CLOSE(unit.z, x[3], 4 * (double)TACT_EPS);
    CHECK(tact_quat_normalize(zero).w == 1);
    // a thousand small turns and their inverses leave neither length nor direction behind
    tact_quat turning = unit;
    for (int i = 0; i < 2000; i++) {
        tact_vec3 d = {TACT_REAL(0.01) * (tact_real)(i < 1000 ? 1 : -1), 0, TACT_REAL(0.02) * (tact_real)(i < 1000 ? 1 : -1)};
        turning = tact_quat_normalize(tact_quat_multiply(tact_rotation_exp(d), turning));
    }
    CHECK(quat_angle(turning, unit) < 1000 * (double)TACT_EPS);
}

int main(void) {
    uint64_t seed = test_seed(1);
    test_exp(&seed);
    test_log(&seed);
    test_log_ends();
    test_matrices(&seed);
    test_normalize(&seed);
    return test_end("rotation");
}
