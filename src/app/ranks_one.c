// SPDX-License-Identifier: MIT
// One process.
#include "app/app.h"
#include "app/ranks.h"

struct tact_ranks {
    int none;
};

static tact_ranks alone;

tact_ranks *tact_ranks_begin(void) {
    return &alone;
}

int tact_ranks_rank(const tact_ranks *ranks) {
    return ranks->none;
}

int tact_ranks_count(const tact_ranks *ranks) {
    return ranks->none + 1;
}

tact_ranks *tact_ranks_of_job(const tact_batch_job *job) {
    (void)job;
    return &alone;
}

int tact_ranks_agree(tact_ranks *ranks, int code, const char *digest) {
    (void)ranks;
    (void)digest;
    return code;
}

// NOLINTNEXTLINE(readability-non-const-parameter): several processes write it
int tact_ranks_serve(tact_ranks *ranks, tact_batch_job *job, long long *waiting) {
    (void)ranks;
    (void)job;
    (void)waiting;
    return TACT_EXIT_DONE;
}

long long tact_ranks_steps(const tact_ranks *ranks) {
    return ranks->none;
}

void tact_ranks_dismiss(tact_ranks *ranks) {
    (void)ranks;
}

int tact_ranks_work(tact_ranks *ranks, const tact_batch *batch, int threads) {
    (void)ranks;
    (void)batch;
    (void)threads;
    return TACT_EXIT_DONE;
}

void tact_ranks_end(tact_ranks *ranks) {
    (void)ranks;
}
