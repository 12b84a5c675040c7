// SPDX-License-Identifier: MIT
// A mass from a recorded motion, by Gauss-Newton: one step is predicted from each recorded state with the mass m, its error e_k
// and the derivative s_k = dq+/dm come from the step itself, and m changes by -sum s_k'e_k / sum s_k's_k.
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

enum { STEPS = 60, NQ = 2 };

static unsigned char memory[1 << 16];

int main(void) {
    char message[1280];
    tact_world *world = tact_world_open("data/scenes/pusher.json", message, sizeof message);
    if (!world) return fprintf(stderr, "%s\n", message), 2;
    const tact_options *options = &world->scene->options;

    // the recording: the block of the scene has 10 g
    tact_real recorded[STEPS + 1][NQ];
    for (int k = 0; k <= STEPS; k++) {
        for (int i = 0; i < NQ; i++) recorded[k][i] = world->state.q[i];
        if (tact_world_step(world) < 0) return 1;
    }

    // a model with another mass: a copy of the bodies, and the rest shared
    tact_model model = world->scene->model;
    tact_body body[NQ] = {model.body[0], model.body[1]};
    model.body = body;
    body[1].mass = TACT_REAL(0.012);
    tact_deriv_work deriv;
    if (tact_deriv_init(&deriv, &model, memory, sizeof memory) < 0) return 5;

    tact_parameter parameter = {.kind = TACT_PARAMETER_MASS, .index = 1};
    for (int iteration = 0; iteration < 6; iteration++) {
        double right = 0, square = 0, error = 0;
        for (int k = 0; k < STEPS; k++) {
            tact_state_reset(&world->state, &model);
            for (int i = 0; i < NQ; i++) world->state.q[i] = recorded[k][i];
            const tact_real u[1] = {TACT_REAL(0.1)};
            tact_input input = {.u = u};
            // derivatives want the state before the step, of which only q matters here
            tact_state before = world->state;
            tact_real q[NQ] = {recorded[k][0], recorded[k][1]}, slope[NQ];
            if (tact_step(&model, options, &input, &world->state, &world->work) < 0) return 1;
            before.q = q;
            if (tact_deriv_linearise(&model, options, &input, &before, &world->work, &deriv) < 0) return 1;
            tact_deriv_parameter(&model, options, &world->work, &deriv, parameter, (tact_deriv_column){.q = slope});
            for (int i = 0; i < NQ; i++) {
                double e = (double)(world->state.q[i] - recorded[k + 1][i]);
                right += (double)slope[i] * e, square += (double)(slope[i] * slope[i]), error += e * e;
            }
        }
        printf("mass %.8f kg, error %.3g m\n", (double)body[1].mass, sqrt(error / (STEPS * NQ)));
        body[1].mass -= (tact_real)(right / square);
    }
    double off = fabs((double)body[1].mass - 0.01) / 0.01;
    printf("found %.6f kg\n", (double)body[1].mass);
    tact_world_close(world);
    return off > (sizeof(tact_real) == 8 ? 1e-6 : 1e-2);
}
