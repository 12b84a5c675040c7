// SPDX-License-Identifier: MIT
// Numbers of about 32 digits as unevaluated sums high + low of two doubles, |low| <= ulp(high) / 2. The relative error of a sum
// is at most 3 * 2^-106, of a product 5 * 2^-106, of a quotient 10 * 2^-106 or less; the same bits on every machine with IEEE
// doubles. Sources: Dekker, A floating-point technique for extending the available precision, 1971 (product); Joldes, Muller,
// Popescu, Tight and rigorous error bounds for basic building blocks of double-word arithmetic, 2017 (sum, quotient, errors).
#ifndef TACT_MATH_TWIN_H
#define TACT_MATH_TWIN_H

#include <math.h>

typedef struct {
    double high, low;
} tact_twin;

// what a sum of two twins may be off by, relative to the sum of their magnitudes
#define TACT_TWIN_EPS 0x1p-103

static inline tact_twin tact_twin_of(double x) {
    return (tact_twin){x, 0};
}

// a + b of doubles without an error, |a| >= |b|; and for any a and b
static inline tact_twin tact_twin_join(double a, double b) {
    double sum = a + b;
    return (tact_twin){sum, b - (sum - a)};
}
static inline tact_twin tact_twin_sum(double a, double b) {
    double sum = a + b, from_b = sum - a;
    return (tact_twin){sum, (a - (sum - from_b)) + (b - from_b)};
}

// a b of doubles without an error, by halves of 26 bits
static inline tact_twin tact_twin_product(double a, double b) {
    double p = a * b, x = 134217729 * a, y = 134217729 * b;
    double a1 = x - (x - a), a2 = a - a1, b1 = y - (y - b), b2 = b - b1;
    return (tact_twin){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline tact_twin tact_twin_negative(tact_twin a) {
    return (tact_twin){-a.high, -a.low};
}
static inline tact_twin tact_twin_add(tact_twin a, tact_twin b) {
    tact_twin s = tact_twin_sum(a.high, b.high), t = tact_twin_sum(a.low, b.low);
    s = tact_twin_join(s.high, s.low + t.high);
    return tact_twin_join(s.high, t.low + s.low);
}
static inline tact_twin tact_twin_take(tact_twin a, tact_twin b) {
    return tact_twin_add(a, tact_twin_negative(b));
}
static inline tact_twin tact_twin_times(tact_twin a, tact_twin b) {
    tact_twin p = tact_twin_product(a.high, b.high);
    return tact_twin_join(p.high, p.low + (a.high * b.low + a.low * b.high));
}
static inline tact_twin tact_twin_scale(tact_twin a, double b) {
    tact_twin p = tact_twin_product(a.high, b);
    return tact_twin_join(p.high, p.low + a.low * b);
}
// a/b: the quotient of the leading parts, and that of what it leaves
static inline tact_twin tact_twin_over(tact_twin a, tact_twin b) {
    double q = a.high / b.high;
    tact_twin rest = tact_twin_take(a, tact_twin_scale(b, q));
    double q2 = rest.high / b.high;
    rest = tact_twin_take(rest, tact_twin_scale(b, q2));
    tact_twin sum = tact_twin_join(q, q2);
    return tact_twin_add(sum, tact_twin_of(rest.high / b.high));
}
// a root and Newton's correction of it; 0 of what is not positive
static inline tact_twin tact_twin_root(tact_twin a) {
    if (!(a.high > 0)) return tact_twin_of(0);
    double r = sqrt(a.high);
    tact_twin rest = tact_twin_take(a, tact_twin_product(r, r));
    return tact_twin_join(r, rest.high / (2 * r));
}
static inline tact_twin tact_twin_square(tact_twin a) {
    return tact_twin_times(a, a);
}
static inline double tact_twin_magnitude(tact_twin a) {
    return fabs(a.high);
}
static inline double tact_twin_max(double a, double b) {
    return a > b ? a : b;
}
static inline double tact_twin_min(double a, double b) {
    return a < b ? a : b;
}

#endif
