// SPDX-License-Identifier: MIT
// Steps scenes in portions: assembles the problems of a portion, solves those of one pattern in lanes, concludes. What does not
// end in the ordinary way in its lane is answered by the scalar solver, from the same problem.
#include "batch/lane.h"

#include "law/barrier.h"
#include "law/tie.h"
#include "sim/step.h"
#include "solve/newton.h"

// Of more scenes more are of one pattern, as long as the memory of all stays near the processor.
enum { PORTION = 128, PORTION_LEAST = 32, PORTION_BYTES = 1 << 23 };

// narrowest first
static const tact_lane_kernel *const fronts[] = {TACT_LANE_WIDTHS(tact_lane_front_)};
static const tact_lane_kernel *const solvers[] = {TACT_LANE_WIDTHS(tact_lane_solve_)};
enum { KERNELS = sizeof fronts / sizeof fronts[0] };

// whether the machine has registers of so many bytes
#ifdef __x86_64__
static bool lanes_runs(size_t bytes) {
    __builtin_cpu_init();
    return bytes <= 16 || (bytes == 32 ? __builtin_cpu_supports("avx2") : __builtin_cpu_supports("avx512f"));
}
#else
static bool lanes_runs(size_t bytes) {
    return bytes <= 16;
}
#endif

int tact_lanes_widths(int width[5]) {
    int count = 0;
    for (int i = 0; i < KERNELS; i++)
        if (lanes_runs((size_t)fronts[i]->width * sizeof(tact_real))) width[count++] = fronts[i]->width;
    return count;
}

// Chooses the kernels by width, and places the works of a portion's scenes.
static void lanes_place(tact_lanes *lanes, const tact_model *model, int width, tact_arena *arena) {
    // The widest that runs, or the one of the width asked for.
    int kernel = -1;
    for (int i = 0; i < KERNELS; i++) {
        bool runs = lanes_runs((size_t)fronts[i]->width * sizeof(tact_real));
        if (runs && (width == 0 || fronts[i]->width == width)) kernel = i;
    }
    TACT_ASSERT(kernel >= 0);
    lanes->front = fronts[kernel];
    lanes->solve = solvers[kernel];
    lanes->width = lanes->front->width;
    // A portion's memory is to stay in the processor's cache.
    size_t size = tact_work_size(model);
    lanes->capacity = PORTION * size <= PORTION_BYTES ? PORTION : PORTION_LEAST;
    lanes->front_memory = lanes->front->place(model, arena);
    lanes->solve_memory = lanes->solve->place(model, arena);
    lanes->scene = tact_arena_take(arena, (size_t)lanes->capacity, sizeof(tact_lane_scene));
    lanes->group = tact_arena_take(arena, (size_t)lanes->capacity, sizeof(tact_lane_scene *));
    lanes->work = tact_arena_take(arena, (size_t)lanes->capacity, sizeof(tact_work));
    lanes->memory = tact_arena_take(arena, (size_t)lanes->capacity, sizeof(void *));
    lanes->size = size;
    for (int i = 0; i < lanes->capacity; i++) {
        void *memory = tact_arena_take(arena, size, 1);
        if (!memory) continue;
        lanes->memory[i] = memory;
        tact_work_init(&lanes->work[i], model, memory, size);
    }
}

size_t tact_lanes_size(const tact_model *model, int width) {
    TACT_ASSERT(model);
    tact_arena arena = {0};
    tact_lanes lanes;
    lanes_place(&lanes, model, width, &arena);
    return arena.used;
}

tact_status tact_lanes_init(tact_lanes *lanes, const tact_model *model, int width, void *memory, size_t size) {
    TACT_ASSERT(lanes && model);
    tact_arena arena = {.memory = memory, .size = size};
    lanes_place(lanes, model, width, &arena);
    return tact_arena_fits(&arena) ? TACT_CONVERGED : TACT_NO_MEMORY;
}

// Whether the problems of two scenes have the same structure, so that only numbers differ.
static bool lanes_alike(const tact_lane_scene *a, const tact_lane_scene *b) {
    // Same contacts in the same order, same limits, and the same unknowns eliminated.
    const tact_contacts *x = &a->work->contacts, *y = &b->work->contacts;
    if (x->count != y->count || a->work->problem.nbound != b->work->problem.nbound) return false;
    for (int i = 0; i < x->count; i++)
        if (x->contact[i].pair != y->contact[i].pair) return false;
    for (int j = 0; j < a->work->problem.nbound; j++) {
        const tact_bound *p = &a->work->bound[j], *q = &b->work->bound[j];
        if (p->column != q->column || p->sign != q->sign) return false;
    }
    return (a->plain && b->plain) || tact_newton_alike(&a->work->problem, &b->work->problem);
}

// Whether the kinematics of two models take the same branches, so that lanes may share them.
static bool lanes_congruent(const tact_model *a, const tact_model *b) {
    if (a == b) return true;
    // Same bodies, joints, axes that vanish, drives, shapes and pairs: then only numbers differ.
    if (a->nbody != b->nbody || a->nv != b->nv || a->npair != b->npair || a->nshape != b->nshape) return false;
    for (int i = 0; i < a->nbody; i++) {
        const tact_body *x = &a->body[i], *y = &b->body[i];
        bool axes =
            (x->axis.x == 0) == (y->axis.x == 0) && (x->axis.y == 0) == (y->axis.y == 0) && (x->axis.z == 0) == (y->axis.z == 0);
        if (!axes || x->parent != y->parent || x->joint != y->joint || a->shift[i] != b->shift[i] || a->loose[i] != b->loose[i])
            return false;
    }
    for (int i = 0; i < a->nv; i++)
        if (a->dof[i].u != b->dof[i].u) return false;
    for (int i = 0; i < a->nshape; i++)
        if (a->shape[i].type != b->shape[i].type || a->shape[i].body != b->shape[i].body) return false;
    for (int i = 0; i < a->npair; i++)
        if (a->pair[i].a != b->pair[i].a || a->pair[i].b != b->pair[i].b) return false;
    return true;
}

