// SPDX-License-Identifier: MIT
#include "batch/slopes.h"

#include "tact/virtual.h"

int tact_slopes_order(const tact_model *model) {
    return model->law == &tact_law_barrier ? model->nv : 2 * model->nv;
}

const char *tact_slopes_refuse(const tact_model *model) {
    TACT_ASSERT(model);
    for (int i = 0; i < model->nbody && model->law == &tact_law_barrier; i++)
        if (model->body[i].joint == TACT_JOINT_FREE && model->path_start[i + 1] - model->path_start[i] > 6)
            return "has a free joint on a body that moves: there are no derivatives";
    return NULL;
}

void tact_slopes_place(tact_slopes *slopes, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(slopes);
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, nx = (size_t)tact_slopes_order(model), rows = 3 * (size_t)model->npair,
           real = sizeof(tact_real), size = tact_state_size(model);
    // State before the step, and matrices for as many contacts as there are pairs.
    void *memory = tact_arena_take(arena, size, 1);
    if (memory) tact_state_init(&slopes->before, model, memory, size);
    slopes->matrices = (tact_jacobians){.A = tact_arena_take(arena, nx * nx, real),
                                        .B = tact_arena_take(arena, nx * nu, real),
                                        .C = tact_arena_take(arena, rows * nx, real),
                                        .D = tact_arena_take(arena, rows * nu, real)};
    // Scratch of the law's own derivatives.
    if (model->law == &tact_law_barrier) {
        size = tact_deriv_size(model);
        memory = tact_arena_take(arena, size, 1);
        if (memory) tact_deriv_init(&slopes->barrier, model, memory, size);
    } else if (model->law == &tact_law_rigid) {
        size = tact_rigid_deriv_size(model);
        memory = tact_arena_take(arena, size, 1);
        if (memory) tact_rigid_deriv_init(&slopes->rigid, model, memory, size);
    } else {
        slopes->change = tact_arena_take(arena, nv > nu ? nv : nu, real);
        slopes->q = tact_arena_take(arena, nv, real);
        slopes->v = tact_arena_take(arena, nv, real);
        slopes->lambda = tact_arena_take(arena, rows, real);
    }
}

static tact_slopes_kind find_barrier(tact_slopes *slopes, const tact_model *model, const tact_options *options,
                                     const tact_input *input, const tact_work *work) {
    if (tact_deriv_linearise(model, options, input, &slopes->before, work, &slopes->barrier) < 0) return TACT_SLOPES_NONE;
    tact_deriv_matrices(model, work, &slopes->barrier, &slopes->matrices);
    return slopes->barrier.kink ? TACT_SLOPES_KINK : TACT_SLOPES_SMOOTH;
}

static tact_slopes_kind find_rigid(tact_slopes *slopes, const tact_rigid_record *made) {
    if (tact_rigid_linearise(&slopes->rigid, made) < 0) return TACT_SLOPES_NONE;
    if (tact_rigid_matrices(&slopes->rigid, &slopes->matrices) < 0) return TACT_SLOPES_NONE;
    return slopes->rigid.kink ? TACT_SLOPES_KINK : TACT_SLOPES_SMOOTH;
}

static void put_column(tact_real *matrix, int columns, int at, const tact_real *column, int rows) {
    for (int i = 0; i < rows; i++) matrix[i * columns + at] = column[i];
}

// Column k: of q, v, u in turn.
static bool find_virtual_column(tact_slopes *slopes, const tact_rigid_record *made, tact_work *work, int k) {
    TACT_ASSERT(0 <= k && k < 2 * made->model->nv + made->model->nu);
    int nv = made->model->nv, nu = made->model->nu, nx = 2 * nv, rows = 3 * work->contacts.count, at = k < nx ? k % nv : k - nx;
    bool command = k >= nx;
    const tact_jacobians *to = &slopes->matrices;
    tact_virtual_change change = {0};
    tact_virtual_effect effect = {slopes->q, slopes->v, slopes->lambda};
    // Direction: the unit vector of one entry of q, v or u.
    *(command ? &change.u : k < nv ? &change.q : &change.v) = slopes->change;
    for (int i = 0; i < (command ? nu : nv); i++) slopes->change[i] = i == at;
    if (tact_virtual_differentiate(made->model, made->options, made->input, made->before, work, &change, &effect) < 0)
        return false;
    // dq over dv into A or B, dlambda into C or D.
    tact_real *x = command ? to->B : to->A, *force = command ? to->D : to->C;
    int columns = command ? nu : nx;
    at = command ? at : k;
    put_column(x, columns, at, slopes->q, nv);
    put_column(x + nv * columns, columns, at, slopes->v, nv);
    put_column(force, columns, at, slopes->lambda, rows);
    return true;
}

tact_slopes_kind tact_slopes_find(tact_slopes *slopes, const tact_model *model, const tact_options *options,
                                  const tact_input *input, const tact_state *after, tact_work *work) {
    TACT_ASSERT(slopes && model);
    tact_rigid_record made = {model, options, input, &slopes->before, after, work};
    if (model->law == &tact_law_barrier) return find_barrier(slopes, model, options, input, work);
    if (model->law == &tact_law_rigid) return find_rigid(slopes, &made);
    for (int k = 0; k < 2 * model->nv + model->nu; k++)
        if (!find_virtual_column(slopes, &made, work, k)) return TACT_SLOPES_NONE;
    return TACT_SLOPES_SMOOTH;
}
