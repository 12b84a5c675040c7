// SPDX-License-Identifier: MIT
// A Cortex-M without a standard library: text and exit by semihosting, a counter, the deepest stack so far.
#ifndef CORTEX_H
#define CORTEX_H

#include <stdint.h>

void cortex_print(const char *text);
void cortex_print_number(uint32_t number);
void cortex_print_hash(uint64_t hash);
_Noreturn void cortex_exit(int code);

// Counts down, 24 bits, at 25 MHz of the board; under `-icount shift=5` an instruction takes 32 ns of it.
uint32_t cortex_ticks(void);

// [ticks] since an earlier count, [instructions] that these are
uint32_t cortex_since(uint32_t before);
uint32_t cortex_instructions(uint32_t ticks);

// [bytes] of stack that were ever written
uint32_t cortex_stack_used(void);

int main(void);

#endif
