// SPDX-License-Identifier: MIT
// A trajectory through contact as a quadratically constrained problem, in the form of the rigid law: for k = 0 .. N-1
//
//     M (v_{k+1} - v_k) = h (tau + B u_k + G'f_k),   q_{k+1} = q_k + h v_{k+1}
//     phi(q_{k+1}) >= 0,   f_k >= 0,   -f_k phi(q_{k+1}) >= 0          for every pair and joint limit
//
// with min h/2 sum |u_k|^2, u being forces on the driven dofs. It is exact for models in which M, tau and G do not depend on q
// (carts, pucks, gantries): others are refused. Contacts have no friction.
#ifndef TACT_TRAJECTORY_H
#define TACT_TRAJECTORY_H

#include "tact/law.h"
#include "tact/qcqp.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const tact_model *model;  // from its q0 and v0
    tact_real dt;             // h [s]
    tact_vec3 gravity;        // [m/s^2]
    int steps;                // N, 1 to 10000
    const bool *reach;        // (nv) the dof shall be at target, at rest, after N steps
    const tact_real *target;  // (nv) [m or rad]
} tact_trajectory_task;

// Where the unknowns are: step k, dof i, driven dof j, contact c.
typedef struct {
    tact_qcqp problem;
    int steps, nv, nu;
    int nc;     // pairs, then joint limits
    int npair;  //
} tact_trajectory;

// Where an unknown stands in the problem's x: coordinate i of q_{k+1}
static inline int tact_trajectory_q(const tact_trajectory *t, int k, int i) {
    return k * t->nv + i;
}

// Velocity i of v_{k+1}
static inline int tact_trajectory_v(const tact_trajectory *t, int k, int i) {
    return (t->steps + k) * t->nv + i;
}

// Force j of the drives, u_k
static inline int tact_trajectory_u(const tact_trajectory *t, int k, int j) {
    return 2 * t->steps * t->nv + k * t->nu + j;
}

// Force c of the contacts and limits, f_k
static inline int tact_trajectory_f(const tact_trajectory *t, int k, int c) {
    return t->steps * (2 * t->nv + t->nu) + k * t->nc + c;
}

// Builds the problem in the arena's memory; an arena without memory measures. fault names what does not fit the form: "pair"
// and its index (its gap is not linear in q, or it has friction), "body" (the mass matrix or the bias is not constant: the body
// of the dof at fault), "nloop", "nspring", "steps", "dt", "gravity" (components up to 1000), "target". TACT_BAD_INPUT then;
// TACT_SINGULAR when a dof has no mass; TACT_NO_MEMORY.
tact_status tact_trajectory_build(const tact_trajectory_task *task, tact_trajectory *trajectory, tact_fault *fault,
                                  tact_arena *arena);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
