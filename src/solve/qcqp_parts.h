// SPDX-License-Identifier: MIT
// The parts of the QCQP solver: what it found in the problem, and its scratch.
#ifndef TACT_SOLVE_QCQP_PARTS_H
#define TACT_SOLVE_QCQP_PARTS_H

#include "solve/convex.h"
#include "solve/qcqp_box.h"

// by how many tolerances an answer may be outside
enum { TACT_QCQP_FEASIBLE = 100 };

// l m = 0 with l, m >= 0: row a is zero or row b is
typedef struct {
    int a, b;          // rows
    int source;        // the constraint that says so
    tact_real factor;  // constraint = -factor l m - others
} tact_choice;

// scratch of the spatial branch and bound: boxes that wait
typedef struct {
    bool fits;  // the problem is small enough for it
    tact_box box;
    int depth;
    tact_real *width;                 // (n) of the root
    tact_real *root_low, *root_high;  // (n)
    bool *reached;                    // (n, 2) whether a program's point had an unknown at that bound
    tact_real *size;                  // (1 + ncon) terms of objective and constraints over the root
    tact_real *low, *high;            // (depth + 1, n)
    tact_real *bound;                 // (depth + 1) that the box was cut from
} tact_spatial_work;

typedef enum {
    TACT_SPATIAL_NONE,      // some unknown or product has no bounds, or the problem is too large
    TACT_SPATIAL_OPEN,      // boxes are left
    TACT_SPATIAL_COMPLETE,  // no point is better than the best by more than the gap
    TACT_SPATIAL_EMPTY,     // no point satisfies the constraints
} tact_spatial_end;

// scratch of a proof that no point satisfies the constraints
typedef struct {
    tact_real *diagonal;        // (n) of the curvature, 0 of a column without
    tact_real *error, *factor;  // (n, n)
    tact_real *unit, *rounded;  // (nrow) about a row's largest coefficient; multipliers of few digits
} tact_proof_work;

struct tact_qcqp_work {
    const tact_qcqp *problem;
    tact_convex_work convex;  // for n + 1 unknowns
    tact_convex_problem program;
    tact_quadratic *row;     // (nrow) linear constraints, cuts of choices, linearised constraints
    unsigned char *kind;     // (nrow) outside the search
    unsigned char *present;  // (nrow) at a node
    tact_triplet *entry;     // of the rows that are not constraints themselves
    int nrow, nentry;
    bool *general;  // (ncon) neither linear nor a choice
    int ngeneral;
    tact_choice *choice;  // (nchoice)
    int nchoice;
    unsigned char *side;  // (nchoice) 0 open, 1 row a is zero, 2 row b is zero
    unsigned char *best_side;
    int *stack;                               // (nchoice) choices that were decided, in order
    bool *second;                             // (nchoice) the other side is done
    tact_real *G;                             // (n + 1, n + 1)
    tact_real *a;                             // (n + 1)
    tact_real *S;                             // (n, n) what is left of a constraint while it is taken apart
    tact_real *s;                             // (n)
    tact_real *x, *best, *trial;              // (n + 1)
    tact_real *multiplier, *best_multiplier;  // (nrow)
    tact_real *y;                             // (ncon)
    bool found;                               // best holds a feasible point
    bool empty;                               // proven: there is none
    tact_real best_value;
    int nodes, most_nodes;
    bool doubt;  // some convex program did not converge, or was empty without a proof: the search proves nothing
    bool even;   // no units are far from the others
    tact_proof_work proof;
    tact_spatial_work spatial;
};

tact_real tact_quadratic_value(const tact_quadratic *f, const tact_real *x);

// the sum of the magnitudes of its terms
tact_real tact_quadratic_size(const tact_quadratic *f, const tact_real *x);

// g += s f'(x)
void tact_quadratic_add_gradient(const tact_quadratic *f, const tact_real *x, tact_real s, tact_real *g);

// Fills row, kind, general and choice.
void tact_qcqp_analyse(tact_qcqp_work *work);

// Branch and bound over the choices of a problem that is convex otherwise: best, side and multipliers. CONVERGED when the
// search was complete.
tact_status tact_qcqp_search(tact_qcqp_work *work, int max_nodes);

// A local minimum with the choices as they are decided in side, from a start in x: x, the multipliers of the rows, and y of the
// general constraints. CONVERGED, INFEASIBLE (no feasible point near), SINGULAR (unbounded), ITERATION_LIMIT.
tact_status tact_qcqp_descend(tact_qcqp_work *work, tact_real tolerance);

// Whether no point satisfies the constraints with the choices as they are decided in side, proven from a start in x.
bool tact_qcqp_is_empty(tact_qcqp_work *work, tact_real tolerance);

// Whether the present rows with multipliers m (nrow) and the general constraints with y (ncon; NULL: none) add up to a function
// that is below zero everywhere, beyond all rounding.
bool tact_qcqp_proves_empty(tact_qcqp_work *work, const tact_real *m, const tact_real *y);

// Keeps x with its multipliers when it is better than the best.
void tact_qcqp_keep_better(tact_qcqp_work *work);

// Each choice to the side that is nearer to x.
void tact_qcqp_take_nearer_sides(tact_qcqp_work *work);

// The largest violation of a constraint, as in the solution.
tact_real tact_qcqp_violation(const tact_qcqp *problem, const tact_real *x);

void tact_spatial_place(tact_spatial_work *work, const tact_qcqp *problem, tact_arena *arena);

// Spatial branch and bound from the best point known: a better one, if there is one, and a proven lower bound of the objective.
tact_spatial_end tact_qcqp_spatial(tact_qcqp_work *work, tact_spatial_work *own, const tact_qcqp_options *options,
                                   tact_real *bound);

// rows of one unknown that are zero are so to the last bit
void tact_qcqp_snap(const tact_qcqp_work *work, tact_real *x);

// G (size, size) = the Hessian of the objective less that of sum y_i g_i over the constraints of which use says so (NULL: all)
void tact_qcqp_curvature(tact_qcqp_work *work, const tact_real *y, const bool *use, int size);

// Whether that Hessian (n, n) is that of a convex function, to the rounding of the terms that add up.
bool tact_qcqp_is_convex(tact_qcqp_work *work, const tact_real *y, const bool *use);

// kind with the decided choices
void tact_qcqp_decide(tact_qcqp_work *work);

#endif
