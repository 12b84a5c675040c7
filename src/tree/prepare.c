// SPDX-License-Identifier: MIT
// Lists that follow from a model's tree and pairs, and the elimination order. Sizes are counted first, then memory placed and
// filled.

#include "tree/order.h"

#include <limits.h>

// Entries of the factor per pair that may be found; memory that pairs do not use is the factor's, too (solve/arrange.c). Up to
// PREPARE_SMALL dofs there is room for the whole matrix.
enum { PREPARE_FILL = 48, PREPARE_SMALL = 104 };

typedef struct {
    int motion;
    int64_t path;    // entries of all path lists
    int64_t column;  // at most: entries of all column lists
    int64_t mass;    // at most: entries of the sets that the mass matrix couples
} prepare_counts;

// The model's lists while they are written, and scratch.
typedef struct {
    tact_motion *motion;
    int *body_motion, *path, *path_start, *order, *place, *column, *column_start, *mass_first, *reach;
    bool *loose, *shift;
    int *stamp;               // (nv) the last set that each dof was added to
    int *set_start, *member;  // which dofs a matrix couples: sets, one per pair, per body, per loop, per spring
    tact_cliques coupling;
    tact_elimination elimination;
    tact_ordering ordering;
} prepare_lists;

static int prepare_dofs(const tact_model *model, int b) {
    return tact_joint_dofs(model->body[b].joint);
}

static bool prepare_undriven(const tact_model *model, int b) {
    for (int k = 0; k < prepare_dofs(model, b); k++)
        if (model->dof[model->body[b].v + k].u < 0) return true;
    return false;
}

// Number of motions on the paths to a and b, common ones counted once.
static int prepare_count_motions(const tact_model *model, int a, int b) {
    // both ends climb to their lowest common ancestor; the higher index is never an ancestor of the lower one
    int count = 0;
    while (a != b || a != TACT_WORLD) {
        int higher = a > b ? a : b, parent = model->body[higher].parent;
        count += prepare_dofs(model, higher);
        if (b == higher) b = parent;
        if (a == higher) a = parent;
    }
    return count;
}

// Counts the entries of all lists; false when they exceed their index type.
static bool prepare_count(const tact_model *model, prepare_counts *count) {
    TACT_ASSERT(model && count);
    if (model->nbody > INT_MAX / 8 || model->nv > INT_MAX / 8 || model->npair > INT_MAX / 8) return false;
    count->motion = 0;
    count->path = count->column = count->mass = 0;
    // motions, path entries, and sets of dofs that the mass matrix couples
    for (int b = 0; b < model->nbody; b++) {
        int n = prepare_count_motions(model, b, TACT_WORLD);
        count->motion += prepare_dofs(model, b);
        count->path += n;
        count->mass += prepare_undriven(model, b) ? n : 0;
    }
    for (int i = 0; i < model->nloop; i++)
        count->mass += prepare_count_motions(model, model->loop[i].body[0], model->loop[i].body[1]);
    for (int i = 0; i < model->nspring; i++) count->mass += model->spring[i].count;
    // columns: at most all motions on both paths of a pair
    for (int i = 0; i < model->npair; i++) {
        const tact_pair *pair = &model->pair[i];
        count->column += prepare_count_motions(model, model->shape[pair->a].body, model->shape[pair->b].body);
    }
    return count->path <= INT_MAX && count->column + count->mass <= INT_MAX;
}

static tact_motion_kind prepare_turn(tact_vec3 axis) {
    // an axis along a coordinate axis makes the rotation cheaper
    bool x = axis.x != 0, y = axis.y != 0, z = axis.z != 0;
    if (!y && !z) return TACT_MOTION_TURNS_X;
    if (!x && !z) return TACT_MOTION_TURNS_Y;
    return x || y ? TACT_MOTION_TURNS : TACT_MOTION_TURNS_Z;
}

// Kind of a joint's motion: the first two of a planar joint translate, as do the last three of a free one.
static tact_motion_kind prepare_kind(const tact_body *body, int axis) {
    bool hinge = body->joint == TACT_JOINT_REVOLUTE || body->joint == TACT_JOINT_CONTINUOUS;
    bool turns = (body->joint == TACT_JOINT_PLANAR && axis == 2) || (body->joint == TACT_JOINT_FREE && axis < 3);
    if (hinge) return prepare_turn(body->axis);
    return turns ? TACT_MOTION_TURNS : TACT_MOTION_SLIDES;
}

static void prepare_motions(prepare_lists *lists, const tact_model *model) {
    int count = 0;
    // motions are stored body by body
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        lists->body_motion[b] = count;
        for (int k = 0; k < prepare_dofs(model, b); k++) {
            tact_motion motion = {b, k, body->v + k, prepare_kind(body, k), body->ratio};
            lists->motion[count++] = motion;
        }
    }
    lists->body_motion[model->nbody] = count;
}

