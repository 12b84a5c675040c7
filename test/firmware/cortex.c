// SPDX-License-Identifier: MIT
// Vectors, start, semihosting (ARM's, operations 4 and 0x20) and the SysTick counter.
#include "cortex.h"

#include <stddef.h>

extern uint32_t cortex_data[], cortex_data_end[], cortex_data_load[], cortex_bss[], cortex_bss_end[];
extern uint32_t cortex_stack[], cortex_stack_end[];

#define UNUSED_STACK 0xa5a5a5a5u

// What the compiler calls: all that the core needs of a C library.
typedef uint32_t __attribute__((may_alias)) word;
typedef struct __attribute__((may_alias)) {
    uint32_t word[4];
} words;

// by words where both ends allow it, as structs do
void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    unsigned char *out = to;
    const unsigned char *in = from;
    if ((((uintptr_t)to | (uintptr_t)from) & 3) == 0) {
        for (; size >= 16; size -= 16, out += 16, in += 16) *(words *)out = *(const words *)in;
        for (; size >= 4; size -= 4, out += 4, in += 4) *(word *)out = *(const word *)in;
    }
    for (; size > 0; size--) *out++ = *in++;
    return to;
}

void *memset(void *to, int value, size_t size) {
    unsigned char *out = to;
    if (((uintptr_t)to & 3) == 0)
        for (; size >= 4; size -= 4, out += 4) *(word *)out = 0x01010101u * (unsigned char)value;
    for (; size > 0; size--) *out++ = (unsigned char)value;
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    unsigned char *out = to;
    const unsigned char *in = from;
    if (out < in) return memcpy(to, from, size);
    while (size-- > 0) out[size] = in[size];
    return to;
}

static uint32_t semihost(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static volatile uint32_t *const systick = (volatile uint32_t *)0xe000e010u;
static volatile uint32_t *const coprocessors = (volatile uint32_t *)0xe000ed88u;

void cortex_reset(void);
void cortex_fault(void);

// data to its place, zeros, a known pattern on the stack, the floating point unit on, the counter running
void cortex_reset(void) {
    *coprocessors |= 0xfu << 20;
    __asm__ volatile("dsb\n isb" ::: "memory");
    for (uint32_t *to = cortex_data, *from = cortex_data_load; to < cortex_data_end;) *to++ = *from++;
    for (uint32_t *to = cortex_bss; to < cortex_bss_end;) *to++ = 0;
    const uint32_t *here = (const uint32_t *)__builtin_frame_address(0) - 16;
    for (uint32_t *to = cortex_stack; to < here; to++) *to = UNUSED_STACK;
    systick[1] = 0xffffff;
    systick[2] = 0;
    systick[0] = 5;
    cortex_exit(main());
}

void cortex_fault(void) {
    cortex_print("fault\n");
    cortex_exit(99);
}

__attribute__((section(".vectors"), used)) static const struct {
    void *stack;
    void (*handler[15])(void);
} vectors = {cortex_stack_end, {cortex_reset, cortex_fault, cortex_fault, cortex_fault, cortex_fault, cortex_fault}};

void cortex_print(const char *text) {
    semihost(4, text);
}

void cortex_print_number(uint32_t number) {
    char digits[11], *at = digits + sizeof digits - 1;
    *at = '\0';
    do *--at = (char)('0' + number % 10);
    while (number /= 10);
    cortex_print(at);
}

void cortex_print_hash(uint64_t hash) {
    char digits[17] = {0};
    for (int i = 0; i < 16; i++) digits[i] = "0123456789abcdef"[(hash >> (60 - 4 * i)) & 15];
    cortex_print(digits);
}

_Noreturn void cortex_exit(int code) {
    const uint32_t argument[2] = {0x20026, (uint32_t)code};
    semihost(0x20, argument);
    for (;;) {
    }
}

uint32_t cortex_ticks(void) {
    return systick[2];
}

uint32_t cortex_since(uint32_t before) {
    return (before - systick[2]) & 0xffffff;
}

uint32_t cortex_instructions(uint32_t ticks) {
    return ticks + ticks / 4;
}

uint32_t cortex_stack_used(void) {
    const uint32_t *at = cortex_stack;
    while (at < cortex_stack_end && *at == UNUSED_STACK) at++;
    return (uint32_t)((const char *)cortex_stack_end - (const char *)at);
}
