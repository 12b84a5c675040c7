// SPDX-License-Identifier: MIT
// Linear complementarity problems: find z with
//
//     w = M z + q,   w >= 0,  z >= 0,  w'z = 0
//
// and with bounds lo <= z <= hi: w_i >= 0 where z_i = lo_i, w_i <= 0 where z_i = hi_i, w_i = 0 in between; a free z_i has
// w_i = 0. Methods: block principal pivoting, lexicographic Lemke, interior point, projected Gauss-Seidel, enumeration.
// An answer is judged by a dimensionless residual, independent of the scale of M and q:
//
//     max_i |min(z_i / max z, w_i / (|q_i| + sum_j |M_ij z_j|))|
//
// Sources: Cottle, Pang and Stone, The Linear Complementarity Problem, 1992; Judice and Pires 1994 (block pivoting).
#ifndef TACT_LCP_H
#define TACT_LCP_H

#include "tact/base.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TACT_LCP_AUTO,       // chosen by M; tries the others if one fails
    TACT_LCP_PIVOT,      // block principal pivoting: P matrices, and symmetric positive semi-definite ones
    TACT_LCP_LEMKE,      // Lemke with the covering vector e, lexicographic: positive semi-definite, P0, copositive-plus
    TACT_LCP_INTERIOR,   // primal-dual interior point with crossover: positive semi-definite, symmetric or not
    TACT_LCP_SWEEP,      // projected Gauss-Seidel: approximate, positive diagonal only
    TACT_LCP_ENUMERATE,  // every active set, n <= TACT_LCP_ENUMERATE_MAX
} tact_lcp_method;

#define TACT_LCP_ENUMERATE_MAX 12

// On the residual.
#ifdef TACT_FLOAT
#define TACT_LCP_TOLERANCE 1e-4f
#else
#define TACT_LCP_TOLERANCE 1e-10
#endif

typedef struct {
    int n;
    const tact_real *M;   // (n, n) row-major, any matrix; symmetry is detected
    const tact_real *q;   // (n)
    const tact_real *lo;  // (n) NULL: zeros; -TACT_MAX or less: no bound
    const tact_real *hi;  // (n) NULL: none; TACT_MAX or more: no bound
} tact_lcp_problem;

typedef struct {
    tact_lcp_method method;
    int max_pivots;       // of one method; sweeps of Gauss-Seidel. 0: a limit that suits the method and n
    tact_real tolerance;  // TACT_LCP_TOLERANCE
    bool warm;            // try the active set in the solution first: one factorisation if it is unchanged
} tact_lcp_options;

typedef enum { TACT_LCP_OPEN = 0, TACT_LCP_ACTIVE = 1, TACT_LCP_UPPER = 2 } tact_lcp_state;

typedef struct {
    tact_real *z;            // (n)
    tact_real *w;            // (n) M z + q
    tact_real *ray;          // (n) infeasible: y >= 0 with M'y <= 0, q'y < 0. ray: the direction of Lemke's ray
    unsigned char *active;   // (n) tact_lcp_state: z at its lower bound, between (w = 0), at its upper bound
    tact_lcp_method method;  // that found the answer
    int pivots;              // exchanges, factorisations, sweeps or sets tried, of all methods
    tact_real residual;      // as defined at the head of this file
} tact_lcp_solution;

// Scratch.
typedef struct {
    int n, rows, stride;    // capacity: unknowns, with those that bounds add, numbers of a row
    tact_real *table;       // (rows, stride) dictionary
    tact_real *factor;      // (rows, stride) Cholesky or LU
    tact_real *vector;      // (17, stride)
    int *index;             // (5, 3 rows + 2)
    unsigned char *active;  // (rows)
    unsigned char *trial;   // (rows)
    // only for bounds: the equivalent plain problem, and how it was reduced
    tact_real *M, *q;       // (rows, rows), (rows)
    tact_real *eliminated;  // (n, stride)
    int *reduction;         // (4 n + 2 rows)
} tact_lcp_work;

// The method TACT_LCP_AUTO with its own limit of pivots, the tolerance TACT_LCP_TOLERANCE, and no warm start.
tact_lcp_options tact_lcp_options_default(void);

// Places the scratch for up to n unknowns in the arena; one per thread. doubled: -1 for plain problems; otherwise how many
// unknowns may have two finite bounds or none.
void tact_lcp_place(tact_lcp_work *work, int n, int doubled, tact_arena *arena);

// Places z, w, ray and active, each (n), in the arena.
void tact_lcp_solution_place(tact_lcp_solution *solution, int n, tact_arena *arena);

// What tact_lcp_solve refuses: the first number of "options.tolerance" (above 0, below 1), "options.method",
// "options.max_pivots", "q", "M", "lo", "hi" that is not finite, larger than TACT_MOST_NUMBER or outside its range.
tact_fault tact_lcp_check(const tact_lcp_problem *problem, const tact_lcp_options *options);

