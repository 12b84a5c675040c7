// SPDX-License-Identifier: MIT
// A number of tact_real's format taken apart: its bits, sign and leading bits, powers of 2, and unevaluated sums of two numbers.
#ifndef TACT_MATH_ELEMENTARY_PARTS_H
#define TACT_MATH_ELEMENTARY_PARTS_H

#include "math/elementary.h"
#include "math/trig.h"

#ifdef TACT_FLOAT
typedef uint32_t real_pattern;
#define REAL_FRACTION 23  // bits stored of the fraction
#define REAL_BIAS 127     // of the exponent
#define REAL_SIGN 31      // place of the sign's bit
#define REAL_TAIL 12      // low bits that real_head drops: the product of two heads is exact
#else
typedef uint64_t real_pattern;
#define REAL_FRACTION 52
#define REAL_BIAS 1023
#define REAL_SIGN 63
#define REAL_TAIL 27
#endif

typedef struct {
    tact_real high, low;  // stands for high + low
} real_pair;

static const tact_real real_shift = TRIG_SHIFT;  // (x + real_shift) - real_shift rounds |x| < 2^(fraction - 1) to an integer

static inline real_pattern real_bits(tact_real x) {
    union {
        tact_real real;
        real_pattern bits;
    } view = {.real = x};
    return view.bits;
}

static inline tact_real real_from_bits(real_pattern bits) {
    union {
        real_pattern bits;
        tact_real real;
    } view = {.bits = bits};
    return view.real;
}

static inline real_pattern real_sign(tact_real x) {
    return real_bits(x) & (real_pattern)1 << REAL_SIGN;
}

static inline tact_real real_flip(tact_real x, real_pattern sign) {
    return real_from_bits(real_bits(x) ^ sign);
}

static inline tact_real real_head(tact_real x) {
    return real_from_bits(real_bits(x) >> REAL_TAIL << REAL_TAIL);
}

// 2^k within the normal numbers
static inline tact_real real_power(int k) {
    return real_from_bits((real_pattern)(REAL_BIAS + k) << REAL_FRACTION);
}

// 2^k x with one rounding, |k| at most twice the largest exponent less 2, 0.5 < |x| < 2
static inline tact_real real_scale(tact_real x, int k) {
    return x * real_power(k / 2) * real_power(k - k / 2);
}

static inline tact_real real_poly(const tact_real *c, tact_real x, tact_real xx) {
    return (c[0] + c[1] * x) + xx * (c[2] + c[3] * x);
}

// a + b for |a| >= |b| or a = 0, exactly
static inline real_pair real_sum(tact_real a, tact_real b) {
    tact_real sum = a + b;
    return (real_pair){sum, (a - sum) + b};
}

// (a + a_low) / (b + b_low), in double to about 2^-75, in float to 2^-34: high is a head, so that its product with b leaves an
// exact remainder
static inline real_pair real_quotient(real_pair a, real_pair b) {
    tact_real q = real_head(a.high / b.high), b_head = real_head(b.high);
    tact_real rest = ((a.high - q * b_head) - q * ((b.high - b_head) + b.low)) + a.low;
    return (real_pair){q, rest / b.high};
}

#endif
