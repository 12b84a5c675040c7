// SPDX-License-Identifier: MIT
// The folder of a batch: arrays of NumPy that a crash leaves whole. Hosted.
#ifndef TACT_STORE_H
#define TACT_STORE_H

#include <pthread.h>

#include "tact/batch.h"
#include "tact/files.h"
#include "tact/json.h"
#include "tact/text.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define TACT_STORE_NOT_RUN (-100)  // status of environments that were not run yet

typedef struct {
    char text[80];
} tact_store_name;

typedef struct {
    const char *path;               // of the folder
    tact_digest_text digest;        // of what determines the results
    tact_fingerprint bits;          // of the build that computes them
    int narray;                     //
    const tact_batch_array *array;  // (narray)
    long long rows;                 // environments
    int chunk;                      // rows of each chunk, the last one excepted
} tact_store_plan;

typedef struct {
    tact_store_plan plan;
    long long chunks;
    int folder, journal;              // descriptors
    int file[TACT_BATCH_ARRAYS];      //
    size_t start[TACT_BATCH_ARRAYS];  // [bytes] of the numbers in each file
    bool made;                        // the folder is new
    bool resumed, finished;           // chunks of an earlier call were found; all was there already
    pthread_mutex_t lock;             // of the two below
    unsigned char *done;              // (chunks) 0, 1 written, 2 in the journal
    uint32_t *crc;                    // (chunks) of those
    long long written, kept;          // chunks written and kept in the journal, those of earlier calls included
    long long damaged;          // chunks of earlier calls that are not what was put, or that the journal does not tell clearly
    int reason;                 // errno of the first failure; 0: none
    const char *culprit;        // the file of it
    tact_store_name file_name;  //
} tact_store;

// Opens the folder, or makes it. False after errors: in use, another batch's, no room ... Ends with tact_store_close either way.
bool tact_store_open(tact_store *store, const tact_store_plan *plan, tact_errors *errors);

// The next chunk from at on that is not there yet; chunks when there is none.
long long tact_store_missing(const tact_store *store, long long at);

// Writes a chunk's rows: of each array one behind the other, array after array. For several threads. False after a failure.
bool tact_store_put(tact_store *store, long long chunk, const unsigned char *buffer);

// Syncs what was written and keeps it in the journal. False after a failure.
bool tact_store_keep(tact_store *store);

// Reports the failure, with how far it came.
void tact_store_report(tact_store *store, tact_errors *errors);

// When every chunk is there: archive (NULL: none) gets all arrays as .npz, and the manifest, a JSON object to which the digests
// of all arrays and its own are added, is written last and finishes the folder.
bool tact_store_finish(tact_store *store, const char *archive, tact_text *manifest, tact_errors *errors);

// Whether a manifest, and the files that it names, are what a store has written; false after errors.
bool tact_store_check_seal(const tact_text *manifest, const char *path, tact_errors *errors);

// Whether the files that a manifest's "sha256" names in the folder have these digests; false and one error for the first that
// does not. What is wrong with the manifest itself goes to its own errors.
bool tact_store_check_files(const char *folder, const tact_json *manifest, tact_errors *errors);

// The archive of a folder that is finished.
bool tact_store_archive(tact_store *store, const char *name);

// How many rows have each status.
typedef struct {
    long long count[128];  // of status i - 110
} tact_store_tally;

// Counts the rows of each status in status.npy; false and one error when they cannot be read.
bool tact_store_count(const tact_store *store, tact_store_tally *tally, tact_errors *errors);

// Closes the files and frees the store. The chunks that the journal has are found by the next tact_store_open.
void tact_store_close(tact_store *store);

// The name of an array's file in the folder.
tact_store_name tact_store_file_name(const tact_batch_array *array);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
