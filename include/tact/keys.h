// SPDX-License-Identifier: MIT
// Keys of JSON objects as tables: a row reads, checks, prints and documents a key.
#ifndef TACT_KEYS_H
#define TACT_KEYS_H

#include <math.h>

#include "tact/json.h"
#include "tact/math.h"
#include "tact/text.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TACT_KEY_OTHER,    // read by code
    TACT_KEY_OBJECT,   // read by code, by a table of its own
    TACT_KEY_LIST,     // an array of such objects
    TACT_KEY_NUMBER,   // tact_real
    TACT_KEY_INTEGER,  // int
    TACT_KEY_BOOL,     // bool
    TACT_KEY_CHOICE,   // int: index of the word
    TACT_KEY_NAME,     // const char *
    TACT_KEY_VECTOR,   // tact_real[count]
} tact_key_kind;

// A row; a table ends with one without a name.
typedef struct tact_key tact_key;
struct tact_key {
    const char *name;
    tact_key_kind kind;
    bool required;
    bool apart;                  // tact_keys_read leaves it to the code
    int count;                   // of a vector
    size_t offset;               // where the value goes in the struct that is filled
    tact_range range;            // of numbers
    double most;                 // no number may be larger in magnitude; 0: what the number type holds
    const char *const *choices;  // ends with NULL
    const tact_key *keys;        // of an object or of each object in a list
    const char *form;            // what stands there, in words; NULL: told from the kind
    const char *fallback;        // what holds without it, in words; NULL: see there or nothing
    const char *meaning;
};

#define TACT_RANGE_ANY \
    { -(double)INFINITY, (double)INFINITY, false, false }
#define TACT_RANGE_ABOVE(low) \
    { low, (double)INFINITY, true, false }
#define TACT_RANGE_FROM(low) \
    { low, (double)INFINITY, false, false }
#define TACT_RANGE_WITHIN(low, high) \
    { low, high, false, false }

// A row of a table: its kind without TACT_KEY_, its name, and the other fields that it has.
#define TACT_ROW(type, word, ...) \
    { .name = word, .kind = TACT_KEY_##type, __VA_ARGS__ }

#define TACT_KEYS_MAX 48

// True for an object; unknown keys, and those of a second table when there is one, are reported.
bool tact_keys_check(const tact_json *json, int node, const tact_key *keys, const tact_key *more);

// Reads what is there of NUMBER to VECTOR, less what is apart, into the struct, reports what is required and not there, and
// leaves the rest of the struct alone. True when nothing was reported.
bool tact_keys_read(const tact_json *json, int node, const tact_key *keys, void *target);

// One number or vector by the row's range and magnitude.
bool tact_key_read_numbers(const tact_json *json, int node, const tact_key *key, int count, tact_real *values);

// A vector over its length, which is not 0, in double precision and with scaling: 1e-140 and 1e300 are as good as 1. One whose
// length is 1 to rounding is kept, so that what was normalised and written is read back as it was.
tact_vec3 tact_key_direction(const double x[3]);

// The same of three numbers that are at least 1e-150 long.
bool tact_key_read_direction(const tact_json *json, int node, const tact_key *key, tact_vec3 *unit);

// A name as bodies, joints and shapes have it: tact_json_get_name without control characters.
const char *tact_key_read_name(const tact_json *json, int node);

// A number rounded to so many significant digits.
double tact_key_round(double x, int digits);

// A number in print with 6 to 9 significant digits, the fewest that read back to the same tact_real; with all digits otherwise.
tact_number_text tact_key_print(tact_real x);

// A number to so many digits, as it is told.
static inline tact_number_text tact_rounded(double x, int digits) {
    return tact_number_print(tact_key_round(x, digits));
}

// The row of a name, NULL when it is not in the table.
const tact_key *tact_key_find(const tact_key *keys, const char *name);

// The row of an object of which a key has this name; NULL: none.
const tact_key *tact_key_find_within(const tact_key *keys, const char *name);

// A line for each row: name, what stands there, what holds without it, meaning. defaults: a struct filled with the
// defaults of the rows without a fallback, or NULL.
void tact_keys_describe(const tact_key *keys, const void *defaults, tact_text *out);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
