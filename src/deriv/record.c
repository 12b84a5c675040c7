// SPDX-License-Identifier: MIT
// Derivatives of all laws: a table with the functions of each law, which do for a record what tact/deriv.h and tact/virtual.h
// do for a step.
#include "deriv/record.h"

#include "deriv/adjoint.h"
#include "math/elementary.h"
#include "sim/step.h"

// Functions of a law; NULL: nothing to be done. linearise and those that follow find the step in linear->step.
typedef struct {
    void (*place)(tact_linear *linear, const tact_model *model, tact_arena *arena);
    tact_status (*linearise)(tact_linear *linear);
    tact_status (*matrices)(tact_linear *linear, const tact_jacobians *jacobians);
    tact_status (*push)(tact_linear *linear, const tact_step_change *change, const tact_step_effect *effect);
    tact_status (*pull)(tact_linear *linear, tact_step_adjoint *adjoint);
} record_law;

static void record_clear(tact_real *x, int count) {
    for (int i = 0; x && i < count; i++) x[i] = 0;
}

// The barrier law.

static void record_place_barrier(tact_linear *linear, const tact_model *model, tact_arena *arena) {
    size_t size = tact_deriv_size(model), nv = (size_t)model->nv, npair = (size_t)tact_model_pairs(model),
           real = sizeof(tact_real);
    void *memory = tact_arena_take(arena, size, 1);
    if (memory) tact_deriv_init(&linear->barrier, model, memory, size);
    linear->anchor.slip = tact_arena_take(arena, 3 * npair, real);
    linear->anchor.loaded = tact_arena_take(arena, npair, real);
    linear->anchor.seed = tact_arena_take(arena, nv, real);
    linear->anchor.direct = tact_arena_take(arena, nv, real);
}

static tact_status record_linearise_barrier(tact_linear *linear) {
    const tact_record *step = &linear->step;
    linear->barrier.frozen_geometry = linear->frozen_geometry;
    tact_status status =
        tact_deriv_linearise(step->model, step->options, step->input, step->before, step->work, &linear->barrier);
    linear->fault = linear->barrier.fault;
    linear->kink = status >= 0 && linear->barrier.kink;
    return status;
}

static tact_status record_fill_barrier(tact_linear *linear, const tact_jacobians *jacobians) {
    tact_deriv_matrices(linear->step.model, linear->step.work, &linear->barrier, jacobians);
    return TACT_CONVERGED;
}

static tact_status record_push_barrier(tact_linear *linear, const tact_step_change *change, const tact_step_effect *effect) {
    const tact_record *step = &linear->step;
    tact_deriv_column column = {effect->q, effect->lambda}, own = {linear->q, linear->lambda};
    bool plain = change->q || change->u || change->force || !change->parameter;
    int nl = 3 * step->work->contacts.count;
    record_clear(effect->v, step->model->nv);
    // Coordinates, commands and forces in one column; a parameter in its own, added.
    if (plain) tact_deriv_push(step->model, step->work, &linear->barrier, change, column);
    if (!change->parameter) return TACT_CONVERGED;
    tact_deriv_parameter(step->model, step->options, step->work, &linear->barrier, *change->parameter, plain ? own : column);
    for (int i = 0; plain && column.q && i < step->model->nv; i++) column.q[i] += own.q[i];
    for (int i = 0; plain && column.lambda && i < nl; i++) column.lambda[i] += own.lambda[i];
    return TACT_CONVERGED;
}

// Reorders adjoints stored by pair, from the order of the pairs found to that of the previous state. Pairs that the state did
// not remember had the value 0, and get adjoint 0.
static void record_restore_order(tact_linear *linear, tact_vec3 *bar) {
    int listed = linear->given.model->npair, most = linear->given.model->search->most;
    const uint64_t *own = linear->before.key, *given = linear->given.before->key;
    for (int i = 0; i < most; i++) linear->sorted[i] = bar[listed + i];
    for (int i = 0, j = 0; i < most; i++) {
        while (j < most && own[j] < given[i]) j++;
        bool same = j < most && own[j] == given[i] && given[i] != UINT64_MAX;
        bar[listed + i] = same ? linear->sorted[j] : tact_vec3_make(0, 0, 0);
    }
}

