// SPDX-License-Identifier: MIT
// Checks that print file, line, got and wanted, and go on. Each test program ends with `return test_end("module");`.
#ifndef TACT_TEST_H
#define TACT_TEST_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the larger of two, and NaN of any: the library's keeps the other, and what is not a number would never be a test's worst
static inline double test_larger(double a, double b) {
    return a != a || a > b ? a : b;
}
#undef fmax
#define fmax test_larger

static int test_passed, test_failed;

static inline void test_count(int ok, const char *file, int line, const char *what) {
    if (ok) {
        test_passed++;
        return;
    }
    test_failed++;
    if (test_failed <= 50) printf("%s:%d: failed: %s\n", file, line, what);
}

// |got - wanted| <= tolerance * max(1, |wanted|), or both are the same infinity; NaN fails
static inline void test_close(double got, double wanted, double tolerance, const char *file, int line, const char *what) {
    double scale = fabs(wanted) > 1 ? fabs(wanted) : 1;
    int ok = isinf(wanted) ? got == wanted : fabs(got - wanted) <= tolerance * scale;
    test_count(ok, file, line, what);
    if (!ok && test_failed <= 50)
        printf("    got %.17g wanted %.17g (off by %.3g, allowed %.3g)\n", got, wanted, fabs(got - wanted), tolerance * scale);
}

static inline void test_int(long long got, long long wanted, const char *file, int line, const char *what) {
    test_count(got == wanted, file, line, what);
    if (got != wanted && test_failed <= 50) printf("    got %lld wanted %lld\n", got, wanted);
}

static inline void test_text(const char *got, const char *wanted, const char *file, int line, const char *what) {
    int ok = got && wanted && strcmp(got, wanted) == 0;
    test_count(ok, file, line, what);
    if (!ok && test_failed <= 50)
        printf("    got    \"%s\"\n    wanted \"%s\"\n", got ? got : "(null)", wanted ? wanted : "(null)");
}

#define CHECK(condition) test_count(!!(condition), __FILE__, __LINE__, #condition)
#define CHECK_CLOSE(got, wanted, tolerance) \
    test_close((double)(got), (double)(wanted), (double)(tolerance), __FILE__, __LINE__, #got)
#define CHECK_INT(got, wanted) test_int((long long)(got), (long long)(wanted), __FILE__, __LINE__, #got)
#define CHECK_TEXT(got, wanted) test_text((got), (wanted), __FILE__, __LINE__, #got)

// a small deterministic generator; tests print their seed and take another from TACT_SEED
static inline uint64_t test_seed(uint64_t fallback) {
    const char *text = getenv("TACT_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : fallback;
    printf("seed %llu\n", (unsigned long long)seed);
    return seed;
}

// with sanitizers, which look at the code and not at what it computes, a quarter of the random cases
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define TEST_FEWER 4
#elif defined __has_feature
#if __has_feature(memory_sanitizer) || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_FEWER 4
#endif
#endif
#ifndef TEST_FEWER
#define TEST_FEWER 1
#endif

// how many random cases a test takes; TACT_COUNT asks for a long run, TACT_FEWER for one part in so many
static inline int test_rounds(int fallback) {
    const char *text = getenv("TACT_COUNT"), *fewer = getenv("TACT_FEWER");
    int rounds = text ? atoi(text) : 0, parts = fewer ? atoi(fewer) : 0;
    if (parts < 1) parts = TEST_FEWER;
    return rounds > 0 ? rounds : (fallback + parts - 1) / parts;
}

static inline uint64_t test_random_bits(uint64_t *state) {
    // splitmix64 (Steele, Lea, Flood 2014)
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static inline double test_random(uint64_t *state, double low, double high) {
    return low + (high - low) * (double)(test_random_bits(state) >> 11) * 0x1p-53;
}

static inline int test_end(const char *module) {
    printf("%s: %d passed, %d failed\n", module, test_passed, test_failed);
    return test_failed ? 1 : 0;
}

#endif
