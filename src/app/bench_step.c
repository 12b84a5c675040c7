// SPDX-License-Identifier: MIT
#include "app/bench_parts.h"

#include <stdlib.h>

double tact_bench_median(double *sample, int count) {
    qsort(sample, (size_t)count, sizeof *sample, tact_compare_numbers);
    return sample[count / 2];
}

void tact_bench_step(tact_world *world, const tact_state *state, bool warm) {
    const tact_scene *scene = world->scene;
    tact_options options = scene->options;
    tact_input input = {.u = world->u};
    options.warm_start = warm;
    tact_state_copy(&world->state, state, &scene->model);
    tact_scene_command(scene, &world->state, world->u);
    if (tact_scene_wrench(scene, &world->state, world->wrench)) input.wrench = world->wrench;
    tact_step(&scene->model, &options, &input, &world->state, &world->work);
}

void tact_bench_counted_step(tact_world *world, const tact_state *state, bool warm) {
    tact_bench_step(world, state, warm);
}