// Assembles the open scenes, as many together as there are lanes.
static void lanes_assemble(tact_lanes *lanes, int count) {
    int members = 0;
    for (int i = 0; i <= count; i++) {
        tact_lane_scene *scene = i < count ? &lanes->scene[i] : NULL;
        if (scene && !scene->open) continue;
        // A group ends when it is full or a scene has another structure.
        bool full = members == lanes->width || (members > 0 && scene && !lanes_congruent(lanes->group[0]->model, scene->model));
        if (members > 0 && (full || !scene)) {
            lanes->front->run(lanes->front_memory, lanes->group, members);
            members = 0;
        }
        if (scene) lanes->group[members++] = scene;
    }
}

// Ends a scene's step: moves its state by the answer, after the scalar solver where the lanes have none; the step's status.
static tact_status lanes_conclude(tact_lane_scene *scene) {
    // Scenes that lanes left open are solved alone, from the problem that was assembled.
    tact_work *work = scene->work;
    if (scene->open)
        tact_barrier_answer(scene->model, &scene->options, scene->input, scene->state, work, 0);
    else if (!tact_barrier_stays_in_reach(scene->model, work))
        work->status = TACT_SINGULAR;
    const tact_model *model = scene->model;
    if (work->status == TACT_CONVERGED && tact_ties(model) > 0 &&
        tact_ties_turn(model, &scene->options, scene->input, scene->state, work, work->d, 1, 0)) {
        // A drive or spring reaches its limit of force: the whole step alone, which begins with what was just found.
        tact_kinematics_update(&work->kinematics, model, scene->state->q);
        model->law->step(model, &scene->options, scene->input, scene->state, work);
    } else if (work->status >= 0) {
        // The answer moves the state.
        tact_barrier_conclude(model, &scene->options, scene->state, work);
    }
    if (work->status >= 0) scene->state->time += scene->options.dt;
    return work->status;
}

// Solves the open scenes, pattern by pattern.
static void lanes_solve(tact_lanes *lanes, int count) {
    for (int first = 0; first < count; first++) {
        int members = 0;
        if (!lanes->scene[first].open || lanes->scene[first].grouped) continue;
        // all scenes of the first one's pattern of contacts
        for (int i = first; i < count; i++) {
            tact_lane_scene *scene = &lanes->scene[i];
            if (!scene->open || scene->grouped || !lanes_alike(&lanes->scene[first], scene)) continue;
            scene->grouped = true;
            lanes->group[members++] = scene;
        }
        tact_barrier_problem *problem = &lanes->group[0]->work->problem;
        if (members > 1 && problem->ncone + problem->nbound > 0) lanes->solve->run(lanes->solve_memory, lanes->group, members);
    }
}

void tact_lanes_step(tact_lanes *lanes, int count, const tact_model *const *model, const tact_options *options,
                     const tact_input *input, tact_state *state, tact_status *status, int *iterations) {
    TACT_ASSERT(lanes && count >= 0 && (count == 0 || (model && options && input && state && status)));
    for (int begin = 0; begin < count; begin += lanes->capacity) {
        // Portion by portion: begin each step, then assemble and solve together.
        int portion = count - begin < lanes->capacity ? count - begin : lanes->capacity;
        for (int i = 0; i < portion; i++) {
            int at = begin + i;
            tact_lane_scene *scene = &lanes->scene[i];
            *scene = (tact_lane_scene){.model = model[at], .input = &input[at], .state = &state[at], .work = &lanes->work[i]};
            TACT_ASSERT(model[at]);
            if (model[at]->law && model[at]->law->lanes && !model[at]->search) {
                scene->valid = tact_step_begin(model[at], &options[at], &input[at], &state[at], scene->work, &scene->options);
            } else {
                // One scene alone: a law may keep numbers of the model in the work, and these differ from scene to scene.
                TACT_ASSERT(model[at]->law == scene->work->law && tact_model_has_sizes(model[at], &scene->work->of));
                tact_status made = tact_work_init(scene->work, model[at], lanes->memory[i], lanes->size);
                TACT_ASSERT(made == TACT_CONVERGED);
                scene->work->status = made < 0 ? made : tact_step(model[at], &options[at], &input[at], &state[at], scene->work);
            }
            if (scene->valid && tact_ties(model[at]) > 0) tact_ties_release(model[at], &state[at], scene->work);
            scene->open = scene->valid;
            TACT_ASSERT(!scene->valid || tact_barrier_couples(model[at], scene->work));
        }
        lanes_assemble(lanes, portion);
        lanes_solve(lanes, portion);
        // Each scene's answer moves its own state.
        for (int i = 0; i < portion; i++) {
            tact_lane_scene *scene = &lanes->scene[i];
            status[begin + i] = scene->valid ? lanes_conclude(scene) : scene->work->status;
            if (iterations) iterations[begin + i] = scene->work->iterations;
        }
    }
}
