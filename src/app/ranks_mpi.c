// SPDX-License-Identifier: MIT
// Processes by MPI. A rank asks for a chunk whenever it has less work than threads; rank 0 answers, takes the results and alone
// writes. Only the main threads talk.
#include <mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/ranks.h"

enum { TAG_ASK = 1, TAG_CHUNK, TAG_RESULT, TAG_DATA, TAG_DONE };
enum { NO_MORE = -1, FAILED = -2 };

#define PIECE ((size_t)1 << 30)  // of a message

struct tact_ranks {
    bool on;
    int rank, count;
    long long steps;  // that the others made
    int failure;      // what ended another rank, 1 + tact_chunk_result; 0: nothing

    // from a thread with results to the main thread, which sends them
    pthread_mutex_t lock;
    pthread_cond_t changed;
    long long chunk;
    const unsigned char *buffer;  // NULL: nothing to send
    bool ending;
};

static tact_ranks here = {.count = 1, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

// A call without mpirun has one rank, and does not wait for MPI to begin.
static bool is_launched(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK", "PMIX_RANK", NULL};
    for (int i = 0; names[i]; i++)
        if (getenv(names[i])) return true;
    return false;
}

tact_ranks *tact_ranks_begin(void) {
    int given = 0;
    if (!is_launched()) return &here;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &here.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &here.count);
    here.on = true;
    if (here.rank == 0) return &here;
    // messages are rank 0's
    int none = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (none >= 0) dup2(none, STDERR_FILENO);
    if (none >= 0) close(none);
    return &here;
}

int tact_ranks_rank(const tact_ranks *ranks) {
    return ranks->rank;
}

int tact_ranks_count(const tact_ranks *ranks) {
    return ranks->count;
}

tact_ranks *tact_ranks_of_job(const tact_batch_job *job) {
    (void)job;
    return &here;
}

int tact_ranks_agree(tact_ranks *ranks, int code, const char *digest) {
    enum { SIZE = 80 };
    if (ranks->count == 1) return code;
    // exit code and digest of each rank
    char own[SIZE] = {(char)code};
    char *all = ranks->rank == 0 ? tact_memory_get((size_t)ranks->count * SIZE) : NULL;
    if (ranks->rank == 0 && !all) MPI_Abort(MPI_COMM_WORLD, TACT_EXIT_NO_MEMORY);
    strncpy(own + 1, digest, SIZE - 2);
    MPI_Gather(own, SIZE, MPI_BYTE, all, SIZE, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int r = 1; all && r < ranks->count && code == TACT_EXIT_DONE; r++) {
        const char *other = all + r * SIZE;
        if (other[0] != TACT_EXIT_DONE) {
            tact_say("batch: error: rank %d cannot read the spec or its files", r);
            code = other[0];
        } else if (strcmp(other + 1, own + 1) != 0) {
            tact_say("batch: error: rank %d reads other files, or is another build, than rank 0", r);
            code = TACT_EXIT_REFUSED;
        }
    }
    tact_memory_release(all);
    // all ranks leave with the same code
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

static size_t chunk_bytes(const tact_batch *batch, long long chunk) {
    return batch->bytes * (size_t)tact_batch_count(batch, chunk);
}

static bool is_message(int from, MPI_Status *status) {
    int there = 0;
    MPI_Iprobe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &there, status);
    return there != 0;
}

static void send_number(int to, int tag, long long value) {
    MPI_Send(&value, 1, MPI_LONG_LONG, to, tag, MPI_COMM_WORLD);
}

