// SPDX-License-Identifier: MIT
// Contact with exact Coulomb friction as matrices only: impulses r and velocities u of nc contacts with
//
//     u = W r + q,    r_i in K_i,    u_i + mu_i |u_it| n in K_i* ,    r_i'(u_i + mu_i |u_it| n) = 0
//
// for each cone K_i = {mu r_n >= |r_t|}: separating (r = 0), sticking (u = 0) or sliding (r on the rim, against u_t).
// A block may instead hold three scalar rows with low <= r <= high: u >= 0 where r = low, u <= 0 where r = high, u = 0 between.
// Joint limits are rows with low 0 and high infinite, drives have the limits of their impulse, a row with low = high = 0 is
// not there. Restitution is the caller's: it adds e times the velocity of approach to q.
//
// Answers are judged by the natural map   max |r_i - P_Ki(r_i - (u_i + mu_i |u_it| n) / W_ii)| / max |r|,   W_ii the Frobenius
// norm of the diagonal block (of a scalar row its diagonal entry).
#ifndef TACT_FRICTION_H
#define TACT_FRICTION_H

#include "tact/base.h"

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
    int *place, *order;          // (3 nc) of each row among these, or -1; order of the pivots
} tact_friction_work;

// For problems of at most nc blocks of rows, dense or of at most that many stored blocks (dense: nc * nc).
void tact_friction_place(tact_friction_work *work, int nc, int blocks, tact_arena *arena);

tact_friction_options tact_friction_options_default(void);

// TACT_CONVERGED, TACT_ITERATION_LIMIT (r is inside its cones, but its residual is above the tolerance), TACT_INFEASIBLE (no
// r in the cones makes all gaps open), TACT_BAD_INPUT. r always lies inside its cones.
tact_status tact_friction_solve(const tact_friction_problem *problem, const tact_friction_options *options,
                                tact_friction_work *work, tact_friction_solution *solution);

// The residual of the projection of any r; fills u (nc, 3). TACT_MAX when the work is too small.
tact_real tact_friction_residual(const tact_friction_problem *problem, tact_friction_work *work, const tact_real *r,
                                 tact_real *u);

#ifdef __cplusplus
}
#endif

#endif
