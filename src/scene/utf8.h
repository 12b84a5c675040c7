// SPDX-License-Identifier: MIT
// UTF-8 as in RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
#ifndef TACT_SCENE_UTF8_H
#define TACT_SCENE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes (1 to 4) of the character at the start and its code point; 0 when these bytes are not a valid character.
// size >= 1.
int tact_utf8_decode(const char *bytes, size_t size, uint32_t *point);

// True for characters that a terminal obeys instead of showing: controls, C1, and those that change the direction
// of writing or end a line (U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069).
bool tact_utf8_hidden(uint32_t point);

// True for valid text without control characters.
bool tact_utf8_is_plain(const char *name, size_t size);

// How much of a text goes into so many bytes: it is cut between two characters.
size_t tact_utf8_fit(const char *text, size_t room);

// Moves a place over bytes of a text: lines and characters are counted.
void tact_utf8_pass(const char *bytes, size_t size, int *line, int *column);

// A path of a message: what does not fit is cut, and "..." ends it.
typedef struct {
    char *out;
    size_t size, used;
    bool cut;
} tact_utf8_path;

void tact_utf8_add(tact_utf8_path *path, const char *bytes, size_t length);

#endif
