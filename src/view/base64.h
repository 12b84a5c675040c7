// SPDX-License-Identifier: MIT
// Base64 (RFC 4648), byte by byte.
#ifndef TACT_VIEW_BASE64_H
#define TACT_VIEW_BASE64_H

#include <stdint.h>

#include "tact/text.h"

// Starts as {.out = ...}.
typedef struct {
    tact_text *out;
    uint32_t bits;
    int count;  // bytes in bits
} tact_base64;

void tact_base64_put(tact_base64 *to, uint32_t byte);
void tact_base64_end(tact_base64 *to);

#endif
