// SPDX-License-Identifier: MIT
// Derivatives of the forces of loops and springs by q.
#ifndef TACT_DERIV_TIE_H
#define TACT_DERIV_TIE_H

#include "deriv/chain.h"
#include "law/tie.h"

// Adds d(k J'(e + J d))/dq at a fixed d (nv, by dof) to slope (nv, nv), rows and columns by place (NULL: by dof). scratch: (2
// nv). frozen: J does not change.
void tact_tie_slope(const tact_model *model, const tact_work *work, const tact_real *d, const int *place, bool frozen,
                    tact_vec3 *scratch, tact_real *slope);

// Adds e of a spring at the place of the dof that it drives.
void tact_tie_pull(const tact_model *model, const tact_real *q, const tact_real *u, tact_real *pull);

// x (nv) += scale factor of a spring, by place (NULL: by dof); and factor'y.
void tact_tie_push(const tact_model *model, int spring, const int *place, tact_real scale, tact_real *x);
tact_real tact_tie_sum(const tact_model *model, int spring, const int *place, const tact_real *y);

#endif
