// SPDX-License-Identifier: MIT
// Problems stated as matrices in JSON, and a barrier problem of that form laid out for the solver: its unknowns in an order with
// a small envelope, without the columns that a contact does not touch.
//
//     min over x   1/2 x'P x + b'x - (1/kappa) sum_i log(nu_n^2/mu^2 - |nu_t|^2),   nu = J x + c
//
// x0 is read, and has no part in the answer: neither its numbers nor its status are to depend on where one would begin. Hosted.
#ifndef TACT_PROBLEM_H
#define TACT_PROBLEM_H

#include "tact/json.h"
#include "tact/memory.h"
#include "tact/solve.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct tact_problem_parts tact_problem_parts;

// Ends with tact_problem_free.
typedef struct {
    // as read
    int n, nc;
    bool diagonal;                       // P holds its diagonal only
    tact_real kappa;                     //
    tact_real *P, *b, *J, *c, *mu, *x0;  // (n or n n), (n), (3 nc, n), (3 nc), (nc), (n)

    // after tact_problem_solve
    tact_real *x;                    // (n) the minimiser, as numbered in the input
    tact_barrier_solution solution;  // lambda: (3 nc) forces, or the certificate at unit length; d is in the solver's order

    tact_problem_parts *parts;  // order, problem and scratch of the solver
    void *memory[3];
} tact_problem;

// Reads the problem in an object. False when something was reported to json's errors.
bool tact_problem_read(tact_problem *problem, const tact_json *json, int object);

// Solves it. CONVERGED: x and lambda are within 1e-8 of the minimum's, relative to the largest of each; ITERATION_LIMIT: x is
// feasible; INFEASIBLE: lambda proves it; UNDECIDED, SINGULAR, BAD_INPUT (products overflow): no answer.
tact_status tact_problem_solve(tact_problem *problem, int max_iterations);

// Frees the matrices and the solution, and sets the problem to zero.
void tact_problem_free(tact_problem *problem);

// Numbers of a problem: in their range, and none larger than the solvers take.
bool tact_problem_get_number(const tact_json *json, int node, tact_range range, tact_real *value);

// count such numbers of an array of that length.
bool tact_problem_get_vector(const tact_json *json, int node, int count, tact_range range, tact_real *values);

// Of a problem whose numbers may be: their products overflow, or a sharpness has no inverse.
void tact_problem_refuse_products(const tact_json *json);

// Out of memory, at the line.
void tact_problem_report_memory(const tact_json *json);

// tact_memory_place; NULL after reporting that there is none.
void *tact_problem_place(tact_memory_placer *place, void *context, const tact_json *json);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
