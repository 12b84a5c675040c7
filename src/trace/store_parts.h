// SPDX-License-Identifier: MIT
// Inside a store.
#ifndef TACT_TRACE_STORE_PARTS_H
#define TACT_TRACE_STORE_PARTS_H

#include "tact/store.h"

// The journal: a line of PID bytes that names the batch and ends with its own checksum, a line with the process that works on it,
// and from HEAD on a line for each chunk, "#" and its checksum in hexadecimal once it is there, zeros before.
enum { TACT_JOURNAL_HEAD = 256, TACT_JOURNAL_PID = 192, TACT_JOURNAL_LINE = 10 };

// What stands before the numbers of array i.
tact_npy_header tact_store_header(const tact_store *store, int i);

// The checksum of a chunk's rows.
uint32_t tact_store_crc(long long chunk, const unsigned char *rows, size_t size);

// Chunks of the journal whose rows have another checksum are missing again. False after errors: they cannot be read.
bool tact_store_check_chunks(tact_store *store, tact_errors *errors);

// Adds the digests to a manifest; false after errors: bytes do not read back as they were put, no memory.
bool tact_store_seal(const tact_store *store, tact_text *manifest, tact_errors *errors);

// Bytes of all of it, as a double since they may be more than any integer holds.
double tact_store_bytes(const tact_store_plan *plan);

// Before anything is made: whether disk and limits hold all of it.
bool tact_store_check_room(const tact_store *store, tact_errors *errors);

// The arrays of a new folder: made, filled as far as needed, synced. Or those of a folder begun earlier: opened and checked.
bool tact_store_make_arrays(tact_store *store, tact_errors *errors);
bool tact_store_open_arrays(tact_store *store, int flags, tact_errors *errors);

// Before anything is made: no file has the name of an array. Afterwards: removes them; 0, or errno of the first that stays.
bool tact_store_check_free(const tact_store *store, tact_errors *errors);
int tact_store_remove_arrays(const tact_store *store);

// All of a piece of a file; 0, or errno.
int tact_store_write_at(int file, size_t at, const void *bytes, size_t size);
int tact_store_read_at(int file, size_t at, void *bytes, size_t size);

// One error about a file of the folder. Returns false.
bool tact_store_refuse(const tact_store *store, const char *name, int reason, tact_errors *errors);

// A new file of the folder that gets its name when it is whole: -1 or its descriptor. Then, with the reason why it is not, or 0:
// 0, or errno.
int tact_store_begin_file(const tact_store *store, const char *name);
int tact_store_end_file(const tact_store *store, const char *name, int file, int reason);

#endif
