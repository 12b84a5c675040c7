// SPDX-License-Identifier: MIT
// A small envelope, sum over rows i of i - first(i) + 1. Seen column by column it is the number of rows that wait: not yet
// eliminated, coupled to one that is. Two orders are made, and the one with the smaller envelope is kept (the first if equal):
//   tree    children before parents, each subtree in one piece, so that a finger is a block and what carries fingers comes
//           after them; subtrees without any drive (objects) last; a dof that joints of several branches follow stands
//           where the branches meet
//   greedy  next is always the dof that makes the fewest rows wait anew (after Levy 1971), in the tree's order where several
//           are equal; better for an object that few fingers touch, and for driven objects
#include "tree/order.h"

enum { ORDER_WORK = 1 << 27 };  // comparisons beyond which the tree order must do

void tact_coupling_transpose(tact_coupling *coupling, int nv) {
    int *start = coupling->dof_start;
    for (int v = 0; v <= nv; v++) start[v] = 0;
    for (int k = 0; k < coupling->set_start[coupling->nset]; k++) start[coupling->member[k]]++;
    for (int v = 0, sum = 0; v <= nv; v++) {
        sum += v < nv ? start[v] : 0;
        start[v] = sum;
    }
    for (int s = coupling->nset - 1; s >= 0; s--)
        for (int k = coupling->set_start[s]; k < coupling->set_start[s + 1]; k++) coupling->set[--start[coupling->member[k]]] = s;
}

void tact_ordering_place(tact_ordering *ordering, const tact_model *model, tact_arena *arena) {
    size_t nbody = (size_t)model->nbody, nv = (size_t)model->nv;
    ordering->by_body = tact_arena_take(arena, 3 * nbody, sizeof(int));
    ordering->by_class = tact_arena_take(arena, 2 * nbody + 4, sizeof(int));
    ordering->by_dof = tact_arena_take(arena, 6 * nv, sizeof(int));
    ordering->driven = tact_arena_take(arena, nbody + 1, sizeof(bool));
    ordering->active = tact_arena_take(arena, nv, sizeof(bool));
}

int64_t tact_order_envelope(const tact_coupling *coupling, int nv, const int *place, int *first) {
    for (int i = 0; i < nv; i++) first[i] = i;
    for (int s = 0; s < coupling->nset; s++) {
        int lowest = nv;
        for (int k = coupling->set_start[s]; k < coupling->set_start[s + 1]; k++)
            if (place[coupling->member[k]] < lowest) lowest = place[coupling->member[k]];
        for (int k = coupling->set_start[s]; k < coupling->set_start[s + 1]; k++) {
            int i = place[coupling->member[k]];
            if (lowest < first[i]) first[i] = lowest;
        }
    }
    int64_t envelope = 0;
    for (int i = 0; i < nv; i++) envelope += i - first[i] + 1;
    return envelope;
}

// home: the body where the branches meet that a dof moves; TACT_WORLD when they meet nowhere
static void order_homes(const tact_model *model, int *home) {
    for (int v = 0; v < model->nv; v++) home[v] = model->dof[v].body;
    for (int b = 0; b < model->nbody; b++) {
        if (tact_joint_dofs(model->body[b].joint) != 1) continue;
        int *meeting = &home[model->body[b].v], other = b;
        while (*meeting != other) {
            // the higher index is not an ancestor of the lower one
            int *higher = *meeting > other ? meeting : &other;
            *higher = model->body[*higher].parent;
        }
    }
}

// driven: does the body's subtree hold a driven dof; the last entry is the world's
static void order_driven(const tact_model *model, const int *home, bool *driven) {
    int nbody = model->nbody;
    for (int b = 0; b <= nbody; b++) driven[b] = false;
    for (int v = 0; v < model->nv; v++)
        if (model->dof[v].u >= 0) driven[home[v] == TACT_WORLD ? nbody : home[v]] = true;
    for (int b = nbody - 1; b >= 0; b--)
        if (driven[b] && model->body[b].parent != TACT_WORLD) driven[model->body[b].parent] = true;
}

// post: number of each body when children come before parents and each subtree is in one piece
static void order_postorder(const tact_model *model, int *size, int *next, int *post) {
    int root = 0;
    for (int b = 0; b < model->nbody; b++) size[b] = 1;
    for (int b = model->nbody - 1; b >= 0; b--)
        if (model->body[b].parent != TACT_WORLD) size[model->body[b].parent] += size[b];
    for (int b = 0; b < model->nbody; b++) {
        int *start = model->body[b].parent == TACT_WORLD ? &root : &next[model->body[b].parent];
        next[b] = *start;
        *start += size[b];
        post[b] = next[b] + size[b] - 1;
    }
}

