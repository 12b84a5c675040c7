// SPDX-License-Identifier: MIT
// Constants of sine and cosine of moderate angles: see elementary_double.c.
#ifndef TACT_MATH_TRIG_H
#define TACT_MATH_TRIG_H

#include "tact/base.h"

#ifdef TACT_FLOAT

#define TRIG_SHIFT 0x1.8p23f      // (x + shift) - shift rounds |x| < 2^22 to an integer
#define TRIG_RATE 0x1.45f306p-1f  // 2/pi
#define TRIG_NEAR 0x1p7f          // up to here the reduction in three parts is exact enough ...
#define TRIG_LOST 0x1p-30f        // ... unless it leaves less than this share

static const float trig_half_pi[3] = {0x1.9220p+0f, -0x1.2aefp-18f, 0x1.68c234p-39f};  // 17 + 17 + 24 bits

// (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 in r^2, |r| <= pi/4
static const float trig_sin_poly[3] = {-0x1.555546p-3f, 0x1.110778p-7f, -0x1.995404p-13f};
static const float trig_cos_poly[3] = {0x1.55554ap-5f, -0x1.6c0c28p-10f, 0x1.99e80ep-16f};

#else

#define TRIG_SHIFT 0x1.8p52
#define TRIG_RATE 0x1.45f306dc9c883p-1
#define TRIG_NEAR 0x1p17
#define TRIG_LOST 0x1p-66

static const double trig_half_pi[3] = {0x1.921fb54440000p+0, 0x1.68c234c4c0000p-39, 0x1.98a2e03707345p-77};  // 36 + 36 + 53 bits

// (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 in r^2, |r| <= pi/4
static const double trig_sin_poly[6] = {-0x1.5555555555548p-3, 0x1.111111110f731p-7,   -0x1.a01a019be95bep-13,
                                        0x1.71de3555700b3p-19, -0x1.ae5e4b910b31bp-26, 0x1.5d8b3d04ddc20p-33};
static const double trig_cos_poly[6] = {0x1.555555555554bp-5,   -0x1.6c16c16c15015p-10, 0x1.a01a019c8f24bp-16,
                                        -0x1.27e4f7f19014ap-22, 0x1.1ee9dbcd7d77ap-29,  -0x1.8fa6839dff7cbp-37};

#endif

#endif
