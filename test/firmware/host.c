// SPDX-License-Identifier: MIT
// The run on a system with a standard library: host, qemu-user, wasm. A line for each model.
#include <stdio.h>

#include "hand.h"

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
    return 0;
}
