// SPDX-License-Identifier: MIT
// How one contact depends on q. Along a coordinate k the points x_a, x_b move, and the frame F turns with a spin s:
//
//     d(J d)  = F (dy - s x y) ,            y = sum over the path of b of d_j V_j(x_b) - the same of a
//     d(J'l)_j = f'dV_j + (s x f)'V_j ,     f = F'l   (of a: with the sign -)
//     W = kappa l l' - a diag(1, -mu^2, -mu^2) ,  a = kappa (l_n^2 - |l_t|^2/mu^2) / 2
#include "deriv/chain.h"
#include "law/anchor.h"
#include "math/elementary.h"

static tact_vec3 frame_row(const tact_contact *contact, int row) {
    return tact_vec3_make(contact->frame.m[row][0], contact->frame.m[row][1], contact->frame.m[row][2]);
}

static void add_to(tact_vec3 *sum, tact_vec3 x) {
    *sum = tact_vec3_add(*sum, x);
}

// Velocities of a body's point, and turns, for each of the contact's coordinates.
static void sway_body(const tact_model *model, const tact_work *work, const tact_deriv_work *deriv, int body, tact_vec3 x,
                      tact_vec3 *velocity, tact_vec3 *turn, int width) {
    for (int k = 0; k < width; k++) velocity[k] = turn[k] = tact_vec3_make(0, 0, 0);
    if (body == TACT_WORLD) return;
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int motion = model->path[k], slot = deriv->slot[model->place[model->motion[motion].dof]];
        add_to(&velocity[slot], tact_motion_velocity(&work->kinematics, motion, x));
        add_to(&turn[slot], work->kinematics.angular[motion]);
    }
}

// How gap, points and frame move with each coordinate: the sphere's centre against the other shape.
static void move_contact(const tact_model *model, const tact_work *work, const tact_contact *contact, tact_deriv_work *deriv,
                         tact_contact_motion *move) {
    const tact_pair *pair = &model->pair[contact->pair];
    bool b_is_sphere = model->shape[pair->b].type == TACT_SHAPE_SPHERE;
    int sphere = b_is_sphere ? pair->b : pair->a, other = b_is_sphere ? pair->a : pair->b;
    const tact_pose *pose = &work->contacts.shape[other];
    tact_vec3 centre = work->contacts.shape[sphere].p, normal = frame_row(contact, 0);
    tact_vec3 outward = tact_vec3_scale(b_is_sphere ? 1 : -1, normal), away = tact_vec3_sub(centre, pose->p);
    bool round = model->shape[other].type == TACT_SHAPE_SPHERE;
    tact_mat3 hessian = tact_shape_hessian(&model->shape[other], round ? away : tact_mat3_apply_transposed(pose->R, away));
    tact_real radius = model->shape[sphere].size[0], distance = contact->gap + radius;
    tact_vec3 *velocity = deriv->sway, *turn = deriv->sway + model->nv, *centre_rate = deriv->sway + 2 * model->nv;
    sway_body(model, work, deriv, model->shape[sphere].body, centre, centre_rate, turn, contact->width);
    sway_body(model, work, deriv, model->shape[other].body, centre, velocity, turn, contact->width);
    for (int k = 0; k < contact->width; k++) {
        tact_vec3 slip = tact_vec3_sub(centre_rate[k], velocity[k]);
        tact_vec3 bent = round ? tact_mat3_apply(hessian, slip)
                               : tact_mat3_apply(pose->R, tact_mat3_apply(hessian, tact_mat3_apply_transposed(pose->R, slip)));
        tact_vec3 dn = tact_vec3_add(tact_vec3_cross(turn[k], outward), bent);
        tact_real dgap = tact_vec3_dot(outward, slip);
        tact_vec3 on_sphere = tact_vec3_add_scaled(centre_rate[k], -radius, dn);
        tact_vec3 on_other = tact_vec3_add_scaled(tact_vec3_add_scaled(centre_rate[k], -dgap, outward), -distance, dn);
        move[k].a = b_is_sphere ? on_other : on_sphere;
        move[k].b = b_is_sphere ? on_sphere : on_other;
        move[k].gap = dgap;
        move[k].spin = tact_frame_spin(normal, tact_vec3_scale(b_is_sphere ? 1 : -1, dn));
    }
}

