// SPDX-License-Identifier: MIT
#include "app/batch_run.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/app.h"
#include "app/ranks.h"

#define KEEP_SECONDS 1  // between syncs

static atomic_int asked_to_end;

// The first signal ends in order; the second one at once, which loses nothing that is in the journal.
static void ask_to_end(int number) {
    if (atomic_exchange(&asked_to_end, number) != 0) _exit(128 + number);
}

void tact_batch_job_catch_signals(void) {
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        struct sigaction action = {.sa_handler = ask_to_end}, before;
        sigemptyset(&action.sa_mask);
        // nohup
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
    }
}

int tact_batch_job_signal(void) {
    return atomic_load(&asked_to_end);
}

long long tact_batch_job_next(tact_batch_job *job) {
    job->next = tact_store_missing(job->store, job->next);
    if (job->next >= job->store->chunks) return -1;
    return job->first + job->next++;
}

bool tact_batch_job_take(void *context, long long chunk, const unsigned char *buffer) {
    tact_batch_job *job = context;
    return tact_store_put(job->store, chunk - job->first, buffer);
}

int tact_batch_job_say_failure(tact_chunk_result reason) {
    if (reason == TACT_CHUNK_NO_MEMORY) return tact_say_no_memory("batch: ");
    tact_say("batch: error: the commands cannot be read");
    return TACT_EXIT_UNREADABLE;
}

// of all threads
static double processor_clock(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Environments of so many chunks, the last of which may be smaller.
static long long count_rows(const tact_batch_job *job, long long chunks) {
    long long rows = chunks * job->batch->chunk, all = job->store->plan.rows;
    return rows < all ? rows : all;
}

static long long written(tact_batch_job *job) {
    pthread_mutex_lock(&job->store->lock);
    long long count = job->store->written;
    pthread_mutex_unlock(&job->store->lock);
    return count;
}

// Hands out chunks until all are written, or until a failure or signal ends the batch.
static int feed(tact_batch_job *job, tact_pool *pool, tact_ranks *ranks) {
    double kept = tact_clock();
    long long waiting = tact_batch_job_next(job), begun = written(job);
    tact_pool_state state = {0};
    for (;;) {
        // idle threads get the next chunk
        while (waiting >= 0 && tact_pool_give(pool, waiting)) waiting = tact_batch_job_next(job);
        tact_pool_wait(pool, tact_ranks_count(ranks) > 1 ? 1 : 200, &state);
        // other ranks ask for chunks and hand in their rows
        int served = tact_ranks_serve(ranks, job, &waiting);
        job->steps = state.steps + tact_ranks_steps(ranks);
        long long done = written(job);
        tact_progress_show(&job->bar, count_rows(job, done) - count_rows(job, begun));
        if (state.failed && state.reason != TACT_CHUNK_DONE) return tact_batch_job_say_failure(state.reason);
        if (served != TACT_EXIT_DONE) return served;
        if (state.failed || job->store->reason != 0) return TACT_EXIT_UNREADABLE;
        if (done == job->store->chunks) return TACT_EXIT_DONE;
        if (tact_batch_job_signal() != 0) return 128 + tact_batch_job_signal();
        // the journal is written every few seconds, so that a kill loses no more
        if (tact_clock() - kept < KEEP_SECONDS) continue;
        if (!tact_store_keep(job->store)) return TACT_EXIT_UNREADABLE;
        kept = tact_clock();
    }
}

int tact_batch_job_run(tact_batch_job *job) {
    tact_pool_options options = {.batch = job->batch, .threads = job->threads, .context = job, .take = tact_batch_job_take};
    tact_errors errors = {0};
    tact_ranks *ranks = tact_ranks_of_job(job);
    tact_batch_job_catch_signals();
    double begin = tact_clock(), spent = processor_clock();
    tact_pool *pool = tact_pool_make(&options);
    if (!pool) {
        tact_say("batch: error: out of memory for threads");
        return TACT_EXIT_NO_MEMORY;
    }
    tact_progress_begin(&job->bar, job->store->plan.rows - count_rows(job, job->store->written), !job->quiet);
    int code = feed(job, pool, ranks);
    if (code != TACT_EXIT_DONE) tact_pool_stop(pool);
    tact_pool_free(pool);
    tact_progress_end(&job->bar);
    job->seconds = tact_clock() - begin;
    job->processor = processor_clock() - spent;
    // also after a failure what was written is kept, as far as possible
    bool kept = tact_store_keep(job->store);
    if (job->store->reason != 0 || !kept) {
        tact_store_report(job->store, &errors);
        return tact_say_errors(&errors);
    }
    if (code > 128)
        tact_say("batch: interrupted; %lld of %lld chunks written, rerun to continue", job->store->kept, job->store->chunks);
    return code;
}
