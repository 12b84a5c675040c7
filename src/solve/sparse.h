// SPDX-License-Identifier: MIT
// L D L' of a large sparse positive definite matrix by supernodes: columns with the same rows below them are a panel, which is
// dense. A panel is stored by strips of four rows, each column by column, so that tiles of four by four are multiplied in
// registers. Sums run over the columns one after the other: the bits do not depend on the registers' width.
#ifndef TACT_SOLVE_SPARSE_H
#define TACT_SOLVE_SPARSE_H

#include "tact/solve.h"

// The least number of shared unknowns of a barrier problem whose matrix is factored so, where that costs less than the envelope.
enum { TACT_SPARSE_LEAST = 96 };
// Columns of a panel at most: it is to stay in the cache.
enum { TACT_PANEL_WIDEST = 48 };

// Columns begin to begin + width - 1; rows are the places from begin to end - 1, where the columns of the supernode end, then
// those in list.
typedef struct {
    int begin, width, end;
    int list, count;  // where the further rows begin in list, and how many there are; ascending
    int height;       // rows in all
    int value;        // where the strips begin in value
} tact_panel;

struct tact_sparse {
    int n;             // columns
    bool in_use;       // the pattern below is that of the work's problem
    int npanel, used;  // panels; entries of list in use
    tact_panel *panel;
    int *of;                     // (n) panel of each column
    int *list;                   // (room for rows) rows below the supernodes
    tact_real *value;            // (room for values) strips
    tact_real *whole;            // (n) diagonal before the elimination
    tact_real *D;                // (n)
    tact_real *side;             // (widest panel, 4, up to 4) one strip times D, in all lanes
    int *where;                  // (n) local row in the present panel of each place
    int *offset;                 // (n + 3) where the rows of a panel begin in another's strips
    int *head, *next;            // (n) panels that are to change a panel next, as lists
    int *cursor;                 // (n) their first row that they have not yet changed anything with
    int rows_room, values_room;  // of list and value; of this also what the work's envelope says
    tact_threads threads;
    size_t shared;  // bytes from value on, of which the work's cone and wide have the end
};

// The work's factor, none in a small work; its strips are the work's H.value, which has room for tact_sparse_values and more
// where cones are fewer than there may be.
void tact_sparse_place(tact_barrier_size size, tact_barrier_work *work, tact_arena *arena);
size_t tact_sparse_values(tact_barrier_size size);

// Order of the shared unknowns of a problem by minimum degree, in work->unknown, and the pattern of the factor. work->place
// counts what holds each unknown, 2 or more for the shared ones; the cones of each are listed in H.start and spot, row is
// scratch. False where there is no room for it, or where it costs more than `most` multiplications of an envelope; unknown is
// then spoilt.
bool tact_sparse_order(const tact_barrier_problem *problem, tact_barrier_work *work, double most);

// All entries become zero.
void tact_sparse_zero(tact_sparse *A);

// Local row of the place i >= panel->begin.
int tact_sparse_row(const tact_sparse *A, const tact_panel *panel, int i);

static inline tact_real *tact_sparse_entry(const tact_sparse *A, const tact_panel *panel, int row, int column) {
    return A->value + panel->value + (row & ~3) * panel->width + 4 * (column - panel->begin) + (row & 3);
}

// Entry (i, j), i >= j, of the pattern.
static inline tact_real *tact_sparse_at(const tact_sparse *A, int i, int j) {
    const tact_panel *panel = &A->panel[A->of[j]];
    return tact_sparse_entry(A, panel, tact_sparse_row(A, panel, i), j);
}

// In place; pivot holds the reciprocals of D. Pivots that cancel are raised, and false is returned, as by tact_skyline_factor.
bool tact_sparse_factor(tact_sparse *A, tact_real *pivot);

// x = A^-1 x from the factor.
void tact_sparse_solve(const tact_sparse *L, const tact_real *pivot, tact_real *x);

// Whether the matrix of the work's problem is factored so.
static inline bool tact_sparse_holds(const tact_barrier_work *work) {
    return TACT_MOST_UNKNOWNS >= TACT_SPARSE_LEAST && work->sparse && work->sparse->in_use;
}

#endif
