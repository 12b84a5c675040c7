// SPDX-License-Identifier: MIT
#include "app/through.h"

#include <stdio.h>

enum { MANY = 1000 };  // pairs, with which a solve takes tens of milliseconds

#define DEEP TACT_REAL(1e-3)  // [m] that is worth a word: bounding shapes of neighbours may touch a little

// Opens the scene once more with all pairs, to find shapes that pass through each other without a pair.
void tact_through_open(tact_through *through, const tact_call *call, const char *path) {
    // every pair but those that the scene excludes; their friction is of no account here
    static const char *const more[] = {"pairs=\"auto\"", "mu=1"};
    tact_errors errors = {0};
    tact_scene_settings settings;
    const char **set = NULL, **all = NULL;
    *through = (tact_through){.worst = {.pair = -1}};
    if (tact_stage_settings(call, &settings, &set, &errors)) all = tact_memory_get((size_t)(settings.nset + 2) * sizeof *all);
    for (int i = 0; all && i < settings.nset; i++) all[i] = set[i];
    for (int i = 0; all && i < 2; i++) all[settings.nset + i] = more[i];
    if (all) {
        settings.set = all;
        settings.nset += 2;
        settings.law = "barrier";
        settings.own = true;
        // where it cannot be read so, nothing is looked for
        tact_scene *scene = tact_scene_read(path, &settings, &errors);
        if (scene && !tact_stage_take(scene, &through->world)) tact_scene_free(scene);
    }
    tact_memory_release(all);
    tact_memory_release(set);
    if (!through->world.scene) return;
    tact_overlap begin = tact_overlap_find(&through->world.scene->model, through->world.state.q, &through->world.work);
    through->before = begin.pair >= 0 ? begin.depth : 0;
}

void tact_through_look(tact_through *through, const tact_real *q) {
    TACT_ASSERT(through && q);
    if (!through->world.scene) return;
    tact_overlap now = tact_overlap_find(&through->world.scene->model, q, &through->world.work);
    if (now.pair < 0 || now.depth < through->before + DEEP || now.depth < through->worst.depth) return;
    through->worst = now;
}

// The shape that a scene names: of a vertex or an edge its shape.
static tact_thing_name name_whole(const tact_model *model, int shape) {
    const int *slot_of = model->names ? model->names->slot_of : NULL;
    return tact_shape_name(model, slot_of && slot_of[shape] >= 0 ? slot_of[shape] : shape);
}

// Whether the model has a pair of other shapes of two bodies, as of a box's corners with a palm.
static bool has_pair_between(const tact_model *model, int a, int b) {
    for (int i = 0; i < model->npair; i++) {
        int c = model->shape[model->pair[i].a].body, d = model->shape[model->pair[i].b].body;
        if ((c == a && d == b) || (c == b && d == a)) return true;
    }
    return false;
}

void tact_through_tell(const tact_through *through, const tact_model *listed, const char *command) {
    TACT_ASSERT(through && command);
    // not opened, where the plant is another scene
    if (!through->world.scene || through->worst.pair < 0) return;
    const tact_model *model = &through->world.scene->model;
    const tact_thing_name a = name_whole(model, through->worst.a), b = name_whole(model, through->worst.b);
    const char *corners =
        has_pair_between(listed, model->shape[through->worst.a].body, model->shape[through->worst.b].body)
            ? " (only for other shapes of these bodies, such as spheres at corners: edges and faces between them do not touch)"
            : "";
    char all[160] = "";
    // all pairs of hands of many boxes are more than a plan can wait for
    if (model->npair <= MANY)
        snprintf(all, sizeof all, ", or --set 'pairs=\"auto\"' has all pairs (tact new: --contacts shapes), and takes longer");
    else
        snprintf(all, sizeof all, "; all pairs would be %d, too many to plan with", model->npair);
    tact_say("%s: warning: shapes pass through each other, which the scene lists no pairs for: %s%s; no plan for a "
             "real hand: add { \"a\": %s, \"b\": %s } to its \"pairs\"%s",
             command, tact_overlap_say(model, &through->worst, "end").text, corners, tact_quote(a.text).text,
             tact_quote(b.text).text, all);
}

void tact_through_close(tact_through *through) {
    tact_stage_close(&through->world);
}
