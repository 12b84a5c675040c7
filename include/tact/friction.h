// SPDX-License-Identifier: MIT
// Contact with exact Coulomb friction as matrices only: impulses r and velocities u of nc contacts with
//
//     u = W r + q,    r_i in K_i,    u_i + mu_i |u_it| n in K_i* ,    r_i'(u_i + mu_i |u_it| n) = 0
//
// for each cone K_i = {mu r_n >= |r_t|}: separating (r = 0), sticking (u = 0) or sliding (r on the rim, against u_t).
// A block may instead hold three scalar rows with low <= r <= high: u >= 0 where r = low, u <= 0 where r = high, u = 0 between.
// Joint limits are rows with low 0 and high infinite, drives have the limits of their impulse; a row with low = high = 0 is
// inactive. For restitution the caller adds e times the velocity of approach to q.
//
// Answers are judged by the natural map   max |r_i - P_Ki(r_i - (u_i + mu_i |u_it| n) / W_ii)| / max |r|,   W_ii the Frobenius
// norm of the diagonal block (of a scalar row its diagonal entry), or where that is 0 the largest of the others. Impulses
// below the rounding of q/W_ii count as zero, and max |r| counts at most 1e3 |q|/W_ii (300 in float), so that internal stress
// does not loosen the tolerance.
#ifndef TACT_FRICTION_H
#define TACT_FRICTION_H

#include "tact/base.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int nc;                 // blocks of three rows: normal, tangent, tangent, or three scalar rows
    const int *row_start;   // (nc + 1) where each row of blocks begins in column and W; NULL: W is dense
    const int *column;      // (row_start[nc]) ascending within a row; each row holds its diagonal block
    const tact_real *W;     // [1/kg] (row_start[nc], 3, 3) blocks row-major, or dense (3 nc, 3 nc) row-major
    const tact_real *q;     // (nc, 3) [m/s] velocity without impulses
    const tact_real *mu;    // (nc) >= 0; < 0: the block is three scalar rows
    const tact_real *low;   // (nc, 3) [N s] limits of the scalar rows, -TACT_MAX or less: none; NULL: 0
    const tact_real *high;  // (nc, 3) at least low, TACT_MAX or more: none; NULL: none
} tact_friction_problem;

// On the residual.
#ifdef TACT_FLOAT
#define TACT_FRICTION_TOLERANCE 3e-5f
#else
#define TACT_FRICTION_TOLERANCE 1e-10
#endif

typedef struct {
    int max_iterations;   // factorisations
    tact_real tolerance;  // TACT_FRICTION_TOLERANCE
    bool warm;            // start from the impulses in the solution
} tact_friction_options;

typedef struct {
    tact_real *r;        // (nc, 3) [N s] impulses
    tact_real *u;        // (nc, 3) [m/s] W r + q
    tact_real residual;  // of the natural map, relative
    int iterations;      // factorisations spent
    int sweeps;          // passes of single contacts spent
} tact_friction_solution;

// Scratch; filled by tact_friction_place.
typedef struct {
    int nc, blocks;              // capacities
    int *row_start, *column;     // (nc + 1), (blocks) of a dense W
    tact_real *W;                // (blocks, 3, 3)
    tact_real *size, *centre;    // (nc, 3) norms of the diagonal blocks; centre of the proximal term
    tact_real *best, *trial;     // (nc, 3)
    tact_real *F, *A, *B;        // (nc, 3) equations, (nc, 3, 3) their derivatives by u and by r
    tact_real *step, *next, *u;  // (nc, 3)
    tact_real *mu;               // (nc) friction left out
    tact_real *matrix, *right;   // (3 nc, 3 nc), (3 nc) the linear equations of the rows that are not fixed
    tact_real *inner;            // (8, nc, 3) iterate and direction of the interior point
    int *place, *order;          // (3 nc) of each row among these, or -1; order of the pivots
} tact_friction_work;

// Places the scratch for problems of at most nc blocks of rows and the given number of stored blocks of W (dense: nc * nc) in the
// arena; one per thread.
void tact_friction_place(tact_friction_work *work, int nc, int blocks, tact_arena *arena);

// 2000 iterations at most, and the tolerance TACT_FRICTION_TOLERANCE.
tact_friction_options tact_friction_options_default(void);

