// SPDX-License-Identifier: MIT
// The order in which a solver eliminates the dofs.
#ifndef TACT_TREE_ORDER_H
#define TACT_TREE_ORDER_H

#include "tact/model.h"

// Which dofs a matrix couples: sets of dofs (cliques), first one per pair, then one per body; and the sets of each dof.
typedef struct {
    int nset;
    int *set_start;  // (nset + 1)
    int *member;     // dofs of the sets, one behind the other; a dof is in a set once
    int *dof_start;  // (nv + 1)
    int *set;        // sets of the dofs, ascending, one dof behind the other
} tact_coupling;

// Fills dof_start and set from set_start and member.
void tact_coupling_transpose(tact_coupling *coupling, int nv);

// Scratch.
typedef struct {
    int *by_body;   // (nbody, 3)
    int *by_class;  // (2 nbody + 4)
    int *by_dof;    // (nv, 6)
    bool *driven;   // (nbody + 1)
    bool *active;   // (nv)
} tact_ordering;

void tact_ordering_place(tact_ordering *ordering, const tact_model *model, tact_arena *arena);

// order (nv): the dof at each place when children come before parents and objects last; what tact_order_choose starts from.
void tact_order_by_tree(const tact_model *model, tact_ordering *work, int *order);

// order (nv): the dof at each place, and place (nv), its inverse, with a small envelope.
void tact_order_choose(const tact_model *model, const tact_coupling *coupling, tact_ordering *work, int *order, int *place);

// Entries of the lower envelope, the diagonal included. first (nv): scratch.
int64_t tact_order_envelope(const tact_coupling *coupling, int nv, const int *place, int *first);

#endif
