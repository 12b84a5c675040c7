// SPDX-License-Identifier: MIT
// A batch that is under way: threads, and other processes where there are some, fill the store.
#ifndef TACT_APP_BATCH_RUN_H
#define TACT_APP_BATCH_RUN_H

#include "app/console.h"

typedef struct {
    const tact_batch *batch;
    tact_store *store;
    long long first;  // chunk of the batch that is the store's chunk 0
    int threads;
    bool quiet;
    long long next;    // chunk of the store to hand out
    double seconds;    // that it took
    double processor;  // and of processors, in this process
    long long steps;   // made
    tact_progress bar;
} tact_batch_job;

// Fills what is missing. The exit code: TACT_EXIT_DONE also when environments did not converge.
int tact_batch_job_run(tact_batch_job *job);

// The next chunk of the batch to compute; -1 when there is none.
long long tact_batch_job_next(tact_batch_job *job);

// Takes results over; for any thread.
bool tact_batch_job_take(void *job, long long chunk, const unsigned char *buffer);

// The signal that asked to end; 0: none.
int tact_batch_job_signal(void);
void tact_batch_job_catch_signals(void);

// What ended a pool.
int tact_batch_job_say_failure(tact_chunk_result reason);

#endif
