// SPDX-License-Identifier: MIT
// A barrier problem as a line of JSON states it, laid out for the solver: its unknowns in an order with a small envelope, without
// the columns that a contact does not touch.
//
//     min over x   1/2 x'P x + b'x - (1/kappa) sum_i log(nu_n^2/mu^2 - |nu_t|^2),   nu = J x + c
//
// x0 is read, and has no part in the answer: neither its numbers nor its status are to depend on where one would begin.
#ifndef TACT_APP_PROBLEM_H
#define TACT_APP_PROBLEM_H

#include "solve/ordering.h"
#include "solve/precise.h"
#include "tact/tact.h"

// Ends with tact_problem_free.
typedef struct {
    // as read
    int n, nc;
    bool diagonal;                       // P holds its diagonal only
    tact_real kappa;                     //
    tact_real *P, *b, *J, *c, *mu, *x0;  // (n or n n), (n), (3 nc, n), (3 nc), (nc), (n)

    // what is coupled: the columns of each contact, then those of each row of P; and the order chosen for it
    int sets, members;
    int *start, *member;
    tact_elimination elimination;
    int *order, *place;
    int64_t envelope;

    // for the solver, by place
    int width;  // of all contacts
    int *column;
    tact_real *contact_J;
    tact_real *scaled;  // a copy of P, to see whether it is positive semi-definite
    tact_cone *cone;
    tact_real *p;
    tact_barrier_problem problem;
    tact_barrier_work work;
    tact_precise_work precise;
    tact_barrier_solution solution;

    tact_real *x;  // (n) the minimiser, as numbered in the input
    void *memory[3];
} tact_problem;

// Reads the problem in an object. False when something was reported to json's errors.
bool tact_problem_read(tact_problem *problem, const tact_json *json, int object);

// Solves it, and fills x, solution.lambda and the rest. The status is the one that tact_precise_confirm gives.
tact_status tact_problem_solve(tact_problem *problem, int max_iterations);

void tact_problem_free(tact_problem *problem);

#endif
