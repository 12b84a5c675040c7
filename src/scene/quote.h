// SPDX-License-Identifier: MIT
// Text from a file or a command line, made fit for a message: nothing that a terminal obeys, and of bounded length.
#ifndef TACT_SCENE_QUOTE_H
#define TACT_SCENE_QUOTE_H

#include <stddef.h>

// A quotation by value, to be used within one call: report("unknown key %s", tact_quote(key).text).
typedef struct {
    char text[104];
} tact_quoted;

// "text" in double quotes; control bytes and bytes that are no UTF-8 as \xNN, hidden characters as \uNNNN, a backslash
// before each " and \, and "..." within the quotes for what is too long.
tact_quoted tact_quote(const char *text);
tact_quoted tact_quote_bytes(const char *bytes, size_t size);

// The same escapes without the quotes, " and \ left as they are, into out (room > 4 bytes, always ended by NUL,
// "..." for what is too long). Returns the length. To escape twice changes nothing.
size_t tact_quote_escape(char *out, size_t room, const char *bytes, size_t size);

#endif
