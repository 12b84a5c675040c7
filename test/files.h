// SPDX-License-Identifier: MIT
// Files that a test writes.
#ifndef TACT_TEST_FILES_H
#define TACT_TEST_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void test_write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        printf("%s cannot be written\n", path);
        exit(1);
    }
}

static inline void test_write_text(const char *path, const char *text) {
    test_write_bytes(path, text, strlen(text));
}

#endif
