// SPDX-License-Identifier: MIT
#include "law/anchor.h"

#include "math/elementary.h"

tact_vec3 tact_anchor_turn(tact_vec3 from, tact_vec3 to, tact_vec3 x) {
    // Rodrigues' formula for the smallest rotation that takes `from` to `to`: x + v x x + v x (v x x)/(1 + from.to), v = from x
    // to
    tact_vec3 axis = tact_vec3_cross(from, to), once = tact_vec3_cross(axis, x);
    tact_vec3 turned = tact_vec3_add(x, once);
    return tact_vec3_add_scaled(turned, 1 / (1 + tact_vec3_dot(from, to)), tact_vec3_cross(axis, once));
}

tact_vec3 tact_anchor_turn_rate(tact_vec3 from, tact_vec3 to, tact_vec3 x, tact_vec3 rate) {
    tact_vec3 v = tact_vec3_cross(from, to), dv = tact_vec3_cross(from, rate);
    tact_vec3 once = tact_vec3_cross(v, x), donce = tact_vec3_cross(dv, x);
    // product rule on the same formula
    tact_real f = 1 / (1 + tact_vec3_dot(from, to));
    tact_vec3 twice = tact_vec3_add(tact_vec3_cross(dv, once), tact_vec3_cross(v, donce));
    tact_vec3 out = tact_vec3_add_scaled(donce, f, twice);
    return tact_vec3_add_scaled(out, -f * f * tact_vec3_dot(from, rate), tact_vec3_cross(v, once));
}

void tact_anchor_load(const tact_state *state, const tact_contact *contact, tact_real mu, tact_real s[2]) {
    s[0] = s[1] = 0;
    tact_vec3 stored = state->anchor[contact->pair], before = state->normal[contact->pair];
    tact_vec3 normal = tact_vec3_make(contact->frame.m[0][0], contact->frame.m[0][1], contact->frame.m[0][2]);
    if (!(contact->gap > 0) || !(tact_vec3_dot(before, normal) > 0)) return;
    // rotate into the tangent plane of this step's normal; components along its axes
    tact_vec3 turned = tact_anchor_turn(before, normal, stored);
    for (int k = 0; k < 2; k++)
        s[k] =
            contact->frame.m[k + 1][0] * turned.x + contact->frame.m[k + 1][1] * turned.y + contact->frame.m[k + 1][2] * turned.z;
    // shortened to at most rho gap/mu, so that (gap, s) lies within the cone
    tact_real length = tact_sqrt(s[0] * s[0] + s[1] * s[1]), most = TACT_ANCHOR_SHARE * contact->gap;
    if (mu * length > most) {
        s[0] *= most / (mu * length);
        s[1] *= most / (mu * length);
    }
}

// Component along the normal of a body's rotation in this step's displacement [rad].
static tact_real spin(const tact_model *model, const tact_work *work, int body, tact_vec3 normal) {
    tact_real sum = 0;
    if (body == TACT_WORLD) return 0;
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int motion = model->path[k];
        sum += tact_vec3_dot(work->kinematics.angular[motion], normal) * work->displacement[model->motion[motion].dof];
    }
    return sum;
}

void tact_anchor_store(const tact_model *model, const tact_options *options, const tact_work *work, int index,
                       const tact_real nu[3], tact_state *state) {
    const tact_contact *contact = &work->contacts.contact[index];
    const tact_real *loaded = work->cone[index].c + 1;
    const tact_pair *pair = &model->pair[contact->pair];
    tact_real(*F)[3] = (tact_real(*)[3])contact->frame.m;
    tact_vec3 normal = tact_vec3_make(F[0][0], F[0][1], F[0][2]);
    tact_real lambda = contact->lambda[0], length = tact_sqrt(nu[1] * nu[1] + nu[2] * nu[2]);
    tact_vec3 *anchor = &state->anchor[contact->pair];
    state->normal[contact->pair] = normal;
    *anchor = tact_vec3_make(0, 0, 0);
    if (!(lambda >= options->force_min) || !(pair->mu > 0)) return;
    // s_max, equation (12) of docs/laws/barrier.md.
    tact_real most = 2 * TACT_ANCHOR_SHARE / (options->kappa * pair->mu * lambda * (1 - TACT_ANCHOR_SHARE * TACT_ANCHOR_SHARE));
    tact_real share = 1;
    // a sliding contact keeps at most its former length: if it followed the cap, which falls with lambda_n, contacts that share
    // a load would pass it back and forth
    if (length > most) share = tact_min(most, tact_sqrt(loaded[0] * loaded[0] + loaded[1] * loaded[1])) / length;
    // the displacement along the tangents, in the world's axes
    tact_vec3 s =
        tact_vec3_make(F[1][0] * nu[1] + F[2][0] * nu[2], F[1][1] * nu[1] + F[2][1] * nu[2], F[1][2] * nu[1] + F[2][2] * nu[2]);
    // rotated by the bodies' mean rotation about the normal, length unchanged
    tact_real angle =
        (spin(model, work, model->shape[pair->a].body, normal) + spin(model, work, model->shape[pair->b].body, normal)) / 2;
    tact_real sine = 0, cosine = 0;
    tact_sincos(angle, &sine, &cosine);
    tact_vec3 across = tact_vec3_cross(normal, s);
    *anchor = tact_vec3_add_scaled(tact_vec3_scale(share * cosine, s), share * sine, across);
}
