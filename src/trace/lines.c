// SPDX-License-Identifier: MIT
#include "tact/files.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "scene/kind.h"

#define CHUNK 65536

bool tact_lines_open(tact_lines *lines, const char *path, tact_errors *errors) {
    TACT_ASSERT(lines);
    *lines = (tact_lines){.name = tact_text_name(path), .file = tact_file_open(path, errors)};
    if (lines->file < 0) lines->ended = true;
    return lines->file >= 0;
}

void tact_lines_close(tact_lines *lines) {
    TACT_ASSERT(lines);
    tact_file_close(lines->file);
    tact_text_free(&lines->text);
    lines->file = -1;
    lines->ended = true;
}

// Reads more behind the text; drops what was given out first.
static bool read_more(tact_lines *lines, tact_errors *errors) {
    tact_text *text = &lines->text;
    // What was given out makes room for what comes.
    if (lines->at > 0) {
        TACT_ASSERT(text->bytes);
        memmove(text->bytes, text->bytes + lines->at, text->size - lines->at);
        text->size -= lines->at;
        lines->at = 0;
    }
    if (!tact_text_reserve(text, CHUNK)) return tact_file_refuse(lines->name, ENOMEM, errors);
    ptrdiff_t got = tact_file_read(lines->file, lines->name, text->bytes + text->size, CHUNK, errors);
    if (got < 0) return false;
    if (got == 0) lines->ended = true;
    text->size += (size_t)got;
    text->bytes[text->size] = '\0';
    return true;
}

// The next line's length, reading until its end is there or the text limit is passed; sets *whole when its end was found.
static bool find_end(tact_lines *lines, size_t *size, bool *whole, tact_errors *errors) {
    size_t seen = 0;
    for (;;) {
        const char *start = lines->text.bytes + lines->at;
        size_t have = lines->text.size - lines->at;
        const char *end = start && have > seen ? memchr(start + seen, '\n', have - seen) : NULL;
        // the file's end ends the last line, too
        *whole = end || lines->ended;
        *size = end ? (size_t)(end - start) : have;
        if (*whole || have > TACT_TEXT_LIMIT) return true;
        seen = have;
        if (!read_more(lines, errors)) return false;
    }
}

// Drops the rest of a line of which the beginning was given up; false when its end does not come.
static bool skip_line(tact_lines *lines, tact_errors *errors) {
    for (size_t seen = 0; seen <= 2 * (size_t)TACT_TEXT_LIMIT;) {
        const char *start = lines->text.bytes + lines->at;
        size_t have = lines->text.size - lines->at;
        const char *end = have > 0 ? memchr(start, '\n', have) : NULL;
        lines->at += end ? (size_t)(end - start) + 1 : have;
        seen += have;
        if (end || lines->ended) return true;
        if (!read_more(lines, errors)) return false;
    }
    return false;
}

tact_lines_status tact_lines_next(tact_lines *lines, tact_source *line, tact_errors *errors) {
    TACT_ASSERT(lines && line);
    if (!lines->text.bytes && !lines->ended && !read_more(lines, errors)) return TACT_LINES_FAILED;
    for (;;) {
        size_t size = 0;
        bool whole = false;
        if (lines->ended && lines->at >= lines->text.size) return TACT_LINES_END;
        if (!find_end(lines, &size, &whole, errors)) return TACT_LINES_FAILED;
        if (size == 0 && lines->ended && lines->at >= lines->text.size) return TACT_LINES_END;
        if (lines->line < INT_MAX) lines->line++;
        // Too long: the line is named and skipped, the next ones are read.
        if (!whole || size > TACT_TEXT_LIMIT) {
            tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = lines->name, .line = lines->line, .column = 1},
                            "line larger than the limit of %d bytes", TACT_TEXT_LIMIT);
            return skip_line(lines, errors) ? TACT_LINES_BAD : TACT_LINES_FAILED;
        }
        const char *bytes = lines->text.bytes + lines->at;
        lines->at += size < lines->text.size - lines->at ? size + 1 : size;
        // blank lines are skipped
        size_t k = 0;
        while (k < size && strchr(" \t\r\n", bytes[k]) && bytes[k]) k++;
        if (k == size) continue;
        *line = (tact_source){.name = lines->name, .bytes = bytes, .size = size, .line = lines->line};
        return TACT_LINES_LINE;
    }
}

bool tact_lines_expect(tact_lines *lines, const char *wanted, const char *own, tact_errors *errors) {
    TACT_ASSERT(lines && lines->line == 0 && wanted);
    if (!lines->text.bytes && !lines->ended && !read_more(lines, errors)) return false;
    tact_source source = {.name = lines->name, .bytes = lines->text.bytes, .size = lines->text.size, .line = 1};
    return source.size == 0 || !tact_kind_refuse_lines(source, wanted, own, errors);
}

bool tact_lines_ready(const tact_lines *lines) {
    size_t have = lines->text.size - lines->at;
    return lines->ended || (have > 0 && memchr(lines->text.bytes + lines->at, '\n', have));
}
