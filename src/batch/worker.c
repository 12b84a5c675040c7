// SPDX-License-Identifier: MIT
// A chunk, group by group: environments of one scene are set up together, take every step together, and leave when they end.
#include "batch/worker.h"

#include <string.h>

#include "tact/memory.h"

#define AHEAD_BYTES 16384  // of commands from outside, for one environment

tact_batch_worker *tact_batch_worker_make(const tact_batch *batch) {
    tact_batch_worker *worker = tact_memory_get(sizeof *worker);
    if (!worker) return NULL;
    memset(worker, 0, sizeof *worker);
    worker->batch = batch;
    tact_worker_find_arrays(worker);
    return worker;
}

void tact_batch_worker_free(tact_batch_worker *worker) {
    if (worker) tact_memory_release(worker->memory);
    tact_memory_release(worker);
}

static void place_all(tact_batch_worker *worker, const tact_model *model, const tact_variant *variant, int count,
                      tact_arena *arena) {
    // Commands from a file are read ahead by blocks.
    size_t each = (size_t)count, nu = (size_t)model->nu;
    worker->block = AHEAD_BYTES / (int)sizeof(double) / (nu > 0 ? model->nu : 1);
    if (worker->block < 1) worker->block = 1;
    tact_group_plan plan = {&worker->group, model, tact_work_size(model), count, worker->batch->lanes, .rests = true};
    tact_group_place(&plan, arena);
    if (worker->batch->spec->derivatives) tact_slopes_place(&worker->slopes, model, arena);
    // Of each environment: command, commands ahead, and its copies of the regions that it has for itself.
    worker->u = tact_arena_take(arena, each * nu, sizeof(tact_real));
    if (worker->batch->commands.read) worker->ahead = tact_arena_take(arena, each * (size_t)worker->block * nu, sizeof(double));
    worker->copies = (tact_group_copies){variant, count, NULL};
    if (variant) tact_group_place_copies(&worker->copies, arena);
}

// Memory for so many environments of a model's structure, with copies where they are of a variant; false when there is none.
static bool place(tact_batch_worker *worker, const tact_model *model, const tact_variant *variant, int count) {
    TACT_ASSERT(0 < count && count <= TACT_GROUP);
    tact_arena arena = {0};
    // Measured first; memory only grows.
    place_all(worker, model, variant, count, &arena);
    worker->placed = NULL;
    if (arena.used > worker->size) {
        tact_memory_release(worker->memory);
        worker->size = 0;
        worker->memory = arena.used < SIZE_MAX ? tact_memory_get(arena.used) : NULL;
        if (!worker->memory) return false;
        worker->size = arena.used;
    }
    arena = (tact_arena){.memory = worker->memory, .size = worker->size};
    place_all(worker, model, variant, count, &arena);
    return true;
}

// Adds the environment of a row to those being stepped, in the memory of a slot.
static void join(tact_batch_worker *worker, const tact_scene *scene, int row) {
    TACT_ASSERT(0 <= row && row < worker->envs);
    // A fresh state; its initial row is recorded.
    int i = worker->group.count;
    worker->row[i] = row;
    worker->spent[i] = 0;
    tact_state_reset(&worker->group.rest[i], &scene->model);
    tact_group_join(&worker->group, scene, &worker->group.rest[i]);
    if (worker->batch->rows > 0) tact_worker_record_path(worker, i, 0);
}

// Input of environment i for a step: forces, and the scene's command or one read from outside. False: stopped, or reading fails.
static bool begin_step(void *context, int i, long long step) {
    tact_batch_worker *worker = context;
    const tact_batch_commands *commands = &worker->batch->commands;
    const tact_batch_spec *spec = worker->batch->spec;
    tact_group *group = &worker->group;
    int slot = group->slot[i], nu = group->model[i]->nu, at = (int)(step % worker->block);
    tact_real *u = worker->u + (size_t)slot * (size_t)nu;
    worker->result = TACT_CHUNK_STOPPED;
    if (i == 0 && atomic_load_explicit(worker->stop, memory_order_relaxed)) return false;
    // Commands from outside are read block by block.
    if (!commands->read) {
        tact_scene_command(group->scene[i], &group->state[i], u);
    } else {
        double *ahead = worker->ahead + (size_t)slot * (size_t)worker->block * (size_t)nu;
        long long rest = spec->steps - step, environment = tact_batch_first(worker->batch, worker->chunk) + worker->row[slot];
        int count = rest < worker->block ? (int)rest : worker->block;
        worker->result = TACT_CHUNK_NO_COMMANDS;
        if (at == 0 && !commands->read(commands->context, environment, step, count, ahead)) return false;
        for (int k = 0; k < nu; k++) u[k] = (tact_real)ahead[(size_t)at * (size_t)nu + (size_t)k];
    }
    group->input[i] = (tact_input){.u = u};
    tact_group_set_wrench(group, i);
    if (spec->derivatives && step + 1 == spec->steps) tact_state_copy(&worker->slopes.before, &group->state[i], group->model[i]);
    return true;
}

