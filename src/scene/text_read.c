// SPDX-License-Identifier: MIT
// A file is opened without waiting (a pipe would wait for a writer) and looked at before it is read. The size that the
// system tells is only a hint (it is 0 for files of /proc), so reading stops one byte above the limit as well.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene/text.h"

#define CHUNK 65536

static bool unreadable(const char *name, int reason, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = name}, "%s", tact_reason_print(reason).text);
    return false;
}

static bool refused(const char *name, const char *reason, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name}, "%s", reason);
    return false;
}

// read that waits where the descriptor does not, and goes on after signals
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

static bool read_all(tact_text *text, int file, const char *name, size_t limit, tact_errors *errors) {
    for (;;) {
        size_t room = text->bytes ? text->capacity - text->size - 1 : 0;
        if (room == 0) {
            if (!tact_text_reserve(text, CHUNK)) break;
            continue;
        }
        if (room > limit + 1 - text->size) room = limit + 1 - text->size;
        ssize_t got = read_some(file, text->bytes + text->size, room);
        if (got < 0) return errno == EISDIR ? refused(name, "is a directory", errors) : unreadable(name, errno, errors);
        if (got == 0) return true;
        text->size += (size_t)got;
        text->bytes[text->size] = '\0';
        if (text->size > limit) {
            tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name}, "larger than the limit of %zu bytes", limit);
            return false;
        }
    }
    tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = name}, "out of memory");
    return false;
}

static bool read_regular(tact_text *text, int file, const char *name, size_t limit, tact_errors *errors) {
    struct stat status;
    if (fstat(file, &status) != 0) return unreadable(name, errno, errors);
    if (S_ISDIR(status.st_mode)) return refused(name, "is a directory", errors);
    if (!S_ISREG(status.st_mode)) return refused(name, "not a regular file", errors);
    if ((uintmax_t)status.st_size > limit) {
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name}, "%lld bytes: larger than the limit of %zu",
                        (long long)status.st_size, limit);
        return false;
    }
    // one byte more lets the end be seen without growing
    if (!tact_text_reserve(text, (size_t)status.st_size + 1)) {
        tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = name}, "out of memory");
        return false;
    }
    return read_all(text, file, name, limit, errors);
}

bool tact_text_read(tact_text *text, const char *path, size_t limit, tact_errors *errors) {
    const char *name = tact_text_name(path);
    bool read = false;
    if (strcmp(path, "-") == 0) {
        read = read_all(text, STDIN_FILENO, name, limit, errors);
    } else {
        int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (file >= 0) {
            read = read_regular(text, file, name, limit, errors);
            close(file);
        } else if (errno == ENXIO) {
            // a socket, or a device without a driver
            refused(name, "not a regular file", errors);
        } else {
            unreadable(name, errno, errors);
        }
    }
    if (!read) tact_text_free(text);
    return read;
}
