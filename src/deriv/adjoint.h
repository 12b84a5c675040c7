// SPDX-License-Identifier: MIT
// The adjoint of the anchors. With F = (n; T) the contact frame, Q the smallest rotation from the stored normal to n, R the
// rotation by the bodies' mean spin about n, and nu the displacement at the contact,
//
//     before the step   c_t = T min(1, rho gap / (mu |s|)) Q s
//     after it          s+ = b R T'nu_t ,  n+ = n ,  s_max = 2 rho / (kappa mu lambda_n (1 - rho^2))
//
// where b = 1 for |nu_t| <= s_max and b = min(s_max, |c_t|)/|nu_t| else. |c_t| is |s|, or at its cap follows the gap.
// What depends on nu enters tact_deriv_pullback as a force, since dnu = -W^-1 dlambda.
#ifndef TACT_DERIV_ADJOINT_H
#define TACT_DERIV_ADJOINT_H

#include "tact/record.h"

// A step that has been linearised.
typedef struct {
    const tact_record *of;
    const tact_deriv_work *deriv;
} tact_anchor_step;

// From dL by the anchors that the step left: adds to dL/dq+ and to dL/dlambda (3 per contact).
void tact_anchor_adjoint_begin(const tact_anchor_step *step, tact_anchor_adjoint *adjoint, tact_real *q_next,
                               tact_real *lambda_bar);

// After tact_deriv_pullback: completes dL/dq and leaves dL by the anchors with which the step began.
void tact_anchor_adjoint_end(const tact_anchor_step *step, tact_anchor_adjoint *adjoint, tact_real *q_bar);

#endif
