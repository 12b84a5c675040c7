// SPDX-License-Identifier: MIT
// TACT_LANES numbers side by side: the one SIMD type. A file that defines TACT_LANES has a scene in each lane. All others have
// one scene, and in the lanes several of its contacts: as many as a vector register holds that every processor of the kind has,
// or, compiled for AVX2, one of those. With one lane tact_wide is tact_real itself, and what is written on it is plain scalar
// code. Every lane has the bits that the scalar code has: each operation is the IEEE one, and nothing is fused or reordered.
#ifndef TACT_MATH_WIDE_H
#define TACT_MATH_WIDE_H

#include "math/elementary.h"

#ifdef TACT_LANES
#define TACT_SCENES TACT_LANES
#else
#define TACT_SCENES 1
#if !defined(__SSE2__) && !defined(__aarch64__)
#define TACT_LANES 1
#elif defined(TACT_FLOAT) && defined(__AVX2__)
#define TACT_LANES 8
#elif defined(TACT_FLOAT) || defined(__AVX2__)
#define TACT_LANES 4
#else
#define TACT_LANES 2
#endif
#endif

// Two numbers of one scene.
typedef tact_real tact_two __attribute__((vector_size(2 * sizeof(tact_real))));

#if TACT_LANES == 1

typedef tact_real tact_wide;
typedef int tact_mask;  // what a comparison yields: 0 is false

static inline tact_wide tact_wide_all(tact_real x) {
    return x;
}
static inline tact_wide tact_wide_sqrt(tact_wide x) {
    return tact_sqrt(x);
}
static inline tact_wide tact_wide_abs(tact_wide x) {
    return tact_fabs(x);
}
static inline tact_wide tact_wide_select(tact_mask which, tact_wide yes, tact_wide no) {
    return which ? yes : no;
}
static inline bool tact_mask_any(tact_mask which) {
    return which;
}
static inline bool tact_mask_get(tact_mask which, int lane) {
    (void)lane;
    return which;
}
static inline tact_mask tact_mask_not(tact_mask which) {
    return !which;
}
static inline tact_real tact_wide_get(const tact_wide *x, int lane) {
    return x[lane];
}
static inline void tact_wide_put(tact_wide *x, int lane, tact_real value) {
    x[lane] = value;
}

#else

#ifdef TACT_FLOAT
typedef int32_t tact_lane_bits;
#else
typedef int64_t tact_lane_bits;
#endif
typedef tact_real tact_wide __attribute__((vector_size(TACT_LANES * sizeof(tact_real))));
typedef tact_lane_bits tact_mask __attribute__((vector_size(TACT_LANES * sizeof(tact_real))));  // all bits of a lane, or none

static inline tact_wide tact_wide_all(tact_real x) {
    tact_wide y = {0};
    for (int i = 0; i < TACT_LANES; i++) y[i] = x;
    return y;
}
// compilers make one instruction of it
static inline tact_wide tact_wide_sqrt(tact_wide x) {
    tact_wide y = {0};
    for (int i = 0; i < TACT_LANES; i++) y[i] = tact_sqrt(x[i]);
    return y;
}
static inline tact_wide tact_wide_select(tact_mask which, tact_wide yes, tact_wide no) {
    return (tact_wide)(((tact_mask)yes & which) | ((tact_mask)no & ~which));
}
static inline tact_wide tact_wide_abs(tact_wide x) {
    return (tact_wide)((tact_mask)x & ~(tact_mask)tact_wide_all(-0.0));
}
static inline bool tact_mask_any(tact_mask which) {
    tact_lane_bits some = 0;
    for (int i = 0; i < TACT_LANES; i++) some |= which[i];
    return some != 0;
}
static inline bool tact_mask_get(tact_mask which, int lane) {
    return which[lane] != 0;
}
static inline tact_mask tact_mask_not(tact_mask which) {
    return ~which;
}
static inline tact_real tact_wide_get(const tact_wide *x, int lane) {
    return (*x)[lane];
}
static inline void tact_wide_put(tact_wide *x, int lane, tact_real value) {
    (*x)[lane] = value;
}

#endif

// With a NaN among the arguments both return b, as tact_min and tact_max do, and as x86 does in one instruction, which compilers
// do not find by themselves.
#if !defined(__SSE2__) || TACT_LANES == 1
static inline tact_wide tact_wide_min(tact_wide a, tact_wide b) {
    return tact_wide_select(a < b, a, b);
}
static inline tact_wide tact_wide_max(tact_wide a, tact_wide b) {
    return tact_wide_select(a > b, a, b);
}
#else
#if defined(TACT_FLOAT) ? TACT_LANES == 4 : TACT_LANES == 2
#define TACT_WIDE_CALL(name, type, all, a, b) __builtin_ia32_##name##type(a, b)
#elif defined(TACT_FLOAT) ? TACT_LANES == 8 : TACT_LANES == 4
#define TACT_WIDE_CALL(name, type, all, a, b) __builtin_ia32_##name##type##256(a, b)
#elif defined(__clang__)
#define TACT_WIDE_CALL(name, type, all, a, b) __builtin_ia32_##name##type##512(a, b, 4)
#else
#define TACT_WIDE_CALL(name, type, all, a, b) __builtin_ia32_##name##type##512_mask(a, b, a, all, 4)
#endif
#ifdef TACT_FLOAT
#define TACT_WIDE_PAIR(name, a, b) TACT_WIDE_CALL(name, ps, -1, a, b)
#else
#define TACT_WIDE_PAIR(name, a, b) TACT_WIDE_CALL(name, pd, 255, a, b)
#endif
static inline tact_wide tact_wide_min(tact_wide a, tact_wide b) {
    return TACT_WIDE_PAIR(min, a, b);
}
static inline tact_wide tact_wide_max(tact_wide a, tact_wide b) {
    return TACT_WIDE_PAIR(max, a, b);
}
#endif

