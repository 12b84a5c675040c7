// SPDX-License-Identifier: MIT
// Parts of the solvers for linear complementarity problems. A case is a problem without bounds (z >= 0) with its solution.
#ifndef TACT_SOLVE_LCP_H
#define TACT_SOLVE_LCP_H

#include "math/elementary.h"
#include "tact/lcp.h"

typedef struct {
    int n;
    const tact_real *M, *q;
    tact_lcp_work *work;
    tact_real *z, *w;
    unsigned char *active;  // whether z_i is basic (nonzero)
    bool symmetric;
    int pivots;
    tact_real tolerance, residual;
    tact_real magnification;  // max_i sum_j |M_ij z_j| / max |q_i|: large where z diverges along a ray
} tact_lcp_case;

// From this magnification on a solution is not accepted at once.
#define TACT_LCP_FAR (1 / (64 * tact_sqrt(TACT_EPS)))

typedef enum { TACT_LCP_FOUND, TACT_LCP_ON_RAY, TACT_LCP_STOPPED } tact_lcp_end;

// Vector (rows) number k of the work's scratch, and index list number k.
static inline tact_real *tact_lcp_vector(const tact_lcp_work *work, int k) {
    return work->vector + (size_t)k * (size_t)work->stride;
}
static inline int *tact_lcp_index(const tact_lcp_work *work, int k) {
    return work->index + (size_t)k * (size_t)(3 * work->rows + 2);
}

// y += a0 r0 + a1 r1 + a2 r2 + a3 r3, in this order.
static inline void tact_lcp_add_four(tact_real *restrict y, const tact_real *const r[4], const tact_real a[4], int n) {
    const tact_real *r0 = r[0], *r1 = r[1], *r2 = r[2], *r3 = r[3];
    tact_real a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (int j = 0; j < n; j++) y[j] = y[j] + a0 * r0[j] + a1 * r1[j] + a2 * r2[j] + a3 * r3[j];
}

// y += sum of a_k row[list_k], for a matrix with rows of length n.
static inline void tact_lcp_add_rows(tact_real *y, const tact_real *M, int n, const int *list, const tact_real *a, int count) {
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        const tact_real *r[4];
        for (int l = 0; l < 4; l++) r[l] = M + (size_t)list[k + l] * (size_t)n;
        tact_lcp_add_four(y, r, a + k, n);
    }
    for (; k < count; k++) tact_add_row(y, a[k], M + (size_t)list[k] * (size_t)n, n);
}

// x'y in four interleaved sums.
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

// Residual of one unknown: the median of (z - lo) unit, w relative to its terms, and (z - hi) unit, in magnitude. unit: 1 / max
// |z|.
static inline tact_real tact_lcp_mismatch(tact_real w, tact_real z, tact_real low, tact_real high, tact_real unit) {
    tact_real above = low > -TACT_MAX ? (z - low) * unit : TACT_MAX, below = high < TACT_MAX ? (z - high) * unit : -TACT_MAX;
    return tact_fabs(tact_max(below, tact_min(above, w)));
}

// Clips z at 0; sets active, w, residual and magnification. True when the residual is within the tolerance.
bool tact_lcp_judge(tact_lcp_case *c);

// Replaces a status by TACT_BAD_INPUT if the solution has overflowed.
tact_status tact_lcp_finish(tact_status status, int n, const tact_lcp_solution *solution);

// Solves M_FF z_F = -q_F for the set in active, z = 0 outside, with iterative refinement; true when it is within the tolerance.
bool tact_lcp_polish(tact_lcp_case *c);

// Solves a problem of up to TACT_LCP_SMALL unknowns with symmetric M, from the set given by q or, if warm, by the solution.
// False when that does not succeed.
#define TACT_LCP_SMALL 24
bool tact_lcp_small(const tact_lcp_problem *problem, const tact_lcp_options *options, tact_lcp_solution *solution);

// Block principal pivoting from the set in active.
bool tact_lcp_block(tact_lcp_case *c, int limit);

// Principal pivoting of a symmetric positive semi-definite M, from z = 0.
bool tact_lcp_principal(tact_lcp_case *c, int limit);

// Lemke's method with covering vector number k; 0 is e.
tact_lcp_end tact_lcp_lemke(tact_lcp_case *c, int k, int limit, tact_real *ray);

// Feasibility of M z + q >= 0, z >= 0: FOUND; ON_RAY: infeasible, with certificate y; STOPPED: undecided by rounding.
tact_lcp_end tact_lcp_feasible(tact_lcp_case *c, tact_real *y);

bool tact_lcp_interior(tact_lcp_case *c, int limit);

// Projected Gauss-Seidel on the problem with its bounds. Returns the number of sweeps.
int tact_lcp_sweep(const tact_lcp_problem *problem, tact_real *z, tact_real *w, int limit, tact_real tolerance);

// Reduction of a problem with bounds to one without, in the work; and z of the problem from x of the reduced one.
typedef struct {
    int n, kept;    // unknowns of the reduced problem; the first `kept` are unknowns of the problem
    int reduced;    // free unknowns that were eliminated
    int *variable;  // (n) unknown of each; for an added one -1 - the place of its twin
} tact_lcp_reduction;
void tact_lcp_reduce(const tact_lcp_problem *problem, tact_lcp_work *work, tact_lcp_reduction *reduction);
// Whether there is room for the unknowns that the bounds add.
bool tact_lcp_bounds_fit(const tact_lcp_problem *problem, const tact_lcp_work *work);

void tact_lcp_expand(const tact_lcp_problem *problem, tact_lcp_work *work, const tact_lcp_reduction *reduction,
                     const tact_real *x, tact_real *z);

// State of z_i: at its lower bound, at its upper bound, or between them; and the active set of the reduced problem from that.
tact_lcp_state tact_lcp_state_of(const tact_lcp_problem *problem, int i, tact_real z, tact_real w);
void tact_lcp_warm(const tact_lcp_problem *problem, const tact_lcp_reduction *reduction, const unsigned char *state,
                   unsigned char *active);

// Enumerates all active sets until the list is full; with an empty list it stops at the first solution. False when rounding
// left a set undecided.
bool tact_lcp_every(tact_lcp_case *c, tact_lcp_list *list);

// Equilibrates: table = E M D, vectors 0 and 1 = E and D (powers of two), vector 2 = E q / *size.
void tact_lcp_equilibrate(tact_lcp_case *c, tact_real *size);

#endif
