// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tact/memory.h"
#include "trace/checksum.h"
#include "trace/store_parts.h"

bool tact_store_refuse(const tact_store *store, const char *name, int reason, tact_errors *errors) {
    TACT_ASSERT(store);
    char path[400];
    snprintf(path, sizeof path, "%.300s%s%.80s", store->plan.path, name[0] ? "/" : "", name);
    tact_errors_add(errors, reason == ENOMEM ? TACT_ERROR_NO_MEMORY : TACT_ERROR_UNREADABLE, (tact_place){.file = path}, "%s",
                    reason == ELOOP ? "is a symbolic link, which output does not follow" : tact_reason_print(reason).text);
    return false;
}

static bool refuse_because(const tact_store *store, const char *name, tact_error_kind kind, const char *reason,
                           tact_errors *errors) {
    char path[400];
    snprintf(path, sizeof path, "%.300s%s%.80s", store->plan.path, name[0] ? "/" : "", name);
    tact_errors_add(errors, kind, (tact_place){.file = path}, "%s", reason);
    return false;
}

// what: of the folder's file, "was begun by"; build: the fingerprint of the other one
static void refuse_build(const tact_store *store, const char *name, const char *what, const char *build, tact_errors *errors) {
    TACT_ASSERT(build);
    char reason[200];
    snprintf(reason, sizeof reason,
             "%s a build that computes other bits (%.16s) than this one (%s): take that build, or another folder", what, build,
             store->plan.bits.text);
    refuse_because(store, name, TACT_ERROR_REFUSED, reason, errors);
}

