// SPDX-License-Identifier: MIT
// A text line by line, however long it is, with memory for one line only.
#ifndef TACT_TRACE_LINES_H
#define TACT_TRACE_LINES_H

#include "scene/text.h"

// Ends with tact_lines_close.
typedef struct {
    const char *name;  // for messages
    int file;          // descriptor
    tact_text text;    // read and not yet given out
    size_t at;         // where in text the next line begins
    int line;          // number of the last line given
    bool ended;        // nothing more to read
} tact_lines;

typedef enum {
    TACT_LINES_LINE,    // one line, without its end; not only of white space
    TACT_LINES_BAD,     // the line is longer than TACT_TEXT_LIMIT: skipped and reported, the next one can be read
    TACT_LINES_END,     //
    TACT_LINES_FAILED,  // reported: the system could not read it, it does not end within another limit, or there is no memory
} tact_lines_status;

// A regular file, or standard input for "-". False and one error as tact_text_read.
bool tact_lines_open(tact_lines *lines, const char *path, tact_errors *errors);

// The next line that holds more than white space. Its bytes stay until the next call.
tact_lines_status tact_lines_next(tact_lines *lines, tact_source *line, tact_errors *errors);

// True when a whole line lies ready, so that the next call does not wait.
bool tact_lines_ready(const tact_lines *lines);

void tact_lines_close(tact_lines *lines);

#endif
