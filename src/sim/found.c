// SPDX-License-Identifier: MIT
// Step with a broad phase: the law steps a model that lists the pairs found, with the forces and anchors that the state stores
// for the same pairs. The search precedes the law's estimate of how far bodies move; if they may move farther than was assumed,
// the step is repeated with a wider search.
#include "contact/search.h"
#include "math/elementary.h"
#include "sim/step.h"

enum { FOUND_ROUNDS = 16 };

struct tact_found {
    tact_search_work search;
    tact_state inner;  // state of the step: forces and anchors of the pairs found
};

static void found_place(tact_work *work, const tact_model *model, tact_arena *arena) {
    struct tact_found blank = {.search = {.count = 0}}, *found = work->found = tact_arena_take(arena, 1, sizeof blank);
    if (!found) found = &blank;
    *found = blank;
    tact_search_place(&found->search, model, arena);
    tact_state_place(&found->inner, model, arena);
}

// Reach of each shape: half of the margin, plus the displacement that its carriers allow.
static void found_reach(struct tact_found *found, const tact_model *model, const tact_options *options, tact_work *work) {
    bool sweeps = work->sweeping;
    tact_real h = options->dt, margin = options->margin;
    // under the rigid law an automatic margin is a free fall from rest, plus rounding
    if (sweeps && !model->law->distant)
        margin = 2 * h * h * tact_sqrt(tact_vec3_dot(options->gravity, options->gravity)) + tact_sqrt(TACT_EPS);
    for (int i = 0; i < model->nshape; i++) {
        int body = model->shape[i].body;
        tact_real reach = margin / 2;
        for (int k = body == TACT_WORLD ? 0 : model->path_start[body];
             sweeps && body != TACT_WORLD && k < model->path_start[body + 1]; k++) {
            int motion = model->path[k];
            tact_vec3 v = tact_motion_velocity(&work->kinematics, motion, work->contacts.shape[i].p);
            reach += found->search.way[model->place[model->motion[motion].dof]] * tact_sqrt(tact_vec3_dot(v, v));
        }
        found->search.reach[i] = reach;
    }
    // a whole shape reaches as far as its parts, which are not searched themselves
    const tact_shape_parts *parts = model->search->parts;
    for (int i = 0; parts && i < model->search->nwhole; i++) {
        const int first[3] = {parts[i].vertex, parts[i].edge, parts[i].ball};
        const int count[3] = {parts[i].nvertex, parts[i].nedge, parts[i].nball};
        for (int kind = 0; kind < 3; kind++)
            for (int k = first[kind]; k < first[kind] + count[kind]; k++)
                found->search.reach[i] = tact_max(found->search.reach[i], found->search.reach[k]);
    }
}

// Forces and anchors of the pairs found: those that the state stores for the same pair, 0 for others.
static void found_recall(const tact_work *work, const tact_model *model, const tact_state *state, tact_state *to) {
    const tact_search_work *search = &work->found->search;
    TACT_ASSERT(model->search && to != state);
    tact_state_copy(to, state, model);
    for (int i = 0, j = 0; i < model->search->most; i++) {
        int own = model->npair + i;
        // both lists ascend by key: a merge
        while (i < search->count && j < model->search->most && state->key[j] < search->key[i]) j++;
        bool known = i < search->count && j < model->search->most && state->key[j] == search->key[i];
        const int from = model->npair + j;
        for (int k = 0; k < 3; k++) to->lambda[3 * own + k] = known ? state->lambda[3 * from + k] : 0;
        to->anchor[own] = known ? state->anchor[from] : tact_vec3_make(0, 0, 0);
        to->normal[own] = known ? state->normal[from] : tact_vec3_make(0, 0, 0);
        to->key[i] = search->key[i];
    }
}

static tact_status found_step(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                              tact_work *work) {
    struct tact_found *found = work->found;
    tact_contacts *contacts = &work->contacts;
    TACT_ASSERT(found && model->search);
    tact_contacts_locate(contacts, model, &work->kinematics);
    // expected displacement of each dof: undriven ones by weight or velocity, driven ones towards their command
    tact_real h = options->dt, fall = h * h * tact_sqrt(tact_vec3_dot(options->gravity, options->gravity));
    if (model->law->distant) fall = options->epsilon > 0 ? fall / options->epsilon : 0;
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        tact_real *way = &found->search.way[model->place[v]];
        *way = model->law->velocities ? 4 * (h * tact_fabs(state->v[v]) + fall) : fall;
        if (dof->u >= 0) *way += dof->force ? fall : tact_fabs(state->q[dof->q] - input->u[dof->u]);
    }
    found_reach(found, model, options, work);
    contacts->short_of = true;
    for (int round = 0; round < FOUND_ROUNDS && contacts->short_of; round++) {
        bool fits = tact_search_pairs(&found->search, model, contacts->shape);
        work->fault = (tact_fault){fits ? NULL : "search.most", fits ? 0 : found->search.count};
        if (!fits) return work->status = TACT_NO_MEMORY;
        found_recall(work, model, state, &found->inner);
        // the law's step, which reports a displacement beyond the reach
        contacts->reach = found->search.reach;
        contacts->short_of = false;
        model->law->step(&found->search.view, options, input, &found->inner, work);
        contacts->reach = NULL;
        // in the last round all pairs
        for (int i = 0; i < model->nshape && round == FOUND_ROUNDS - 2; i++) found->search.reach[i] = TACT_MAX;
    }
    if (work->status == TACT_NO_MEMORY && !work->fault.field) work->fault = (tact_fault){"search.most", found->search.count};
    if (work->status >= 0) tact_state_copy(state, &found->inner, model);
    return work->status;
}

static bool found_look(const tact_model *model, tact_work *work) {
    struct tact_found *found = work->found;
    TACT_ASSERT(found && model->search);
    tact_contacts_locate(&work->contacts, model, &work->kinematics);
    for (int i = 0; i < model->nshape; i++) found->search.reach[i] = 0;
    return tact_search_pairs(&found->search, model, work->contacts.shape);
}

const tact_model *tact_step_model(const tact_model *model, const tact_work *work) {
    TACT_ASSERT(model && work);
    return work->found ? &work->found->search.view : model;
}

const tact_finder tact_finder_tree = {.place = found_place, .step = found_step, .recall = found_recall, .look = found_look};
