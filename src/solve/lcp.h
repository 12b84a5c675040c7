// SPDX-License-Identifier: MIT
// The parts of the solvers for linear complementarity problems. A case is one plain problem (z >= 0) with its answer.
#ifndef TACT_SOLVE_LCP_H
#define TACT_SOLVE_LCP_H

#include "math/elementary.h"
#include "tact/lcp.h"

typedef struct {
    int n;
    const tact_real *M, *q;
    tact_lcp_work *work;
    tact_real *z, *w;
    unsigned char *active;  // z is not zero
    bool symmetric;
    int pivots;
    tact_real tolerance, residual;
    tact_real swell;  // max of sum_j |M_ij z_j| over max |q_i|: large where z runs off along a ray
} tact_lcp_case;

// A swell from which on a solution is not taken at once.
#define TACT_LCP_FAR (1 / (64 * tact_sqrt(TACT_EPS)))

typedef enum { TACT_LCP_FOUND, TACT_LCP_ON_RAY, TACT_LCP_STOPPED } tact_lcp_end;

// vector (rows) number k of the work; each method uses them as it likes
static inline tact_real *tact_lcp_vector(const tact_lcp_work *work, int k) {
    return work->vector + (size_t)k * (size_t)work->stride;
}
static inline int *tact_lcp_index(const tact_lcp_work *work, int k) {
    return work->index + (size_t)k * (size_t)(3 * work->rows + 2);
}

// y += a0 r0 + a1 r1 + a2 r2 + a3 r3 and y += a r, in this order
static inline void tact_lcp_add_four(tact_real *restrict y, const tact_real *const r[4], const tact_real a[4], int n) {
    const tact_real *r0 = r[0], *r1 = r[1], *r2 = r[2], *r3 = r[3];
    tact_real a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (int j = 0; j < n; j++) y[j] = y[j] + a0 * r0[j] + a1 * r1[j] + a2 * r2[j] + a3 * r3[j];
}
static inline void tact_lcp_add_row(tact_real *restrict y, const tact_real *restrict r, tact_real a, int n) {
    for (int j = 0; j < n; j++) y[j] += a * r[j];
}

// y += sum of a_k row[list_k] of a matrix with rows of n
static inline void tact_lcp_add_rows(tact_real *y, const tact_real *M, int n, const int *list, const tact_real *a, int count) {
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        const tact_real *r[4];
        for (int l = 0; l < 4; l++) r[l] = M + (size_t)list[k + l] * (size_t)n;
        tact_lcp_add_four(y, r, a + k, n);
    }
    for (; k < count; k++) tact_lcp_add_row(y, M + (size_t)list[k] * (size_t)n, a[k], n);
}

// x'y in four interleaved sums
static inline tact_real tact_lcp_dot(const tact_real *x, const tact_real *y, int n) {
    tact_real s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        s0 += x[j] * y[j];
        s1 += x[j + 1] * y[j + 1];
        s2 += x[j + 2] * y[j + 2];
        s3 += x[j + 3] * y[j + 3];
    }
    for (; j < n; j++) s0 += x[j] * y[j];
    return (s0 + s2) + (s1 + s3);
}

// One unknown's part of the residual: of the distance above lo, w over its size, and the distance below hi with its sign, the
// middle one. unit: 1 / max |z|.
static inline tact_real tact_lcp_mismatch(tact_real w, tact_real z, tact_real low, tact_real high, tact_real unit) {
    tact_real above = low > -TACT_MAX ? (z - low) * unit : TACT_MAX, below = high < TACT_MAX ? (z - high) * unit : -TACT_MAX;
    return tact_fabs(tact_max(below, tact_min(above, w)));
}

// Clips z at 0, sets active, w, residual and swell. True when the residual is within the tolerance.
bool tact_lcp_judge(tact_lcp_case *c);

// A status with what it promises: TACT_BAD_INPUT where the numbers given back are none.
tact_status tact_lcp_finish(tact_status status, int n, const tact_lcp_solution *solution);

// Solves M_FF z_F = -q_F for the set in active, with refinement, and checks. The rest of z is 0.
bool tact_lcp_polish(tact_lcp_case *c);

// A problem of up to TACT_LCP_SMALL unknowns with a symmetric M, from q or, warm, from the set in the solution. False where
// that does not do.
#define TACT_LCP_SMALL 24
bool tact_lcp_small(const tact_lcp_problem *problem, const tact_lcp_options *options, tact_lcp_solution *solution);

// Block principal pivoting from the set in active.
bool tact_lcp_block(tact_lcp_case *c, int limit);

// Principal pivoting of a symmetric positive semi-definite M, from z = 0.
bool tact_lcp_principal(tact_lcp_case *c, int limit);

// Lemke with the covering vector number k: 0 is e.
tact_lcp_end tact_lcp_lemke(tact_lcp_case *c, int k, int limit, tact_real *ray);

// Whether M z + q >= 0, z >= 0 has a solution: FOUND; ON_RAY: none, and y proves it; STOPPED: rounding hides it.
tact_lcp_end tact_lcp_feasible(tact_lcp_case *c, tact_real *y);

bool tact_lcp_interior(tact_lcp_case *c, int limit);

// Projected Gauss-Seidel on the problem with its bounds, from z. Returns the sweeps done.
int tact_lcp_sweep(const tact_lcp_problem *problem, tact_real *z, tact_real *w, int limit, tact_real tolerance);

// The plain problem behind one with bounds, in the work; false when a bound is not a number or lo > hi. Then z of the problem
// from that of the plain one.
typedef struct {
    int n, kept;    // unknowns of the plain problem; those before the ones that were added
    int reduced;    // free unknowns that were eliminated
    int *variable;  // (n) unknown of each; of one that was added, -1 - the place of its twin
} tact_lcp_reduction;
void tact_lcp_reduce(const tact_lcp_problem *problem, tact_lcp_work *work, tact_lcp_reduction *reduction);
// Is there room for the unknowns that the bounds add?
bool tact_lcp_bounds_fit(const tact_lcp_problem *problem, const tact_lcp_work *work);

void tact_lcp_expand(const tact_lcp_problem *problem, tact_lcp_work *work, const tact_lcp_reduction *reduction,
                     const tact_real *x, tact_real *z);

// Whether z_i stands at its lower bound, its upper one or between them; and the active set of the plain problem from that.
tact_lcp_state tact_lcp_state_of(const tact_lcp_problem *problem, int i, tact_real z, tact_real w);
void tact_lcp_warm(const tact_lcp_problem *problem, const tact_lcp_reduction *reduction, const unsigned char *state,
                   unsigned char *active);

// Every active set, until the list is full; a list without room stops at the first solution, which is then the answer.
// False when rounding left a set undecided.
bool tact_lcp_every(tact_lcp_case *c, tact_lcp_list *list);

// Fills table with E M D and vectors 0 and 1 with E and D, powers of two, and vector 2 with E q over *size.
void tact_lcp_equilibrate(tact_lcp_case *c, tact_real *size);

#endif