// The chain of one body: adds to y, to dy (in the places of sway) and to T.
static tact_vec3 bend_side(const tact_model *model, const tact_work *work, const tact_contact *contact, bool of_b,
                           tact_deriv_work *deriv, const tact_contact_slope *slope) {
    const tact_pair *pair = &model->pair[contact->pair];
    int body = model->shape[of_b ? pair->b : pair->a].body, width = contact->width;
    tact_vec3 x = of_b ? contact->point_b : contact->point_a, y = {0, 0, 0}, f = contact->force;
    tact_real sign = of_b ? 1 : -1;
    if (body == TACT_WORLD) return y;
    const int *first = model->path + model->path_start[body], *last = model->path + model->path_start[body + 1];
    for (const int *j = first; j < last; j++) {
        int dof = model->motion[*j].dof, row = deriv->slot[model->place[dof]];
        tact_real d = sign * work->displacement[dof], *T = slope->T + row * width;
        tact_vec3 axis = work->kinematics.angular[*j], velocity = tact_motion_velocity(&work->kinematics, *j, x);
        y = tact_vec3_add_scaled(y, d, velocity);
        for (int k = 0; k < width; k++) {
            const tact_contact_motion *move = &slope->move[k];
            tact_vec3 slid = tact_vec3_cross(axis, of_b ? move->b : move->a);
            deriv->sway[k] = tact_vec3_add_scaled(deriv->sway[k], d, slid);
            T[k] += sign * (tact_vec3_dot(f, slid) + tact_vec3_dot(tact_vec3_cross(move->spin, f), velocity));
        }
        for (const int *m = first; m < last; m++) {
            int k = deriv->slot[model->place[model->motion[*m].dof]];
            tact_vec3 bent = tact_chain_bend(model, &work->kinematics, *j, *m, x);
            deriv->sway[k] = tact_vec3_add_scaled(deriv->sway[k], d, bent);
            T[k] += sign * tact_vec3_dot(f, bent);
        }
    }
    return y;
}

// The stored tangential displacement turns with the normal, its components with the frame; at its cap it follows the gap.
static void add_anchor(const tact_contact *contact, const tact_cone *cone, const tact_state *before,
                       tact_contact_slope *slope, tact_deriv_work *deriv) {
    int width = contact->width;
    tact_vec3 n = frame_row(contact, 0), t = frame_row(contact, 1), u = frame_row(contact, 2);
    tact_vec3 stored = before->anchor[contact->pair], from = before->normal[contact->pair];
    tact_vec3 s = tact_vec3_add_scaled(tact_vec3_scale(cone->c[1], t), cone->c[2], u);
    tact_real length = tact_sqrt(tact_vec3_dot(stored, stored)), loaded = tact_sqrt(tact_vec3_dot(s, s));
    if (!(loaded > 0)) return;
    bool capped = loaded < length * (1 - 64 * TACT_EPS);
    deriv->kink = deriv->kink || capped;
    slope->capped = capped;
    if (deriv->frozen_geometry) return;
    for (int k = 0; k < width; k++) {
        const tact_contact_motion *move = &slope->move[k];
        tact_vec3 change = tact_anchor_turn_rate(from, n, tact_vec3_scale(loaded / length, stored), tact_vec3_cross(move->spin, n));
        change = tact_vec3_sub(change, tact_vec3_cross(move->spin, s));
        if (capped) change = tact_vec3_add_scaled(change, move->gap / contact->gap, s);
        slope->N[width + k] += tact_vec3_dot(change, t);
        slope->N[2 * width + k] += tact_vec3_dot(change, u);
    }
}

static void weigh(const tact_cone *cone, const tact_real l[3], tact_real W[6]) {
    tact_real t = tact_sqrt(l[1] * l[1] + l[2] * l[2]), mu = cone->mu, kappa = cone->kappa;
    tact_real slip = mu > 0 ? t / mu : 0, a = kappa * (l[0] - slip) * (l[0] + slip) / 2;
    W[0] = kappa * l[0] * l[0] - a;
    W[1] = kappa * l[1] * l[0];
    W[2] = kappa * l[1] * l[1] + a * mu * mu;
    W[3] = kappa * l[2] * l[0];
    W[4] = kappa * l[2] * l[1];
    W[5] = kappa * l[2] * l[2] + a * mu * mu;
}

void tact_contact_linearise(const tact_model *model, const tact_options *options, const tact_state *before, const tact_work *work,
                            int index, tact_deriv_work *deriv) {
    const tact_contact *contact = &work->contacts.contact[index];
    const tact_cone *cone = &work->cone[index];
    tact_contact_slope *slope = &deriv->contact[index];
    int width = contact->width;
    weigh(cone, contact->lambda, slope->W);
    for (int k = 0; k < width; k++) {
        slope->N[k] = contact->J[k];
        slope->N[width + k] = slope->N[2 * width + k] = 0;
        deriv->slot[cone->column[k]] = k;
    }
    for (int k = 0; k < width * width; k++) slope->T[k] = 0;
    slope->capped = false;
    if (deriv->frozen_geometry) {
        if (options->anchor) add_anchor(contact, cone, before, slope, deriv);
        return;
    }
    move_contact(model, work, contact, deriv, slope->move);
    for (int k = 0; k < width; k++) deriv->sway[k] = tact_vec3_make(0, 0, 0);
    tact_vec3 y = bend_side(model, work, contact, true, deriv, slope);
    y = tact_vec3_add(y, bend_side(model, work, contact, false, deriv, slope));
    for (int k = 0; k < width; k++) {
        tact_vec3 change = tact_vec3_sub(deriv->sway[k], tact_vec3_cross(slope->move[k].spin, y));
        for (int row = 0; row < 3; row++) slope->N[row * width + k] += tact_vec3_dot(frame_row(contact, row), change);
    }
    if (options->anchor) add_anchor(contact, cone, before, slope, deriv);
}
