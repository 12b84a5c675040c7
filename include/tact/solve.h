// SPDX-License-Identifier: MIT
// The barrier problem as matrices only:
//
//     min over d   1/2 d'P d + p'd - sum_i (1/kappa_i) log(nu_n^2/mu^2 - |nu_t|^2) - sum_j (1/kappa_j) log(nu_j^2)
//
// with nu_i = J_i d + c_i in the friction cone nu_n > mu |nu_t| of contact i, and nu_j = sign d_column + c_j > 0 for bound j.
// The forces are lambda_i = (2/kappa_i) (nu_n, -mu^2 nu_t) / (nu_n^2 - mu^2 |nu_t|^2) and lambda_j = 2/(kappa_j nu_j).
#ifndef TACT_SOLVE_H
#define TACT_SOLVE_H

#include "tact/base.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// A symmetric matrix by the lower envelope: row i holds columns first[i] to i, without gaps.
typedef struct {
    int n;
    int *first;        // (n) first stored column of each row
    int *start;        // (n + 1) where each row begins in value
    tact_real *value;  // (start[n])
} tact_skyline;

// A contact with friction. With mu = 0 the tangents have no effect, and the law is -(1/kappa) log(nu_n^2).
typedef struct {
    int width;           // number of unknowns that move the contact
    const int *column;   // (width) which, ascending
    const tact_real *J;  // (3, width) rows normal, tangent, tangent
    tact_real c[3];      // nu at d = 0 [m]
    tact_real mu;        // >= 0
    tact_real kappa;     // [1/J]
} tact_cone;

// A limit of one unknown: nu = sign d_column + c > 0.
typedef struct {
    int column;
    tact_real sign;   // 1 or -1
    tact_real c;      // nu at d = 0
    tact_real kappa;  // [1/J]
} tact_bound;

typedef struct {
    int n, ncone, nbound;
    tact_skyline P;           // symmetric positive semi-definite
    const tact_real *p;       // (n)
    const tact_cone *cone;    // (ncone)
    const tact_bound *bound;  // (nbound)
} tact_barrier_problem;

// Tolerance on the force balance, on the gaps and on kappa nu'lambda / 2 = 1, dimensionless.
#ifdef TACT_FLOAT
#define TACT_TOLERANCE 3e-5f
#else
#define TACT_TOLERANCE 1e-12
#endif

typedef struct {
    int max_iterations;   // factorisations in all, including the search for a feasible start or a certificate
    tact_real tolerance;  // TACT_TOLERANCE
    bool warm;            // start from the forces in the solution if they are inside their cones
} tact_barrier_options;

typedef struct {
    tact_real *d;             // (n) the minimiser
    tact_real *lambda;        // (ncone, 3) forces normal, tangent, tangent; the certificate when infeasible
    tact_real *bound_lambda;  // (nbound) forces of the bounds; the certificate's part when infeasible
    int iterations;           // factorisations spent, at most max_iterations
    tact_real decrement;      // how far kappa nu'lambda / 2 is from 1 and nu from lambda's direction: about their relative error,
                              // with that of rounding where it is above 1e-6 (float: 5e-3); on TACT_ITERATION_LIMIT at least the
                              // balance
    tact_real balance;        // residual of the force balance relative to the largest force
    bool nearer;              // on TACT_UNDECIDED: the budget is spent, and d is a displacement whose most closed gap (nu_n - mu
                              // |nu_t|, of a bound nu) is less closed than that of d = 0; with forces in their cones
} tact_barrier_solution;

typedef struct tact_cone_iterate tact_cone_iterate;
typedef struct tact_bound_iterate tact_bound_iterate;
typedef struct tact_cone_layout tact_cone_layout;
typedef struct tact_sparse tact_sparse;

// Unknowns have places: the shared ones first, as rows of H, then those that one cone alone moves, cone by cone, then the rest.
typedef struct {
    int *place;                 // (n) of each unknown
    int *unknown;               // (n) at each place
    tact_skyline H;             // P + sum J'B J of the shared unknowns, factored L D L'
    tact_real *pivot;           // (n) reciprocals of D, and of P's diagonal where unknowns are not shared
    tact_real *diagonal;        // (n) of P, by place
    tact_real *p, *d;           // (n) gradient and iterate, by place
    tact_real *g;               // (n) P d + p - J'lambda of the shared ones
    tact_real *step;            // (n) direction of the shared ones
    tact_real *response;        // (n) direction of the shared ones when the margin of phase 1 grows
    tact_real *J;               // (columns, 3) all cones' Jacobians, tangents times mu
    int *row;                   // (columns) place of the unknown of each
    tact_cone_layout *layout;   // (ncone) where each cone is in the arrays
    int *column_at;             // (columns) where the cones' columns are in J, in their own order
    int *held;                  // (n) of the problem that the places are for: how P holds each unknown ...
    int *column;                // (columns) ... the cones' columns, one cone's behind the other's ...
    int held_n;                 // ... how many unknowns there are, -1 before the first problem ...
    int held_cones;             // ... cones ...
    int held_bounds;            // ... and bounds: a problem with the same keeps them
    bool full;                  // the factor of this problem has more entries than there is room for
    tact_real *wide;            // (columns, 3, lanes) J of the cones that are worked on side by side
    tact_cone_iterate *cone;    // (ngroup) these cones
    int ngroup;                 //
    tact_bound_iterate *bound;  // (nbound)
    tact_sparse *sparse;        // of large works: the matrix by supernodes, which then stands for H's entries and their layout
    int n, ncone, nbound;       // capacities
    int columns, envelope;      //
} tact_barrier_work;

// The largest problem that a work has to hold.
typedef struct {
    int n, ncone, nbound;
    int columns;   // sum of the widths of the cones; n ncone always suffices
    int envelope;  // entries of the lower envelope of P + J'J; n (n + 1) / 2 always suffices
} tact_barrier_size;

// Places the work for problems up to that size in the arena, which must outlive it; one per thread.
void tact_barrier_place(tact_barrier_work *work, tact_barrier_size size, tact_arena *arena);

// Threads for the factorisations of large problems: see tact_work_share.
void tact_barrier_share(tact_barrier_work *work, tact_threads threads);

// 100 iterations at most, the tolerance TACT_TOLERANCE, and no warm start.
tact_barrier_options tact_barrier_options_default(void);

// What tact_barrier_solve refuses: the first number of "options.tolerance" (above 0, below 1), "options.max_iterations", "p",
// "P.value", "cone.mu", "cone.kappa", "cone.c", "cone.J", "bound.sign", "bound.kappa", "bound.c" that is not finite, too large or
// outside its range.
tact_fault tact_barrier_check(const tact_barrier_problem *problem, const tact_barrier_options *options);

// Solves the problem; the arrays of solution are the caller's. TACT_CONVERGED: the bound on the rounding error of d and lambda is
// less than 0.5 % of the largest entry of each (float: 50 %; most are accurate to the tolerance). TACT_ITERATION_LIMIT.
// TACT_INFEASIBLE: with the certificate lambda /= 0, mu lambda_n >= |lambda_t| and c'lambda < 0 by more than |J'lambda| times any
// d that is no longer than 16384 (float: 64) times the lengths |c| / |J|, rounding included. TACT_UNDECIDED: the budget or the
// precision sufficed for neither. TACT_SINGULAR, TACT_BAD_INPUT.
tact_status tact_barrier_solve(const tact_barrier_problem *problem, const tact_barrier_options *options, tact_barrier_work *work,
                               tact_barrier_solution *solution);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
