// SPDX-License-Identifier: MIT
// Several processes for one batch. Rank 0 has the store and hands out chunks; the others compute and send their results to it, so
// that one process alone writes. Without MPI there is one rank.
#ifndef TACT_APP_RANKS_H
#define TACT_APP_RANKS_H

#include "app/batch_run.h"

typedef struct tact_ranks tact_ranks;

// Before anything is read: this process's rank. NULL is never returned.
tact_ranks *tact_ranks_begin(void);
int tact_ranks_rank(const tact_ranks *ranks);
int tact_ranks_count(const tact_ranks *ranks);

// The ranks begun, for a job of rank 0.
tact_ranks *tact_ranks_of_job(const tact_batch_job *job);

// Rank 0 tells all whether it goes on: each rank gives its own answer and digest and gets rank 0's code. Ranks that read other
// files than rank 0 get TACT_EXIT_REFUSED, and so do all.
int tact_ranks_agree(tact_ranks *ranks, int code, const char *digest);

// Rank 0: answers what the others ask, without waiting. *waiting: the chunk to hand out next, -1 for none. The exit code,
// after a message when one of them failed.
int tact_ranks_serve(tact_ranks *ranks, tact_batch_job *job, long long *waiting);

// Steps that the others made.
long long tact_ranks_steps(const tact_ranks *ranks);

// Rank 0: lets the others end. The others: compute until then; the exit code.
void tact_ranks_dismiss(tact_ranks *ranks);
int tact_ranks_work(tact_ranks *ranks, const tact_batch *batch, int threads);

void tact_ranks_end(tact_ranks *ranks);

#endif
