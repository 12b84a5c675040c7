// SPDX-License-Identifier: MIT
// The order in which a solver eliminates the dofs.
#ifndef TACT_TREE_ORDER_H
#define TACT_TREE_ORDER_H

#include "solve/ordering.h"
#include "tact/model.h"

// Scratch.
typedef struct {
    int *by_body;   // (nbody, 3)
    int *by_class;  // (2 nbody + 4)
    int *by_dof;    // (nv, 2)
    bool *driven;   // (nbody + 1)
} tact_ordering;

void tact_ordering_place(tact_ordering *ordering, const tact_model *model, tact_arena *arena);

// order (nv): the dof at each place when children come before parents and objects last; what tact_order_choose starts from.
void tact_order_by_tree(const tact_model *model, tact_ordering *work, int *order);

// order (nv): the dof at each place, and place (nv), its inverse, with a small envelope. elimination: begun with the cliques.
void tact_order_choose(const tact_model *model, const tact_cliques *cliques, tact_ordering *work, tact_elimination *elimination,
                       int *order, int *place);

#endif
