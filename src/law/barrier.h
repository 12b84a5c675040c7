// SPDX-License-Identifier: MIT
// Parts of the barrier law's step, in the order of their use: for callers that solve many steps at once.
#ifndef TACT_LAW_BARRIER_H
#define TACT_LAW_BARRIER_H

#include "tact/law.h"

// P and p of the quadratic at the current kinematics, with the options in force; with an automatic margin also the free
// displacement of each dof, |p_i| / P_ii, in work->d.
void tact_barrier_load(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                       tact_work *work);

// Whether the model couples its dofs as the model does for which the work was initialised. Otherwise the rows of P differ.
bool tact_barrier_couples(const tact_model *model, const tact_work *work);

// Adds the external wrenches to p, and computes the free displacements of an automatic margin.
void tact_barrier_push(const tact_model *model, const tact_input *input, tact_work *work);

// Cones of the contacts found, and bounds of the joint limits.
void tact_barrier_constrain(const tact_model *model, const tact_options *options, const tact_input *input,
                            const tact_state *state, tact_work *work);

// Initial forces: those of the gaps at the displacement that the input expects, or those of the last step, and for new contacts
// the rest force of the present gap; a good start when little changes. False when they are of no use: no contact existed before,
// or a gap is closed.
bool tact_barrier_recall(const tact_model *model, const tact_input *input, const tact_state *state, tact_work *work);

// Solves the problem; status, residuals, displacement and forces go to the work. spent: factorisations of the rounds before, from
// whose forces it starts; 0: from those of the state.
tact_status tact_barrier_answer(const tact_model *model, const tact_options *options, const tact_input *input,
                                const tact_state *state, tact_work *work, int spent);

// Whether displacements and forces are within the allowed magnitudes: a motion that only rounding limits is not a solution.
bool tact_barrier_stays_in_reach(const tact_model *model, const tact_work *work);

// Stores displacement, forces and anchors in the state; pairs without a contact lose theirs.
void tact_barrier_conclude(const tact_model *model, const tact_options *options, tact_state *state, tact_work *work);

#endif
