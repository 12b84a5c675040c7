// SPDX-License-Identifier: MIT
// Parts of the friction solver: nonlinear Gauss-Seidel sweeps over single contacts, Newton's method and an interior-point
// method on all.
#ifndef TACT_SOLVE_FRICTION_H
#define TACT_SOLVE_FRICTION_H

#include "math/elementary.h"
#include "solve/blocks.h"
#include "tact/friction.h"

enum { TACT_FRICTION_SCRATCH = 48 };  // reals per block of rows

// Bodies or mechanisms (nodes) that the blocks of rows move, with inertias M, so that W = J M^-1 J'. A block of rows is a
// contact or three scalar rows.
typedef struct {
    tact_blocks *blocks;       // nodes in elimination order, with an edge for every two that a block of rows couples
    const tact_real *inertia;  // M of each node, (n, n) with n its unknowns, one after the other
    const int *node;           // (nc, 2) nodes that each block of rows moves; -1: none, the first before the second
    const tact_real *J;        // (nc, 2, stride) Jacobians (3, n) on these nodes
    size_t stride;
    tact_real *motion;   // scratch: one real per unknown of the nodes
    tact_real *scratch;  // (TACT_FRICTION_SCRATCH nc)
} tact_friction_nodes;

// The problem by its stored blocks, with a proximal term: u = W r + q + shift size (r - centre).
typedef struct {
    tact_friction_problem given;       // the problem; row_start is set
    const tact_real *size;             // (nc, 3) magnitude of each row's diagonal block, > 0
    tact_real shift;                   // weight of the proximal term, >= 0
    tact_real stretch;                 // factor of rho in the equations of Alart and Curnier, > 0; sweeps do not use it
    const tact_real *centre;           // (nc, 3) centre of the proximal term
    const tact_friction_nodes *nodes;  // for sparse linear equations; NULL: dense
    const tact_real *slip;  // (nc) sliding speed |u_t| held fixed by the interior-point method; NULL: that of the velocities
} tact_friction_system;

// Velocity u of contact i.
static inline void tact_friction_velocity(const tact_friction_system *system, const tact_real *r, int i, tact_real u[3]) {
    const tact_friction_problem *P = &system->given;
    for (int k = 0; k < 3; k++)
        u[k] = P->q[3 * i + k] + system->shift * system->size[3 * i + k] * (r[3 * i + k] - system->centre[3 * i + k]);
    for (int at = P->row_start[i]; at < P->row_start[i + 1]; at++) {
        const tact_real *W = P->W + 9 * (size_t)at, *x = r + 3 * P->column[at];
        // open contacts have r = 0: skip their blocks
        if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue;
        for (int k = 0; k < 3; k++, W += 3) u[k] += W[0] * x[0] + W[1] * x[1] + W[2] * x[2];
    }
}

// Bounds of an impulse in a scalar row.
static inline tact_real tact_friction_low(const tact_friction_problem *problem, int row) {
    return problem->low ? problem->low[row] : 0;
}

static inline tact_real tact_friction_high(const tact_friction_problem *problem, int row) {
    return problem->high ? problem->high[row] : TACT_MAX;
}

// Sets up the problem by its stored blocks, without a proximal term. False when the work is too small.
bool tact_friction_begin(const tact_friction_problem *problem, tact_friction_work *work, tact_friction_system *system);

// Projects r onto the block's cone or box, or all impulses from `from` to `to`.
void tact_friction_project(const tact_friction_problem *problem, int i, tact_real r[3]);
void tact_friction_project_all(const tact_friction_problem *problem, const tact_real *from, tact_real *to);

// One nonlinear Gauss-Seidel sweep: each contact in turn takes the impulse that solves it exactly with the others fixed.
// Returns the largest change of an impulse.
tact_real tact_friction_sweep(const tact_friction_system *system, tact_real *r);

// At most `count` sweeps of a system with nodes, with Anderson acceleration; fewer when r no longer changes. Returns their
// number.
int tact_friction_sweep_fast(const tact_friction_system *system, tact_friction_work *work, int count, tact_real *r);

