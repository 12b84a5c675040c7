// SPDX-License-Identifier: MIT
// Sine and cosine in lanes: tact_sincos operation by operation where all angles are moderate, else one after the other.
#ifndef TACT_MATH_WIDE_TRIG_H
#define TACT_MATH_WIDE_TRIG_H

#include "math/trig.h"
#include "math/wide.h"

static inline void wide_sincos_each(tact_wide angle, tact_wide *s, tact_wide *c) {
    *s = *c = angle;
    for (int i = 0; i < TACT_LANES; i++) {
        tact_real sine = 0, cosine = 0;
        tact_sincos(tact_wide_get(&angle, i), &sine, &cosine);
        tact_wide_put(s, i, sine);
        tact_wide_put(c, i, cosine);
    }
}

#if TACT_LANES == 1

static inline void tact_wide_sincos(tact_wide angle, tact_wide *s, tact_wide *c) {
    wide_sincos_each(angle, s, c);
}

#else

#ifdef TACT_FLOAT
enum { WIDE_TOP = 31 };  // the sign's bit
typedef uint32_t wide_bits __attribute__((vector_size(TACT_LANES * sizeof(tact_real))));
static inline tact_wide wide_trig_tail(const tact_real *c, tact_wide z, tact_wide zz) {
    return (c[0] + c[1] * z) + zz * c[2];
}
#else
enum { WIDE_TOP = 63 };
typedef uint64_t wide_bits __attribute__((vector_size(TACT_LANES * sizeof(tact_real))));
static inline tact_wide wide_trig_tail(const tact_real *c, tact_wide z, tact_wide zz) {
    return ((c[0] + c[1] * z) + zz * (c[2] + c[3] * z)) + zz * zz * (c[4] + c[5] * z);
}
#endif

// Sine and cosine by reduction to |x| <= pi/4: n the nearest multiple of pi/2, which is taken off in three parts (Cody and
// Waite).
static inline void tact_wide_sincos(tact_wide angle, tact_wide *s, tact_wide *c) {
    tact_wide x = tact_wide_abs(angle), shifted = x * TRIG_RATE + TRIG_SHIFT, n = shifted - TRIG_SHIFT;
    tact_wide a = x - n * trig_half_pi[0], b = -(n * trig_half_pi[1]), first = a + b;
    tact_wide rest = ((a - first) + b) - n * trig_half_pi[2], high = first + rest, low = (first - high) + rest;
    tact_mask near = (x <= TRIG_NEAR) & tact_mask_not(tact_wide_abs(high) < x * TRIG_LOST);
    if (tact_mask_any(tact_mask_not(near))) {
        wide_sincos_each(angle, s, c);
        return;
    }
    tact_wide z = high * high, zz = z * z, half = z / 2, big = 1 - half;
    tact_wide sin_tail = wide_trig_tail(trig_sin_poly, z, zz), cos_tail = wide_trig_tail(trig_cos_poly, z, zz);
    tact_wide sine = high + (high * (z * sin_tail) + low * big);
    tact_wide cosine = big + (((1 - big) - half) + (zz * cos_tail - high * low));
    // the last bits of the shifted number are those of n
    wide_bits turn = (wide_bits)shifted & 3, sign = ((wide_bits)angle >> WIDE_TOP) << WIDE_TOP;
    tact_mask odd = (tact_mask)((turn & 1) != 0);
    *s = (tact_wide)((wide_bits)tact_wide_select(odd, cosine, sine) ^ sign ^ (turn >> 1) << WIDE_TOP);
    *c = (tact_wide)((wide_bits)tact_wide_select(odd, sine, cosine) ^ ((turn + 1) >> 1) << WIDE_TOP);
}

#endif

// Of one angle per scene.
#if TACT_SCENES == 1
#define tact_each_sincos tact_sincos
#else
#define tact_each_sincos tact_wide_sincos
#endif

#endif
