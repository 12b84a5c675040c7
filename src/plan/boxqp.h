// SPDX-License-Identifier: MIT
// Box-constrained quadratic programs: min 1/2 x'Hx + g'x over lower <= x <= upper, H symmetric positive definite, by projected
// Newton (Bertsekas 1982): Newton on the free variables, an Armijo search along the projected path.
#ifndef TACT_PLAN_BOXQP_H
#define TACT_PLAN_BOXQP_H

#include "tact/base.h"

typedef struct {
    int n;
    const tact_real *H;              // (n, n)
    const tact_real *g;              // (n)
    const tact_real *lower, *upper;  // (n)
    tact_real *L;             // (n, n) Cholesky factor of H on the free variables, rows and columns of the others of the identity
    bool *held;               // (n) at a bound that the gradient pushes against
    tact_real *step, *trial;  // (n) scratch
} tact_boxqp;

// From x, which is first moved into the box. False when H is not positive definite on the free variables.
bool tact_boxqp_solve(tact_boxqp *box, tact_real *x);

// X = H_ff^-1 X (n, columns) for the free variables by the factor of the last solve; rows of held ones are 0.
void tact_boxqp_apply(const tact_boxqp *box, tact_real *X, int columns);

#endif