// What tact_friction_solve refuses: the first number of "options.tolerance" (above 0, below 1), "options.max_iterations", "q",
// "mu", "W", "low", "high", "r" that is not finite, larger than TACT_MOST_NUMBER or outside its range. options, and r (nc, 3),
// the impulses to start from, may be NULL.
tact_fault tact_friction_check(const tact_friction_problem *problem, const tact_friction_options *options, const tact_real *r);

// Solves the problem. The arrays of solution are the caller's; with options->warm r is the start. Returns TACT_CONVERGED,
// TACT_ITERATION_LIMIT (r is inside its cones, but the residual is above the tolerance), TACT_INFEASIBLE (the gaps cannot all
// open: r is then the proof, normal impulses y >= 0 with W'y = 0 and q'y < 0), TACT_BAD_INPUT (see tact_friction_check; or
// intermediate results overflow), TACT_NO_MEMORY (the work is too small).
tact_status tact_friction_solve(const tact_friction_problem *problem, const tact_friction_options *options,
                                tact_friction_work *work, tact_friction_solution *solution);

// The residual of r after projection on its cones; sets u (nc, 3). TACT_MAX if the work is too small.
tact_real tact_friction_residual(const tact_friction_problem *problem, tact_friction_work *work, const tact_real *r,
                                 tact_real *u);

typedef enum {
    TACT_FRICTION_SEPARATING,  // r = 0; of three scalar rows: none is between its limits
    TACT_FRICTION_STICKING,    // u = 0; of three scalar rows: at least one is between its limits
    TACT_FRICTION_SLIDING,     // r on the boundary of its cone
} tact_friction_mode;

// Derivatives of the solution. Valid until the work is used for anything else.
typedef struct {
    tact_friction_mode *mode;  // (nc) caller's: of each contact
    bool kink;                 // a contact is between two modes: the derivative is one-sided, for the present mode
    bool redundant;            // impulses are not unique: dr is one possible change, W dr is unique
    tact_friction_work *work;  // r's equations, factored
    int nc, count;             //
} tact_friction_derivative;

// Linearises the problem at its solution r. TACT_CONVERGED, TACT_SINGULAR (no derivative), TACT_BAD_INPUT, TACT_NO_MEMORY.
tact_status tact_friction_linearise(const tact_friction_problem *problem, const tact_real *r, tact_friction_work *work,
                                    tact_friction_derivative *derivative);

// Forward product: dr (nc, 3) for dw = dW r + dq (nc, 3) and dmu (nc; NULL: none). Limits of scalar rows are held constant.
void tact_friction_forward(const tact_friction_derivative *derivative, const tact_real *dw, const tact_real *dmu, tact_real *dr);

// Reverse product: for a gradient g (nc, 3) by r the gradients by q (nc, 3) and by mu (nc; NULL: not computed). That by W is the
// one by q times r'.
void tact_friction_reverse(const tact_friction_derivative *derivative, const tact_real *g, tact_real *by_q, tact_real *by_mu);

// The same with the disk of friction replaced by a polygon of that many facets (Stewart and Trinkle), as a linear
// complementarity problem w = M z + p, w >= 0, z >= 0, w'z = 0 (scalar rows: low <= z <= high): per contact its normal impulse,
// its impulses along directions d_j at angles 2 pi j / facets, and its speed of sliding:
//
//     u_n _|_ r_n,    d_j'u_t + s _|_ beta_j,    mu r_n - sum beta_j _|_ s .
//
// The number of unknowns: facets + 2 per contact, 3 per block of scalar rows. facets >= 3; the polygon is inscribed.
int tact_friction_polygon_count(const tact_friction_problem *problem, int facets);

// Arrays of the complementarity problem: M (n, n) row-major, p (n), and low (n), high (n), which may be NULL.
typedef struct {
    tact_real *M, *p, *low, *high;
} tact_friction_polygon;

// Fills them for a problem; low is 0 and high TACT_MAX for unknowns of contacts.
void tact_friction_polygon_fill(const tact_friction_problem *problem, int facets, const tact_friction_polygon *polygon);

// Computes the impulses r (nc, 3) from a solution z.
void tact_friction_polygon_read(const tact_friction_problem *problem, int facets, const tact_real *z, tact_real *r);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
