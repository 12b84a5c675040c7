// SPDX-License-Identifier: MIT
// worst SCENE COUNT SEED: hostile steps of a scene, each from one of its first 20 states with all coordinates, velocities,
// commands, masses and friction drawn over decades. Prints how many were answered how, and of iterations the median and the most,
// with the number of such a step. worst SCENE 1 SEED NUMBER makes this one alone, in worst_step, for a counter of instructions.
// A step that has no answer leaves its state, and one that has one is finite: else the exit code is 1.
#include "tact/scene.h"
#include "test.h"

enum { STATES = 20, MOST = 10000 };

static tact_world *world;
static tact_state first[STATES];
static void *memory[STATES];
static tact_real mass[400], inertia[400][6], mu[21000];
static int count_of[MOST + 1], number_of[MOST + 1], answered[5];
static long long bad;

__attribute__((noinline)) static tact_status worst_step(void) {
    tact_input input = {.u = world->u};
    return tact_step(&world->scene->model, &world->scene->options, &input, &world->state, &world->work);
}

static double decades(uint64_t *seed, double low, double high) {
    return pow(10, test_random(seed, low, high));
}

// A number of the model is const to the law, not to its owner.
static void draw_model(uint64_t *seed) {
    const tact_model *model = &world->scene->model;
    for (int b = 0; b < model->nbody; b++) {
        tact_body *body = (tact_body *)&model->body[b];
        double factor = decades(seed, -2, 2);
        body->mass = mass[b] * (tact_real)factor;
        for (int k = 0; k < 6; k++) body->inertia[k] = inertia[b][k] * (tact_real)factor;
    }
    for (int p = 0; p < model->npair; p++) ((tact_pair *)&model->pair[p])->mu = mu[p] * (tact_real)decades(seed, -2, 0.5);
}

static void draw_state(uint64_t *seed) {
    const tact_model *model = &world->scene->model;
    static tact_real turn[2000];
    int k = (int)test_random(seed, 0, STATES);
    double far = decades(seed, -6, -1), fast = decades(seed, -4, 1);
    tact_state_copy(&world->state, &first[k < STATES ? k : 0], model);
    for (int i = 0; i < model->nv; i++) turn[i] = (tact_real)test_random(seed, -far, far);
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    tact_model_integrate(model, &world->work.kinematics, turn, world->state.q);
    for (int i = 0; i < model->nv; i++) world->state.v[i] += (tact_real)test_random(seed, -fast, fast);
    tact_scene_command(world->scene, &world->state, world->u);
    for (int i = 0; i < model->nu; i++) world->u[i] += (tact_real)test_random(seed, -far, far);
}

static void make(uint64_t seed, int number) {
    const tact_model *model = &world->scene->model;
    static tact_real before[4000];
    uint64_t own = seed + 0x9e3779b97f4a7c15u * (uint64_t)(number + 1);
    draw_model(&own);
    draw_state(&own);
    memcpy(before, world->state.q, (size_t)model->nq * sizeof *before);
    tact_status status = worst_step();
    int iterations = world->work.iterations < MOST ? world->work.iterations : MOST;
    bool finite = true;
    for (int i = 0; i < model->nq; i++) finite = finite && fabs((double)world->state.q[i]) < HUGE_VAL;
    for (int i = 0; i < model->nv; i++) finite = finite && fabs((double)world->state.v[i]) < HUGE_VAL;
    bool kept = status >= 0 || memcmp(before, world->state.q, (size_t)model->nq * sizeof *before) == 0;
    if (!finite || !kept) bad++, printf("step %d: %s\n", number, finite ? "its state moved without an answer" : "not finite");
    if (count_of[iterations]++ == 0) number_of[iterations] = number;
    answered[status == TACT_CONVERGED         ? 0
             : status == TACT_ITERATION_LIMIT ? 1
             : status == TACT_BAD_INPUT       ? 2
             : status < 0                     ? 3
                                              : 4]++;
}

static void keep_scene(void) {
    const tact_model *model = &world->scene->model;
    for (int b = 0; b < model->nbody && b < 400; b++) {
        mass[b] = model->body[b].mass;
        memcpy(inertia[b], model->body[b].inertia, sizeof inertia[b]);
    }
    for (int p = 0; p < model->npair && p < 21000; p++) mu[p] = model->pair[p].mu;
    for (int k = 0; k < STATES; k++) {
        memory[k] = malloc(tact_state_size(model));
        if (!memory[k]) abort();
        tact_state_init(&first[k], model, memory[k], tact_state_size(model));
        tact_state_copy(&first[k], &world->state, model);
        tact_world_step(world);
    }
}

int main(int argc, char **argv) {
    char message[1300] = "";
    if (argc < 4) return fprintf(stderr, "usage: worst SCENE COUNT SEED [NUMBER]\n"), 2;
    int count = atoi(argv[2]), number = argc > 4 ? atoi(argv[4]) : 0, seen = 0, middle = 0, most = 0;
    uint64_t seed = strtoull(argv[3], NULL, 10);
    world = tact_world_open(argv[1], message, sizeof message);
    if (!world) return fprintf(stderr, "%s\n", message), 2;
    keep_scene();
    for (int i = 0; i < count; i++) make(seed, number + i);
    while (seen + count_of[middle] <= count / 2) seen += count_of[middle++];
    for (int i = 0; i <= MOST; i++)
        if (count_of[i] > 0) most = i;
    printf("converged %d, iteration_limit %d, bad_input %d, no answer %d, other %d\n", answered[0], answered[1], answered[2],
           answered[3], answered[4]);
    printf("median %d step %d\nmost %d step %d\n", middle, number_of[middle], most, number_of[most]);
    for (int k = 0; k < STATES; k++) free(memory[k]);
    tact_world_close(world);
    return bad > 0;
}