// The equations F of Alart and Curnier at r and their derivatives A by u and B by r, into the work. Returns |F|^2.
tact_real tact_friction_equations(const tact_friction_system *system, tact_friction_work *work, const tact_real *r);

#ifdef TACT_FLOAT
#define TACT_FRICTION_RIDGE 1e-4f
#define TACT_FRICTION_LARGE 300
#else
#define TACT_FRICTION_RIDGE 2e-10
#define TACT_FRICTION_LARGE TACT_REAL(1e3)
#endif

typedef struct {
    tact_real ridge;  // added to W's diagonal, relative to its blocks (Tikhonov regularisation of redundant contacts)
    tact_real least;  // smallest accepted pivot, relative to its row
} tact_friction_pivots;

// Factors A W + B for the rows that are not fixed, and sets step of the fixed rows, and right of the others, from -F. A row is
// fixed if its A is zero and so is its entry in keep (NULL: all zero). Returns the number of rows that are not fixed; -1 when a
// pivot is too small.
int tact_friction_factor(const tact_friction_system *system, tact_friction_work *work, const tact_real *keep,
                         tact_friction_pivots pivots);

// Semismooth Newton on the equations of Alart and Curnier from r, until the residual is within the tolerance, no step reduces
// it, or `limit` factorisations are spent. Returns their number.
int tact_friction_newton(const tact_friction_system *system, tact_friction_work *work, tact_real tolerance, int limit,
                         tact_real *r);

// Linear equations of a system with nodes: (A (W + ridge size) + B) step = right.
typedef struct {
    const tact_friction_system *system;
    const tact_real *A, *B;     // (nc, 3, 3) diagonal blocks
    tact_real ridge;            // regularisation relative to size
    tact_real *right, *step;    // (nc, 3) in the scratch of the nodes, as all that follows
    tact_real *inverse, *hold;  // (nc, 3, 3) C^-1 with C = B + ridge size A, and C^-1 A
    tact_real *left, *pull;     // (nc, 3) residual of the equations, and C^-1 times it
    tact_real *own_A, *own_B;   // (nc, 3, 3) memory for A and B
} tact_friction_linear;

// Equations with their vectors in the scratch of the nodes; A, B and ridge are the caller's.
tact_friction_linear tact_friction_linear_of(const tact_friction_system *system);

// False when the equations are singular, or their solution is not finite.
bool tact_friction_linear_factor(const tact_friction_linear *equations);
bool tact_friction_linear_solve(const tact_friction_linear *equations);

// tact_friction_newton for a system with nodes, see solve/friction_nodes.c.
int tact_friction_newton_nodes(const tact_friction_system *system, tact_friction_work *work, tact_real tolerance, int limit,
                               tact_real *r);

// As tact_friction_solve, for a sparse problem of any size, by nodes; the work needs no matrix (see tact_friction_place_nodes).
tact_status tact_friction_solve_by_nodes(const tact_friction_problem *problem, const tact_friction_nodes *nodes,
                                         const tact_friction_options *options, tact_friction_work *work,
                                         tact_friction_solution *solution);

// As tact_friction_place, with a dense matrix for at most `dense` blocks of rows; larger problems need nodes.
void tact_friction_place_nodes(tact_friction_work *work, int nc, int dense, int blocks, tact_arena *arena);

// Interior-point method until the residual is at most aim, it no longer falls, or `limit` factorisations are spent. Returns
// their number. r becomes the best iterate, and is unchanged where scalar rows have bounds other than [0, inf) and [0, 0].
// start > 0: at start times the identity of the cones, in the scale of q and of the diagonal blocks; start < 0: at a point of
// the central path near r, with -start times its residual as the root of the target; 0: where the last path has ended.
int tact_friction_interior(const tact_friction_system *system, tact_friction_work *work, tact_real start, tact_real aim,
                           int limit, tact_real *r);

// Residual of the projection P of r: max |P - P_K(P - (u + mu |u_t| n) / size)| / max |P|. Leaves the projection in work->next
// and its velocities in work->u.
tact_real tact_friction_error(const tact_friction_system *system, tact_friction_work *work, const tact_real *r);

#endif
