// SPDX-License-Identifier: MIT
#include "app/slopes.h"

static void place_slopes(void *context, tact_arena *arena) {
    tact_force_slopes *slopes = context;
    size_t state = tact_state_size(slopes->model), size = tact_linear_size(slopes->model), nv = (size_t)slopes->model->nv;
    void *before = tact_arena_take(arena, state, 1), *linear = tact_arena_take(arena, size, 1);
    if (before) tact_state_init(&slopes->before, slopes->model, before, state);
    if (linear) tact_linear_init(&slopes->linear, slopes->model, linear, size);
    slopes->unit = tact_arena_take(arena, nv, sizeof(tact_real));
    slopes->dq = tact_arena_take(arena, nv, sizeof(tact_real));
    slopes->slope = tact_arena_take(arena, nv, sizeof(tact_real));
}

bool tact_force_slopes_make(tact_force_slopes *slopes, const tact_world *world) {
    slopes->model = &world->scene->model;
    slopes->memory = tact_memory_place(place_slopes, slopes);
    for (int i = 0; slopes->memory && i < slopes->model->nv; i++) slopes->unit[i] = 0;
    return slopes->memory != NULL;
}

void tact_force_slopes_free(tact_force_slopes *slopes) {
    tact_memory_release(slopes->memory);
    *slopes = (tact_force_slopes){0};
}

void tact_force_slopes_keep(tact_force_slopes *slopes, const tact_world *world) {
    if (slopes->memory) tact_state_copy(&slopes->before, &world->state, slopes->model);
}

void tact_force_slopes_add(tact_force_slopes *slopes, tact_world *world, tact_text *line) {
    const tact_scene *scene = world->scene;
    tact_input input = {.u = world->u, .wrench = scene->nforce > 0 ? world->wrench : NULL};
    tact_record step = {&scene->model, &scene->options, &input, &slopes->before, &world->state, &world->work};
    if (!slopes->memory || line->failed || line->size == 0 || tact_linearise(&slopes->linear, &step) < 0) return;
    for (int i = 0; i < scene->model.nv; i++) {
        // dq_i+ / df_i: the answer to a unit force along dof i
        slopes->unit[i] = 1;
        tact_status status =
            tact_linear_push(&slopes->linear, &(tact_step_change){.force = slopes->unit}, &(tact_step_effect){.q = slopes->dq});
        slopes->unit[i] = 0;
        if (status < 0) return;
        slopes->slope[i] = slopes->dq[i];
    }
    // the slopes go before the closing brace of the line
    line->bytes[--line->size] = '\0';
    tact_text_add(line, ",\"slope\":");
    tact_text_add_vector(line, slopes->slope, (size_t)scene->model.nv);
    tact_text_add(line, "}");
}
