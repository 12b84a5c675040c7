// SPDX-License-Identifier: MIT
// A file is opened without waiting (a pipe would wait for a writer) and looked at before it is read.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tact/text.h"

static bool refuse(const char *name, const char *reason, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = name}, "%s", reason);
    return false;
}

static bool check_regular(int file, const char *name, tact_errors *errors) {
    struct stat status;
    if (fstat(file, &status) != 0) return tact_file_refuse(name, errno, errors);
    if (S_ISDIR(status.st_mode)) return tact_file_refuse(name, EISDIR, errors);
    return S_ISREG(status.st_mode) || refuse(name, "not a regular file", errors);
}

int tact_file_open(const char *path, tact_errors *errors) {
    TACT_ASSERT(path && errors);
    const char *name = tact_text_name(path);
    if (strcmp(path, "-") == 0) return STDIN_FILENO;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file >= 0 && check_regular(file, name, errors)) return file;
    if (file >= 0)
        close(file);
    else if (errno == ENXIO)
        // a socket, or a device without a driver
        refuse(name, "not a regular file", errors);
    else
        tact_file_refuse(name, errno, errors);
    return -1;
}

void tact_file_close(int file) {
    if (file > STDIN_FILENO) close(file);
}

ptrdiff_t tact_file_read(int file, const char *name, char *bytes, size_t size, tact_errors *errors) {
    TACT_ASSERT(name && bytes && errors);
    for (;;) {
        ssize_t got = read(file, bytes, size);
        if (got >= 0) return (ptrdiff_t)got;
        struct pollfd wait = {.fd = file, .events = POLLIN};
        bool again = errno == EAGAIN || errno == EWOULDBLOCK;
        // of files only some of /proc are never ready: those are not waited for
        if (again && file == STDIN_FILENO && poll(&wait, 1, -1) >= 0) continue;
        if (errno == EINTR) continue;
        tact_file_refuse(name, errno, errors);
        return -1;
    }
}

int tact_file_read_at(int file, size_t at, void *bytes, size_t size) {
    unsigned char *to = bytes;
    while (size > 0) {
        ssize_t got = pread(file, to, size, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : -1;
        to += got;
        at += (size_t)got;
        size -= (size_t)got;
    }
    return 0;
}

bool tact_file_is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool tact_file_same(const char *a, const char *b) {
    struct stat one, other;
    if (stat(a, &one) != 0 || stat(b, &other) != 0 || !(S_ISREG(one.st_mode) || S_ISDIR(one.st_mode))) return false;
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}