// Pullback of a barrier step (reverse mode): from dL/dq+ and dL/dlambda to dL/dq, dL/du, dL/dparameter and the adjoints of the
// anchors.
static tact_status record_pull_barrier(tact_linear *linear, tact_step_adjoint *adjoint) {
    const tact_record *step = &linear->step;
    const tact_model *model = step->model;
    tact_deriv_work *deriv = &linear->barrier;
    bool anchored = step->options->anchor && adjoint->anchor;
    tact_anchor_step anchors = {step, deriv};
    linear->anchor.anchor = adjoint->anchor;
    linear->anchor.normal = adjoint->normal;
    // Stored displacements add to dL/dd and dL/dlambda before the pass, and to dL/dq after it.
    tact_copy(linear->q, adjoint->q, model->nv);
    if (anchored) tact_anchor_adjoint_begin(&anchors, &linear->anchor, linear->q, linear->lambda);
    tact_deriv_pullback(model, step->work, deriv, (tact_deriv_seed){linear->q, linear->lambda}, adjoint->q,
                        adjoint->u ? adjoint->u : linear->unit);
    for (int i = 0; i < adjoint->nparameter; i++)
        adjoint->by_parameter[i] +=
            tact_deriv_parameter_pullback(model, step->options, step->work, deriv, linear->lambda, adjoint->parameter[i]);
    if (anchored) tact_anchor_adjoint_end(&anchors, &linear->anchor, adjoint->q);
    if (anchored && linear->given.model->search) {
        record_restore_order(linear, adjoint->anchor);
        record_restore_order(linear, adjoint->normal);
    }
    return TACT_CONVERGED;
}

// The rigid law. Its reverse mode is the product with its transposed matrices.

static void record_place_rigid(tact_linear *linear, const tact_model *model, tact_arena *arena) {
    size_t size = tact_rigid_deriv_size(model), nx = 2 * (size_t)model->nv, nu = (size_t)model->nu, real = sizeof(tact_real);
    void *memory = tact_arena_take(arena, size, 1);
    if (memory) tact_rigid_deriv_init(&linear->rigid, model, memory, size);
    linear->matrices.A = tact_arena_take(arena, nx * nx, real);
    linear->matrices.B = tact_arena_take(arena, nx * nu, real);
    linear->matrices.C = tact_arena_take(arena, 3 * (size_t)tact_model_pairs(model) * nx, real);
    linear->matrices.D = tact_arena_take(arena, 3 * (size_t)tact_model_pairs(model) * nu, real);
}

static tact_status record_linearise_rigid(tact_linear *linear) {
    linear->filled = false;
    tact_status status = tact_rigid_linearise(&linear->rigid, &linear->step);
    linear->kink = status >= 0 && linear->rigid.kink;
    linear->redundant = status >= 0 && linear->rigid.redundant;
    return status;
}

static tact_status record_fill_rigid(tact_linear *linear, const tact_jacobians *jacobians) {
    return tact_rigid_matrices(&linear->rigid, jacobians);
}

static tact_status record_push_rigid(tact_linear *linear, const tact_step_change *change, const tact_step_effect *effect) {
    return tact_rigid_push(&linear->rigid, change, effect);
}

// x_bar += M'y for M (rows, columns), from a column on.
static void record_add_product(const tact_real *M, const tact_real *y, int rows, int columns, int from, int count,
                               tact_real *x_bar) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < count; j++) x_bar[j] += M[i * columns + from + j] * y[i];
}

// Pullback of a rigid step by its matrices: (q_bar, v_bar) = [A; C]'y and u_bar = [B; D]'y, with y the adjoints of q+, v+ and
// lambda.
static tact_status record_pull_rigid(tact_linear *linear, tact_step_adjoint *adjoint) {
    const tact_model *model = linear->step.model;
    const tact_jacobians *m = &linear->matrices;
    int nv = model->nv, nu = model->nu, nl = 3 * linear->step.work->contacts.count;
    tact_status status = linear->filled ? TACT_CONVERGED : tact_rigid_matrices(&linear->rigid, m);
    if (status < 0) return status;
    linear->filled = true;
    tact_copy(linear->q, adjoint->q, nv);
    tact_copy(linear->v, adjoint->v, nv);
    record_clear(adjoint->q, nv);
    record_clear(adjoint->v, nv);
    record_clear(adjoint->u, nu);
    // q_bar = A_q'y_q + A_v'y_v + C'y_lambda, and alike by v and u.
    const tact_real *y[3] = {linear->q, linear->v, linear->lambda};
    const tact_real *X[3] = {m->A, m->A + (size_t)nv * (size_t)(2 * nv), m->C},
                    *U[3] = {m->B, m->B + (size_t)nv * (size_t)nu, m->D};
    for (int part = 0; part < 3; part++) {
        int rows = part < 2 ? nv : nl;
        record_add_product(X[part], y[part], rows, 2 * nv, 0, nv, adjoint->q);
        record_add_product(X[part], y[part], rows, 2 * nv, nv, nv, adjoint->v);
        if (adjoint->u) record_add_product(U[part], y[part], rows, nu, 0, nu, adjoint->u);
    }
    for (int i = 0; i < adjoint->nparameter; i++) {
        // A parameter forward: its column times y.
        tact_rigid_deriv *rigid = &linear->rigid;
        tact_real *dq = rigid->basis, *dv = linear->unit, *dlambda = linear->dlambda;
        record_clear(dlambda, nl);
        if (!tact_rigid_parameter(rigid, adjoint->parameter[i], dq, dv, dlambda)) continue;
        adjoint->by_parameter[i] += tact_dot(dq, y[0], nv) + tact_dot(dv, y[1], nv) + tact_dot(dlambda, y[2], nl);
    }
    // Redundant contacts share a load in more than one way: forces then have no unique derivative.
    bool of_forces = tact_dot(linear->lambda, linear->lambda, nl) > 0;
    return of_forces && linear->redundant ? TACT_AMBIGUOUS : TACT_CONVERGED;
}

