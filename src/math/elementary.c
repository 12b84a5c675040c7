// SPDX-License-Identifier: MIT
// sin, cos, exp, log, tanh, atan2, expm1, log1p in tact_real, with arithmetic of that format only, for processors whose floating
// point unit is single precision. Each reduces its argument to a small interval exactly or as an unevaluated sum high + low,
// evaluates a minimax polynomial there (weighted Remez for the relative error of the result, coefficients rounded one after the
// other), and adds the largest term last. Below 1 ulp = one unit of the last place. All NaN results are the one positive quiet
// NaN.
#include "math/elementary_double.h"
#include "math/elementary_float.h"

// |x| = n pi/2 + r.high + r.low, |r| <= pi/4: Cody and Waite in three parts up to TRIG_NEAR, where the first two products, the
// first difference and the second as a pair are exact; in integers above, and where cancellation leaves the third too short
static inline real_pair trig_reduce(tact_real x, int *quadrant) {
    if (x > TRIG_NEAR) return trig_reduce_far(x, quadrant);
    tact_real n = (x * TRIG_RATE + real_shift) - real_shift;
    real_pair r = real_sum(x - n * trig_half_pi[0], -(n * trig_half_pi[1]));
    r = real_sum(r.high, r.low - n * trig_half_pi[2]);
    if (tact_fabs(r.high) < x * TRIG_LOST) return trig_reduce_far(x, quadrant);
    *quadrant = (int)n & 3;
    return r;
}

// reduction by pi/2; sin r = r + r^3 S(r^2), cos r = 1 - r^2 / 2 + r^4 C(r^2)
void tact_sincos(tact_real x, tact_real *s, tact_real *c) {
    if (!tact_is_finite(x)) {
        *s = *c = TACT_NAN;
        return;
    }
    int quadrant = 0;
    real_pair r = trig_reduce(tact_fabs(x), &quadrant);
    // the low part to first order: sin' = cos, cos' = -sin
    tact_real z = r.high * r.high, zz = z * z, half = z / 2, big = 1 - half;
    tact_real sin_r = r.high + (r.high * (z * trig_tail(trig_sin_poly, z, zz)) + r.low * big);
    tact_real cos_r = big + (((1 - big) - half) + (zz * trig_tail(trig_cos_poly, z, zz) - r.high * r.low));
    // in odd quadrants sine and cosine change places; signs by quadrant
    real_pattern turn = (real_pattern)quadrant;
    *s = real_flip(turn & 1 ? cos_r : sin_r, real_sign(x) ^ (turn >> 1) << REAL_SIGN);
    *c = real_flip(turn & 1 ? sin_r : cos_r, (turn + 1) >> 1 << REAL_SIGN);
}

tact_real tact_sin(tact_real x) {
    tact_real s = 0, c = 0;
    tact_sincos(x, &s, &c);
    return s;
}

tact_real tact_cos(tact_real x) {
    tact_real s = 0, c = 0;
    tact_sincos(x, &s, &c);
    return c;
}

// e^x = 2^k (1 + high + low): x = k log(2) + r, high + low = r + r^2 / 2 + r^3 Q(r)
static inline real_pair exp_reduce(tact_real x, int *k) {
    // k = x/log(2) rounded; r = x - k log(2) in two parts
    tact_real n = (x * EXP_RATE + real_shift) - real_shift;
    tact_real high = x - n * log_of_2[0], low = n * log_of_2[1], r = high - low, rr = r * r;
    *k = (int)n;
    // the rounding of r, times the slope r of r^2 / 2
    tact_real slip = ((high - r) - low) * r;
    return (real_pair){high, rr / 2 + (r * rr * exp_tail(r, rr) + (slip - low))};
}

// e^x - 1 = 2^k (high + low), EXPM1_LEAST < x < EXPM1_MOST
static inline real_pair expm1_reduce(tact_real x, int *k) {
    real_pair r = exp_reduce(x, k);
    // 2^k - 1 is exact as a sum of two numbers.
    tact_real unit = *k <= REAL_SIGN ? real_power(-*k) : 0;
    real_pair base = *k > 0 ? real_sum(1, -unit) : real_sum(-unit, 1);
    real_pair sum = real_sum(base.high, r.high);
    return (real_pair){sum.high, sum.low + (base.low + r.low)};
}

// reduction by log(2), see exp_reduce
tact_real tact_exp(tact_real x) {
    if (!(tact_fabs(x) < EXP_MOST)) return x > 0 ? TACT_INFINITY : x < 0 ? 0 : TACT_NAN;
    int k = 0;
    real_pair r = exp_reduce(x, &k), sum = real_sum(1, r.high);
    return real_scale(sum.high + (sum.low + r.low), k);
}

// reduction by log(2), see exp_reduce; 2^k ((1 - 2^-k) + (e^r - 1))
tact_real tact_expm1(tact_real x) {
    if (!(x < EXPM1_MOST)) return x > 0 ? TACT_INFINITY : TACT_NAN;
    if (x < EXPM1_LEAST) return -1;
    if (tact_fabs(x) < REAL_TINY) return x;
    int k = 0;
    real_pair r = expm1_reduce(x, &k);
    return real_scale(r.high + r.low, k);
}

