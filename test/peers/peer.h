// SPDX-License-Identifier: MIT
// What the comparisons with other solvers share: a clock, medians, and the barrier problems that both sides solve.
#ifndef TACT_PEER_H
#define TACT_PEER_H

#include "tact/json.h"
#include "tact/tact.h"

// min over d  1/2 d'P d + b'd - (1/kappa) sum log(nu_n^2/mu^2 - |nu_t|^2),  nu = J d + c; everything dense
typedef struct {
    int n, nc;
    double *P, *b, *J, *c, *mu;  // (n, n), (n), (3 nc, n), (3 nc), (nc)
    double kappa;
    double *x0;         // (n) where both begin
    char category[24];  // as the file says
    bool step;          // a whole step: state and command of the lesson's scene
    tact_real *q;       // (nq) of the step
    tact_real *u;       // (nu)
} peer_case;

typedef struct {
    peer_case *item;
    int count;
} peer_cases;

// Seconds since some moment; of processor that this thread had, which what else runs does not change.
double peer_clock(void);
double peer_processor(void);

// Sorts the samples; their median.
double peer_median(double *sample, int count);

// The steps of ../shared/oracle/steps.jsonl, and the problems of ../shared/oracle/barrier.jsonl that the hand
// makes; without that folder the states of data/golden/six_contacts.jsonl.
peer_cases peer_load(const tact_scene *lesson);

// The tact side: one whole step, and one solve of the problem that was prepared last, from cold. They return iterations, or a
// negative status.
void peer_prepare(const peer_case *item);
int peer_solve(const peer_case *item, tact_real *x);
int peer_step(const tact_scene *lesson, const peer_case *item);

#endif
