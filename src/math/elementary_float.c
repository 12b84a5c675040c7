// SPDX-License-Identifier: MIT
// sin, cos, exp, log, tanh, atan2, expm1, log1p in float, by the methods of elementary_double.c and with float arithmetic
// only, for processors whose floating point unit is single precision.
#include "math/elementary_parts.h"

#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 2)
#error "float results must not keep excess precision: x86 needs -msse2 -mfpmath=sse, s390x -fexcess-precision=fast"
#endif

// 32 zero bits, then 224 bits of 2/pi
static const uint32_t trig_scale[8] = {0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                       0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};

// 32 bits of trig_scale from the given bit on
static inline uint32_t trig_scale_bits(int bit) {
    const uint32_t *word = trig_scale + bit / 32;
    return (uint32_t)(((uint64_t)word[0] << 32 | word[1]) << bit % 32 >> 32);
}

// Payne and Hanek (1983) in integers, for finite x >= pi/4: x = m 2^e; bits of 2/pi worth a multiple of 4 in x 2/pi are left
// out, the next 96 times m give quadrant and 62 bits of fraction; no float comes closer than 2^-29.9 to a multiple.
static real_pair trig_reduce_far(float x, int *quadrant) {
    uint32_t m = (real_bits(x) & 0x7fffff) | 0x800000;
    int bit = (int)(real_bits(x) >> 23) - 150 - 2 + 32, k = -32;
    uint64_t turn = (uint64_t)(m * trig_scale_bits(bit)) << 32;
    turn += (uint64_t)m * trig_scale_bits(bit + 32) + ((uint64_t)m * trig_scale_bits(bit + 64) >> 32);
    uint32_t sign = (uint32_t)(turn >> 30) & 0x80000000;  // a fraction above 1/2 becomes negative, from the next quadrant
    *quadrant = (int)((turn >> 62) + (sign >> 31)) & 3;
    turn = (sign ? ~turn : turn) << 2;
    for (; !(turn >> 63) && k > -63; k--) turn <<= 1;
    // 7 bits times the 17 of trig_half_pi[0] is exact
    uint32_t high = (uint32_t)(turn >> 32);
    float unit = real_power(k), head = (float)(high >> 25) * 0x1p25f * unit, tail = (float)(high & 0x1ffffff) * unit;
    real_pair r = real_sum(head * trig_half_pi[0], head * trig_half_pi[1] + tail * (trig_half_pi[0] + trig_half_pi[1]));
    return (real_pair){real_flip(r.high, sign), real_flip(r.low, sign)};
}

// |x| = n pi/2 + r.high + r.low, |r| <= pi/4: Cody and Waite in three parts up to 2^7, where the first two products, the first
// difference and the second as a pair are exact; in integers above, and where cancellation leaves the third too short
static inline real_pair trig_reduce(float x, int *quadrant) {
    if (x > TRIG_NEAR) return trig_reduce_far(x, quadrant);
    float n = (x * TRIG_RATE + real_shift) - real_shift;
    real_pair r = real_sum(x - n * trig_half_pi[0], -(n * trig_half_pi[1]));
    r = real_sum(r.high, r.low - n * trig_half_pi[2]);
    if (tact_fabs(r.high) < x * TRIG_LOST) return trig_reduce_far(x, quadrant);
    *quadrant = (int)n & 3;
    return r;
}

// reduction by pi/2; sin r = r + r^3 S(r^2), cos r = 1 - r^2 / 2 + r^4 C(r^2), S and C of degree 2 to 2^-27 and 2^-32
void tact_sincos(float x, float *s, float *c) {
    if (!tact_is_finite(x)) {
        *s = *c = TACT_NAN;
        return;
    }
    int quadrant = 0;
    real_pair r = trig_reduce(tact_fabs(x), &quadrant);
    // The low part to first order: sin' = cos, cos' = -sin.
    float z = r.high * r.high, zz = z * z, half = z / 2, big = 1 - half;
    float sin_tail = (trig_sin_poly[0] + trig_sin_poly[1] * z) + zz * trig_sin_poly[2];
    float cos_tail = (trig_cos_poly[0] + trig_cos_poly[1] * z) + zz * trig_cos_poly[2];
    float sin_r = r.high + (r.high * (z * sin_tail) + r.low * big);
    float cos_r = big + (((1 - big) - half) + (zz * cos_tail - r.high * r.low));
    uint32_t turn = (uint32_t)quadrant;
    *s = real_flip(turn & 1 ? cos_r : sin_r, real_sign(x) ^ (turn >> 1) << 31);
    *c = real_flip(turn & 1 ? sin_r : cos_r, (turn + 1) >> 1 << 31);
}

