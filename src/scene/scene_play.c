// SPDX-License-Identifier: MIT
// What a scene commands and how it pushes at a time.
#include "tact/scene.h"

// How far a time is between two of an ascending list: the value is (1 - part) value[first] + part value[second].
typedef struct {
    int first, second;
    tact_real part;
} moment;

static moment find_moment(const tact_real *times, int count, tact_real t) {
    int low = 0, high = count - 1;
    if (!(t > times[0])) return (moment){0, 0, 0};
    if (t >= times[high]) return (moment){high, high, 0};
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (times[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (moment){low, high, (t - times[low]) / (times[high] - times[low])};
}

// The command at a state's time: what holds the state, the fixed command, or the trajectory between its two nearest times,
// linearly.
void tact_scene_command(const tact_scene *scene, const tact_state *state, tact_real *u) {
    TACT_ASSERT(scene && state && (u || !scene->model.nu));
    const tact_command *command = &scene->command;
    int nu = scene->model.nu;
    switch (command->mode) {
    case TACT_COMMAND_HOLD: tact_hold(&scene->model, state, u); return;
    case TACT_COMMAND_FIXED:
        for (int i = 0; i < nu; i++) u[i] = command->fixed[i];
        return;
    case TACT_COMMAND_TRAJECTORY: {
        moment now = find_moment(command->times, command->ntime, state->time);
        const tact_real *a = command->u + (size_t)now.first * (size_t)nu, *b = command->u + (size_t)now.second * (size_t)nu;
        for (int i = 0; i < nu; i++) u[i] = a[i] + now.part * (b[i] - a[i]);
        return;
    }
    }
}

bool tact_scene_wrench(const tact_scene *scene, const tact_state *state, tact_wrench *wrench) {
    TACT_ASSERT(scene && state && (wrench || !scene->model.nbody));
    for (int i = 0; i < scene->model.nbody; i++) wrench[i] = (tact_wrench){{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < scene->nforce; i++) {
        const tact_force *force = &scene->force[i];
        moment now = find_moment(force->times, force->ntime, state->time);
        const tact_wrench *a = &force->wrench[now.first], *b = &force->wrench[now.second];
        tact_wrench *sum = &wrench[force->body];
        tact_vec3 push = tact_vec3_sub(b->force, a->force), turn = tact_vec3_sub(b->torque, a->torque);
        sum->force = tact_vec3_add(sum->force, tact_vec3_add_scaled(a->force, now.part, push));
        sum->torque = tact_vec3_add(sum->torque, tact_vec3_add_scaled(a->torque, now.part, turn));
    }
    return scene->nforce > 0;
}
