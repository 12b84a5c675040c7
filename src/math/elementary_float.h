// SPDX-License-Identifier: MIT
// The part of elementary.c for float: thresholds, coefficients, and the reduction of large angles.
#ifndef TACT_MATH_ELEMENTARY_FLOAT_H
#define TACT_MATH_ELEMENTARY_FLOAT_H

#include "math/elementary_parts.h"

#ifdef TACT_FLOAT

#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 2)
#error "float results must not keep excess precision: x86 needs -msse2 -mfpmath=sse, s390x -fexcess-precision=fast"
#endif

#define EXP_MOST 120             // e^x is 0 or infinite from here on
#define EXPM1_MOST 100           // e^x - 1 is infinite from here on ...
#define EXPM1_LEAST (-20)        // ... and -1 below this
#define EXP_RATE 0x1.715476p+0f  // 1/log(2)
#define REAL_TINY 0x1p-25f       // x^2 / 2 vanishes beside x
#define TANH_MOST 10             // tanh is 1 from here on
#define TANH_TINY 0x1p-13f       // x^3 / 3 vanishes beside x
#define LOG_SPLIT 0x004afb0d     // carries the bits of a fraction from sqrt(1/2) on into the exponent
#define REAL_LEAST FLT_MIN       // normal number
#define ATAN_TINY 0x1p-14f       // u^3 / 3 vanishes beside u
#define ATAN_DOWN 0x1p-20f       // factors away from overflow ...
#define ATAN_UP 0x1p40f          // ... and underflow

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

// S or C of degree 2, to 2^-27 and 2^-32
static inline float trig_tail(const float *c, float z, float zz) {
    return (c[0] + c[1] * z) + zz * c[2];
}

static const float log_of_2[2] = {0x1.62e4p-1f, 0x1.7f7d1cp-20f};  // 15 + 24 bits

// (e^r - 1 - r - r^2 / 2) / r^3, |r| <= log(2) / 2
static const float exp_poly[5] = {0x1.555554p-3f, 0x1.5554f2p-5f, 0x1.1111cap-7f, 0x1.6d408ep-10f, 0x1.9fbdc2p-13f};

// Q of degree 4, to 2^-29 of e^r - 1
static inline float exp_tail(float r, float rr) {
    return real_poly(exp_poly, r, rr) + rr * rr * exp_poly[4];
}

// (log(1 + f) - 2 s) / s^3 in s^2 with s = f / (2 + f), sqrt(1/2) <= 1 + f <= sqrt(2)
static const float log_poly[3] = {0x1.55557ap-1f, 0x1.995ed4p-2f, 0x1.31e0e2p-2f};

// L of degree 2, to 2^-30
#define LOG_TAIL(z, zz) ((log_poly[0] + log_poly[1] * (z)) + (zz)*log_poly[2])

// (u - atan u) / u^3 in u^2, |u| <= 1/4
static const float atan_poly[4] = {0x1.55555p-2f, -0x1.9992dep-3f, 0x1.2342eap-3f, -0x1.93432ep-4f};

// atan of 0, 1/2 and 1; 0, pi/2 and pi
static const real_pair atan_center[3] = {{0, 0}, {0x1.dac67p-2f, 0x1.586ed4p-28f}, {0x1.921fb6p-1f, -0x1.777a5cp-26f}};
static const real_pair atan_turn[3] = {{0, 0}, {0x1.921fb6p+0f, -0x1.777a5cp-25f}, {0x1.921fb6p+1f, -0x1.777a5cp-24f}};

// A of degree 3, to 2^-32 of u
#define ATAN_TAIL(z, zz) (real_poly(atan_poly, z, zz))

#endif

#endif
