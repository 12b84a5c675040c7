// SPDX-License-Identifier: MIT
// The run on a system with a standard library: host, qemu-user, wasm. A line for each model, and with -DPLANNED one for the
// controller.
#include <stdio.h>

#include "plan.h"

#ifdef PLANNED
static int run_plan(void) {
    plan_record record;
    const char *fault = plan_begin(&record);
    if (fault) {
        printf("%s does not suffice\n", fault);
        return 1;
    }
    for (int tick = 0; tick < PLAN_TICKS; tick++) {
        plan_solve(&record);
        plan_advance(&record);
    }
    printf("plan: hash %08lx%08lx, %d solves, %d unsolved, %d steps, ball off by %d um\n", (unsigned long)(record.hash >> 32),
           (unsigned long)(record.hash & 0xffffffffu), record.solves, record.unsolved, record.steps, record.off);
    return 0;
}
#else
static int run_plan(void) {
    return 0;
}
#endif

int main(void) {
    hand_record record;
    for (int which = 0; hand_name(which); which++) {
        const char *fault = hand_begin(which, &record);
        if (fault) {
            printf("%s does not suffice\n", fault);
            return 1;
        }
        for (int step = 0; step < 1000; step++) {
            hand_command(step);
            hand_step(&record, 100);
            hand_note(&record);
        }
        printf("%s: hash %08lx%08lx, %d steps, %d unsolved, %d contacts, %d iterations\n", hand_name(which),
               (unsigned long)(record.hash >> 32), (unsigned long)(record.hash & 0xffffffffu), record.steps, record.unsolved,
               record.contacts, record.iterations);
    }
    return run_plan();
}
