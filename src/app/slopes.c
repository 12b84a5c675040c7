// SPDX-License-Identifier: MIT
#include "app/slopes.h"

#include "scene/memory.h"
#include "tact/virtual.h"

bool tact_slopes_make(tact_slopes *slopes, const tact_world *world) {
    const tact_model *model = &world->scene->model;
    size_t state = tact_state_size(model), nv = (size_t)model->nv;
    slopes->memory = tact_memory_get(state + 3 * nv * sizeof(tact_real) + TACT_ALIGN);
    if (!slopes->memory) return false;
    slopes->unit = slopes->memory;
    slopes->dq = slopes->unit + nv;
    slopes->slope = slopes->dq + nv;
    for (size_t i = 0; i < nv; i++) slopes->unit[i] = 0;
    return tact_state_init(&slopes->before, model, slopes->slope + nv, state + TACT_ALIGN) == TACT_CONVERGED;
}

void tact_slopes_free(tact_slopes *slopes) {
    tact_memory_release(slopes->memory);
    *slopes = (tact_slopes){0};
}

void tact_slopes_keep(tact_slopes *slopes, const tact_world *world) {
    if (slopes->memory) tact_state_copy(&slopes->before, &world->state, &world->scene->model);
}

void tact_slopes_add(tact_slopes *slopes, tact_world *world, tact_text *line) {
    const tact_scene *scene = world->scene;
    tact_input input = {.u = world->u, .wrench = scene->nforce > 0 ? world->wrench : NULL};
    if (!slopes->memory || world->work.status < 0 || line->failed || line->size == 0) return;
    for (int i = 0; i < scene->model.nv; i++) {
        tact_virtual_change change = {.force = slopes->unit};
        tact_virtual_effect effect = {.q = slopes->dq};
        slopes->unit[i] = 1;
        tact_status status =
            tact_virtual_differentiate(&scene->model, &scene->options, &input, &slopes->before, &world->work, &change, &effect);
        slopes->unit[i] = 0;
        if (status < 0) return;
        slopes->slope[i] = slopes->dq[i];
    }
    line->bytes[--line->size] = '\0';
    tact_text_add(line, ",\"slope\":");
    tact_text_add_vector(line, slopes->slope, (size_t)scene->model.nv);
    tact_text_add(line, "}");
}
