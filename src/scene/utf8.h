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

#endif
