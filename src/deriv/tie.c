// SPDX-License-Identifier: MIT
// Derivatives of loop and spring forces. With e = x_b - x_a, V_i the velocity that motion i gives a point, and columns J_i, of
// b minus those of a,
//
//     g_i = k J_i'(e + J d) ,   dg_i/dq_k = k dJ_i/dq_k'(e + J d) + k J_i'(J_k + sum_j dJ_j/dq_k d_j)
//
// where dJ_j/dq_k is that of V_j at a point that moves with k.
#include "deriv/tie.h"

static int tie_place(const int *place, int dof) {
    return place ? place[dof] : dof;
}

// State at which a loop is differentiated.
typedef struct {
    const tact_model *model;
    const tact_kinematics *kinematics;
    const int *place;
    const tact_real *d;
    tact_vec3 force;   // k (e + J d)
    tact_vec3 *bent;   // (nv) by place: J_k + dJ/dq_k d
    tact_real *slope;  // (nv, nv)
} tie_at;

// One end of a loop: adds dJ_i/dq_k'force to the slope and dJ/dq_k d to bent[k].
static void tie_add_end_slope(const tie_at *at, const tact_loop *loop, int end) {
    const tact_model *model = at->model;
    int body = loop->body[end];
    tact_real sign = end == 0 ? -1 : 1;
    if (body == TACT_WORLD) return;
    tact_vec3 x = tact_pose_apply(at->kinematics->pose[body], loop->at[end]);
    for (int kk = model->path_start[body]; kk < model->path_start[body + 1]; kk++) {
        int k = model->path[kk], column = tie_place(at->place, model->motion[k].dof);
        for (int jj = model->path_start[body]; jj < model->path_start[body + 1]; jj++) {
            int j = model->path[jj], dof = model->motion[j].dof;
            // change of V_j along k at the point x of a body that both move
            const tact_kinematics *kinematics = at->kinematics;
            tact_vec3 moved = tact_vec3_cross(kinematics->angular[j], tact_motion_velocity(kinematics, k, x));
            tact_vec3 bend = tact_vec3_add(tact_chain_velocity_slope(model, kinematics, j, k, x), moved);
            at->slope[tie_place(at->place, dof) * model->nv + column] += sign * tact_vec3_dot(bend, at->force);
            at->bent[column] = tact_vec3_add_scaled(at->bent[column], sign * at->d[dof], bend);
        }
    }
}

void tact_tie_slope(const tact_model *model, const tact_work *work, const tact_real *d, const int *place, bool frozen,
                    tact_vec3 *scratch, tact_real *slope) {
    const tact_kinematics *kinematics = &work->kinematics;
    tact_vec3 *rate = scratch, *bent = scratch + model->nv;
    tact_tie_setting setting = {.model = model, .kinematics = kinematics, .place = place, .rate = rate, .held = work->held};
    for (int t = 0; t < tact_ties(model); t++) {
        tact_tie tie = tact_tie_find(&setting, t);
        // e + J d, and the geometric stiffness of its force
        tact_vec3 error = tie.error;
        for (int i = tie.first; i <= tie.last; i++) bent[i] = rate[i];
        for (int v = 0; v < model->nv; v++) {
            int i = tie_place(place, v);
            if (tie.first <= i && i <= tie.last) error = tact_vec3_add_scaled(error, d[v], rate[i]);
        }
        tie_at at = {model, kinematics, place, d, tact_vec3_scale(tie.stiffness, error), bent, slope};
        for (int end = 0; end < 2 && t < model->nloop && !frozen; end++) tie_add_end_slope(&at, &model->loop[t], end);
        for (int i = tie.first; i <= tie.last; i++)
            for (int k = tie.first; k <= tie.last; k++)
                slope[i * model->nv + k] += tie.stiffness * tact_vec3_dot(rate[i], bent[k]);
    }
}

void tact_tie_push(const tact_model *model, int spring, const int *place, tact_real scale, tact_real *x) {
    const tact_spring *of = &model->spring[spring];
    for (int k = 0; k < of->count; k++) x[tie_place(place, of->dof[k])] += scale * of->factor[k];
}

tact_real tact_tie_sum(const tact_model *model, int spring, const int *place, const tact_real *y) {
    const tact_spring *of = &model->spring[spring];
    tact_real sum = 0;
    for (int k = 0; k < of->count; k++) sum += of->factor[k] * y[tie_place(place, of->dof[k])];
    return sum;
}

void tact_tie_pull(const tact_model *model, const tact_real *q, const tact_real *u, tact_real *pull) {
    for (int s = 0; s < model->nspring; s++) {
        const tact_spring *of = &model->spring[s];
        tact_real sum = 0;
        if (of->u < 0) continue;
        for (int k = 0; k < of->count; k++) sum += of->factor[k] * q[model->dof[of->dof[k]].q];
        pull[model->place[of->dof[0]]] = sum - of->rest - u[of->u];
    }
}
