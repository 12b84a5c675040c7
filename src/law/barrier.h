// SPDX-License-Identifier: MIT
// The parts of the barrier law's step, in their order: for those who solve many steps at once.
#ifndef TACT_LAW_BARRIER_H
#define TACT_LAW_BARRIER_H

#include "tact/law.h"

// The quadratic and its gradient, from kinematics that are up to date and options that are in force; when the margin is automatic
// also how far each dof would go by itself, in the place of the solution.
void tact_barrier_load(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                       tact_work *work);

// Does the model couple its dofs as the one does that the work was initialised for? Else the rows of P end elsewhere.
bool tact_barrier_couples(const tact_model *model, const tact_work *work);

// The part of it that external forces and automatic margins add.
void tact_barrier_push(const tact_model *model, const tact_input *input, tact_work *work);

// Cones and limits, from the contacts found.
void tact_barrier_constrain(const tact_model *model, const tact_options *options, const tact_input *input,
                            const tact_state *state, tact_work *work);

// The forces of the step before, where a contact is new those of its present gap: a start near the solution when little
// changes. False when that says nothing: no contact is old, or a gap is closed.
bool tact_barrier_recall(const tact_state *state, tact_work *work);

// Solves it: status, residuals, displacement and forces in the work.
tact_status tact_barrier_answer(const tact_model *model, const tact_options *options, const tact_state *state, tact_work *work);

// Whether a solution is one: a motion that only rounding ends is not: nothing holds it.
bool tact_barrier_stays_in_reach(const tact_model *model, const tact_work *work);

// Displacement, forces and anchors to the state; pairs out of reach lose theirs.
void tact_barrier_conclude(const tact_model *model, const tact_options *options, tact_state *state, tact_work *work);

#endif
