// SPDX-License-Identifier: MIT
// What tells builds apart that compute other bits: a digest of a few steps and derivatives under every law, computed by this
// build.
#ifndef TACT_BATCH_FINGERPRINT_H
#define TACT_BATCH_FINGERPRINT_H

#include "tact/errors.h"

// In hexadecimal.
typedef struct {
    char text[17];
} tact_fingerprint;

// Takes about half a millisecond. lanes: the width of those that step, 0 for the widest. False and one error when there
// is no memory.
bool tact_fingerprint_find(int lanes, tact_fingerprint *fingerprint, tact_errors *errors);

#endif