void tact_order_by_tree(const tact_model *model, tact_ordering *work, int *order) {
    int nbody = model->nbody, nv = model->nv;
    int *home = work->by_dof, *key = work->by_dof + nv, *start = work->by_class, *post = work->by_body + 2 * nbody;
    order_homes(model, home);
    order_driven(model, home, work->driven);
    order_postorder(model, work->by_body, work->by_body + nbody, post);
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

typedef struct {
    const tact_coupling *coupling;
    int *waiting;  // (nv) dofs that would have to wait anew if this one were eliminated next, itself not counted
    int *stamp;    // (nv)
    int mark;
    bool *active;  // (nv) eliminated or waiting
} order_front;

// count: how many of the dofs coupled to v are not active; change: added to their own counts
static int order_visit(order_front *front, int v, int change) {
    const tact_coupling *coupling = front->coupling;
    int count = 0;
    front->stamp[v] = ++front->mark;
    for (int s = coupling->dof_start[v]; s < coupling->dof_start[v + 1]; s++) {
        const int *start = &coupling->set_start[coupling->set[s]];
        for (int k = start[0]; k < start[1]; k++) {
            int other = coupling->member[k];
            if (front->stamp[other] == front->mark) continue;
            front->stamp[other] = front->mark;
            front->waiting[other] += change;
            count += !front->active[other];
        }
    }
    return count;
}

static void order_activate(order_front *front, int v) {
    if (front->active[v]) return;
    front->active[v] = true;
    order_visit(front, v, -1);
}

static void order_eliminate(order_front *front, int v) {
    const tact_coupling *coupling = front->coupling;
    order_activate(front, v);
    for (int s = coupling->dof_start[v]; s < coupling->dof_start[v + 1]; s++) {
        const int *start = &coupling->set_start[coupling->set[s]];
        for (int k = start[0]; k < start[1]; k++) order_activate(front, coupling->member[k]);
    }
}

// rest: the dofs in the order of preference; used up
static void order_by_front(order_front *front, int nv, int *rest, int *order) {
    front->mark = 0;
    for (int v = 0; v < nv; v++) {
        front->active[v] = false;
        front->stamp[v] = 0;
        front->waiting[v] = 0;
    }
    for (int v = 0; v < nv; v++) front->waiting[v] = order_visit(front, v, 0);
    for (int i = 0; i < nv; i++) {
        int best = 0, least = nv;
        for (int k = 0; k < nv - i && least > 0; k++) {
            if (front->waiting[rest[k]] >= least) continue;
            least = front->waiting[rest[k]];
            best = k;
        }
        order[i] = rest[best];
        for (int k = best; k + 1 < nv - i; k++) rest[k] = rest[k + 1];
        order_eliminate(front, order[i]);
    }
}

// comparisons that the greedy order takes
static int64_t order_cost(const tact_coupling *coupling, int nv) {
    int64_t cost = (int64_t)nv * nv;
    for (int s = 0; s < coupling->nset; s++) {
        int64_t n = coupling->set_start[s + 1] - coupling->set_start[s];
        cost += n * n;
    }
    return cost;
}

static void order_invert(const int *order, int nv, int *place) {
    for (int i = 0; i < nv; i++) place[order[i]] = i;
}

void tact_order_choose(const tact_model *model, const tact_coupling *coupling, tact_ordering *work, int *order, int *place) {
    int nv = model->nv, *scratch = work->by_dof, *rest = scratch + 2 * nv, *other = scratch + 3 * nv;
    tact_order_by_tree(model, work, order);
    order_invert(order, nv, place);
    if (order_cost(coupling, nv) > ORDER_WORK) return;
    int64_t envelope = tact_order_envelope(coupling, nv, place, scratch);
    order_front front = {coupling, scratch + 4 * nv, scratch + 5 * nv, 0, work->active};
    for (int i = 0; i < nv; i++) rest[i] = order[i];
    order_by_front(&front, nv, rest, other);
    order_invert(other, nv, place);
    if (tact_order_envelope(coupling, nv, place, scratch) < envelope)
        for (int i = 0; i < nv; i++) order[i] = other[i];
    order_invert(order, nv, place);
}
