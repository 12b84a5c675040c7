// SPDX-License-Identifier: MIT
// Residuals of a state with their columns. A contact's force lambda and the motion nu of its two points in the frame are related
// by lambda_n = 2 nu_n/(kappa mu^2 s), lambda_t = -2 nu_t/(kappa s), s = nu_n^2/mu^2 - |nu_t|^2. With z = mu^2 lambda_n^2 -
// |lambda_t|^2 = 4/(kappa^2 s) the slip follows from the force: nu_t = -2 lambda_t/(kappa z).
#include "tact/residual.h"

#include "math/elementary.h"
#include "tact/math.h"

tact_vec3 tact_rotation_error(const tact_mat3 *R, tact_quat wanted) {
    TACT_ASSERT(R);
    return tact_rotation_log(tact_quat_multiply(tact_quat_from_matrix(*R), tact_quat_conjugate(wanted)));
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
    // Inverse of the left Jacobian: 1 - [r]/2 + f (r r' - |r|^2).
    const tact_real x[3] = {r.x, r.y, r.z}, skew[3][3] = {{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
    tact_mat3 rate;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) rate.m[i][j] = (i == j ? 1 - f * square : 0) - skew[i][j] / 2 + f * x[i] * x[j];
    return rate;
}

void tact_residual_place(tact_residual_work *work, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(work && model && arena);
    size_t columns = 2 * (size_t)model->nmotion;
    tact_kinematics_place(&work->kinematics, model, arena);
    work->column = tact_arena_take(arena, columns, sizeof(tact_vec3));
    work->dof = tact_arena_take(arena, columns, sizeof(int));
}

static bool residual_is_body(const tact_model *model, int body) {
    return body >= 0 && body < model->nbody;
}

// The member of one residual that is not acceptable; NULL.
static const char *residual_find_fault(const tact_model *model, const tact_residual *r) {
    const tact_quat *w = &r->orientation;
    if (!(r->weight >= 0 && r->weight <= TACT_MAX)) return "residual.weight";
    switch (r->kind) {
    case TACT_RESIDUAL_POINT:
        if (!residual_is_body(model, r->body)) return "residual.body";
        return r->other != TACT_WORLD && !residual_is_body(model, r->other) ? "residual.other" : NULL;
    case TACT_RESIDUAL_TURN:
        if (!residual_is_body(model, r->body)) return "residual.body";
        return tact_fabs(w->w * w->w + w->x * w->x + w->y * w->y + w->z * w->z - 1) <= TACT_REAL(2e-3) ? NULL
                                                                                                       : "residual.orientation";
    case TACT_RESIDUAL_JOINT: return r->dof < 0 || r->dof >= model->nv || model->dof[r->dof].q < 0 ? "residual.dof" : NULL;
    case TACT_RESIDUAL_FORCE:
    case TACT_RESIDUAL_SLIP:
        if (model->law->derivatives != TACT_DERIV_BARRIER) return "model.law";
        if (r->pair < 0 || r->pair >= model->npair) return "residual.pair";
        if (r->kind == TACT_RESIDUAL_FORCE)
            return r->least >= -TACT_MAX && r->most <= TACT_MAX && r->least <= r->most ? NULL : "residual.least";
        // without friction nothing holds a contact
        if (!(model->pair[r->pair].mu > 0)) return "residual.pair";
        return r->bearing > 0 && r->bearing <= TACT_MAX ? NULL : "residual.bearing";
    }
    return "residual.kind";
}

tact_fault tact_residual_check(const tact_model *model, const tact_residual *residual, int count) {
    TACT_ASSERT(model && count >= 0 && (residual || count == 0));
    for (int i = 0; i < count; i++) {
        const char *field = residual_find_fault(model, &residual[i]);
        if (field) return (tact_fault){field, i};
    }
    return (tact_fault){NULL, 0};
}

// Appends the velocities of a body's point, or its turns, for unit rates of its dofs.
static int residual_add_columns(const tact_model *model, tact_residual_work *work, int body, const tact_vec3 *x, tact_real sign,
                                int count) {
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++, count++) {
        int motion = model->path[k];
        tact_vec3 rate = x ? tact_motion_velocity(&work->kinematics, motion, *x) : work->kinematics.angular[motion];
        work->dof[count] = model->motion[motion].dof;
        work->column[count] = tact_vec3_scale(sign, rate);
    }
    return count;
}

