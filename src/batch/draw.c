// SPDX-License-Identifier: MIT
// Bits: three rounds of the finaliser of splitmix64 (Steele, Lea, Flood 2014), over seed, environment and parameter.
// Normal: Box and Muller.
#include "tact/batch.h"

#include "math/elementary.h"
#include "math/random.h"

#define PI TACT_REAL(3.14159265358979323846)

// strictly between 0 and 1, also in single precision
static tact_real draw_unit(uint64_t seed, uint64_t environment, uint64_t parameter) {
    uint64_t z = tact_random_mix(seed + 0x9e3779b97f4a7c15u);
    z = tact_random_mix(z + environment * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u);
    z = tact_random_mix(z + parameter * 0x9e3779b97f4a7c15u + 0xd1342543de82ef95u);
    int digits = sizeof(tact_real) == sizeof(float) ? 22 : 51;
    return ((tact_real)(z >> (64 - digits)) + TACT_REAL(0.5)) / (tact_real)((uint64_t)1 << digits);
}

static tact_real clamp(tact_real x, tact_real low, tact_real high) {
    return x < low ? low : x > high ? high : x;
}

tact_real tact_draw_value(const tact_draw *draw, uint64_t seed, uint64_t environment, int parameter, int *index) {
    TACT_ASSERT(draw);
    tact_real x = draw_unit(seed, environment, 2 * (uint64_t)parameter), log_a = 0, radius = 0;
    switch (draw->kind) {
    case TACT_DRAW_UNIFORM: return clamp(draw->a + x * (draw->b - draw->a), draw->a, draw->b);
    case TACT_DRAW_NORMAL:
        // Box and Muller: two uniform numbers make a normal one.
        radius = tact_sqrt(-2 * tact_log(x));
        return draw->a + draw->b * (radius * tact_cos(2 * PI * draw_unit(seed, environment, 2 * (uint64_t)parameter + 1)));
    case TACT_DRAW_LOG_UNIFORM:
        log_a = tact_log(draw->a);
        return clamp(tact_exp(log_a + x * (tact_log(draw->b) - log_a)), draw->a, draw->b);
    case TACT_DRAW_CHOICE:
        *index = (int)(x * (tact_real)draw->nchoice);
        if (*index >= draw->nchoice) *index = draw->nchoice - 1;
        return draw->value[*index];
    }
    return draw->a;
}
