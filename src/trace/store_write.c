// SPDX-License-Identifier: MIT
// Chunks on their way to the disk, and the end of a store.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tact/memory.h"
#include "trace/store_parts.h"

long long tact_store_missing(const tact_store *store, long long at) {
    while (at < store->chunks && store->done[at]) at++;
    return at;
}

// array: whose file it is, -1: the journal
static bool fail(tact_store *store, int reason, int array) {
    // The first failure is the one that is reported.
    pthread_mutex_lock(&store->lock);
    if (store->reason == 0) {
        store->reason = reason;
        store->file_name = array >= 0 ? tact_store_file_name(&store->plan.array[array]) : (tact_store_name){"journal"};
        store->culprit = store->file_name.text;
    }
    pthread_mutex_unlock(&store->lock);
    return false;
}

bool tact_store_put(tact_store *store, long long chunk, const unsigned char *buffer) {
    TACT_ASSERT(chunk >= 0 && chunk < store->chunks);
    const tact_store_plan *plan = &store->plan;
    // Rows of the chunk: the last one may have fewer.
    size_t first = (size_t)chunk * (size_t)plan->chunk, rest = (size_t)plan->rows - first,
           count = rest < (size_t)plan->chunk ? rest : (size_t)plan->chunk, all = 0;
    for (int i = 0; i < plan->narray; i++) all += count * plan->array[i].bytes;
    // Arrays first, then the entry in memory: what is entered is on its way to the disk.
    uint32_t crc = tact_store_crc(chunk, buffer, all);
    for (int i = 0; i < plan->narray; i++) {
        size_t bytes = plan->array[i].bytes;
        int reason = tact_store_write_at(store->file[i], store->start[i] + first * bytes, buffer, count * bytes);
        if (reason != 0) return fail(store, reason, i);
        buffer += count * bytes;
    }
    pthread_mutex_lock(&store->lock);
    store->crc[chunk] = crc;
    store->done[chunk] = 1;
    store->written++;
    pthread_mutex_unlock(&store->lock);
    return true;
}

// Enters the chunks that were written before the sync into the journal.
static int enter(tact_store *store, const unsigned char *ready) {
    int reason = 0;
    // A chunk's line has a fixed place, so that lines may be written in any order.
    for (long long i = 0; i < store->chunks && reason == 0; i++) {
        char line[TACT_JOURNAL_LINE + 1];
        if (ready[i] != 1) continue;
        snprintf(line, sizeof line, "#%08x\n", (unsigned)store->crc[i]);
        reason = tact_store_write_at(store->journal, TACT_JOURNAL_HEAD + TACT_JOURNAL_LINE * (size_t)i, line, TACT_JOURNAL_LINE);
        if (reason != 0) break;
        pthread_mutex_lock(&store->lock);
        store->done[i] = 2;
        store->kept++;
        pthread_mutex_unlock(&store->lock);
    }
    return reason;
}

bool tact_store_keep(tact_store *store) {
    TACT_ASSERT(store->plan.narray >= 0);
    size_t count = (size_t)store->chunks;
    unsigned char *ready = tact_memory_get(count);
    if (!ready) return fail(store, ENOMEM, -1);
    // The copy tells which chunks were written before the sync.
    pthread_mutex_lock(&store->lock);
    memcpy(ready, store->done, count);
    bool nothing = store->written == store->kept;
    pthread_mutex_unlock(&store->lock);
    int reason = 0;
    int culprit = -1;
    // Data before the journal: a line vouches for what is on the disk.
    for (int i = 0; i < store->plan.narray && reason == 0 && !nothing; i++) {
        if (fdatasync(store->file[i]) != 0) reason = errno;
        if (reason != 0) culprit = i;
    }
    if (reason == 0 && !nothing) reason = enter(store, ready);
    if (reason == 0 && !nothing && fdatasync(store->journal) != 0) reason = errno;
    tact_memory_release(ready);
    return reason == 0 || fail(store, reason, culprit);
}

void tact_store_report(tact_store *store, tact_errors *errors) {
    TACT_ASSERT(store);
    char path[400];
    snprintf(path, sizeof path, "%.300s/%.60s", store->plan.path, store->culprit ? store->culprit : "");
    tact_errors_add(errors, store->reason == ENOMEM ? TACT_ERROR_NO_MEMORY : TACT_ERROR_UNREADABLE, (tact_place){.file = path},
                    "%s; %lld of %lld chunks written, rerun to continue", tact_reason_print(store->reason).text, store->kept,
                    store->chunks);
}

int tact_store_begin_file(const tact_store *store, const char *name) {
    TACT_ASSERT(store);
    char part[100];
    snprintf(part, sizeof part, ".%.80s.part", name);
    unlinkat(store->folder, part, 0);
    return openat(store->folder, part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int tact_store_end_file(const tact_store *store, const char *name, int file, int reason) {
    TACT_ASSERT(store);
    char part[100];
    // fsync, close, rename, fsync of the folder: the name appears with all of its bytes.
    snprintf(part, sizeof part, ".%.80s.part", name);
    if (reason == 0 && fsync(file) != 0) reason = errno;
    if (close(file) != 0 && reason == 0) reason = errno;
    if (reason == 0 && renameat(store->folder, part, store->folder, name) != 0) reason = errno;
    if (reason == 0 && fsync(store->folder) != 0) reason = errno;
    if (reason != 0) unlinkat(store->folder, part, 0);
    return reason;
}

bool tact_store_finish(tact_store *store, const char *archive, tact_text *manifest, tact_errors *errors) {
    TACT_ASSERT(store && manifest);
    if (!store->finished && !tact_store_seal(store, manifest, errors)) return false;
    // The manifest is written last and makes the store complete; then the journal goes.
    if (archive && !tact_store_archive(store, archive)) {
        tact_store_report(store, errors);
        return false;
    }
    if (store->finished) return true;
    int file = tact_store_begin_file(store, "manifest.json"), reason = file < 0 ? errno : 0;
    if (file >= 0) {
        reason = tact_store_write_at(file, 0, manifest->bytes, manifest->size);
        reason = tact_store_end_file(store, "manifest.json", file, reason);
    }
    if (reason != 0) return tact_store_refuse(store, "manifest.json", reason, errors);
    unlinkat(store->folder, "journal", 0);
    fsync(store->folder);
    store->finished = true;
    return true;
}

bool tact_store_count(const tact_store *store, tact_store_tally *tally, tact_errors *errors) {
    TACT_ASSERT(store && tally);
    int32_t piece[1024];
    int array = 0;
    *tally = (tact_store_tally){0};
    while (array < store->plan.narray && strcmp(store->plan.array[array].name, "status") != 0) array++;
    if (array == store->plan.narray) return tact_store_refuse(store, "status.npy", ENOENT, errors);
    // Written in pieces, so that memory does not grow with the batch.
    for (long long at = 0; at < store->plan.rows; at += 1024) {
        size_t count = store->plan.rows - at < 1024 ? (size_t)(store->plan.rows - at) : 1024;
        int reason = tact_store_read_at(store->file[array], store->start[array] + 4 * (size_t)at, piece, 4 * count);
        if (reason != 0) return tact_store_refuse(store, "status.npy", reason, errors);
        for (size_t i = 0; i < count; i++)
            if (piece[i] >= -110 && piece[i] < 18) tally->count[piece[i] + 110]++;
    }
    return true;
}
