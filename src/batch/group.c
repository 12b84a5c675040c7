// SPDX-License-Identifier: MIT
// The one place where many scenes are stepped together.
#include "batch/group.h"

void tact_group_place(void *context, tact_arena *arena) {
    const tact_group_plan *plan = context;
    TACT_ASSERT(plan && plan->room >= 0);
    tact_group *group = plan->group;
    const tact_model *model = plan->model;
    size_t room = (size_t)plan->room, size = tact_state_size(model);
    // One scene's work, for those that are stepped alone; the lists of those under way.
    group->count = group->ready = 0;
    group->one = plan->one;
    group->room = plan->room;
    group->work_size = plan->work_size;
    group->work_memory = tact_arena_take(arena, plan->work_size, 1);
    if (group->work_memory) tact_work_init(&group->work, model, group->work_memory, group->work_size);
    group->unconverged = tact_arena_take(arena, room, sizeof(tact_status));
    group->wrench = tact_arena_take(arena, room * (size_t)model->nbody, sizeof(tact_wrench));
    group->slot = tact_arena_take(arena, room, sizeof(int));
    group->scene = tact_arena_take(arena, room, sizeof(tact_scene *));
    group->model = tact_arena_take(arena, room, sizeof(tact_model *));
    group->options = tact_arena_take(arena, room, sizeof(tact_options));
    group->input = tact_arena_take(arena, room, sizeof(tact_input));
    group->state = tact_arena_take(arena, room, sizeof(tact_state));
    group->status = tact_arena_take(arena, room, sizeof(tact_status));
    group->rest = plan->rests ? tact_arena_take(arena, room, sizeof(tact_state)) : NULL;
    for (size_t i = 0; plan->rests && i < room; i++) {
        void *memory = tact_arena_take(arena, size, 1);
        if (memory) tact_state_init(&group->rest[i], model, memory, size);
    }
    // Other laws, and models that search for their pairs, have no lanes.
    group->wide = false;
    if (room < 2 || !model->law->lanes || model->search) return;
    size = tact_lanes_size(model, plan->lanes);
    void *memory = tact_arena_take(arena, size, 1);
    group->wide = memory && tact_lanes_init(&group->lanes, model, plan->lanes, memory, size) == TACT_CONVERGED;
}

void tact_group_place_copies(void *context, tact_arena *arena) {
    tact_group_copies *copies = context;
    const tact_variant *variant = copies->variant;
    tact_scene measured;
    copies->copy = tact_arena_take(arena, (size_t)copies->count, sizeof measured);
    for (int i = 0; i < copies->count; i++)
        tact_variant_place_copy(variant->scene, variant->own, copies->copy ? &copies->copy[i] : &measured, arena);
}

void tact_group_join(tact_group *group, const tact_scene *scene, const tact_state *state) {
    TACT_ASSERT(group->count < group->room);
    int i = group->count++;
    group->slot[i] = i;
    group->unconverged[i] = TACT_CONVERGED;
    group->state[i] = *state;
    // one scene's stays in its places
    if (group->one && i < group->ready) return;
    group->scene[i] = scene;
    group->model[i] = &scene->model;
    group->options[i] = scene->options;
    group->ready = i + 1;
}

static void end_step(tact_group *group, const tact_group_run *run, int i, long long step, tact_work *work) {
    if (group->status[i] != TACT_CONVERGED) group->unconverged[group->slot[i]] = group->status[i];
    run->end(run->context, i, step, work);
}

// Removes the scenes without an answer and closes their gaps.
static void leave(tact_group *group, const tact_group_run *run, long long made) {
    int left = 0;
    for (int i = 0; i < group->count; i++) {
        // a scene without an answer is reported and dropped
        if (group->status[i] < 0) {
            run->leave(run->context, i, made);
            continue;
        }
        if (left < i) {
            // the others move down to close the gap
            group->slot[left] = group->slot[i];
            group->scene[left] = group->scene[i];
            group->model[left] = group->model[i];
            group->options[left] = group->options[i];
            group->state[left] = group->state[i];
        }
        left++;
    }
    group->count = left;
}

// Step number `step` of all; false where `begin` ends the run, which leaves all others where they are.
static bool take_step(tact_group *group, const tact_group_run *run, long long step) {
    // Where scenes are stepped alone, each is looked at before the next one overwrites the work.
    bool wide = group->wide && group->count > 1 && step < run->alone;
    for (int i = 0; i < group->count; i++) {
        if (!run->begin(run->context, i, step)) return false;
        if (wide) continue;
        group->status[i] = tact_step(group->model[i], &group->options[i], &group->input[i], &group->state[i], &group->work);
        end_step(group, run, i, step, &group->work);
    }
    if (!wide) return true;
    TACT_ASSERT(group->count <= group->lanes.capacity);
    tact_lanes_step(&group->lanes, group->count, group->model, group->options, group->input, group->state, group->status, NULL);
    for (int i = 0; i < group->count; i++) end_step(group, run, i, step, &group->lanes.work[i]);
    return true;
}

bool tact_group_run_steps(tact_group *group, const tact_group_run *run) {
    TACT_ASSERT(group && run);
    long long step = 0;
    bool goes_on = true;
    while (step < run->steps && group->count > 0) {
        goes_on = take_step(group, run, step);
        if (!goes_on) break;
        leave(group, run, step++);
    }
    for (int i = 0; i < group->count; i++) run->leave(run->context, i, step);
    group->count = 0;
    return goes_on;
}
