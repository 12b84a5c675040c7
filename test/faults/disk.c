// SPDX-License-Identifier: MIT
// A library to preload that keeps a diary of what a program does to the files of the folder DISK_ROOT (absolute) and of the
// folder above it, in the file DISK_DIARY: what a disk hears of, in order. See power.c, which makes of it what a loss of power
// leaves.
//
//     create INODE NAME      write INODE AT SIZE, then the bytes      size INODE SIZE      sync INODE
//     open INODE NAME        rename NAME NAME     remove NAME         make     unmake      sync folder | parent
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[400], parent[400];
static int diary = -1;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("DISK_DIARY"), *place = getenv("DISK_ROOT");
    if (!path || !place) return;
    snprintf(root, sizeof root, "%.390s", place);
    snprintf(parent, sizeof parent, "%.390s", place);
    char *slash = strrchr(parent, '/');
    if (slash) *slash = '\0';
    diary = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0666);
}

static void note(const char *format, ...) {
    char line[600];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (diary >= 0 && syscall(SYS_write, diary, line, (size_t)size) != size) abort();
}

// The path behind a descriptor.
static const char *path_of(int file, char path[500]) {
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, path, 499);
    path[size > 0 ? size : 0] = '\0';
    return path;
}

// The name within the folder, or NULL.
static const char *name_of(const char *path) {
    size_t size = strlen(root);
    return size > 0 && strncmp(path, root, size) == 0 && path[size] == '/' ? path + size + 1 : NULL;
}

// The inode of a file of the folder; 0: another one.
static unsigned long inode_of(int file) {
    char path[500];
    struct stat status;
    if (diary < 0 || !name_of(path_of(file, path)) || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    return (unsigned long)status.st_ino;
}

static int open_any(int folder, const char *path, int flags, mode_t mode) {
    struct stat status;
    char full[500];
    pthread_mutex_lock(&lock);
    bool fresh = (flags & O_CREAT) && fstatat(folder, path, &status, AT_SYMLINK_NOFOLLOW) != 0;
    int file = (int)syscall(SYS_openat, folder, path, flags, mode), reason = errno;
    unsigned long inode = file >= 0 ? inode_of(file) : 0;
    if (inode) note("%s %lu %s\n", fresh ? "create" : "open", inode, name_of(path_of(file, full)));
    pthread_mutex_unlock(&lock);
    errno = reason;
    return file;
}

static mode_t mode_of(int flags, va_list arguments) {
    return flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(name, folder, ...)                              \
    int name(__VA_ARGS__ const char *path, int flags, ...) { \
        va_list arguments;                                   \
        va_start(arguments, flags);                          \
        mode_t mode = mode_of(flags, arguments);             \
        va_end(arguments);                                   \
        return open_any(folder, path, flags, mode);          \
    }
OPEN(open, AT_FDCWD, )
OPEN(open64, AT_FDCWD, )
OPEN(openat, folder, int folder, )
OPEN(openat64, folder, int folder, )

// what _FORTIFY_SOURCE makes of calls whose flags it does not know
#define OPEN_2(name, folder, ...)                       \
    int name(__VA_ARGS__ const char *path, int flags);  \
    int name(__VA_ARGS__ const char *path, int flags) { \
        return open_any(folder, path, flags, 0);        \
    }
OPEN_2(__open_2, AT_FDCWD, )
OPEN_2(__open64_2, AT_FDCWD, )
OPEN_2(__openat_2, folder, int folder, )
OPEN_2(__openat64_2, folder, int folder, )

static ssize_t write_any(int file, const void *bytes, size_t size, off_t at) {
    pthread_mutex_lock(&lock);
    ssize_t put = syscall(SYS_pwrite64, file, bytes, size, at);
    int reason = errno;
    unsigned long inode = put > 0 ? inode_of(file) : 0;
    if (inode) {
        note("write %lu %lld %zd\n", inode, (long long)at, put);
        if (syscall(SYS_write, diary, bytes, (size_t)put) != put) abort();
    }
    pthread_mutex_unlock(&lock);
    errno = reason;
    return put;
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) {
    return write_any(file, bytes, size, at);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off_t at) {
    return write_any(file, bytes, size, at);
}

static int resize(int file, off_t size, int result) {
    unsigned long inode = result == 0 ? inode_of(file) : 0;
    if (inode) note("size %lu %lld\n", inode, (long long)size);
    pthread_mutex_unlock(&lock);
    return result;
}
int ftruncate(int file, off_t size) {
    pthread_mutex_lock(&lock);
    return resize(file, size, (int)syscall(SYS_ftruncate, file, size));
}
int ftruncate64(int file, off64_t size) {
    return ftruncate(file, size);
}
int posix_fallocate(int file, off_t from, off_t size) {
    pthread_mutex_lock(&lock);
    return resize(file, from + size, REAL(posix_fallocate)(file, from, size));
}
int posix_fallocate64(int file, off64_t from, off64_t size) {
    return posix_fallocate(file, from, size);
}

static int sync_any(int file, int call) {
    char path[500];
    pthread_mutex_lock(&lock);
    int result = (int)syscall(call, file), reason = errno;
    unsigned long inode = inode_of(file);
    path_of(file, path);
    if (result == 0 && inode) note("sync %lu\n", inode);
    if (result == 0 && strcmp(path, root) == 0) note("sync folder\n");
    if (result == 0 && strcmp(path, parent) == 0) note("sync parent\n");
    pthread_mutex_unlock(&lock);
    errno = reason;
    return result;
}
int fsync(int file) {
    return sync_any(file, SYS_fsync);
}
int fdatasync(int file) {
    return sync_any(file, SYS_fdatasync);
}

// within the folder of a descriptor
static bool is_root(int folder) {
    char path[500];
    return diary >= 0 && strcmp(path_of(folder, path), root) == 0;
}
int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0), reason = errno;
    if (result == 0 && is_root(to_folder)) note("rename %s %s\n", from, to);
    pthread_mutex_unlock(&lock);
    errno = reason;
    return result;
}
int unlinkat(int folder, const char *name, int flags) {
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_unlinkat, folder, name, flags), reason = errno;
    if (result == 0 && is_root(folder)) note("remove %s\n", name);
    pthread_mutex_unlock(&lock);
    errno = reason;
    return result;
}

// whether a path that was just made or removed is the folder
static bool names_root(const char *path) {
    size_t size = strlen(path), all = strlen(root);
    return diary >= 0 && size > 0 && size <= all && strcmp(root + all - size, path) == 0;
}
int mkdir(const char *path, mode_t mode) {
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode), reason = errno;
    if (result == 0 && names_root(path)) note("make\n");
    pthread_mutex_unlock(&lock);
    errno = reason;
    return result;
}
int rmdir(const char *path) {
    pthread_mutex_lock(&lock);
    int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR), reason = errno;
    if (result == 0 && names_root(path)) note("unmake\n");
    pthread_mutex_unlock(&lock);
    errno = reason;
    return result;
}
