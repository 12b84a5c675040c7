// SPDX-License-Identifier: MIT
#include "deriv/adjoint.h"

#include "deriv/chain.h"
#include "law/anchor.h"
#include "math/elementary.h"

// Subtracts W^-1 (0, slip) from a force: W^-1 = M + kappa M l l'M with M = diag(-1, 1/mu^2, 1/mu^2)/a, since l'M l = -2/kappa.
static void adjoint_subtract_slip(const tact_cone *cone, const tact_real l[3], const tact_real slip[2], tact_real *lambda_bar) {
    // a, and M l.
    tact_real square = cone->mu * cone->mu, t = tact_sqrt(l[1] * l[1] + l[2] * l[2]) / cone->mu;
    tact_real a = cone->kappa * (l[0] - t) * (l[0] + t) / 2;
    const tact_real M[3] = {-l[0] / a, l[1] / (a * square), l[2] / (a * square)};
    // W^-1 (0, slip) = M (0, slip) + kappa (l'M (0, slip)) M l
    tact_real share = cone->kappa * (M[1] * slip[0] + M[2] * slip[1]);
    lambda_bar[0] -= share * M[0];
    lambda_bar[1] -= share * M[1] + slip[0] / (a * square);
    lambda_bar[2] -= share * M[2] + slip[1] / (a * square);
}

// Rotation of a body in the step, with the joint axes of its beginning.
static tact_vec3 adjoint_body_turn(const tact_model *model, const tact_work *work, int body) {
    TACT_ASSERT(body < model->nbody);
    tact_vec3 turn = {0, 0, 0};
    if (body == TACT_WORLD) return turn;
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int motion = model->path[k];
        turn = tact_vec3_add_scaled(turn, work->displacement[model->motion[motion].dof], work->kinematics.angular[motion]);
    }
    return turn;
}

// Adds the adjoint of scale times the body's rotation about n: its parts by d and by the joints' axes.
static void adjoint_add_body_turn(const tact_anchor_step *step, int body, tact_vec3 n, tact_real scale,
                                  tact_anchor_adjoint *adjoint) {
    const tact_model *model = step->of->model;
    const tact_work *work = step->of->work;
    bool frozen = step->deriv->frozen_geometry;
    if (body == TACT_WORLD) return;
    const int *first = model->path + model->path_start[body], *last = model->path + model->path_start[body + 1];
    // direct: rotation of the axes with q at fixed d; seed: by d itself
    for (const int *j = first; j < last; j++) {
        int dof = model->motion[*j].dof;
        adjoint->seed[dof] += scale * tact_vec3_dot(work->kinematics.angular[*j], n);
        for (const int *k = first; !frozen && k < last; k++) {
            tact_vec3 turn = tact_chain_axis_slope(model, &work->kinematics, *j, *k);
            adjoint->direct[model->motion[*k].dof] += scale * work->displacement[dof] * tact_vec3_dot(turn, n);
        }
    }
}

