// SPDX-License-Identifier: MIT
#include "tact/passage.h"

#include "tact/memory.h"

#define NEAR TACT_REAL(1e-18)  // squared distance from the goal [m^2]

static void *take_memory(tact_passage *passage, int block, size_t size) {
    if (size < SIZE_MAX) passage->memory[block] = tact_memory_get(size);
    return passage->memory[block];
}

tact_status tact_passage_open(tact_passage *passage, const tact_scene *scene, int steps, tact_kinematics *kinematics,
                              tact_fault *fault) {
    TACT_ASSERT(passage && scene && kinematics && fault);
    size_t nv = (size_t)scene->model.nv;
    tact_arena arena = {0};
    *passage = (tact_passage){0};
    *fault = (tact_fault){.field = "goal"};
    if (scene->goal.body < 0) return TACT_BAD_INPUT;
    unsigned char *memory = take_memory(passage, 0, nv * (sizeof(tact_real) + sizeof(bool)));
    if (!memory) return TACT_NO_MEMORY;
    passage->target = (tact_real *)(void *)memory;
    passage->reach = (bool *)(memory + nv * sizeof(tact_real));
    passage->task = (tact_trajectory_task){.model = &scene->model,
                                           .dt = scene->options.dt,
                                           .gravity = scene->options.gravity,
                                           .steps = steps,
                                           .reach = passage->reach,
                                           .target = passage->target};
    fault->field = "position";
    // Which dofs are to be where, so that the goal's body is at its position. Inverse kinematics by projection: motion by motion
    // along the path to the body, each goes as far as it leads nearer, (along . left) / |along|^2.
    const tact_goal *goal = &scene->goal;
    const tact_model *model = passage->task.model;
    tact_kinematics_update(kinematics, model, model->q0);
    tact_vec3 left = tact_vec3_sub(goal->position, kinematics->pose[goal->body].p);
    for (int i = 0; i < model->nv; i++) passage->reach[i] = false;
    // the motions from the root to the body
    for (int k = model->path_start[goal->body]; k < model->path_start[goal->body + 1]; k++) {
        int motion = model->path[k], dof = model->motion[motion].dof;
        tact_vec3 along = kinematics->linear[motion];
        tact_real square = tact_vec3_dot(along, along);
        passage->reach[dof] = true;
        passage->target[dof] = model->dof[dof].q >= 0 ? model->q0[model->dof[dof].q] : 0;
        if (!(square > 0)) continue;
        tact_real way = tact_vec3_dot(along, left) / square;
        passage->target[dof] += way;
        left = tact_vec3_add_scaled(left, -way, along);
    }
    if (!(tact_vec3_dot(left, left) <= NEAR)) return TACT_BAD_INPUT;
    // built twice: without memory to count what it needs, then within that much
    tact_status status = tact_trajectory_build(&passage->task, &passage->trajectory, fault, &arena);
    if (status < 0) return status;
    arena = (tact_arena){.memory = take_memory(passage, 1, arena.used), .size = arena.used};
    if (!arena.memory) return TACT_NO_MEMORY;
    return tact_trajectory_build(&passage->task, &passage->trajectory, fault, &arena);
}

tact_status tact_passage_solve(tact_passage *passage, const tact_qcqp_options *options) {
    const tact_qcqp *problem = &passage->trajectory.problem;
    size_t scratch = tact_qcqp_size(problem), n = (size_t)problem->n, ncon = (size_t)problem->ncon;
    TACT_ASSERT(options && !passage->memory[2]);
    unsigned char *memory = take_memory(passage, 2, scratch + TACT_ALIGN + (n + ncon) * sizeof(tact_real));
    if (!memory) return TACT_NO_MEMORY;
    passage->solution.x = (tact_real *)(void *)memory;
    passage->solution.multiplier = passage->solution.x + n;
    return tact_qcqp_solve(problem, options, memory + (n + ncon) * sizeof(tact_real), scratch + TACT_ALIGN, &passage->solution);
}

void tact_passage_step(const tact_passage *passage, int k, tact_state *state, tact_work *work, tact_real *u) {
    const tact_trajectory *t = &passage->trajectory;
    const tact_model *model = passage->task.model;
    const tact_real *x = passage->solution.x;
    TACT_ASSERT(k >= 0 && k < t->steps);
    // contacts of the state before the step, with the forces of the solution
    tact_kinematics_update(&work->kinematics, model, state->q);
    tact_contacts_detect(&work->contacts, model, &work->kinematics, TACT_MAX, NULL);
    work->status = TACT_CONVERGED;
    for (int i = 0; i < work->contacts.count; i++) {
        tact_contact *contact = &work->contacts.contact[i];
        contact->lambda[0] = x[tact_trajectory_f(t, k, contact->pair)];
        contact->force = tact_mat3_apply_transposed(contact->frame, tact_vec3_make(contact->lambda[0], 0, 0));
    }
    // the state behind it
    for (int i = 0; i < t->nv; i++) {
        state->q[model->dof[i].q] = x[tact_trajectory_q(t, k, i)];
        state->v[i] = x[tact_trajectory_v(t, k, i)];
    }
    state->time += passage->task.dt;
    for (int j = 0; j < t->nu; j++) u[j] = x[tact_trajectory_u(t, k, j)];
}

void tact_passage_close(tact_passage *passage) {
    for (int i = 0; i < 3; i++) tact_memory_release(passage->memory[i]);
    *passage = (tact_passage){0};
}
