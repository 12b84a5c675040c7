// SPDX-License-Identifier: MIT
// Loops and springs: quadratic energies 1/2 k |e|^2 of an error e(q), that of a loop the distance of two points, that of a spring
// a sum of coordinates less its rest. Both laws take them linearised where the step begins, e + J d: what e already is counts, so
// that nothing drifts, and the force at the end of the step is -k J'(e + J d).
//
// A spring with a limit F pulls with f = k (e + J d) + D J d/h while |f| <= F, and with F + eta (f - F), eta being
// TACT_TIE_SLACK, beyond: the energy is Huber's, strictly convex, so that there is one solution. Which of the pieces holds for
// which spring is found by Newton's method on the piecewise linear force: the step is solved for the pieces that its last answer
// asks for, until that asks for the same (Qi and Sun, A nonsmooth version of Newton's method, 1993).
#ifndef TACT_LAW_TIE_H
#define TACT_LAW_TIE_H

#include "tact/law.h"

// A program for a board whose model has neither may be compiled with -DTACT_TIES=0.
#ifndef TACT_TIES
#define TACT_TIES 1
#endif

#define TACT_TIE_SLACK TACT_REAL(1e-6)  // eta
#define TACT_TIE_ROUNDS 60

static inline int tact_ties(const tact_model *model) {
    return TACT_TIES ? model->nloop + model->nspring : 0;
}

// One of them, loops first.
typedef struct {
    tact_vec3 error;               // e [m, or m and rad]; of a spring in x
    tact_real stiffness, damping;  // of a held spring eta times its own
    tact_real push;                // of a held spring: its force is push + stiffness e + damping e'
    int first, last;               // range of the indices with rates
} tact_tie;

// Where they are taken.
typedef struct {
    const tact_model *model;
    const tact_kinematics *kinematics;
    const tact_real *q;  // (nq)
    const tact_real *u;  // (nu)
    const int *place;    // (nv) the index of each dof, or NULL: the dof itself
    tact_vec3 *rate;     // (nv) scratch: de/dq of the tie found last, in its range
    const int *held;     // (nspring)
} tact_tie_setting;

tact_tie tact_tie_find(const tact_tie_setting *setting, int tie);

// Scratch in the work; with a factor of P of so many entries.
void tact_ties_place(tact_work *work, const tact_model *model, int entries, tact_arena *arena);

// Before the first solution of a step: no spring is held, but those without stiffness that were in the last one, by the state's
// velocity (NULL: none).
void tact_ties_release(const tact_model *model, const tact_state *state, tact_work *work);

// After a solution that moves the dofs by scale x, x in their places (NULL: by dof): whether the step has to be solved again, as
// other springs are held. False at once where none has a limit; the round beyond TACT_TIE_ROUNDS leaves the work's status at
// TACT_ITERATION_LIMIT, unless it already says why.
bool tact_ties_turn(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                    tact_work *work, const tact_real *x, tact_real scale, int round);

// The part of a spring's stiffness and damping that counts: 1, or eta where it is held.
tact_real tact_tie_part(const tact_work *work, int spring);

// y += h (h k + D) J'J x of all, by dof.
void tact_ties_resist(const tact_model *model, const tact_work *work, tact_real h, const tact_real *x, tact_vec3 *rate,
                      tact_real *y);

// The spring whose command is that of the dof, -1: none.
int tact_tie_leader(const tact_model *model, int dof);

// P += (k + D/h) J'J and p += k J'e of all, in the solver's order of the barrier law.
void tact_ties_load(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                    tact_work *work);

// The free displacement of each dof, |P^-1 p|, where it is more than |p_i|/P_ii: ties pass motions on.
void tact_ties_widen(const tact_model *model, tact_work *work);

#endif
