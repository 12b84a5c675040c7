// SPDX-License-Identifier: MIT
// A mass from a recorded motion, with its standard error, by tact/fit.h: one step is predicted from each recorded state, its
// derivative by the mass comes from the step itself, and Gauss-Newton steps bring the predictions to the states that followed.
#include <math.h>
#include <stdio.h>
#include <tact/tact.h>

enum { STEPS = 60 };

static void report(void *context, const tact_fit_progress *progress) {
    (void)context;
    printf("mass %.8f kg, error %.3g m\n", progress->value[0], progress->residual);
}

int main(void) {
    char message[1280];
    tact_world *world = tact_world_open("data/scenes/pusher.json", message, sizeof message);
    if (!world) return fprintf(stderr, "%s\n", message), 2;

    // a scene with another mass than the world's, which is 10 g: a copy of the bodies, and the rest shared
    tact_scene guess = *world->scene;
    tact_body body[2] = {guess.model.body[0], guess.model.body[1]};
    guess.model.body = body;
    body[1].mass = TACT_REAL(0.012);
    const tact_parameter mass = {.kind = TACT_PARAMETER_MASS, .index = 1};
    tact_fit fit;
    if (!tact_fit_make(&fit, &guess, &mass, 1)) return 5;

    // the recording: state before each step, command, and coordinates after it
    size_t size = tact_state_size(&guess.model);
    static unsigned char memory[4096];
    tact_state before;
    if (size > sizeof memory || tact_state_init(&before, &guess.model, memory, size) < 0) return 5;
    for (int k = 0; k < STEPS; k++) {
        tact_state_copy(&before, &world->state, &guess.model);
        if (tact_world_step(world) < 0) return 1;
        if (!tact_fit_add(&fit, &before, world->u, world->state.q)) return 5;
    }

    tact_fit_result result = tact_fit_solve(&fit, 20, report, NULL);
    printf("%s\nfound %.6f kg, standard error %.1g kg\n", tact_status_name(result.status), fit.value[0], fit.error[0]);
    double off = fabs(fit.value[0] - 0.01) / 0.01;
    tact_fit_free(&fit);
    tact_world_close(world);
    return off > (sizeof(tact_real) == 8 ? 1e-6 : 1e-2);
}
