// SPDX-License-Identifier: MIT
// A dictionary: basic variables as linear functions of the others, x_B = b + T x_N, with b in the last column. At the start
// w = q + M z + d z0 with w basic. Variables are numbered w (rows), z (columns), z0.
#ifndef TACT_SOLVE_LCP_DICTIONARY_H
#define TACT_SOLVE_LCP_DICTIONARY_H

#include "solve/lcp.h"

typedef struct {
    int rows, columns;  // w; z. The column of z0 is number `columns`, b is the one after it
    size_t stride;
    tact_real *value;
    int *basic;          // (rows) variable of each row
    int *loose;          // (columns + 1) variable of each column
    int *place;          // (rows + columns + 1) row of a basic variable; -1 - column of another
    tact_real tiny;      // a coefficient below is none
    tact_real rounding;  // of the values: steps that lead to values which differ by less are ties
} tact_lcp_dictionary;

static inline tact_real *tact_lcp_dictionary_row(const tact_lcp_dictionary *d, int r) {
    return d->value + (size_t)r * d->stride;
}

// The variables of the start; value holds M, the caller fills d and q.
void tact_lcp_dictionary_begin(tact_lcp_dictionary *d, const tact_lcp_work *work, int rows, int columns);

// The variables of a row and a column change places.
void tact_lcp_dictionary_pivot(tact_lcp_dictionary *d, int row, int column);

// The row that stops the growth of a column's variable, z0's if it is one of them, ties broken lexicographically; -1: none.
int tact_lcp_dictionary_block(const tact_lcp_dictionary *d, int column);

// z0 enters where b is least for its d. False when no b is negative.
bool tact_lcp_dictionary_cover(tact_lcp_dictionary *d);

// Makes z0 as small as the simplex method can: FOUND: 0; ON_RAY: it stays positive, its row says why; STOPPED: neither.
tact_lcp_end tact_lcp_dictionary_descend(tact_lcp_dictionary *d, int limit);

#endif