// The virtual law, whose step leaves all that its derivatives need.

static tact_status record_push_virtual(tact_linear *linear, const tact_step_change *change, const tact_step_effect *effect) {
    const tact_record *step = &linear->step;
    return tact_virtual_differentiate(step->model, step->options, step->input, step->before, step->work, change, effect);
}

static void record_put_column(tact_real *matrix, int columns, int at, const tact_real *column, int rows) {
    for (int i = 0; matrix && i < rows; i++) matrix[i * columns + at] = column[i];
}

// Column by column: of q, v and u in turn.
static tact_status record_fill_virtual(tact_linear *linear, const tact_jacobians *jacobians) {
    int nv = linear->step.model->nv, nu = linear->step.model->nu, nx = 2 * nv, nl = 3 * linear->step.work->contacts.count;
    tact_status worst = TACT_CONVERGED;
    for (int k = 0; k < nx + nu; k++) {
        // A unit of one of q, v, u.
        bool command = k >= nx;
        int at = command ? k - nx : k % nv, columns = command ? nu : nx;
        tact_step_change change = {0};
        *(command ? &change.u : k < nv ? &change.q : &change.v) = linear->unit;
        for (int i = 0; i < (command ? nu : nv); i++) linear->unit[i] = i == at;
        tact_status status = record_push_virtual(linear, &change, &(tact_step_effect){linear->q, linear->v, linear->lambda});
        if (status < 0) return status;
        if (status != TACT_CONVERGED) worst = status;
        // The column into A or B, forces into C or D.
        tact_real *x = command ? jacobians->B : jacobians->A, *force = command ? jacobians->D : jacobians->C;
        int to = command ? at : k;
        record_put_column(x, columns, to, linear->q, nv);
        record_put_column(x ? x + nv * columns : NULL, columns, to, linear->v, nv);
        record_put_column(force, columns, to, linear->lambda, nl);
    }
    return worst;
}

static tact_status record_pull_virtual(tact_linear *linear, tact_step_adjoint *adjoint) {
    int nl = 3 * linear->step.work->contacts.count;
    if (tact_dot(linear->lambda, linear->lambda, nl) > 0) {
        linear->fault = (tact_fault){"adjoint.lambda", 0};
        return TACT_BAD_INPUT;
    }
    return tact_virtual_pullback(&linear->step, adjoint);
}

static const record_law record_laws[] = {
    [TACT_DERIV_BARRIER] = {record_place_barrier, record_linearise_barrier, record_fill_barrier, record_push_barrier,
                            record_pull_barrier},
    [TACT_DERIV_RIGID] = {record_place_rigid, record_linearise_rigid, record_fill_rigid, record_push_rigid, record_pull_rigid},
    [TACT_DERIV_VIRTUAL] = {NULL, NULL, record_fill_virtual, record_push_virtual, record_pull_virtual},
};

static tact_deriv_kind record_kind(const tact_model *model) {
    return model->law ? model->law->derivatives : TACT_DERIV_NONE;
}

// Memory of the linearised step of any law: vectors common to all, then what the law's own table asks for. An arena without
// memory measures.
void tact_linear_place(tact_linear *linear, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(linear && model && arena);
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, rows = 3 * (size_t)tact_model_pairs(model), real = sizeof(tact_real);
    linear->of = tact_model_sizes(model);
    linear->kind = record_kind(model);
    linear->frozen_geometry = linear->kink = linear->redundant = linear->filled = false;
    linear->fault = (tact_fault){NULL, 0};
    // seeds and columns: coordinates, velocities and forces
    linear->q = tact_arena_take(arena, nv, real);
    linear->v = tact_arena_take(arena, nv, real);
    linear->unit = tact_arena_take(arena, nv > nu ? nv : nu, real);
    linear->lambda = tact_arena_take(arena, rows, real);
    linear->dlambda = tact_arena_take(arena, rows, real);
    if (model->search) {
        // the state before in the order of the pairs found
        tact_state_place(&linear->before, model, arena);
        linear->sorted = tact_arena_take(arena, rows / 3, sizeof(tact_vec3));
    }
    if (record_laws[linear->kind].place) record_laws[linear->kind].place(linear, model, arena);
}

