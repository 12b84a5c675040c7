// SPDX-License-Identifier: MIT
// Derivatives of a step of the virtual law. Gradients of rollouts: tact/rollout.h.
//
// A stage M (x - qhat) = beta Q(x, w, u), w = sigma (x - centre) of the step (src/law/virtual.h lists them) changes by
//
//     H dx = M dqhat - beta sigma D dcentre + beta dQ ,   H = M - beta (K + sigma D) ,   dw = sigma (dx - dcentre)
//
// with K = dQ/dq and D = dQ/dw of all contacts, the motion of the contact points included. Under BDF1 that is
// dq+/dq = H^-1 (M - h D), dq+/dv = h H^-1 M, dq+/du = h^2 H^-1 B and dv+ = (dq+ - dq)/h.
#ifndef TACT_VIRTUAL_H
#define TACT_VIRTUAL_H

#include "tact/deriv.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef tact_step_change tact_virtual_change;
typedef tact_step_effect tact_virtual_effect;

// For the step that work has just done (status >= 0) from before, with its model, options and input. TACT_SINGULAR if the step
// has no derivative. TACT_HELD: for a change of q or of a size under the manifolds of particles, which the step found at its
// start; they are held in the plane, although they would move. Otherwise, and with TACT_GRADIENT_FROZEN, TACT_CONVERGED.
tact_status tact_virtual_differentiate(const tact_model *model, const tact_options *options, const tact_input *input,
                                       const tact_state *before, tact_work *work, const tact_virtual_change *change,
                                       const tact_virtual_effect *effect);

// The reverse of such a step. There is none by contact forces, whose frames rotate: adjoint->lambda is ignored.
tact_status tact_virtual_pullback(const tact_record *step, tact_step_adjoint *adjoint);

// The matrices of such a step, row-major; NULL leaves one out.
typedef struct {
    tact_real *q_q, *q_v;  // (nv, nv) dq+/dq, dq+/dv
    tact_real *v_q, *v_v;  // (nv, nv) dv+/dq, dv+/dv
    tact_real *q_u, *v_u;  // (nv, nu)
    tact_real *q_f, *v_f;  // (nv, nv) by generalised forces
    tact_real *l_q, *l_u;  // (3 nc, nv), (3 nc, nu) dlambda
} tact_virtual_jacobians;

// scratch (4 nv + 3 nc)
tact_status tact_virtual_matrices(const tact_model *model, const tact_options *options, const tact_input *input,
                                  const tact_state *before, tact_work *work, const tact_virtual_jacobians *jacobians,
                                  tact_real *scratch);

// The temperature of a stage of annealing: it falls from first to last in equal ratios over the stages; a last of 0 counts as a
// thousandth of first in between. Contacts act at a distance first and are resolved at the end.
tact_real tact_virtual_anneal(tact_real first, tact_real last, int stage, int stages);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
