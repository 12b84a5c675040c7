// SPDX-License-Identifier: MIT
// Derivative of the equations of a stage, M (x - qhat) = beta Q, by one parameter.
#include "law/virtual_chain.h"

static tact_vec2 virtual_in_plane(const tact_virtual_work *soft, tact_vec3 x) {
    return tact_vec2_make(tact_vec3_dot(soft->planar.plane.x, x), tact_vec3_dot(soft->planar.plane.y, x));
}

static bool virtual_is_bent(const tact_virtual_work *soft, int body) {
    return soft->bending && soft->mover[body] != TACT_WORLD && soft->bends[soft->group[body]];
}

// Force and torque at a body's centre of mass, at the angle of the last evaluation if the body rotates.
static void virtual_by_push(const tact_virtual_job *job, const tact_kinematics *kinematics, int body, const tact_wrench *push,
                            bool weight, tact_real *y) {
    const tact_model *model = job->model;
    const tact_virtual_work *soft = job->soft;
    if (virtual_is_bent(soft, body)) {
        tact_real torque = tact_vec3_dot(push->torque, soft->planar.plane.z);
        tact_chain_push(job, body, virtual_in_plane(soft, push->force), torque, weight, y);
        return;
    }
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int motion = model->path[k], mover = soft->mover[body];
        const tact_dof *dof = &model->dof[model->motion[motion].dof];
        if (weight && dof->stiffness > 0 && !job->options->gravity_on_driven) continue;
        // power at unit rate of the motion, with the lever arm of the centre of mass rotated with the mover
        tact_vec3 angular = kinematics->angular[motion];
        tact_vec2 c = tact_planar_rotate(soft->planar.pose[mover], soft->com[body]), f = virtual_in_plane(soft, push->force);
        tact_real power = tact_vec3_dot(kinematics->linear[motion], push->force) + tact_vec3_dot(angular, push->torque) +
                          tact_vec3_dot(angular, soft->planar.plane.z) * tact_vec2_dot(tact_vec2_turn(c), f);
        y[soft->unknown[model->motion[motion].dof]] += job->stage->beta * power;
    }
}

// -dM (x - qhat) per unit of mass at the centre of mass, or of inertia.
static void virtual_by_inertia(const tact_virtual_job *job, const tact_kinematics *kinematics, int body, bool turning,
                               tact_real *y) {
    const tact_model *model = job->model;
    const tact_virtual_work *soft = job->soft;
    if (virtual_is_bent(soft, body)) {
        tact_chain_load(job, body, turning, y);
        return;
    }
    const int *first = model->path + model->path_start[body], *last = model->path + model->path_start[body + 1];
    tact_vec3 com = tact_pose_apply(kinematics->pose[body], model->body[body].com), way = {0, 0, 0};
    tact_real turn = 0;
    // J (x - qhat) of the centre of mass, or of the rotation; then its product with J'
    for (const int *k = first; k < last; k++) {
        int i = soft->unknown[model->motion[*k].dof];
        tact_real d = job->stage->x[i] - job->stage->qhat[i];
        way = tact_vec3_add_scaled(way, d, tact_motion_velocity(kinematics, *k, com));
        turn += d * tact_vec3_dot(kinematics->angular[*k], soft->planar.plane.z);
    }
    for (const int *k = first; k < last; k++) {
        tact_real share = turning ? turn * tact_vec3_dot(kinematics->angular[*k], soft->planar.plane.z)
                                  : tact_vec3_dot(way, tact_motion_velocity(kinematics, *k, com));
        y[soft->unknown[model->motion[*k].dof]] -= share;
    }
}

// Column of a shape's size in a pair's contacts; -1: none.
static int virtual_by_column(const tact_virtual_work *soft, int pair, tact_parameter parameter) {
    const tact_pair *both = &soft->planar.model->pair[pair];
    for (int end = 0; end < 2; end++) {
        int shape = end == 0 ? both->a : both->b;
        if (shape != parameter.index) continue;
        const tact_planar_shape *planar = &soft->planar.shape[shape];
        for (int i = 0; i < planar->nsize; i++)
            if (planar->size[i] == parameter.component) return (end == 0 ? TACT_VIRTUAL_SIZE1 : TACT_VIRTUAL_SIZE2) + i;
    }
    return -1;
}

// Index of the parameter in a response; -1: none.
static int virtual_by_kind(tact_parameter_kind kind) {
    if (kind == TACT_PARAMETER_KN) return TACT_VIRTUAL_BY_KN;
    if (kind == TACT_PARAMETER_KD) return TACT_VIRTUAL_BY_KD;
    if (kind == TACT_PARAMETER_KT) return TACT_VIRTUAL_BY_KT;
    if (kind == TACT_PARAMETER_MU) return TACT_VIRTUAL_BY_MU;
    return kind == TACT_PARAMETER_TEMPERATURE ? TACT_VIRTUAL_BY_A : -1;
}

