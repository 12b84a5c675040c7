// SPDX-License-Identifier: MIT
// The problem over a box: rows that are linear in the unknowns and their products, bounds of both, and linear programs on them.
#ifndef TACT_SOLVE_QCQP_BOX_H
#define TACT_SOLVE_QCQP_BOX_H

#include "tact/qcqp.h"

// unknowns; columns, which are the unknowns and their products; tangents of a square
enum { TACT_BOX_UNKNOWNS = 64, TACT_BOX_COLUMNS = 256, TACT_BOX_TANGENTS = 8 };

// sum of value z_column + constant >= 0 or = 0; in the linear program scaled't >= bound, all divided by scale
typedef struct {
    int first, count;
    bool equal, idle;  // idle: says of an unknown without both bounds what the box says
    tact_real constant, scale, bound;
} tact_box_row;

typedef enum {
    TACT_BOX_SOLVED,
    TACT_BOX_EMPTY,  // the multipliers are those of a contradiction
    TACT_BOX_GAVE_UP,
} tact_box_end;

// z = (x, w): column n + k is the product of the unknowns left[k] and right[k]. Row 0 is cutoff - f >= 0, then come the
// constraints; from row `fixed` on the envelopes of the products over the box.
typedef struct {
    int n, nproduct, ncolumn;
    int *left, *right;  // (nproduct)
    int *product;       // (n, n) their number, -1: none
    tact_box_row *row;  // (most_rows)
    int nrow, fixed, most_rows;
    int *column;                       // (most_entries)
    tact_real *value, *size, *scaled;  // (most_entries) size: sum of the magnitudes that added up to the value
    int nentry, fixed_entries, most_entries;
    int merged;                // terms in an entry, at most
    tact_real *low, *high;     // (ncolumn) the box; -TACT_MAX, TACT_MAX: none
    tact_real *cost;           // (ncolumn) of the linear program
    tact_real *slope, *terms;  // (ncolumn) its cost less the rows' share, and the magnitudes that added up to it
    int *added;                // (ncolumn) how many
    tact_real *multiplier;     // (most_rows) of the linear program, >= 0 of inequalities
    tact_real *point;          // (ncolumn) where it ended
    // dual simplex in unit columns t = (z - low)/(high - low): as many active bounds and rows as there are columns
    int *active;           // (ncolumn) 2 j: t_j >= 0, 2 j + 1: t_j <= 1, 2 ncolumn + i: row i
    bool *held;            // (2 ncolumn + most_rows)
    tact_real *sign;       // (ncolumn) of an equality's normal
    tact_real *edge;       // (ncolumn, ncolumn) rows: the direction that leaves one active row alone
    tact_real *dual;       // (ncolumn) multipliers of the active ones
    tact_real *rate;       // (ncolumn) of the row that enters along the edges
    tact_real *t;          // (ncolumn)
    tact_real *term_high;  // (most_entries) the most of the terms of a row
    int pivots;
} tact_box;

// Whether the problem is small enough, and how many products it has.
bool tact_box_count(const tact_qcqp *problem, int *nproduct);

void tact_box_place(tact_box *box, const tact_qcqp *problem, int nproduct, tact_arena *arena);

// Rows of objective and constraints; no bounds yet.
void tact_box_load(tact_box *box, const tact_qcqp *problem);

// Feasibility-based tightening of low and high, rounded outwards. False: proven that the box holds no point.
bool tact_box_tighten(tact_box *box, bool cutoff, int passes);

// A box of the unknowns was put into low and high: nothing else is known of the products.
void tact_box_open(tact_box *box);

// Bounds of the products. False where a product has none, or an unknown that is in a row by itself: without both bounds one may
// be in products only.
bool tact_box_close(tact_box *box);

// Whether an unknown has both bounds.
bool tact_box_is_bounded(const tact_box *box, int unknown);

// Envelopes of the products over the box.
void tact_box_envelope(tact_box *box);

// The products linearised at x in place of the envelopes, and room for them. Not a relaxation. False where an unknown of a
// product has no bounds in the numbers there are.
bool tact_box_linearise(tact_box *box, const tact_real *x);

// min cost'z over the rows (row 0 only with cutoff); the multipliers and the point.
tact_box_end tact_box_solve(tact_box *box, bool cutoff);

// A number that cost'z + constant is nowhere below in the box where the rows hold, proven by the multipliers: their rounding,
// that of the rows and that of this sum are in it. With the multipliers of a contradiction and no cost a positive one is its
// proof.
tact_real tact_box_bound(tact_box *box, tact_real constant);

#endif
