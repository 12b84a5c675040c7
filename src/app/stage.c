// SPDX-License-Identifier: MIT
#include "app/stage.h"

#include <string.h>

tact_errors tact_stage_errors(const tact_call *call) {
    tact_errors errors = {0};
    errors.strict = tact_call_value(call, "--strict") != NULL;
    errors.verbose = tact_call_value(call, "--verbose") != NULL;
    return errors;
}

bool tact_stage_settings(const tact_call *call, tact_scene_settings *settings, const char ***set, tact_errors *errors) {
    int at = 0, count = 0;
    while (tact_call_next(call, "--set", &at)) count++;
    *set = tact_memory_get((size_t)count * sizeof **set);
    if (!*set) {
        tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){0}, "out of memory");
        return false;
    }
    at = 0;
    // what tact plot adds before the words of the call comes last, and outranks them
    bool vary = tact_call_value(call, "--vary") && count > 0;
    for (int i = 0; i < count; i++) (*set)[vary ? (i + count - 1) % count : i] = tact_call_next(call, "--set", &at);
    *settings = (tact_scene_settings){.set = *set, .nset = count, .law = tact_call_value(call, "--law")};
    if (vary) settings->option = "--vary", settings->first = count - 1;
    return true;
}

// State, work, command and forces in one piece of memory; measures without it.
static size_t place_world(tact_world *world, void *memory) {
    const tact_model *model = &world->scene->model;
    tact_arena arena = {.memory = memory, .size = SIZE_MAX};
    size_t state = tact_state_size(model), work = tact_work_size(model);
    void *state_memory = tact_arena_take(&arena, state, 1), *work_memory = tact_arena_take(&arena, work, 1);
    world->u = tact_arena_take(&arena, (size_t)model->nu, sizeof(tact_real));
    world->given = tact_arena_take(&arena, (size_t)model->nu, sizeof(tact_real));
    world->wrench = tact_arena_take(&arena, (size_t)model->nbody, sizeof(tact_wrench));
    if (!memory) return arena.used;
    tact_state_init(&world->state, model, state_memory, state);
    tact_work_init(&world->work, model, work_memory, work);
    tact_world_command(world);
    return arena.used;
}

bool tact_stage_take(tact_scene *scene, tact_world *world) {
    TACT_ASSERT(scene && world);
    *world = (tact_world){.scene = scene};
    size_t size = place_world(world, NULL);
    if (size < SIZE_MAX) world->memory = tact_memory_get(size);
    if (world->memory)
        place_world(world, world->memory);
    else
        *world = (tact_world){0};
    return world->memory != NULL;
}

// Memory for a scene that was read, unless there was none; says all messages.
static int make_world(tact_world *world, tact_errors *errors) {
    tact_scene *scene = world->scene;
    if (scene && !tact_stage_take(scene, world)) {
        tact_scene_free(scene);
        tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){0}, "out of memory");
    }
    int code = tact_say_errors(errors);
    if (code != TACT_EXIT_DONE) tact_stage_close(world);
    return code;
}

// Reads the scene from a file, or from a text where path is NULL.
static int open_scene(const tact_call *call, const char *path, tact_source source, bool own, tact_world *world) {
    tact_errors errors = tact_stage_errors(call);
    tact_scene_settings settings = {0};
    const char **set = NULL;
    *world = (tact_world){0};
    bool read = tact_stage_settings(call, &settings, &set, &errors);
    settings.own = own;
    // scenes of its own, and those of commands that go by tact_step_model
    const char *command = call->command->name;
    bool of_step = strcmp(command, "grad") == 0 && !tact_call_value(call, "--rollout");
    settings.finds = !path || of_step || strcmp(command, "run") == 0 || strcmp(command, "check") == 0;
    if (read) world->scene = path ? tact_scene_read(path, &settings, &errors) : tact_scene_parse(source, "", &settings, &errors);
    tact_memory_release(set);
    return make_world(world, &errors);
}

