// SPDX-License-Identifier: MIT
// Friction and mass from recorded runs: exact where the run is, within the standard errors where it is noisy.
#include "scene_test.h"
#include "tact/fit.h"

// A ball between two pushers that roll and slide it over a table.
#define PUSHED(mu, tip, mass, anchor)                                                                                    \
    "{\"tact\":1,\"options\":{\"kappa\":1000,\"margin\":0.2,\"anchor\":" anchor "},\"bodies\":["                         \
    "{\"name\":\"pusher\",\"parent\":\"world\",\"joint\":{\"name\":\"slide\",\"type\":\"prismatic\",\"axis\":[1,0,0.1]," \
    "\"limits\":[-1,1]}},"                                                                                               \
    "{\"name\":\"ball\",\"parent\":\"world\",\"mass\":" mass                                                             \
    ",\"inertia\":[3e-4,3e-4,3e-4,0,0,0],\"joint\":{\"type\":\"free\"}},"                                                \
    "{\"name\":\"far\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"type\":\"translation\"}}],"                          \
    "\"shapes\":[{\"name\":\"table\",\"body\":\"world\",\"type\":\"plane\"},"                                            \
    "{\"name\":\"tip\",\"body\":\"pusher\",\"type\":\"sphere\",\"radius\":0.01,\"xyz\":[-0.07,0.01,0.045]},"             \
    "{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.04},"                                         \
    "{\"name\":\"far\",\"body\":\"far\",\"type\":\"sphere\",\"radius\":0.04}],"                                          \
    "\"pairs\":[{\"a\":\"table\",\"b\":\"ball\",\"mu\":" mu "},{\"a\":\"tip\",\"b\":\"ball\",\"mu\":" tip "},"           \
    "{\"a\":\"table\",\"b\":\"far\",\"mu\":0.5}],\"drives\":[{\"joint\":\"slide\",\"stiffness\":300}],"                  \
    "\"forces\":[{\"body\":\"ball\",\"times\":[0,0.3],\"force\":[[0,0,0],[0,-1,0]]}],"                                   \
    "\"state\":{\"q\":{\"ball\":[0,0,0.045,1,0,0,0],\"far\":[5,5,5]}},"                                                  \
    "\"command\":{\"mode\":\"trajectory\",\"times\":[0,0.5],\"q\":{\"slide\":[0,0.2]}}}"

enum { STEPS = 40, NQ = 11 };

// what a run of the first scene was
static tact_real run_q[STEPS + 1][NQ], run_u[STEPS + 1];
static tact_state run_state[STEPS + 1];
static void *run_memory[STEPS + 1];

static void record(const char *text) {
    const tact_model *model = open_scene(text);
    size_t work_size = tact_work_size(model), size = tact_state_size(model);
    void *memory = malloc(work_size);
    tact_work work;
    CHECK_INT(tact_work_init(&work, model, memory, work_size), TACT_CONVERGED);
    CHECK_INT(model->nq, NQ);
    for (int k = 0; k <= STEPS; k++) {
        run_memory[k] = malloc(size);
        CHECK_INT(tact_state_init(&run_state[k], model, run_memory[k], size), TACT_CONVERGED);
    }
    for (int k = 0; k < STEPS; k++) {
        tact_wrench wrench[3];
        tact_state *next = &run_state[k + 1];
        tact_state_copy(next, &run_state[k], model);
        tact_scene_command(scene, next, &run_u[k]);
        tact_input input = {.u = &run_u[k], .wrench = tact_scene_wrench(scene, next, wrench) ? wrench : NULL};
        CHECK_INT(tact_step(model, &scene->options, &input, next, &work), TACT_CONVERGED);
        for (int i = 0; i < NQ; i++) run_q[k + 1][i] = next->q[i];
    }
    free(memory);
    close_scene();
}

static void forget(void) {
    for (int k = 0; k <= STEPS; k++) free(run_memory[k]);
}

typedef struct {
    int reports;
    double last;
} listener;

static void listen(void *context, const tact_fit_progress *progress) {
    listener *l = context;
    CHECK_INT(progress->iteration, l->reports);
    CHECK(l->reports == 0 || progress->residual < l->last);
    l->last = progress->residual;
    l->reports++;
}

static const tact_parameter all[] = {
    {.kind = TACT_PARAMETER_MU, .index = 0}, {.kind = TACT_PARAMETER_MU, .index = 1}, {.kind = TACT_PARAMETER_MASS, .index = 1}};

static tact_fit_result fit_run(tact_fit *fit, const tact_parameter *parameter, int count, int limit, double noise,
                               uint64_t *seed) {
    listener l = {0};
    CHECK(tact_fit_make(fit, scene, parameter, count));
    for (int k = 0; k < STEPS; k++) {
        tact_real q[NQ];
        for (int i = 0; i < NQ; i++)
            q[i] = run_q[k + 1][i] + (tact_real)(noise > 0 && i < 4 ? test_random(seed, -noise, noise) : 0);
        CHECK(tact_fit_add(fit, &run_state[k], &run_u[k], q));
    }
    tact_fit_result result = tact_fit_solve(fit, limit, listen, &l);
    CHECK(result.status < 0 || l.reports == result.iterations + 1);
    return result;
}