tact_vec2 tact_virtual_parameter_force(const tact_virtual_job *job, int pair, tact_parameter parameter,
                                       const tact_virtual_force *like, tact_real *y) {
    tact_virtual_work *soft = job->soft;
    if (parameter.kind == TACT_PARAMETER_RADIUS) parameter = (tact_parameter){TACT_PARAMETER_SIZE, parameter.index, 0};
    int kind = virtual_by_kind(parameter.kind), column = kind < 0 ? virtual_by_column(soft, pair, parameter) : -1;
    tact_virtual_material material = {job->options, job->a, job->model->pair[pair].mu, false};
    tact_virtual_ends ends;
    tact_vec2 sum = {0, 0};
    // a parameter on which this pair's forces do not depend
    if (kind < 0 && (parameter.kind != TACT_PARAMETER_SIZE || column < 0)) return sum;
    if (parameter.kind == TACT_PARAMETER_MU && pair != parameter.index) return sum;
    soft->contact.sizes = kind < 0;
    int count = tact_virtual_gather(soft, pair, &ends);
    soft->contact.sizes = false;
    for (int k = 0; k < count; k++) {
        const tact_virtual *contact = &soft->found[k];
        // the contact's force as in the step, and its change: through stiffness, damping, friction or temperature, or through
        // gap, normal and point
        tact_virtual_response response = tact_virtual_react(&material, contact, &ends);
        tact_virtual_force force = *like;
        force.x = contact->x;
        force.n = contact->n;
        force.d = contact->d;
        tact_vec2 df;
        tact_virtual_load(&ends, &response, &force);
        // df = -dfn n - dF t at fixed geometry, or through the gap, the normal and the point
        if (kind >= 0) {
            tact_vec2 v = tact_virtual_meeting(contact->x, &ends), n = contact->n, t = tact_vec2_turn(n);
            tact_virtual_sensitivity by =
                tact_virtual_respond_by(&material, contact->d, contact->weight, tact_vec2_dot(n, v), tact_vec2_dot(t, v));
            df = tact_vec2_add_scaled(tact_vec2_scale(-by.fn[kind], n), -by.F[kind], t);
        } else {
            df = tact_virtual_force_slope(contact, &ends, &response, column);
        }
        sum = tact_vec2_add(sum, df);
        // generalised force beta J'df
        if (!y) continue;
        tact_virtual_add_force(soft, &force, tact_vec2_scale(job->stage->beta, df), y);
        // a size also moves the point where the force acts
        if (kind < 0) tact_virtual_add_lever(soft, &force, tact_vec2_scale(job->stage->beta, contact->dx[column]), y);
    }
    return sum;
}

static void virtual_by_contacts(const tact_virtual_job *job, tact_parameter parameter, tact_real *y) {
    const tact_virtual_work *soft = job->soft;
    for (int i = 0, next = 0; i < soft->nforce; i = next) {
        while (next < soft->nforce && soft->force[next].pair == soft->force[i].pair) next++;
        tact_virtual_parameter_force(job, soft->force[i].pair, parameter, &soft->force[i], y);
    }
    int kind = virtual_by_kind(parameter.kind);
    if (kind >= 0) tact_virtual_add_limit_parameter(job, kind, y);
}

void tact_virtual_add_parameter(const tact_virtual_job *job, const tact_input *input, const tact_kinematics *kinematics,
                                tact_parameter parameter, tact_real *y) {
    const tact_virtual_work *soft = job->soft;
    const tact_virtual_stage *stage = job->stage;
    int index = parameter.index;
    tact_wrench push = {{0, 0, 0}, {0, 0, 0}};
    // contacts; inertia and weight; drives; an external force
    switch (parameter.kind) {
    case TACT_PARAMETER_KN:
    case TACT_PARAMETER_KD:
    case TACT_PARAMETER_KT:
    case TACT_PARAMETER_MU:
    case TACT_PARAMETER_TEMPERATURE:
    case TACT_PARAMETER_SIZE:
    case TACT_PARAMETER_RADIUS: virtual_by_contacts(job, parameter, y); return;
    case TACT_PARAMETER_MASS:
        push.force = job->options->gravity;
        virtual_by_push(job, kinematics, index, &push, true, y);
        virtual_by_inertia(job, kinematics, index, false, y);
        return;
    case TACT_PARAMETER_INERTIA: virtual_by_inertia(job, kinematics, index, true, y); return;
    case TACT_PARAMETER_STIFFNESS: {
        // drive k (u - x), by k
        int i = soft->unknown[index];
        y[i] += stage->beta * (input->u[job->model->dof[index].u] - stage->x[i]);
        return;
    }
    case TACT_PARAMETER_DAMPING: y[soft->unknown[index]] -= stage->beta * stage->w[soft->unknown[index]]; return;
    case TACT_PARAMETER_FORCE: {
        // a unit force or torque along one axis
        tact_vec3 *vector = parameter.component < 3 ? &push.force : &push.torque;
        *(parameter.component % 3 == 0 ? &vector->x : parameter.component % 3 == 1 ? &vector->y : &vector->z) = 1;
        virtual_by_push(job, kinematics, index, &push, false, y);
        return;
    }
    default: TACT_ASSERT(false); return;
    }
}
