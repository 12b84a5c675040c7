// SPDX-License-Identifier: MIT
// All memory is static; the model lies in flash.
#include "hand.h"

#include <string.h>

#include "model.h"

// what the header says is for pointers of 8 bytes and the precision it was baked with; what the target needs may be less
#ifndef HAND_STATE_SIZE
#define HAND_STATE_SIZE hand_state_size
#define HAND_WORK_SIZE hand_work_size
#endif
static unsigned char state_memory[HAND_STATE_SIZE], work_memory[HAND_WORK_SIZE];
static tact_state state;
static tact_work work;
static tact_options options;
static tact_real u[sizeof hand_u / sizeof *hand_u];

// FNV-1a over the bits of numbers, least significant byte first on every machine
static uint64_t hash_numbers(uint64_t hash, const tact_real *x, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t bits = 0;
        uint32_t half = 0;
        if (sizeof *x == sizeof half) {
            memcpy(&half, &x[i], sizeof half);
            bits = half;
        } else {
            memcpy(&bits, &x[i], sizeof *x);
        }
        for (unsigned k = 0; k < 8 * sizeof *x; k += 8) hash = (hash ^ ((bits >> k) & 255)) * 0x100000001b3ull;
    }
    return hash;
}

const char *hand_begin(hand_record *record) {
    *record = (hand_record){.hash = 0xcbf29ce484222325ull};
    options = hand_options;
    if (tact_state_init(&state, &hand, state_memory, sizeof state_memory) != TACT_CONVERGED) return "memory of the state";
    if (tact_work_init(&work, &hand, work_memory, sizeof work_memory) != TACT_CONVERGED) return "memory of the work";
    return NULL;
}

// The first drive lifts the hand and is left alone; the others swing by 0.25 rad, within 100 steps up and 100 down.
void hand_command(int step) {
    int phase = step % 200, height = phase < 100 ? phase : 200 - phase;
    u[0] = hand_u[0];
    for (int i = 1; i < hand.nu; i++) u[i] = hand_u[i] + TACT_REAL(0.0025) * (tact_real)height;
}

tact_status hand_step(hand_record *record, int budget) {
    tact_input input = {.u = u};
    options.max_iterations = budget;
    tact_status status = tact_step(&hand, &options, &input, &state, &work);
    record->steps++;
    record->unsolved += status != TACT_CONVERGED;
    record->contacts = work.contacts.count;
    record->iterations += work.iterations;
    return status;
}

void hand_note(hand_record *record) {
    record->hash = hash_numbers(record->hash, state.q, hand.nq);
    record->hash = hash_numbers(record->hash, state.v, hand.nv);
    record->hash = hash_numbers(record->hash, state.lambda, 3 * hand.npair);
}

void hand_sizes(size_t *state_size, size_t *work_size) {
    *state_size = tact_state_size(&hand);
    *work_size = tact_work_size(&hand);
}