// A body's path is its parent's path and its own motions.
static void prepare_paths(prepare_lists *lists, const tact_model *model) {
    int *start = lists->path_start, *path = lists->path;
    start[0] = 0;
    // parents come before children, so that a parent's path is complete
    for (int b = 0; b < model->nbody; b++) {
        int parent = model->body[b].parent, count = start[b];
        if (parent != TACT_WORLD)
            for (int k = start[parent]; k < start[parent + 1]; k++) path[count++] = path[k];
        for (int m = lists->body_motion[b]; m < lists->body_motion[b + 1]; m++) path[count++] = m;
        start[b + 1] = count;
        bool same = true;
        for (int i = 0; i < 9; i++) same = same && model->body[b].place.R.m[i / 3][i % 3] == (i % 4 == 0 ? 1 : 0);
        lists->shift[b] = same;
        lists->loose[b] = prepare_undriven(model, b) || (parent != TACT_WORLD && lists->loose[parent]);
    }
}

static void prepare_reach(prepare_lists *lists, const tact_model *model) {
    // reach: the last dof that a dof carries, extended by loops
    for (int v = 0; v < model->nv; v++) lists->reach[v] = v;
    for (int b = 0; b < model->nbody; b++) {
        int begin = lists->path_start[b], end = lists->path_start[b + 1], highest = 0;
        for (int k = begin; k < end; k++) {
            int v = lists->motion[lists->path[k]].dof;
            if (v > highest) highest = v;
        }
        for (int k = begin; k < end; k++) {
            int *reach = &lists->reach[lists->motion[lists->path[k]].dof];
            if (highest > *reach) *reach = highest;
        }
    }
}

// Adds the dofs on the path to a body, all or only undriven ones, to a set that ends at `end`; returns its new end.
static int prepare_gather(prepare_lists *lists, const tact_model *model, int b, bool all, int set, int end) {
    if (b == TACT_WORLD) return end;
    for (int k = lists->path_start[b]; k < lists->path_start[b + 1]; k++) {
        int v = lists->motion[lists->path[k]].dof;
        if (lists->stamp[v] == set || !(all || model->dof[v].u < 0)) continue;
        lists->stamp[v] = set;
        lists->member[end++] = v;
    }
    return end;
}

// The coupling graph as cliques, sets of mutually coupled dofs: one for each contact, body, loop and spring.
static void prepare_coupling(prepare_lists *lists, const tact_model *model) {
    int set = 0, end = 0, *start = lists->set_start;
    for (int v = 0; v < model->nv; v++) lists->stamp[v] = -1;
    start[0] = 0;
    // a contact couples all dofs of both paths
    for (int i = 0; i < model->npair; i++, set++) {
        end = prepare_gather(lists, model, model->shape[model->pair[i].a].body, true, set, end);
        end = prepare_gather(lists, model, model->shape[model->pair[i].b].body, true, set, end);
        start[set + 1] = end;
    }
    // the mass matrix couples the undriven dofs of a path
    for (int b = 0; b < model->nbody; b++, set++) {
        if (prepare_undriven(model, b)) end = prepare_gather(lists, model, b, false, set, end);
        start[set + 1] = end;
    }
    // a loop couples the dofs on the paths of both bodies
    for (int i = 0; i < model->nloop; i++, set++) {
        end = prepare_gather(lists, model, model->loop[i].body[0], true, set, end);
        end = prepare_gather(lists, model, model->loop[i].body[1], true, set, end);
        start[set + 1] = end;
    }
    // a spring couples the dofs that it sums
    for (int i = 0; i < model->nspring; i++, set++) {
        for (int k = 0; k < model->spring[i].count; k++) lists->member[end++] = model->spring[i].dof[k];
        start[set + 1] = end;
    }
    // dofs of a loop or spring reach up to the highest of them
    int first = model->npair + model->nbody;
    for (int tie = first; tie < first + model->nloop + model->nspring; tie++) {
        int highest = 0;
        for (int k = lists->set_start[tie]; k < lists->set_start[tie + 1]; k++)
            if (lists->member[k] > highest) highest = lists->member[k];
        for (int k = lists->set_start[tie]; k < lists->set_start[tie + 1]; k++) {
            int *reach = &lists->reach[lists->member[k]];
            if (highest > *reach) *reach = highest;
        }
    }
    tact_elimination_begin(&lists->coupling, &lists->elimination);
}

// Columns of the pairs: places of their dofs, ascending because the places are visited in order.
static void prepare_columns(prepare_lists *lists, const tact_model *model) {
    TACT_ASSERT(lists->column && model->npair >= 0);
    const tact_elimination *sets = &lists->elimination;
    int npair = model->npair, *end = lists->column_start;
    for (int i = 0; i <= npair; i++) end[i] = lists->set_start[i > 0 ? i - 1 : 0];
    for (int p = 0; p < model->nv; p++) {
        int v = lists->order[p];
        // sets below npair are pairs; the dof's place is appended to each
        for (int k = sets->start[v]; k < sets->start[v + 1] && sets->set[k] < npair; k++)
            lists->column[end[sets->set[k] + 1]++] = p;
    }
}

