// SPDX-License-Identifier: MIT
// The cost of a state: pose error of the goal's body and distances of the tips, with gradient and Gauss-Newton Hessian.
#include "plan/mpc.h"

#include "math/elementary.h"
#include "math/rotation.h"

tact_pose_error tact_pose_goal_error(const tact_pose_goal *goal, const tact_pose *pose) {
    // log(R R*'), world-aligned
    tact_quat turn = tact_quat_multiply(tact_quat_from_matrix(pose->R), tact_quat_conjugate(goal->orientation));
    tact_pose_error error = {tact_vec3_sub(pose->p, goal->position), tact_rotation_log(turn)};
    return error;
}

tact_mat3 tact_pose_error_rate(tact_vec3 r) {
    tact_real square = tact_vec3_dot(r, r), angle = tact_sqrt(square), f = 0, s = 0, c = 0;
    // f = 1/a^2 - (1 + cos a)/(2 a sin a) = 1/12 + a^2/720 + a^4/30240 + ...
    tact_sincos(angle, &s, &c);
    if (angle < TACT_REAL(0.1))
        f = TACT_REAL(1.0 / 12) + square * (TACT_REAL(1.0 / 720) + square * TACT_REAL(1.0 / 30240));
    else
        // (1 + cos)/sin = sin/(1 - cos), which is right at a = pi, too
        f = 1 / square - s / (2 * angle * (1 - c));
    const tact_real x[3] = {r.x, r.y, r.z}, skew[3][3] = {{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
    tact_mat3 rate;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) rate.m[i][j] = (i == j ? 1 - f * square : 0) - skew[i][j] / 2 + f * x[i] * x[j];
    return rate;
}

// A residual of three components with its columns: adds 1/2 weight |r|^2, its gradient and its Gauss-Newton Hessian.
typedef struct {
    tact_real weight;
    tact_vec3 r;
    int count;           // columns
    const int *dof;      // (count)
    const tact_vec3 *J;  // (count)
} mpc_residual;

static tact_real mpc_add_residual(const mpc_residual *e, int nv, tact_real *slope, tact_real *bend) {
    for (int i = 0; i < e->count; i++) {
        slope[e->dof[i]] += e->weight * tact_vec3_dot(e->J[i], e->r);
        for (int j = 0; j < e->count; j++) bend[e->dof[i] * nv + e->dof[j]] += e->weight * tact_vec3_dot(e->J[i], e->J[j]);
    }
    return e->weight / 2 * tact_vec3_dot(e->r, e->r);
}

// Appends the velocities of a body's point, or its turns, for unit rates of its dofs.
static int mpc_add_columns(tact_mpc *mpc, int body, const tact_vec3 *x, tact_real sign, int count) {
    const tact_model *model = mpc->model;
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++, count++) {
        int motion = model->path[k];
        tact_vec3 rate = x ? tact_motion_velocity(&mpc->pose, motion, *x) : mpc->pose.angular[motion];
        mpc->dof[count] = model->motion[motion].dof;
        mpc->column[count] = tact_vec3_scale(sign, rate);
    }
    return count;
}

// The other shape's number when one of a pair lies on the body and the other on a body that moves; -1.
static int mpc_find_partner(const tact_model *model, const tact_pair *pair, int body) {
    int other = model->shape[pair->a].body == body ? pair->b : model->shape[pair->b].body == body ? pair->a : -1;
    return other >= 0 && model->shape[other].body != TACT_WORLD ? other : -1;
}

static bool mpc_carries(const tact_model *model, int body, int descendant) {
    while (descendant > body) descendant = model->body[descendant].parent;
    return descendant == body;
}

void tact_mpc_find_tips(tact_mpc *mpc, int body) {
    const tact_model *model = mpc->model;
    mpc->body = body;
    mpc->ntip = 0;
    for (int i = 0; i < model->npair; i++) {
        int shape = mpc_find_partner(model, &model->pair[i], body), slot = 0;
        if (shape < 0) continue;
        int link = model->shape[shape].body;
        // a link that carries another which may touch the body is no tip
        bool inner = false;
        for (int j = 0; j < model->npair && !inner; j++) {
            int other = mpc_find_partner(model, &model->pair[j], body);
            inner = other >= 0 && model->shape[other].body != link && mpc_carries(model, link, model->shape[other].body);
        }
        if (inner) continue;
        // of several shapes on one link the one furthest from its joint
        while (slot < mpc->ntip && model->shape[mpc->tip[slot]].body != link) slot++;
        tact_vec3 p = model->shape[shape].place.p;
        if (slot == mpc->ntip) {
            mpc->ntip++;
        } else {
            tact_vec3 best = model->shape[mpc->tip[slot]].place.p;
            if (!(tact_vec3_dot(p, p) > tact_vec3_dot(best, best))) continue;
        }
        mpc->tip[slot] = shape;
    }
}

tact_real tact_mpc_state_cost(tact_mpc *mpc, const tact_mpc_options *options, const tact_pose_goal *goal, tact_real share,
                              const tact_real *q, tact_real *slope, tact_real *bend) {
    const tact_model *model = mpc->model;
    int nv = model->nv;
    for (int i = 0; i < nv; i++) slope[i] = 0;
    for (int i = 0; i < nv * nv; i++) bend[i] = 0;
    tact_kinematics_update(&mpc->pose, model, q);
    tact_vec3 origin = mpc->pose.pose[goal->body].p;
    tact_pose_error error = tact_pose_goal_error(goal, &mpc->pose.pose[goal->body]);

    // position: p - p*
    mpc_residual e = {.weight = share * goal->position_weight, .r = error.position, .dof = mpc->dof, .J = mpc->column};
    e.count = mpc_add_columns(mpc, goal->body, &origin, 1, 0);
    tact_real cost = mpc_add_residual(&e, nv, slope, bend);

    // orientation: log(R R*'), its rate by world-aligned turns
    if (goal->angle_weight > 0) {
        tact_mat3 rate = tact_pose_error_rate(error.rotation);
        e.weight = share * goal->angle_weight;
        e.r = error.rotation;
        e.count = mpc_add_columns(mpc, goal->body, NULL, 1, 0);
        for (int i = 0; i < e.count; i++) mpc->column[i] = tact_mat3_apply(rate, mpc->column[i]);
        cost += mpc_add_residual(&e, nv, slope, bend);
    }

    // tips: x - p
    for (int i = 0; i < mpc->ntip && options->reach > 0; i++) {
        const tact_shape *shape = &model->shape[mpc->tip[i]];
        tact_vec3 x = tact_pose_apply(mpc->pose.pose[shape->body], shape->place.p);
        e.weight = options->reach;
        e.r = tact_vec3_sub(x, origin);
        e.count = mpc_add_columns(mpc, goal->body, &origin, -1, mpc_add_columns(mpc, shape->body, &x, 1, 0));
        cost += mpc_add_residual(&e, nv, slope, bend);
    }
    return cost;
}
