// SPDX-License-Identifier: MIT
// Convex quadratic programs by a dual active set method, exact at the active constraints.
#ifndef TACT_SOLVE_CONVEX_H
#define TACT_SOLVE_CONVEX_H

#include "tact/qcqp.h"

// Relative difference below which results of a few hundred operations count as equal.
#ifdef TACT_FLOAT
#define TACT_CLOSE 1e-4f
#else
#define TACT_CLOSE 1e-9
#endif

typedef enum {
    TACT_ROW_OFF,
    TACT_ROW_AT_LEAST,  // >= 0
    TACT_ROW_EQUAL,     // = 0
} tact_row_kind;

// min 1/2 x'G x + a'x subject to rows r'x + c of the given kinds; G positive semi-definite.
typedef struct {
    int n, m;
    const tact_real *G;         // (n, n)
    const tact_real *a;         // (n)
    const tact_quadratic *row;  // (m) their linear parts
    const unsigned char *kind;  // (m) tact_row_kind
} tact_convex_problem;

typedef struct {
    tact_real *G;         // (n, n) G + rho I, then its factor L in the lower triangle
    tact_real *J;         // (n, n) rows: the columns of L^-T Q, where Q'L^-1 N = (R; 0)
    tact_real *R;         // (n, n) columns: upper triangle of the active rows
    tact_real *a;         // (n) a - rho times the centre of the proximal step
    tact_real *y, *d;     // (n)
    tact_real *z;         // (n) direction
    tact_real *r;         // (n) direction of the multipliers
    tact_real *u;         // (n) multipliers of the active rows
    tact_real *center;    // (n) centre of the proximal step
    tact_real *sign;      // (n) sign of each active row's normal
    tact_real *norm;      // (m) of the rows
    int *active;          // (n) rows
    unsigned char *held;  // (m) whether a row is active, or depends on the active ones
    int q;                // number of active rows
    tact_real reach;      // largest |x| in a proximal step, for the rounding of x
    int n, m;             // capacities
    int contrary;         // row that is infeasible together with the active ones
    tact_real side;       // sign of its normal
    bool lost;            // numbers overflowed
} tact_convex_work;

void tact_convex_place(tact_convex_work *work, int n, int m, tact_arena *arena);

// Whether G is positive semi-definite, to rounding of its largest diagonal entry.
bool tact_convex_holds(const tact_convex_problem *problem, tact_convex_work *work);

// Starts at x; returns x and the multipliers (m). TACT_CONVERGED, TACT_INFEASIBLE, TACT_SINGULAR (unbounded below, x far along
// the ray), or TACT_ITERATION_LIMIT. The multipliers of INFEASIBLE are a certificate: with them the rows add up to a negative
// number, to rounding.
tact_status tact_convex_solve(const tact_convex_problem *problem, tact_convex_work *work, tact_real *x, tact_real *multiplier);

#endif
