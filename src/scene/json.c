// SPDX-License-Identifier: MIT
#include "scene/json_parts.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "tact/memory.h"

size_t tact_json_word(const tact_json *json, size_t at) {
    size_t end = at;
    for (; end < json->source.size; end++) {
        int c = (unsigned char)json->source.bytes[end], letter = c | 32;
        bool word = (c >= '0' && c <= '9') || (letter >= 'a' && letter <= 'z') || c == '+' || c == '-' || c == '.' || c == '_';
        if (!word) break;
    }
    return end - at;
}

static bool is_number(const tact_json *json, const tact_json_node *node) {
    char c = json->source.bytes[node->at];
    return c == '-' || (c >= '0' && c <= '9');
}

// cJSON sees 0 for every number: it would read them by the locale, cut them at 63 bytes and turn 1e999 into infinity
static bool build_tree(tact_json *json) {
    char *text = tact_memory_get(json->source.size + 1);
    if (!text) {
        tact_file_refuse(json->source.name, ENOMEM, json->errors);
        return false;
    }
    memcpy(text, json->source.bytes, json->source.size);
    text[json->source.size] = '\0';
    for (int i = 0; i < json->count; i++) {
        const tact_json_node *node = &json->nodes[i];
        if (!is_number(json, node)) continue;
        memset(text + node->at, ' ', tact_json_word(json, node->at));
        text[node->at] = '0';
    }
    json->root = tact_json_parse(text, json->source.size);
    tact_memory_release(text);
    // what passed the check is refused by cJSON only for want of memory
    if (!json->root) tact_file_refuse(json->source.name, ENOMEM, json->errors);
    return json->root != NULL;
}

static bool read_numbers(tact_json *json) {
    bool good = true;
    for (int i = 0; i < json->count; i++) {
        const tact_json_node *node = &json->nodes[i];
        if (!is_number(json, node)) continue;
        const char *word = json->source.bytes + node->at;
        size_t length = tact_json_word(json, node->at);
        if (tact_number_read(word, length, &node->item->valuedouble) == TACT_NUMBER_READ) continue;
        good = false;
        tact_json_report(json, i, node->at, TACT_ERROR_REFUSED, "number too large for a double (%.*s%s)",
                         length > 40 ? 40 : (int)length, word, length > 40 ? "..." : "");
    }
    return good;
}

size_t tact_json_extent(const tact_json *json, size_t at) {
    const char *bytes = json->source.bytes;
    size_t end = at;
    int depth = 0;
    if (!strchr("{[\"", bytes[at])) return tact_json_word(json, at);
    do {
        // Depth goes up and down with brackets; strings are skipped, escapes in them, too.
        char c = bytes[end++];
        if (c == '{' || c == '[') depth++;
        if (c == '}' || c == ']') depth--;
        if (c != '"') continue;
        while (bytes[end] != '"') end += bytes[end] == '\\' ? 2 : 1;
        end++;
    } while (depth > 0);
    return end - at;
}

bool tact_json_read(tact_json *json, tact_source source, tact_errors *errors) {
    TACT_ASSERT(json && errors);
    *json = (tact_json){.source = source, .errors = errors};
    if (source.size > TACT_TEXT_LIMIT) {
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = source.name}, "%zu bytes: larger than the limit of %d",
                        source.size, TACT_TEXT_LIMIT);
        return false;
    }
    // UTF-8 byte order mark
    if (!(json->source.size < 3 || memcmp(json->source.bytes, "\xef\xbb\xbf", 3) != 0)) {
        json->source.bytes += 3;
        json->source.size -= 3;
    }
    // Places by the own scanner, values by cJSON, then numbers to the last digit. Every value but the root stands behind one of
    // [ { and comma, so no more nodes than that are needed.
    size_t most = 1;
    for (size_t i = 0; i < json->source.size; i++) {
        char c = json->source.bytes[i];
        most += c == ',' || c == '[' || c == '{';
    }
    json->nodes = tact_memory_get(most * sizeof json->nodes[0]);
    if (!json->nodes) tact_file_refuse(json->source.name, ENOMEM, json->errors);
    bool good = json->nodes != NULL && tact_json_scan(json) && build_tree(json);
    if (good) {
        json->nodes[0].item = json->root;
        for (int i = 0; i < json->count; i++) {
            const cJSON *parent = json->nodes[i].item;
            cJSON *item = NULL;
            int child = i + 1;
            if (!cJSON_IsArray(parent) && !cJSON_IsObject(parent)) continue;
            // cJSON's children in the order in which the scanner numbered them.
            cJSON_ArrayForEach(item, parent) {
                assert(child < json->nodes[i].next);
                json->nodes[child].item = item;
                child = json->nodes[child].next;
            }
            assert(child == json->nodes[i].next);
        }
        good = read_numbers(json);
        good = tact_json_check_duplicates(json) && good;
    }
    if (!good) tact_json_free(json);
    return good;
}

void tact_json_free(tact_json *json) {
    cJSON_Delete(json->root);
    tact_memory_release(json->nodes);
    json->root = NULL;
    json->nodes = NULL;
    json->count = 0;
}
