// SPDX-License-Identifier: MIT
#include "tact/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "scene/utf8.h"

#define PIECE_SIZE 8

// the printable form of the next character; returns the bytes consumed
static size_t escape_next(char piece[PIECE_SIZE], const char *bytes, size_t size, bool quoted) {
    uint32_t point = 0;
    int length = tact_utf8_decode(bytes, size, &point);
    if (length == 0 || (length == 1 && tact_utf8_hidden(point))) {
        snprintf(piece, PIECE_SIZE, "\\x%02x", (unsigned)(unsigned char)bytes[0]);
        return 1;
    }
    if (tact_utf8_hidden(point)) {
        snprintf(piece, PIECE_SIZE, "\\u%04x", (unsigned)(point & 0xffff));
    } else {
        bool slash = quoted && (point == '"' || point == '\\');
        snprintf(piece, PIECE_SIZE, "%s%.*s", slash ? "\\" : "", length, bytes);
    }
    return (size_t)length;
}

// Escapes bytes into a room; text that does not fit ends with "...". Returns the length.
static size_t escape(char *out, size_t room, const char *bytes, size_t size, bool quoted) {
    // mark: the last place from which the end mark still fits
    size_t used = 0, mark = 0, at = 0;
    char piece[PIECE_SIZE];
    while (at < size) {
        size_t consumed = escape_next(piece, bytes + at, size - at, quoted);
        size_t length = strlen(piece);
        if (used + length + 1 > room) {
            memcpy(out + mark, "...", 4);
            return mark + 3;
        }
        memcpy(out + used, piece, length);
        used += length;
        if (used + 4 <= room) mark = used;
        at += consumed;
    }
    out[used] = '\0';
    return used;
}

size_t tact_quote_escape(char *out, size_t room, const char *bytes, size_t size) {
    return escape(out, room, bytes, size, false);
}

tact_quoted tact_quote_bytes(const char *bytes, size_t size) {
    tact_quoted quoted;
    quoted.text[0] = '"';
    size_t used = 1 + escape(quoted.text + 1, sizeof quoted.text - 2, bytes, size, true);
    quoted.text[used] = '"';
    quoted.text[used + 1] = '\0';
    return quoted;
}

tact_quoted tact_quote(const char *text) {
    return tact_quote_bytes(text, strlen(text));
}
