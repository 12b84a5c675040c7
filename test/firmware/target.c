// SPDX-License-Identifier: MIT
// The run on a microcontroller: the same line as the host's, then what a step costs.
#include "cortex.h"
#include "hand.h"

static void print_record(const char *name, const hand_record *record) {
    cortex_print(name);
    cortex_print(": hash ");
    cortex_print_hash(record->hash);
    cortex_print(", ");
    cortex_print_number((uint32_t)record->steps);
    cortex_print(" steps, ");
    cortex_print_number((uint32_t)record->unsolved);
    cortex_print(" unsolved, ");
    cortex_print_number((uint32_t)record->contacts);
    cortex_print(" contacts, ");
    cortex_print_number((uint32_t)record->iterations);
    cortex_print(" iterations\n");
}

static void print_sizes(void) {
    size_t state, work;
    hand_sizes(&state, &work);
    cortex_print("state ");
    cortex_print_number((uint32_t)state);
    cortex_print(", work ");
    cortex_print_number((uint32_t)work);
    cortex_print(" bytes\n");
}

static void print_cost(uint32_t mean, uint32_t most) {
    cortex_print("instructions a step ");
    cortex_print_number(cortex_instructions(mean));
    cortex_print(" mean, ");
    cortex_print_number(cortex_instructions(most));
    cortex_print(" most; stack ");
    cortex_print_number(cortex_stack_used());
    cortex_print(" bytes\n");
    print_sizes();
}

// The first model's cost is printed after the lines of all.
int main(void) {
    uint32_t sum = 0, most = 0;
    for (int which = 0; hand_name(which); which++) {
        hand_record record;
        const char *fault = hand_begin(which, &record);
        if (fault) {
            cortex_print(fault);
            cortex_print(" does not suffice\n");
            return 1;
        }
        for (int step = 0; step < 1000; step++) {
            hand_command(step);
            uint32_t before = cortex_ticks();
            hand_step(&record, 100);
            uint32_t ticks = cortex_since(before);
            hand_note(&record);
            // the first step has nothing to start from
            if (step == 0 || which > 0) continue;
            sum += ticks;
            most = ticks > most ? ticks : most;
        }
        print_record(hand_name(which), &record);
    }
    print_cost(sum / 999, most);
    return 0;
}
