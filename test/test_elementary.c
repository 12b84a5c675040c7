// SPDX-License-Identifier: MIT
// The elementary functions against the long double libm at random arguments, at special values, and bit for bit against
// stored hashes.
#include "math/elementary.h"
#include "math/wide_trig.h"
#include "test.h"
#include <fenv.h>

#ifdef TACT_FLOAT
#define MANTISSA 24
#define LOWEST_EXPONENT (-149)
#define EXP_RANGE -105, 90
#define ORDINARY_EXP 88
#define HALF_PI_TAIL -0x1.777a5cp-25
typedef uint32_t real_bits;
enum { hash_column = 1 };
#else
#define MANTISSA 53
#define LOWEST_EXPONENT (-1074)
#define EXP_RANGE -750, 715
#define ORDINARY_EXP 709
#define HALF_PI_TAIL 0x1.1a62633145c07p-54
typedef uint64_t real_bits;
enum { hash_column = 0 };
#endif

enum { hashed_points = 10000 };

static int random_points;

static const tact_real smallest = sizeof(tact_real) == 4 ? TACT_REAL(0x1p-149) : TACT_REAL(0x1p-1074);

typedef struct {
    const char *name;
    tact_real (*own)(tact_real);
    long double (*libm)(long double);
    double range[3][2];  // uniform arguments; further ones are random bits
    uint64_t hash[2];    // over the results in double and in float
} unary;

static const unary functions[] = {
    {"sin", tact_sin, sinl, {{-4, 4}, {-100, 100}, {-1e5, 1e5}}, {0x6aaf260aff1da5a6, 0x0b5b11e609934a41}},
    {"cos", tact_cos, cosl, {{-4, 4}, {-100, 100}, {-1e5, 1e5}}, {0x35fa910612de1c5a, 0x45746521e9b3cad6}},
    {"exp", tact_exp, expl, {{-1, 1}, {-20, 20}, {EXP_RANGE}}, {0xa56ea0a6c691a21b, 0xd75d45ea87722515}},
    {"log", tact_log, logl, {{0.5, 2}, {0, 100}, {0, 1e30}}, {0x06125cc7bbf0f9e7, 0x700a74b4a3ff76ac}},
    {"tanh", tact_tanh, tanhl, {{-0.5, 0.5}, {-2, 2}, {-25, 25}}, {0xf7cd1d27e20dfd2c, 0x8f44c9e9e72a0c3b}},
    {"expm1", tact_expm1, expm1l, {{-1, 1}, {-50, 50}, {EXP_RANGE}}, {0xbfc4adc151692a00, 0x84a1cac574a6351b}},
    {"log1p", tact_log1p, log1pl, {{-0.5, 0.5}, {-1, 2}, {-1, 1000}}, {0xf146a40c286e1c15, 0x7d8af7af20b61066}},
};
enum { function_count = sizeof functions / sizeof functions[0] };

static const double atan2_range[3] = {1, 1000, 1e30};
static const uint64_t atan2_hash[2] = {0x34adbc3dcc14a045, 0x1b50b5c492d6dc79};

