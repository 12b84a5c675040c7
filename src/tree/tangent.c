// SPDX-License-Identifier: MIT
// The tangent space: Jacobians, and displacements of the coordinates.
#include "tree/joint.h"

void tact_body_jacobian(const tact_model *model, const tact_kinematics *kinematics, int body, tact_real *J) {
    TACT_ASSERT(model && kinematics && (J || !model->nv));
    int nv = model->nv;
    TACT_ASSERT(0 <= body && body < model->nbody);
    for (int k = 0; k < 6 * nv; k++) J[k] = 0;
    // rows: angular velocity, then linear velocity of the body's origin, at unit rate of each dof
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int m = model->path[k];
        tact_vec3 turn = kinematics->angular[m], move = tact_motion_velocity(kinematics, m, kinematics->pose[body].p);
        tact_real *column = &J[model->motion[m].dof];
        column[0 * nv] += turn.x;
        column[1 * nv] += turn.y;
        column[2 * nv] += turn.z;
        column[3 * nv] += move.x;
        column[4 * nv] += move.y;
        column[5 * nv] += move.z;
    }
}

// R_world <- exp(d) R_world with R_world = F R(q) is R(q) <- exp(F'd) R(q)
static void tangent_integrate_free(tact_mat3 F, const tact_real *d, tact_real *q) {
    // d is in world axes, q in the joint's frame F: both parts are rotated back
    tact_vec3 turn = tact_mat3_apply_transposed(F, tact_vec3_make(d[0], d[1], d[2]));
    tact_vec3 move = tact_mat3_apply_transposed(F, tact_vec3_make(d[3], d[4], d[5]));
    tact_quat r = tact_quat_normalize(tact_quat_multiply(tact_rotation_exp(turn), tact_joint_quat(q + 3)));
    q[0] += move.x;
    q[1] += move.y;
    q[2] += move.z;
    q[3] = r.w;
    q[4] = r.x;
    q[5] = r.y;
    q[6] = r.z;
}

void tact_model_integrate(const tact_model *model, const tact_kinematics *kinematics, const tact_real *d, tact_real *q) {
    const tact_dof *dof = model->dof;
    // q (+) d: addition, except for the rotation of a free joint, whose six dofs come together
    for (int v = 0; v < model->nv; v++, dof++) {
        if (dof->q >= 0) {
            q[dof->q] += d[v];
            continue;
        }
        tangent_integrate_free(kinematics->frame[dof->body], d + v, q + model->body[dof->body].q);
        v += 5;
        dof += 5;
    }
}

static void tangent_difference_free(tact_mat3 F, const tact_real *q0, const tact_real *q1, tact_real *d) {
    // log(r_1 r_0^-1) in world axes
    tact_quat r = tact_quat_multiply(tact_joint_quat(q1 + 3), tact_quat_conjugate(tact_joint_quat(q0 + 3)));
    tact_vec3 turn = tact_mat3_apply(F, tact_rotation_log(r));
    tact_vec3 move = tact_mat3_apply(F, tact_vec3_make(q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]));
    d[0] = turn.x;
    d[1] = turn.y;
    d[2] = turn.z;
    d[3] = move.x;
    d[4] = move.y;
    d[5] = move.z;
}

void tact_model_difference(const tact_model *model, const tact_kinematics *kinematics, const tact_real *q0, const tact_real *q1,
                           tact_real *d) {
    TACT_ASSERT(model && kinematics && ((q0 && q1 && d) || !model->nv));
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->q >= 0) {
            d[v] = q1[dof->q] - q0[dof->q];
            continue;
        }
        // all six of a free joint
        int q = model->body[dof->body].q;
        tangent_difference_free(kinematics->frame[dof->body], q0 + q, q1 + q, d + v);
        v += 5;
    }
}
