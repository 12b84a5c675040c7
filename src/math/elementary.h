// SPDX-License-Identifier: MIT
// Elementary functions of tact_real with the same bits on every IEEE machine, compiler and optimisation level: they use
// only + - * / and integer operations on the bits. Errors are at most 1 ulp; test_elementary measures them.
// The Makefile compiles elementary_double.c or elementary_float.c. The rounding mode must be to nearest.
#ifndef TACT_MATH_ELEMENTARY_H
#define TACT_MATH_ELEMENTARY_H

#include "tact/base.h"
#include <math.h>

#define TACT_NAN TACT_REAL(NAN)
#define TACT_INFINITY TACT_REAL(INFINITY)

tact_real tact_sin(tact_real x);  // [rad], any finite x; NaN for inf
tact_real tact_cos(tact_real x);
void tact_sincos(tact_real x, tact_real *s, tact_real *c);  // the bits of tact_sin and tact_cos, for the price of one
tact_real tact_exp(tact_real x);
tact_real tact_log(tact_real x);  // -inf at 0, NaN below
tact_real tact_tanh(tact_real x);
tact_real tact_atan2(tact_real y, tact_real x);  // [-pi, pi]; the signs of zeros choose the side as in C's Annex F
tact_real tact_expm1(tact_real x);               // e^x - 1
tact_real tact_log1p(tact_real x);               // log(1 + x); -inf at -1, NaN below

#ifdef TACT_FLOAT
static inline tact_real tact_sqrt(tact_real x) {
    return sqrtf(x);
}
static inline tact_real tact_fabs(tact_real x) {
    return fabsf(x);
}
static inline tact_real tact_floor(tact_real x) {
    return floorf(x);
}
#else
static inline tact_real tact_sqrt(tact_real x) {
    return sqrt(x);
}
static inline tact_real tact_fabs(tact_real x) {
    return fabs(x);
}
static inline tact_real tact_floor(tact_real x) {
    return floor(x);
}
#endif

// With a NaN among the arguments min and max return b, clamp returns x.
static inline tact_real tact_min(tact_real a, tact_real b) {
    return a < b ? a : b;
}
static inline tact_real tact_max(tact_real a, tact_real b) {
    return a > b ? a : b;
}
static inline tact_real tact_clamp(tact_real x, tact_real low, tact_real high) {
    return x < low ? low : x > high ? high : x;
}
static inline bool tact_is_finite(tact_real x) {
    return x - x == 0;
}
// The first of the numbers that is NaN or larger in magnitude; count when there is none.
int tact_find_larger(const tact_real *x, int count, tact_real most);
static inline bool tact_all_finite(const tact_real *x, int count) {
    return tact_find_larger(x, count, TACT_MAX) == count;
}

// x'y, summed in order.
static inline tact_real tact_dot(const tact_real *x, const tact_real *y, int n) {
    tact_real sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}
// y += a x
static inline void tact_add_row(tact_real *restrict y, tact_real a, const tact_real *restrict x, int n) {
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}
// y += sign sum of a_k x_k over the first rows x_k of X (count, n), in order; stride: from a_k to the next.
static inline void tact_add_rows(tact_real *restrict y, tact_real sign, const tact_real *a, int stride,
                                 const tact_real *restrict X, int count, int n) {
    int k = 0;
    for (; k + 4 <= count; k += 4, a += 4 * stride, X += 4 * n) {
        const tact_real a0 = sign * a[0], a1 = sign * a[stride], a2 = sign * a[2 * stride], a3 = sign * a[3 * stride];
        for (int i = 0; i < n; i++) y[i] = y[i] + a0 * X[i] + a1 * X[n + i] + a2 * X[2 * n + i] + a3 * X[3 * n + i];
    }
    for (; k < count; k++, a += stride, X += n) tact_add_row(y, sign * *a, X, n);
}
// max |x_i|, 0 without any.
static inline tact_real tact_largest(const tact_real *x, int n) {
    tact_real most = 0;
    for (int i = 0; i < n; i++) most = tact_max(most, tact_fabs(x[i]));
    return most;
}
// Places vectors of n numbers each, or of n indices, at the addresses of a list that NULL ends; the macros make the list.
static inline void tact_vectors_take(tact_arena *arena, size_t n, tact_real **const *vector) {
    for (; *vector; vector++) **vector = tact_arena_take(arena, n, sizeof(tact_real));
}
static inline void tact_indices_take(tact_arena *arena, size_t n, int **const *list) {
    for (; *list; list++) **list = tact_arena_take(arena, n, sizeof(int));
}
#define TACT_INDICES(arena, n, ...) tact_indices_take(arena, n, (int **const[]){__VA_ARGS__, NULL})
#define TACT_VECTORS(arena, n, ...) tact_vectors_take(arena, n, (tact_real * *const[]){__VA_ARGS__, NULL})
static inline void tact_copy(tact_real *to, const tact_real *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}

#endif
