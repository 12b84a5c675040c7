// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4): by it a batch knows the files that it was begun with.
#ifndef TACT_BATCH_DIGEST_H
#define TACT_BATCH_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t state[8];
    uint64_t size;  // [bytes] so far
    unsigned char block[64];
} tact_digest;

// In hexadecimal.
typedef struct {
    char text[65];
} tact_digest_text;

void tact_digest_begin(tact_digest *digest);
void tact_digest_add(tact_digest *digest, const void *bytes, size_t size);
tact_digest_text tact_digest_end(tact_digest *digest);

#endif
