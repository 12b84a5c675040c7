// SPDX-License-Identifier: MIT
// The run of the controller on a microcontroller: the same line as the host's, then what a solve costs.
#include "cortex.h"
#include "plan.h"

static void print(const char *text, uint32_t number) {
    cortex_print(text);
    cortex_print_number(number);
}

int main(void) {
    plan_record record;
    uint32_t sum = 0, most = 0;
    const char *fault = plan_begin(&record);
    if (fault) {
        cortex_print(fault);
        cortex_print(" does not suffice\n");
        return 1;
    }
    for (int tick = 0; tick < PLAN_TICKS; tick++) {
        uint32_t before = cortex_ticks();
        plan_solve(&record);
        uint32_t ticks = cortex_since(before);
        plan_advance(&record);
        // the first solve has no plan to start from
        if (tick == 0) continue;
        sum += ticks;
        most = ticks > most ? ticks : most;
    }
    cortex_print("plan: hash ");
    cortex_print_hash(record.hash);
    print(", ", (uint32_t)record.solves);
    print(" solves, ", (uint32_t)record.unsolved);
    print(" unsolved, ", (uint32_t)record.steps);
    print(" steps, ball off by ", (uint32_t)record.off);
    print(" um\ninstructions a solve ", cortex_instructions(sum / (PLAN_TICKS - 1)));
    print(" warm, ", cortex_instructions(most));
    print(" at most; plan ", (uint32_t)plan_size());
    print(" bytes and ", (uint32_t)sizeof(tact_mpc));
    print(", written ", cortex_stack_used());
    cortex_print(" of stack\n");
    return 0;
}
