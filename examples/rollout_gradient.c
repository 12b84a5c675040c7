// SPDX-License-Identifier: MIT
// The gradient of a rollout: a loss on the final place of the block, by all commands on the way, in one pass back; and its check
// by a central difference along the gradient.
//
//     x_{k+1} = step(x_k, u_k) ,   L = 1/2 (q_N - goal)^2   =>   dL/du_k
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tact/tact.h>

enum { STEPS = 100 };
#define GOAL TACT_REAL(0.25)

// Loss of state k; with q_bar the gradient is added to it, by the block's coordinate.
static tact_real loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                      tact_real *lambda_bar) {
    (void)context, (void)contacts, (void)lambda_bar;
    if (k < STEPS) return 0;
    tact_real off = state->q[1] - GOAL;
    if (q_bar) q_bar[1] += off;
    return off * off / 2;
}

int main(void) {
    char message[1280];
    tact_world *world = tact_world_open("data/scenes/pusher.json", message, sizeof message);
    if (!world) return fprintf(stderr, "%s\n", message), 2;
    const tact_model *model = &world->scene->model;
    const tact_options *options = &world->scene->options;

    // as little memory as will do: some steps are made again in the pass back
    size_t size = tact_rollout_size(model, STEPS, 0);
    void *memory = malloc(size);
    tact_rollout_work work;
    if (!memory || tact_rollout_init(&work, model, STEPS, memory, size) < 0) return 5;

    tact_real u[STEPS], gradient[STEPS];
    for (int k = 0; k < STEPS; k++) u[k] = TACT_REAL(0.1) + TACT_REAL(0.001) * (tact_real)k;
    tact_rollout rollout = {.steps = STEPS, .u = u, .loss = loss};
    tact_rollout_slope slope = {.u = gradient};
    tact_rollout_result result = tact_rollout_gradient(model, options, &rollout, &world->state, &work, &slope);
    if (result.status < 0) return fprintf(stderr, "step %d: %s\n", result.step, tact_status_name(result.status)), 1;

    // the slope along the gradient g is |g|; the difference of the losses at u + t g and u - t g over 2 t |g|
    double square = 0, value[2];
    for (int k = 0; k < STEPS; k++) square += (double)gradient[k] * (double)gradient[k];
    double t = (sizeof(tact_real) == 8 ? 1e-5 : 1e-2) / sqrt(square);
    for (int side = 0; side < 2; side++) {
        for (int k = 0; k < STEPS; k++) u[k] += (tact_real)((side ? -2 : 1) * t * (double)gradient[k]);
        value[side] =
            (double)tact_rollout_gradient(model, options, &rollout, &world->state, &work, &(tact_rollout_slope){0}).loss;
    }
    double difference = (value[0] - value[1]) / (2 * t * sqrt(square));
    printf("loss %.8f, |gradient| %.8f, difference %.8f, ratio %.4f\n", (double)result.loss, sqrt(square), difference,
           difference / sqrt(square));
    free(memory);
    tact_world_close(world);
    return 0;
}
