// SPDX-License-Identifier: MIT
// A controller at a fixed rate. What is left of a period when the step begins is its budget: so many factorisations as fit in
// by what one took at most so far. Whatever the budget, the step leaves a state to go on with: see TACT_ITERATION_LIMIT.
#include "cortex.h"
#include "hand.h"

// [ticks] of a period; a step without any factorisation, and each one, at first
#define PERIOD 100000u
#define STEP_TICKS 45000u
#define FACTOR_TICKS 20000u

// Stands for what else a controller does: sensors, filters, a bus. It takes longer now and then.
static void other_work(int step) {
    uint32_t before = cortex_ticks(), wanted = step % 7 == 3 ? 30000 : 8000;
    while (cortex_since(before) < wanted) {
    }
}

// How many factorisations fit into what is left, at least one.
static int afford(uint32_t used) {
    uint32_t left = used + STEP_TICKS < PERIOD ? PERIOD - used - STEP_TICKS : 0;
    int budget = (int)(left / FACTOR_TICKS);
    return budget < 1 ? 1 : budget;
}

int main(void) {
    hand_record record;
    int late = 0, cut = 0, lost = 0;
    if (hand_begin(0, &record)) return 1;
    for (int step = 0; step < 300; step++) {
        uint32_t begin = cortex_ticks();
        other_work(step);
        hand_command(step * 3);
        tact_status status = hand_step(&record, afford(cortex_since(begin)));
        cut += status == TACT_ITERATION_LIMIT;
        lost += status < 0;
        late += cortex_since(begin) > PERIOD;
        while (cortex_since(begin) < PERIOD) {
        }
    }
    cortex_print("fixed rate: 300 periods, ");
    cortex_print_number((uint32_t)cut);
    cortex_print(" steps cut short by their budget, ");
    cortex_print_number((uint32_t)lost);
    cortex_print(" without an answer, ");
    cortex_print_number((uint32_t)late);
    cortex_print(" too late\n");
    return late > 0 || lost > 0;
}
