// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "trace/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK 65536

static bool unreadable(const char *name, int reason, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = name}, "%s", tact_reason_print(reason).text);
    return false;
}

static bool refused(const char *name, const char *reason, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name}, "%s", reason);
    return false;
}

bool tact_lines_open(tact_lines *lines, const char *path, tact_errors *errors) {
    struct stat status;
    *lines = (tact_lines){.name = tact_text_name(path), .file = STDIN_FILENO};
    if (strcmp(path, "-") == 0) return true;
    // without waiting: a pipe would wait for a writer
    lines->file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (lines->file < 0) {
        return errno == ENXIO ? refused(lines->name, "not a regular file", errors) : unreadable(lines->name, errno, errors);
    }
    bool good = fstat(lines->file, &status) == 0 || unreadable(lines->name, errno, errors);
    if (good && S_ISDIR(status.st_mode)) good = refused(lines->name, "is a directory", errors);
    if (good && !S_ISREG(status.st_mode)) good = refused(lines->name, "not a regular file", errors);
    if (!good) tact_lines_close(lines);
    return good;
}

void tact_lines_close(tact_lines *lines) {
    if (lines->file > STDIN_FILENO) close(lines->file);
    tact_text_free(&lines->text);
    lines->file = -1;
    lines->ended = true;
}

static ssize_t read_some(int file, char *bytes, size_t size) {
    for (;;) {
        ssize_t got = read(file, bytes, size);
        if (got >= 0) return got;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            struct pollfd wait = {.fd = file, .events = POLLIN};
            if (poll(&wait, 1, -1) < 0 && errno != EINTR) return -1;
        } else if (errno != EINTR) {
            return -1;
        }
    }
}

// Reads more behind the text; drops what was given out first.
static bool read_more(tact_lines *lines, tact_errors *errors) {
    tact_text *text = &lines->text;
    if (lines->at > 0) {
        TACT_ASSERT(text->bytes);
        memmove(text->bytes, text->bytes + lines->at, text->size - lines->at);
        text->size -= lines->at;
        lines->at = 0;
    }
    if (!tact_text_reserve(text, CHUNK)) {
        tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = lines->name}, "out of memory");
        return false;
    }
    ssize_t got = read_some(lines->file, text->bytes + text->size, CHUNK);
    if (got < 0) return errno == EISDIR ? refused(lines->name, "is a directory", errors) : unreadable(lines->name, errno, errors);
    if (got == 0) lines->ended = true;
    text->size += (size_t)got;
    text->bytes[text->size] = '\0';
    return true;
}

static bool is_blank(const char *bytes, size_t size) {
    size_t k = 0;
    while (k < size && strchr(" \t\r\n", bytes[k]) && bytes[k]) k++;
    return k == size;
}

// The next line's length, reading until its end is there or the text limit is passed; sets *whole when its end was found.
static bool find_end(tact_lines *lines, size_t *size, bool *whole, tact_errors *errors) {
    size_t seen = 0;
    for (;;) {
        const char *start = lines->text.bytes + lines->at;
        size_t have = lines->text.size - lines->at;
        const char *end = start && have > seen ? memchr(start + seen, '\n', have - seen) : NULL;
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
    if (!lines->text.bytes && !lines->ended && !read_more(lines, errors)) return TACT_LINES_FAILED;
    for (;;) {
        size_t size = 0;
        bool whole = false;
        if (lines->ended && lines->at >= lines->text.size) return TACT_LINES_END;
        if (!find_end(lines, &size, &whole, errors)) return TACT_LINES_FAILED;
        if (size == 0 && lines->ended && lines->at >= lines->text.size) return TACT_LINES_END;
        if (lines->line < INT_MAX) lines->line++;
        if (!whole || size > TACT_TEXT_LIMIT) {
            tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = lines->name, .line = lines->line, .column = 1},
                            "line larger than the limit of %d bytes", TACT_TEXT_LIMIT);
            return skip_line(lines, errors) ? TACT_LINES_BAD : TACT_LINES_FAILED;
        }
        const char *bytes = lines->text.bytes + lines->at;
        lines->at += size < lines->text.size - lines->at ? size + 1 : size;
        if (is_blank(bytes, size)) continue;
        *line = (tact_source){.name = lines->name, .bytes = bytes, .size = size, .line = lines->line};
        return TACT_LINES_LINE;
    }
}

bool tact_lines_ready(const tact_lines *lines) {
    size_t have = lines->text.size - lines->at;
    return lines->ended || (have > 0 && memchr(lines->text.bytes + lines->at, '\n', have));
}
