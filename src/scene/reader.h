// SPDX-License-Identifier: MIT
// Typed reading of a parsed document, so that a loader reads like a table of keys. Each function checks one node and
// reports what is wrong at its place; the loader goes on, so that up to 20 errors are told at once. A node of -1 (an
// optional key that is absent, or one already reported) is passed over silently: nothing is set and nothing reported.
#ifndef TACT_SCENE_READER_H
#define TACT_SCENE_READER_H

#include "scene/json.h"
#include "tact/base.h"

#define TACT_NAME_MAX 255

typedef enum {
    TACT_JSON_NULL,
    TACT_JSON_BOOL,
    TACT_JSON_NUMBER,
    TACT_JSON_STRING,
    TACT_JSON_ARRAY,
    TACT_JSON_OBJECT,
} tact_json_kind;

// Numbers from low to high, with or without the ends themselves.
typedef struct {
    double low, high;
    bool low_open, high_open;
} tact_range;

tact_range tact_range_any(void);
tact_range tact_range_above(double low);                // must be > low
tact_range tact_range_from(double low);                 // must be >= low
tact_range tact_range_within(double low, double high);  // must be within [low, high]

// The document. Node 0 is its root.
tact_json_kind tact_json_type(const tact_json *json, int node);

// "a number", "an object", ...
const char *tact_json_kind_name(tact_json_kind kind);

// True when the node is there and of this type; reports another one.
bool tact_json_expect(const tact_json *json, int node, tact_json_kind wanted);

// True for an object; reports another type. Keys that are not in the list (ended by NULL; NULL itself: any keys) are
// reported as unknown, with a suggestion, and the answer stays true.
bool tact_json_check_object(const tact_json *json, int node, const char *const *keys);

// The value of a key, exactly as spelt; -1 when it is absent, which need also reports.
int tact_json_find(const tact_json *json, int object, const char *key);
int tact_json_need(const tact_json *json, int object, const char *key);

// The values of an array or object in their order: for (i = first; i >= 0; i = after(i)).
int tact_json_first(const tact_json *json, int node);
int tact_json_after(const tact_json *json, int node);

// The key of a member of an object, NULL for others.
const char *tact_json_key(const tact_json *json, int node);

// Values in an array, -1 after reporting another type.
int tact_json_length(const tact_json *json, int node);

// These set *value only when they return true. A number must also fit tact_real, and one above an open end must still
// be above it as tact_real.
bool tact_json_get_number(const tact_json *json, int node, tact_range range, tact_real *value);
bool tact_json_get_integer(const tact_json *json, int node, int low, int high, int *value);
bool tact_json_get_bool(const tact_json *json, int node, bool *value);

// An array of exactly count numbers. For arrays of any length: tact_json_length, room for as many, then this.
bool tact_json_get_vector(const tact_json *json, int node, int count, tact_range range, tact_real *values);

// A string of at most longest bytes, or NULL; it belongs to the document. A name has 1 to TACT_NAME_MAX bytes.
const char *tact_json_get_string(const tact_json *json, int node, size_t longest);
const char *tact_json_get_name(const tact_json *json, int node);

// The index of a string in a list that ends with NULL; -1 after reporting one that is not in it.
int tact_json_get_choice(const tact_json *json, int node, const char *const *names);

// What a loader finds itself. The message of warn says "warning: " before the reason. Before an expensive search for
// the words, ask tact_errors_full(json->errors, ...).
void tact_json_refuse(const tact_json *json, int node, const char *format, ...) TACT_PRINTF(3, 4);
void tact_json_warn(const tact_json *json, int node, const char *format, ...) TACT_PRINTF(3, 4);

// After a file that a node names could not be read: the last message says where it is named, too.
void tact_json_place_unreadable(const tact_json *json, int node);

#endif
