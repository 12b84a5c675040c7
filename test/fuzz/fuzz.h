// SPDX-License-Identifier: MIT
// Numbers out of a fuzzer's bytes.
#ifndef TACT_FUZZ_H
#define TACT_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tact/tact.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

typedef struct {
    const uint8_t *bytes;
    size_t size, at;
} fuzz_source;

static inline uint8_t fuzz_byte(fuzz_source *source) {
    return source->at < source->size ? source->bytes[source->at++] : 0;
}

static inline int fuzz_below(fuzz_source *source, int count) {
    return fuzz_byte(source) % count;
}

// Any number at times, mostly one that is small and round, so that problems have answers.
static inline tact_real fuzz_real(fuzz_source *source) {
    uint8_t first = fuzz_byte(source);
    tact_real x;
    uint8_t raw[sizeof x];
    if (first < 240) return (tact_real)((int)first - 120) / 32;
    for (size_t k = 0; k < sizeof x; k++) raw[k] = fuzz_byte(source);
    memcpy(&x, raw, sizeof x);
    return x;
}

static inline void fuzz_fill(fuzz_source *source, tact_real *x, int count) {
    for (int i = 0; i < count; i++) x[i] = fuzz_real(source);
}

static inline void fuzz_require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}

static inline bool fuzz_finite(const tact_real *x, int count) {
    for (int i = 0; i < count; i++)
        if (!(x[i] - x[i] == 0)) return false;
    return true;
}

#endif