// t / (t + 2) with t = e^2|x| - 1 and the quotient carried as sums
tact_real tact_tanh(tact_real x) {
    tact_real a = tact_fabs(x);
    if (!(a < TANH_MOST)) return x > 0 ? 1 : x < 0 ? -1 : TACT_NAN;
    if (a < TANH_TINY) return x;
    int k = 0;
    real_pair t = expm1_reduce(2 * a, &k);
    t = real_sum(t.high * real_power(k), t.low * real_power(k));
    real_pair sum = t.high > 2 ? real_sum(t.high, 2) : real_sum(2, t.high);
    sum.low += t.low;
    t = real_quotient(t, sum);
    return real_flip(t.high + t.low, real_sign(x));
}

// x = 2^k (1 + f) for normal x, sqrt(1/2) <= 1 + f < sqrt(2), exactly
static inline tact_real log_reduce(tact_real x, int *k) {
    real_pattern bits = real_bits(x), exponent = (bits + LOG_SPLIT) >> REAL_FRACTION;
    *k = (int)exponent - REAL_BIAS;
    return real_from_bits(bits - ((exponent - REAL_BIAS) << REAL_FRACTION)) - 1;
}

// k log(2) + log(1 + f) + low; with s = f / (2 + f), h = f^2 / 2: log(1 + f) = f - h + s (h + s^2 L(s^2))
static inline tact_real log_sum(int k, tact_real f, tact_real s, tact_real low) {
    tact_real z = s * s, zz = z * z, half = f * f / 2, n = (tact_real)k;
    real_pair sum = real_sum(n * log_of_2[0], f);
    return sum.high + (sum.low + ((s * (half + z * LOG_TAIL(z, zz)) + (n * log_of_2[1] + low)) - half));
}

// see log_sum
tact_real tact_log(tact_real x) {
    if (!(x > 0 && x <= TACT_MAX)) return x > 0 ? TACT_INFINITY : x == 0 ? -TACT_INFINITY : TACT_NAN;
    int k = 0, subnormal = x < REAL_LEAST ? REAL_FRACTION + 2 : 0;
    tact_real f = log_reduce(x * real_power(subnormal), &k);
    return log_sum(k - subnormal, f, f / (2 + f), 0);
}

// log(u) + (1 + x - u) / u with u = 1 + x rounded = 2^k (1 + f), 1 / (1 + f) = 1 - 2 s + 2 s^2 to 0.011; f = x where k = 0
tact_real tact_log1p(tact_real x) {
    if (!(x > -1 && x <= TACT_MAX)) return x > 0 ? TACT_INFINITY : x == -1 ? -TACT_INFINITY : TACT_NAN;
    if (tact_fabs(x) < REAL_TINY) return x;
    if (x > TACT_REAL(-0.29) && x < TACT_REAL(0.41)) return log_sum(0, x, x / (2 + x), 0);
    real_pair u = x > 1 ? real_sum(x, 1) : real_sum(1, x);
    int k = 0;
    tact_real f = log_reduce(u.high, &k), s = f / (2 + f);
    tact_real low = k <= REAL_SIGN ? u.low * real_power(-k) : 0;
    return log_sum(k, f, s, low * (1 - 2 * s * (1 - s)));
}

// u = (a - c b) / (b + c a), so that atan(a / b) = atan c + atan u; c = 0, 1/2 or 1 keeps a - c b exact; 0 <= a <= b, b > 0
static inline real_pair atan_reduce(tact_real a, tact_real b, real_pair *center) {
    *center = atan_center[0];
    if (a < b * ATAN_TINY) return (real_pair){a / b, 0};
    tact_real scale = b > 1 ? ATAN_DOWN : ATAN_UP;
    a *= scale;
    b *= scale;
    int twice = a > TACT_REAL(0.78) * b ? 2 : a > b / 4 ? 1 : 0;
    tact_real c = (tact_real)twice / 2;
    *center = atan_center[twice];
    return real_quotient((real_pair){a - c * b, 0}, real_sum(b, c * a));
}

// turn +- (atan c + atan u) with the turn of the octant; atan u = u - u^3 A(u^2)
tact_real tact_atan2(tact_real y, tact_real x) {
    if (x != x || y != y) return TACT_NAN;
    // Octant: the smaller coordinate over the larger.
    tact_real width = tact_fabs(x), height = tact_fabs(y);
    bool steep = height > width, left = real_sign(x) != 0;
    tact_real a = steep ? width : height, b = steep ? height : width, side = steep == left ? 1 : -1;
    if (b == 0) b = 1;
    if (a > TACT_MAX) a = b = 1;  // both infinite
    real_pair center, turn = atan_turn[steep ? 1 : left ? 2 : 0];
    real_pair q = atan_reduce(a, b, &center);
    tact_real u = q.high + q.low, z = u * u, zz = z * z;
    tact_real tail = q.low - u * (z * ATAN_TAIL(z, zz));
    real_pair base = real_sum(turn.high, side * center.high), sum = real_sum(base.high, side * q.high);
    tact_real low = base.low + (turn.low + side * center.low);
    return real_flip(sum.high + (sum.low + (low + side * tail)), real_sign(y));
}
