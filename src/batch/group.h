// SPDX-License-Identifier: MIT
// Scenes of one structure that one thread steps together: environments of a batch, or worlds in memory.
#ifndef TACT_BATCH_GROUP_H
#define TACT_BATCH_GROUP_H

#include "tact/batch.h"
#include "tact/lanes.h"

// Scenes join in slots 0, 1, ...; those under way stand at places 0 to count - 1 without gaps.
typedef struct {
    void *memory;       // block of the arrays below, where the group owns it
    tact_work work;     // for one scene after the other ...
    void *work_memory;  // ... in this memory ...
    size_t work_size;   // ... of this size
    tact_lanes lanes;
    bool wide;                 // lanes are placed
    bool one;                  // all are of one scene ...
    int ready;                 // ... whose pointers are already in so many first places
    int room, count;           //
    tact_state *rest;          // (room) memory of states, by slot; NULL: the caller has it
    tact_status *unconverged;  // (room) the last one that was not converged, by slot
    tact_wrench *wrench;       // (room, nbody) of the scenes' forces, by place; those below too
    int *slot;
    const tact_scene **scene;
    const tact_model **model;
    tact_options *options;
    tact_input *input;
    tact_state *state;
    tact_status *status;  // of the last step
} tact_group;

// A tact_memory_placer, of a tact_group_plan: room for so many scenes of the model's structure.
typedef struct {
    tact_group *group;
    const tact_model *model;
    size_t work_size;  // [bytes] at least tact_work_size
    int room, lanes;   // lanes: their width; 0: the widest
    bool rests, one;   // with memory of states; whatever joins is of one scene, which stays as it is
} tact_group_plan;
void tact_group_place(void *plan, tact_arena *arena);

// A tact_memory_placer, of a tact_group_copies: copies of a variant's scene with regions of their own, to be patched.
typedef struct {
    const tact_variant *variant;
    int count;
    tact_scene *copy;  // (count)
} tact_group_copies;
void tact_group_place_copies(void *copies, tact_arena *arena);

// A scene joins those under way in the next slot, with its state.
void tact_group_join(tact_group *group, const tact_scene *scene, const tact_state *state);

// Puts the forces of the scene at place i into its input.
static inline void tact_group_set_wrench(tact_group *group, int i) {
    const tact_scene *scene = group->scene[i];
    tact_wrench *wrench = group->wrench + (size_t)i * (size_t)scene->model.nbody;
    if (scene->nforce > 0 && tact_scene_wrench(scene, &group->state[i], wrench)) group->input[i].wrench = wrench;
}

// What its owner does for the scene at place i. From step number `alone` on, from 0, each scene takes its step right after
// `begin`, with a work that lasts until `end`; before, all do in lanes where these are placed.
typedef struct {
    void *context;
    long long steps, alone;
    bool (*begin)(void *context, int i, long long step);                 // fills its input; false ends the run
    void (*end)(void *context, int i, long long step, tact_work *work);  // of step number `step`, status is set
    void (*leave)(void *context, int i, long long made);                 // after so many steps with an answer
} tact_group_run;

// Takes the steps. A scene without an answer leaves, the others go on; at the end all leave. False where `begin` ended it.
bool tact_group_run_steps(tact_group *group, const tact_group_run *run);

#endif
