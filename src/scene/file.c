// SPDX-License-Identifier: MIT
// A file is opened without waiting (a pipe would wait for a writer) and looked at before it is read.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "scene/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "scene/text.h"

static int unreadable(const char *name, int reason, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = name}, "%s", tact_reason_print(reason).text);
    return -1;
}

static int refused(const char *name, const char *reason, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name}, "%s", reason);
    return -1;
}

static int check_regular(int file, const char *name, tact_errors *errors) {
    struct stat status;
    if (fstat(file, &status) != 0) return unreadable(name, errno, errors);
    if (S_ISDIR(status.st_mode)) return refused(name, "is a directory", errors);
    return S_ISREG(status.st_mode) ? 0 : refused(name, "not a regular file", errors);
}

int tact_file_open(const char *path, tact_errors *errors) {
    const char *name = tact_text_name(path);
    if (strcmp(path, "-") == 0) return STDIN_FILENO;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    // ENXIO: a socket, or a device without a driver
    if (file < 0) return errno == ENXIO ? refused(name, "not a regular file", errors) : unreadable(name, errno, errors);
    if (check_regular(file, name, errors) == 0) return file;
    close(file);
    return -1;
}

void tact_file_close(int file) {
    if (file > STDIN_FILENO) close(file);
}

ptrdiff_t tact_file_read(int file, const char *name, char *bytes, size_t size, tact_errors *errors) {
    for (;;) {
        ssize_t got = read(file, bytes, size);
        if (got >= 0) return (ptrdiff_t)got;
        if (errno == EISDIR) return refused(name, "is a directory", errors);
        struct pollfd wait = {.fd = file, .events = POLLIN};
        bool again = errno == EAGAIN || errno == EWOULDBLOCK;
        if (again && poll(&wait, 1, -1) >= 0) continue;
        if (errno != EINTR) return unreadable(name, errno, errors);
    }
}
