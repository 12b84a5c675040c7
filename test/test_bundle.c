// SPDX-License-Identifier: MIT
// Bundled gradients: without a disturbance the plain one; the disturbances are the normal numbers of splitmix64, each with its
// mirror image, computed here by the C library; loss and gradient are the means of the rollouts'.
#include "tact/rollout.h"

#include "tact/scene.h"
#include "test.h"

enum { STEPS = 6, PAIRS = 256, MOST_U = 8, COUNT = STEPS * MOST_U };

static tact_world *world;
static int nu, run;                            // of the disturbed rollouts
static double seen[2 * PAIRS][COUNT], losses;  // what drove them, and their losses' sum

static void watch(void *context, int step, const tact_state *state, tact_input *input) {
    (void)context;
    (void)state;
    if (run < 2 * PAIRS)
        for (int i = 0; i < nu; i++) seen[run][step * nu + i] = (double)input->u[i];
}

static tact_real loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                      tact_real *lambda_bar) {
    (void)context;
    (void)contacts;
    (void)lambda_bar;
    tact_real sum = 0;
    for (int i = 0; k == STEPS && i < world->scene->model.nv; i++) {
        sum += (tact_real)(i + 1) * state->q[i];
        if (q_bar) q_bar[i] += (tact_real)(i + 1);
    }
    // the way forwards comes first, and ends with the last state
    if (!q_bar && k == STEPS) {
        losses += (double)sum;
        run++;
    }
    return sum;
}

static double normal_of(uint64_t *state) {
    double u[2];
    for (int k = 0; k < 2; k++) u[k] = ((double)(test_random_bits(state) >> 41) + 0.5) / 8388608;
    return sqrt(-2 * log(u[0])) * cos(6.28318530717958647693 * u[1]);
}

// The numbers themselves, and that they are normal and independent.
static void check_numbers(const tact_real *u, double sigma, uint64_t seed) {
    double square = 0, fourth = 0, next = 0, last = 0;
    int count = STEPS * nu;
    for (int pair = 0; pair < PAIRS; pair++) {
        uint64_t state = seed + UINT64_C(0x632be59bd9b4e019) * (uint64_t)pair;
        for (int i = 0; i < count; i++) {
            double wanted = normal_of(&state), got = (seen[2 * pair][i] - (double)u[i]) / sigma;
            CHECK_CLOSE(got, wanted, 1e5 * (double)TACT_EPS);
            CHECK_CLOSE((seen[2 * pair + 1][i] - (double)u[i]) / sigma, -wanted, 1e5 * (double)TACT_EPS);
            square += got * got;
            fourth += got * got * got * got;
            next += got * last;
            last = got;
        }
    }
    double n = PAIRS * count;
    CHECK_CLOSE(square / n, 1, 0.1);
    CHECK_CLOSE(fourth / n, 3, 0.25);
    CHECK_CLOSE(next / n, 0, 0.1);
}

static void check_bundle(uint64_t seed) {
    const tact_model *model = &world->scene->model;
    const tact_options *options = &world->scene->options;
    tact_real u[COUNT], scratch[2][COUNT], plain[COUNT], u_bar[COUNT];
    double mean[COUNT] = {0};
    size_t size = tact_rollout_size(model, STEPS, 0);
    void *memory = malloc(size);
    tact_rollout_work work;
    tact_rollout rollout = {.steps = STEPS, .u = u, .drive = watch, .loss = loss};
    nu = model->nu;
    CHECK(memory && nu > 0 && nu <= MOST_U);
    CHECK_INT(tact_rollout_init(&work, model, STEPS, memory, size), TACT_CONVERGED);
    tact_scene_command(world->scene, &world->state, u);
    for (int i = nu; i < STEPS * nu; i++) u[i] = u[i % nu];
    tact_rollout_slope slope = {.u = plain};
    run = 2 * PAIRS;
    tact_rollout_result one = tact_rollout_gradient(model, options, &rollout, &world->state, &work, &slope);
    tact_rollout_bundle bundle = {.samples = 1, .sigma = 0, .seed = seed, .u = scratch[0], .sum = scratch[1]};
    tact_rollout_result none = tact_rollout_gradient_bundled(model, options, &rollout, &world->state, &work, &bundle, u_bar);
    CHECK(one.status >= 0 && none.status >= 0);
    CHECK(none.loss == one.loss && memcmp(u_bar, plain, (size_t)(STEPS * nu) * sizeof plain[0]) == 0);
    bundle.samples = PAIRS;
    bundle.sigma = TACT_REAL(0.01);
    run = 0;
    losses = 0;
    tact_rollout_result all = tact_rollout_gradient_bundled(model, options, &rollout, &world->state, &work, &bundle, u_bar);
    CHECK(all.status >= 0);
    CHECK_INT(run, 2 * PAIRS);
    check_numbers(u, 0.01, seed);
    CHECK_CLOSE(all.loss, losses / (2 * PAIRS), 1e4 * (double)TACT_EPS);
    // the gradients once more, one by one
    for (int k = 0; k < 2 * PAIRS; k++) {
        tact_real disturbed[COUNT];
        for (int i = 0; i < STEPS * nu; i++) disturbed[i] = (tact_real)seen[k][i];
        rollout.u = disturbed;
        run = 2 * PAIRS;
        tact_rollout_gradient(model, options, &rollout, &world->state, &work, &slope);
        for (int i = 0; i < STEPS * nu; i++) mean[i] += (double)plain[i] / (2 * PAIRS);
    }
    for (int i = 0; i < STEPS * nu; i++) CHECK_CLOSE(u_bar[i], mean[i], 1e4 * (double)TACT_EPS);
    free(memory);
}

int main(void) {
    char message[512];
    uint64_t seed = test_seed(21);
    world = tact_world_open("data/scenes/two_fingers_disc.json", message, sizeof message);
    CHECK(world != NULL);
    if (world) check_bundle(seed);
    tact_world_close(world);
    return test_end("bundle");
}
