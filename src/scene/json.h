// SPDX-License-Identifier: MIT
// Strict JSON (RFC 8259, UTF-8) with the place of every value. The text is checked first, without recursion, by rules
// that cJSON does not keep: grammar of numbers and strings, UTF-8, control bytes, nesting, trailing text, duplicate keys.
// Only then cJSON builds the tree. Its items are reached through an array of nodes in the order of the document, whose
// numbers (item->valuedouble) are correctly rounded and finite in every locale. Typed reading: scene/reader.h.
#ifndef TACT_SCENE_JSON_H
#define TACT_SCENE_JSON_H

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scene/errors.h"
#include "scene/text.h"

#define TACT_JSON_DEPTH 64

typedef struct {
    cJSON *item;
    uint32_t at;      // offset of the value in the text
    uint32_t key_at;  // offset of its key, 0 without one
    int parent;       // node, -1 for the root
    int next;         // node after this one and all within it: the first value of an object or array is node + 1
} tact_json_node;

// A parsed document; ends with tact_json_free. Strings belong to it.
typedef struct {
    tact_source source;   // without a byte order mark; its bytes must outlive the document
    tact_errors *errors;  // where reading reports
    cJSON *root;
    tact_json_node *nodes;  // (count), node 0 is the root
    int count;
} tact_json;

// Parses a document of at most 16 MiB. False when it is refused or memory is out: then errors has at least one more, and
// nothing is left to free. Memory with cJSON's items: at worst about 50 times the text (860 MB for 16 MiB of "0,").
bool tact_json_read(tact_json *json, tact_source source, tact_errors *errors);
void tact_json_free(tact_json *json);

// The JSON Pointer of a node, "/" for the root, cut with "..." when longer than out.
void tact_json_path(const tact_json *json, int node, char *out, size_t size);

// One message at the offset of the text, with the path of the node (-1: the root).
void tact_json_report(const tact_json *json, int node, size_t at, tact_error_kind kind, const char *format, ...)
    TACT_PRINTF(5, 6);
void tact_json_report_list(const tact_json *json, int node, size_t at, tact_error_kind kind, const char *format,
                           va_list arguments) TACT_PRINTF(5, 0);

// The line of an offset of the text.
int tact_json_line(const tact_json *json, size_t at);

// Bytes of the word (letters, digits, + - . _) at an offset: a number, true, false, null or what stands in their place.
size_t tact_json_word(const tact_json *json, size_t at);

// Bytes of the whole value that begins at an offset of a document that was read.
size_t tact_json_extent(const tact_json *json, size_t at);

// The check of the text, a step of tact_json_read: fills the nodes except for their items.
bool tact_json_scan(tact_json *json);

// The tree of a text that passed the check, a step of tact_json_read; NULL when there is no memory. For several threads.
cJSON *tact_json_parse(const char *text, size_t size);

// The search for duplicate keys, a step of tact_json_read: false when one was found and reported.
bool tact_json_check_duplicates(const tact_json *json);

#endif
