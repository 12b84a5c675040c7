// SPDX-License-Identifier: MIT
// Ties: loops and springs with the energy 1/2 k |e|^2 of an error e(q), for a loop the distance vector of two points, for a
// spring a sum of coordinates less its rest. Both laws linearise them at the beginning of the step as e + J d: the present
// error counts, so that nothing drifts, and the force at the end of the step is -k J'(e + J d).
//
// A spring with a force limit F pulls with f = k (e + J d) + D J d/h while |f| <= F, and with F + eta (f - F) beyond, with eta
// = TACT_TIE_SLACK. Its energy is Huber's function, strictly convex, so that the solution is unique. An active set method finds
// which springs are at their limit: the step is solved for the active set that its last solution implies, until that repeats.
// This is Newton's method on the piecewise linear force (Qi and Sun, A nonsmooth version of Newton's method, 1993).
#ifndef TACT_LAW_TIE_H
#define TACT_LAW_TIE_H

#include "tact/law.h"

// Firmware whose model has neither may be compiled with -DTACT_TIES=0.
#ifndef TACT_TIES
#define TACT_TIES 1
#endif

#define TACT_TIE_SLACK TACT_REAL(1e-6)  // eta
#define TACT_TIE_ROUNDS 60

static inline int tact_ties(const tact_model *model) {
    return TACT_TIES ? model->nloop + model->nspring : 0;
}

// A tie at the beginning of the step; ties are numbered with loops first.
typedef struct {
    tact_vec3 error;               // e [m, or m and rad]; for a spring in x
    tact_real stiffness, damping;  // for a spring at its limit eta times its own
    tact_real push;                // for a spring at its limit: its force is push + stiffness e + damping e'
    int first, last;               // range of the indices with nonzero rates
} tact_tie;

// State at which ties are evaluated.
typedef struct {
    const tact_model *model;
    const tact_kinematics *kinematics;
    const tact_real *q;  // (nq)
    const tact_real *u;  // (nu)
    const int *place;    // (nv) index of each dof in rate; NULL: the dof itself
    tact_vec3 *rate;     // (nv) scratch: de/dq of the last tie, in its range
    const int *held;     // (nspring) mode of each spring: 0 elastic, 1 or -1 at its limit
} tact_tie_setting;

tact_tie tact_tie_find(const tact_tie_setting *setting, int tie);

// Scratch of the ties in the work, with a factor of P of `entries` entries.
void tact_ties_place(tact_work *work, const tact_model *model, int entries, tact_arena *arena);

// Active set at the beginning of a step: no spring at its limit, except those without stiffness (dry friction) that slid in the
// last step, by the state's velocity (NULL: none).
void tact_ties_release(const tact_model *model, const tact_state *state, tact_work *work);

// Updates the active set after a solution that displaces the dofs by scale x, in elimination order if the work has P, otherwise
// by dof. Whether the step has to be solved again. False at once if no spring has a limit; beyond TACT_TIE_ROUNDS rounds the
// status becomes TACT_ITERATION_LIMIT unless it already reports something.
bool tact_ties_turn(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                    tact_work *work, const tact_real *x, tact_real scale, int round);

// Factor of a spring's stiffness and damping: 1, or eta at its limit.
tact_real tact_tie_part(const tact_work *work, int spring);

// y += h (h k + D) J'J x of all ties, by dof.
void tact_ties_resist(const tact_model *model, const tact_work *work, tact_real h, const tact_real *x, tact_vec3 *rate,
                      tact_real *y);

// The spring whose command is that of the dof; -1: none.
int tact_tie_leader(const tact_model *model, int dof);

// P += (k + D/h) J'J and p += k J'e of all ties, in the barrier law's elimination order.
void tact_ties_load(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                    tact_work *work);

// Raises the free displacement of each dof in work->d to |P^-1 p|, which includes the coupling by ties.
void tact_ties_widen(const tact_model *model, tact_work *work);

#endif