// Results of a chunk on their way to the store. False when there is no memory.
static bool receive_result(tact_ranks *ranks, tact_batch_job *job, int from) {
    long long head[2];
    MPI_Recv(head, 2, MPI_LONG_LONG, from, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (head[0] == FAILED) {
        ranks->failure = 1 + (int)head[1];
        return true;
    }
    size_t size = chunk_bytes(job->batch, head[0]);
    unsigned char *buffer = tact_memory_get(size);
    if (!buffer) return false;
    for (size_t at = 0; at < size; at += PIECE) {
        int part = (int)(size - at < PIECE ? size - at : PIECE);
        MPI_Recv(buffer + at, part, MPI_BYTE, from, TAG_DATA, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    ranks->steps += head[1];
    // a failure is the store's to tell
    tact_batch_job_take(job, head[0], buffer);
    tact_memory_release(buffer);
    return true;
}

int tact_ranks_serve(tact_ranks *ranks, tact_batch_job *job, long long *waiting) {
    MPI_Status status;
    while (ranks->count > 1 && is_message(MPI_ANY_SOURCE, &status)) {
        if (status.MPI_TAG == TAG_RESULT && !receive_result(ranks, job, status.MPI_SOURCE))
            return tact_batch_job_say_failure(TACT_CHUNK_NO_MEMORY);
        if (status.MPI_TAG != TAG_ASK) continue;
        long long none;
        MPI_Recv(&none, 1, MPI_LONG_LONG, status.MPI_SOURCE, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        // A rank without work receives the stop message.
        if (*waiting < 0) continue;
        send_number(status.MPI_SOURCE, TAG_CHUNK, *waiting);
        *waiting = tact_batch_job_next(job);
    }
    return ranks->failure == 0 ? TACT_EXIT_DONE : tact_batch_job_say_failure((tact_chunk_result)(ranks->failure - 1));
}

long long tact_ranks_steps(const tact_ranks *ranks) {
    return ranks->steps;
}

void tact_ranks_dismiss(tact_ranks *ranks) {
    for (int r = 1; r < ranks->count; r++) send_number(r, TAG_CHUNK, NO_MORE);
    for (int left = ranks->count - 1; left > 0;) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_DONE) left--;
        // the message is received and forgotten
        int size = 0;
        MPI_Get_count(&status, MPI_BYTE, &size);
        void *memory = tact_memory_get((size_t)size);
        if (!memory) MPI_Abort(MPI_COMM_WORLD, TACT_EXIT_NO_MEMORY);
        MPI_Recv(memory, size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        tact_memory_release(memory);
    }
}

// In a thread with results: waits until the main thread has sent them.
static bool hand_over(void *context, long long chunk, const unsigned char *buffer) {
    tact_ranks *ranks = context;
    pthread_mutex_lock(&ranks->lock);
    while (ranks->buffer && !ranks->ending) pthread_cond_wait(&ranks->changed, &ranks->lock);
    ranks->chunk = chunk;
    ranks->buffer = buffer;
    while (ranks->buffer == buffer && !ranks->ending) pthread_cond_wait(&ranks->changed, &ranks->lock);
    bool sent = !ranks->ending;
    pthread_mutex_unlock(&ranks->lock);
    return sent;
}

// Sends what a thread has handed over; true when there was something.
static bool send_result(tact_ranks *ranks, const tact_batch *batch) {
    pthread_mutex_lock(&ranks->lock);
    const unsigned char *buffer = ranks->buffer;
    long long head[2] = {ranks->chunk, 0};
    pthread_mutex_unlock(&ranks->lock);
    if (!buffer) return false;
    // for the rate; environments that ended early count as whole
    head[1] = batch->spec->steps * tact_batch_count(batch, head[0]);
    size_t size = chunk_bytes(batch, head[0]);
    MPI_Send(head, 2, MPI_LONG_LONG, 0, TAG_RESULT, MPI_COMM_WORLD);
    for (size_t at = 0; at < size; at += PIECE)
        MPI_Send(buffer + at, (int)(size - at < PIECE ? size - at : PIECE), MPI_BYTE, 0, TAG_DATA, MPI_COMM_WORLD);
    pthread_mutex_lock(&ranks->lock);
    ranks->buffer = NULL;
    pthread_cond_broadcast(&ranks->changed);
    pthread_mutex_unlock(&ranks->lock);
    return true;
}

// Computes what rank 0 gives until it gives no more.
static void compute(tact_ranks *ranks, const tact_batch *batch, tact_pool *pool, int threads) {
    int open = 0;  // chunks that were asked for and are not sent back
    long long told = 0;
    tact_pool_state state = {0};
    bool failed = false;
    for (;;) {
        MPI_Status status;
        for (; open <= threads && !failed; open++) send_number(0, TAG_ASK, 0);
        tact_pool_wait(pool, 1, &state);
        if (send_result(ranks, batch)) open--;
        if (state.failed && !failed) {
            long long head[2] = {FAILED, state.reason};
            MPI_Send(head, 2, MPI_LONG_LONG, 0, TAG_RESULT, MPI_COMM_WORLD);
            failed = true;
        }
        while (is_message(0, &status)) {
            MPI_Recv(&told, 1, MPI_LONG_LONG, 0, TAG_CHUNK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (told == NO_MORE) return;
            tact_pool_give(pool, told);
        }
    }
}

int tact_ranks_work(tact_ranks *ranks, const tact_batch *batch, int threads) {
    tact_pool_options options = {.batch = batch, .threads = threads, .context = ranks, .take = hand_over};
    // it is rank 0 that ends in order
    tact_batch_job_catch_signals();
    tact_pool *pool = tact_pool_make(&options);
    if (!pool) MPI_Abort(MPI_COMM_WORLD, TACT_EXIT_NO_MEMORY);
    compute(ranks, batch, pool, threads);
    tact_pool_stop(pool);
    pthread_mutex_lock(&ranks->lock);
    ranks->ending = true;
    pthread_cond_broadcast(&ranks->changed);
    pthread_mutex_unlock(&ranks->lock);
    tact_pool_free(pool);
    send_number(0, TAG_DONE, 0);
    return TACT_EXIT_DONE;
}

void tact_ranks_end(tact_ranks *ranks) {
    if (ranks->on) MPI_Finalize();
    ranks->on = false;
}
