// SPDX-License-Identifier: MIT
// Vectors for tests: made of doubles, random ones, and what they are in double.
#ifndef TACT_VECTOR_TEST_H
#define TACT_VECTOR_TEST_H

#include "tact/math.h"
#include "test.h"

#ifdef TACT_FLOAT
#define PICK(in_double, in_float) (in_float)
#else
#define PICK(in_double, in_float) (in_double)
#endif

static uint64_t seed;

static inline double uniform(double low, double high) {
    return test_random(&seed, low, high);
}

static inline tact_vec3 vec(double x, double y, double z) {
    return tact_vec3_make((tact_real)x, (tact_real)y, (tact_real)z);
}

// one call after the other: the order in which arguments are evaluated is the compiler's
static inline tact_vec3 random_vec(double reach) {
    double x = uniform(-reach, reach), y = uniform(-reach, reach), z = uniform(-reach, reach);
    return vec(x, y, z);
}

static inline void spread(tact_vec3 v, double out[3]) {
    out[0] = (double)v.x;
    out[1] = (double)v.y;
    out[2] = (double)v.z;
}

static inline double norm_of(const double v[3]) {
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

#endif
