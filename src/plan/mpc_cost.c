// SPDX-License-Identifier: MIT
// The cost of a state: pose error of the goal's body and distances of the tips, with gradient and Gauss-Newton Hessian.
#include "plan/mpc.h"

tact_pose_error tact_pose_goal_error(const tact_pose_goal *goal, const tact_pose *pose) {
    tact_pose_error error = {tact_vec3_sub(pose->p, goal->position), tact_rotation_error(&pose->R, goal->orientation)};
    return error;
}

void tact_mpc_find_tips(tact_mpc *mpc, int body) {
    mpc->body = body;
    mpc->ntip = tact_residual_find_tips(mpc->model, body, mpc->tip);
}

tact_real tact_mpc_state_cost(tact_mpc *mpc, const tact_mpc_options *options, const tact_pose_goal *goal, tact_real share,
                              const tact_real *q, tact_real *slope, tact_real *bend) {
    const tact_model *model = mpc->model;
    int nv = model->nv;
    tact_residual_work work = {mpc->pose, mpc->column, mpc->dof};
    tact_residual_state at = {.q = q};
    tact_residual_sums sums = {.q = slope, .qq = bend};
    for (int i = 0; i < nv; i++) slope[i] = 0;
    for (int i = 0; i < nv * nv; i++) bend[i] = 0;
    tact_kinematics_update(&mpc->pose, model, q);

    // position: p - p*
    tact_residual r = {.kind = TACT_RESIDUAL_POINT,
                       .weight = share * goal->position_weight,
                       .body = goal->body,
                       .other = TACT_WORLD,
                       .target = goal->position};
    tact_real cost = tact_residual_add(model, &r, &at, &work, &sums);

    // orientation: log(R R*'), its rate by world-aligned turns
    if (goal->angle_weight > 0) {
        r.kind = TACT_RESIDUAL_TURN;
        r.weight = share * goal->angle_weight;
        r.orientation = goal->orientation;
        cost += tact_residual_add(model, &r, &at, &work, &sums);
    }

    // tips: x - p
    r = (tact_residual){.kind = TACT_RESIDUAL_POINT, .weight = options->reach, .other = goal->body};
    for (int i = 0; i < mpc->ntip && options->reach > 0; i++) {
        const tact_shape *shape = &model->shape[mpc->tip[i]];
        r.body = shape->body;
        r.point = shape->place.p;
        cost += tact_residual_add(model, &r, &at, &work, &sums);
    }
    return cost;
}
