// SPDX-License-Identifier: MIT
// The quadratic of the barrier step in lanes: law/barrier.c and tree/dynamics.c operation by operation.
#include "batch/lane_front.h"

// S a for the symmetric S = (xx, yy, zz, xy, xz, yz)
static lane_vec3 load_apply(const tact_wide *S, lane_vec3 a) {
    return lane_vec3_make(S[0] * a.x + S[3] * a.y + S[4] * a.z, S[3] * a.x + S[1] * a.y + S[5] * a.z,
                          S[4] * a.x + S[5] * a.y + S[2] * a.z);
}

static void load_shift(tact_wide *I, tact_wide m, lane_vec3 h, lane_vec3 r) {
    // As dynamics_shift.
    lane_vec3 g = lane_vec3_add_scaled(h, m / 2, r);
    tact_wide dot = 2 * lane_vec3_dot(r, g);
    I[0] += dot - 2 * r.x * g.x;
    I[1] += dot - 2 * r.y * g.y;
    I[2] += dot - 2 * r.z * g.z;
    I[3] -= r.x * g.y + r.y * g.x;
    I[4] -= r.x * g.z + r.z * g.x;
    I[5] -= r.y * g.z + r.z * g.y;
}

static void load_composites(tact_lane_front *front) {
    const tact_model *model = front->model;
    // Each loose body alone, then from the leaves to the root.
    for (int b = 0; b < model->nbody; b++)
        if (model->loose[b]) {
            lane_composite *own = &front->composite[b];
            const lane_mat3 *R = &front->pose[b].R;
            const void *base[TACT_LANES];
            tact_wide inertia[6];
            lane_vec3 x[3], y[3];
            // mass, com and inertia of each scene's own model.
            for (int k = 0; k < TACT_LANES; k++) base[k] = &front->scene[k]->model->body[b];
            for (int k = 0; k < 6; k++)
                inertia[k] = lane_read(front, base, offsetof(tact_body, inertia) + (size_t)k * sizeof(tact_real));
            lane_vec3 c = lane_mat3_apply(R, lane_read_vec3(front, base, offsetof(tact_body, com)));
            own->mass = lane_read(front, base, offsetof(tact_body, mass));
            own->moment = lane_vec3_scale(own->mass, c);
            // R I R' by the rows of R.
            for (int k = 0; k < 3; k++) {
                x[k] = lane_vec3_make(R->m[k][0], R->m[k][1], R->m[k][2]);
                y[k] = load_apply(inertia, x[k]);
                own->inertia[k] = lane_vec3_dot(x[k], y[k]);
            }
            own->inertia[3] = lane_vec3_dot(x[0], y[1]);
            own->inertia[4] = lane_vec3_dot(x[0], y[2]);
            own->inertia[5] = lane_vec3_dot(x[1], y[2]);
            load_shift(own->inertia, own->mass, lane_vec3_all(0, 0, 0), c);
        }
    for (int b = model->nbody - 1; b >= 0; b--) {
        int above = model->body[b].parent;
        if (above == TACT_WORLD || !model->loose[above]) continue;
        lane_composite *parent = &front->composite[above];
        const lane_composite *child = &front->composite[b];
        lane_vec3 r = lane_vec3_sub(front->pose[b].p, front->pose[above].p);
        for (int k = 0; k < 6; k++) parent->inertia[k] += child->inertia[k];
        load_shift(parent->inertia, child->mass, child->moment, r);
        parent->mass += child->mass;
        parent->moment = lane_vec3_add(parent->moment, lane_vec3_add_scaled(child->moment, child->mass, r));
    }
}

static tact_wide load_weight(const tact_lane_front *front, int motion, lane_vec3 gravity) {
    TACT_ASSERT(motion >= 0 && motion < front->model->nmotion);
    int b = front->model->motion[motion].body;
    const lane_composite *own = &front->composite[b];
    lane_vec3 u = lane_front_velocity(front, motion, front->pose[b].p);
    lane_vec3 moment = lane_vec3_cross(own->moment, gravity);
    return own->mass * lane_vec3_dot(u, gravity) + lane_vec3_dot(front->angular[motion], moment);
}

