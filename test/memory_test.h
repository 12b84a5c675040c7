// SPDX-License-Identifier: MIT
// malloc and free that count and fail when they are told to; strcmp that counts. Sanitizers do not bear that, and it needs this C
// library: TEST_REPLACES says whether they are there. Included before anything else that allocates.
#ifndef TACT_TEST_MEMORY_H
#define TACT_TEST_MEMORY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_REPLACES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TEST_REPLACES 0
#endif
#endif
#if !defined(TEST_REPLACES) && defined(__GLIBC__)
#define TEST_REPLACES 1
#endif

#if TEST_REPLACES

void *__libc_malloc(size_t size);
void __libc_free(void *memory);

static long allocations, living, comparisons;
static long fail_at;  // the number of the allocation that fails, 0 for none
static bool fail_on;  // and all after it

void *malloc(size_t size) {
    allocations++;
    if (fail_at > 0 && (allocations == fail_at || (fail_on && allocations > fail_at))) return NULL;
    living++;
    return __libc_malloc(size);
}

void free(void *memory) {
    if (memory) living--;
    __libc_free(memory);
}

int strcmp(const char *a, const char *b) {
    comparisons++;
    for (; *a && *a == *b; a++) b++;
    return (unsigned char)*a - (unsigned char)*b;
}

#endif
#endif
