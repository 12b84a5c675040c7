// SPDX-License-Identifier: MIT
#include "batch/worker.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "tact/memory.h"

struct tact_pool {
    tact_pool_options options;
    pthread_mutex_t lock;  // of all below but stop
    pthread_cond_t work;   // there is a chunk to take, or the end
    pthread_cond_t news;   // for the caller
    pthread_t *thread;     // (options.threads)
    int started;           //
    long long *queue;      // (room) a ring
    int room, first, waiting;
    bool closed, changed;
    atomic_bool stop;
    tact_pool_state state;
};

static void tell(tact_pool *pool) {
    pool->changed = true;
    pthread_cond_signal(&pool->news);
}

// Waits for the next chunk and takes it; -1 at the end.
static long long pool_next(tact_pool *pool) {
    long long chunk = -1;
    pthread_mutex_lock(&pool->lock);
    pool->state.idle++;
    tell(pool);
    // Until there is a chunk, or there will be none.
    while (pool->waiting == 0 && !pool->closed && !atomic_load(&pool->stop)) pthread_cond_wait(&pool->work, &pool->lock);
    pool->state.idle--;
    if (pool->waiting > 0 && !atomic_load(&pool->stop)) {
        chunk = pool->queue[pool->first];
        pool->first = (pool->first + 1) % pool->room;
        pool->waiting--;
        tell(pool);
    }
    pthread_mutex_unlock(&pool->lock);
    return chunk;
}

static void add_result(tact_pool *pool, tact_chunk_result result, bool taken, long long steps) {
    pthread_mutex_lock(&pool->lock);
    pool->state.steps += steps;
    if (result == TACT_CHUNK_DONE && taken) {
        pool->state.chunks++;
        // The first failure is the one that is reported; it stops all.
    } else if (result != TACT_CHUNK_STOPPED && !pool->state.failed) {
        pool->state.failed = true;
        pool->state.reason = result;
        atomic_store(&pool->stop, true);
        pthread_cond_broadcast(&pool->work);
    }
    tell(pool);
    pthread_mutex_unlock(&pool->lock);
}

// A thread of the pool: computes chunks and hands each to `take`.
static void *pool_thread(void *context) {
    tact_pool *pool = context;
    const tact_batch *batch = pool->options.batch;
    tact_batch_worker *worker = tact_batch_worker_make(batch);
    unsigned char *buffer = tact_memory_get(batch->bytes * (size_t)batch->chunk);
    if (!worker || !buffer) add_result(pool, TACT_CHUNK_NO_MEMORY, false, 0);
    // Chunk after chunk until there are none left, or a stop was asked for.
    while (worker && buffer) {
        long long chunk = pool_next(pool), steps = 0;
        if (chunk < 0) break;
        tact_chunk_result result = tact_batch_worker_run(worker, chunk, buffer, &pool->stop, &steps);
        bool taken = result == TACT_CHUNK_DONE && pool->options.take(pool->options.context, chunk, buffer);
        add_result(pool, result, taken, steps);
    }
    tact_memory_release(buffer);
    tact_batch_worker_free(worker);
    return NULL;
}

tact_pool *tact_pool_make(const tact_pool_options *options) {
    TACT_ASSERT(options);
    tact_pool *pool = tact_memory_get(sizeof *pool);
    size_t threads = (size_t)options->threads;
    if (!pool) return NULL;
    memset(pool, 0, sizeof *pool);
    pool->options = *options;
    pool->room = 2 * options->threads;
    pool->queue = tact_memory_get((size_t)pool->room * sizeof *pool->queue);
    pool->thread = tact_memory_get(threads * sizeof *pool->thread);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->news, &clock);
    pthread_condattr_destroy(&clock);
    atomic_init(&pool->stop, false);
    bool good = pool->queue && pool->thread;
    while (good && pool->started < options->threads) {
        good = pthread_create(&pool->thread[pool->started], NULL, pool_thread, pool) == 0;
        if (good) pool->started++;
    }
    // fewer threads than wanted will do
    if (pool->started > 0) return pool;
    tact_pool_free(pool);
    return NULL;
}

bool tact_pool_give(tact_pool *pool, long long chunk) {
    TACT_ASSERT(pool);
    pthread_mutex_lock(&pool->lock);
    bool room = pool->waiting < pool->room;
    if (room) {
        pool->queue[(pool->first + pool->waiting) % pool->room] = chunk;
        pool->waiting++;
        pthread_cond_signal(&pool->work);
    }
    pthread_mutex_unlock(&pool->lock);
    return room;
}

void tact_pool_wait(tact_pool *pool, int milliseconds, tact_pool_state *state) {
    TACT_ASSERT(pool && state);
    // An absolute time, of the clock that nobody sets.
    struct timespec until = {0};
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&pool->lock);
    int code = 0;
    while (!pool->changed && code == 0) code = pthread_cond_timedwait(&pool->news, &pool->lock, &until);
    pool->changed = false;
    *state = pool->state;
    if (pool->waiting > 0) state->idle = 0;
    pthread_mutex_unlock(&pool->lock);
}

void tact_pool_stop(tact_pool *pool) {
    TACT_ASSERT(pool);
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->stop, true);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

void tact_pool_free(tact_pool *pool) {
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    // threads end when they have done what they hold
    pool->closed = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (int i = 0; i < pool->started; i++) pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->news);
    pthread_mutex_destroy(&pool->lock);
    tact_memory_release(pool->queue);
    tact_memory_release(pool->thread);
    tact_memory_release(pool);
}
