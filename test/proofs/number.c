// SPDX-License-Identifier: MIT
// The number reader: any text of up to SIZE bytes, in its strict and its loose grammar.
#include "scene/number.c"

#include "proofs.h"

enum { SIZE = 12 };

void proof(void) {
    char text[SIZE];
    double value = 0;
    size_t size = (size_t)Frama_C_interval(0, SIZE);
    for (int i = 0; i < SIZE; i++) text[i] = (char)Frama_C_interval(-128, 127);
    tact_number_valid(text, size);
    tact_number_read(text, size, &value);
}
