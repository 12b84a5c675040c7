// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "tact/files.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "tact/memory.h"

#define SPILL 65536
#define TEMPORARY_ROOM 48
#define TEMPORARY_TRIES 100

static bool refuse(const tact_output *output, const char *reason, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = output->name}, "%s", reason);
    return false;
}

static bool report(const tact_output *output, int reason, tact_errors *errors) {
    if (reason == ENOENT) return refuse(output, "No such file or directory: its folder does not exist", errors);
    if (reason == EISDIR) return refuse(output, "Is a directory: name the file in it", errors);
    return tact_file_refuse(output->name, reason, errors);
}

// devices and pipes are written as they are; a link to one counts as one
static bool is_stream(const struct stat *status) {
    return S_ISCHR(status->st_mode) || S_ISFIFO(status->st_mode);
}

static bool open_stream(tact_output *output, const char *path, tact_errors *errors) {
    // a pipe would wait for ever for a reader: one that is just starting gets a second
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int i = 0; i < 100; i++) {
        output->file = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (output->file >= 0 || errno != ENXIO) break;
        nanosleep(&pause, NULL);
        errno = ENXIO;
    }
    if (output->file < 0 && errno == ENXIO) return refuse(output, "nothing reads from this pipe", errors);
    return output->file >= 0 || report(output, errno, errors);
}

static bool open_temporary(tact_output *output, const char *path, tact_errors *errors) {
    // path and temporary; the temporary's name is that of the folder so far
    const char *slash = strrchr(path, '/');
    size_t size = strlen(path) + 1, folder = slash ? (size_t)(slash - path) + 1 : 0;
    output->memory = tact_memory_get(size + folder + TEMPORARY_ROOM);
    if (!output->memory) return report(output, ENOMEM, errors);
    output->path = output->memory;
    output->temporary = output->memory + size;
    memcpy(output->path, path, size);
    memcpy(output->temporary, path, folder);
    output->temporary[folder] = '\0';
    char *end = output->temporary + strlen(output->temporary);
    // O_EXCL: a file that nobody else made.
    for (int i = 0; i < TEMPORARY_TRIES && output->file < 0; i++) {
        snprintf(end, TEMPORARY_ROOM, ".tact-%ld-%d.tmp", (long)getpid(), i);
        output->file = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (output->file < 0 && errno != EEXIST) break;
    }
    if (output->file >= 0) return true;
    int reason = errno;
    tact_memory_release(output->memory);
    output->memory = output->path = output->temporary = NULL;
    return report(output, reason, errors);
}

bool tact_output_open(tact_output *output, const char *path, tact_errors *errors) {
    TACT_ASSERT(output);
    *output = (tact_output){.name = strcmp(path, "-") == 0 ? "<stdout>" : tact_text_name(path), .file = -1};
    // Streams are written where they are; a file is made beside its place and takes it at the end.
    if (strcmp(path, "-") == 0) {
        output->file = STDOUT_FILENO;
        return true;
    }
    struct stat status, target;
    if (lstat(path, &status) != 0) {
        if (errno != ENOENT || !path[0]) return report(output, errno, errors);
        return open_temporary(output, path, errors);
    }
    if (S_ISLNK(status.st_mode)) {
        if (stat(path, &target) == 0 && is_stream(&target)) return open_stream(output, path, errors);
        return refuse(output, "is a symbolic link, which output does not follow", errors);
    }
    if (is_stream(&status)) return open_stream(output, path, errors);
    if (S_ISDIR(status.st_mode)) return report(output, EISDIR, errors);
    if (!S_ISREG(status.st_mode)) return refuse(output, "not a regular file", errors);
    if (access(path, W_OK) != 0) return report(output, errno, errors);
    return open_temporary(output, path, errors);
}

// write that waits where the descriptor does not, and goes on after signals
static ssize_t write_some(int file, const char *bytes, size_t size) {
    for (;;) {
        ssize_t put = write(file, bytes, size);
        if (put > 0) return put;
        if (put == 0) errno = EIO;
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            // a pipe that does not block: wait until it takes more
            struct pollfd wait = {.fd = file, .events = POLLOUT};
            if (poll(&wait, 1, -1) < 0 && errno != EINTR) return -1;
        } else if (errno != EINTR) {
            return -1;
        }
    }
}

bool tact_output_flush(tact_output *output) {
    TACT_ASSERT(output);
    if (output->text.failed && output->reason == 0) output->reason = ENOMEM;
    for (size_t at = 0; output->reason == 0 && at < output->text.size;) {
        ssize_t put = write_some(output->file, output->text.bytes + at, output->text.size - at);
        if (put < 0)
            output->reason = errno;
        else
            at += (size_t)put;
    }
    tact_text_clear(&output->text);
    return output->reason == 0;
}

bool tact_output_spill(tact_output *output) {
    return output->text.size < SPILL && !output->text.failed && output->reason == 0 ? true : tact_output_flush(output);
}

bool tact_output_show(tact_output *output) {
    tact_output_flush(output);
    if (output->reason == 0 && output->temporary && rename(output->temporary, output->path) != 0) output->reason = errno;
    if (output->reason == 0) output->temporary = NULL;
    return output->reason == 0;
}

bool tact_output_finish(tact_output *output, tact_errors *errors) {
    TACT_ASSERT(output);
    tact_output_flush(output);
    // a full disk may be told only now
    if (output->reason == 0 && output->path && fsync(output->file) != 0) output->reason = errno;
    if (output->file >= 0 && close(output->file) != 0 && output->reason == 0) output->reason = errno;
    output->file = -1;
    tact_output_show(output);
    int reason = output->reason;
    if (reason != 0) report(output, reason, errors);
    tact_output_abandon(output);
    return reason == 0;
}

void tact_output_abandon(tact_output *output) {
    TACT_ASSERT(output);
    if (output->file >= 0) close(output->file);
    if (output->temporary) unlink(output->temporary);
    tact_memory_release(output->memory);
    tact_text_free(&output->text);
    *output = (tact_output){.file = -1};
}

size_t tact_output_free(const tact_output *output) {
    TACT_ASSERT(output);
    struct statvfs room;
    if (!output->temporary || fstatvfs(output->file, &room) != 0) return SIZE_MAX;
    uint64_t block = room.f_frsize ? room.f_frsize : 1, blocks = room.f_bavail;
    return blocks > SIZE_MAX / block ? SIZE_MAX : (size_t)(blocks * block);
}
