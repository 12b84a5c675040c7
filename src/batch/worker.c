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

static void place_all(tact_batch_worker *worker, tact_scene *scene, const bool *own, int count, tact_arena *arena) {
    // Commands from a file are read ahead by blocks.
    int nu = scene->model.nu > 0 ? scene->model.nu : 1;
    worker->block = AHEAD_BYTES / (int)sizeof(double) / nu;
    if (worker->block < 1) worker->block = 1;
    // Memory of one scene that is stepped alone.
    const tact_model *model = &scene->model;
    size_t size = tact_work_size(model);
    void *memory = tact_arena_take(arena, size, 1);
    worker->work_memory = memory;
    worker->work_size = size;
    if (memory) tact_work_init(&worker->work, model, memory, size);
    if (worker->batch->spec->derivatives) tact_slopes_place(&worker->slopes, model, arena);
    // Of each environment: state, command, wrench and commands ahead, then its copies of the regions that it has for itself.
    size_t bytes = tact_state_size(model), commands = (size_t)model->nu;
    for (int i = 0; i < count; i++) {
        memory = tact_arena_take(arena, bytes, 1);
        if (memory) tact_state_init(&worker->rest[i], model, memory, bytes);
        worker->u[i] = tact_arena_take(arena, commands, sizeof(tact_real));
        worker->wrench[i] = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_wrench));
        worker->ahead[i] = NULL;
        if (worker->batch->commands.read)
            worker->ahead[i] = tact_arena_take(arena, (size_t)worker->block * commands, sizeof(double));
        tact_variant_place_copy(scene, own, &worker->copy[i], arena);
    }
    // Lanes, where there are several.
    worker->wide = false;
    if (count > 1) {
        size = tact_lanes_size(model, worker->batch->lanes);
        memory = tact_arena_take(arena, size, 1);
        worker->wide = memory && tact_lanes_init(&worker->lanes, model, worker->batch->lanes, memory, size) == TACT_CONVERGED;
    }
}

// Memory for so many environments of a scene; false when there is none.
static bool place(tact_batch_worker *worker, tact_scene *scene, const bool *own, int count) {
    TACT_ASSERT(0 < count && count <= TACT_GROUP);
    tact_arena arena = {0};
    // Measured first; memory only grows.
    place_all(worker, scene, own, count, &arena);
    worker->placed = NULL;
    if (arena.used > worker->size) {
        tact_memory_release(worker->memory);
        worker->size = 0;
        worker->memory = arena.used < SIZE_MAX ? tact_memory_get(arena.used) : NULL;
        if (!worker->memory) return false;
        worker->size = arena.used;
    }
    arena = (tact_arena){.memory = worker->memory, .size = worker->size};
    place_all(worker, scene, own, count, &arena);
    return true;
}

// The environment of a row joins those under way, with the memory of a slot.
static void join(tact_batch_worker *worker, int slot, int row) {
    TACT_ASSERT(0 <= slot && slot < TACT_GROUP && 0 <= row && row < worker->envs);
    // A copy of the scene's pointers, a fresh state; its initial row is recorded.
    int i = worker->count++;
    const tact_scene *scene = &worker->copy[slot];
    worker->slot[i] = slot;
    worker->row[i] = row;
    worker->scene[i] = scene;
    worker->model[i] = &scene->model;
    worker->options[i] = scene->options;
    worker->state[i] = worker->rest[slot];
    worker->worst[i] = TACT_CONVERGED;
    worker->spent[i] = 0;
    tact_state_reset(&worker->state[i], &scene->model);
    if (worker->batch->rows > 0) tact_worker_record_path(worker, i, 0);
}

// Input of environment i for a step: forces, and the scene's command or one read from outside. False where reading fails.
static bool command(tact_batch_worker *worker, int i, long long step) {
    TACT_ASSERT(0 <= i && i < worker->count && step >= 0);
    const tact_batch_commands *commands = &worker->batch->commands;
    const tact_scene *scene = worker->scene[i];
    int slot = worker->slot[i], nu = scene->model.nu, at = (int)(step % worker->block);
    tact_real *u = worker->u[slot];
    worker->input[i] = (tact_input){.u = u};
    // Forces and commands of the step; commands from outside are read block by block.
    if (scene->nforce > 0 && tact_scene_wrench(scene, &worker->state[i], worker->wrench[slot]))
        worker->input[i].wrench = worker->wrench[slot];
    if (!commands->read) {
        tact_scene_command(scene, &worker->state[i], u);
        return true;
    }
    if (at == 0) {
        long long rest = worker->batch->spec->steps - step,
                  environment = tact_batch_first(worker->batch, worker->chunk) + worker->row[i];
        int count = rest < worker->block ? (int)rest : worker->block;
        if (!commands->read(commands->context, environment, step, count, worker->ahead[slot])) return false;
    }
    for (int k = 0; k < nu; k++) u[k] = (tact_real)worker->ahead[slot][(size_t)at * (size_t)nu + (size_t)k];
    return true;
}

// The work is for the numbers of this environment's model: the virtual law holds masses and shapes in it.
static void step_one(tact_batch_worker *worker, int i) {
    tact_work_init(&worker->work, worker->model[i], worker->work_memory, worker->work_size);
    worker->status[i] = tact_step(worker->model[i], &worker->options[i], &worker->input[i], &worker->state[i], &worker->work);
    worker->iterations[i] = worker->work.iterations;
}

