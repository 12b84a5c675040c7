// SPDX-License-Identifier: MIT
// A growing text: a whole file read safely, or output put together piece by piece. Also the view of a text with its
// name, from which documents are parsed.
#ifndef TACT_SCENE_TEXT_H
#define TACT_SCENE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "scene/errors.h"
#include "tact/base.h"

// The largest file that is read into memory [bytes].
#define TACT_TEXT_LIMIT 16777216

// Starts as {0}; ends with tact_text_free.
typedef struct {
    char *bytes;      // ended by a NUL that size does not count; NULL while nothing was added
    size_t size;      // [bytes]
    size_t capacity;  // [bytes]
    bool failed;      // there was no memory: what is added from then on is dropped, and the text must not be used
} tact_text;

// Bytes of someone else with the name and line that messages give them.
typedef struct {
    const char *name;
    const char *bytes;
    size_t size;
    int line;  // of the first byte, counted from 1
} tact_source;

// Reads all of a regular file, or of standard input when the path is "-", into an empty text. Directories, pipes,
// sockets and devices are unreadable, as is a file that cannot be opened or read, with the system's reason; what is larger
// than limit bytes is refused without being read. False and one error, and the text is empty.
bool tact_text_read(tact_text *text, const char *path, size_t limit, tact_errors *errors);

// How messages name a path: "<stdin>" for "-", and "" in quotes for an empty one.
const char *tact_text_name(const char *path);

// The text as a source whose first line is 1.
tact_source tact_text_source(const tact_text *text, const char *path);

void tact_text_free(tact_text *text);

// Forgets the content and keeps the memory, and the failure.
void tact_text_clear(tact_text *text);

// Makes room for more bytes (and the NUL) behind the text; false when there is no memory.
bool tact_text_reserve(tact_text *text, size_t more);

void tact_text_add(tact_text *text, const char *string);
void tact_text_add_bytes(tact_text *text, const char *bytes, size_t size);

// A JSON string with its quotes. Control and hidden characters become escapes, bytes that are no UTF-8 \ufffd.
void tact_text_add_json(tact_text *text, const char *string);

// As tact_number_print; null for what is not finite.
void tact_text_add_number(tact_text *text, double value);
void tact_text_add_integer(tact_text *text, long long value);

// [x0,x1,...]
void tact_text_add_vector(tact_text *text, const tact_real *x, size_t count);

#endif
