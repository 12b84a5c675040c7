// SPDX-License-Identifier: MIT
// Files that a test writes.
#ifndef TACT_TEST_FILES_H
#define TACT_TEST_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A new folder of this test's own, in TMPDIR, else in the place that is preferred (NULL: none) where that can be written, else in
// the system's.
static inline void test_make_folder(char *folder, size_t size, const char *preferred) {
    const char *given = getenv("TMPDIR"), *place = preferred && access(preferred, W_OK) == 0 ? preferred : "/tmp";
    int length = snprintf(folder, size, "%s/tact-test-XXXXXX", given && given[0] ? given : place);
    if (length < 0 || (size_t)length >= size || !mkdtemp(folder)) {
        printf("no folder of its own: %s\n", folder);
        exit(1);
    }
}

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
