// SPDX-License-Identifier: MIT
// Steps scenes and their baked models side by side: every number of the states must be the same. BAKED is a list of X(name).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tact/tact.h"

#define X(name)                               \
    extern const tact_model name;             \
    extern const tact_options name##_options; \
    extern const tact_real name##_u[];
BAKED
#undef X

static const struct {
    const char *name;
    const tact_model *model;
    const tact_options *options;
    const tact_real *u;
} baked[] = {
#define X(name) {#name, &name, &name##_options, name##_u},
    BAKED
#undef X
};

static bool same(const void *a, const void *b, int count) {
    return count == 0 || memcmp(a, b, (size_t)count * sizeof(tact_real)) == 0;
}

static bool same_states(const tact_model *m, const tact_state *a, const tact_state *b) {
    return same(a->q, b->q, m->nq) && same(a->v, b->v, m->nv) && same(a->lambda, b->lambda, 3 * m->npair) &&
           same(a->anchor, b->anchor, 3 * m->npair) && same(a->normal, b->normal, 3 * m->npair) && a->past == b->past;
}

static const char *follow(tact_world *world, int k, tact_state *state, tact_work *work) {
    if (!same(world->u, baked[k].u, baked[k].model->nu)) return "first commands";
    for (int step = 0; step < 30; step++) {
        tact_status wanted = tact_world_step(world);
        bool pushed = world->scene->nforce > 0;
        tact_input input = {.u = world->u, .wrench = pushed ? world->wrench : NULL};
        if (tact_step(baked[k].model, baked[k].options, &input, state, work) != wanted) return "status";
        if (work->iterations != world->work.iterations) return "iterations";
        if (!same_states(baked[k].model, state, &world->state)) return "state";
    }
    return NULL;
}

static const char *compare(const char *folder, int k) {
    char path[500], message[500] = "";
    snprintf(path, sizeof path, "%s/%s.json", folder, baked[k].name);
    tact_world *world = tact_world_open(path, message, sizeof message);
    const tact_model *model = baked[k].model;
    size_t state_size = tact_state_size(model), work_size = tact_work_size(model);
    void *memory[2] = {malloc(state_size), malloc(work_size)};
    tact_state state;
    tact_work work;
    const char *fault = "the scene cannot be opened";
    bool placed = memory[0] && memory[1] && tact_state_init(&state, model, memory[0], state_size) == TACT_CONVERGED &&
                  tact_work_init(&work, model, memory[1], work_size) == TACT_CONVERGED;
    if (world) tact_scene_command(world->scene, &world->state, world->u);
    if (world) fault = placed ? follow(world, k, &state, &work) : "memory";
    tact_world_close(world);
    free(memory[0]);
    free(memory[1]);
    return fault;
}

int main(int argc, char **argv) {
    int bad = 0;
    for (int k = 0; argc == 2 && k < (int)(sizeof baked / sizeof *baked); k++) {
        const char *fault = compare(argv[1], k);
        if (fault) printf("%s: %s\n", baked[k].name, fault);
        bad += fault != NULL;
    }
    return argc == 2 && bad == 0 ? 0 : 1;
}
