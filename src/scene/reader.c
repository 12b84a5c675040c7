// SPDX-License-Identifier: MIT
#include "scene/json_parts.h"

#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 300, SHORT_TEXT = 40 };

void tact_json_refuse(const tact_json *json, int node, const char *format, ...) {
    if (node < 0) return;
    va_list arguments;
    va_start(arguments, format);
    tact_json_report_list(json, node, json->nodes[node].at, TACT_ERROR_REFUSED, format, arguments);
    va_end(arguments);
}

void tact_json_warn(const tact_json *json, int node, const char *format, ...) {
    if (node < 0) return;
    va_list arguments;
    va_start(arguments, format);
    tact_json_report_list(json, node, json->nodes[node].at, TACT_ERROR_WARNING, format, arguments);
    va_end(arguments);
}

static void report(const tact_json *json, int node, tact_error_kind kind, const char *format, ...) TACT_PRINTF(4, 5);
static void report(const tact_json *json, int node, tact_error_kind kind, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tact_json_report_list(json, node, json->nodes[node].at, kind, format, arguments);
    va_end(arguments);
}

void tact_json_place_unreadable(const tact_json *json, int node, const char *hint) {
    tact_errors *errors = json->errors;
    if (node < 0 || errors->kept == 0) return;
    const tact_error last = errors->items[errors->kept - 1];
    // one of the file as a whole; others name their places in it
    bool whole = last.reason <= last.file + 2;
    if (last.kind != TACT_ERROR_UNREADABLE && !(last.kind == TACT_ERROR_REFUSED && whole)) return;
    errors->kept--;
    errors->errors--;
    report(json, node, last.kind, "%s%s", last.text, hint);
}

tact_json_kind tact_json_type(const tact_json *json, int node) {
    switch (json->source.bytes[json->nodes[node].at]) {
    case '{': return TACT_JSON_OBJECT;
    case '[': return TACT_JSON_ARRAY;
    case '"': return TACT_JSON_STRING;
    case 't':
    case 'f': return TACT_JSON_BOOL;
    case 'n': return TACT_JSON_NULL;
    default: return TACT_JSON_NUMBER;
    }
}

const char *tact_json_kind_name(tact_json_kind kind) {
    switch (kind) {
    case TACT_JSON_NULL: return "null";
    case TACT_JSON_BOOL: return "true or false";
    case TACT_JSON_NUMBER: return "a number";
    case TACT_JSON_STRING: return "a string";
    case TACT_JSON_ARRAY: return "an array";
    case TACT_JSON_OBJECT: return "an object";
    }
    return "something else";
}

bool tact_json_expect(const tact_json *json, int node, tact_json_kind wanted) {
    if (node < 0) return false;
    tact_json_kind kind = tact_json_type(json, node);
    if (kind == wanted) return true;
    const char *text = kind == TACT_JSON_STRING ? json->nodes[node].item->valuestring : NULL;
    const bool number = wanted == TACT_JSON_NUMBER;
    if (text && (number || wanted == TACT_JSON_BOOL) && strlen(text) <= SHORT_TEXT)
        tact_json_refuse(json, node, "expected %s, found a string (%s)%s", tact_json_kind_name(wanted), tact_quote(text).text,
                         number && tact_number_valid(text, strlen(text)) ? ": numbers have no quotes" : "");
    else
        tact_json_refuse(json, node, "expected %s, found %s%s", tact_json_kind_name(wanted), tact_json_kind_name(kind),
                         wanted == TACT_JSON_OBJECT                              ? ": {NAME: ...}"
                         : wanted == TACT_JSON_ARRAY && kind == TACT_JSON_OBJECT ? ": [{...}, ...]"
                                                                                 : "");
    return false;
}

int tact_json_enter(const tact_json *json, int node, tact_json_kind kind) {
    return tact_json_expect(json, node, kind) ? tact_json_first(json, node) : -1;
}

int tact_json_first(const tact_json *json, int node) {
    if (node < 0 || json->nodes[node].next == node + 1) return -1;
    return node + 1;
}

int tact_json_after(const tact_json *json, int node) {
    int parent = json->nodes[node].parent;
    int next = json->nodes[node].next;
    return parent >= 0 && next < json->nodes[parent].next ? next : -1;
}

const char *tact_json_key(const tact_json *json, int node) {
    return json->nodes[node].item->string;
}

static bool is_listed(const char *name, const char *const *names) {
    while (*names && strcmp(name, *names) != 0) names++;
    return *names != NULL;
}

