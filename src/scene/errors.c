// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L

#include "tact/errors.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tact/text.h"

#define FILE_ROOM 300
#define PATH_ROOM 512
#define REASON_SIZE 600

// index of the last message that must give way to an error; -1 when there is none
static int last_warning(const tact_errors *errors) {
    int i = errors->kept - 1;
    while (i >= 0 && errors->items[i].kind != TACT_ERROR_WARNING) i--;
    return i;
}

bool tact_errors_full(const tact_errors *errors, tact_error_kind kind) {
    if (errors->kept < TACT_ERRORS_MAX) return false;
    return kind == TACT_ERROR_WARNING || last_warning(errors) < 0;
}

static void count(tact_errors *errors, tact_error_kind kind) {
    if (kind == TACT_ERROR_WARNING) {
        errors->warnings++;
        return;
    }
    if (errors->errors == 0 || kind == TACT_ERROR_NO_MEMORY) errors->kind = kind;
    errors->errors++;
}

// A warning that is not kept: its file's first one counts it.
static void count_noise(tact_errors *errors, const char *file) {
    char name[FILE_ROOM];
    int size = file ? (int)tact_quote_escape(name, sizeof name, file, strlen(file)) : 0;
    for (int i = 0; i < errors->kept; i++) {
        tact_error *item = &errors->items[i];
        if (!item->noise || item->file != size || memcmp(item->text, name, (size_t)size) != 0) continue;
        item->more++;
        return;
    }
}

void tact_errors_add_list(tact_errors *errors, tact_error_kind kind, tact_place place, const char *format, va_list arguments) {
    TACT_ASSERT(errors && format);
    // a full list still counts, so that the exit code is that of all mistakes
    bool full = tact_errors_full(errors, kind);
    count(errors, kind);
    if (full) {
        if (place.noise) count_noise(errors, place.file);
        return;
    }
    // an error takes the place of the last warning
    if (errors->kept == TACT_ERRORS_MAX) {
        int out = last_warning(errors);
        errors->kept--;
        memmove(&errors->items[out], &errors->items[out + 1], (size_t)(errors->kept - out) * sizeof(tact_error));
    }
    char reason[REASON_SIZE];
    if (vsnprintf(reason, sizeof reason, format, arguments) < 0) reason[0] = '\0';
    tact_error *item = &errors->items[errors->kept++];
    *item =
        (tact_error){.kind = kind, .noise = place.noise && kind == TACT_ERROR_WARNING, .left = place.left, .given = place.given};
    // FILE:LINE:COL: /path: reason, each part escaped and bounded
    char *out = item->text;
    size_t used = 0;
    if (place.file) used += tact_quote_escape(out, FILE_ROOM, place.file, strlen(place.file));
    item->file = (int)used;
    if (place.line > 0) used += (size_t)snprintf(out + used, 32, ":%d:%d", place.line, place.column);
    if (used > 0) used += (size_t)snprintf(out + used, 3, ": ");
    if (place.path) {
        used += tact_quote_escape(out + used, PATH_ROOM, place.path, strlen(place.path));
        used += (size_t)snprintf(out + used, 3, ": ");
    }
    item->reason = (int)used;
    if (kind == TACT_ERROR_WARNING) used += (size_t)snprintf(out + used, 10, "warning: ");
    tact_quote_escape(out + used, TACT_ERROR_LENGTH - used, reason, strlen(reason));
}

void tact_errors_add(tact_errors *errors, tact_error_kind kind, tact_place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tact_errors_add_list(errors, kind, place, format, arguments);
    va_end(arguments);
}

tact_reason tact_reason_print(int code) {
    tact_reason reason = {""};
    if (strerror_r(code, reason.text, sizeof reason.text) != 0) snprintf(reason.text, sizeof reason.text, "error %d", code);
    return reason;
}

int tact_errors_exit(const tact_errors *errors) {
    TACT_ASSERT(errors);
    if (errors->errors == 0) return 0;
    switch (errors->kind) {
    case TACT_ERROR_WARNING: return 0;
    case TACT_ERROR_REFUSED: return 2;
    case TACT_ERROR_UNREADABLE: return 3;
    case TACT_ERROR_NO_MEMORY: return 5;
    }
    return 2;
}

bool tact_file_refuse(const char *name, int reason, tact_errors *errors) {
    bool memory = reason == ENOMEM;
    tact_errors_add(errors, memory ? TACT_ERROR_NO_MEMORY : TACT_ERROR_UNREADABLE, (tact_place){.file = name}, "%s",
                    memory             ? "out of memory"
                    : reason == EISDIR ? "is a directory"
                                       : tact_reason_print(reason).text);
    return false;
}
