// SPDX-License-Identifier: MIT
// Digests of numbers by their bits, and a table that keeps them in the file BITS_TABLE: a digest and a name a line.
#ifndef TACT_TEST_BITS_H
#define TACT_TEST_BITS_H

#include "tact/base.h"
#include "test.h"

enum { BITS_LINES = 300, BITS_NAME = 80 };

typedef struct {
    char name[BITS_NAME];
    uint64_t digest;
} bits_line;

static bits_line bits_kept[BITS_LINES], bits_made[BITS_LINES];
static int bits_nkept, bits_nmade;

// what was mixed in since the last line
static uint64_t bits_now;

static inline void bits_mix(uint64_t word) {
    bits_now = (bits_now ^ word) * 0x9e3779b97f4a7c15ull;
    bits_now ^= bits_now >> 29;
}

static inline void bits_number(double x) {
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    bits_mix(word);
}

static inline void bits_numbers(const tact_real *x, int count) {
    for (int i = 0; i < count; i++) bits_number((double)x[i]);
}

static inline void bits_read(void) {
    FILE *file = fopen(BITS_TABLE, "r");
    unsigned long long digest;
    CHECK(file != NULL);
    while (file && bits_nkept < BITS_LINES && fscanf(file, "%llx %79[^\n]", &digest, bits_kept[bits_nkept].name) == 2)
        bits_kept[bits_nkept++].digest = digest;
    if (file) fclose(file);
}

// a line of the table
static inline void bits_end_line(const char *name) {
    bits_line *line = &bits_made[bits_nmade++];
    if (bits_nmade > BITS_LINES) abort();
    snprintf(line->name, sizeof line->name, "%s", name);
    line->digest = bits_now;
    bits_now = 0;
}

// TACT_WRITE: the table is what was made; else every line is what it was
static inline void bits_compare(void) {
    if (getenv("TACT_WRITE")) {
        FILE *file = fopen(BITS_TABLE, "w");
        if (!file) abort();
        for (int i = 0; i < bits_nmade; i++)
            fprintf(file, "%016llx %s\n", (unsigned long long)bits_made[i].digest, bits_made[i].name);
        CHECK(fclose(file) == 0);
        return;
    }
    int before = test_failed;
    CHECK_INT(bits_nmade, bits_nkept);
    for (int i = 0; i < bits_nmade && i < bits_nkept; i++) {
        CHECK_TEXT(bits_made[i].name, bits_kept[i].name);
        CHECK(bits_made[i].digest == bits_kept[i].digest);
        if (bits_made[i].digest != bits_kept[i].digest) printf("    %s\n", bits_made[i].name);
    }
    if (test_failed > before) printf("    where the change is meant, TACT_WRITE=1 and the program write " BITS_TABLE "\n");
}

#endif
