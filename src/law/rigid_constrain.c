// SPDX-License-Identifier: MIT
// Contacts and joint limits of a step of the rigid law, their Jacobians J, and their coupling: the Delassus matrix W = J A^-1
// J', in 3 x 3 blocks for constraints that share a component.
#include "law/rigid.h"
#include "math/elementary.h"

#define RIGID_SAME (4 * tact_sqrt(TACT_EPS))  // relative difference below which the Jacobian rows of two contacts are equal

bool tact_rigid_repeats(const tact_model *model, const tact_work *work, int c) {
    const tact_contact *contact = &work->contacts.contact[c];
    const tact_pair *pair = &model->pair[contact->pair];
    const int a = model->shape[pair->a].body, b = model->shape[pair->b].body;
    const tact_real near = tact_max(TACT_REAL(1e-7), 64 * TACT_EPS), size = 1 + tact_vec3_dot(contact->point, contact->point);
    // contacts of the same two shapes are neighbours in the list
    for (int side = -1; side <= 1; side += 2)
        for (int k = c + side; 0 <= k && k < work->contacts.count; k += side) {
            const tact_contact *other = &work->contacts.contact[k];
            const tact_pair *with = &model->pair[other->pair];
            if (model->shape[with->a].body != a || model->shape[with->b].body != b) break;
            if (work->rigid->place[other->pair] == TACT_RIGID_NONE) continue;
            tact_vec3 of_a = tact_vec3_sub(other->point_a, contact->point_a),
                      of_b = tact_vec3_sub(other->point_b, contact->point_b);
            bool same = tact_vec3_dot(of_a, of_a) + tact_vec3_dot(of_b, of_b) <= near * near * size;
            same = same && with->mu == pair->mu && with->restitution == pair->restitution;
            for (int j = 0; same && j < 3 * contact->width; j++)
                same = tact_fabs(other->J[j] - contact->J[j]) <= RIGID_SAME * (1 + tact_fabs(contact->J[j]));
            if (same) return true;
        }
    return false;
}

// Notes that a listed constraint moves a component, as its first or second side.
static void rigid_touch(tact_rigid_block *block, int component) {
    tact_rigid_side *side = &block->side[0];
    if (side->component >= 0 && side->component != component) side++;
    TACT_ASSERT(side->component < 0 || side->component == component);
    side->component = component;
}

// Appends an empty constraint to the list.
static tact_rigid_block *rigid_list_block(tact_rigid_work *rigid) {
    tact_rigid_block *block = &rigid->listed[rigid->count++];
    *block = (tact_rigid_block){.contact = -1, .dof = -1, .side = {{.component = -1}, {.component = -1}}};
    return block;
}

// Lists contact `index` if it is a constraint, and keeps what an earlier round found of it.
static void rigid_list_contact(const tact_model *model, const tact_contact *contact, int index, tact_rigid_work *rigid) {
    const int *column = model->column + model->column_start[contact->pair];
    int place = rigid->place[contact->pair];
    if (place == TACT_RIGID_NONE) return;
    tact_rigid_block *block = rigid_list_block(rigid);
    // keep restitution and Painleve's verdict of the earlier round
    if (place >= 0) {
        block->bounce = rigid->block[place].bounce;
        block->apart = rigid->block[place].apart;
    }
    block->contact = index;
    for (int k = 0; k < contact->width; k++) rigid_touch(block, rigid->component[model->order[column[k]]]);
}

// Root of a component in the union-find forest.
static int rigid_root(const int *parent, int c) {
    while (parent[c] != c) c = parent[c];
    return c;
}