// Gradient weight J'r and Hessian weight J'J of a residual of three components by q.
static tact_real residual_add_vector(const tact_model *model, const tact_residual_work *work, tact_vec3 r, tact_real weight,
                                     int count, const tact_residual_sums *sums) {
    int nv = model->nv;
    for (int i = 0; i < count && sums->q; i++) sums->q[work->dof[i]] += weight * tact_vec3_dot(work->column[i], r);
    for (int i = 0; i < count && sums->qq; i++)
        for (int j = 0; j < count; j++)
            sums->qq[work->dof[i] * nv + work->dof[j]] += weight * tact_vec3_dot(work->column[i], work->column[j]);
    return weight / 2 * tact_vec3_dot(r, r);
}

static const tact_contact *residual_find_contact(const tact_residual *residual, const tact_residual_state *at, int *slot) {
    for (int i = 0; at->contacts && i < at->contacts->count; i++) {
        *slot = i;
        if (at->contacts->contact[i].pair == residual->pair) return &at->contacts->contact[i];
    }
    return NULL;
}

// Residuals of a contact's force: r (rows), J (rows, 3); none without the contact, but for a least force.
static tact_real residual_add_force(const tact_model *model, const tact_residual *residual, const tact_residual_state *at,
                                    const tact_residual_sums *sums) {
    tact_real r[2] = {0, 0}, J[6] = {0, 0, 0, 0, 0, 0}, weight = residual->weight;
    int slot = 0;
    const tact_contact *contact = residual_find_contact(residual, at, &slot);
    if (residual->kind == TACT_RESIDUAL_FORCE) {
        // violation of the bounds of a normal force, and its derivative by the force: dr/dlambda_n
        tact_real force = contact ? contact->lambda[0] : 0;
        bool under = force < residual->least;
        bool over = force > residual->most;
        J[0] = under ? -1 : over ? 1 : 0;
        r[0] = under ? residual->least - force : over ? force - residual->most : 0;
    } else if (contact && contact->lambda[0] > residual->bearing) {
        // r and, rows of J (2, 3), its derivative by (lambda_n, lambda_t). The contact bears more than the least force.
        tact_real mu = model->pair[residual->pair].mu;
        tact_real kappa = at->kappa;
        const tact_real *force = contact->lambda;
        tact_real n = force[0], tiny = TACT_EPS * mu * mu * n * n;
        tact_real z = tact_max(mu * mu * n * n - force[1] * force[1] - force[2] * force[2], tiny),
                  share = 1 - residual->bearing / n;
        // r = nu_t (1 - bearing/lambda_n), and by the product rule its rows by lambda_n and lambda_t.
        for (int i = 0; i < 2; i++) {
            tact_real t = force[1 + i], scale = -2 / (kappa * z);
            r[i] = scale * share * t;
            J[3 * i] = scale * t * (residual->bearing / (n * n) - share * 2 * mu * mu * n / z);
            for (int j = 0; j < 2; j++) J[3 * i + 1 + j] = scale * share * ((i == j) + 2 * t * force[1 + j] / z);
        }
    }
    // J'r and J'J by the force of this contact.
    for (int i = 0; contact && i < 3; i++) {
        if (sums->lambda) sums->lambda[3 * slot + i] += weight * (J[i] * r[0] + J[3 + i] * r[1]);
        for (int j = 0; j < 3 && sums->ll; j++) sums->ll[9 * slot + 3 * i + j] += weight * (J[i] * J[j] + J[3 + i] * J[3 + j]);
    }
    return weight / 2 * (r[0] * r[0] + r[1] * r[1]);
}

