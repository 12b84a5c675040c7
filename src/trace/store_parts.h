// SPDX-License-Identifier: MIT
// Inside a store.
#ifndef TACT_TRACE_STORE_PARTS_H
#define TACT_TRACE_STORE_PARTS_H

#include "trace/store.h"

enum { TACT_JOURNAL_HEAD = 256, TACT_JOURNAL_PID = 192 };

tact_store_name tact_store_file_name(const tact_batch_array *array);

// Bytes of all of it, as a double since they may be more than any integer holds.
double tact_store_bytes(const tact_store_plan *plan);

// Before anything is made: whether disk and limits hold all of it.
bool tact_store_check_room(const tact_store *store, tact_errors *errors);

// The arrays of a new folder: made, filled as far as needed, synced. Or those of a folder begun earlier: opened and checked.
bool tact_store_make_arrays(tact_store *store, tact_errors *errors);
bool tact_store_open_arrays(tact_store *store, int flags, tact_errors *errors);
void tact_store_remove_arrays(tact_store *store);

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