// One number of each scene: of the unknowns, which the contacts of a scene share. tact_each_add and tact_each_take are y + x and
// y - x, where x may hold those of several members of one scene, which follow each other; tact_each_most is the largest of them.
#if TACT_SCENES == TACT_LANES

typedef tact_wide tact_each;
typedef tact_mask tact_each_mask;

static inline tact_each tact_each_all(tact_real x) {
    return tact_wide_all(x);
}
static inline tact_each tact_each_abs(tact_each x) {
    return tact_wide_abs(x);
}
static inline tact_each tact_each_max(tact_each a, tact_each b) {
    return tact_wide_max(a, b);
}
static inline tact_each tact_each_select(tact_each_mask which, tact_each yes, tact_each no) {
    return tact_wide_select(which, yes, no);
}
static inline tact_wide tact_each_spread(tact_each x) {
    return x;
}
static inline tact_each tact_each_add(tact_each y, tact_wide x, int members) {
    (void)members;
    return y + x;
}
static inline tact_each tact_each_take(tact_each y, tact_wide x, int members) {
    (void)members;
    return y - x;
}
static inline tact_each tact_each_most(tact_wide x) {
    return x;
}
static inline void tact_each_put(tact_each *x, int scene, tact_real value) {
    tact_wide_put(x, scene, value);
}
static inline tact_real tact_each_get(const tact_each *x, int scene) {
    return tact_wide_get(x, scene);
}
static inline tact_each tact_each_sqrt(tact_each x) {
    return tact_wide_sqrt(x);
}

#else

typedef tact_real tact_each;
typedef int tact_each_mask;

static inline tact_each tact_each_all(tact_real x) {
    return x;
}
static inline tact_each tact_each_abs(tact_each x) {
    return tact_fabs(x);
}
static inline tact_each tact_each_max(tact_each a, tact_each b) {
    return a > b ? a : b;
}
static inline tact_each tact_each_select(tact_each_mask which, tact_each yes, tact_each no) {
    return which ? yes : no;
}
static inline tact_wide tact_each_spread(tact_each x) {
    return tact_wide_all(x);
}
static inline tact_each tact_each_add(tact_each y, tact_wide x, int members) {
    y += tact_wide_get(&x, 0);
    for (int i = 1; i < TACT_LANES && i < members; i++) y += tact_wide_get(&x, i);
    return y;
}
static inline tact_each tact_each_take(tact_each y, tact_wide x, int members) {
    y -= tact_wide_get(&x, 0);
    for (int i = 1; i < TACT_LANES && i < members; i++) y -= tact_wide_get(&x, i);
    return y;
}
static inline tact_each tact_each_most(tact_wide x) {
    tact_each most = tact_wide_get(&x, 0);
    for (int i = 1; i < TACT_LANES; i++) most = tact_each_max(most, tact_wide_get(&x, i));
    return most;
}
static inline void tact_each_put(tact_each *x, int lane, tact_real value) {
    x[lane] = value;
}
static inline tact_real tact_each_get(const tact_each *x, int lane) {
    return x[lane];
}
static inline tact_each tact_each_sqrt(tact_each x) {
    return tact_sqrt(x);
}

#endif

static inline tact_each tact_each_least(tact_wide x) {
    return -tact_each_most(-x);
}

// Four numbers of one scene that follow each other, as one register or as two: TACT_PARTS of them.
#if defined(TACT_FLOAT) || defined(__AVX2__)
enum { TACT_PARTS = 1, TACT_PART = 4 };
typedef tact_real tact_part __attribute__((vector_size(4 * sizeof(tact_real))));
typedef tact_real tact_part_there __attribute__((vector_size(4 * sizeof(tact_real)), aligned(sizeof(tact_real)), may_alias));
#else
enum { TACT_PARTS = 2, TACT_PART = 2 };
typedef tact_real tact_part __attribute__((vector_size(2 * sizeof(tact_real))));
typedef tact_real tact_part_there __attribute__((vector_size(2 * sizeof(tact_real)), aligned(sizeof(tact_real)), may_alias));
#endif

static inline const tact_part_there *tact_part_of(const tact_real *x) {
    return (const tact_part_there *)x;
}
static inline tact_part_there *tact_part_at(tact_real *x) {
    return (tact_part_there *)x;
}

#endif