// Adjoint of storing the anchor s+ of one contact.
static void adjoint_store(const tact_anchor_step *step, int index, tact_anchor_adjoint *adjoint, tact_vec3 *spin,
                          tact_real *lambda_bar) {
    const tact_model *model = step->of->model;
    const tact_work *work = step->of->work;
    const tact_contact *contact = &work->contacts.contact[index];
    const tact_cone *cone = &work->cone[index];
    const tact_pair *pair = &model->pair[contact->pair];
    tact_vec3 after = step->of->after->anchor[contact->pair];
    tact_vec3 n = frame_row(contact, 0), bar = adjoint->anchor[contact->pair];
    // nu of the step: c and J d in the tangential rows
    tact_real nu[3] = {cone->c[0], cone->c[1], cone->c[2]}, slip[2], angle = tact_vec3_dot(bar, tact_vec3_cross(n, after));
    for (int row = 1; row < 3; row++)
        for (int k = 0; k < cone->width; k++) nu[row] += cone->J[row * cone->width + k] * work->d[cone->column[k]];
    int a = model->shape[pair->a].body, b = model->shape[pair->b].body;
    // the anchor follows the mean rotation of both bodies about the normal
    tact_vec3 turn =
        tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(adjoint_body_turn(model, work, a), adjoint_body_turn(model, work, b)));
    adjoint_add_body_turn(step, a, n, angle / 2, adjoint);
    adjoint_add_body_turn(step, b, n, angle / 2, adjoint);
    *spin = tact_vec3_add_scaled(tact_vec3_cross(after, bar), angle, tact_vec3_cross(n, turn));

    tact_real length = tact_sqrt(nu[1] * nu[1] + nu[2] * nu[2]), sine = 0, cosine = 0;
    // equation (12) of docs/laws/barrier.md: s_max from the normal force; share: factor by which nu_t is shortened
    tact_real most = 2 * TACT_ANCHOR_SHARE /
                     (step->of->options->kappa * cone->mu * contact->lambda[0] * (1 - TACT_ANCHOR_SHARE * TACT_ANCHOR_SHARE));
    tact_real loaded = tact_sqrt(cone->c[1] * cone->c[1] + cone->c[2] * cone->c[2]);
    tact_real share = length > most ? tact_min(most, loaded) / length : 1;
    tact_sincos(tact_vec3_dot(turn, n), &sine, &cosine);
    tact_vec3 back = tact_vec3_add_scaled(tact_vec3_scale(share * cosine, bar), -share * sine, tact_vec3_cross(n, bar));
    // dL/d nu_t; at the cap the radial part goes to the force, or to the stored length
    for (int k = 0; k < 2; k++) slip[k] = tact_vec3_dot(frame_row(contact, k + 1), back);
    if (length > most) {
        tact_real along = tact_vec3_dot(bar, after);
        if (most < loaded)
            lambda_bar[0] -= along / contact->lambda[0];
        else if (loaded > 0)
            adjoint->loaded[index] = along / loaded;
        for (int k = 0; k < 2; k++) slip[k] -= along * nu[k + 1] / (length * length);
    }
    // through lambda(nu): nu_t also determines the force
    adjoint_subtract_slip(cone, contact->lambda, slip, lambda_bar);
}

void tact_anchor_adjoint_begin(const tact_anchor_step *step, tact_anchor_adjoint *adjoint, tact_real *q_next,
                               tact_real *lambda_bar) {
    const tact_model *model = step->of->model;
    const tact_work *work = step->of->work;
    const tact_deriv_work *deriv = step->deriv;
    bool frozen = deriv->frozen_geometry;
    for (int i = 0; i < model->nv; i++) adjoint->seed[i] = adjoint->direct[i] = 0;
    // for each contact: contribution of its stored displacement after the step to dL/dlambda, dL/dd and dL/dq
    for (int c = 0; c < work->contacts.count; c++) {
        const tact_contact *contact = &work->contacts.contact[c];
        int pair = contact->pair;
        tact_vec3 spin = {0, 0, 0};
        adjoint->loaded[c] = 0;
        if (contact->lambda[0] >= tact_force_min(model, step->of->options) && work->cone[c].mu > 0)
            adjoint_store(step, c, adjoint, &spin, lambda_bar + 3 * c);
        // the stored normal rotates with the contact frame
        spin = tact_vec3_add(spin, tact_vec3_cross(frame_row(contact, 0), adjoint->normal[pair]));
        tact_real gap = deriv->contact[c].capped ? adjoint->loaded[c] * TACT_ANCHOR_SHARE / work->cone[c].mu : 0;
        for (int k = 0; !frozen && k < contact->width; k++) {
            const tact_contact_motion *move = &deriv->contact[c].move[k];
            adjoint->direct[model->order[work->cone[c].column[k]]] += tact_vec3_dot(spin, move->spin) + gap * move->gap;
        }
        // nu enters through -W lambda_bar only
        tact_slope_apply(deriv->contact[c].W, lambda_bar + 3 * c, adjoint->slip + 3 * c);
        for (int k = 0; k < 3; k++) adjoint->slip[3 * c + k] = -adjoint->slip[3 * c + k];
    }
    // solve G'y = x for the rotation of each free joint, so that y may enter as dL/dq+ where x is dL/dd
    tact_real *x = adjoint->seed;
    for (int b = 0; b < model->nbody; b++) {
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        tact_vec3 g[3];
        tact_real *at = x + model->body[b].v;
        for (int i = 0; i < 3; i++) {
            const tact_real *row = deriv->turn + 6 * (model->body[b].v + i) + 3;
            g[i] = tact_vec3_make(row[0], row[1], row[2]);
        }
        tact_vec3 right = {at[0], at[1], at[2]};
        // Cramer's rule, three by three
        tact_real determinant = tact_vec3_dot(g[0], tact_vec3_cross(g[1], g[2]));
        for (int i = 0; i < 3; i++) at[i] = tact_vec3_dot(right, tact_vec3_cross(g[(i + 1) % 3], g[(i + 2) % 3])) / determinant;
    }
    for (int i = 0; i < model->nv; i++) q_next[i] += adjoint->seed[i];
}

