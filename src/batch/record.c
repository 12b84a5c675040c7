// SPDX-License-Identifier: MIT
#include <limits.h>
#include <string.h>

#include "batch/worker.h"
#include "contact/search.h"

// Index of each array by its name, -1 where the batch has none, and its offset within a row.
void tact_worker_find_arrays(tact_batch_worker *worker) {
    TACT_ASSERT(worker);
    tact_worker_arrays *arrays = &worker->arrays;
    const struct {
        const char *name;
        int *at;
    } list[] = {{"parameters", &arrays->parameters},
                {"q", &arrays->q},
                {"v", &arrays->v},
                {"lambda", &arrays->lambda},
                {"path_q", &arrays->path_q},
                {"path_v", &arrays->path_v},
                {"path_lambda", &arrays->path_lambda},
                {"A", &arrays->A},
                {"B", &arrays->B},
                {"C", &arrays->C},
                {"D", &arrays->D},
                {"touch", &arrays->touch},
                {"path_touch", &arrays->path_touch},
                {"kink", &arrays->kink},
                {"status", &arrays->status},
                {"steps", &arrays->steps},
                {"iterations", &arrays->iterations}};
    // Offset of each array within a row, and which array has which name.
    size_t offset = 0;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) *list[k].at = -1;
    for (int i = 0; i < worker->batch->narray; i++) {
        worker->offset[i] = offset;
        offset += worker->batch->array[i].bytes;
        for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
            if (strcmp(worker->batch->array[i].name, list[k].name) == 0) *list[k].at = i;
    }
}

// an environment's row of an array
static unsigned char *find_row(const tact_batch_worker *worker, int array, int row) {
    return worker->buffer + (size_t)worker->envs * worker->offset[array] + (size_t)row * worker->batch->array[array].bytes;
}

static double *find_numbers(const tact_batch_worker *worker, int array, int row) {
    return (double *)(void *)find_row(worker, array, row);
}

static void put_whole(const tact_batch_worker *worker, int array, int row, long long value) {
    int32_t whole = value < INT32_MAX ? (int32_t)value : INT32_MAX;
    memcpy(find_row(worker, array, row), &whole, sizeof whole);
}

static void put_numbers(double *to, const tact_real *from, int count) {
    for (int k = 0; k < count; k++) to[k] = (double)from[k];
}

// Row number `at` of an array of the pairs that a state has forces of: both shapes, of pairs found the whole ones.
static void put_touch(const tact_batch_worker *worker, int array, int i, long long at) {
    const tact_model *model = worker->group.model[i];
    const uint64_t *key = worker->group.state[i].key;
    if (array < 0) return;
    int32_t *to = (int32_t *)(void *)find_row(worker, array, worker->row[worker->group.slot[i]]);
    to += 2 * (size_t)at * (size_t)worker->batch->npair;
    for (int k = 0; k < worker->batch->npair; k++, to += 2) {
        bool known = k < tact_model_pairs(model) && (k < model->npair || key[k - model->npair] != UINT64_MAX);
        to[0] = !known ? -1 : k < model->npair ? model->pair[k].a : tact_search_low(key[k - model->npair]);
        to[1] = !known ? -1 : k < model->npair ? model->pair[k].b : tact_search_high(key[k - model->npair]);
    }
}

void tact_worker_record_path(tact_batch_worker *worker, int i, long long row) {
    TACT_ASSERT(worker);
    const tact_batch *batch = worker->batch;
    const tact_model *model = worker->group.model[i];
    const tact_state *state = &worker->group.state[i];
    int to = worker->row[worker->group.slot[i]];
    size_t at = (size_t)row, nq = (size_t)batch->nq, nv = (size_t)batch->nv, nforce = 3 * (size_t)batch->npair;
    put_numbers(find_numbers(worker, worker->arrays.path_q, to) + at * nq, state->q, model->nq);
    put_numbers(find_numbers(worker, worker->arrays.path_v, to) + at * nv, state->v, model->nv);
    if (worker->arrays.path_lambda < 0) return;
    put_numbers(find_numbers(worker, worker->arrays.path_lambda, to) + at * nforce, state->lambda, 3 * tact_model_pairs(model));
    put_touch(worker, worker->arrays.path_touch, i, row);
}

