// SPDX-License-Identifier: MIT
// Gradients by coordinates and in the tangent space. The joint frame of a free joint is turned by F in the world, and a turn w of
// its body by v = F'w changes the quaternion by dQ = 1/2 (0, v) Q: with the columns t_i = 1/2 (0, e_i) Q, T'T = 1/4.
#include "worlds/worlds.h"

// t_i'x for the three axes
static tact_vec3 pull_turn(const tact_real *Q, const tact_real *x) {
    tact_real w = Q[0], a = Q[1], b = Q[2], c = Q[3];
    return tact_vec3_scale(TACT_REAL(0.5),
                           tact_vec3_make(-a * x[0] + w * x[1] - c * x[2] + b * x[3], -b * x[0] + c * x[1] + w * x[2] - a * x[3],
                                          -c * x[0] - b * x[1] + a * x[2] + w * x[3]));
}

// Adds 4 T v.
static void push_turn(const tact_real *Q, tact_vec3 v, tact_real *x) {
    tact_real w = Q[0], a = Q[1], b = Q[2], c = Q[3];
    x[0] += 2 * (-a * v.x - b * v.y - c * v.z);
    x[1] += 2 * (w * v.x + c * v.y - b * v.z);
    x[2] += 2 * (-c * v.x + w * v.y + a * v.z);
    x[3] += 2 * (b * v.x - a * v.y + w * v.z);
}

void tact_tangent_pull(const tact_model *model, const tact_kinematics *kinematics, const tact_real *q, const tact_real *q_bar,
                       tact_real *x_bar) {
    TACT_ASSERT(model && kinematics);
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->q >= 0) {
            x_bar[v] += q_bar[dof->q];
            continue;
        }
        int at = model->body[dof->body].q;
        tact_mat3 F = kinematics->frame[dof->body];
        // Rotation vector and translation in the joint's frame.
        tact_vec3 turn = tact_mat3_apply(F, pull_turn(q + at + 3, q_bar + at + 3));
        tact_vec3 move = tact_mat3_apply(F, tact_vec3_make(q_bar[at], q_bar[at + 1], q_bar[at + 2]));
        const tact_real both[6] = {turn.x, turn.y, turn.z, move.x, move.y, move.z};
        for (int k = 0; k < 6; k++) x_bar[v + k] += both[k];
        v += 5;
    }
}

void tact_tangent_push(const tact_model *model, const tact_kinematics *kinematics, const tact_real *q, const tact_real *x_bar,
                       tact_real *q_bar) {
    TACT_ASSERT(model && kinematics);
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->q >= 0) {
            q_bar[dof->q] += x_bar[v];
            continue;
        }
        // A free body: 7 coordinates for 6 dofs, turns through the quaternion, displacements in the joint's frame.
        int at = model->body[dof->body].q;
        const tact_real *x = x_bar + v;
        tact_mat3 F = kinematics->frame[dof->body];
        push_turn(q + at + 3, tact_mat3_apply_transposed(F, tact_vec3_make(x[0], x[1], x[2])), q_bar + at + 3);
        tact_vec3 move = tact_mat3_apply_transposed(F, tact_vec3_make(x[3], x[4], x[5]));
        q_bar[at] += move.x;
        q_bar[at + 1] += move.y;
        q_bar[at + 2] += move.z;
        v += 5;
    }
}

tact_status tact_worlds_tangent_pull(tact_worlds *worlds, const tact_real *q, const tact_real *q_bar, tact_real *x_bar) {
    TACT_ASSERT(worlds);
    const tact_model *model = &worlds->scene->model;
    for (int i = 0; i < model->nv; i++) x_bar[i] = 0;
    tact_kinematics_update(&worlds->kinematics, model, q);
    tact_tangent_pull(model, &worlds->kinematics, q, q_bar, x_bar);
    return TACT_CONVERGED;
}

tact_status tact_worlds_tangent_push(tact_worlds *worlds, const tact_real *q, const tact_real *x_bar, tact_real *q_bar) {
    TACT_ASSERT(worlds);
    const tact_model *model = &worlds->scene->model;
    for (int i = 0; i < model->nq; i++) q_bar[i] = 0;
    tact_kinematics_update(&worlds->kinematics, model, q);
    tact_tangent_push(model, &worlds->kinematics, q, x_bar, q_bar);
    return TACT_CONVERGED;
}
