// SPDX-License-Identifier: MIT
// Contact pairs and exclusions. A pair lists two geoms that touch whatever their contype, conaffinity and bodies say; an
// exclusion two bodies whose geoms do not.
#include <math.h>
#include <string.h>

#include "scene/mjcf_parts.h"
#include "scene/quote.h"

// the first element of a section of the model, or the next one of any such section
static int next_element(tact_mjcf *m, const char *section, int element) {
    int at = element < 0 ? m->nodes[0].first : m->nodes[element].next, parent = element < 0 ? -1 : m->nodes[element].parent;
    if (element >= 0 && at >= 0) return at;
    for (int i = parent < 0 ? at : m->nodes[parent].next; i >= 0; i = m->nodes[i].next) {
        if (!tact_mjcf_is(m, i, section)) continue;
        m->nodes[i].seen = true;
        if (m->nodes[i].first >= 0) return m->nodes[i].first;
    }
    return -1;
}

bool tact_mjcf_find_paired(tact_mjcf *m) {
    static const char *const attributes[] = {"geom1", "geom2"};
    for (int i = next_element(m, "contact", -1); i >= 0; i = next_element(m, "contact", i)) {
        for (int k = 0; k < 2 && tact_mjcf_is(m, i, "pair"); k++) {
            const char *name = tact_mjcf_text(m, i, attributes[k]);
            if (name) tact_name_table_add(&m->names, TACT_MJCF_PAIRED, name, strlen(name), i);
        }
    }
    return true;
}

// the element that an attribute names, -1 after refusing; 0: the world
static int find(tact_mjcf *m, int node, const char *attribute, int scope) {
    const char *name = tact_mjcf_text(m, node, attribute), *kind = scope == TACT_MJCF_BODY ? "body" : "geom";
    if (!name) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "attribute \"%s\" is missing", attribute);
        return -1;
    }
    if (scope == TACT_MJCF_BODY && strcmp(name, TACT_SCENE_WORLD) == 0) return 0;
    int element = tact_name_table_find(&m->names, scope, name);
    if (element > 0) return element;
    tact_nearest nearest = {.word = name};
    for (int i = 0; m->nnode <= 2000 && i < m->nnode && !tact_errors_full(m->draft->errors, TACT_ERROR_REFUSED); i++) {
        const char *other = tact_mjcf_is(m, i, kind) ? tact_xml_value(TACT_MJCF_AT(m, i), "name") : NULL;
        if (other) tact_nearest_try(&nearest, other);
    }
    tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "no %s %s%s", kind, tact_quote(name).text,
                    tact_nearest_hint(&nearest).text);
    return -1;
}

// a copy of what an element is called
static const char *name_of(tact_mjcf *m, int element) {
    return element > 0 ? tact_mjcf_name(m, element, "name") : NULL;
}

static void read_excluded(tact_mjcf *m, int node) {
    m->nodes[node].seen = true;
    tact_mjcf_text(m, node, "name");
    int a = find(m, node, "body1", TACT_MJCF_BODY), b = find(m, node, "body2", TACT_MJCF_BODY);
    if (a < 0 || b < 0) return;
    tact_draft_contact *excluded = tact_draft_add_excluded(m->draft);
    if (!excluded) return;
    excluded->a = name_of(m, a);
    excluded->b = name_of(m, b);
    excluded->mark = tact_mjcf_mark(m, node);
}

// The first number of its friction is that of a pair here. Without contact dimensions beside the normal there is none.
static void read_pair(tact_mjcf *m, int node) {
    double friction[5] = {0, 0, 0, 0, 0}, mu = -1;
    int condim = 3;
    m->nodes[node].seen = true;
    tact_mjcf_text(m, node, "name");
    int a = find(m, node, "geom1", TACT_MJCF_GEOM), b = find(m, node, "geom2", TACT_MJCF_GEOM);
    int count = tact_mjcf_numbers(m, node, "friction", friction, 1, 5);
    if (count > 0) mu = friction[0];
    if (tact_mjcf_whole(m, node, "condim", &condim)) {
        if (condim != 1 && condim != 3 && condim != 4 && condim != 6)
            tact_xml_refuse(TACT_MJCF_AT(m, node), "condim", "must be 1, 3, 4 or 6 (found %d)", condim);
        if (condim == 1) mu = 0;
        if (condim > 3) tact_mjcf_leave(m, "pair@condim (friction of rolling and turning)");
    }
    if (mu > 10 || (mu < 0 && (count > 0 && condim != 1))) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "friction", "must be within [0, 10] (found %s)", tact_number_print(mu).text);
        return;
    }
    if (count > 1 && friction[1] != friction[0]) tact_mjcf_leave(m, "pair@friction (of the second direction)");
    if (a < 0 || b < 0) return;
    if (!m->nodes[a].shape || !m->nodes[b].shape) {
        tact_mjcf_leave(m, "pair (of a geom that is no shape)");
        return;
    }
    tact_draft_contact *pair = tact_draft_add_pair(m->draft);
    if (!pair) return;
    pair->a = name_of(m, a);
    pair->b = name_of(m, b);
    pair->mu = (tact_real)mu;
    pair->mark = tact_mjcf_mark(m, node);
}

void tact_mjcf_read_contacts(tact_mjcf *m) {
    for (int i = next_element(m, "contact", -1); i >= 0; i = next_element(m, "contact", i)) {
        if (tact_mjcf_is(m, i, "exclude")) read_excluded(m, i);
        if (tact_mjcf_is(m, i, "pair")) read_pair(m, i);
    }
}