void tact_worker_record_end(void *context, int i, long long steps) {
    tact_batch_worker *worker = context;
    TACT_ASSERT(worker);
    const tact_batch *batch = worker->batch;
    const tact_model *model = worker->group.model[i];
    const tact_state *state = &worker->group.state[i];
    const tact_worker_arrays *arrays = &worker->arrays;
    int slot = worker->group.slot[i], row = worker->row[slot];
    if (arrays->q >= 0) put_numbers(find_numbers(worker, arrays->q, row), state->q, model->nq);
    if (arrays->v >= 0) put_numbers(find_numbers(worker, arrays->v, row), state->v, model->nv);
    if (arrays->lambda >= 0) put_numbers(find_numbers(worker, arrays->lambda, row), state->lambda, 3 * tact_model_pairs(model));
    put_touch(worker, arrays->touch, i, 0);
    // a path that ended early stays where it was
    if (batch->rows > 0)
        for (long long r = steps / batch->spec->every + 1; r < batch->rows; r++) tact_worker_record_path(worker, i, r);
    if (arrays->kink >= 0 && steps < batch->spec->steps) put_whole(worker, arrays->kink, row, TACT_SLOPES_NONE);
    put_whole(worker, arrays->status, row, worker->group.unconverged[slot]);
    put_whole(worker, arrays->steps, row, steps);
    put_whole(worker, arrays->iterations, row, worker->spent[slot]);
}

void tact_worker_record_refused(tact_batch_worker *worker, int row) {
    const int touch[2] = {worker->arrays.touch, worker->arrays.path_touch};
    // no pairs: -1
    for (int k = 0; k < 2; k++)
        if (touch[k] >= 0) memset(find_row(worker, touch[k], row), 0xff, worker->batch->array[touch[k]].bytes);
    if (worker->arrays.kink >= 0) put_whole(worker, worker->arrays.kink, row, TACT_SLOPES_NONE);
    put_whole(worker, worker->arrays.status, row, TACT_BAD_INPUT);
}

void tact_worker_record_parameters(tact_batch_worker *worker, int row, const tact_real *value) {
    if (worker->arrays.parameters < 0) return;
    put_numbers(find_numbers(worker, worker->arrays.parameters, row), value, worker->batch->spec->ndraw);
}

static void put_rows(double *to, size_t width, const tact_real *from, int rows, int columns) {
    for (int r = 0; r < rows; r++) put_numbers(to + (size_t)r * width, from + (size_t)r * (size_t)columns, columns);
}

void tact_worker_record_matrices(tact_batch_worker *worker, int i, tact_slopes_kind kind, const tact_work *work) {
    TACT_ASSERT(worker);
    const tact_model *model = worker->group.model[i];
    const tact_jacobians *matrices = &worker->slopes.matrices;
    const tact_worker_arrays *arrays = &worker->arrays;
    const tact_contacts *contacts = &work->contacts;
    size_t width = (size_t)worker->batch->nx, nu = (size_t)worker->batch->nu;
    int row = worker->row[worker->group.slot[i]], nx = tact_linear_order(model);
    // a law beyond those that were tried at the start
    if (nx > worker->batch->nx) kind = TACT_SLOPES_NONE;
    put_whole(worker, arrays->kink, row, kind);
    if (kind == TACT_SLOPES_NONE) return;
    double *C = find_numbers(worker, arrays->C, row), *D = find_numbers(worker, arrays->D, row);
    put_rows(find_numbers(worker, arrays->A, row), width, matrices->A, nx, nx);
    put_rows(find_numbers(worker, arrays->B, row), nu, matrices->B, nx, model->nu);
    for (int k = 0; k < contacts->count; k++) {
        size_t pair = 3 * (size_t)contacts->contact[k].pair, from = 3 * (size_t)k;
        put_rows(C + pair * width, width, matrices->C + from * (size_t)nx, 3, nx);
        put_rows(D + pair * nu, nu, matrices->D + from * (size_t)model->nu, 3, model->nu);
    }
}
