// SPDX-License-Identifier: MIT
// A library to preload that makes the calls of a program fail: FAULT_CALL names which, FAULT_AT the how manieth of them (1 is the
// first), FAULT_EVER=1 all from it on, FAULT_HOW what happens: the name of an error, SHORT (half of what was asked), KILL (before
// the call) or TORN (half of it, then KILL). At the end FAULT_REPORT gets how many such calls there were and how many blocks of
// memory were not given back. Without FAULT_AT it only counts. What stdio does inside the C library is not seen.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static atomic_bool begun;
static atomic_long calls, blocks;
static long at;
static bool ever;
static const char *wanted = "", *how = "";
static int error;

static int find_error(const char *name) {
    static const struct {
        const char *name;
        int number;
    } errors[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EACCES", EACCES}, {"EINTR", EINTR}, {"ENOMEM", ENOMEM},
                  {"EAGAIN", EAGAIN}, {"EMFILE", EMFILE}, {"EDQUOT", EDQUOT}, {"EROFS", EROFS}, {"ENOLCK", ENOLCK}};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (strcmp(name, errors[i].name) == 0) return errors[i].number;
    return EIO;
}

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("FAULT_AT");
    at = text ? strtol(text, NULL, 10) : 0;
    text = getenv("FAULT_EVER");
    ever = text && text[0] == '1';
    text = getenv("FAULT_CALL");
    wanted = text ? text : "";
    text = getenv("FAULT_HOW");
    how = text ? text : "EIO";
    error = find_error(how);
    atomic_store(&begun, true);
}

__attribute__((destructor)) static void finish(void) {
    const char *path = getenv("FAULT_REPORT");
    char text[64];
    atomic_store(&begun, false);
    if (!path) return;
    int size = snprintf(text, sizeof text, "%ld %ld\n", atomic_load(&calls), atomic_load(&blocks));
    long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    syscall(SYS_write, file, text, (size_t)size);
    syscall(SYS_close, file);
}

// Whether this call, which is one of that kind, is to fail. FAULT_CALL may name several kinds, with commas; file: all but memory.
static bool strikes(const char *kind) {
    if (!atomic_load(&begun)) return false;
    const char *found = strstr(wanted, kind);
    bool asked = found != NULL || (strcmp(wanted, "file") == 0 && strcmp(kind, "memory") != 0);
    if (!asked) return false;
    long now = atomic_fetch_add(&calls, 1) + 1;
    bool now_it = at > 0 && (now == at || (ever && now > at));
    if (now_it && strcmp(how, "KILL") == 0) raise(SIGKILL);
    errno = now_it ? error : errno;
    return now_it;
}

static bool is_part(void) {
    return strcmp(how, "SHORT") == 0 || strcmp(how, "TORN") == 0;
}

static void *count(void *block) {
    if (block && atomic_load(&begun)) atomic_fetch_add(&blocks, 1);
    return block;
}

static void *no_memory(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) {
    return strikes("memory") ? no_memory() : count(__libc_malloc(size));
}

void *calloc(size_t number, size_t size) {
    return strikes("memory") ? no_memory() : count(__libc_calloc(number, size));
}

