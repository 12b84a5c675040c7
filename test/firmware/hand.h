// SPDX-License-Identifier: MIT
// The run that all targets make: a baked model, the hand say, which closes and opens around the ball with six contacts in every
// step.
#ifndef HAND_RUN_H
#define HAND_RUN_H

#include "tact.h"

// The fingerprint of all states so far, and what the steps cost.
typedef struct {
    uint64_t hash;
    int steps, unsolved;  // steps done; those that did not converge
    int contacts;         // of the last step
    int iterations;       // of all steps
} hand_record;

// The name of a baked model; NULL after the last.
const char *hand_name(int which);

// Memory and initial state of a model; NULL, or what does not suffice.
const char *hand_begin(int which, hand_record *record);

// The commands of the next step; then the step itself, with so many factorisations at most.
void hand_command(int step);
tact_status hand_step(hand_record *record, int budget);

// Adds the state to the fingerprint.
void hand_note(hand_record *record);

// A fingerprint, FNV-1a over the bits of numbers, that begins with HAND_HASH.
#define HAND_HASH 0xcbf29ce484222325ull
uint64_t hand_hash(uint64_t hash, const tact_real *x, int count);

// [bytes] that this target needs
void hand_sizes(size_t *state_size, size_t *work_size);

#endif
