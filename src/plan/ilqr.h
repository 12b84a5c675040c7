// SPDX-License-Identifier: MIT
// Gauss-Newton on the knots of a plan. Within the interval of steps between two knots y and w the step's command is (1 - s) y + s
// w; over it the state where it ends, and the Gauss-Newton Hessian of what its steps cost, by the state q where it begins:
//
//     dq_end = T (dq, dy, dw) ,   S by (dq, dy, dw)
//
// condensed step by step in the rollout's pass back. The search then sweeps back over intervals, not steps:
//
//     Q = S + (T; dw)'V (T; dw) + effort ,   k = argmin 1/2 w'Q_ww w + Q_w'w in the box ,   K = -Q_ff^-1 Q_wz ,   z = (q, y)
//     V <- Q_zz + Q_zw K ,   v <- Q_z + Q_zw k
//
// The linear term is the exact gradient of f by the knots, which comes by the adjoint and holds anchors, too: v has none of q.
#ifndef TACT_PLAN_ILQR_H
#define TACT_PLAN_ILQR_H

#include "plan/boxqp.h"
#include "tact/optimise.h"

typedef struct tact_ilqr {
    int nz, nx;                   // nv + nu; nv + 2 nu
    tact_real *T, *S;             // (knots, nv, nx), (knots, nx, nx) of the iterate
    tact_real *q;                 // (knots, nq) where the intervals begin, of the rollout at hand ...
    tact_real *q_of;              // ... and of the iterate
    tact_real *k, *K;             // (knots, nu), (knots, nu, nz)
    tact_real *x, *trial;         // (n) the iterate, and the knots of the rollout at hand
    tact_real *g;                 // (n) gradient of the iterate
    tact_real *A, *B, *C, *D;     // (nv, nv), (nv, nu), (3 npair, nv), (3 npair, nu)
    tact_real *M;                 // (nv, nx) of a step by (q, y, w)
    tact_real *SM;                // (nx, nx) scratch
    tact_real *qq, *ll;           // (nv, nv), (npair, 3, 3) Hessian of the residuals of a state
    tact_real *row;               // (3, nx) of a force
    tact_real *V, *v;             // (nz, nz), (nz)
    tact_real *Q, *Q_x;           // (nx, nx), (nx)
    tact_real *Qww, *Qw;          // (nu, nu), (nu)
    tact_real *lower, *upper;     // (nu)
    tact_real *factor;            // (nu, nu)
    tact_real *step, *try;        // (nu)
    tact_real *column;            // (nu)
    tact_real *dz;                // (nz)
    bool *held;                   // (nu)
    bool forces;                  // some residual is of a force
    tact_real linear, quadratic;  // of the last sweep: f is to change by a linear + a^2 quadratic for a step a of it
    // of a rollout at hand
    bool policy;       // commands come from k and K
    tact_real length;  // a
    int driven;        // steps whose commands are known ...
    int decided;       // ... and knots
    tact_real most;    // no pass back for an f above
} tact_ilqr;

void tact_ilqr_place(tact_ilqr *ilqr, const tact_plan_task *task, int n, tact_arena *arena);

// Condenses step k into the maps of its interval, work and deriv being those of the step; the Hessians of the residuals of the
// state after it lie in qq and ll.
void tact_ilqr_condense(tact_planner *planner, int k, const tact_work *work, tact_deriv_work *deriv);

tact_plan_result tact_ilqr_search(tact_planner *planner, const tact_plan_options *options);

// Of the planner, for the search.

// One rollout: with ilqr->policy by k and K from ilqr->x, otherwise of x. f, infinite without an answer; where it is at most
// `most`, gradient (n) and maps are those of it.
tact_real tact_planner_roll(tact_planner *planner, const tact_real *x, tact_real most, tact_real *gradient);

// Largest component of the gradient that no limit holds.
tact_real tact_planner_slope(const tact_planner *planner, const tact_real *x, const tact_real *gradient);

// Judges an iteration for the stop and reports it: false ends the search, and result says why.
typedef struct {
    tact_real mark;  // f at the last gain
    int idle;        // iterations since
} tact_plan_judge;

bool tact_planner_go_on(tact_planner *planner, const tact_plan_options *options, tact_plan_judge *judge, tact_plan_result *result,
                        const tact_real *x);

#endif
