// SPDX-License-Identifier: MIT
// What a step of the virtual law leads to: whether it is an answer, and a contact for each pair that has forces, as the state's
// lambda and the trace have it.
#include "law/virtual.h"

#include "math/elementary.h"

bool tact_virtual_stays_in_reach(const tact_virtual_job *job, const tact_state *state) {
    const tact_virtual_work *soft = job->soft;
    const tact_virtual_stage *stage = &soft->stage[soft->last];
    tact_real share = job->options->integrator == TACT_INTEGRATOR_MIDPOINT ? TACT_REAL(0.5) : 1;
    bool within = true;
    for (int i = 0; i < job->model->nv; i++) {
        tact_real way = stage->x[i] - state->q[job->model->dof[soft->dof[i]].q];
        within = within && tact_fabs(way) <= share * TACT_REAL(TACT_MOST_LENGTH);
    }
    return within;
}

// Force of one pair, from the entries of soft->force that belong to it: their sum, where it acts on the whole.
static void virtual_report_pair(const tact_virtual_work *soft, int from, int count, tact_contact *contact) {
    const tact_plane *plane = &soft->planar.plane;
    tact_vec2 n = {0, 0}, x = {0, 0}, f = {0, 0};
    tact_real total = 0, d = -TACT_MAX;
    for (int i = from; i < from + count; i++) total += tact_fabs(soft->force[i].fn);
    for (int i = from; i < from + count; i++) {
        const tact_virtual_force *force = &soft->force[i];
        tact_real share = total > 0 ? tact_fabs(force->fn) / total : i == from;
        n = tact_vec2_add_scaled(n, share, force->n);
        x = tact_vec2_add_scaled(x, share, force->x);
        f = tact_vec2_add(f, force->f);
        d = tact_max(d, force->d);
    }
    tact_real length = tact_sqrt(tact_vec2_dot(n, n));
    n = length > 0 ? tact_vec2_scale(1 / length, n) : soft->force[from].n;
    tact_vec3 rows[3] = {tact_plane_vector(plane, n), tact_plane_vector(plane, tact_vec2_turn(n)), plane->z};
    *contact = (tact_contact){.pair = soft->force[from].pair, .gap = -d};
    contact->point = tact_plane_point(plane, x);
    contact->point_a = tact_vec3_add_scaled(contact->point, d / 2, rows[0]);
    contact->point_b = tact_vec3_add_scaled(contact->point, -d / 2, rows[0]);
    for (int i = 0; i < 3; i++) {
        contact->frame.m[i][0] = rows[i].x;
        contact->frame.m[i][1] = rows[i].y;
        contact->frame.m[i][2] = rows[i].z;
    }
    contact->lambda[0] = -tact_vec2_dot(f, n);
    contact->lambda[1] = -tact_vec2_dot(f, tact_vec2_turn(n));
    contact->lambda[2] = 0;
    contact->force = tact_plane_vector(plane, tact_vec2_scale(-1, f));
}

void tact_virtual_report(const tact_model *model, const tact_virtual_work *soft, tact_state *state, tact_work *work) {
    int count = 0;
    for (int i = 0; i < 3 * model->npair; i++) state->lambda[i] = 0;
    for (int i = 0, next = 0; i < soft->nforce; i = next) {
        while (next < soft->nforce && soft->force[next].pair == soft->force[i].pair) next++;
        tact_contact *contact = &work->contacts.contact[count++];
        virtual_report_pair(soft, i, next - i, contact);
        for (int k = 0; k < 3; k++) state->lambda[3 * contact->pair + k] = contact->lambda[k];
    }
    work->contacts.count = count;
}