int tact_stage_open(const tact_call *call, const char *path, tact_world *world) {
    return open_scene(call, path, (tact_source){0}, false, world);
}

// Why a scene was refused under a law that the command goes by, where it is good under its own.
static void say_other_law(const tact_call *call, const char *path, tact_scene_settings settings) {
    tact_errors errors = {0};
    const char *law = settings.law;
    settings.law = NULL;
    tact_scene *scene = tact_scene_read(path, &settings, &errors);
    if (!scene) return;
    tact_say("%s: error: it goes by the law %s, and this scene suits its own law %s only", call->command->name,
             tact_quote(law).text, tact_quote(scene->model.law->name).text);
    tact_scene_free(scene);
}

int tact_stage_open_as(const tact_call *call, const char *path, const char *law, const char *const *more, int count,
                       tact_world *world) {
    tact_errors errors = {0};
    tact_scene_settings settings;
    const char **set = NULL, **all = NULL;
    *world = (tact_world){0};
    if (tact_stage_settings(call, &settings, &set, &errors)) {
        all = tact_memory_get((size_t)(settings.nset + count + 1) * sizeof *all);
        if (!all) tact_errors_add(&errors, TACT_ERROR_NO_MEMORY, (tact_place){0}, "out of memory");
    }
    if (all) {
        // the user's --set first, then those of the command
        for (int i = 0; i < settings.nset; i++) all[i] = set[i];
        for (int i = 0; i < count; i++) all[settings.nset + i] = more[i];
        settings.set = all;
        settings.first = settings.nset;
        settings.nset += count;
        settings.option = "--plant-set";
        if (law) settings.law = law;
        settings.several = law != NULL;
        world->scene = tact_scene_read(path, &settings, &errors);
    }
    int code = make_world(world, &errors);
    if (code == TACT_EXIT_REFUSED && law) say_other_law(call, path, settings);
    tact_memory_release(all);
    tact_memory_release(set);
    return code;
}

int tact_stage_parse(const tact_call *call, tact_source source, tact_world *world) {
    return open_scene(call, NULL, source, false, world);
}

int tact_stage_parse_own(const tact_call *call, tact_source source, tact_world *world) {
    return open_scene(call, NULL, source, true, world);
}

int tact_stage_parse_as(tact_source source, const char *law, tact_world *world) {
    tact_errors errors = {0};
    tact_scene_settings settings = {.law = law, .own = true};
    *world = (tact_world){.scene = tact_scene_parse(source, "", &settings, &errors)};
    // warnings were told when it was read before
    if (world->scene) errors = (tact_errors){0};
    return make_world(world, &errors);
}

int tact_stage_check_start(const tact_call *call, tact_world *world) {
    bool strict = tact_call_value(call, "--strict") != NULL;
    tact_sentence overlap = tact_overlap_explain(&world->scene->model, world->state.q, 64 * TACT_EPS, "start", &world->work);
    if (!overlap.text[0]) return TACT_EXIT_DONE;
    tact_say("%s: %s: %s: \"state\" or \"xyz\" of the shapes moves them apart; links that always overlap need no pair "
             "(\"exclude\", with \"pairs\": "
             "\"auto\")",
             call->command->name, strict ? "error" : "warning", overlap.text);
    if (!strict) return TACT_EXIT_DONE;
    tact_stage_close(world);
    return TACT_EXIT_REFUSED;
}

void tact_stage_say_step(const tact_call *call, const tact_world *world, long long step) {
    tact_say("%s: %s: step %lld: %s", call->command->name, world->work.status < 0 ? "error" : "warning", step,
             tact_step_explain(&world->scene->model, &world->work).text);
}

void tact_stage_close(tact_world *world) {
    tact_memory_release(world->memory);
    if (world->scene) tact_scene_free(world->scene);
    *world = (tact_world){0};
}
