// SPDX-License-Identifier: MIT
// The quadratic of the barrier step in lanes: law/barrier.c and tree/dynamics.c operation by operation.
#include "batch/lane_front.h"

void TACT_LANE_NAME(tact_lane_load_, TACT_LANES)(tact_lane_front *front) {
    const tact_model *model = front->model;
    // P and p of the drives
    tact_wide dt = tact_wide_all(1);
    for (int k = 0; k < TACT_LANES; k++) tact_wide_put(&dt, k, front->scene[k]->options.dt);
    for (int i = 0; i < front->P_start[model->nv]; i++) front->P[i] = tact_wide_all(0);
    for (int i = 0; i < model->nv; i++) {
        const tact_dof *dof = &model->dof[model->order[i]];
        tact_wide away = tact_wide_all(0);
        front->p[i] = away;
        if (dof->u < 0) continue;
        for (int k = 0; k < TACT_LANES; k++) {
            const tact_lane_scene *scene = front->scene[k];
            tact_wide_put(&away, k, scene->state->q[dof->q] - scene->input->u[dof->u]);
        }
        tact_wide stiffness = each_real(&front->scenes, dof[model->order[i]].stiffness);
        *lane_front_diagonal(front, i) = stiffness + each_real(&front->scenes, dof[model->order[i]].damping) / dt;
        front->p[i] = stiffness * away;
    }
    // eps M_o / h^2 and the weight, for the motions of loose bodies
    tact_wide factor = tact_wide_all(0);
    each_vec3 gravity = each_vec3_all(0, 0, 0);
    for (int k = 0; k < TACT_LANES; k++) {
        const tact_options *options = &front->scene[k]->options;
        tact_wide_put(&factor, k, options->epsilon / (options->dt * options->dt));
        each_vec3_put(&gravity, k, options->gravity);
    }
    composite_update(&front->scenes, &front->kinematics, front->composite, true);
    for (int m = 0; m < model->nmotion; m++) {
        const tact_motion *motion = &model->motion[m];
        if (model->dof[motion->dof].u >= 0) continue;
        int i = model->place[motion->dof];
        front->p[i] -= composite_weight(model, &front->kinematics, front->composite, m, gravity);
        for (int k = model->path_start[motion->body]; k < model->path_start[motion->body + 1]; k++) {
            int carrier = model->path[k], dof = model->motion[carrier].dof, j = model->place[dof];
            if (carrier > m || model->dof[dof].u >= 0) continue;
            tact_wide M = composite_coupling(&front->scenes, &front->kinematics, front->composite, m, carrier);
            int row = i > j ? i : j, column = i > j ? j : i;
            front->P[front->P_start[row] + column - model->mass_first[row]] += factor * (i == j && carrier < m ? 2 * M : M);
        }
    }
    // Out of the lanes into each scene's work, where the solver looks for them.
    for (int k = 0; k < front->count; k++) {
        tact_work *work = front->scene[k]->work;
        for (int i = 0; i < front->P_start[model->nv]; i++) work->P[i] = tact_wide_get(&front->P[i], k);
        for (int i = 0; i < model->nv; i++) work->p[i] = tact_wide_get(&front->p[i], k);
    }
}
