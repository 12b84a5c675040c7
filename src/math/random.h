// SPDX-License-Identifier: MIT
// Random numbers: splitmix64 (Steele, Lea, Flood 2014), the same on every machine.
#ifndef TACT_MATH_RANDOM_H
#define TACT_MATH_RANDOM_H

#include <stdint.h>

// the mixing function: 64 bits of z that look independent of those of z + 1
static inline uint64_t tact_random_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// 64 random bits; the state goes on by the golden ratio
static inline uint64_t tact_random_bits(uint64_t *state) {
    return tact_random_mix(*state += 0x9e3779b97f4a7c15u);
}

#endif
