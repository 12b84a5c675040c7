// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "tact/memory.h"
#include "tact/scene.h"

static void *take_all(tact_world *world, tact_arena *arena) {
    const tact_model *model = &world->scene->model;
    world->u = tact_arena_take(arena, (size_t)model->nu, sizeof(tact_real));
    world->given = tact_arena_take(arena, (size_t)model->nu, sizeof(tact_real));
    world->wrench = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_wrench));
    void *state = tact_arena_take(arena, tact_state_size(model), 1);
    void *work = tact_arena_take(arena, tact_work_size(model), 1);
    if (!state || !work) return NULL;
    if (tact_state_init(&world->state, model, state, tact_state_size(model)) < 0) return NULL;
    if (tact_work_init(&world->work, model, work, tact_work_size(model)) < 0) return NULL;
    tact_world_command(world);
    return state;
}

static tact_world *open_world(tact_scene *scene) {
    tact_world *world = tact_memory_get(sizeof *world);
    if (!world) return NULL;
    *world = (tact_world){.scene = scene};
    tact_arena arena = {0};
    take_all(world, &arena);
    world->memory = tact_memory_get(arena.used);
    arena = (tact_arena){.memory = world->memory, .size = arena.used};
    if (world->memory && take_all(world, &arena)) return world;
    tact_memory_release(world->memory);
    tact_memory_release(world);
    return NULL;
}

tact_world *tact_world_open(const char *path, char *message, size_t message_size) {
    TACT_ASSERT(path && (message || message_size == 0));
    tact_scene *scene = tact_scene_load(path, message, message_size);
    if (!scene) return NULL;
    tact_world *world = open_world(scene);
    if (world) return world;
    tact_scene_free(scene);
    if (message_size > 0) snprintf(message, message_size, "out of memory");
    return NULL;
}

void tact_world_close(tact_world *world) {
    if (!world) return;
    tact_scene_free(world->scene);
    tact_memory_release(world->memory);
    tact_memory_release(world);
}

void tact_world_command(tact_world *world) {
    TACT_ASSERT(world && world->u);
    tact_scene_command(world->scene, &world->state, world->u);
    // a program that places a world itself may leave given out: then only own says whose the command is
    for (int i = 0; world->given && i < world->scene->model.nu; i++) world->given[i] = world->u[i];
    world->own = false;
}

tact_status tact_world_step(tact_world *world) {
    TACT_ASSERT(world && world->u);
    const tact_scene *scene = world->scene;
    // a command that is not what the scene gave is the program's; one that is no number, too, and is refused by the step
    for (int i = 0; world->given && i < scene->model.nu; i++) world->own = world->own || !(world->u[i] == world->given[i]);
    bool pushed = tact_scene_wrench(scene, &world->state, world->wrench);
    if (!world->own) tact_world_command(world);
    tact_input input = {.u = world->u, .wrench = pushed ? world->wrench : NULL};
    return tact_step(&scene->model, &scene->options, &input, &world->state, &world->work);
}
