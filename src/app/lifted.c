// SPDX-License-Identifier: MIT
#include "app/lifted.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/table.h"

enum { SHOWN = 8, WIDE = 100 };

#define LIFTED 1e-3  // [m] that count as lifted
#define BORNE 0.1    // how far the forces may be from the weight, as a part of it
#define SLIGHT 1000  // a force this much smaller than the largest holds nothing

void tact_lifted_begin(tact_lifted *hold, tact_world *world) {
    const tact_model *model = &world->scene->model;
    TACT_ASSERT(hold && model->nbody >= 0);
    *hold = (tact_lifted){0};
    // pairs that each step finds have no number to keep a slip under
    if (model->search || model->npair == 0) return;
    hold->before = tact_memory_get((size_t)model->nbody * sizeof hold->before[0]);
    hold->slip = tact_memory_get((size_t)model->npair * sizeof hold->slip[0]);
    if (!hold->before || !hold->slip) {
        tact_lifted_free(hold);
        return;
    }
    memset(hold->slip, 0, (size_t)model->npair * sizeof hold->slip[0]);
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    memcpy(hold->before, world->work.kinematics.pose, (size_t)model->nbody * sizeof hold->before[0]);
}

void tact_lifted_free(tact_lifted *hold) {
    tact_memory_release(hold->before);
    tact_memory_release(hold->slip);
    *hold = (tact_lifted){0};
}

// Where the material point of a body that was at p is after the step.
static tact_vec3 carry(const tact_lifted *hold, const tact_pose *after, int body, tact_vec3 p) {
    if (body == TACT_WORLD) return p;
    TACT_ASSERT(body >= 0);
    // x+ = T+ T^-1 x
    const tact_pose *from = &hold->before[body];
    return tact_pose_apply(after[body], tact_mat3_apply_transposed(from->R, tact_vec3_sub(p, from->p)));
}

void tact_lifted_add(tact_lifted *hold, tact_world *world) {
    const tact_model *model = &world->scene->model;
    const tact_contacts *contacts = &world->work.contacts;
    TACT_ASSERT(contacts->count >= 0);
    if (!hold->before || world->work.status < 0) return;
    // poses after the step, and the greatest force, by which others count as load
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    const tact_pose *after = world->work.kinematics.pose;
    tact_real most = 0;
    for (int i = 0; i < contacts->count; i++)
        most = contacts->contact[i].lambda[0] > most ? contacts->contact[i].lambda[0] : most;
    // Material points of a and b at the contact move apart by d; what of it lies in the tangent plane is slip. A pair that opens
    // begins anew, and so do those of a body that the world still bears.
    size_t room = (size_t)model->npair + (size_t)model->nbody;
    bool *loaded = tact_memory_get(room * sizeof *loaded), *grounded = loaded ? loaded + model->npair : NULL;
    if (loaded) memset(loaded, 0, room * sizeof *loaded);
    for (int i = 0; i < contacts->count && loaded; i++) {
        const tact_contact *contact = &contacts->contact[i];
        const tact_pair *pair = &model->pair[contact->pair];
        int a = model->shape[pair->a].body, b = model->shape[pair->b].body;
        if (!(contact->lambda[0] > most / SLIGHT)) continue;
        tact_vec3 d = tact_vec3_sub(carry(hold, after, b, contact->point), carry(hold, after, a, contact->point));
        tact_vec3 n = tact_vec3_make(contact->frame.m[0][0], contact->frame.m[0][1], contact->frame.m[0][2]);
        d = tact_vec3_add_scaled(d, -tact_vec3_dot(d, n), n);
        if (!loaded[contact->pair]) hold->slip[contact->pair] += sqrt((double)tact_vec3_dot(d, d));
        loaded[contact->pair] = true;
        if (a == TACT_WORLD && b != TACT_WORLD) grounded[b] = true;
        if (b == TACT_WORLD && a != TACT_WORLD) grounded[a] = true;
    }
    for (int i = 0; i < model->npair && loaded; i++) {
        int a = model->shape[model->pair[i].a].body, b = model->shape[model->pair[i].b].body;
        bool borne = (a != TACT_WORLD && grounded[a]) || (b != TACT_WORLD && grounded[b]);
        if (!loaded[i] || borne) hold->slip[i] = 0;
    }
    tact_memory_release(loaded);
    memcpy(hold->before, after, (size_t)model->nbody * sizeof hold->before[0]);
}

// A number for a sentence.
static tact_number_text brief(double x, int digits) {
    return tact_rounded(x, digits);
}

// What holds a body: shapes of others with their normal forces, the greatest first.
typedef struct {
    int contact[SHOWN], count, more;
    double up, slip;  // sum of the forces upwards [N], the greatest slip [m]
    bool grounded;    // the world bears some of it
} grip;