static bool open_folder(tact_store *store, tact_errors *errors) {
    // An existing folder is used, a symbolic link is not followed.
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat status;
    store->made = mkdir(store->plan.path, 0777) == 0;
    if (!store->made && errno != EEXIST) return tact_store_refuse(store, "", errno, errors);
    store->folder = open(store->plan.path, flags);
    int reason = errno;
    if (store->folder >= 0) {
        // The entry of a new folder in the one above it, which need not be readable.
        int above = store->made ? openat(store->folder, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
        if (above < 0) return true;
        reason = fsync(above) != 0 && errno != EINVAL ? errno : 0;
        close(above);
        return reason == 0 || tact_store_refuse(store, "", reason, errors);
    }
    bool link = lstat(store->plan.path, &status) == 0 && S_ISLNK(status.st_mode);
    return tact_store_refuse(store, "", link ? ELOOP : reason, errors);
}

// Checks that the results are of this batch, and by a build that computes the same bits.
static bool check_origin(const tact_store *store, const tact_json *json, tact_errors *errors) {
    // Fingerprint of the arithmetic first: results with other bits do not belong to this batch.
    int digest = tact_json_find(json, 0, "digest"), bits = tact_json_find(json, 0, "bits");
    const char *wanted = digest >= 0 ? tact_json_get_string(json, digest, 100) : "",
               *build = bits >= 0 ? tact_json_get_string(json, bits, 100) : "";
    if (!wanted || !build) return false;
    if (strcmp(build, store->plan.bits.text) != 0) {
        refuse_build(store, "manifest.json", "holds the results of", build, errors);
        return false;
    }
    if (strcmp(wanted, store->plan.digest.text) == 0) return true;
    return refuse_because(
        store, "manifest.json", TACT_ERROR_REFUSED,
        "holds the results of another batch: its spec, scene or robot differs (take another folder, or remove it)", errors);
}

// 1: the manifest of this batch is there; 0: there is none; -1 after errors.
static int read_manifest(const tact_store *store, tact_errors *errors) {
    tact_text path = {0}, text = {0};
    tact_json json;
    int answer = -1;
    // Seal, origin and files must all be right.
    if (faccessat(store->folder, "manifest.json", F_OK, 0) != 0) return 0;
    tact_text_print(&path, "%-s/manifest.json", store->plan.path);
    if (path.failed) {
        tact_store_refuse(store, "", ENOMEM, errors);
    } else if (tact_text_read(&text, path.bytes, TACT_TEXT_LIMIT, errors) &&
               tact_json_read(&json, tact_text_source(&text, path.bytes), errors)) {
        bool good = tact_store_check_seal(&text, path.bytes, errors) && check_origin(store, &json, errors) &&
                    tact_store_check_files(store->plan.path, &json, errors);
        answer = good ? 1 : -1;
        tact_json_free(&json);
    }
    tact_text_free(&path);
    tact_text_free(&text);
    return answer;
}

static bool refuse_busy(const tact_store *store, tact_errors *errors) {
    char text[TACT_JOURNAL_HEAD - TACT_JOURNAL_PID + 1] = {0}, reason[80];
    if (tact_store_read_at(store->journal, TACT_JOURNAL_PID, text, sizeof text - 1) != 0) text[0] = '\0';
    long pid = strncmp(text, "pid ", 4) == 0 ? strtol(text + 4, NULL, 10) : 0;
    snprintf(reason, sizeof reason, pid > 0 ? "in use by pid %ld" : "in use", pid);
    return refuse_because(store, "", TACT_ERROR_UNREADABLE, reason, errors);
}

// Opens the journal and takes its lock. One that another process removed meanwhile is left for the next try.
static bool lock_journal(tact_store *store, tact_errors *errors) {
    // Another process may remove the journal between open and lock: then it is tried again.
    for (int tries = 0; tries < 100; tries++) {
        struct stat status;
        store->journal = openat(store->folder, "journal", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
        if (store->journal < 0) return tact_store_refuse(store, "journal", errno, errors);
        if (flock(store->journal, LOCK_EX | LOCK_NB) != 0)
            return errno == EWOULDBLOCK ? refuse_busy(store, errors) : tact_store_refuse(store, "journal", errno, errors);
        if (fstat(store->journal, &status) == 0 && status.st_nlink > 0) {
            char text[TACT_JOURNAL_HEAD - TACT_JOURNAL_PID + 1];
            snprintf(text, sizeof text, "pid %-59ld\n", (long)getpid());
            int reason = tact_store_write_at(store->journal, TACT_JOURNAL_PID, text, sizeof text - 1);
            return reason == 0 || tact_store_refuse(store, "journal", reason, errors);
        }
        close(store->journal);
        store->journal = -1;
    }
    return refuse_because(store, "journal", TACT_ERROR_UNREADABLE, "appears and vanishes", errors);
}

static const char title[] = "tact journal 2 ";

enum {
    CHECKED = TACT_JOURNAL_PID - 9,
    BITS = sizeof title - 1 + 64 + 1
};  // bytes with a checksum; where those of the build stand

// The first part of the journal's head.
static void make_head(const tact_store *store, char head[TACT_JOURNAL_PID]) {
    char text[TACT_JOURNAL_PID + 1];
    // Text of fixed length, with a checksum of its own.
    memset(head, ' ', TACT_JOURNAL_PID);
    int size = snprintf(text, sizeof text, "%s%s %s %lld %d", title, store->plan.digest.text, store->plan.bits.text,
                        store->plan.rows, store->plan.chunk);
    memcpy(head, text, (size_t)size);
    snprintf(text, sizeof text, "%08x\n", (unsigned)tact_crc32c(0, head, CHECKED));
    memcpy(head + CHECKED, text, TACT_JOURNAL_PID - CHECKED);
}

// 1: it was begun for this batch; 0: it was not begun, or only part of its head; -1 after errors.
static int read_head(tact_store *store, tact_errors *errors) {
    char head[TACT_JOURNAL_PID], wanted[TACT_JOURNAL_PID], sum[10];
    int reason = tact_store_read_at(store->journal, 0, head, sizeof head);
    if (reason != 0) {
        tact_store_refuse(store, "journal", reason, errors);
        return -1;
    }
    make_head(store, wanted);
    // Ours as far as it goes: a head that ends early is one that was never finished.
    size_t size = 0;
    while (size < sizeof title - 1 && head[size]) size++;
    bool own = memcmp(head, title, size) == 0;
    if (own && !head[sizeof head - 1]) return 0;
    if (memcmp(head, wanted, sizeof head) == 0) return 1;
    snprintf(sum, sizeof sum, "%08x\n", (unsigned)tact_crc32c(0, head, CHECKED));
    if (memcmp(head, "tact journal ", 13) == 0 && memcmp(head + CHECKED, sum, 9) != 0) {
        refuse_because(store, "journal", TACT_ERROR_REFUSED,
                       "is damaged, or was begun by another version (take another folder, or remove it)", errors);
        return -1;
    }
    // Which of the reasons it is: damaged, another build, another batch, no journal.
    if (own && memcmp(head + BITS, wanted + BITS, 16) != 0) {
        char build[17] = {0};
        memcpy(build, head + BITS, 16);
        refuse_build(store, "journal", "was begun by", build, errors);
        return -1;
    }
    refuse_because(store, "journal", TACT_ERROR_REFUSED,
                   own ? "was begun for another batch: its spec, scene or robot differs (take another folder, or remove it)"
                       : "is not the journal of a batch",
                   errors);
    return -1;
}

// Reads the checksum on a chunk's line; false when there is none, or only a part.
static bool read_line(const char *line, uint32_t *crc) {
    uint32_t value = 0;
    // '#', eight hexadecimal digits, end of line.
    if (line[0] != '#' || line[TACT_JOURNAL_LINE - 1] != '\n') return false;
    for (int i = 1; i < TACT_JOURNAL_LINE - 1; i++) {
        int digit = line[i] >= '0' && line[i] <= '9' ? line[i] - '0' : line[i] >= 'a' && line[i] <= 'f' ? line[i] - 'a' + 10 : -1;
        if (digit < 0) return false;
        value = 16 * value + (uint32_t)digit;
    }
    *crc = value;
    return true;
}

// Reads which chunks the journal lists, and checks which of them are still intact.
static bool read_done(tact_store *store, tact_errors *errors) {
    enum { LINES = 512 };
    static const char empty[TACT_JOURNAL_LINE] = {0};
    char lines[LINES * TACT_JOURNAL_LINE];
    // Lines in blocks; one that is neither empty nor whole is damaged.
    for (long long at = 0; at < store->chunks; at += LINES) {
        size_t count = store->chunks - at < LINES ? (size_t)(store->chunks - at) : LINES;
        int reason = tact_store_read_at(store->journal, TACT_JOURNAL_HEAD + TACT_JOURNAL_LINE * (size_t)at, lines,
                                        count * TACT_JOURNAL_LINE);
        if (reason != 0) return tact_store_refuse(store, "journal", reason, errors);
        for (size_t i = 0; i < count; i++) {
            const char *line = lines + i * TACT_JOURNAL_LINE;
            if (read_line(line, &store->crc[(size_t)at + i]))
                store->done[(size_t)at + i] = 2;
            else if (memcmp(line, empty, sizeof empty) != 0)
                store->damaged++;
        }
    }
    // Chunks whose bytes do not match their line are computed again.
    if (!tact_store_check_chunks(store, errors)) return false;
    for (long long i = 0; i < store->chunks; i++) store->kept += store->done[i] == 2;
    store->written = store->kept;
    store->resumed = true;
    return true;
}

static bool begin_journal(tact_store *store, tact_errors *errors) {
    char head[TACT_JOURNAL_PID];
    make_head(store, head);
    // Room for all lines, then the arrays' entries, then the head.
    int reason = 0;
    if (store->chunks > 0)
        reason = tact_store_write_at(store->journal, TACT_JOURNAL_HEAD + TACT_JOURNAL_LINE * (size_t)store->chunks - 1, "", 1);
    // a head vouches for the arrays, so their entries come first
    if (reason == 0 && (fsync(store->journal) != 0 || fsync(store->folder) != 0)) reason = errno;
    if (reason == 0) reason = tact_store_write_at(store->journal, 0, head, sizeof head);
    if (reason == 0 && fsync(store->journal) != 0) reason = errno;
    return reason == 0 || tact_store_refuse(store, "journal", reason, errors);
}

// Undoes a beginning: the head, then the arrays for which it vouches, then the journal, without which they would be somebody's.
// What fails leaves the rest to the next call.
static void retreat(tact_store *store) {
    if (ftruncate(store->journal, 0) != 0 || fsync(store->journal) != 0) return;
    if (tact_store_remove_arrays(store) != 0 || fsync(store->folder) != 0) return;
    unlinkat(store->folder, "journal", 0);
}

static bool open_finished(tact_store *store, tact_errors *errors) {
    store->finished = true;
    store->written = store->kept = store->chunks;
    memset(store->done, 2, (size_t)store->chunks);
    unlinkat(store->folder, "journal", 0);
    return tact_store_open_arrays(store, O_RDONLY, errors);
}

// Opens an existing folder: resumes the batch in it, or begins one.
static bool enter(tact_store *store, tact_errors *errors) {
    // A finished store is opened for reading; a journal says that a call was interrupted.
    bool there = faccessat(store->folder, "journal", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
    int manifest = read_manifest(store, errors);
    if (manifest < 0) return false;
    if (manifest == 0 && !there && !(tact_store_check_free(store, errors) && tact_store_check_room(store, errors))) return false;
    // Checksums and marks of the chunks
    store->crc = tact_memory_get((size_t)store->chunks * sizeof *store->crc);
    store->done = tact_memory_get((size_t)store->chunks);
    if (!store->crc || !store->done) return tact_store_refuse(store, "", ENOMEM, errors);
    memset(store->done, 0, (size_t)store->chunks);
    if (manifest > 0 && !there) return open_finished(store, errors);
    if (!lock_journal(store, errors)) return false;
    if (manifest > 0 || read_manifest(store, errors) > 0) return open_finished(store, errors);
    int begun = read_head(store, errors);
    if (begun < 0) return false;
    if (begun > 0) return tact_store_open_arrays(store, O_RDWR, errors) && read_done(store, errors);
    // New arrays; what a call that was killed before its journal began has left goes first.
    // a crash must not leave arrays without their journal, which would be somebody's
    if (fsync(store->folder) != 0) return tact_store_refuse(store, "", errno, errors);
    int reason = there ? tact_store_remove_arrays(store) : 0;
    if (reason != 0) return tact_store_refuse(store, "", reason, errors);
    if (tact_store_make_arrays(store, errors) && begin_journal(store, errors)) return true;
    retreat(store);
    return false;
}

bool tact_store_open(tact_store *store, const tact_store_plan *plan, tact_errors *errors) {
    TACT_ASSERT(store);
    TACT_ASSERT(plan->chunk > 0);
    *store = (tact_store){.plan = *plan, .folder = -1, .journal = -1};
    for (int i = 0; i < TACT_BATCH_ARRAYS; i++) store->file[i] = -1;
    pthread_mutex_init(&store->lock, NULL);
    store->chunks = (plan->rows + plan->chunk - 1) / plan->chunk;
    // Sizes are file offsets of 63 bits.
    if (tact_store_bytes(plan) > 9e18) {
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = plan->path}, "would write %.3g bytes (limit 9.2e18)",
                        tact_store_bytes(plan));
        return false;
    }
    if (open_folder(store, errors) && enter(store, errors)) return true;
    // an empty folder of one's own
    if (store->made) rmdir(store->plan.path);
    return false;
}

void tact_store_close(tact_store *store) {
    TACT_ASSERT(store);
    if (!store->plan.path) return;
    for (int i = 0; i < TACT_BATCH_ARRAYS; i++)
        if (store->file[i] >= 0) close(store->file[i]);
    if (store->journal >= 0) close(store->journal);
    if (store->folder >= 0) close(store->folder);
    tact_memory_release(store->done);
    tact_memory_release(store->crc);
    pthread_mutex_destroy(&store->lock);
    *store = (tact_store){0};
}