// Records the results of a step.
static void end_step(void *context, int i, long long step, tact_work *work) {
    tact_batch_worker *worker = context;
    const tact_batch_spec *spec = worker->batch->spec;
    tact_group *group = &worker->group;
    tact_slopes_kind kind = TACT_SLOPES_NONE;
    bool answer = group->status[i] >= 0;
    ++*worker->steps;
    worker->spent[group->slot[i]] += work->iterations;
    if (spec->derivatives && step + 1 == spec->steps) {
        if (answer)
            kind =
                tact_slopes_find(&worker->slopes, group->model[i], &group->options[i], &group->input[i], &group->state[i], work);
        tact_worker_record_matrices(worker, i, kind, work);
    }
    if (answer && spec->every > 0 && (step + 1) % spec->every == 0) tact_worker_record_path(worker, i, (step + 1) / spec->every);
}

// All steps of those under way; the last one alone where it is differentiated, so that its work is there for that.
static tact_chunk_result run_group(tact_batch_worker *worker) {
    const tact_batch_spec *spec = worker->batch->spec;
    long long alone = spec->steps - (spec->derivatives ? 1 : 0);
    tact_group_run run = {worker, spec->steps, alone, begin_step, end_step, tact_worker_record_end};
    return tact_group_run_steps(&worker->group, &run) ? TACT_CHUNK_DONE : worker->result;
}

// Computes an environment whose scene is loaded from its own text.
static tact_chunk_result run_loaded(tact_batch_worker *worker, const tact_variant *variant, int row) {
    TACT_ASSERT(0 <= row && row < worker->envs);
    tact_errors errors = {0};
    // Loaded from its own text; other sizes than the scene's are refused.
    tact_scene *scene =
        tact_variant_load(variant, worker->batch->spec, tact_batch_first(worker->batch, worker->chunk) + row, &errors);
    if (!scene && errors.kind == TACT_ERROR_NO_MEMORY) return TACT_CHUNK_NO_MEMORY;
    if (!scene || !tact_variant_same_shape(&scene->model, &variant->scene->model)) {
        tact_worker_record_refused(worker, row);
        if (scene) tact_scene_free(scene);
        return TACT_CHUNK_DONE;
    }
    tact_chunk_result result = TACT_CHUNK_NO_MEMORY;
    if (place(worker, &scene->model, NULL, 1)) {
        join(worker, scene, row);
        result = run_group(worker);
    }
    tact_scene_free(scene);
    return result;
}

// Computes environments of scene k, from row *next on, at most a group.
static tact_chunk_result run_some(tact_batch_worker *worker, int k, int *next) {
    const tact_batch *batch = worker->batch;
    const tact_variant *variant = &batch->variant[k];
    tact_real value[TACT_BATCH_DRAWS_MAX];
    if (variant->quick && worker->placed != variant) {
        if (!place(worker, &variant->scene->model, variant, TACT_GROUP)) return TACT_CHUNK_NO_MEMORY;
        worker->placed = variant;
    }
    worker->group.count = 0;
    // Draw, record and patch up to a group of environments; then step them together.
    for (; *next < worker->envs && worker->group.count < TACT_GROUP; *next += batch->spec->nscene) {
        const tact_batch_spec *spec = batch->spec;
        long long environment = tact_batch_first(batch, worker->chunk) + *next;
        int index = 0;
        for (int d = 0; d < spec->ndraw; d++)
            value[d] = tact_draw_value(&spec->draw[d], (uint64_t)spec->seed, (uint64_t)environment, d, &index);
        tact_worker_record_parameters(worker, *next, value);
        if (!variant->quick) {
            tact_chunk_result result = run_loaded(worker, variant, *next);
            if (result != TACT_CHUNK_DONE) return result;
        } else if (tact_variant_patch_copy(variant, value, &worker->copies.copy[worker->group.count])) {
            join(worker, &worker->copies.copy[worker->group.count], *next);
        } else {
            tact_worker_record_refused(worker, *next);
        }
    }
    return run_group(worker);
}

tact_chunk_result tact_batch_worker_run(tact_batch_worker *worker, long long chunk, unsigned char *buffer,
                                        const atomic_bool *stop, long long *steps) {
    TACT_ASSERT(worker);
    const tact_batch *batch = worker->batch;
    long long nscene = batch->spec->nscene, first = tact_batch_first(batch, chunk);
    tact_chunk_result result = TACT_CHUNK_DONE;
    worker->chunk = chunk;
    worker->envs = tact_batch_count(batch, chunk);
    worker->buffer = buffer;
    worker->stop = stop;
    worker->steps = steps;
    memset(buffer, 0, batch->bytes * (size_t)worker->envs);
    // Scene by scene: environment i steps scene i mod nscene.
    for (long long k = 0; k < nscene && result == TACT_CHUNK_DONE; k++) {
        int next = (int)((k - first % nscene + nscene) % nscene);
        while (next < worker->envs && result == TACT_CHUNK_DONE) result = run_some(worker, (int)k, &next);
    }
    return result;
}
