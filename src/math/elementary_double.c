// SPDX-License-Identifier: MIT
// sin, cos, exp, log, tanh, atan2, expm1, log1p in double. Each reduces its argument to a small interval exactly or as an
// unevaluated sum high + low, evaluates a minimax polynomial there (weighted Remez for the relative error of the result,
// coefficients rounded one after the other), and adds the largest term last. Below 1 ulp = one unit of the last place.
// All NaN results are the one positive quiet NaN.
#include "math/elementary_parts.h"

#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "double results must not keep excess precision: x86 needs -msse2 -mfpmath=sse, s390x -fexcess-precision=fast"
#endif

// 64 zero bits, then 1184 bits of 2/pi
static const uint32_t trig_scale[39] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7,
    0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046};

// the upper 64 bits of a b
static inline uint64_t product_high(uint64_t a, uint64_t b) {
    uint64_t a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
    uint64_t left = a1 * b0 + (a0 * b0 >> 32), right = a0 * b1 + (left & 0xffffffff);
    return a1 * b1 + (left >> 32) + (right >> 32);
}

// 64 bits of trig_scale from the given bit on
static inline uint64_t trig_scale_bits(int bit) {
    const uint32_t *word = trig_scale + bit / 32;
    uint64_t upper = ((uint64_t)word[0] << 32 | word[1]) << bit % 32;
    return upper | ((uint64_t)word[2] << bit % 32) >> 32;
}

// Payne and Hanek (1983) in integers, for finite x >= pi/4: x = m 2^e; bits of 2/pi worth a multiple of 4 in x 2/pi are left
// out, the next 192 times m give quadrant and 126 bits of fraction; no double comes closer than 2^-61.6 to a multiple.
static real_pair trig_reduce_far(double x, int *quadrant) {
    uint64_t bits = real_bits(x), m = (bits & 0xfffffffffffff) | 0x10000000000000;
    // 192 bits of 2/pi, aligned so that whole turns fall off above.
    int bit = (int)(bits >> 52) - 1075 - 2 + 64, k = -64;
    uint64_t w1 = trig_scale_bits(bit + 64), carry = product_high(m, trig_scale_bits(bit + 128));
    uint64_t low = m * w1 + carry, high = m * trig_scale_bits(bit) + product_high(m, w1) + (low < carry);
    uint64_t sign = (high << 2) & 0x8000000000000000;  // a fraction above 1/2 becomes negative, from the next quadrant
    *quadrant = (int)((high >> 62) + (sign >> 63)) & 3;
    high = high << 2 | low >> 62;
    low = low << 2;
    // |fraction| <= 1/2, its leading bit at the top.
    if (sign) {
        high = ~high;
        low = ~low;
    }
    for (; !(high >> 63) && k > -127; k--) {
        high = high << 1 | low >> 63;
        low = low << 1;
    }
    // 17 bits times the 36 of trig_half_pi[0] is exact
    double unit = real_power(k), head = (double)(high >> 47) * 0x1p47 * unit, tail = (double)(high & 0x7fffffffffff) * unit;
    real_pair r = real_sum(head * trig_half_pi[0], head * trig_half_pi[1] + tail * (trig_half_pi[0] + trig_half_pi[1]));
    return (real_pair){real_flip(r.high, sign), real_flip(r.low, sign)};
}

// |x| = n pi/2 + r.high + r.low, |r| <= pi/4: Cody and Waite in three parts up to 2^17, where the first two products, the first
// difference and the second as a pair are exact; in integers above, and where cancellation leaves the third too short
static inline real_pair trig_reduce(double x, int *quadrant) {
    if (x > TRIG_NEAR) return trig_reduce_far(x, quadrant);
    double n = (x * TRIG_RATE + real_shift) - real_shift;
    real_pair r = real_sum(x - n * trig_half_pi[0], -(n * trig_half_pi[1]));
    r = real_sum(r.high, r.low - n * trig_half_pi[2]);
    if (tact_fabs(r.high) < x * TRIG_LOST) return trig_reduce_far(x, quadrant);
    *quadrant = (int)n & 3;
    return r;
}

// reduction by pi/2; sin r = r + r^3 S(r^2), cos r = 1 - r^2 / 2 + r^4 C(r^2), S and C of degree 5 to 2^-57 and 2^-63
void tact_sincos(double x, double *s, double *c) {
    if (!tact_is_finite(x)) {
        *s = *c = TACT_NAN;
        return;
    }
    // Quadrant and remainder; then both series on |r| <= pi/4.
    int quadrant = 0;
    real_pair r = trig_reduce(tact_fabs(x), &quadrant);
    double z = r.high * r.high, zz = z * z, half = z / 2, big = 1 - half;
    double sin_tail = real_poly(trig_sin_poly, z, zz) + zz * zz * (trig_sin_poly[4] + trig_sin_poly[5] * z);
    double cos_tail = real_poly(trig_cos_poly, z, zz) + zz * zz * (trig_cos_poly[4] + trig_cos_poly[5] * z);
    double sin_r = r.high + (r.high * (z * sin_tail) + r.low * big);
    double cos_r = big + (((1 - big) - half) + (zz * cos_tail - r.high * r.low));
    // Quadrants: sine and cosine change places, and signs.
    uint64_t turn = (uint64_t)quadrant;
    *s = real_flip(turn & 1 ? cos_r : sin_r, real_sign(x) ^ (turn >> 1) << 63);
    *c = real_flip(turn & 1 ? sin_r : cos_r, (turn + 1) >> 1 << 63);
}

