// SPDX-License-Identifier: MIT
// What the fuzzers of test/fuzz ask of the library, asked of bytes drawn at random, the same in each run: each requirement is a
// check. To be included before the fuzzer's source.
#ifndef TACT_TEST_ANY_BYTES_H
#define TACT_TEST_ANY_BYTES_H

#include "test.h"

#define FUZZ_COUNTED

static int any_bytes_end(const char *module, int (*take)(const uint8_t *bytes, size_t size), int rounds) {
    static uint8_t bytes[1024];
    uint64_t seed = test_seed(61);
    int count = test_rounds(rounds);
    for (int k = 0; k < count; k++) {
        int failed = test_failed;
        size_t size = (size_t)test_random(&seed, 1, sizeof bytes);
        // every byte has a purpose of its own, and zero where there are no more
        for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(test_random_bits(&seed) >> 32);
        take(bytes, size);
        if (test_failed > failed) printf("    in round %d\n", k);
    }
    return test_end(module);
}

#endif
