// SPDX-License-Identifier: MIT
#include "scene/utf8.h"

#include <assert.h>
#include <string.h>

int tact_utf8_decode(const char *bytes, size_t size, uint32_t *point) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    assert(size > 0);
    // Length by the first byte; then six bits of each that follows.
    unsigned char first = (unsigned char)bytes[0];
    int length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
    if (length == 0 || (size_t)length > size) return 0;
    uint32_t value = length == 1 ? first : first & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if ((byte & 0xc0) != 0x80) return 0;
        value = value << 6 | (byte & 0x3fu);
    }
    // Longer than needed, beyond Unicode, or half of a UTF-16 pair.
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) return 0;
    *point = value;
    return length;
}

bool tact_utf8_hidden(uint32_t point) {
    return point < 0x20 || (point >= 0x7f && point <= 0x9f) || point == 0x61c || point == 0x200e || point == 0x200f ||
           (point >= 0x2028 && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

bool tact_utf8_is_plain(const char *name, size_t size) {
    for (size_t at = 0; at < size;) {
        uint32_t point = 0;
        int length = tact_utf8_decode(name + at, size - at, &point);
        if (length == 0 || point < 0x20 || (point >= 0x7f && point <= 0x9f)) return false;
        at += (size_t)length;
    }
    return true;
}

size_t tact_utf8_fit(const char *text, size_t room) {
    size_t size = strlen(text);
    if (size <= room) return size;
    while (room > 0 && (text[room] & 0xc0) == 0x80) room--;
    return room;
}

void tact_utf8_pass(const char *bytes, size_t size, int *line, int *column) {
    for (size_t i = 0; i < size; i++) {
        // continuation bytes do not count as characters
        *column = bytes[i] == '\n' ? 1 : *column + ((bytes[i] & 0xc0) != 0x80);
        *line += bytes[i] == '\n';
    }
}

void tact_utf8_add(tact_utf8_path *path, const char *bytes, size_t length) {
    if (path->cut) return;
    path->cut = length + 4 > path->size - path->used;
    if (path->cut) bytes = "...", length = 3;
    memcpy(path->out + path->used, bytes, length);
    path->used += length;
    path->out[path->used] = '\0';
}
