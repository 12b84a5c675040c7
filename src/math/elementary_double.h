// SPDX-License-Identifier: MIT
// The part of elementary.c for double: thresholds, coefficients, and the reduction of large angles.
#ifndef TACT_MATH_ELEMENTARY_DOUBLE_H
#define TACT_MATH_ELEMENTARY_DOUBLE_H

#include "math/elementary_parts.h"

#ifndef TACT_FLOAT

#if defined(FLT_EVAL_METHOD) && (FLT_EVAL_METHOD < 0 || FLT_EVAL_METHOD == 2)
#error "double results must not keep excess precision: x86 needs -msse2 -mfpmath=sse, s390x -fexcess-precision=fast"
#endif

#define EXP_MOST 750                   // e^x is 0 or infinite from here on
#define EXPM1_MOST 720                 // e^x - 1 is infinite from here on ...
#define EXPM1_LEAST (-40)              // ... and -1 below this
#define EXP_RATE 0x1.71547652b82fep+0  // 1/log(2)
#define REAL_TINY 0x1p-54              // x^2 / 2 vanishes beside x
#define TANH_MOST 20                   // tanh is 1 from here on
#define TANH_TINY 0x1p-28              // x^3 / 3 vanishes beside x
#define LOG_SPLIT 0x00095f6198000000   // carries the bits of a fraction from sqrt(1/2) on into the exponent
#define REAL_LEAST DBL_MIN             // normal number
#define ATAN_TINY 0x1p-30              // u^3 / 3 vanishes beside u
#define ATAN_DOWN 0x1p-100             // factors away from overflow ...
#define ATAN_UP 0x1p100                // ... and underflow

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

// S or C of degree 5, to 2^-57 and 2^-63
static inline double trig_tail(const double *c, double z, double zz) {
    return real_poly(c, z, zz) + zz * zz * (c[4] + c[5] * z);
}

static const double log_of_2[2] = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};  // 42 + 53 bits

// (e^r - 1 - r - r^2 / 2) / r^3, |r| <= log(2) / 2
static const double exp_poly[10] = {0x1.5555555555559p-3,  0x1.5555555555548p-5,  0x1.111111110f7dfp-7,  0x1.6c16c16c1cd14p-10,
                                    0x1.a01a01af7b8f5p-13, 0x1.a01a0182fc53ep-16, 0x1.71ddf94335b20p-19, 0x1.27e52b33047bbp-22,
                                    0x1.af5d3ffd71980p-26, 0x1.1ef530a941062p-29};

// Q of degree 9, to 2^-58 of e^r - 1
static inline double exp_tail(double r, double rr) {
    double r4 = rr * rr, tail = exp_poly[8] + exp_poly[9] * r;
    return real_poly(exp_poly, r, rr) + r4 * (real_poly(exp_poly + 4, r, rr) + r4 * tail);
}

// (log(1 + f) - 2 s) / s^3 in s^2 with s = f / (2 + f), sqrt(1/2) <= 1 + f <= sqrt(2)
static const double log_poly[7] = {0x1.5555555555592p-1, 0x1.999999997feebp-2, 0x1.24924941e5a45p-2, 0x1.c71c520fa79b9p-3,
                                   0x1.74663e163eddbp-3, 0x1.39a1c63bd86c3p-3, 0x1.2f0544af1390ap-3};

// L of degree 6, to 2^-59
#define LOG_TAIL(z, zz) (real_poly(log_poly, z, zz) + (zz) * (zz) * ((log_poly[4] + log_poly[5] * (z)) + (zz)*log_poly[6]))

// (u - atan u) / u^3 in u^2, |u| <= 1/4
static const double atan_poly[8] = {0x1.55555555554c7p-2, -0x1.9999999975569p-3, 0x1.2492490b4b060p-3, -0x1.c71c60b5bf630p-4,
                                    0x1.7459e52492a0ap-4, -0x1.3aba0051f72bap-4, 0x1.0b4ea00b09ce8p-4, -0x1.798d7d1ff28d2p-5};

// atan of 0, 1/2 and 1; 0, pi/2 and pi
static const real_pair atan_center[3] = {
    {0, 0}, {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}, {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
static const real_pair atan_turn[3] = {
    {0, 0}, {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}, {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}};

// A of degree 7, to 2^-57 of u
#define ATAN_TAIL(z, zz) (real_poly(atan_poly, z, zz) + (zz) * (zz)*real_poly(atan_poly + 4, z, zz))

#endif

#endif
