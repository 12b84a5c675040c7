// SPDX-License-Identifier: MIT
// A task is announced under a lock; threads then take pieces from a counter. After a fork the child has none of the threads: it
// forgets them and starts others.
#include "worlds/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "tact/memory.h"

enum { CREW_MOST = 256 };

typedef struct {
    tact_crew *crew;
    int member;
} crew_member;

struct tact_crew {
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    pthread_t thread[CREW_MOST];
    crew_member member[CREW_MOST];
    int started;   // threads besides the caller
    pid_t owner;   // process that they run in
    bool closing;  //
    int width;     // threads within a step
    void (*idle)(void *context);
    void *idle_context;

    // the task
    unsigned long long turn;  // number of the task
    int wanted, busy;         // threads that take part; those still at work
    int pieces;
    atomic_int next;
    void (*work)(void *context, int piece, int member);
    void *context;
};

static void take_pieces(tact_crew *crew, int member) {
    int piece = atomic_fetch_add(&crew->next, 1);
    for (; piece < crew->pieces; piece = atomic_fetch_add(&crew->next, 1)) crew->work(crew->context, piece, member);
}

// A thread's loop: waits for a task that wants it, takes pieces until there are none left, and reports the end.
static void *serve(void *argument) {
    crew_member *own = argument;
    tact_crew *crew = own->crew;
    unsigned long long seen = 0;
    pthread_mutex_lock(&crew->lock);
    while (!crew->closing) {
        // Waits for a turn that wants this member.
        if (crew->turn == seen || own->member >= crew->wanted) {
            seen = crew->turn;
            pthread_cond_wait(&crew->begin, &crew->lock);
            continue;
        }
        seen = crew->turn;
        // Works without the lock; the last one tells the caller.
        pthread_mutex_unlock(&crew->lock);
        take_pieces(crew, own->member);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0) pthread_cond_signal(&crew->end);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static void set_up(tact_crew *crew) {
    *crew = (tact_crew){.width = crew->width, .idle = crew->idle, .idle_context = crew->idle_context};
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begin, NULL);
    pthread_cond_init(&crew->end, NULL);
    crew->owner = getpid();
}

tact_crew *tact_crew_make(void) {
    tact_crew *crew = tact_memory_get(sizeof *crew);
    if (!crew) return NULL;
    *crew = (tact_crew){.idle = NULL};
    set_up(crew);
    return crew;
}

void tact_crew_idle(tact_crew *crew, void (*idle)(void *context), void *context) {
    TACT_ASSERT(crew);
    crew->idle = idle;
    crew->idle_context = context;
}

// Waits until the others have ended, or with something to do meanwhile for a tenth of a second at most.
static void wait_for_others(tact_crew *crew) {
    struct timespec until;
    if (!crew->idle || clock_gettime(CLOCK_REALTIME, &until) != 0) {
        pthread_cond_wait(&crew->end, &crew->lock);
        return;
    }
    // a tenth of a second from now
    until.tv_nsec += 100000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_cond_timedwait(&crew->end, &crew->lock, &until) == 0) return;
    // the time has passed: idle work with the lock released
    pthread_mutex_unlock(&crew->lock);
    crew->idle(crew->idle_context);
    pthread_mutex_lock(&crew->lock);
}

// Starts threads until there are enough; returns how many take part, the caller included.
static int enlist(tact_crew *crew, int threads) {
    TACT_ASSERT(1 < threads);
    if (threads > CREW_MOST) threads = CREW_MOST;
    if (crew->owner != getpid()) set_up(crew);
    while (crew->started < threads - 1) {
        crew_member *own = &crew->member[crew->started];
        *own = (crew_member){crew, crew->started + 1};
        if (pthread_create(&crew->thread[crew->started], NULL, serve, own) != 0) break;
        crew->started++;
    }
    return crew->started + 1 < threads ? crew->started + 1 : threads;
}

void tact_crew_run(tact_crew *crew, int threads, int pieces, void (*work)(void *context, int piece, int member), void *context) {
    TACT_ASSERT(crew);
    if (threads > pieces) threads = pieces;
    if (threads > 1) threads = enlist(crew, threads);
    if (threads <= 1) {
        for (int i = 0; i < pieces; i++) work(context, i, 0);
        return;
    }
    // The caller is member 0.
    pthread_mutex_lock(&crew->lock);
    crew->work = work;
    crew->context = context;
    crew->pieces = pieces;
    atomic_store(&crew->next, 0);
    crew->wanted = threads;
    crew->busy = threads - 1;
    crew->turn++;
    pthread_cond_broadcast(&crew->begin);
    pthread_mutex_unlock(&crew->lock);
    take_pieces(crew, 0);
    pthread_mutex_lock(&crew->lock);
    while (crew->busy > 0) wait_for_others(crew);
    pthread_mutex_unlock(&crew->lock);
}

typedef struct {
    void (*job)(void *data, int i);
    void *data;
} crew_job;

static void do_job(void *context, int piece, int member) {
    const crew_job *own = context;
    (void)member;
    own->job(own->data, piece);
}

static void run_jobs(void *crew, int count, void (*job)(void *data, int i), void *data) {
    crew_job own = {job, data};
    tact_crew_run(crew, ((tact_crew *)crew)->width, count, do_job, &own);
}

tact_threads tact_crew_threads(tact_crew *crew, int threads) {
    TACT_ASSERT(crew && threads > 0);
    crew->width = threads;
    return (tact_threads){.run = run_jobs, .crew = crew, .width = threads};
}

void tact_crew_free(tact_crew *crew) {
    if (!crew) return;
    // After a fork the child has no threads to wait for.
    if (crew->owner == getpid()) {
        pthread_mutex_lock(&crew->lock);
        crew->closing = true;
        pthread_cond_broadcast(&crew->begin);
        pthread_mutex_unlock(&crew->lock);
        for (int i = 0; i < crew->started; i++) pthread_join(crew->thread[i], NULL);
        pthread_cond_destroy(&crew->begin);
        pthread_cond_destroy(&crew->end);
        pthread_mutex_destroy(&crew->lock);
    }
    tact_memory_release(crew);
}