tact_status tact_model_prepare(tact_model *model, tact_arena *arena) {
    TACT_ASSERT(model && arena);
    prepare_counts count;
    prepare_lists lists;
    // a first call measures; the lists are written in the second
    if (tact_model_check(model).field || !prepare_count(model, &count)) return TACT_BAD_INPUT;
    // Lists of the model.
    size_t nbody = (size_t)model->nbody, nv = (size_t)model->nv, npair = (size_t)model->npair;
    int sets = model->npair + model->nbody + model->nloop + model->nspring;
    size_t column = (size_t)count.column, member = column + (size_t)count.mass;
    lists.motion = tact_arena_take(arena, (size_t)count.motion, sizeof(tact_motion));
    lists.body_motion = tact_arena_take(arena, nbody + 1, sizeof(int));
    lists.path = tact_arena_take(arena, (size_t)count.path, sizeof(int));
    lists.path_start = tact_arena_take(arena, nbody + 1, sizeof(int));
    lists.order = tact_arena_take(arena, nv, sizeof(int));
    lists.place = tact_arena_take(arena, nv, sizeof(int));
    lists.column = tact_arena_take(arena, column, sizeof(int));
    lists.column_start = tact_arena_take(arena, npair + 1, sizeof(int));
    lists.loose = tact_arena_take(arena, nbody, sizeof(bool));
    lists.shift = tact_arena_take(arena, nbody, sizeof(bool));
    lists.mass_first = tact_arena_take(arena, nv, sizeof(int));
    lists.reach = tact_arena_take(arena, nv, sizeof(int));
    // scratch for the elimination order
    lists.stamp = tact_arena_take(arena, nv, sizeof(int));
    lists.set_start = tact_arena_take(arena, (size_t)sets + 1, sizeof(int));
    lists.member = tact_arena_take(arena, member, sizeof(int));
    lists.coupling = (tact_cliques){model->nv, sets, lists.set_start, lists.member};
    tact_elimination_place(&lists.elimination, model->nv, (int)member, arena);
    tact_ordering_place(&lists.ordering, model, arena);
    model->nmotion = count.motion;
    if (!arena->memory) return TACT_CONVERGED;
    if (!tact_arena_fits(arena)) return TACT_NO_MEMORY;
    // motions of the joints, paths to the root, the last dof that each dof carries, and which dofs couple
    prepare_motions(&lists, model);
    prepare_paths(&lists, model);
    prepare_reach(&lists, model);
    prepare_coupling(&lists, model);
    // the elimination order precedes all lists by place
    tact_order_choose(model, &lists.coupling, &lists.ordering, &lists.elimination, lists.order, lists.place);
    int64_t envelope = tact_elimination_envelope(&lists.coupling, lists.place, lists.stamp);
    // pairs found by a broad phase: room for their factor
    if (model->search && model->nv <= PREPARE_SMALL) envelope = (int64_t)model->nv * (model->nv + 1) / 2;
    if (model->search && model->nv > PREPARE_SMALL) envelope += (int64_t)PREPARE_FILL * model->search->most;
    if (envelope > INT_MAX) return TACT_BAD_INPUT;
    tact_cliques mass = {model->nv, model->nbody + model->nloop + model->nspring, lists.set_start + model->npair, lists.member};
    tact_elimination_envelope(&mass, lists.place, lists.mass_first);
    prepare_columns(&lists, model);
    model->envelope = (int)envelope;
    // the model refers to the finished lists
    model->motion = lists.motion;
    model->body_motion = lists.body_motion;
    model->path = lists.path;
    model->path_start = lists.path_start;
    model->order = lists.order;
    model->place = lists.place;
    model->column = lists.column;
    model->column_start = lists.column_start;
    model->loose = lists.loose;
    model->shift = lists.shift;
    model->mass_first = lists.mass_first;
    model->reach = lists.reach;
    return TACT_CONVERGED;
}

tact_sizes tact_model_sizes(const tact_model *model) {
    TACT_ASSERT(model && model->column_start);
    tact_sizes sizes = {.nbody = model->nbody,
                        .nshape = model->nshape,
                        .npair = tact_model_pairs(model),
                        .nq = model->nq,
                        .nv = model->nv,
                        .nu = model->nu,
                        .nmotion = model->nmotion,
                        .nloop = model->nloop,
                        .nspring = model->nspring,
                        .columns = tact_model_columns(model),
                        .envelope = model->envelope};
    return sizes;
}

bool tact_model_has_sizes(const tact_model *model, const tact_sizes *sizes) {
    TACT_ASSERT(model && sizes);
    return model->nbody == sizes->nbody && model->nshape == sizes->nshape && tact_model_pairs(model) == sizes->npair &&
           model->nq == sizes->nq && model->nv == sizes->nv && model->nu == sizes->nu && model->nmotion == sizes->nmotion &&
           model->nloop == sizes->nloop && model->nspring == sizes->nspring && model->envelope == sizes->envelope &&
           tact_model_columns(model) == sizes->columns;
}
