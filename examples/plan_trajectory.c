// SPDX-License-Identifier: MIT
// A plan through contact: a cart shall stand at its wall after N steps, with the least h/2 sum u^2. It may brake by the wall, and
// a complete search over the complementarity conditions proves that nothing is cheaper. Closed form: J* = q0^2 m^2 / (2 h^3 S),
// S = (N-1) N (2N-1) / 6.
#include <stdio.h>
#include <stdlib.h>
#include <tact/tact.h>

enum { STEPS = 10 };

int main(void) {
    char message[1280];
    tact_scene *scene = tact_scene_load("data/scenes/cart_stop.json", message, sizeof message);
    if (!scene) return fprintf(stderr, "%s\n", message), 2;
    const tact_model *model = &scene->model;

    // what is wanted: the cart at 0, at rest
    static const bool reach[1] = {true};
    static const tact_real target[1] = {0};
    tact_trajectory_task task = {.model = model, .dt = TACT_REAL(0.1), .steps = STEPS, .reach = reach, .target = target};

    // the problem, as matrices: measured, then placed
    tact_trajectory trajectory;
    tact_fault fault;
    tact_arena arena = {0};
    tact_trajectory_build(&task, &trajectory, &fault, &arena);
    arena = (tact_arena){.memory = malloc(arena.used), .size = arena.used};
    if (!arena.memory) return 5;
    if (tact_trajectory_build(&task, &trajectory, &fault, &arena) < 0) return fprintf(stderr, "%s\n", fault.field), 1;

    size_t size = tact_qcqp_size(&trajectory.problem);
    void *memory = malloc(size);
    tact_qcqp_solution solution = {.x = malloc((size_t)trajectory.problem.n * sizeof(tact_real)),
                                   .multiplier = malloc((size_t)trajectory.problem.ncon * sizeof(tact_real))};
    if (!memory || !solution.x || !solution.multiplier) return 5;
    tact_qcqp_options options = tact_qcqp_options_default();
    tact_status status = tact_qcqp_solve(&trajectory.problem, &options, memory, size, &solution);

    double q0 = (double)model->q0[0], m = (double)model->body[0].mass, h = 0.1;
    double S = (STEPS - 1) * STEPS * (2 * STEPS - 1) / 6.0, best = q0 * q0 * m * m / (2 * h * h * h * S);
    printf("%s, %s: cost %.6f, closed form %.6f, ratio %.6f\n", tact_status_name(status), solution.global ? "global" : "local",
           (double)solution.objective, best, (double)solution.objective / best);
    for (int k = 0; k < STEPS; k++)
        printf("%2d  q %8.5f  u %8.4f  wall %8.4f N\n", k + 1, (double)solution.x[tact_trajectory_q(&trajectory, k, 0)],
               (double)solution.x[tact_trajectory_u(&trajectory, k, 0)],
               (double)solution.x[tact_trajectory_f(&trajectory, k, 0)]);
    free(solution.x), free(solution.multiplier), free(memory), free(arena.memory);
    tact_scene_free(scene);
    return status != TACT_CONVERGED;
}
