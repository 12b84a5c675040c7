// SPDX-License-Identifier: MIT
// What a store knows its bytes by: a CRC-32C of each chunk, kept in the journal, a SHA-256 of each array, and one of the
// manifest.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/checksum.h"
#include "trace/store_parts.h"

#define PIECE 65536
#define SEAL ",\n\"manifest_sha256\": \""

// The place of a chunk counts: its bytes at another one are wrong.
uint32_t tact_store_crc(long long chunk, const unsigned char *rows, size_t size) {
    unsigned char place[8];
    for (int i = 0; i < 8; i++) place[i] = (unsigned char)((unsigned long long)chunk >> (8 * i));
    return tact_crc32c(tact_crc32c(0, place, sizeof place), rows, size);
}

// Reads a chunk's rows array after array, as they were put, and adds them to the arrays' digests, unless those are NULL.
static int read_chunk(const tact_store *store, long long chunk, uint32_t *crc, tact_digest *digest) {
    const tact_store_plan *plan = &store->plan;
    unsigned char piece[PIECE];
    // Piece by piece, in the order in which the rows were put.
    size_t first = (size_t)chunk * (size_t)plan->chunk, rest = (size_t)plan->rows - first,
           count = rest < (size_t)plan->chunk ? rest : (size_t)plan->chunk;
    int reason = 0;
    *crc = tact_store_crc(chunk, NULL, 0);
    for (int i = 0; i < plan->narray && reason == 0; i++) {
        size_t at = store->start[i] + first * plan->array[i].bytes, end = at + count * plan->array[i].bytes;
        for (; at < end && reason == 0;) {
            size_t part = end - at < PIECE ? end - at : PIECE;
            reason = tact_store_read_at(store->file[i], at, piece, part);
            *crc = tact_crc32c(*crc, piece, part);
            if (digest) tact_digest_add(&digest[i], piece, part);
            at += part;
        }
    }
    return reason;
}

bool tact_store_check_chunks(tact_store *store, tact_errors *errors) {
    TACT_ASSERT(store);
    // Chunks that the journal vouches for, against their checksum.
    for (long long chunk = 0; chunk < store->chunks; chunk++) {
        uint32_t crc = 0;
        if (store->done[chunk] != 2) continue;
        int reason = read_chunk(store, chunk, &crc, NULL);
        if (reason != 0) return tact_store_refuse(store, "", reason, errors);
        if (crc == store->crc[chunk]) continue;
        store->done[chunk] = 0;
        store->damaged++;
    }
    return true;
}

// The SHA-256 of a text's first bytes.
static tact_digest_text digest_text(const tact_text *text, size_t size) {
    tact_digest digest;
    tact_digest_begin(&digest);
    tact_digest_add(&digest, text->bytes, size);
    return tact_digest_end(&digest);
}

bool tact_store_seal(const tact_store *store, tact_text *manifest, tact_errors *errors) {
    TACT_ASSERT(store && manifest);
    tact_digest_text text[TACT_BATCH_ARRAYS];
    // Digests of all arrays, of bytes that are proven to be those that were put.
    tact_digest digest[TACT_BATCH_ARRAYS];
    // Headers first, as the files have them; then the rows, chunk by chunk.
    for (int i = 0; i < store->plan.narray; i++) {
        tact_npy_header header = tact_store_header(store, i);
        tact_digest_begin(&digest[i]);
        tact_digest_add(&digest[i], header.bytes, header.size);
    }
    for (long long chunk = 0; chunk < store->chunks; chunk++) {
        uint32_t crc = 0;
        int reason = read_chunk(store, chunk, &crc, digest);
        if (reason != 0) return tact_store_refuse(store, "", reason, errors);
        if (crc == store->crc[chunk]) continue;
        tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = store->plan.path},
                        "chunk %lld does not read back as it was written, rerun to compute it again", chunk);
        return false;
    }
    for (int i = 0; i < store->plan.narray; i++) text[i] = tact_digest_end(&digest[i]);
    // The digest of the manifest covers everything before it.
    // the object goes on before its closing brace
    while (manifest->size > 0 && manifest->bytes[manifest->size - 1] == '\n') manifest->size--;
    if (manifest->size > 0) manifest->size--;
    tact_text_add(manifest, manifest->size > 1 ? ",\n\"sha256\": {" : "\"sha256\": {");
    for (int i = 0; i < store->plan.narray; i++) {
        tact_text_add(manifest, i > 0 ? ",\n" : "");
        tact_text_print(manifest, "%s: %s", tact_store_file_name(&store->plan.array[i]).text, text[i].text);
    }
    tact_text_add(manifest, "}");
    if (!manifest->failed) text[0] = digest_text(manifest, manifest->size);
    tact_text_print(manifest, "%-s%-s\"}\n", SEAL, text[0].text);
    return !manifest->failed || tact_store_refuse(store, "manifest.json", ENOMEM, errors);
}

static bool refuse(const char *path, const char *reason, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = path}, "%s", reason);
    return false;
}

bool tact_store_check_seal(const tact_text *manifest, const char *path, tact_errors *errors) {
    TACT_ASSERT(manifest);
    const size_t tail = sizeof SEAL - 1 + 64 + 3;
    char wanted[sizeof SEAL + 64 + 3];
    if (manifest->size < tail) return refuse(path, "is damaged: it has no checksum of itself", errors);
    // The last line must be the digest of all that stands before it.
    size_t size = manifest->size - tail;
    snprintf(wanted, sizeof wanted, "%s%s\"}\n", SEAL, digest_text(manifest, size).text);
    if (memcmp(manifest->bytes + size, wanted, tail) == 0) return true;
    bool sealed = memcmp(manifest->bytes + size, SEAL, sizeof SEAL - 1) == 0;
    return refuse(path, sealed ? "is damaged: its SHA-256 is another" : "is damaged: it has no checksum of itself", errors);
}

static bool check_file(const char *path, const char *wanted, tact_errors *errors) {
    TACT_ASSERT(path && wanted);
    char piece[PIECE];
    tact_digest digest;
    int file = tact_file_open(path, errors);
    if (file < 0) return false;
    // SHA-256 of the file, piece by piece
    tact_digest_begin(&digest);
    ptrdiff_t got = 0;
    while ((got = tact_file_read(file, path, piece, sizeof piece, errors)) > 0) tact_digest_add(&digest, piece, (size_t)got);
    tact_file_close(file);
    if (got < 0) return false;
    return strcmp(tact_digest_end(&digest).text, wanted) == 0 ||
           refuse(path, "is damaged: its SHA-256 is not the manifest's (remove its folder and run the batch again)", errors);
}

bool tact_store_check_files(const char *folder, const tact_json *json, tact_errors *errors) {
    TACT_ASSERT(folder && json && errors);
    int list = tact_json_need(json, 0, "sha256");
    if (list < 0 || !tact_json_expect(json, list, TACT_JSON_OBJECT)) return false;
    // Names without a slash only: files of this folder.
    for (int i = tact_json_first(json, list); i >= 0; i = tact_json_after(json, i)) {
        const char *name = tact_json_key(json, i), *wanted = tact_json_get_string(json, i, 100);
        tact_text path = {0};
        if (!wanted) return false;
        tact_text_print(&path, "%-s/%-s", folder, name);
        bool good = !strchr(name, '/');
        if (!good)
            tact_json_refuse(json, i, "names no file of this folder");
        else
            good = path.failed ? tact_file_refuse(folder, ENOMEM, errors) : check_file(path.bytes, wanted, errors);
        tact_text_free(&path);
        if (!good) return false;
    }
    return true;
}
