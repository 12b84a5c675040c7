// SPDX-License-Identifier: MIT
// JSON documents that know where everything in them stands: each value is read with its range, and what is wrong is reported with
// line and path. Hosted: uses the heap.
#ifndef TACT_JSON_H
#define TACT_JSON_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tact/base.h"
#include "tact/errors.h"
#include "tact/text.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Strict JSON (RFC 8259, UTF-8) with the place of every value. The text is checked first, without recursion, by rules
// that cJSON does not keep: grammar of numbers and strings, UTF-8, control bytes, nesting, trailing text, duplicate keys.
// Only then cJSON builds the tree. Its items are reached through an array of nodes in the order of the document, whose
// numbers (item->valuedouble) are correctly rounded and finite in every locale.

#define TACT_JSON_DEPTH 64

typedef struct {
    struct cJSON *item;  // for the readers below
    uint32_t at;         // offset of the value in the text
    uint32_t key_at;     // offset of its key, 0 without one
    int parent;          // node, -1 for the root
    int next;            // node after this one and all within it: the first value of an object or array is node + 1
} tact_json_node;

// A stretch of the text that was put in, [begin, end): messages about it give its name in place of the file's.
typedef struct {
    size_t begin, end;
    const char *name;
} tact_json_insert;

// A parsed document; ends with tact_json_free. Strings belong to it.
typedef struct {
    tact_source source;   // without a byte order mark; its bytes must outlive the document
    tact_errors *errors;  // where reading reports
    struct cJSON *root;
    tact_json_node *nodes;  // (count), node 0 is the root
    int count;
    const tact_json_insert *insert;  // (ninsert), of the caller
    int ninsert;
} tact_json;

// Parses a document of at most 16 MiB. False when it is refused or memory is out: then errors has at least one more, and
// nothing is left to free. Memory with cJSON's items: at worst about 50 times the text (860 MB for 16 MiB of "0,").
bool tact_json_read(tact_json *json, tact_source source, tact_errors *errors);

// Frees the tree and the nodes, and with them all strings of the document.
void tact_json_free(tact_json *json);

// The JSON Pointer of a node, "/" for the root, cut with "..." when longer than out.
void tact_json_path(const tact_json *json, int node, char *out, size_t size);

// One message at the offset of the text, with the path of the node (-1: the root), to json->errors.
void tact_json_report(const tact_json *json, int node, size_t at, tact_error_kind kind, const char *format, ...)
    TACT_PRINTF(5, 6);

// The same with the arguments of the format as a va_list.
void tact_json_report_list(const tact_json *json, int node, size_t at, tact_error_kind kind, const char *format,
                           va_list arguments) TACT_PRINTF(5, 0);

// The line of an offset of the text.
int tact_json_line(const tact_json *json, size_t at);

// Bytes of the word (letters, digits, + - . _) at an offset: a number, true, false, null or what stands in their place.
size_t tact_json_word(const tact_json *json, size_t at);

// Bytes of the whole value that begins at an offset of a document that was read.
size_t tact_json_extent(const tact_json *json, size_t at);

// Typed reading of a parsed document, so that a loader reads like a table of keys. Each function checks one node and
// reports what is wrong at its place; the loader goes on, so that up to 20 errors are reported at once. A node of -1 (an
// optional key that is absent, or one already reported) is passed over silently: nothing is set and nothing reported.

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

tact_range tact_range_any(void);                        // any number
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

// The value of a key, exactly as spelt; -1 when it is absent.
int tact_json_find(const tact_json *json, int object, const char *key);

// The same for a key that must be there: an absent one is reported, unless a misspelt one already was.
int tact_json_need(const tact_json *json, int object, const char *key);

// The values of an array or object in their order: for (i = first; i >= 0; i = after(i)).
int tact_json_first(const tact_json *json, int node);

// The first of them; -1 also for a node that is none, or after reporting that it is no array or object.
int tact_json_enter(const tact_json *json, int node, tact_json_kind kind);

// The next value of the same array or object; -1 after the last.
int tact_json_after(const tact_json *json, int node);

// The key of a member of an object, NULL for others.
const char *tact_json_key(const tact_json *json, int node);

// Values in an array, -1 after reporting another type.
int tact_json_length(const tact_json *json, int node);

// A number or a string as it stands, without any check; 0 or NULL of what is none.
double tact_json_value(const tact_json *json, int node);

// A string without any check, NULL of what is none; it belongs to the document.
const char *tact_json_string(const tact_json *json, int node);

// These set *value only when they return true. A number must also fit tact_real, and one above an open end must still
// be above it as tact_real.
bool tact_json_get_number(const tact_json *json, int node, tact_range range, tact_real *value);

// A whole number from low to high.
bool tact_json_get_integer(const tact_json *json, int node, int low, int high, int *value);

// true or false.
bool tact_json_get_bool(const tact_json *json, int node, bool *value);

// An array of exactly count numbers. For arrays of any length: tact_json_length, room for as many, then this.
bool tact_json_get_vector(const tact_json *json, int node, int count, tact_range range, tact_real *values);

// A string of at most longest bytes, or NULL; it belongs to the document.
const char *tact_json_get_string(const tact_json *json, int node, size_t longest);

// A string of 1 to TACT_NAME_MAX bytes, or NULL; it belongs to the document.
const char *tact_json_get_name(const tact_json *json, int node);

// The index of a string in a list that ends with NULL; -1 after reporting one that is not in it.
int tact_json_get_choice(const tact_json *json, int node, const char *const *names);

// An error at a node that a loader finds itself; no message for the node -1. Before an expensive search for the words, ask
// tact_errors_full(json->errors, ...).
void tact_json_refuse(const tact_json *json, int node, const char *format, ...) TACT_PRINTF(3, 4);

// A warning at a node, whose message says "warning: " before the reason; no message for the node -1.
void tact_json_warn(const tact_json *json, int node, const char *format, ...) TACT_PRINTF(3, 4);

// After a file that a node names could not be read: the last message says where it is named, too, and ends with the hint.
void tact_json_place_unreadable(const tact_json *json, int node, const char *hint);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
