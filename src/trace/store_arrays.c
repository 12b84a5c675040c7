// SPDX-License-Identifier: MIT
// The arrays of a store: their files.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "trace/store_parts.h"

tact_store_name tact_store_file_name(const tact_batch_array *array) {
    TACT_ASSERT(array);
    tact_store_name name;
    snprintf(name.text, sizeof name.text, "%.60s.npy", array->name);
    return name;
}

int tact_store_write_at(int file, size_t at, const void *bytes, size_t size) {
    TACT_ASSERT(file >= 0 && (bytes || size == 0));
    const unsigned char *from = bytes;
    while (size > 0) {
        ssize_t put = pwrite(file, from, size, (off_t)at);
        // a signal: once more; what takes no byte at all is an error
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return put < 0 ? errno : EIO;
        from += put;
        at += (size_t)put;
        size -= (size_t)put;
    }
    return 0;
}

// what is behind the end of the file is zeros
int tact_store_read_at(int file, size_t at, void *bytes, size_t size) {
    memset(bytes, 0, size);
    int reason = tact_file_read_at(file, at, bytes, size);
    return reason > 0 ? reason : 0;
}

tact_npy_header tact_store_header(const tact_store *store, int i) {
    TACT_ASSERT(store);
    const tact_batch_array *array = &store->plan.array[i];
    long long shape[TACT_NPY_DIMS] = {store->plan.rows};
    for (int k = 0; k < array->ndim; k++) shape[k + 1] = array->shape[k];
    return tact_npy_make_header(array->whole ? TACT_NPY_WHOLE : TACT_NPY_DOUBLE, array->ndim + 1, shape);
}

double tact_store_bytes(const tact_store_plan *plan) {
    TACT_ASSERT(plan);
    double bytes = 0;
    for (int i = 0; i < plan->narray; i++) bytes += (double)plan->array[i].bytes * (double)plan->rows + TACT_NPY_HEADER;
    return bytes;
}

static bool refuse_size(const tact_store *store, const char *name, double bytes, double limit, tact_errors *errors) {
    char path[400];
    snprintf(path, sizeof path, "%.300s%s%.80s", store->plan.path, name[0] ? "/" : "", name);
    tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = path}, "would write %.0f bytes (limit %.0f)", bytes,
                    limit);
    return false;
}

bool tact_store_check_room(const tact_store *store, tact_errors *errors) {
    TACT_ASSERT(store);
    const tact_store_plan *plan = &store->plan;
    struct statvfs room;
    struct rlimit limit;
    double bytes = tact_store_bytes(plan);
    // Space of the file system, then the largest file that this process may write.
    if (fstatvfs(store->folder, &room) == 0) {
        double most = (double)room.f_bavail * (double)(room.f_frsize ? room.f_frsize : 1);
        if (bytes > most) return refuse_size(store, "", bytes, most, errors);
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
    for (int i = 0; i < plan->narray; i++) {
        bytes = (double)plan->array[i].bytes * (double)plan->rows + TACT_NPY_HEADER;
        if (bytes > (double)limit.rlim_cur)
            return refuse_size(store, tact_store_file_name(&plan->array[i]).text, bytes, (double)limit.rlim_cur, errors);
    }
    return true;
}

// Rows that were not run are marked so.
static int fill_status(const tact_store *store, int i, size_t start) {
    int32_t none[1024];
    size_t count = (size_t)store->plan.rows, part = sizeof none / sizeof none[0];
    int reason = 0;
    for (size_t k = 0; k < part; k++) none[k] = TACT_STORE_NOT_RUN;
    for (size_t at = 0; at < count && reason == 0; at += part)
        reason = tact_store_write_at(store->file[i], start + 4 * at, none, 4 * (count - at < part ? count - at : part));
    return reason;
}

static int make_array(tact_store *store, int i) {
    TACT_ASSERT(0 <= i && i < store->plan.narray);
    const tact_batch_array *array = &store->plan.array[i];
    tact_npy_header header = tact_store_header(store, i);
    size_t size = header.size + array->bytes * (size_t)store->plan.rows;
    int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    store->start[i] = header.size;
    store->file[i] = openat(store->folder, tact_store_file_name(array).text, flags, 0666);
    if (store->file[i] < 0) return errno;
    int reason = tact_store_write_at(store->file[i], 0, header.bytes, header.size);
    if (reason == 0) reason = posix_fallocate(store->file[i], 0, (off_t)size);
    // where space cannot be reserved
    if (reason == EOPNOTSUPP || reason == EINVAL) reason = ftruncate(store->file[i], (off_t)size) != 0 ? errno : 0;
    if (reason == 0 && strcmp(array->name, "status") == 0) reason = fill_status(store, i, header.size);
    if (reason == 0 && fsync(store->file[i]) != 0) reason = errno;
    return reason;
}

bool tact_store_make_arrays(tact_store *store, tact_errors *errors) {
    TACT_ASSERT(store);
    for (int i = 0; i < store->plan.narray; i++) {
        int reason = make_array(store, i);
        if (reason == 0) continue;
        return tact_store_refuse(store, tact_store_file_name(&store->plan.array[i]).text, reason, errors);
    }
    return true;
}

bool tact_store_check_free(const tact_store *store, tact_errors *errors) {
    TACT_ASSERT(store);
    for (int i = 0; i < store->plan.narray; i++) {
        tact_store_name name = tact_store_file_name(&store->plan.array[i]);
        if (faccessat(store->folder, name.text, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
            return tact_store_refuse(store, name.text, EEXIST, errors);
    }
    return true;
}

int tact_store_remove_arrays(const tact_store *store) {
    TACT_ASSERT(store);
    int reason = 0;
    for (int i = 0; i < store->plan.narray; i++)
        if (unlinkat(store->folder, tact_store_file_name(&store->plan.array[i]).text, 0) != 0 && errno != ENOENT && reason == 0)
            reason = errno;
    return reason;
}

// Opens the file of array i. False where it cannot be read, or is not as it was created.
static bool open_array(tact_store *store, int i, int flags, tact_errors *errors) {
    TACT_ASSERT(0 <= i && i < store->plan.narray);
    const tact_batch_array *array = &store->plan.array[i];
    tact_npy_header header = tact_store_header(store, i);
    tact_store_name name = tact_store_file_name(array);
    char bytes[TACT_NPY_HEADER];
    struct stat status;
    store->start[i] = header.size;
    store->file[i] = openat(store->folder, name.text, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (store->file[i] < 0 || fstat(store->file[i], &status) != 0) return tact_store_refuse(store, name.text, errno, errors);
    int reason = tact_store_read_at(store->file[i], 0, bytes, header.size);
    if (reason != 0) return tact_store_refuse(store, name.text, reason, errors);
    uint64_t size = header.size + (uint64_t)array->bytes * (uint64_t)store->plan.rows;
    // Size and header are those of its creation.
    if (S_ISREG(status.st_mode) && (uint64_t)status.st_size == size && memcmp(bytes, header.bytes, header.size) == 0) return true;
    char path[400];
    snprintf(path, sizeof path, "%.300s/%.80s", store->plan.path, name.text);
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = path}, "was changed: its shape or size is another");
    return false;
}

bool tact_store_open_arrays(tact_store *store, int flags, tact_errors *errors) {
    TACT_ASSERT(store);
    for (int i = 0; i < store->plan.narray; i++)
        if (!open_array(store, i, flags, errors)) return false;
    return true;
}
