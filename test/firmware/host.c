// SPDX-License-Identifier: MIT
// The run on a system with a standard library: host, qemu-user, wasm.
#include <stdio.h>

#include "hand.h"

int main(void) {
    hand_record record;
    const char *fault = hand_begin(&record);
    if (fault) {
        printf("%s does not suffice\n", fault);
        return 1;
    }
    for (int step = 0; step < 1000; step++) {
        hand_command(step);
        hand_step(&record, 100);
        hand_note(&record);
    }
    printf("hash %08lx%08lx, %d steps, %d unsolved, %d contacts, %d iterations\n", (unsigned long)(record.hash >> 32),
           (unsigned long)(record.hash & 0xffffffffu), record.steps, record.unsolved, record.contacts, record.iterations);
    return 0;
}