static real_bits bits_of(tact_real x) {
    real_bits bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

// the same number with the same sign of zero, or both NaN
static bool same(tact_real a, tact_real b) {
    return bits_of(a) == bits_of(b) || (a != a && b != b);
}

static tact_real random_real(uint64_t *state) {
    real_bits bits = (real_bits)test_random_bits(state);
    tact_real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static tact_real next_up(tact_real x) {
    return sizeof x == 4 ? (tact_real)nextafterf((float)x, (float)TACT_INFINITY)
                         : (tact_real)nextafter((double)x, (double)INFINITY);
}

// |got - wanted| in units of the last place of wanted; a wrong NaN or infinity is infinitely far
static double ulps(tact_real got, long double wanted) {
    if (wanted != wanted || got != got) return wanted != wanted && got != got ? 0 : (double)INFINITY;
    if (!tact_is_finite(got)) return got == (tact_real)wanted ? 0 : (double)INFINITY;
    int exponent = 0;
    frexpl(wanted, &exponent);
    exponent = wanted == 0 || exponent - MANTISSA < LOWEST_EXPONENT ? LOWEST_EXPONENT : exponent - MANTISSA;
    return (double)ldexpl(fabsl((long double)got - wanted), -exponent);
}

// random_points in the ranges in turn, then as many of random bits
static void measure(const unary *f, uint64_t *state) {
    double worst = 0;
    tact_real where = 0;
    for (int i = 0; i < 2 * random_points; i++) {
        const double *range = f->range[i % 3];
        tact_real x = i < random_points ? (tact_real)test_random(state, range[0], range[1]) : random_real(state);
        double error = ulps(f->own(x), f->libm((long double)x));
        if (error > worst) {
            worst = error;
            where = x;
        }
    }
    printf("%-6s %.4f ulp at %a\n", f->name, worst, (double)where);
    CHECK(worst <= 1);
}

static void measure_atan2(uint64_t *state) {
    double worst = 0;
    tact_real at_y = 0, at_x = 0;
    for (int i = 0; i < 2 * random_points; i++) {
        double range = atan2_range[i % 3];
        bool uniform = i < random_points;
        tact_real y = uniform ? (tact_real)test_random(state, -range, range) : random_real(state);
        tact_real x = uniform ? (tact_real)test_random(state, -range, range) : random_real(state);
        double error = ulps(tact_atan2(y, x), atan2l((long double)y, (long double)x));
        if (error > worst) {
            worst = error;
            at_y = y;
            at_x = x;
        }
    }
    printf("%-6s %.4f ulp at %a, %a\n", "atan2", worst, (double)at_y, (double)at_x);
    CHECK(worst <= 1);
}

// the comparison needs a libm with more bits than tact_real
static void test_errors(uint64_t *state) {
    if (LDBL_MANT_DIG < MANTISSA + 8) {
        printf("errors not measured: long double has %d bits\n", LDBL_MANT_DIG);
        return;
    }
    random_points = test_rounds(1000000);
    printf("%d points each\n", 2 * random_points);
    for (int i = 0; i < function_count; i++) measure(&functions[i], state);
    measure_atan2(state);
}

// FNV-1a over the bytes of a result, the lowest first; all NaNs count as one
static uint64_t hash_real(uint64_t hash, tact_real x) {
    real_bits bits = x == x ? bits_of(x) : 0;
    for (size_t i = 0; i < sizeof bits; i++) hash = (hash ^ (uint64_t)(bits >> 8 * i & 255)) * 0x100000001b3;
    return hash;
}

static void check_hash(const char *name, uint64_t got, const uint64_t *wanted) {
    printf("%-6s hash %016llx\n", name, (unsigned long long)got);
    CHECK(got == wanted[hash_column]);
}

static void test_hashes(void) {
    uint64_t state, hash;
    for (int i = 0; i < function_count; i++) {
        state = 1;
        hash = 0xcbf29ce484222325;
        for (int j = 0; j < hashed_points; j++) {
            const double *range = functions[i].range[j % 3];
            tact_real x = j % 4 ? (tact_real)test_random(&state, range[0], range[1]) : random_real(&state);
            hash = hash_real(hash, functions[i].own(x));
        }
        check_hash(functions[i].name, hash, functions[i].hash);
    }
    state = 1;
    hash = 0xcbf29ce484222325;
    for (int j = 0; j < hashed_points; j++) {
        double range = atan2_range[j % 3];
        tact_real y = j % 4 ? (tact_real)test_random(&state, -range, range) : random_real(&state);
        tact_real x = j % 4 ? (tact_real)test_random(&state, -range, range) : random_real(&state);
        hash = hash_real(hash, tact_atan2(y, x));
    }
    check_hash("atan2", hash, atan2_hash);
}

// odd and even functions are so exactly, and sincos gives the bits of sin and cos
static void test_symmetry(uint64_t *state) {
    int odd = 0, even = 0, both = 0, turned = 0;
    for (int i = 0; i < 100000; i++) {
        double range = atan2_range[i % 3];
        tact_real x = i % 4 ? (tact_real)test_random(state, -range, range) : random_real(state), y = random_real(state), s, c;
        tact_sincos(x, &s, &c);
        both += same(s, tact_sin(x)) && same(c, tact_cos(x));
        odd += same(tact_sin(-x), -tact_sin(x)) && same(tact_tanh(-x), -tact_tanh(x));
        odd += same(tact_atan2(-y, x), -tact_atan2(y, x));
        even += same(tact_cos(-x), tact_cos(x));
        turned += same(tact_atan2(x, tact_fabs(x)), x < 0   ? -tact_atan2(1, 1)
                                                    : x > 0 ? tact_atan2(1, 1)
                                                            : x) ||
                  !tact_is_finite(x);
    }
    CHECK_INT(odd, 200000);
    CHECK_INT(even, 100000);
    CHECK_INT(both, 100000);
    CHECK_INT(turned, 100000);
}

// no invalid operation, division by zero or overflow where argument and result are finite
static void test_flags(uint64_t *state) {
    int raised = 0;
    for (int i = 0; i < 100000; i++) {
        tact_real x = random_real(state), y = random_real(state), s, c;
        tact_real e = (tact_real)test_random(state, -ORDINARY_EXP, ORDINARY_EXP), l = (tact_real)test_random(state, -1, 1);
        if (!tact_is_finite(x) || !tact_is_finite(y)) continue;
        feclearexcept(FE_ALL_EXCEPT);
        tact_sincos(x, &s, &c);
        tact_tanh(x);
        tact_atan2(y, x);
        tact_exp(e);
        tact_expm1(e);
        tact_exp(-tact_fabs(x));
        tact_expm1(-tact_fabs(x));
        tact_log(tact_fabs(x));
        tact_log1p(tact_fabs(x));
        tact_log1p(l);
        raised |= fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
    }
    CHECK_INT(raised, 0);
}

// NaN for NaN; the functions with f(x) ~ x near 0 return subnormal and zero x itself
static void test_common_values(void) {
    tact_real zero = 0;
    for (int i = 0; i < function_count; i++) CHECK(functions[i].own(TACT_NAN) != functions[i].own(TACT_NAN));
    for (int i = 0; i < function_count; i++) {
        tact_real (*f)(tact_real) = functions[i].own;
        if (f == tact_cos || f == tact_exp || f == tact_log) continue;
        CHECK(same(f(zero), zero));
        CHECK(same(f(-zero), -zero));
        CHECK(same(f(smallest), smallest));
        CHECK(same(f(-smallest), -smallest));
        CHECK(same(f(3 * smallest), 3 * smallest));
    }
}

static void test_trig_values(void) {
    tact_real pi = TACT_REAL(0x1.921fb54442d18p1), s, c;
    CHECK(same(tact_sin(pi), TACT_REAL(2 * HALF_PI_TAIL)));
    CHECK(same(tact_cos(pi), -1));
    CHECK(same(tact_sin(pi / 2), 1));
    CHECK(same(tact_cos(pi / 2), TACT_REAL(HALF_PI_TAIL)));
    CHECK(same(tact_cos(3 * smallest), 1));
    CHECK(same(tact_cos(-TACT_REAL(0.0)), 1));
    tact_sincos(TACT_INFINITY, &s, &c);
    CHECK(s != s && c != c);
    tact_sincos(-TACT_INFINITY, &s, &c);
    CHECK(s != s && c != c);
    tact_sincos(TACT_NAN, &s, &c);
    CHECK(s != s && c != c);
    CHECK_CLOSE(tact_sin(TACT_MAX), sizeof s == 4 ? -0.52187652333365854 : 0.00496195478918406177, 4 * TACT_EPS);
    CHECK_CLOSE(tact_cos(TACT_MAX), sizeof s == 4 ? 0.85302103983030416 : -0.999987689426559911, 4 * TACT_EPS);
    // the double and the float that come closest to an odd multiple of pi/2
    tact_real near = sizeof s == 4 ? TACT_REAL(16367173 * 0x1p72) : TACT_REAL(6381956970095103 * 0x1p797);
    tact_sincos(near, &s, &c);
    CHECK(same(tact_fabs(s), 1));
    CHECK_CLOSE(c * (sizeof s == 4 ? TACT_REAL(0x1p29) : TACT_REAL(0x1p60)), 0, 1);
}

static void test_exp_log_values(void) {
    bool single = sizeof(tact_real) == 4;
    tact_real last = single ? TACT_REAL(0x1.62e42ep6) : TACT_REAL(0x1.62e42fefa39efp9), one = 1;
    CHECK(same(tact_exp(0), 1));
    CHECK(same(tact_exp(-TACT_REAL(0.0)), 1));
    CHECK(same(tact_exp(smallest), 1));
    CHECK(same(tact_exp(TACT_INFINITY), TACT_INFINITY));
    CHECK(same(tact_exp(-TACT_INFINITY), 0));
    CHECK(same(tact_exp(TACT_MAX), TACT_INFINITY));
    CHECK(same(tact_exp(-TACT_MAX), 0));
    CHECK(tact_is_finite(tact_exp(last)) && tact_is_finite(tact_expm1(last)));
    CHECK(same(tact_exp(next_up(last)), TACT_INFINITY));
    CHECK(same(tact_expm1(next_up(last)), TACT_INFINITY));
    CHECK(same(tact_exp(single ? TACT_REAL(-103.9) : TACT_REAL(-745.1)), smallest));
    CHECK(same(tact_exp(single ? TACT_REAL(-104.1) : TACT_REAL(-745.2)), 0));
    CHECK(same(tact_expm1(TACT_INFINITY), TACT_INFINITY));
    CHECK(same(tact_expm1(-TACT_INFINITY), -1));
    CHECK(same(tact_expm1(-TACT_MAX), -1));
    CHECK(same(tact_log(one), 0));
    CHECK(same(tact_log(0), -TACT_INFINITY));
    CHECK(same(tact_log(-TACT_REAL(0.0)), -TACT_INFINITY));
    CHECK(same(tact_log(TACT_INFINITY), TACT_INFINITY));
    CHECK(same(tact_log(-one), TACT_NAN));
    CHECK(same(tact_log(-smallest), TACT_NAN));
    CHECK(same(tact_log(-TACT_INFINITY), TACT_NAN));
    CHECK(same(tact_log(smallest), (tact_real)(LOWEST_EXPONENT * 0.69314718055994530942)));
    CHECK(same(tact_log1p(-one), -TACT_INFINITY));
    CHECK(same(tact_log1p(-1 - TACT_EPS), TACT_NAN));
    CHECK(same(tact_log1p(-TACT_INFINITY), TACT_NAN));
    CHECK(same(tact_log1p(TACT_INFINITY), TACT_INFINITY));
    CHECK(same(tact_log1p(TACT_MAX), tact_log(TACT_MAX)));
    CHECK(same(tact_tanh(TACT_INFINITY), 1));
    CHECK(same(tact_tanh(-TACT_INFINITY), -1));
    CHECK(same(tact_tanh(TACT_MAX), 1));
}

// the quadrants and axes with zeros, ones, infinities and the smallest and largest numbers, each also with -y
static void test_atan2_values(void) {
    tact_real big = TACT_INFINITY, zero = 0, small = smallest, pi = TACT_REAL(0x1.921fb54442d18p1);
    tact_real three = TACT_REAL(0x1.2d97c7f3321d2p1);  // 3 pi / 4
    struct {
        tact_real y, x, angle;
    } table[] = {
        {zero, zero, 0},
        {zero, -zero, pi},
        {zero, 1, 0},
        {zero, -1, pi},
        {zero, big, 0},
        {zero, -big, pi},
        {1, zero, pi / 2},
        {1, -zero, pi / 2},
        {big, zero, pi / 2},
        {big, -zero, pi / 2},
        {1, 1, pi / 4},
        {1, -1, three},
        {big, big, pi / 4},
        {big, -big, three},
        {1, big, 0},
        {1, -big, pi},
        {big, 1, pi / 2},
        {big, -1, pi / 2},
        {small, small, pi / 4},
        {small, -small, three},
        {small, 1, small},
        {small, -1, pi},
        {1, small, pi / 2},
        {small, TACT_MAX, 0},
        {TACT_MAX, small, pi / 2},
        {small, -TACT_MAX, pi},
        {3 * small, 1, 3 * small},
        {small, zero, pi / 2},
        {TACT_MAX, TACT_MAX, pi / 4},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        CHECK(same(tact_atan2(table[i].y, table[i].x), table[i].angle));
        CHECK(same(tact_atan2(-table[i].y, table[i].x), -table[i].angle));
    }
    CHECK(same(tact_atan2(TACT_NAN, 1), TACT_NAN));
    CHECK(same(tact_atan2(1, TACT_NAN), TACT_NAN));
    CHECK(same(tact_atan2(TACT_NAN, big), TACT_NAN));
}

static void test_small_helpers(void) {
    CHECK(tact_min(2, 3) == 2 && tact_min(3, 2) == 2);
    CHECK(tact_max(2, 3) == 3 && tact_max(3, 2) == 3);
    CHECK(tact_clamp(-2, -1, 1) == -1 && tact_clamp(2, -1, 1) == 1 && tact_clamp(TACT_REAL(0.5), -1, 1) == TACT_REAL(0.5));
    CHECK(tact_min(TACT_NAN, 1) == 1 && tact_max(TACT_NAN, 1) == 1 && same(tact_clamp(TACT_NAN, 0, 1), TACT_NAN));
    CHECK(tact_sqrt(9) == 3 && tact_fabs(-3) == 3 && tact_floor(TACT_REAL(-1.5)) == -2);
    CHECK(same(tact_fabs(-TACT_REAL(0.0)), 0));
    CHECK(tact_is_finite(TACT_MAX) && tact_is_finite(-TACT_MAX) && tact_is_finite(0));
    CHECK(!tact_is_finite(TACT_INFINITY) && !tact_is_finite(-TACT_INFINITY) && !tact_is_finite(TACT_NAN));
}

static tact_real random_angle(uint64_t *state, int kind) {
    double u = test_random(state, -1, 1);
    if (kind == 0) return (tact_real)(4 * u);
    if (kind == 1) return (tact_real)(3e5 * u);
    // beside a multiple of pi/2, small, anything
    if (kind == 2) return (tact_real)(floor(5e4 * u) * 0x1.921fb54442d18p0);
    if (kind == 3) return (tact_real)ldexp(u, -(int)(test_random_bits(state) % 150));
    return random_real(state);
}

// Angles side by side have the bits of each alone, where all are moderate and where one is not.
static void test_lanes(uint64_t *state) {
    int wrong = 0;
    for (int k = 0; k < 40000; k++) {
        tact_wide angle, sine, cosine;
        for (int i = 0; i < TACT_LANES; i++) tact_wide_put(&angle, i, random_angle(state, i == 0 ? k % 5 : k / 5 % 5));
        tact_wide_sincos(angle, &sine, &cosine);
        for (int i = 0; i < TACT_LANES; i++) {
            tact_real s = 0, c = 0;
            tact_sincos(tact_wide_get(&angle, i), &s, &c);
            wrong += !same(tact_wide_get(&sine, i), s) + !same(tact_wide_get(&cosine, i), c);
        }
    }
    CHECK_INT(wrong, 0);
}

int main(void) {
    uint64_t state = test_seed(1);
    test_small_helpers();
    test_common_values();
    test_trig_values();
    test_exp_log_values();
    test_atan2_values();
    test_symmetry(&state);
    test_flags(&state);
    test_hashes();
    test_errors(&state);
    test_lanes(&state);
    return test_end("elementary");
}
