// SPDX-License-Identifier: MIT
// Numbers out of a fuzzer's bytes.
#ifndef TACT_FUZZ_H
#define TACT_FUZZ_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "tact/tact.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// FUZZ_COUNTED: a test includes what the fuzzer calls, and counts what does not hold.
#ifdef FUZZ_COUNTED
#define ASAN_POISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(memory, size) ((void)(memory), (void)(size))
#define fuzz_require(condition, what) test_count(condition, __FILE__, __LINE__, what)
#else
#include <sanitizer/asan_interface.h>

// The reader of XML asks one of these for chance, by which its tables differ from run to run. One seed is to give one run.
void arc4random_buf(void *bytes, size_t size);
ssize_t getrandom(void *bytes, size_t size, unsigned flags);

void arc4random_buf(void *bytes, size_t size) {
    memset(bytes, 1, size);
}

ssize_t getrandom(void *bytes, size_t size, unsigned flags) {
    (void)flags;
    memset(bytes, 1, size);
    return (ssize_t)size;
}

static inline void fuzz_require(bool condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "not so: %s\n", what);
    abort();
}
#endif

typedef struct {
    const uint8_t *bytes;
    size_t size, at;
    bool wild;  // numbers may be anything
} fuzz_source;

static inline uint8_t fuzz_byte(fuzz_source *source) {
    return source->at < source->size ? source->bytes[source->at++] : 0;
}

static inline int fuzz_below(fuzz_source *source, int count) {
    return fuzz_byte(source) % count;
}

// Of most inputs all numbers are tame, so that problems have answers.
static inline fuzz_source fuzz_begin(const uint8_t *bytes, size_t size) {
    fuzz_source source = {bytes, size, 0, false};
    source.wild = fuzz_below(&source, 3) == 0;
    return source;
}

static inline tact_real fuzz_special(int which) {
    const tact_real special[] = {(tact_real)NAN,   (tact_real)INFINITY, -(tact_real)INFINITY,    TACT_MAX,
                                 -TACT_MAX,        TACT_MAX * TACT_EPS, -TACT_MAX * TACT_EPS,    1 / TACT_MAX,
                                 TACT_EPS / 2,     1 + TACT_EPS,        TACT_REAL(1e6),          -TACT_REAL(1e9),
                                 TACT_REAL(1e-30), TACT_REAL(1e18),     1 / TACT_MAX * TACT_EPS, -0 * TACT_REAL(1)};
    return special[which % 16];
}

// Small and round. A wild one is, at times, one of those that spoil arithmetic, of any magnitude, or of any bits.
static inline tact_real fuzz_real(fuzz_source *source) {
    uint8_t first = fuzz_byte(source);
    tact_real x;
    uint8_t raw[sizeof x];
    if (!source->wild || first < 228) return (tact_real)((int)(first % 228) - 114) / 32;
    if (first < 236) return fuzz_special(fuzz_byte(source));
    if (first < 248) return (tact_real)ldexp(first % 2 ? 1 : -1, 8 * ((int)fuzz_byte(source) - 128) / (sizeof x == 4 ? 8 : 1));
    for (size_t k = 0; k < sizeof x; k++) raw[k] = fuzz_byte(source);
    memcpy(&x, raw, sizeof x);
    return x;
}

static inline void fuzz_fill(fuzz_source *source, tact_real *x, int count) {
    for (int i = 0; i < count; i++) x[i] = fuzz_real(source);
}

static inline bool fuzz_finite(const tact_real *x, int count) {
    for (int i = 0; i < count; i++)
        if (!(x[i] - x[i] == 0)) return false;
    return true;
}

// The status is one of those that the header names, ended by TACT_BAD_INPUT.
static inline void fuzz_status(tact_status status, const tact_status *known, const char *what) {
    int k = 0;
    while (known[k] != status && known[k] != TACT_BAD_INPUT) k++;
    fuzz_require(known[k] == status, what);
}

// Large memory that is kept, so that no pages are given back and fetched anew for each input: its last bytes, as many as are
// asked for. Those before and behind them may not be touched.
typedef struct {
    unsigned char *memory;
    size_t used;
} fuzz_block;

static inline void *fuzz_block_take(fuzz_block *block, size_t size) {
    enum { ROOM = 1 << 25 };
    size = (size + 7) / 8 * 8;
    if (!block->memory && !(block->memory = malloc(ROOM))) abort();
    if (!block->used) ASAN_POISON_MEMORY_REGION(block->memory, ROOM);
    fuzz_require(size <= ROOM, "what is asked for is not too much");
    unsigned char *end = block->memory + ROOM;
    if (size < block->used) ASAN_POISON_MEMORY_REGION(end - block->used, block->used - size);
    ASAN_UNPOISON_MEMORY_REGION(end - size, size);
    block->used = size;
    return end - size;
}

// Memory for what a place function takes, of the very size that it asks for.
typedef void fuzz_place(void *work, const void *size, tact_arena *arena);

static inline void *fuzz_take(fuzz_place *place, void *work, const void *size) {
    tact_arena arena = {0};
    place(work, size, &arena);
    size_t used = arena.used;
    arena = (tact_arena){.memory = malloc(used + 1), .size = used};
    if (!arena.memory) abort();
    place(work, size, &arena);
    fuzz_require(arena.used <= used, "what was measured suffices");
    return arena.memory;
}

#endif