double tact_sin(double x) {
    double s = 0, c = 0;
    tact_sincos(x, &s, &c);
    return s;
}

double tact_cos(double x) {
    double s = 0, c = 0;
    tact_sincos(x, &s, &c);
    return c;
}

static const double log_of_2[2] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};  // 42 + 53 bits

// (e^r - 1 - r - r^2 / 2) / r^3, |r| <= log(2) / 2
static const double exp_poly[10] = {0x1.5555555555559p-3,  0x1.5555555555548p-5,  0x1.111111110f7dfp-7,  0x1.6c16c16c1cd14p-10,
                                    0x1.a01a01af7b8f5p-13, 0x1.a01a0182fc53ep-16, 0x1.71ddf94335b20p-19, 0x1.27e52b33047bbp-22,
                                    0x1.af5d3ffd71980p-26, 0x1.1ef530a941062p-29};

// e^x = 2^k (1 + high + low): x = k log(2) + r, high + low = r + r^2 / 2 + r^3 Q(r), Q of degree 9 to 2^-58 of e^r - 1
static inline real_pair exp_reduce(double x, int *k) {
    // k = x/log(2) rounded; r = x - k log(2) in two parts.
    double n = (x * 0x1.71547652b82fep+0 + real_shift) - real_shift;
    double high = x - n * log_of_2[0], low = n * log_of_2[1], r = high - low;
    double rr = r * r, r4 = rr * rr;
    double tail = exp_poly[8] + exp_poly[9] * r;
    tail = real_poly(exp_poly, r, rr) + r4 * (real_poly(exp_poly + 4, r, rr) + r4 * tail);
    *k = (int)n;
    // the rounding of r, times the slope r of r^2 / 2
    double slip = ((high - r) - low) * r;
    return (real_pair){high, rr / 2 + (r * rr * tail + (slip - low))};
}

// e^x - 1 = 2^k (high + low), -40 < x < 720
static inline real_pair expm1_reduce(double x, int *k) {
    real_pair r = exp_reduce(x, k);
    // 2^k - 1 is exact as a sum of two numbers.
    double unit = *k < 64 ? real_power(-*k) : 0;
    real_pair base = *k > 0 ? real_sum(1, -unit) : real_sum(-unit, 1);
    real_pair sum = real_sum(base.high, r.high);
    return (real_pair){sum.high, sum.low + (base.low + r.low)};
}

// reduction by log(2), see exp_reduce
double tact_exp(double x) {
    if (!(tact_fabs(x) < 750)) return x > 0 ? TACT_INFINITY : x < 0 ? 0 : TACT_NAN;
    int k = 0;
    real_pair r = exp_reduce(x, &k), sum = real_sum(1, r.high);
    return real_scale(sum.high + (sum.low + r.low), k);
}

// reduction by log(2), see exp_reduce; 2^k ((1 - 2^-k) + (e^r - 1))
double tact_expm1(double x) {
    if (!(x < 720)) return x > 0 ? TACT_INFINITY : TACT_NAN;
    if (x < -40) return -1;
    if (tact_fabs(x) < 0x1p-54) return x;
    int k = 0;
    real_pair r = expm1_reduce(x, &k);
    return real_scale(r.high + r.low, k);
}

// t / (t + 2) with t = e^2|x| - 1 and the quotient carried as sums
double tact_tanh(double x) {
    double a = tact_fabs(x);
    if (!(a < 20)) return x > 0 ? 1 : x < 0 ? -1 : TACT_NAN;
    if (a < 0x1p-28) return x;
    int k = 0;
    real_pair t = expm1_reduce(2 * a, &k);
    t = real_sum(t.high * real_power(k), t.low * real_power(k));
    real_pair sum = t.high > 2 ? real_sum(t.high, 2) : real_sum(2, t.high);
    sum.low += t.low;
    t = real_quotient(t, sum);
    return real_flip(t.high + t.low, real_sign(x));
}

// (log(1 + f) - 2 s) / s^3 in s^2 with s = f / (2 + f), sqrt(1/2) <= 1 + f <= sqrt(2)
static const double log_poly[7] = {0x1.5555555555592p-1, 0x1.999999997feebp-2, 0x1.24924941e5a45p-2, 0x1.c71c520fa79b9p-3,
                                   0x1.74663e163eddbp-3, 0x1.39a1c63bd86c3p-3, 0x1.2f0544af1390ap-3};