// The one place where environments are stepped.
static void step_all(tact_batch_worker *worker) {
    if (worker->wide) {
        tact_lanes_step(&worker->lanes, worker->count, worker->model, worker->options, worker->input, worker->state,
                        worker->status, worker->iterations);
        return;
    }
    for (int i = 0; i < worker->count; i++) step_one(worker, i);
}

// All steps of those under way.
static tact_chunk_result run_group(tact_batch_worker *worker, const atomic_bool *stop, long long *steps) {
    const tact_batch_spec *spec = worker->batch->spec;
    for (long long step = 1; step <= spec->steps && worker->count > 0; step++) {
        if (atomic_load_explicit(stop, memory_order_relaxed)) return TACT_CHUNK_STOPPED;
        for (int i = 0; i < worker->count; i++)
            if (!command(worker, i, step - 1)) return TACT_CHUNK_NO_COMMANDS;
        *steps += worker->count;
        if (spec->derivatives && step == spec->steps)
            for (int i = 0; i < worker->count; i++) {
                // The last step alone, so that its work is there to be linearised.
                tact_state_copy(&worker->slopes.before, &worker->state[i], worker->model[i]);
                step_one(worker, i);
                tact_slopes_kind kind = TACT_SLOPES_NONE;
                if (worker->status[i] >= 0)
                    kind = tact_slopes_find(&worker->slopes, worker->model[i], &worker->options[i], &worker->input[i],
                                            &worker->state[i], &worker->work);
                tact_worker_record_matrices(worker, i, kind);
            }
        else
            step_all(worker);
        // After step number `step`: takes down what is recorded; those without an answer leave.
        long long every = worker->batch->spec->every;
        for (int i = worker->count - 1; i >= 0; i--) {
            worker->spent[i] += worker->iterations[i];
            if (worker->status[i] != TACT_CONVERGED) worker->worst[i] = worker->status[i];
            if (worker->status[i] < 0) {
                tact_worker_record_end(worker, i, step - 1);
                // The last one under way takes the place of one that ended, with everything by which it is known.
                int last = --worker->count;
                worker->slot[i] = worker->slot[last];
                worker->row[i] = worker->row[last];
                worker->scene[i] = worker->scene[last];
                worker->model[i] = worker->model[last];
                worker->options[i] = worker->options[last];
                worker->input[i] = worker->input[last];
                worker->state[i] = worker->state[last];
                worker->status[i] = worker->status[last];
                worker->iterations[i] = worker->iterations[last];
                worker->worst[i] = worker->worst[last];
                worker->spent[i] = worker->spent[last];
            } else if (every > 0 && step % every == 0) {
                tact_worker_record_path(worker, i, step / every);
            }
        }
    }
    while (worker->count > 0) {
        tact_worker_record_end(worker, worker->count - 1, spec->steps);
        worker->count--;
    }
    return TACT_CHUNK_DONE;
}

// An environment that is loaded from its text.
static tact_chunk_result run_loaded(tact_batch_worker *worker, const tact_variant *variant, int row, const atomic_bool *stop,
                                    long long *steps) {
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
    if (place(worker, scene, NULL, 1)) {
        join(worker, 0, row);
        result = run_group(worker, stop, steps);
    }
    worker->count = 0;
    tact_scene_free(scene);
    return result;
}

// Environments of scene k, from row *next on, at most a group.
static tact_chunk_result run_some(tact_batch_worker *worker, int k, int *next, const atomic_bool *stop, long long *steps) {
    const tact_batch *batch = worker->batch;
    const tact_variant *variant = &batch->variant[k];
    tact_real value[TACT_BATCH_DRAWS_MAX];
    if (variant->quick && worker->placed != variant) {
        if (!place(worker, variant->scene, variant->own, TACT_GROUP)) return TACT_CHUNK_NO_MEMORY;
        worker->placed = variant;
    }
    int slot = 0;
    // Draw, record and patch up to a group of environments; then step them together.
    for (; *next < worker->envs && slot < TACT_GROUP; *next += batch->spec->nscene) {
        const tact_batch_spec *spec = batch->spec;
        long long environment = tact_batch_first(batch, worker->chunk) + *next;
        int index = 0;
        for (int d = 0; d < spec->ndraw; d++)
            value[d] = tact_draw_value(&spec->draw[d], (uint64_t)spec->seed, (uint64_t)environment, d, &index);
        tact_worker_record_parameters(worker, *next, value);
        if (!variant->quick) {
            tact_chunk_result result = run_loaded(worker, variant, *next, stop, steps);
            if (result != TACT_CHUNK_DONE) return result;
        } else if (tact_variant_patch_copy(variant, value, &worker->copy[slot])) {
            join(worker, slot++, *next);
        } else {
            tact_worker_record_refused(worker, *next);
        }
    }
    return run_group(worker, stop, steps);
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
    memset(buffer, 0, batch->bytes * (size_t)worker->envs);
    // Scene by scene: environment i steps scene i mod nscene.
    for (long long k = 0; k < nscene && result == TACT_CHUNK_DONE; k++) {
        int next = (int)((k - first % nscene + nscene) % nscene);
        while (next < worker->envs && result == TACT_CHUNK_DONE) result = run_some(worker, (int)k, &next, stop, steps);
    }
    worker->count = 0;
    return result;
}