float tact_sin(float x) {
    float s = 0, c = 0;
    tact_sincos(x, &s, &c);
    return s;
}

float tact_cos(float x) {
    float s = 0, c = 0;
    tact_sincos(x, &s, &c);
    return c;
}

static const float log_of_2[2] = {0x1.62e4p-1f, 0x1.7f7d1cp-20f};  // 15 + 24 bits

// (e^r - 1 - r - r^2 / 2) / r^3, |r| <= log(2) / 2
static const float exp_poly[5] = {0x1.555554p-3f, 0x1.5554f2p-5f, 0x1.1111cap-7f, 0x1.6d408ep-10f, 0x1.9fbdc2p-13f};

// e^x = 2^k (1 + high + low): x = k log(2) + r, high + low = r + r^2 / 2 + r^3 Q(r), Q of degree 4 to 2^-29 of e^r - 1
static inline real_pair exp_reduce(float x, int *k) {
    float n = (x * 0x1.715476p+0f + real_shift) - real_shift;
    float high = x - n * log_of_2[0], low = n * log_of_2[1], r = high - low;
    float rr = r * r;
    float tail = real_poly(exp_poly, r, rr) + rr * rr * exp_poly[4];
    *k = (int)n;
    // the rounding of r, times the slope r of r^2 / 2
    float slip = ((high - r) - low) * r;
    return (real_pair){high, rr / 2 + (r * rr * tail + (slip - low))};
}

// e^x - 1 = 2^k (high + low), -20 < x < 100
static inline real_pair expm1_reduce(float x, int *k) {
    real_pair r = exp_reduce(x, k);
    float unit = *k < 32 ? real_power(-*k) : 0;
    real_pair base = *k > 0 ? real_sum(1, -unit) : real_sum(-unit, 1);
    real_pair sum = real_sum(base.high, r.high);
    return (real_pair){sum.high, sum.low + (base.low + r.low)};
}

// reduction by log(2), see exp_reduce
float tact_exp(float x) {
    if (!(tact_fabs(x) < 120)) return x > 0 ? TACT_INFINITY : x < 0 ? 0 : TACT_NAN;
    int k = 0;
    real_pair r = exp_reduce(x, &k), sum = real_sum(1, r.high);
    return real_scale(sum.high + (sum.low + r.low), k);
}

// reduction by log(2), see exp_reduce; 2^k ((1 - 2^-k) + (e^r - 1))
float tact_expm1(float x) {
    if (!(x < 100)) return x > 0 ? TACT_INFINITY : TACT_NAN;
    if (x < -20) return -1;
    if (tact_fabs(x) < 0x1p-25f) return x;
    int k = 0;
    real_pair r = expm1_reduce(x, &k);
    return real_scale(r.high + r.low, k);
}

// t / (t + 2) with t = e^2|x| - 1 and the quotient carried as sums
float tact_tanh(float x) {
    float a = tact_fabs(x);
    if (!(a < 10)) return x > 0 ? 1 : x < 0 ? -1 : TACT_NAN;
    if (a < 0x1p-13f) return x;
    int k = 0;
    real_pair t = expm1_reduce(2 * a, &k);
    t = real_sum(t.high * real_power(k), t.low * real_power(k));
    real_pair sum = t.high > 2 ? real_sum(t.high, 2) : real_sum(2, t.high);
    sum.low += t.low;
    t = real_quotient(t, sum);
    return real_flip(t.high + t.low, real_sign(x));
}

// (log(1 + f) - 2 s) / s^3 in s^2 with s = f / (2 + f), sqrt(1/2) <= 1 + f <= sqrt(2)
static const float log_poly[3] = {0x1.55557ap-1f, 0x1.995ed4p-2f, 0x1.31e0e2p-2f};

// x = 2^k (1 + f) for normal x, sqrt(1/2) <= 1 + f < sqrt(2), exactly
static inline float log_reduce(float x, int *k) {
    uint32_t bits = real_bits(x), exponent = (bits + 0x004afb0d) >> 23;
    *k = (int)exponent - 127;
    return real_from_bits(bits - ((exponent - 127) << 23)) - 1;
}