// ---- keyframes ----

// The place of a free body from where the model puts it, as its coordinates count.
static void set_free(const tact_mjcf *m, const tact_mjcf_joint *joint, const double *qpos, tact_draft_coordinate *x) {
    tact_mjcf_pose at = {.p = {qpos[0], qpos[1], qpos[2]}, .q = {qpos[3], qpos[4], qpos[5], qpos[6]}};
    const tact_mjcf_pose *rest = &m->bodies[joint->body].pose;
    tact_mjcf_pose back = {{-rest->p[0], -rest->p[1], -rest->p[2]}, {rest->q[0], -rest->q[1], -rest->q[2], -rest->q[3]}};
    // a quaternion without a length is none, as in MuJoCo
    if (!tact_mjcf_normalise(at.q, 4)) memcpy(at.q, (double[4]){1, 0, 0, 0}, sizeof at.q);
    tact_mjcf_rotate(back.q, back.p, back.p);
    at = tact_mjcf_compose(&back, &at);
    x->count = 7;
    for (int k = 0; k < 7; k++) x->value[k] = (tact_real)(k < 3 ? at.p[k] : at.q[k - 3]);
}

// qpos: coordinates of all joints in the order of the model; followers are left to their leaders
static void read_positions(tact_mjcf *m, int node, tact_draft_keyframe *key) {
    int count = 0, need = 0, at = 0;
    const double *qpos = tact_mjcf_list(m, node, "qpos", &count);
    for (int j = 0; j < m->njoint; j++) need += m->joints[j].values.type == TACT_MJCF_FREE ? 7 : 1;
    if (!qpos) return;
    if (count != need) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "qpos", "expected %d numbers, found %d", need, count);
        return;
    }
    if (!tact_mjcf_within(m, node, "qpos", qpos, count, TACT_MOST_LENGTH)) return;
    tact_draft_coordinate *q = tact_draft_take(m->draft, (size_t)(m->njoint + 1) * sizeof q[0]);
    const double **place = tact_draft_take(m->draft, (size_t)(m->njoint + 1) * sizeof place[0]);
    if (!q || !place) return;
    for (int j = 0; j < m->njoint; j++) {
        place[j] = qpos + at;
        at += m->joints[j].values.type == TACT_MJCF_FREE ? 7 : 1;
    }
    for (int j = 0; j < m->njoint; j++) {
        const tact_mjcf_joint *joint = &m->joints[j];
        if (joint->leader >= 0) {
            double off = place[j][0] - joint->ratio * place[joint->leader][0] - joint->offset;
            if (fabs(off) > 1e-3) tact_mjcf_leave(m, "key@qpos of a joint that follows another (its own is off)");
            continue;
        }
        tact_draft_coordinate *x = &q[key->nq];
        *x = (tact_draft_coordinate){.joint = joint->name, .count = 1, .value = {(tact_real)place[j][0]}};
        if (joint->values.type == TACT_MJCF_FREE) set_free(m, joint, place[j], x);
        if (joint->name) key->nq++;
    }
    key->q = q;
}

// ctrl: commands of all actuators in the order of the model, as positions of the joints that they drive
static void read_controls(tact_mjcf *m, int node, tact_draft_keyframe *key) {
    int count = 0;
    const double *ctrl = tact_mjcf_list(m, node, "ctrl", &count);
    if (!ctrl) return;
    if (count != m->nmotor) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "ctrl", "expected %d numbers, found %d", m->nmotor, count);
        return;
    }
    key->command = tact_draft_take(m->draft, (size_t)(count + 1) * sizeof key->command[0]);
    for (int i = 0; i < count && key->command; i++) {
        const tact_mjcf_motor *motor = &m->motors[i];
        if (motor->joint < 0) {
            if (ctrl[i] != 0) tact_mjcf_leave(m, "key@ctrl of an actuator that makes no drive");
            continue;
        }
        double q = (-(motor->gain * ctrl[i] + motor->bias) / motor->stiffness - motor->constant) / motor->coefficient;
        if (!tact_mjcf_within(m, node, "ctrl", &q, 1, TACT_MOST_LENGTH)) return;
        tact_draft_coordinate *x = &key->command[key->ncommand];
        *x = (tact_draft_coordinate){.joint = m->joints[motor->joint].name, .count = 1, .value = {(tact_real)q}};
        if (x->joint) key->ncommand++;
    }
}

void tact_mjcf_read_keyframes(tact_mjcf *m) {
    int number = 0;
    for (int i = next_element(m, "keyframe", -1); i >= 0; i = next_element(m, "keyframe", i)) {
        if (!tact_mjcf_is(m, i, "key")) continue;
        m->nodes[i].seen = true;
        const char *name = tact_mjcf_name(m, i, "name");
        if (name && !tact_mjcf_add_name(m, TACT_MJCF_KEY, i, name, i)) return;
    }
    for (int i = next_element(m, "keyframe", -1); i >= 0; i = next_element(m, "keyframe", i)) {
        if (!tact_mjcf_is(m, i, "key")) continue;
        const char *name = tact_mjcf_name(m, i, "name");
        if (!name) name = tact_mjcf_make_name(m, TACT_MJCF_KEY, "key", "", &number);
        tact_draft_keyframe *key = tact_draft_add_keyframe(m->draft);
        if (!key) return;
        key->name = name;
        key->mark = tact_mjcf_mark(m, i);
        read_positions(m, i, key);
        read_controls(m, i, key);
    }
}