static void test_exact(const char *truth, const char *const guesses[2]) {
    record(truth);
    for (int guess = 0; guess < 2; guess++) {
        tact_fit fit;
        open_scene(guesses[guess]);
        tact_fit_result result = fit_run(&fit, all, 3, 50, 0, NULL);
        double tolerance = sizeof(tact_real) == 8 ? 1e-9 : 2e-2;
        CHECK(result.status >= 0 && result.status != TACT_ITERATION_LIMIT);
        CHECK(result.iterations < 12);
        CHECK_CLOSE(fit.value[0], 0.5, tolerance);
        CHECK_CLOSE(fit.value[1], 0.4, tolerance);
        CHECK_CLOSE(fit.value[2], 0.52, tolerance);
        // the scene itself stays
        CHECK(scene->model.pair[0].mu != TACT_REAL(0.5));
        tact_fit_free(&fit);
        close_scene();
    }
    forget();
}

// A ball that rolls and slides at first, in time: its velocity is of the state.
#define THROWN(mu, mass)                                                                                                         \
    "{\"tact\":1,\"law\":\"rigid\",\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"ball\",\"parent\":\"world\",\"mass\":" mass   \
    ",\"inertia\":[3e-4,3e-4,3e-4,0,0,0],\"joint\":{\"type\":\"free\"}},"                                                        \
    "{\"name\":\"cart\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"name\":\"slide\",\"type\":\"prismatic\",\"axis\":[1,0,0]}}" \
    ","                                                                                                                          \
    "{\"name\":\"far\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"type\":\"translation\"}}],"                                  \
    "\"shapes\":[{\"name\":\"table\",\"body\":\"world\",\"type\":\"plane\"},"                                                    \
    "{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.04}],"                                                \
    "\"pairs\":[{\"a\":\"table\",\"b\":\"ball\",\"mu\":" mu "}],\"drives\":[{\"joint\":\"slide\",\"stiffness\":300}],"           \
    "\"forces\":[{\"body\":\"ball\",\"times\":[0,0.3],\"force\":[[0,0,0],[0,-1,0]]}],"                                           \
    "\"state\":{\"q\":{\"ball\":[0,0,0.04,1,0,0,0],\"far\":[5,5,5]},\"v\":{\"ball\":[0,0,0,3,0,0]}},"                            \
    "\"command\":{\"mode\":\"fixed\",\"q\":{\"slide\":0.1}}}"

static void test_rigid(void) {
    static const tact_parameter both[] = {{.kind = TACT_PARAMETER_MU, .index = 0}, {.kind = TACT_PARAMETER_MASS, .index = 0}};
    double tolerance = sizeof(tact_real) == 8 ? 1e-8 : 2e-2;
    tact_fit fit;
    record(THROWN("0.5", "0.52"));
    open_scene(THROWN("0.3", "0.7"));
    tact_fit_result result = fit_run(&fit, both, 2, 50, 0, NULL);
    CHECK(result.status >= 0 && result.status != TACT_ITERATION_LIMIT);
    CHECK_CLOSE(fit.value[0], 0.5, tolerance);
    CHECK_CLOSE(fit.value[1], 0.52, tolerance);
    tact_fit_free(&fit);
    close_scene();
    forget();
}

static void test_noise(uint64_t *seed) {
    record(PUSHED("0.5", "0.4", "0.52", "false"));
    int inside = 0, trials = 20;
    for (int trial = 0; trial < trials; trial++) {
        tact_fit fit;
        open_scene(PUSHED("0.4", "0.5", "0.6", "false"));
        double noise = sizeof(tact_real) == 8 ? 1e-6 : 1e-4;
        tact_fit_result result = fit_run(&fit, all, 3, 50, noise, seed);
        CHECK(result.status >= 0 && result.status != TACT_ITERATION_LIMIT);
        // four of ten coordinates have noise of variance a^2/3
        CHECK_CLOSE(result.residual / (noise * sqrt(4.0 / 3)), 1, 0.2);
        inside += fabs(fit.value[2] - 0.52) < 2 * fit.error[2];
        CHECK(fabs(fit.value[2] - 0.52) < 8 * fit.error[2] && fit.error[2] < 0.2);
        tact_fit_free(&fit);
        close_scene();
    }
    CHECK(inside > trials / 2);
    forget();
}

static void test_ends(void) {
    record(PUSHED("0.5", "0.4", "0.52", "false"));
    open_scene(PUSHED("0.25", "0.4", "0.52", "false"));
    tact_fit fit;
    CHECK_INT(fit_run(&fit, all, 3, 2, 0, NULL).status, TACT_ITERATION_LIMIT);
    tact_fit_free(&fit);
    // a pair that never comes near
    const tact_parameter hidden[] = {all[0], {.kind = TACT_PARAMETER_MU, .index = 2}};
    tact_fit_result result = fit_run(&fit, hidden, 2, 50, 0, NULL);
    CHECK_INT(result.status, TACT_SINGULAR);
    CHECK_INT(result.free, 1);
    tact_fit_free(&fit);
    // a step that has no answer
    run_u[7] = (tact_real)NAN;
    result = fit_run(&fit, all, 3, 50, 0, NULL);
    CHECK_INT(result.status, TACT_BAD_INPUT);
    CHECK_INT(result.free, 7);
    tact_fit_free(&fit);
    close_scene();
    forget();
}

int main(void) {
    uint64_t seed = test_seed(9);
    test_exact(PUSHED("0.5", "0.4", "0.52", "false"),
               (const char *const[]){PUSHED("0.25", "0.6", "0.78", "false"), PUSHED("0.75", "0.2", "0.26", "false")});
    test_exact(PUSHED("0.5", "0.4", "0.52", "true"),
               (const char *const[]){PUSHED("0.25", "0.6", "0.78", "true"), PUSHED("0.75", "0.2", "0.26", "true")});
    test_rigid();
    test_noise(&seed);
    test_ends();
    return test_end("fit");
}