// Solves the problem. solution's arrays are the caller's; with options->warm its active set is the start. Statuses:
// TACT_CONVERGED: the residual is within the tolerance.
// TACT_INFEASIBLE: M z + q >= 0, z >= 0 contradict each other; ray has the proof (not with bounds).
// TACT_UNSOLVABLE: no active set gives a solution, but a contradiction was not proven. Only for n <= TACT_LCP_ENUMERATE_MAX.
// TACT_RAY: Lemke's method ended on a ray and the other methods found no solution; this proves nothing.
// TACT_ITERATION_LIMIT: z is the best iterate. TACT_BAD_INPUT: see tact_lcp_check; or intermediate results overflow.
tact_status tact_lcp_solve(const tact_lcp_problem *problem, const tact_lcp_options *options, tact_lcp_work *work,
                           tact_lcp_solution *solution);

// The residual of z, >= 0; sets w = M z + q. With bounds the distances to them replace z.
tact_real tact_lcp_residual(const tact_lcp_problem *problem, const tact_real *z, tact_real *w);

// All solutions of a plain problem with n <= TACT_LCP_ENUMERATE_MAX that are isolated or a vertex of a continuum.
typedef struct {
    tact_real *z;    // (most, n) ordered by active set
    int most;        // room
    int count;       // how many there are; only the first `most` are in z
    bool continuum;  // some active set holds infinitely many
} tact_lcp_list;

// Lists them over all active sets; problems with bounds are not taken. TACT_CONVERGED: list->count is at least 1.
// TACT_UNSOLVABLE: there is none, every set was decided. TACT_SINGULAR: none was found, but some set could not be decided.
// TACT_BAD_INPUT: see tact_lcp_check.
tact_status tact_lcp_enumerate(const tact_lcp_problem *problem, tact_lcp_work *work, tact_lcp_list *list);

// The directional derivative of the solution of a plain problem: dz_F = -M_FF^-1 (dM z + dq)_F with F the active unknowns, 0 for
// the others. False if it has a kink (z_i and w_i both vanish) or is not unique; dz is then that of the active set if M_FF is
// invertible, else 0.
bool tact_lcp_forward(const tact_lcp_problem *problem, const tact_lcp_solution *solution, const tact_real *dM,
                      const tact_real *dq, tact_lcp_work *work, tact_real *dz);

// The reverse product: for a gradient g (n) by z the gradients by q (n) and, unless NULL, by M (n, n). Returns as the forward
// one.
bool tact_lcp_reverse(const tact_lcp_problem *problem, const tact_lcp_solution *solution, const tact_real *g, tact_lcp_work *work,
                      tact_real *by_q, tact_real *by_M);

// Large sparse problems, with M in compressed rows: thousands of unknowns.
typedef struct {
    int n;
    const int *start;        // (n + 1) where each row begins in column and value
    const int *column;       // ascending in each row
    const tact_real *value;  //
    const tact_real *q;      // (n)
    const tact_real *lo;     // (n) as in tact_lcp_problem; bounds only with TACT_LCP_SWEEP
    const tact_real *hi;     // (n)
} tact_lcp_sparse;

typedef struct {
    int n, entries;           // capacities: unknowns, entries of M
    int64_t envelope;         // numbers of the factor
    int *order, *place;       // (n) of elimination
    int *first, *row, *list;  // (n), (n + 1), (n) the factor's rows
    int *scratch;             // to find the order
    bool *mark;               // (n)
    unsigned char *active;    // (n)
    unsigned char *trial;     // (n)
    tact_real *factor;        // (envelope)
    tact_real *scaled;        // (entries) M with a unit diagonal
    tact_real *vector;        // (14, n)
} tact_lcp_sparse_work;

// envelope: what tact_lcp_sparse_order returned; 0 is enough for the order and for TACT_LCP_SWEEP.
void tact_lcp_sparse_place(tact_lcp_sparse_work *work, int n, int entries, int64_t envelope, tact_arena *arena);

// Computes the elimination order. Returns the number of entries of the factor of a symmetric M, or -1 if M is not symmetric or
// its rows are not in order.
int64_t tact_lcp_sparse_order(const tact_lcp_sparse *problem, tact_lcp_sparse_work *work);

// As tact_lcp_check, with "value" for "M".
tact_fault tact_lcp_sparse_check(const tact_lcp_sparse *problem, const tact_lcp_options *options);

// Symmetric positive semi-definite M: block pivoting, or an interior point if that does not end, by envelope Cholesky.
// TACT_LCP_SWEEP: any M with a positive diagonal, approximate. TACT_LCP_AUTO: sweeps if M is not symmetric or has bounds. ray is
// not used; a problem without a solution ends with TACT_ITERATION_LIMIT. TACT_NO_MEMORY if the envelope is larger than that of
// the work.
tact_status tact_lcp_sparse_solve(const tact_lcp_sparse *problem, const tact_lcp_options *options, tact_lcp_sparse_work *work,
                                  tact_lcp_solution *solution);

// As tact_lcp_residual.
tact_real tact_lcp_sparse_residual(const tact_lcp_sparse *problem, const tact_real *z, tact_real *w);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
