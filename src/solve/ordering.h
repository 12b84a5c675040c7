// SPDX-License-Identifier: MIT
// The order in which the unknowns of a problem given as matrices are eliminated, so that the envelope of its matrix stays
// small. Every set of unknowns is coupled as a whole: the columns of one contact, or of one row of P.
#ifndef TACT_SOLVE_ORDERING_H
#define TACT_SOLVE_ORDERING_H

#include "tact/base.h"

typedef struct {
    int n;              // unknowns
    int count;          // sets
    const int *start;   // (count + 1) where each set begins in member
    const int *member;  // unknowns of the sets, one set behind the other; an unknown is in a set once
} tact_cliques;

// Scratch.
typedef struct {
    int *start;    // (n + 1) where the sets of each unknown begin in set
    int *set;      // (members) ascending for each unknown
    int *list;     // (n, 4) the first half is tact_elimination_choose's own
    bool *active;  // (n)
} tact_elimination;

void tact_elimination_place(tact_elimination *work, int n, int members, tact_arena *arena);

// Fills start and set.
void tact_elimination_begin(const tact_cliques *cliques, tact_elimination *work);

// order (n): any order that is preferred where several unknowns are as good, made greedy in its place: next is always the unknown
// after which the fewest rows wait. False, and the order as it is, when that would take too long. Uses half of list.
bool tact_elimination_greedy(const tact_cliques *cliques, tact_elimination *work, int *order);

// Entries of the lower envelope, the diagonal included, and the first (n) of each row.
int64_t tact_elimination_envelope(const tact_cliques *cliques, const int *place, int *first);

// order (n): the unknown at each place, and place (n), its inverse. Returns the entries of the lower envelope, the diagonal
// included.
int64_t tact_elimination_choose(const tact_cliques *cliques, tact_elimination *work, int *order, int *place);

static inline void tact_order_invert(const int *order, int n, int *place) {
    for (int i = 0; i < n; i++) place[order[i]] = i;
}

#endif
