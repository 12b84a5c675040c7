// SPDX-License-Identifier: MIT
#include "app/through.h"

#define DEEP TACT_REAL(1e-3)  // [m] that is worth a word: bounding shapes of neighbours may touch a little

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

void tact_through_tell(const tact_through *through, const char *command) {
    TACT_ASSERT(through && command);
    if (through->worst.pair < 0) return;
    tact_say("%s: warning: shapes pass through each other, which the scene lists no pairs for: %s; no plan for a real "
             "hand: --set 'pairs=\"auto\"' has all pairs (tact new: --contacts shapes), and takes longer",
             command, tact_overlap_say(&through->world.scene->model, &through->worst, "end").text);
}

void tact_through_close(tact_through *through) {
    tact_stage_close(&through->world);
}
