// SPDX-License-Identifier: MIT
// Steps a baked model, MODEL, and prints every number of its states in hexadecimal: with the whole library and with one file
// that holds its law only, the same text. HEADER is that of the library or of the file.
#include <stdio.h>

#include HEADER

#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)
#define NUMBERS 200000

extern const tact_model MODEL;
extern const tact_options NAMED(MODEL, _options);
extern const tact_real NAMED(MODEL, _u)[];

static tact_real state_memory[NUMBERS], work_memory[NUMBERS];

static void print(const tact_real *x, int count) {
    for (int i = 0; i < count; i++) printf(" %a", (double)x[i]);
}

int main(void) {
    tact_state state;
    tact_work work;
    const tact_input input = {.u = NAMED(MODEL, _u)};
    if (tact_state_init(&state, &MODEL, state_memory, sizeof state_memory) < 0) return 2;
    if (tact_work_init(&work, &MODEL, work_memory, sizeof work_memory) < 0) return 2;
    for (int step = 0; step < 30; step++) {
        tact_status status = tact_step(&MODEL, &NAMED(MODEL, _options), &input, &state, &work);
        printf("%s %d", tact_status_name(status), work.contacts.count);
        print(state.q, MODEL.nq);
        print(state.v, MODEL.nv);
        print(state.lambda, 3 * MODEL.npair);
        printf("\n");
    }
    return 0;
}
