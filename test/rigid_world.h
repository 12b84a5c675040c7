// SPDX-License-Identifier: MIT
// A scene of the rigid law while it runs in a test.
#ifndef TACT_RIGID_WORLD_H
#define TACT_RIGID_WORLD_H

#include "scene_test.h"
#include "tact/sim.h"

#ifdef TACT_FLOAT
enum { DOUBLE = 0 };
#else
enum { DOUBLE = 1 };
#endif

// in single precision the second figure holds
static inline double within(double in_double, double in_float) {
    return DOUBLE ? in_double : in_float;
}

static tact_world world;
static void *world_memory[4];

static inline bool world_make(tact_scene *made) {
    world = (tact_world){.scene = made};
    CHECK(made != NULL);
    for (int i = 0; i < errors.kept; i++) printf("    %s\n", errors.items[i].text);
    if (!made) return false;
    const tact_model *model = &made->model;
    size_t size[4] = {tact_state_size(model), tact_work_size(model), (size_t)model->nu * sizeof(tact_real),
                      (size_t)model->nbody * sizeof(tact_wrench)};
    for (int i = 0; i < 4; i++) world_memory[i] = malloc(size[i] + 1);
    CHECK_INT(tact_state_init(&world.state, model, world_memory[0], size[0]), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&world.work, model, world_memory[1], size[1]), TACT_CONVERGED);
    world.u = world_memory[2];
    world.wrench = world_memory[3];
    return true;
}

static inline bool world_text(const char *text) {
    return world_make(parse_text(text, NULL));
}

// data/scenes/NAME.json under the rigid law, with settings, ended by NULL
static inline bool world_scene(const char *name, const char *const *set) {
    char path[100];
    tact_scene_settings settings = {.set = set, .law = "rigid"};
    while (set && set[settings.nset]) settings.nset++;
    snprintf(path, sizeof path, "data/scenes/%s.json", name);
    errors = (tact_errors){0};
    return world_make(tact_scene_read(path, &settings, &errors));
}

static inline void world_end(void) {
    for (int i = 0; i < 4 && world.scene; i++) free(world_memory[i]);
    tact_scene_free(world.scene);
    world = (tact_world){0};
}

#endif
