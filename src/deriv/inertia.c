// SPDX-License-Identifier: MIT
// Derivatives of inertia and weight by q. For each body with centre of mass c, velocity v and angular velocity w for the
// displacement d of the unactuated dofs, e = epsilon/h^2 and the force and moment
//
//     f = e m v - m g - f_ext ,  t = e I w - t_ext      (P d + p)_i = V_i(c)'f + a_i't
//
// with d(V_i(c)) along k from the chain, df = e m dv, dt = e (a_k x I w + I (dw - a_k x w)).
#include "deriv/tie.h"

typedef struct {
    const tact_model *model;
    const tact_kinematics *kinematics;
    const tact_real *d;  // by dof
    int first, last;     // the body's path
    tact_vec3 centre;
    tact_mat3 inertia;                    // world axes
    tact_real weight;                     // e m
    tact_real factor;                     // e
    tact_vec3 turn;                       // w
    tact_vec3 inner_force, inner_moment;  // e m v - m g, e I w: on unactuated dofs
    tact_vec3 force, moment;              // the external part, on all; with the weight where links have it
} inertia_body;

static bool undriven(const tact_model *model, int motion) {
    return model->dof[model->motion[motion].dof].u < 0;
}

// Change of V_j(c) along k, with the centre of mass moving.
static tact_vec3 centre_velocity_slope(const inertia_body *b, int j, int k) {
    tact_vec3 moved = tact_vec3_cross(b->kinematics->angular[j], tact_motion_velocity(b->kinematics, k, b->centre));
    return tact_vec3_add(tact_chain_velocity_slope(b->model, b->kinematics, j, k, b->centre), moved);
}

// Adds one body's d(P d + p)/dq at fixed d, including external forces on all dofs, to motion (nv, nv).
static void add_body(const inertia_body *b, tact_real *motion) {
    const tact_model *model = b->model;
    const tact_kinematics *kin = b->kinematics;
    // each coordinate k of the path: change of v and w at fixed d
    for (int kk = b->first; kk < b->last; kk++) {
        int k = model->path[kk], column = model->place[model->motion[k].dof];
        tact_vec3 dv = {0, 0, 0}, dw = {0, 0, 0}, axis = kin->angular[k];
        for (int jj = b->first; jj < b->last; jj++) {
            int j = model->path[jj];
            if (!undriven(model, j)) continue;
            tact_real d = b->d[model->motion[j].dof];
            dv = tact_vec3_add_scaled(dv, d, centre_velocity_slope(b, j, k));
            dw = tact_vec3_add_scaled(dw, d, tact_chain_axis_slope(model, kin, j, k));
        }
        // dt = e (a_k x I w + I (dw - a_k x w))
        tact_vec3 spun = tact_mat3_apply(b->inertia, tact_vec3_sub(dw, tact_vec3_cross(axis, b->turn)));
        tact_vec3 dt = tact_vec3_add(tact_vec3_cross(axis, b->inner_moment), tact_vec3_scale(b->factor, spun));
        // row i: dV_i'f + da_i't, and for undriven dofs V_i'df + a_i'dt
        for (int ii = b->first; ii < b->last; ii++) {
            int i = model->path[ii];
            tact_vec3 bend = centre_velocity_slope(b, i, k), turn = tact_chain_axis_slope(model, kin, i, k);
            tact_real change = tact_vec3_dot(bend, b->force) + tact_vec3_dot(turn, b->moment);
            if (undriven(model, i)) {
                change += tact_vec3_dot(bend, b->inner_force) + tact_vec3_dot(turn, b->inner_moment);
                change +=
                    b->weight * tact_vec3_dot(tact_motion_velocity(kin, i, b->centre), dv) + tact_vec3_dot(kin->angular[i], dt);
            }
            motion[model->place[model->motion[i].dof] * model->nv + column] += change;
        }
    }
}

void tact_inertia_slope(const tact_model *model, const tact_options *options, const tact_input *input, const tact_work *work,
                        tact_deriv_work *deriv) {
    TACT_ASSERT(model && options && input && deriv);
    for (int i = 0; i < model->nv * model->nv; i++) deriv->motion[i] = 0;
    // drives: K on the diagonal
    for (int i = 0; i < model->nv; i++) deriv->motion[i * model->nv + i] = model->dof[model->order[i]].stiffness;
    if (tact_ties(model) > 0)
        tact_tie_slope(model, work, work->displacement, model->place, deriv->frozen_geometry, deriv->sway, deriv->motion);
    if (deriv->frozen_geometry) return;
    for (int body = 0; body < model->nbody; body++) {
        // only bodies whose force depends on q
        if (!model->loose[body] && !options->gravity_on_driven && !input->wrench) continue;
        // what the body's force depends on: inertia R I R', centre of mass, displacement, weight and wrench
        const tact_body *given = &model->body[body];
        const tact_pose *pose = &work->kinematics.pose[body];
        inertia_body b = {.model = model, .kinematics = &work->kinematics, .d = work->displacement};
        tact_vec3 v = {0, 0, 0};
        b.first = model->path_start[body];
        b.last = model->path_start[body + 1];
        b.centre = tact_pose_apply(*pose, given->com);
        tact_mat3 R = pose->R;
        // R I R' from the six numbers
        const tact_real *I = given->inertia;
        tact_mat3 own = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}}, half = tact_mat3_multiply(R, own), out;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                out.m[i][j] = half.m[i][0] * R.m[j][0] + half.m[i][1] * R.m[j][1] + half.m[i][2] * R.m[j][2];
        b.inertia = out;
        b.factor = options->epsilon / (options->dt * options->dt);
        b.weight = b.factor * given->mass;
        // v and w of the displacement by undriven dofs
        for (int jj = b.first; jj < b.last; jj++) {
            int j = model->path[jj];
            if (!undriven(model, j)) continue;
            tact_real d = b.d[model->motion[j].dof];
            v = tact_vec3_add_scaled(v, d, tact_motion_velocity(b.kinematics, j, b.centre));
            b.turn = tact_vec3_add_scaled(b.turn, d, b.kinematics->angular[j]);
        }
        // the weight acts on all dofs or on undriven ones only, depending on the options
        tact_vec3 weight = tact_vec3_scale(-given->mass, options->gravity);
        b.inner_force = tact_vec3_scale(b.weight, v);
        b.inner_moment = tact_vec3_scale(b.factor, tact_mat3_apply(b.inertia, b.turn));
        if (input->wrench) {
            b.force = tact_vec3_scale(-1, input->wrench[body].force);
            b.moment = tact_vec3_scale(-1, input->wrench[body].torque);
        }
        if (options->gravity_on_driven)
            b.force = tact_vec3_add(b.force, weight);
        else
            b.inner_force = tact_vec3_add(b.inner_force, weight);
        add_body(&b, deriv->motion);
    }
}