bool tact_json_check_object(const tact_json *json, int node, const char *const *keys) {
    tact_json_kind kind = node < 0 ? TACT_JSON_OBJECT : tact_json_type(json, node);
    if (kind != TACT_JSON_OBJECT && keys && keys[0] && keys[1]) {
        tact_json_refuse(json, node, "expected an object, found %s: {%s: ..., %s: ...}", tact_json_kind_name(kind),
                         tact_quote(keys[0]).text, tact_quote(keys[1]).text);
        return false;
    }
    if (!tact_json_expect(json, node, TACT_JSON_OBJECT)) return false;
    for (int i = keys ? tact_json_first(json, node) : -1; i >= 0; i = tact_json_after(json, i)) {
        if (!is_listed(tact_json_key(json, i), keys)) {
            // unknown key, with the nearest known one
            const tact_json_node *member = &json->nodes[i];
            const char *word = tact_json_key(json, i);
            if (tact_errors_full(json->errors, TACT_ERROR_REFUSED)) {
                tact_json_report(json, member->parent, member->key_at, TACT_ERROR_REFUSED, "unknown key");
                continue;
            }
            tact_key_hint hint = tact_nearest_key(word, keys);
            const tact_errors *errors = json->errors;
            // the list of the line before
            if (errors->kept > 0 && strstr(errors->items[errors->kept - 1].text, hint.text)) hint.text[0] = '\0';
            tact_json_report(json, member->parent, member->key_at, TACT_ERROR_REFUSED, "unknown key %s%s", tact_quote(word).text,
                             hint.text);
        }
    }
    return true;
}

int tact_json_find(const tact_json *json, int object, const char *key) {
    if (object < 0 || tact_json_type(json, object) != TACT_JSON_OBJECT) return -1;
    int i = tact_json_first(json, object);
    while (i >= 0 && strcmp(tact_json_key(json, i), key) != 0) i = tact_json_after(json, i);
    return i;
}

// Whether an unknown key of the object was reported as one that is near to this one.
static bool is_misspelt(const tact_json *json, int object, const char *key) {
    char path[PATH_SIZE], begin[PATH_SIZE + 20], name[PATH_SIZE];
    tact_json_path(json, object, path, sizeof path);
    snprintf(begin, sizeof begin, ": %s: unknown key ", path);
    snprintf(name, sizeof name, " %s", tact_quote(key).text);
    for (int i = 0; i < json->errors->kept; i++) {
        const char *told = strstr(json->errors->items[i].text, begin);
        if (told && strstr(told + strlen(begin), name)) return true;
    }
    return false;
}

int tact_json_need(const tact_json *json, int object, const char *key) {
    int node = tact_json_find(json, object, key);
    bool missing = node < 0 && object >= 0 && tact_json_type(json, object) == TACT_JSON_OBJECT;
    if (missing && !is_misspelt(json, object, key)) {
        const char *example = strcmp(key, "tact") == 0 ? ": \"tact\": 1 says the format" : "";
        if (strcmp(key, "parent") == 0) example = ": \"world\", or the body that carries it";
        if (strcmp(key, "points") == 0) example = ", or \"file\": a mesh";
        if (strcmp(key, "joint") == 0 && tact_json_find(json, object, "stiffness") < 0) example = ", as {\"type\": \"free\"}";
        // of a grid, whose lines are printed with its file
        if (strcmp(key, "low") == 0) example = ": tact convert MESH --sdf 49 -o GRID.npy prints it and \"step\" with the file";
        if (strcmp(key, "mu") == 0) example = ": the friction of this pair, or one for all at the top of the scene";
        tact_json_refuse(json, object, "key %s is missing%s", tact_quote(key).text, example);
    }
    return node;
}

int tact_json_length(const tact_json *json, int node) {
    if (!tact_json_expect(json, node, TACT_JSON_ARRAY)) return -1;
    int length = 0;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) length++;
    return length;
}

bool tact_json_get_bool(const tact_json *json, int node, bool *value) {
    if (!tact_json_expect(json, node, TACT_JSON_BOOL)) return false;
    *value = json->source.bytes[json->nodes[node].at] == 't';
    return true;
}

double tact_json_value(const tact_json *json, int node) {
    return tact_json_type(json, node) == TACT_JSON_NUMBER ? json->nodes[node].item->valuedouble : 0;
}

const char *tact_json_string(const tact_json *json, int node) {
    return tact_json_type(json, node) == TACT_JSON_STRING ? json->nodes[node].item->valuestring : NULL;
}

const char *tact_json_get_string(const tact_json *json, int node, size_t longest) {
    if (!tact_json_expect(json, node, TACT_JSON_STRING)) return NULL;
    const char *string = json->nodes[node].item->valuestring;
    size_t size = strlen(string);
    if (size <= longest) return string;
    tact_json_refuse(json, node, "string of %zu bytes is too long (allowed %zu)", size, longest);
    return NULL;
}

const char *tact_json_get_name(const tact_json *json, int node) {
    const char *name = tact_json_get_string(json, node, TACT_NAME_MAX);
    if (!name || name[0]) return name;
    tact_json_refuse(json, node, "must not be empty");
    return NULL;
}

int tact_json_get_choice(const tact_json *json, int node, const char *const *names) {
    if (node < 0) return -1;
    tact_json_kind kind = tact_json_type(json, node);
    if (kind != TACT_JSON_STRING) {
        // no word is near to "": the hint is the list
        tact_json_refuse(json, node, "expected a string, found %s%s", tact_json_kind_name(kind),
                         tact_nearest_key("", names).text);
        return -1;
    }
    const char *word = json->nodes[node].item->valuestring;
    for (int i = 0; names[i]; i++) {
        if (strcmp(word, names[i]) == 0) return i;
    }
    if (tact_errors_full(json->errors, TACT_ERROR_REFUSED)) {
        tact_json_refuse(json, node, "unknown value");
        return -1;
    }
    tact_json_refuse(json, node, "unknown value %s%s", tact_quote(word).text, tact_nearest_key(word, names).text);
    return -1;
}