size_t tact_linear_size(const tact_model *model) {
    TACT_ASSERT(model);
    tact_arena arena = {0};
    tact_linear linear;
    tact_linear_place(&linear, model, &arena);
    return arena.used;
}

tact_status tact_linear_init(tact_linear *linear, const tact_model *model, void *memory, size_t size) {
    TACT_ASSERT(linear && model);
    if (tact_linear_size(model) > size) return TACT_NO_MEMORY;
    tact_arena arena = {.memory = memory, .size = size};
    tact_linear_place(linear, model, &arena);
    return tact_arena_fits(&arena) ? TACT_CONVERGED : TACT_NO_MEMORY;
}

int tact_linear_order(const tact_model *model) {
    TACT_ASSERT(model);
    return model->law && model->law->velocities ? 2 * model->nv : model->nv;
}

const char *tact_linear_refuse(const tact_model *model) {
    TACT_ASSERT(model);
    tact_deriv_kind kind = record_kind(model);
    if (kind == TACT_DERIV_NONE) return "is under a law without derivatives";
    for (int i = 0; i < model->nbody && kind == TACT_DERIV_BARRIER; i++)
        if (model->body[i].joint == TACT_JOINT_FREE && model->path_start[i + 1] - model->path_start[i] > 6)
            return "has a free joint on a body that moves: there are no derivatives";
    return NULL;
}

// Whether the parameter is a size of a shape that is part of a union, whose distance is differentiated by its temperature only.
static bool is_of_member(const tact_model *model, tact_parameter parameter) {
    if (parameter.kind != TACT_PARAMETER_SIZE && parameter.kind != TACT_PARAMETER_RADIUS) return false;
    for (int i = 0; i < model->nshape; i++)
        for (int k = 0; tact_shape_is_union(model->shape[i].type) && k < model->shape[i].count; k++)
            if (model->shape[i].member[k] == parameter.index) return true;
    return false;
}

bool tact_linear_has(const tact_model *model, tact_parameter parameter) {
    if (is_of_member(model, parameter)) return false;
    return record_kind(model) != TACT_DERIV_NONE && (model->law->by >> parameter.kind & 1) != 0;
}

bool tact_linear_pulls(const tact_model *model, const tact_options *options, tact_parameter parameter) {
    bool cap = parameter.kind == TACT_PARAMETER_MU || parameter.kind == TACT_PARAMETER_KAPPA;
    return tact_linear_has(model, parameter) && !(cap && model->law->anchors && options->anchor);
}

tact_status tact_linearise(tact_linear *linear, const tact_record *step) {
    TACT_ASSERT(linear && step && step->model && step->options && step->input && step->work);
    TACT_ASSERT(tact_model_has_sizes(step->model, &linear->of) && linear->kind == record_kind(step->model));
    TACT_ASSERT(tact_state_fits(step->before, step->model) && tact_work_fits(step->work, step->model));
    linear->given = linear->step = *step;
    linear->kink = linear->redundant = false;
    // what has no derivatives says so, before the law is asked
    linear->fault = linear->kind == TACT_DERIV_NONE ? (tact_fault){"model.law", 0}
                    : step->work->status < 0        ? (tact_fault){"work.status", 0}
                                                    : (tact_fault){NULL, 0};
    if (linear->fault.field) return TACT_BAD_INPUT;
    // the laws go by a model that lists the pairs of the step
    if (step->model->search) {
        step->model->search->finder->recall(step->work, step->model, step->before, &linear->before);
        linear->step.model = tact_step_model(step->model, step->work);
        linear->step.before = &linear->before;
    }
    return record_laws[linear->kind].linearise ? record_laws[linear->kind].linearise(linear) : TACT_CONVERGED;
}

tact_status tact_linear_matrices(tact_linear *linear, const tact_jacobians *jacobians) {
    TACT_ASSERT(linear && jacobians && linear->kind != TACT_DERIV_NONE);
    return record_laws[linear->kind].matrices(linear, jacobians);
}

tact_status tact_linear_push(tact_linear *linear, const tact_step_change *change, const tact_step_effect *effect) {
    TACT_ASSERT(linear && change && effect && linear->kind != TACT_DERIV_NONE);
    TACT_ASSERT(!change->parameter || tact_linear_has(linear->step.model, *change->parameter));
    return record_laws[linear->kind].push(linear, change, effect);
}

tact_status tact_linear_pull(tact_linear *linear, tact_step_adjoint *adjoint) {
    TACT_ASSERT(linear && adjoint && linear->kind != TACT_DERIV_NONE);
    int nl = 3 * linear->step.work->contacts.count;
    for (int i = 0; i < nl; i++) linear->lambda[i] = adjoint->lambda ? adjoint->lambda[i] : 0;
    return record_laws[linear->kind].pull(linear, adjoint);
}
