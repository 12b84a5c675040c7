// SPDX-License-Identifier: MIT
// Derivatives under the virtual law: the matrices of a step, and a rollout with and without the pass back over it.
#include "app/bench_parts.h"

enum { STEPS = 64 };

// bytes that a rollout may take
#define ROOM ((size_t)1 << 28)

typedef struct {
    tact_world *world;
    tact_bench_states states;
    int steps;
    tact_rollout_work rollout;
    tact_real *matrices, *scratch, *u;
    void *memory;
} virtual_job;

static void place_virtual(void *context, tact_arena *arena) {
    virtual_job *job = context;
    const tact_model *model = &job->world->scene->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, rollout = tact_rollout_size(model, job->steps, job->steps);
    job->matrices = tact_arena_take(arena, 6 * nv * nv + 2 * nv * nu, sizeof(tact_real));
    job->scratch = tact_arena_take(arena, 4 * nv + nu + 3 * (size_t)model->npair, sizeof(tact_real));
    job->u = tact_arena_take(arena, (size_t)job->steps * nu, sizeof(tact_real));
    void *memory = tact_arena_take(arena, rollout, 1);
    if (memory) tact_rollout_init(&job->rollout, model, job->steps, memory, rollout);
}

// what a scene's command and forces are at a state
static void drive(void *context, int step, const tact_state *state, tact_input *input) {
    virtual_job *job = context;
    const tact_scene *scene = job->world->scene;
    tact_real *u = job->u + (size_t)step * (size_t)scene->model.nu;
    tact_scene_command(scene, state, u);
    input->u = u;
    if (tact_scene_wrench(scene, state, job->world->wrench)) input->wrench = job->world->wrench;
}

// the sum of all coordinates in the end
static tact_real final_sum(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                           tact_real *lambda_bar) {  // NOLINT(readability-non-const-parameter): the type of a loss
    const virtual_job *job = context;
    tact_real sum = 0;
    (void)contacts;
    (void)lambda_bar;
    if (k < job->steps) return 0;
    for (int i = 0; i < job->world->scene->model.nq; i++) sum += state->q[i];
    for (int i = 0; q_bar && i < job->world->scene->model.nv; i++) q_bar[i] += 1;
    return sum;
}

static bool measure_rollout(virtual_job *job, bool back) {
    const tact_scene *scene = job->world->scene;
    tact_rollout rollout = {.steps = job->steps, .u = job->u, .context = job, .drive = drive, .loss = final_sum};
    tact_rollout_slope slope = {.q = job->scratch, .v = job->scratch + scene->model.nv};
    for (int i = -2; i < job->states.samples; i++) {
        double begin = tact_clock();
        tact_rollout_result result = tact_rollout_gradient(&scene->model, &scene->options, &rollout, &job->states.from[0],
                                                           &job->rollout, back ? &slope : NULL);
        if (result.status < 0) return false;
        if (i >= 0) job->states.sample[i] = (tact_clock() - begin) / job->steps;
    }
    return true;
}

bool tact_bench_virtual(tact_world *world, tact_bench_states states, tact_table *table, tact_text *after) {
    virtual_job job = {.world = world, .states = states};
    // As many steps as fit the memory of a rollout
    const tact_model *model = &job.world->scene->model;
    job.steps = STEPS;
    while (job.steps > 1 && tact_rollout_size(model, job.steps, job.steps) > ROOM) job.steps /= 2;
    job.memory = tact_memory_place(place_virtual, &job);
    if (job.memory == NULL) return false;
    // Time of all Jacobians of a step
    const tact_scene *scene = job.world->scene;
    size_t square = (size_t)scene->model.nv * (size_t)scene->model.nv, wide = (size_t)scene->model.nv * (size_t)scene->model.nu;
    tact_real *m = job.matrices;
    tact_virtual_jacobians all = {.q_q = m,
                                  .q_v = m + square,
                                  .v_q = m + 2 * square,
                                  .v_v = m + 3 * square,
                                  .q_f = m + 4 * square,
                                  .v_f = m + 5 * square,
                                  .q_u = m + 6 * square,
                                  .v_u = m + 6 * square + wide};
    for (int i = -2; i < job.states.samples; i++) {
        double spent = 0;
        for (int s = 0; s < job.states.count; s++) {
            const tact_state *from = &job.states.from[s];
            tact_input input = {.u = job.world->u, .wrench = scene->nforce > 0 ? job.world->wrench : NULL};
            // derivatives are of the step in the work
            tact_bench_step(job.world, from, true);
            double begin = tact_clock();
            tact_virtual_matrices(&scene->model, &scene->options, &input, from, &job.world->work, &all, job.scratch);
            spent += tact_clock() - begin;
        }
        if (i >= 0) job.states.sample[i] = spent / job.states.count;
    }
    tact_bench_row(table, "derivatives, all matrices", states);
    tact_table_end_row(table);
    // the least of the samples: what else the machine does would be in the others
    double least[2] = {0, 0};
    for (int back = 0; back < 2; back++) {
        if (!measure_rollout(&job, back)) continue;
        tact_bench_row(table, back ? "rollout and adjoint, a step" : "rollout, a step", states);
        tact_table_end_row(table);
        least[back] = states.sample[0];
    }
    if (least[0] > 0 && least[1] > 0) {
        tact_text_print(after, "over %d steps forward and adjoint take %-s times forward\n", job.steps,
                        tact_number_print((double)(long long)(100 * least[1] / least[0] + 0.5) / 100).text);
    }
    tact_memory_release(job.memory);
    return true;
}
