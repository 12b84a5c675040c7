// SPDX-License-Identifier: MIT
// A .npz archive of a store's arrays: zip, stored without compression, in the 64-bit form where sizes need it, dated 1980-01-01
// so that equal arrays give equal archives. Layout: PKWARE's APPNOTE 6.3, sections 4.3 and 4.5.3.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "trace/checksum.h"
#include "trace/store_parts.h"

#define PIECE 65536
#define RECORD 200

// A record that grows byte by byte, least significant first.
typedef struct {
    unsigned char bytes[RECORD];
    size_t size;
} zip_record;

// an entry of the archive
typedef struct {
    tact_store_name name;
    uint64_t at, size;
    uint32_t crc;
} zip_entry;

static void put(zip_record *record, uint64_t value, int bytes) {
    TACT_ASSERT(record->size + (size_t)bytes <= RECORD);
    for (int i = 0; i < bytes; i++) record->bytes[record->size++] = (unsigned char)(value >> (8 * i));
}

// What the local header and the directory have in common. Sizes stand in the extra field of 64 bits.
static void put_common(zip_record *record, const zip_entry *entry, int extra) {
    put(record, 45, 2);  // version
    put(record, 0, 2);   // flags
    put(record, 0, 2);   // stored
    put(record, 0, 2);   // time
    put(record, 33, 2);  // 1980-01-01
    put(record, entry->crc, 4);
    put(record, 0xffffffff, 4);
    put(record, 0xffffffff, 4);
    put(record, strlen(entry->name.text), 2);
    put(record, (uint64_t)extra, 2);
}

static void put_name(zip_record *record, const zip_entry *entry) {
    size_t size = strlen(entry->name.text);
    memcpy(record->bytes + record->size, entry->name.text, size);
    record->size += size;
}

static void put_sizes(zip_record *record, const zip_entry *entry, bool place) {
    put(record, 1, 2);
    put(record, place ? 24 : 16, 2);
    put(record, entry->size, 8);
    put(record, entry->size, 8);
    if (place) put(record, entry->at, 8);
}

static int write_directory_entry(int file, uint64_t *at, const zip_entry *entry) {
    zip_record record = {.size = 0};
    // Signature of the central directory, version 4.5 for sizes of 64 bits.
    put(&record, 0x02014b50, 4);
    put(&record, 45, 2);
    put_common(&record, entry, 28);
    put(&record, 0, 2);  // comment
    put(&record, 0, 2);  // disk
    put(&record, 0, 2);  // internal attributes
    put(&record, 0, 4);  // external
    // The offset is in the extra field.
    put(&record, 0xffffffff, 4);
    put_name(&record, entry);
    put_sizes(&record, entry, true);
    int reason = tact_store_write_at(file, (size_t)*at, record.bytes, record.size);
    *at += record.size;
    return reason;
}

// Writes the end of the central directory, in its 64-bit and its old form; errno, 0 when written.
static int write_end(int file, uint64_t directory, uint64_t end, int count) {
    // End of the directory in 64 bits, its locator, and the old end record, whose fields say "see there".
    zip_record record = {.size = 0};
    put(&record, 0x06064b50, 4);
    put(&record, 44, 8);
    put(&record, 45, 2);
    put(&record, 45, 2);
    put(&record, 0, 4);
    put(&record, 0, 4);
    put(&record, (uint64_t)count, 8);
    put(&record, (uint64_t)count, 8);
    put(&record, end - directory, 8);
    put(&record, directory, 8);
    put(&record, 0x07064b50, 4);
    put(&record, 0, 4);
    put(&record, end, 8);
    put(&record, 1, 4);
    put(&record, 0x06054b50, 4);
    put(&record, 0, 4);
    put(&record, (uint64_t)count, 2);
    put(&record, (uint64_t)count, 2);
    put(&record, 0xffffffff, 4);
    put(&record, 0xffffffff, 4);
    put(&record, 0, 2);
    return tact_store_write_at(file, (size_t)end, record.bytes, record.size);
}

// The bytes of an array, and their checksum.
static int copy_array(const tact_store *store, int i, int file, zip_entry *entry, uint64_t at) {
    TACT_ASSERT(0 <= i && i < store->plan.narray);
    TACT_ASSERT(at >= entry->at);
    unsigned char piece[PIECE];
    int reason = 0;
    for (uint64_t done = 0; done < entry->size && reason == 0;) {
        size_t part = entry->size - done < PIECE ? (size_t)(entry->size - done) : PIECE;
        reason = tact_store_read_at(store->file[i], (size_t)done, piece, part);
        if (reason == 0) reason = tact_store_write_at(file, (size_t)(at + done), piece, part);
        entry->crc = tact_crc32(entry->crc, piece, part);
        done += part;
    }
    return reason;
}

// Writes the whole archive: the files, the central directory, its end; errno, 0 when written.
static int write_archive(const tact_store *store, int file) {
    zip_entry entry[TACT_BATCH_ARRAYS];
    uint64_t at = 0;
    int count = store->plan.narray, reason = 0;
    // Each file: data, then the header in front of it, since it holds their checksum.
    for (int i = 0; i < count && reason == 0; i++) {
        const tact_batch_array *array = &store->plan.array[i];
        entry[i] = (zip_entry){.name = tact_store_file_name(array), .at = at};
        entry[i].size = store->start[i] + (uint64_t)array->bytes * (uint64_t)store->plan.rows;
        uint64_t data = at + 30 + strlen(entry[i].name.text) + 20;
        reason = copy_array(store, i, file, &entry[i], data);
        if (reason == 0) {
            // Local header: signature, common part, name, sizes of 64 bits.
            zip_record record = {.size = 0};
            put(&record, 0x04034b50, 4);
            put_common(&record, &entry[i], 20);
            put_name(&record, &entry[i]);
            put_sizes(&record, &entry[i], false);
            reason = tact_store_write_at(file, (size_t)entry[i].at, record.bytes, record.size);
        }
        at = data + entry[i].size;
    }
    // The directory behind the data, then its end.
    uint64_t directory = at;
    for (int i = 0; i < count && reason == 0; i++) reason = write_directory_entry(file, &at, &entry[i]);
    return reason == 0 ? write_end(file, directory, at, count) : reason;
}

bool tact_store_archive(tact_store *store, const char *name) {
    TACT_ASSERT(store);
    int file = tact_store_begin_file(store, name), reason = file < 0 ? errno : 0;
    if (file >= 0) reason = tact_store_end_file(store, name, file, write_archive(store, file));
    if (reason == 0) return true;
    store->reason = reason;
    store->culprit = name;
    return false;
}