// k log(2) + log(1 + f) + low; with s = f / (2 + f), h = f^2 / 2: log(1 + f) = f - h + s (h + s^2 L(s^2)), L of degree 2 to 2^-30
static inline float log_sum(int k, float f, float s, float low) {
    float z = s * s, zz = z * z, half = f * f / 2;
    float tail = (log_poly[0] + log_poly[1] * z) + zz * log_poly[2];
    real_pair sum = real_sum((float)k * log_of_2[0], f);
    return sum.high + (sum.low + ((s * (half + z * tail) + ((float)k * log_of_2[1] + low)) - half));
}

// see log_sum
float tact_log(float x) {
    if (!(x > 0 && x <= FLT_MAX)) return x > 0 ? TACT_INFINITY : x == 0 ? -TACT_INFINITY : TACT_NAN;
    int k = 0, subnormal = x < FLT_MIN ? 24 : 0;
    float f = log_reduce(x * real_power(subnormal), &k);
    return log_sum(k - subnormal, f, f / (2 + f), 0);
}

// log(u) + (1 + x - u) / u with u = 1 + x rounded = 2^k (1 + f), 1 / (1 + f) = 1 - 2 s + 2 s^2 to 0.011; f = x where k = 0
float tact_log1p(float x) {
    if (!(x > -1 && x <= FLT_MAX)) return x > 0 ? TACT_INFINITY : x == -1 ? -TACT_INFINITY : TACT_NAN;
    if (tact_fabs(x) < 0x1p-25f) return x;
    if (x > -0.29f && x < 0.41f) return log_sum(0, x, x / (2 + x), 0);
    real_pair u = x > 1 ? real_sum(x, 1) : real_sum(1, x);
    int k = 0;
    float f = log_reduce(u.high, &k), s = f / (2 + f);
    float low = k < 32 ? u.low * real_power(-k) : 0;
    return log_sum(k, f, s, low * (1 - 2 * s * (1 - s)));
}

// (u - atan u) / u^3 in u^2, |u| <= 1/4
static const float atan_poly[4] = {0x1.55555p-2f, -0x1.9992dep-3f, 0x1.2342eap-3f, -0x1.93432ep-4f};

// atan of 0, 1/2 and 1; 0, pi/2 and pi
static const real_pair atan_center[3] = {{0, 0}, {0x1.dac67p-2f, 0x1.586ed4p-28f}, {0x1.921fb6p-1f, -0x1.777a5cp-26f}};
static const real_pair atan_turn[3] = {{0, 0}, {0x1.921fb6p+0f, -0x1.777a5cp-25f}, {0x1.921fb6p+1f, -0x1.777a5cp-24f}};

// u = (a - c b) / (b + c a), so that atan(a / b) = atan c + atan u; c = 0, 1/2 or 1 keeps a - c b exact; 0 <= a <= b, b > 0
static inline real_pair atan_reduce(float a, float b, real_pair *center) {
    *center = atan_center[0];
    if (a < b * 0x1p-14f) return (real_pair){a / b, 0};
    float scale = b > 1 ? 0x1p-20f : 0x1p40f;  // away from overflow and underflow
    a *= scale;
    b *= scale;
    int twice = a > 0.78f * b ? 2 : a > b / 4 ? 1 : 0;
    float c = (float)twice / 2;
    *center = atan_center[twice];
    return real_quotient((real_pair){a - c * b, 0}, real_sum(b, c * a));
}

// turn +- (atan c + atan u) with the turn of the octant; atan u = u - u^3 A(u^2), A of degree 3 to 2^-32 of u
float tact_atan2(float y, float x) {
    if (x != x || y != y) return TACT_NAN;
    float width = tact_fabs(x), height = tact_fabs(y);
    bool steep = height > width, left = real_sign(x) != 0;
    // The smaller over the larger, so that the quotient is at most 1.
    float a = steep ? width : height, b = steep ? height : width, side = steep == left ? 1 : -1;
    if (b == 0) b = 1;
    if (a > FLT_MAX) a = b = 1;  // both infinite
    real_pair center, turn = atan_turn[steep ? 1 : left ? 2 : 0];
    real_pair q = atan_reduce(a, b, &center);
    float u = q.high + q.low, z = u * u, zz = z * z;
    float tail = q.low - u * (z * real_poly(atan_poly, z, zz));
    real_pair base = real_sum(turn.high, side * center.high), sum = real_sum(base.high, side * q.high);
    float low = base.low + (turn.low + side * center.low);
    return real_flip(sum.high + (sum.low + (low + side * tail)), real_sign(y));
}
