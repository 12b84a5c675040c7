// SPDX-License-Identifier: MIT
// Where a value stands, worked out from its offset only when a message needs it.
#include <stdio.h>
#include <string.h>

#include "scene/json_parts.h"
#include "scene/utf8.h"

#define PATH_SIZE 512

static tact_place place_of(const tact_json *json, size_t at) {
    tact_place place = {.file = json->source.name, .line = json->source.line, .column = 1};
    tact_utf8_pass(json->source.bytes, at < json->source.size ? at : json->source.size, &place.line, &place.column);
    return place;
}

int tact_json_line(const tact_json *json, size_t at) {
    return place_of(json, at).line;
}

// byte by byte with ~ and / escaped; a character is added whole so that a cut leaves valid UTF-8
static void add_key(tact_utf8_path *p, const char *key, size_t size) {
    size_t at = 0;
    while (at < size && !p->cut) {
        size_t length = 1;
        while (at + length < size && (key[at + length] & 0xc0) == 0x80) length++;
        if (key[at] == '~' || key[at] == '/') {
            tact_utf8_add(p, key[at] == '~' ? "~0" : "~1", 2);
        } else {
            tact_utf8_add(p, key + at, length);
        }
        at += length;
    }
}

static void add_step(tact_utf8_path *p, const tact_json *json, int node) {
    const tact_json_node *here = &json->nodes[node];
    tact_utf8_add(p, "/", 1);
    if (here->key_at == 0) {
        // index within the array
        char digits[16];
        int index = 0;
        for (int i = json->nodes[node].parent + 1; i != node; i = json->nodes[i].next) index++;
        snprintf(digits, sizeof digits, "%d", index);
        tact_utf8_add(p, digits, strlen(digits));
    } else if (here->item) {
        add_key(p, here->item->string, strlen(here->item->string));
    } else {
        // no tree yet: the key as it is written
        const char *key = json->source.bytes + here->key_at + 1;
        size_t size = 0;
        while (key[size] != '"') size += key[size] == '\\' ? 2 : 1;
        add_key(p, key, size);
    }
}

void tact_json_path(const tact_json *json, int node, char *out, size_t size) {
    TACT_ASSERT(json && out && size > 0);
    int chain[TACT_JSON_DEPTH + 1];
    int depth = 0;
    tact_utf8_path p = {.out = out, .size = size};
    for (; node > 0; node = json->nodes[node].parent) chain[depth++] = node;
    out[0] = '\0';
    if (depth == 0) tact_utf8_add(&p, "/", 1);
    while (depth > 0) add_step(&p, json, chain[--depth]);
}

void tact_json_report_list(const tact_json *json, int node, size_t at, tact_error_kind kind, const char *format,
                           va_list arguments) {
    char text[PATH_SIZE];
    tact_place place = {0};
    // the search for the place is linear in the text: not for messages that are only counted
    if (!tact_errors_full(json->errors, kind)) {
        place = place_of(json, at);
        for (int i = 0; i < json->ninsert; i++)
            if (json->insert[i].begin <= at && at < json->insert[i].end) place = (tact_place){.file = json->insert[i].name};
        tact_json_path(json, node, text, sizeof text);
        place.path = text;
    }
    tact_errors_add_list(json->errors, kind, place, format, arguments);
}

void tact_json_report(const tact_json *json, int node, size_t at, tact_error_kind kind, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tact_json_report_list(json, node, at, kind, format, arguments);
    va_end(arguments);
}