// Adjoints of s and its normal of one contact, from dL/dc_t; the part through |c_t| is separate.
static void adjoint_load(const tact_contact *contact, const tact_cone *cone, const tact_state *before, const tact_real bar[2],
                         tact_vec3 *anchor, tact_vec3 *normal) {
    tact_vec3 n = frame_row(contact, 0), t = frame_row(contact, 1), u = frame_row(contact, 2);
    tact_vec3 from = before->normal[contact->pair], stored = before->anchor[contact->pair];
    // a stored displacement that was dropped at the beginning has no derivative
    if (!(contact->gap > 0) || !(tact_vec3_dot(from, n) > 0)) return;
    tact_vec3 turned = tact_anchor_turn(from, n, stored), back = tact_vec3_add_scaled(tact_vec3_scale(bar[0], t), bar[1], u);
    tact_real s[2] = {tact_vec3_dot(turned, t), tact_vec3_dot(turned, u)};
    tact_real length = tact_sqrt(s[0] * s[0] + s[1] * s[1]), most = TACT_ANCHOR_SHARE * contact->gap;
    // at the cap the length is rho gap/mu: only the direction of s remains
    if (cone->mu * length > most) {
        tact_real along = (bar[0] * s[0] + bar[1] * s[1]) / (length * length);
        back = tact_vec3_add_scaled(tact_vec3_add_scaled(back, -along * s[0], t), -along * s[1], u);
        back = tact_vec3_scale(most / (cone->mu * length), back);
    }
    *anchor = tact_anchor_turn(n, from, back);
    // the transposed rotation: back'Q s = s'Q'back
    normal->x = tact_vec3_dot(stored, tact_anchor_turn_rate(n, from, back, tact_vec3_make(1, 0, 0)));
    normal->y = tact_vec3_dot(stored, tact_anchor_turn_rate(n, from, back, tact_vec3_make(0, 1, 0)));
    normal->z = tact_vec3_dot(stored, tact_anchor_turn_rate(n, from, back, tact_vec3_make(0, 0, 1)));
}

void tact_anchor_adjoint_end(const tact_anchor_step *step, tact_anchor_adjoint *adjoint, tact_real *q_bar) {
    const tact_model *model = step->of->model;
    const tact_work *work = step->of->work;
    const tact_deriv_work *deriv = step->deriv;
    const tact_state *before = step->of->before;
    // E'seed is already part of q_bar
    const tact_real *seed = adjoint->seed;
    for (int dof = 0; dof < model->nv; dof++) {
        const tact_body *body = &model->body[model->dof[dof].body];
        int axis = dof - body->v;
        if (body->joint != TACT_JOINT_FREE || axis > 2)
            q_bar[dof] -= seed[dof];
        else
            for (int i = 0; i < 3; i++) q_bar[dof] -= deriv->turn[6 * (body->v + i) + axis] * seed[body->v + i];
    }
    for (int i = 0; i < model->nv; i++) q_bar[i] += adjoint->direct[i];
    for (int i = 0; i < model->npair; i++) adjoint->anchor[i] = adjoint->normal[i] = tact_vec3_make(0, 0, 0);
    for (int c = 0; c < work->contacts.count; c++) {
        // dL/dc_t = slip - W J z, with the solution z of the adjoint system
        const tact_cone *cone = &work->cone[c];
        int pair = work->contacts.contact[c].pair;
        tact_real nu[3] = {0, 0, 0}, force[3], bar[2];
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < cone->width; k++) nu[row] += cone->J[row * cone->width + k] * deriv->z[cone->column[k]];
        tact_slope_apply(deriv->contact[c].W, nu, force);
        for (int k = 0; k < 2; k++) bar[k] = adjoint->slip[3 * c + k + 1] - force[k + 1];
        adjoint_load(&work->contacts.contact[c], cone, before, bar, &adjoint->anchor[pair], &adjoint->normal[pair]);
        tact_vec3 stored = before->anchor[pair];
        // the stored length enters if the cap of the step is the length itself
        tact_real length = tact_sqrt(tact_vec3_dot(stored, stored));
        if (length > 0 && !deriv->contact[c].capped)
            adjoint->anchor[pair] = tact_vec3_add_scaled(adjoint->anchor[pair], adjoint->loaded[c] / length, stored);
    }
}