// The contacts that bear load on a body, strongest first, with their force along `up` and their largest slip.
static grip find_grip(const tact_lifted *hold, const tact_world *world, int body, tact_vec3 up) {
    const tact_model *model = &world->scene->model;
    const tact_contacts *contacts = &world->work.contacts;
    TACT_ASSERT(body >= 0 && body < model->nbody);
    grip g = {.count = 0};
    tact_real most = 0;
    // first the greatest force, then all that bear load beside it
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < contacts->count; i++) {
            const tact_contact *contact = &contacts->contact[i];
            int a = model->shape[model->pair[contact->pair].a].body, b = model->shape[model->pair[contact->pair].b].body;
            if (a != body && b != body) continue;
            tact_real force = contact->lambda[0];
            if (pass == 0) most = force > most ? force : most;
            if (pass == 0 || !(force > most / SLIGHT)) continue;
            g.grounded = g.grounded || a == TACT_WORLD || b == TACT_WORLD;
            g.up += (b == body ? 1 : -1) * (double)tact_vec3_dot(contact->force, up);
            g.slip = fmax(g.slip, hold->slip[contact->pair]);
            // kept sorted on insertion
            int at = g.count;
            while (at > 0 && force > contacts->contact[g.contact[at - 1]].lambda[0]) at--;
            g.more += g.count == SHOWN;
            if (at == SHOWN) continue;
            for (int k = g.count < SHOWN ? g.count : SHOWN - 1; k > at; k--) g.contact[k] = g.contact[k - 1];
            g.contact[at] = i;
            g.count += g.count < SHOWN;
        }
    }
    return g;
}

// Prints: ball lifted 0.13 m, slip 0.08 mm, held by thumb 8.04, ring 2.49 N
static void tell(const tact_world *world, const grip *g, int body, double height, tact_text *out) {
    const tact_model *model = &world->scene->model;
    TACT_ASSERT(g->count > 0 && g->count <= SHOWN);
    char line[900];
    int used = snprintf(line, sizeof line, "%.200s lifted %s m, slip %s mm, held by", tact_body_name(model, body).text,
                        brief(height, 3).text, brief(g->slip < 5e-9 ? 0 : 1000 * g->slip, 2).text);
    for (int k = 0, column = used; k < g->count; k++) {
        const tact_contact *contact = &world->work.contacts.contact[g->contact[k]];
        const tact_pair *pair = &model->pair[contact->pair];
        int other = model->shape[pair->b].body == body ? pair->a : pair->b;
        char word[200];
        int size = snprintf(word, sizeof word, " %.60s %s%s", tact_shape_name(model, other).text,
                            brief((double)contact->lambda[0], 3).text, k + 1 < g->count ? "," : " N");
        // lines of at most WIDE columns
        bool wrap = column + size > WIDE;
        if (wrap) column = 2;
        used += snprintf(line + used, sizeof line - (size_t)used, "%s%s", wrap ? "\n " : "", word);
        column += size;
        if (used > (int)sizeof line - 210) break;
    }
    // names come from the scene: each line is escaped
    tact_text_add(out, "\n");
    for (char *at = line, *end = line; at; at = end ? end + 1 : NULL) {
        end = strchr(at, '\n');
        if (end) *end = '\0';
        tact_text_add_escaped(out, at);
        tact_text_add(out, "\n");
    }
}

void tact_lifted_print(const tact_lifted *hold, tact_world *world, tact_text *out) {
    const tact_model *model = &world->scene->model;
    tact_vec3 gravity = world->scene->options.gravity;
    double g = sqrt((double)tact_vec3_dot(gravity, gravity));
    if (!hold->before || !(g > 0) || world->work.status < 0) return;
    // free objects that gravity draws down and that are higher than they were
    tact_vec3 up = tact_vec3_scale((tact_real)(-1 / g), gravity);
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        bool object = body->joint == TACT_JOINT_FREE || body->joint == TACT_JOINT_TRANSLATION || body->joint == TACT_JOINT_PLANAR;
        if (!object || body->parent != TACT_WORLD || body->mass == 0 || model->dof[body->v].u >= 0) continue;
        // height now over height at the start, along what is up
        tact_kinematics_update(&world->work.kinematics, model, model->q0);
        tact_vec3 start = tact_pose_apply(world->work.kinematics.pose[b], body->com);
        tact_kinematics_update(&world->work.kinematics, model, world->state.q);
        tact_vec3 end = tact_pose_apply(world->work.kinematics.pose[b], body->com);
        double height = (double)tact_vec3_dot(up, tact_vec3_sub(end, start));
        if (!(height > LIFTED)) continue;
        grip held = find_grip(hold, world, b, up);
        double weight = (double)body->mass * g;
        if (held.count > 0 && !held.grounded && fabs(held.up - weight) < BORNE * weight) tell(world, &held, b, height, out);
    }
}
