// SPDX-License-Identifier: MIT
// The parts of the friction solver: passes of single contacts, and Newton's method on all.
#ifndef TACT_SOLVE_FRICTION_H
#define TACT_SOLVE_FRICTION_H

#include "math/elementary.h"
#include "solve/blocks.h"
#include "tact/friction.h"

enum { TACT_FRICTION_SCRATCH = 48 };  // numbers for each block of rows

// What the blocks of rows move: nodes with inertias M of their own, so that W = J M^-1 J'.
typedef struct {
    tact_blocks *blocks;       // the nodes, arranged: an edge for each two that a block of rows moves
    const tact_real *inertia;  // M of each node, (its size, its size), one after the other
    const int *node;           // (nc, 2) what each block of rows moves; -1: nothing, of the first as well as of the second
    const tact_real *J;        // (nc, 2, stride) of each of the two (3, its size)
    size_t stride;
    tact_real *motion;   // scratch: one for each unknown of the nodes
    tact_real *scratch;  // (TACT_FRICTION_SCRATCH nc)
} tact_friction_nodes;

// A problem by blocks that are there, with a proximal term: u = W r + q + shift size (r - centre)
typedef struct {
    tact_friction_problem given;       // with row_start
    const tact_real *size;             // (nc, 3) W_ii of each row, > 0
    tact_real shift;                   // >= 0
    tact_real stretch;                 // > 0, of rho in Newton's equations; passes do not use it
    const tact_real *centre;           // (nc, 3)
    const tact_friction_nodes *nodes;  // for the linear equations; NULL: dense
    const tact_real *slip;             // (nc) |u_t| where the interior point holds it; NULL: that of the velocities
} tact_friction_system;

// u of contact i
static inline void tact_friction_velocity(const tact_friction_system *system, const tact_real *r, int i, tact_real u[3]) {
    const tact_friction_problem *P = &system->given;
    for (int k = 0; k < 3; k++)
        u[k] = P->q[3 * i + k] + system->shift * system->size[3 * i + k] * (r[3 * i + k] - system->centre[3 * i + k]);
    for (int at = P->row_start[i]; at < P->row_start[i + 1]; at++) {
        const tact_real *W = P->W + 9 * (size_t)at, *x = r + 3 * P->column[at];
        // most contacts of a hand are open, r = 0
        if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue;
        for (int k = 0; k < 3; k++, W += 3) u[k] += W[0] * x[0] + W[1] * x[1] + W[2] * x[2];
    }
}

static inline tact_real tact_friction_low(const tact_friction_problem *problem, int row) {
    return problem->low ? problem->low[row] : 0;
}

static inline tact_real tact_friction_high(const tact_friction_problem *problem, int row) {
    return problem->high ? problem->high[row] : TACT_MAX;
}

// The problem by blocks, without proximal term. False when the work is too small.
bool tact_friction_begin(const tact_friction_problem *problem, tact_friction_work *work, tact_friction_system *system);

// The nearest point of the block's cone or box.
void tact_friction_project(const tact_friction_problem *problem, int i, tact_real r[3]);
void tact_friction_project_all(const tact_friction_problem *problem, const tact_real *from, tact_real *to);

// One pass: each contact in turn takes the impulse that answers it with the others as they are. Returns the largest change
// of an impulse.
tact_real tact_friction_sweep(const tact_friction_system *system, tact_real *r);

// So many passes by nodes at most, accelerated; fewer when r no longer changes. Returns their number.
int tact_friction_sweep_fast(const tact_friction_system *system, tact_friction_work *work, int count, tact_real *r);

// Fills F, A and B of the work: the equations of Alart and Curnier at r and their derivatives by u and r. Returns |F|^2.
tact_real tact_friction_equations(const tact_friction_system *system, tact_friction_work *work, const tact_real *r);

#ifdef TACT_FLOAT
#define TACT_FRICTION_RIDGE 1e-4f
#define TACT_FRICTION_LARGE 300
#else
#define TACT_FRICTION_RIDGE 2e-10
#define TACT_FRICTION_LARGE TACT_REAL(1e3)
#endif

typedef struct {
    tact_real ridge;  // added to W's diagonal, relative to its blocks, so that redundant contacts have an answer
    tact_real least;  // smallest pivot, relative to its row
} tact_friction_pivots;

// Factors A W + B of the rows that are not fixed, and fills step of the fixed ones and right of the others by -F. A row is fixed
// when its A is zero and so is its entry in keep (NULL: all zero). Returns how many are not; -1 when a pivot is too small.
int tact_friction_factor(const tact_friction_system *system, tact_friction_work *work, const tact_real *keep,
                         tact_friction_pivots pivots);

// Newton's method on the equations of Alart and Curnier from r, until the residual is below the tolerance, nothing makes it
// less, or limit factorisations are spent. Returns their number.
int tact_friction_newton(const tact_friction_system *system, tact_friction_work *work, tact_real tolerance, int limit,
                         tact_real *r);

// Linear equations of a system with nodes: (A (W + ridge size) + B) step = right
typedef struct {
    const tact_friction_system *system;
    const tact_real *A, *B;     // (nc, 3, 3) of each block of rows
    tact_real ridge;            // relative to size
    tact_real *right, *step;    // (nc, 3) in the scratch of the nodes, as what follows
    tact_real *inverse, *hold;  // (nc, 3, 3) (B + ridge size A)^-1, and that A
    tact_real *left, *pull;     // (nc, 3) what is left over, and the first of those times it
    tact_real *own_A, *own_B;   // (nc, 3, 3) room for A and B
} tact_friction_linear;

tact_friction_linear tact_friction_linear_of(const tact_friction_system *system);

// False when there is no answer; then the step is not finite, or there is none.
bool tact_friction_linear_factor(const tact_friction_linear *equations);
bool tact_friction_linear_solve(const tact_friction_linear *equations);

// tact_friction_newton of a system with nodes, see solve/friction_nodes.c.
int tact_friction_newton_nodes(const tact_friction_system *system, tact_friction_work *work, tact_real tolerance, int limit,
                               tact_real *r);

// As tact_friction_solve, of a sparse problem of any size, by nodes; the work needs no matrix (see tact_friction_place_nodes).
tact_status tact_friction_solve_by_nodes(const tact_friction_problem *problem, const tact_friction_nodes *nodes,
                                         const tact_friction_options *options, tact_friction_work *work,
                                         tact_friction_solution *solution);

// As tact_friction_place, with a matrix of at most `dense` blocks of rows: problems of more are for nodes.
void tact_friction_place_nodes(tact_friction_work *work, int nc, int dense, int blocks, tact_arena *arena);

// Interior point until the residual is at most aim, it comes no lower, or limit factorisations are spent. Returns their number; r
// is the best that was met, or unchanged where scalar rows have limits other than 0 and none. It begins inside the cones: with
// start > 0 far from any boundary, as many times the scale of q and of the diagonal blocks; with start < 0 at the centre that is
// nearest to r, as many times its residual off; with 0 where the last path has ended.
int tact_friction_interior(const tact_friction_system *system, tact_friction_work *work, tact_real start, tact_real aim,
                           int limit, tact_real *r);

// max |r - P_K(r - (u + mu |u_t| n) / size)| / max |r| of the projection of r, which it leaves in work->next, its velocities in
// work->u.
tact_real tact_friction_error(const tact_friction_system *system, tact_friction_work *work, const tact_real *r);

#endif
