// SPDX-License-Identifier: MIT
// A controller of your own: in every step the command follows from what the last step found. Two fingers close on a disc until
// they squeeze it with 0.5 N, by integral control of the angle of both shoulders.
//
//     cc examples/own_command.c -Iinclude build/libtact.a $(pkg-config --libs libcjson expat) -lm -o own_command
#include <stdio.h>
#include <tact/tact.h>

#define WANTED TACT_REAL(0.5)  // normal force [N]
#define GAIN TACT_REAL(0.02)   // [rad/N] in each step
#define LEAD TACT_REAL(0.5)    // most change of a command [rad]

// Normal force of the first contact, 0 without one.
static tact_real squeeze(const tact_work *work) {
    return work->contacts.count > 0 ? work->contacts.contact[0].lambda[0] : 0;
}

int main(int argc, char **argv) {
    char message[1280];
    tact_scene *scene = tact_scene_load(argc > 1 ? argv[1] : "data/scenes/two_fingers_disc.json", message, sizeof message);
    if (!scene) return fprintf(stderr, "%s\n", message), 2;
    const tact_model *model = &scene->model;

    // memory of the state and of the scratch; a program without heap gives its own
    static unsigned char memory[2][1 << 16];
    tact_state state;
    tact_work work;
    if (tact_state_init(&state, model, memory[0], sizeof memory[0]) < 0 ||
        tact_work_init(&work, model, memory[1], sizeof memory[1]) < 0)
        return fprintf(stderr, "the scene is too large\n"), 5;

    tact_real u[4], start[4], close = 0, force = 0;
    if (model->nu != 4) return fprintf(stderr, "two fingers of two hinges are wanted\n"), 2;
    tact_hold(model, &state, start);
    for (int step = 0; step < 400; step++) {
        // integral control: shoulders close while the force is too small
        close += GAIN * (WANTED - force);
        close = close < 0 ? 0 : close > LEAD ? LEAD : close;
        for (int i = 0; i < 4; i++) u[i] = start[i];
        u[0] -= close;
        u[2] += close;
        tact_input input = {.u = u};
        tact_status status = tact_step(model, &scene->options, &input, &state, &work);
        if (status < 0) return fprintf(stderr, "step %d: %s\n", step, tact_status_name(status)), 1;
        force = squeeze(&work);
    }
    printf("squeeze %.4f N, closed by %.4f rad\n", (double)force, (double)close);
    tact_scene_free(scene);
    return 0;
}