// x = 2^k (1 + f) for normal x, sqrt(1/2) <= 1 + f < sqrt(2), exactly
static inline double log_reduce(double x, int *k) {
    uint64_t bits = real_bits(x), exponent = (bits + 0x00095f6198000000) >> 52;
    *k = (int)exponent - 1023;
    return real_from_bits(bits - ((exponent - 1023) << 52)) - 1;
}

// k log(2) + log(1 + f) + low; with s = f / (2 + f), h = f^2 / 2: log(1 + f) = f - h + s (h + s^2 L(s^2)), L of degree 6 to 2^-59
static inline double log_sum(int k, double f, double s, double low) {
    double z = s * s, zz = z * z, half = f * f / 2;
    double tail = real_poly(log_poly, z, zz) + zz * zz * ((log_poly[4] + log_poly[5] * z) + zz * log_poly[6]);
    real_pair sum = real_sum(k * log_of_2[0], f);
    return sum.high + (sum.low + ((s * (half + z * tail) + (k * log_of_2[1] + low)) - half));
}

// see log_sum
double tact_log(double x) {
    if (!(x > 0 && x <= DBL_MAX)) return x > 0 ? TACT_INFINITY : x == 0 ? -TACT_INFINITY : TACT_NAN;
    int k = 0, subnormal = x < DBL_MIN ? 54 : 0;
    double f = log_reduce(x * real_power(subnormal), &k);
    return log_sum(k - subnormal, f, f / (2 + f), 0);
}

// log(u) + (1 + x - u) / u with u = 1 + x rounded = 2^k (1 + f), 1 / (1 + f) = 1 - 2 s + 2 s^2 to 0.011; f = x where k = 0
double tact_log1p(double x) {
    if (!(x > -1 && x <= DBL_MAX)) return x > 0 ? TACT_INFINITY : x == -1 ? -TACT_INFINITY : TACT_NAN;
    if (tact_fabs(x) < 0x1p-54) return x;
    if (x > -0.29 && x < 0.41) return log_sum(0, x, x / (2 + x), 0);
    real_pair u = x > 1 ? real_sum(x, 1) : real_sum(1, x);
    int k = 0;
    double f = log_reduce(u.high, &k), s = f / (2 + f);
    double low = k < 64 ? u.low * real_power(-k) : 0;
    return log_sum(k, f, s, low * (1 - 2 * s * (1 - s)));
}

// (u - atan u) / u^3 in u^2, |u| <= 1/4
static const double atan_poly[8] = {0x1.55555555554c7p-2, -0x1.9999999975569p-3, 0x1.2492490b4b060p-3, -0x1.c71c60b5bf630p-4,
                                    0x1.7459e52492a0ap-4, -0x1.3aba0051f72bap-4, 0x1.0b4ea00b09ce8p-4, -0x1.798d7d1ff28d2p-5};

// atan of 0, 1/2 and 1; 0, pi/2 and pi
static const real_pair atan_center[3] = {
    {0, 0}, {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}, {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
static const real_pair atan_turn[3] = {
    {0, 0}, {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}, {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}};

// u = (a - c b) / (b + c a), so that atan(a / b) = atan c + atan u; c = 0, 1/2 or 1 keeps a - c b exact; 0 <= a <= b, b > 0
static inline real_pair atan_reduce(double a, double b, real_pair *center) {
    *center = atan_center[0];
    if (a < b * 0x1p-30) return (real_pair){a / b, 0};
    double scale = b > 1 ? 0x1p-100 : 0x1p100;  // away from overflow and underflow
    a *= scale;
    b *= scale;
    int twice = a > 0.78 * b ? 2 : a > b / 4 ? 1 : 0;
    double c = twice * 0.5;
    *center = atan_center[twice];
    return real_quotient((real_pair){a - c * b, 0}, real_sum(b, c * a));
}

// turn +- (atan c + atan u) with the turn of the octant; atan u = u - u^3 A(u^2), A of degree 7 to 2^-57 of u
double tact_atan2(double y, double x) {
    if (x != x || y != y) return TACT_NAN;
    // Octant: the smaller coordinate over the larger.
    double width = tact_fabs(x), height = tact_fabs(y);
    bool steep = height > width, left = real_sign(x) != 0;
    double a = steep ? width : height, b = steep ? height : width, side = steep == left ? 1 : -1;
    if (b == 0) b = 1;
    if (a > DBL_MAX) a = b = 1;  // both infinite
    real_pair center, turn = atan_turn[steep ? 1 : left ? 2 : 0];
    real_pair q = atan_reduce(a, b, &center);
    double u = q.high + q.low, z = u * u, zz = z * z;
    double tail = q.low - u * (z * (real_poly(atan_poly, z, zz) + zz * zz * real_poly(atan_poly + 4, z, zz)));
    real_pair base = real_sum(turn.high, side * center.high), sum = real_sum(base.high, side * q.high);
    double low = base.low + (turn.low + side * center.low);
    return real_flip(sum.high + (sum.low + (low + side * tail)), real_sign(y));
}
