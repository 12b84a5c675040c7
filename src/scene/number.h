// SPDX-License-Identifier: MIT
// Decimal numbers to double and back, the same in every locale: reading is correctly rounded, printing reads back to
// the same double.
#ifndef TACT_SCENE_NUMBER_H
#define TACT_SCENE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    TACT_NUMBER_READ,       // the value is set; what is smaller than the smallest double is 0
    TACT_NUMBER_NOT,        // not a number as a whole ("1.57.", "1,5", "1.5 ", "nan", "0x10")
    TACT_NUMBER_TOO_LARGE,  // would round to infinity (1e999)
} tact_number_status;

// A whole token by the grammar of JSON: no leading +, no 01, no 1. and no .5
tact_number_status tact_number_read(const char *text, size_t size, double *value);

// A whole token as URDF files and command lines write it: also +1, 01, 1. and .5
tact_number_status tact_number_read_loose(const char *text, size_t size, double *value);

// True when the token follows the grammar of JSON; says nothing of its size.
bool tact_number_valid(const char *text, size_t size);

// The next word of a list separated by the white space of XML: moves *text to its first byte and returns its length,
// 0 at the end. The caller steps over the word.
size_t tact_number_word(const char **text);

// The unit of a number's last digit as it is written, 1e-3 of "1.250"; 0 of a zero, or of what is no number.
double tact_number_unit(const char *text);

// A number in print, by value.
typedef struct {
    char text[32];
} tact_number_text;

// The shortest of %.15g, %.16g, %.17g that reads back to the same double, with a point in every locale and without
// zeros before the exponent (1e-6); "nan", "inf" or "-inf" for what JSON cannot write.
tact_number_text tact_number_print(double value);

#endif