void *realloc(void *block, size_t size) {
    if (strikes("memory")) return no_memory();
    return block ? __libc_realloc(block, size) : count(__libc_realloc(block, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
    return strikes("memory") ? no_memory() : count(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (strikes("memory")) return ENOMEM;
    *block = count(__libc_memalign(alignment, size));
    return *block ? 0 : ENOMEM;
}

void free(void *block) {
    if (block && atomic_load(&begun)) atomic_fetch_sub(&blocks, 1);
    __libc_free(block);
}

// the function of the C library behind a name
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static mode_t mode_of(int flags, va_list arguments) {
    return flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
}

static int open_any(int folder, const char *path, int flags, mode_t mode) {
    return strikes("open") ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define OPEN(name, folder, ...)                               \
    int name(__VA_ARGS__, const char *path, int flags, ...) { \
        va_list arguments;                                    \
        va_start(arguments, flags);                           \
        mode_t mode = mode_of(flags, arguments);              \
        va_end(arguments);                                    \
        return open_any(folder, path, flags, mode);           \
    }
OPEN(openat, folder, int folder)
OPEN(openat64, folder, int folder)

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_any(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return open_any(AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode) {
    return strikes("open") ? NULL : REAL(fopen)(path, mode);
}

static ssize_t read_any(int file, void *bytes, size_t size, off_t from, bool here) {
    bool strike = strikes("read");
    if (strike && !is_part()) return -1;
    if (strike) size = (size + 1) / 2;
    return here ? syscall(SYS_read, file, bytes, size) : syscall(SYS_pread64, file, bytes, size, from);
}

static ssize_t write_any(int file, const void *bytes, size_t size, off_t from, bool here) {
    bool strike = strikes("write");
    if (strike && !is_part()) return -1;
    if (strike) size = (size + 1) / 2;
    ssize_t put = here ? syscall(SYS_write, file, bytes, size) : syscall(SYS_pwrite64, file, bytes, size, from);
    if (strike && strcmp(how, "TORN") == 0) raise(SIGKILL);
    return put;
}

ssize_t read(int file, void *bytes, size_t size) {
    return read_any(file, bytes, size, 0, true);
}
ssize_t pread(int file, void *bytes, size_t size, off_t from) {
    return read_any(file, bytes, size, from, false);
}
ssize_t pread64(int file, void *bytes, size_t size, off_t from) {
    return read_any(file, bytes, size, from, false);
}
ssize_t write(int file, const void *bytes, size_t size) {
    return write_any(file, bytes, size, 0, true);
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t from) {
    return write_any(file, bytes, size, from, false);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off_t from) {
    return write_any(file, bytes, size, from, false);
}
size_t fread(void *bytes, size_t size, size_t number, FILE *file) {
    return strikes("read") && !is_part() ? 0 : REAL(fread)(bytes, size, number, file);
}

// a descriptor is closed whatever close says
int close(int file) {
    bool strike = strikes("close");
    int closed = (int)syscall(SYS_close, file);
    if (!strike || is_part()) return closed;
    errno = error;
    return -1;
}

#define CALL(type, kind, name, parameters, arguments)                   \
    type name parameters {                                              \
        return strikes(kind) && !is_part() ? -1 : REAL(name) arguments; \
    }
CALL(int, "sync", fsync, (int file), (file))
CALL(int, "sync", fdatasync, (int file), (file))
CALL(int, "rename", rename, (const char *from, const char *to), (from, to))
CALL(int, "rename", renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
CALL(int, "remove", unlink, (const char *path), (path))
CALL(int, "remove", unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
CALL(int, "remove", rmdir, (const char *path), (path))
CALL(int, "make", mkdir, (const char *path, mode_t mode), (path, mode))
CALL(int, "look", fstat, (int file, struct stat *status), (file, status))
CALL(int, "look", fstat64, (int file, struct stat64 *status), (file, status))
CALL(int, "look", stat, (const char *path, struct stat *status), (path, status))
CALL(int, "look", stat64, (const char *path, struct stat64 *status), (path, status))
CALL(int, "look", lstat, (const char *path, struct stat *status), (path, status))
CALL(int, "look", lstat64, (const char *path, struct stat64 *status), (path, status))
CALL(int, "look", fstatvfs, (int file, struct statvfs *room), (file, room))
CALL(int, "look", fstatvfs64, (int file, struct statvfs64 *room), (file, room))
CALL(int, "look", access, (const char *path, int mode), (path, mode))
CALL(int, "look", faccessat, (int folder, const char *path, int mode, int flags), (folder, path, mode, flags))
CALL(int, "size", ftruncate, (int file, off_t size), (file, size))
CALL(int, "size", ftruncate64, (int file, off64_t size), (file, size))
CALL(int, "lock", flock, (int file, int what), (file, what))
CALL(int, "poll", poll, (struct pollfd * files, nfds_t number, int time), (files, number, time))

// tells its error by its value
int posix_fallocate(int file, off_t from, off_t size) {
    return strikes("size") && !is_part() ? error : REAL(posix_fallocate)(file, from, size);
}
int posix_fallocate64(int file, off64_t from, off64_t size) {
    return strikes("size") && !is_part() ? error : REAL(posix_fallocate64)(file, from, size);
}
char *realpath(const char *path, char *resolved) {
    return strikes("look") && !is_part() ? NULL : REAL(realpath)(path, resolved);
}