void TACT_LANE_NAME(tact_lane_load_, TACT_LANES)(tact_lane_front *front) {
    const tact_model *model = front->model;
    // P and p of the drives
    tact_wide dt = tact_wide_all(1);
    for (int k = 0; k < TACT_LANES; k++) tact_wide_put(&dt, k, front->scene[k]->options.dt);
    for (int i = 0; i < front->P_start[model->nv]; i++) front->P[i] = tact_wide_all(0);
    for (int i = 0; i < model->nv; i++) {
        const tact_dof *dof = &model->dof[model->order[i]];
        const void *base[TACT_LANES];
        tact_wide away = tact_wide_all(0);
        front->p[i] = away;
        if (dof->u < 0) continue;
        for (int k = 0; k < TACT_LANES; k++) {
            const tact_lane_scene *scene = front->scene[k];
            base[k] = &scene->model->dof[model->order[i]];
            tact_wide_put(&away, k, scene->state->q[dof->q] - scene->input->u[dof->u]);
        }
        tact_wide stiffness = lane_read(front, base, offsetof(tact_dof, stiffness));
        *lane_front_diagonal(front, i) = stiffness + lane_read(front, base, offsetof(tact_dof, damping)) / dt;
        front->p[i] = stiffness * away;
    }
    // eps M_o / h^2 and the weight, for the motions of loose bodies
    tact_wide factor = tact_wide_all(0);
    lane_vec3 gravity = lane_vec3_all(0, 0, 0);
    for (int k = 0; k < TACT_LANES; k++) {
        const tact_options *options = &front->scene[k]->options;
        tact_wide_put(&factor, k, options->epsilon / (options->dt * options->dt));
        lane_vec3_set(&gravity, k, options->gravity);
    }
    load_composites(front);
    for (int m = 0; m < model->nmotion; m++) {
        const tact_motion *motion = &model->motion[m];
        if (model->dof[motion->dof].u >= 0) continue;
        int i = model->place[motion->dof];
        front->p[i] -= load_weight(front, m, gravity);
        for (int k = model->path_start[motion->body]; k < model->path_start[motion->body + 1]; k++) {
            int carrier = model->path[k], dof = model->motion[carrier].dof, j = model->place[dof];
            if (carrier > m || model->dof[dof].u >= 0) continue;
            // Coupling of two motions by the composite: momentum of one in the velocity of the other.
            int b = front->model->motion[m].body;
            const lane_composite *own = &front->composite[b];
            lane_vec3 o = front->pose[b].p, a = front->angular[m], u = lane_front_velocity(front, m, o);
            lane_vec3 P = lane_vec3_add_scaled(lane_vec3_cross(a, own->moment), own->mass, u);
            lane_vec3 L = lane_vec3_add(lane_vec3_cross(own->moment, u), load_apply(own->inertia, a));
            tact_wide M = lane_vec3_dot(lane_front_velocity(front, carrier, o), P) + lane_vec3_dot(front->angular[carrier], L);
            if (carrier == m)
                for (int lane = 0; lane < TACT_LANES; lane++)
                    tact_wide_put(&M, lane, tact_wide_get(&M, lane) + tact_motion_armature(front->scene[lane]->model, m));
            int row = i > j ? i : j, column = i > j ? j : i;
            front->P[front->P_start[row] + column - model->mass_first[row]] += factor * (i == j && carrier < m ? 2 * M : M);
        }
    }
    // Out of the lanes into each scene's work, where the solver looks for them.
    for (int k = 0; k < front->count; k++) {
        tact_work *work = front->scene[k]->work;
        for (int i = 0; i < front->P_start[model->nv]; i++) work->P[i] = tact_wide_get(&front->P[i], k);
        for (int i = 0; i < model->nv; i++) work->p[i] = tact_wide_get(&front->p[i], k);
    }
}
