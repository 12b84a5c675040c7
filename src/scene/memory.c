// SPDX-License-Identifier: MIT
#include "scene/memory.h"

#include <stdlib.h>

void *tact_memory_get(size_t size) {
    return malloc(size ? size : 1);
}

void tact_memory_release(void *memory) {
    free(memory);
}
