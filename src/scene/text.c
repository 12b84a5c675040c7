// SPDX-License-Identifier: MIT
#include "tact/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "scene/utf8.h"
#include "tact/memory.h"

const char *tact_text_name(const char *path) {
    if (!path[0]) return "\"\"";
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

tact_source tact_text_source(const tact_text *text, const char *path) {
    return (tact_source){.name = tact_text_name(path), .bytes = text->bytes ? text->bytes : "", .size = text->size, .line = 1};
}

void tact_text_free(tact_text *text) {
    tact_memory_release(text->bytes);
    *text = (tact_text){0};
}

void tact_text_clear(tact_text *text) {
    text->size = 0;
    if (text->bytes) text->bytes[0] = '\0';
}

bool tact_text_reserve(tact_text *text, size_t more) {
    TACT_ASSERT(text);
    if (text->failed) return false;
    if (text->bytes && more < text->capacity - text->size) return true;
    if (more > SIZE_MAX / 4 || text->size > SIZE_MAX / 4) {
        text->failed = true;
        return false;
    }
    // half as much again, so that the time of all copies stays linear
    size_t capacity = text->size + more + 1;
    if (capacity < text->capacity + text->capacity / 2) capacity = text->capacity + text->capacity / 2;
    if (capacity < 64) capacity = 64;
    char *bytes = tact_memory_get(capacity);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    if (text->bytes) memcpy(bytes, text->bytes, text->size);
    bytes[text->size] = '\0';
    tact_memory_release(text->bytes);
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void tact_text_add_bytes(tact_text *text, const char *bytes, size_t size) {
    if (!tact_text_reserve(text, size)) return;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    text->bytes[text->size] = '\0';
}

void tact_text_add(tact_text *text, const char *string) {
    tact_text_add_bytes(text, string, strlen(string));
}

// the escape of one character, or nothing when it stands for itself
static void json_escape(char piece[8], uint32_t point) {
    static const char letters[] = "\bb\ff\nn\rr\tt\"\"\\\\";
    piece[0] = '\0';
    for (const char *pair = letters; *pair; pair += 2) {
        if (point == (uint32_t)pair[0]) snprintf(piece, 8, "\\%c", pair[1]);
    }
    if (!piece[0] && tact_utf8_hidden(point)) snprintf(piece, 8, "\\u%04x", (unsigned)(point & 0xffff));
}

void tact_text_add_json(tact_text *text, const char *string) {
    TACT_ASSERT(text && string);
    size_t size = strlen(string), at = 0;
    char piece[8];
    tact_text_add(text, "\"");
    while (at < size) {
        // Bytes that are not UTF-8 become the replacement character.
        uint32_t point = 0;
        int length = tact_utf8_decode(string + at, size - at, &point);
        json_escape(piece, length > 0 ? point : 'x');
        if (length == 0) {
            tact_text_add(text, "\\ufffd");
        } else if (piece[0]) {
            tact_text_add(text, piece);
        } else {
            tact_text_add_bytes(text, string + at, (size_t)length);
        }
        at += length > 0 ? (size_t)length : 1;
    }
    tact_text_add(text, "\"");
}

void tact_text_add_number(tact_text *text, double value) {
    // the difference of an infinity or a NaN with itself is a NaN
    bool finite = value - value == 0;
    tact_text_add(text, finite ? tact_number_print(value).text : "null");
}

void tact_text_add_integer(tact_text *text, long long value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", value);
    tact_text_add(text, digits);
}

void tact_text_print(tact_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at; at++) {
        size_t plain = strcspn(at, "%");
        tact_text_add_bytes(text, at, plain);
        at += plain;
        if (!*at) break;
        at++;
        if (*at == 's')
            tact_text_add_json(text, va_arg(arguments, const char *));
        else if (strncmp(at, "-s", 2) == 0)
            tact_text_add(text, va_arg(arguments, const char *));
        else if (*at == 'g')
            tact_text_add_number(text, va_arg(arguments, double));
        else if (*at == 'd')
            tact_text_add_integer(text, va_arg(arguments, int));
        else if (strncmp(at, "lld", 3) == 0)
            tact_text_add_integer(text, va_arg(arguments, long long));
        else if (strncmp(at, "zu", 2) == 0)
            tact_text_add_integer(text, (long long)va_arg(arguments, size_t));
        else
            tact_text_add_bytes(text, at, 1);  // %%
        TACT_ASSERT(*at && strchr("s-gdlz%", *at) && (*at != '-' || at[1] == 's'));
        at += *at == 'l' ? 2 : *at == 'z' || *at == '-';
    }
    va_end(arguments);
}

void tact_text_add_line(tact_text *text, const char *what, const char *name) {
    tact_text_add(text, what);
    tact_text_add(text, name);
    tact_text_add(text, "\n");
}

void tact_text_add_vector(tact_text *text, const tact_real *x, size_t count) {
    tact_text_add(text, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) tact_text_add(text, ",");
        tact_text_add_number(text, (double)x[i]);
    }
    tact_text_add(text, "]");
}
