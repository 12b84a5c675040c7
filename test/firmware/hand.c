// SPDX-License-Identifier: MIT
// All memory is static; the model lies in flash.
#include "hand.h"

#include <string.h>

#include "model.h"

// of model.h: MODELS lists the baked models as X(name), and MODEL_STATE_SIZE, MODEL_WORK_SIZE suffice for each
static const struct {
    const char *name;
    const tact_model *model;
    const tact_options *options;
    const tact_real *u;
} models[] = {
#define X(name) {#name, &name, &name##_options, name##_u},
    MODELS
#undef X
};

static unsigned char state_memory[MODEL_STATE_SIZE], work_memory[MODEL_WORK_SIZE];
static tact_state state;
static tact_work work;
static tact_options options;
static tact_real u[64];
static const tact_real *first_u;
static const tact_model *model;

const char *hand_name(int which) {
    return which < (int)(sizeof models / sizeof *models) ? models[which].name : NULL;
}

// least significant byte first on every machine
uint64_t hand_hash(uint64_t hash, const tact_real *x, int count) {
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

const char *hand_begin(int which, hand_record *record) {
    *record = (hand_record){.hash = HAND_HASH};
    model = models[which].model;
    options = *models[which].options;
    first_u = models[which].u;
    if (model->nu > (int)(sizeof u / sizeof *u)) return "number of commands";
    if (tact_state_init(&state, model, state_memory, sizeof state_memory) != TACT_CONVERGED) return "memory of the state";
    if (tact_work_init(&work, model, work_memory, sizeof work_memory) != TACT_CONVERGED) return "memory of the work";
    return NULL;
}

// The first drive lifts the hand and is left alone; the others swing by 0.25 rad, within 100 steps up and 100 down.
void hand_command(int step) {
    int phase = step % 200, height = phase < 100 ? phase : 200 - phase;
    for (int i = 0; i < model->nu; i++) u[i] = first_u[i] + (i > 0 ? TACT_REAL(0.0025) * (tact_real)height : 0);
}

tact_status hand_step(hand_record *record, int budget) {
    tact_input input = {.u = u};
    options.max_iterations = budget;
    tact_status status = tact_step(model, &options, &input, &state, &work);
    record->steps++;
    record->unsolved += status != TACT_CONVERGED;
    record->contacts = work.contacts.count;
    record->iterations += work.iterations;
    return status;
}

void hand_note(hand_record *record) {
    record->hash = hand_hash(record->hash, state.q, model->nq);
    record->hash = hand_hash(record->hash, state.v, model->nv);
    record->hash = hand_hash(record->hash, state.lambda, 3 * model->npair);
}

void hand_sizes(size_t *state_size, size_t *work_size) {
    *state_size = tact_state_size(model);
    *work_size = tact_work_size(model);
}