tact_real tact_residual_add(const tact_model *model, const tact_residual *residual, const tact_residual_state *at,
                            tact_residual_work *work, const tact_residual_sums *sums) {
    TACT_ASSERT(model && residual && at && work && sums);
    const tact_kinematics *kinematics = &work->kinematics;
    tact_real weight = residual->weight;
    bool columns = sums->q || sums->qq;
    int count = 0;
    switch (residual->kind) {
    case TACT_RESIDUAL_POINT: {
        // J = dx/dq - dy/dq
        tact_vec3 x = tact_pose_apply(kinematics->pose[residual->body], residual->point);
        tact_vec3 y = residual->other == TACT_WORLD ? residual->target
                                                    : tact_pose_apply(kinematics->pose[residual->other], residual->target);
        if (columns) count = residual_add_columns(model, work, residual->body, &x, 1, 0);
        if (columns && residual->other != TACT_WORLD) count = residual_add_columns(model, work, residual->other, &y, -1, count);
        return residual_add_vector(model, work, tact_vec3_sub(x, y), weight, count, sums);
    }
    case TACT_RESIDUAL_TURN: {
        // J = Jl^-1(r) times the body's turns
        tact_vec3 r = tact_rotation_error(&kinematics->pose[residual->body].R, residual->orientation);
        tact_mat3 rate = tact_pose_error_rate(r);
        if (columns) count = residual_add_columns(model, work, residual->body, NULL, 1, 0);
        for (int i = 0; i < count; i++) work->column[i] = tact_mat3_apply(rate, work->column[i]);
        return residual_add_vector(model, work, r, weight, count, sums);
    }
    case TACT_RESIDUAL_JOINT: {
        // r = q_i - value, J = 1
        int dof = residual->dof;
        tact_real r = at->q[model->dof[dof].q] - residual->value;
        if (sums->q) sums->q[dof] += weight * r;
        if (sums->qq) sums->qq[dof * model->nv + dof] += weight;
        return weight / 2 * r * r;
    }
    case TACT_RESIDUAL_FORCE:
    case TACT_RESIDUAL_SLIP: break;
    }
    // of a contact's force or slip
    return residual_add_force(model, residual, at, sums);
}

tact_real tact_residual_length(const tact_model *model, const tact_residual *residual, const tact_residual_state *at,
                               tact_residual_work *work) {
    const tact_residual_sums none = {NULL, NULL, NULL, NULL};
    tact_residual unit = *residual;
    unit.weight = 2;
    return tact_sqrt(tact_residual_add(model, &unit, at, work, &none));
}

// The other shape's number when one of a pair lies on the body and the other on a body that moves; -1.
static int residual_find_partner(const tact_model *model, const tact_pair *pair, int body) {
    int other = model->shape[pair->a].body == body ? pair->b : model->shape[pair->b].body == body ? pair->a : -1;
    return other >= 0 && model->shape[other].body != TACT_WORLD ? other : -1;
}

int tact_residual_find_tips(const tact_model *model, int body, int *shape) {
    TACT_ASSERT(model && shape && body >= 0 && body < model->nbody);
    int count = 0;
    for (int i = 0; i < model->npair; i++) {
        int tip = residual_find_partner(model, &model->pair[i], body), slot = 0;
        if (tip < 0) continue;
        int link = model->shape[tip].body;
        // a link that carries another link which may touch the body is not a tip
        bool inner = false;
        for (int j = 0; j < model->npair && !inner; j++) {
            int other = residual_find_partner(model, &model->pair[j], body);
            int carrier = other < 0 ? -1 : model->shape[other].body;
            if (carrier == link) continue;
            // whether the link carries that body
            while (carrier > link) carrier = model->body[carrier].parent;
            inner = carrier == link;
        }
        if (inner) continue;
        // of several shapes on one link the one furthest from its joint
        while (slot < count && model->shape[shape[slot]].body != link) slot++;
        tact_vec3 p = model->shape[tip].place.p;
        if (slot == count) {
            count++;
        } else {
            tact_vec3 best = model->shape[shape[slot]].place.p;
            if (!(tact_vec3_dot(p, p) > tact_vec3_dot(best, best))) continue;
        }
        shape[slot] = tip;
    }
    return count;
}
