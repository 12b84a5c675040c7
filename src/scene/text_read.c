// SPDX-License-Identifier: MIT
// The size that the system tells is only a hint (it is 0 for files of /proc), so reading stops one byte above the limit as well.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>

#include "tact/text.h"

#define CHUNK 65536

// Reads a file to its end. False after reporting that it cannot be read or exceeds the limit.
static bool read_all(tact_text *text, int file, const char *name, size_t limit, tact_errors *errors) {
    for (;;) {
        size_t room = text->bytes ? text->capacity - text->size - 1 : 0;
        if (room == 0) {
            if (!tact_text_reserve(text, CHUNK)) return tact_file_refuse(name, ENOMEM, errors);
            continue;
        }
        // one byte beyond the limit tells that there is more
        if (room > limit + 1 - text->size) room = limit + 1 - text->size;
        ptrdiff_t got = tact_file_read(file, name, text->bytes + text->size, room, errors);
        if (got <= 0) return got == 0;
        text->size += (size_t)got;
        text->bytes[text->size] = '\0';
        if (text->size > limit) {
            tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name}, "larger than the limit of %zu bytes", limit);
            return false;
        }
    }
}

// Room for a regular file, unless it is too large.
static bool make_room(tact_text *text, int file, const char *name, size_t limit, tact_errors *errors) {
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return true;
    if ((uintmax_t)status.st_size > limit) {
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name}, "%lld bytes: larger than the limit of %zu",
                        (long long)status.st_size, limit);
        return false;
    }
    // one byte more lets the end be seen without growing
    return tact_text_reserve(text, (size_t)status.st_size + 1) || tact_file_refuse(name, ENOMEM, errors);
}

bool tact_text_read(tact_text *text, const char *path, size_t limit, tact_errors *errors) {
    TACT_ASSERT(text && path && errors);
    const char *name = tact_text_name(path);
    int file = tact_file_open(path, errors);
    bool read = file >= 0 && make_room(text, file, name, limit, errors) && read_all(text, file, name, limit, errors);
    tact_file_close(file);
    if (!read) tact_text_free(text);
    return read;
}
