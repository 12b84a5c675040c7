// SPDX-License-Identifier: MIT
// The factor L D L' of a symmetric M_FF, F a list of unknowns, with updates when one comes or goes.
#ifndef TACT_SOLVE_LCP_FACTOR_H
#define TACT_SOLVE_LCP_FACTOR_H

#include "solve/lcp.h"

typedef struct {
    tact_lcp_case *c;
    int *list, count, kept;          // F, and how many of its first rows are factored
    tact_real *value, *inverse, *x;  // rows of D L' with -q_F, eliminated, behind; 1/D; z_F
    size_t stride;
} tact_lcp_factor;

// F from the set in active; nothing is factored.
void tact_lcp_factor_begin(tact_lcp_factor *f, tact_lcp_case *c);

// Factors the rows from `kept` on, the columns of new members in those before, and the right-hand side behind all. False at a
// pivot that vanishes.
bool tact_lcp_factor_rows(tact_lcp_factor *f);

// x from the right-hand side behind the rows.
void tact_lcp_factor_back(tact_lcp_factor *f);

// w = q + sum over F of x_j M_j
void tact_lcp_factor_multiply(const tact_lcp_factor *f);

// y = L^-1 y, and y = (L')^-1 D^-1 y
void tact_lcp_factor_forward(const tact_lcp_factor *f, tact_real *y);
void tact_lcp_factor_backward(const tact_lcp_factor *f, tact_real *y);

// A new member at the end: y = L^-1 M_Fi and the pivot.
void tact_lcp_factor_append(tact_lcp_factor *f, int i, const tact_real *y, tact_real pivot);

// The member at place p goes.
void tact_lcp_factor_remove(tact_lcp_factor *f, int p);

// z_F -= M_FF^-1 w_F while that makes the residual less, and checks.
bool tact_lcp_factor_refine(tact_lcp_factor *f);

#endif
