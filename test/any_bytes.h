// SPDX-License-Identifier: MIT
// What the fuzzers of test/fuzz ask of the library, asked of the cases kept in test/fuzz/corpus/NAME and of bytes drawn at
// random, the same in each run: each requirement is a check. To be included before the fuzzer's source.
#ifndef TACT_TEST_ANY_BYTES_H
#define TACT_TEST_ANY_BYTES_H

#include <dirent.h>

#include "test.h"

#define FUZZ_COUNTED

enum { ANY_BYTES = 1024 };

// Every kept case of a fuzzer.
static void any_bytes_replay(const char *fuzzer, int (*take)(const uint8_t *bytes, size_t size)) {
    static uint8_t bytes[ANY_BYTES];
    struct dirent **entry = NULL;
    char path[512];
    snprintf(path, sizeof path, "test/fuzz/corpus/%s", fuzzer);
    int count = scandir(path, &entry, NULL, alphasort), taken = 0;
    for (int k = 0; k < count; k++) {
        int failed = test_failed;
        snprintf(path, sizeof path, "test/fuzz/corpus/%s/%s", fuzzer, entry[k]->d_name);
        FILE *file = entry[k]->d_name[0] == '.' ? NULL : fopen(path, "rb");
        free(entry[k]);
        if (!file) continue;
        take(bytes, fread(bytes, 1, sizeof bytes, file));
        fclose(file);
        taken++;
        if (test_failed > failed) printf("    in %s\n", path);
    }
    free(entry);
    CHECK(taken > 0);
}

// of the test any_NAME
static int any_bytes_end(const char *module, int (*take)(const uint8_t *bytes, size_t size), int rounds) {
    static uint8_t bytes[ANY_BYTES];
    uint64_t seed = test_seed(61);
    int count = test_rounds(rounds);
    any_bytes_replay(module + sizeof "any_" - 1, take);
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
