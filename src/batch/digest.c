// SPDX-License-Identifier: MIT
#include "tact/batch.h"

#include <stdio.h>
#include <string.h>

// the first 32 bits of the fractional parts of the cube roots of the first 64 primes
static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01,
    0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
    0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08,
    0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int by) {
    return (x >> by) | (x << (32 - by));
}

// A round with the words a to h in s[at % 8], s[(at + 1) % 8] ...
static inline void take_round(uint32_t s[8], int at, uint32_t word) {
    uint32_t a = s[at % 8], b = s[(at + 1) % 8], c = s[(at + 2) % 8], e = s[(at + 4) % 8], f = s[(at + 5) % 8],
             g = s[(at + 6) % 8], *d = &s[(at + 3) % 8], *h = &s[(at + 7) % 8];
    uint32_t choice = (e & f) ^ (~e & g), most = (a & b) ^ (a & c) ^ (b & c);
    uint32_t first = *h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + word;
    *d += first;
    *h = first + (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + most;
}

void tact_digest_begin(tact_digest *digest) {
    *digest =
        (tact_digest){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void tact_digest_add(tact_digest *digest, const void *bytes, size_t size) {
    TACT_ASSERT(digest && (bytes || size == 0));
    const unsigned char *from = bytes;
    while (size > 0) {
        size_t used = (size_t)(digest->size % 64), part = 64 - used < size ? 64 - used : size;
        memcpy(digest->block + used, from, part);
        digest->size += part;
        from += part;
        size -= part;
        if (used + part == 64) {
            // SHA-256: message schedule, then 64 rounds
            uint32_t w[64], s[8];
            const unsigned char *b = digest->block;
            for (int i = 0; i < 16; i++, b += 4) w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
            for (int i = 16; i < 64; i++) {
                uint32_t x = w[i - 15], y = w[i - 2];
                w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ (x >> 3)) + w[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ (y >> 10));
            }
            memcpy(s, digest->state, sizeof s);
            // a round moves the eight words on by one place; here it is the names that move
            for (int i = 0; i < 64; i += 8)
                for (int k = 0; k < 8; k++) take_round(s, 8 - k, rounds[i + k] + w[i + k]);
            for (int i = 0; i < 8; i++) digest->state[i] += s[i];
        }
    }
}

tact_digest_text tact_digest_end(tact_digest *digest) {
    TACT_ASSERT(digest);
    unsigned char tail[72] = {0x80};
    uint64_t bits = 8 * digest->size;
    size_t used = (size_t)(digest->size % 64), pad = (used < 56 ? 56 : 120) - used;
    for (size_t i = 0; i < 8; i++) tail[pad + i] = (unsigned char)(bits >> (56 - 8 * i));
    tact_digest_add(digest, tail, pad + 8);
    tact_digest_text text;
    for (int i = 0; i < 8; i++) snprintf(text.text + 8 * i, 9, "%08x", (unsigned)digest->state[i]);
    return text;
}
