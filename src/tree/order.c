// SPDX-License-Identifier: MIT
// Elimination order with a small envelope, the sum over rows i of i - first(i) + 1. By columns this is the number of active
// rows: not yet eliminated, but coupled to an eliminated one. Two orders are computed, and that with the smaller envelope is
// used (the first if equal):
//   tree    children before parents, each subtree in one piece, so that a finger is a block and what carries fingers comes
//           after them; subtrees without any drive (objects) last; a dof that joints of several branches follow stands
//           where the branches meet
//   greedy  of solve/ordering.h, from the tree's order; better for an object that few fingers touch, and for driven objects
#include "tree/order.h"

void tact_ordering_place(tact_ordering *ordering, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(ordering && model);
    size_t nbody = (size_t)model->nbody, nv = (size_t)model->nv;
    ordering->by_body = tact_arena_take(arena, 3 * nbody, sizeof(int));
    ordering->by_class = tact_arena_take(arena, 2 * nbody + 4, sizeof(int));
    ordering->by_dof = tact_arena_take(arena, 2 * nv, sizeof(int));
    ordering->driven = tact_arena_take(arena, nbody + 1, sizeof(bool));
}

void tact_order_by_tree(const tact_model *model, tact_ordering *work, int *order) {
    TACT_ASSERT(work);
    int nbody = model->nbody, nv = model->nv;
    int *home = work->by_dof, *key = work->by_dof + nv, *start = work->by_class, *post = work->by_body + 2 * nbody;
    // home: the body where the branches meet that a dof moves; TACT_WORLD when they meet nowhere
    TACT_ASSERT(model->nv == 0 || home);
    for (int v = 0; v < model->nv; v++) home[v] = model->dof[v].body;
    for (int b = 0; b < model->nbody; b++) {
        // Lowest common ancestor of all bodies that a dof moves: the higher index goes to its parent until both meet.
        if (tact_joint_dofs(model->body[b].joint) != 1) continue;
        int *meeting = &home[model->body[b].v], other = b;
        while (*meeting != other) {
            // the higher index is not an ancestor of the lower one
            int *higher = *meeting > other ? meeting : &other;
            *higher = model->body[*higher].parent;
        }
    }
    // driven: does the body's subtree hold a driven dof; the last entry is the world's
    bool *driven = work->driven;
    // Drives mark their body, and a marked body its parent.
    for (int b = 0; b <= nbody; b++) driven[b] = false;
    for (int v = 0; v < model->nv; v++)
        if (model->dof[v].u >= 0) driven[home[v] == TACT_WORLD ? nbody : home[v]] = true;
    for (int b = nbody - 1; b >= 0; b--)
        if (driven[b] && model->body[b].parent != TACT_WORLD) driven[model->body[b].parent] = true;
    // post: number of each body when children come before parents and each subtree is in one piece
    int *next = work->by_body + nbody;
    int root = 0;
    // Size of each subtree, then a number for each body: its subtree's first place plus its size.
    for (int b = 0; b < model->nbody; b++) work->by_body[b] = 1;
    for (int b = model->nbody - 1; b >= 0; b--)
        if (model->body[b].parent != TACT_WORLD) work->by_body[model->body[b].parent] += work->by_body[b];
    for (int b = 0; b < model->nbody; b++) {
        int *place = model->body[b].parent == TACT_WORLD ? &root : &next[model->body[b].parent];
        next[b] = *place;
        *place += work->by_body[b];
        post[b] = next[b] + work->by_body[b] - 1;
    }
    // Counting sort of the dofs by the place of their home.
    for (int k = 0; k < 2 * nbody + 4; k++) start[k] = 0;
    for (int v = 0; v < nv; v++) {
        int b = home[v] == TACT_WORLD ? nbody : home[v];
        // the driven bodies, then the dofs that have no other home than the world, then the objects
        key[v] = b == nbody ? nbody : work->driven[b] ? post[b] : nbody + 1 + post[b];
        start[key[v] + 1]++;
    }
    for (int k = 0; k < 2 * nbody + 3; k++) start[k + 1] += start[k];
    for (int v = 0; v < nv; v++) order[start[key[v]]++] = v;
}

void tact_order_choose(const tact_model *model, const tact_cliques *cliques, tact_ordering *work, tact_elimination *elimination,
                       int *order, int *place) {
    TACT_ASSERT(model && work);
    int nv = model->nv, *first = work->by_dof, *other = work->by_dof + nv;
    // The tree's order, unless the greedy one has a smaller envelope.
    tact_order_by_tree(model, work, order);
    tact_order_invert(order, nv, place);
    for (int i = 0; i < nv; i++) other[i] = order[i];
    if (!tact_elimination_greedy(cliques, elimination, other)) return;
    int64_t envelope = tact_elimination_envelope(cliques, place, first);
    tact_order_invert(other, nv, place);
    if (tact_elimination_envelope(cliques, place, first) < envelope)
        for (int i = 0; i < nv; i++) order[i] = other[i];
    tact_order_invert(order, nv, place);
}