// Numbers the islands, sets of components joined by constraints, in the order of their first constraint.
static void rigid_join(tact_rigid_work *rigid) {
    int *parent = rigid->touching, *number = rigid->number;
    for (int c = 0; c < rigid->ncomponent; c++) parent[c] = c;
    // union-find: unite the two components of each constraint; the lower number becomes the root
    for (int i = 0; i < rigid->count; i++) {
        const tact_rigid_side *side = rigid->listed[i].side;
        if (side[1].component < 0) continue;
        int a = rigid_root(parent, side[0].component), b = rigid_root(parent, side[1].component);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    // a parent has a lower number and is already flat: one step leads to the root
    for (int c = 0; c < rigid->ncomponent; c++) {
        parent[c] = parent[parent[c]];
        number[c] = -1;
    }
    rigid->islands = 0;
    for (int i = 0; i < rigid->count; i++) {
        int c = rigid->listed[i].side[0].component, *mine = c >= 0 ? &number[parent[c]] : NULL;
        if (mine && *mine < 0) *mine = rigid->islands++;
        // a constraint that moves nothing is an island of its own
        rigid->listed[i].island = mine ? *mine : rigid->islands++;
    }
}

// Sets the entry of a Jacobian row for a dof.
static void rigid_set(tact_rigid_work *rigid, tact_rigid_block *block, int row, int dof, tact_real value) {
    int component = rigid->component[dof], first = rigid->begin[component], size = rigid->begin[component + 1] - first;
    const tact_rigid_side *side = &block->side[component != block->side[0].component];
    side->J[row * size + dof - first] = value;
}

// Jacobian rows, bounds and friction coefficient of constraint `index`.
static void rigid_fill(const tact_model *model, tact_work *work, int index) {
    tact_rigid_work *rigid = work->rigid;
    tact_rigid_block *block = &rigid->block[index];
    // for each component that the constraint moves: rows of J, and memory for Y = J A^-1
    for (int s = 0; s < 2 && block->side[s].component >= 0; s++) {
        size_t place = (size_t)(2 * index + s) * 3 * (size_t)rigid->widest;
        int size = rigid->begin[block->side[s].component + 1] - rigid->begin[block->side[s].component];
        block->side[s].J = rigid->J + place;
        block->side[s].Y = rigid->Y + place;
        for (int k = 0; k < 3 * size; k++) block->side[s].J[k] = 0;
    }
    // limits and frictionless contacts use only these rows; the bounds [0, 0] disable the others
    bool there[3] = {block->contact >= 0 || block->lower, block->upper, false};
    for (int row = 0; row < 3; row++) {
        rigid->low[3 * index + row] = 0;
        rigid->high[3 * index + row] = there[row] ? TACT_MAX : 0;
    }
    rigid->mu[index] = -1;
    // joint limits: unit rows, +1 at the lower and -1 at the upper one
    if (block->contact < 0) {
        rigid_set(rigid, block, 0, block->dof, 1);
        rigid_set(rigid, block, 1, block->dof, -1);
        return;
    }
    // a contact: columns of its Jacobian, from the elimination order back to dofs
    const tact_contact *contact = &work->contacts.contact[block->contact];
    const int *column = model->column + model->column_start[contact->pair];
    if (model->pair[contact->pair].mu > 0) rigid->mu[index] = model->pair[contact->pair].mu;
    for (int k = 0; k < contact->width; k++)
        for (int row = 0; row < 3; row++)
            rigid_set(rigid, block, row, model->order[column[k]], contact->J[row * contact->width + k]);
}

// Lists the constraints of each component in ascending order, by a counting sort.
static void rigid_sort(tact_rigid_work *rigid) {
    int n = rigid->ncomponent, *start = rigid->touching;
    for (int c = 0; c <= n + 1; c++) start[c] = 0;
    for (int i = 0; i < rigid->count; i++)
        for (int s = 0; s < 2; s++) start[rigid->block[i].side[s].component + 2]++;
    // sides without a component are not listed
    start[1] = 0;
    for (int c = 1; c <= n; c++) start[c + 1] += start[c];
    for (int i = 0; i < rigid->count; i++)
        for (int s = 0; s < 2; s++) {
            int c = rigid->block[i].side[s].component;
            if (c >= 0) rigid->touched[start[c + 1]++] = i;
        }
    for (int c = n + 1; c > 0; c--) start[c] = start[c - 1];
}

// The constraints of a component, from the returned pointer to end.
static const int *rigid_list(const tact_rigid_work *rigid, int component, const int **end) {
    static const int none = 0;
    *end = component >= 0 ? rigid->touched + rigid->touching[component + 2] : &none;
    return component >= 0 ? rigid->touched + rigid->touching[component + 1] : &none;
}

// Row i of W: a block for each constraint that shares a component with constraint i, with columns counted within the island.
// False when there is no room left.
static bool rigid_couple_row(tact_rigid_work *rigid, int i, int *stored) {
    const tact_rigid_block *block = &rigid->block[i];
    const int *end[2],
        *at[2] = {rigid_list(rigid, block->side[0].component, &end[0]), rigid_list(rigid, block->side[1].component, &end[1])};
    bool alone = block->side[0].component < 0;
    while (alone || at[0] < end[0] || at[1] < end[1]) {
        int j = i;
        if (!alone) {
            // merge of two ascending lists: the next constraint on either side
            int x = at[0] < end[0] ? *at[0] : rigid->count, y = at[1] < end[1] ? *at[1] : rigid->count;
            j = x < y ? x : y;
        }
        if (*stored == rigid->stored) return false;
        tact_real *W = rigid->W + 9 * (size_t)*stored;
        for (int k = 0; k < 9; k++) W[k] = 0;
        rigid->column[(*stored)++] = j - rigid->island[block->island];
        // W_ij += J_i A^-1 J_j' for each component that both constraints move
        for (int s = 0; s < 2 && !alone; s++) {
            if (at[s] == end[s] || *at[s] != j) continue;
            const tact_rigid_side *other = rigid->block[j].side;
            const tact_rigid_side *a = &block->side[s], *b = &other[other->component != a->component];
            int n = rigid->begin[a->component + 1] - rigid->begin[a->component];
            for (int row = 0; row < 3; row++)
                for (int column = 0; column < 3; column++) W[3 * row + column] += tact_dot(a->J + row * n, b->Y + column * n, n);
            at[s]++;
        }
        alone = false;
    }
    return true;
}

// All blocks of W, island by island; false when there is no room for them.
static bool rigid_couple_all(tact_rigid_work *rigid) {
    int stored = 0;
    for (int k = 0; k < rigid->islands; k++) {
        int begin = rigid->island[k], *start = rigid->row_start + begin + k, first = stored;
        rigid->first_stored[k] = first;
        start[0] = 0;
        // the rows of an island are contiguous
        for (int i = begin; i < rigid->island[k + 1]; i++) {
            if (!rigid_couple_row(rigid, i, &stored)) return false;
            start[i - begin + 1] = stored - first;
        }
    }
    return true;
}

tact_status tact_rigid_couple(tact_rigid_work *rigid) {
    // Y = A^-1 J' of each side of each constraint
    for (int i = 0; i < 2 * rigid->count; i++) {
        const tact_rigid_side *side = &rigid->block[i / 2].side[i % 2];
        if (side->component < 0) continue;
        int from = rigid->begin[side->component], to = rigid->begin[side->component + 1] - 1, size = to - from + 1;
        for (int k = 0; k < 3 * size; k++) side->Y[k] = side->J[k];
        for (int row = 0; row < 3; row++) {
            // A - h dc/dv while Newton's method is used for c(v+)
            if (rigid->bent)
                tact_rigid_newton_solve(rigid, side->component, side->Y + row * size);
            else
                tact_rigid_solve(&rigid->A, rigid->pivot, from, to, side->Y + row * size);
        }
    }
    return rigid_couple_all(rigid) ? TACT_CONVERGED : TACT_NO_MEMORY;
}

tact_status tact_rigid_list(const tact_model *model, const tact_options *options, const tact_state *state, tact_work *work) {
    tact_rigid_work *rigid = work->rigid;
    int count = 0;
    rigid->count = 0;
    // limits first, then contacts, if there is room for all
    for (int v = 0; options->limits && v < model->nv; v++) {
        // Limits that the dof may reach in this step.
        const tact_dof *d = &model->dof[v];
        tact_real way = rigid->way[model->place[v]];
        // way: the displacement expected of the dof in this step
        bool lower = d->lower > -TACT_MAX && state->q[d->q] - d->lower <= way;
        bool upper = d->upper < TACT_MAX && d->upper - state->q[d->q] <= way;
        if (!lower && !upper) continue;
        tact_rigid_block *block = rigid_list_block(rigid);
        block->dof = v;
        block->lower = lower;
        block->upper = upper;
        rigid_touch(block, rigid->component[v]);
    }
    for (int c = 0; c < work->contacts.count; c++) count += rigid->place[work->contacts.contact[c].pair] != TACT_RIGID_NONE;
    if (count > rigid->most - rigid->count) return TACT_NO_MEMORY;
    for (int c = 0; c < work->contacts.count; c++) rigid_list_contact(model, &work->contacts.contact[c], c, rigid);
    return TACT_CONVERGED;
}

tact_status tact_rigid_constrain(const tact_model *model, tact_work *work) {
    TACT_ASSERT(model && work && work->rigid);
    tact_rigid_work *rigid = work->rigid;
    // islands of components; J, Y = J A^-1 and W = J A^-1 J' of each island
    rigid_join(rigid);
    // counting sort of the constraints by island, from listed to block
    int *start = rigid->island;
    for (int k = 0; k <= rigid->islands; k++) start[k] = 0;
    for (int i = 0; i < rigid->count; i++) start[rigid->listed[i].island + 1]++;
    for (int k = 0; k < rigid->islands; k++) start[k + 1] += start[k];
    for (int i = 0; i < rigid->count; i++) rigid->block[start[rigid->listed[i].island]++] = rigid->listed[i];
    for (int k = rigid->islands; k > 0; k--) start[k] = start[k - 1];
    start[0] = 0;
    for (int i = 0; i < rigid->count; i++) {
        int contact = rigid->block[i].contact;
        if (contact >= 0) rigid->place[work->contacts.contact[contact].pair] = i;
        rigid_fill(model, work, i);
    }
    rigid_sort(rigid);
    return tact_rigid_couple(rigid);
}

void tact_rigid_rename(tact_work *work) {
    tact_rigid_work *rigid = work->rigid;
    for (int c = 0; c < work->contacts.count; c++) {
        int place = rigid->place[work->contacts.contact[c].pair];
        if (place >= 0) rigid->block[place].contact = c;
    }
}
