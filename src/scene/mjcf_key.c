// SPDX-License-Identifier: MIT
// Keyframes: qpos as coordinates of the joints, ctrl as the positions that the actuators then ask for.
#include <math.h>
#include <string.h>

#include "scene/mjcf_parts.h"

// The place of a free body from where the model puts it, as its coordinates count.
static void set_free(const tact_mjcf *m, const tact_mjcf_joint *joint, const double *qpos, tact_draft_coordinate *x) {
    tact_mjcf_pose at = {.p = {qpos[0], qpos[1], qpos[2]}, .q = {qpos[3], qpos[4], qpos[5], qpos[6]}};
    const tact_mjcf_pose back = tact_mjcf_invert(&m->bodies[joint->body].pose);
    // a quaternion without a length is none, as in MuJoCo
    if (!tact_mjcf_normalise(at.q, 4)) memcpy(at.q, (double[4]){1, 0, 0, 0}, sizeof at.q);
    at = tact_mjcf_compose(&back, &at);
    x->count = 7;
    for (int k = 0; k < 3; k++) x->value[k] = (tact_real)at.p[k];
    for (int k = 0; k < 4; k++) x->value[3 + k] = (tact_real)at.q[k];
}

// qpos: coordinates of all joints in the order of the model; followers are left to their leaders
static void read_positions(tact_mjcf *m, int node, tact_draft_keyframe *key) {
    int count = 0, need = 0, at = 0;
    const double *qpos = tact_mjcf_list(m, node, "qpos", &count);
    for (int j = 0; j < m->njoint; j++) need += m->joints[j].values.type == TACT_MJCF_FREE ? 7 : 1;
    if (!qpos) return;
    if (count != need) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "qpos", "expected %d numbers, found %d%s", need, count,
                        m->nbody == 0 ? ": there are no bodies, take the model that includes this file" : "");
        return;
    }
    if (!tact_mjcf_within(m, node, "qpos", qpos, count, TACT_MOST_LENGTH)) return;
    tact_draft_coordinate *q = tact_draft_take(m->draft, (size_t)(m->njoint + 1) * sizeof q[0]);
    const double **place = tact_draft_take(m->draft, (size_t)(m->njoint + 1) * sizeof place[0]);
    if (!q || !place) return;
    // places in qpos: seven numbers a free joint, one of any other
    for (int j = 0; j < m->njoint; j++) {
        place[j] = qpos + at;
        at += m->joints[j].values.type == TACT_MJCF_FREE ? 7 : 1;
    }
    for (int j = 0; j < m->njoint; j++) {
        const tact_mjcf_joint *joint = &m->joints[j];
        // a follower has no coordinate here; a keyframe that has it elsewhere than its leader would put it is reported
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
        double q = tact_mjcf_rest(motor, ctrl[i]);
        if (!tact_mjcf_within(m, node, "ctrl", &q, 1, TACT_MOST_LENGTH)) return;
        tact_draft_coordinate *x = &key->command[key->ncommand];
        *x = (tact_draft_coordinate){.joint = m->joints[motor->joint].name, .count = 1, .value = {(tact_real)q}};
        if (x->joint) key->ncommand++;
    }
}

void tact_mjcf_read_keyframes(tact_mjcf *m) {
    int number = 0;
    // names first, so that made-up names avoid all of them
    for (int i = tact_mjcf_next_element(m, "keyframe", -1); i >= 0; i = tact_mjcf_next_element(m, "keyframe", i)) {
        if (!tact_mjcf_is(m, i, "key")) continue;
        m->nodes[i].seen = true;
        const char *name = tact_mjcf_name(m, i, "name");
        if (name && !tact_mjcf_add_name(m, TACT_MJCF_KEY, i, name, i)) return;
    }
    for (int i = tact_mjcf_next_element(m, "keyframe", -1); i >= 0; i = tact_mjcf_next_element(m, "keyframe", i)) {
        if (!tact_mjcf_is(m, i, "key")) continue;
        const char *name = tact_mjcf_name(m, i, "name");
        if (!name) name = tact_mjcf_make_name(m, TACT_MJCF_KEY, "key", "", &number);
        tact_draft_keyframe *key = tact_draft_add_keyframe(m->draft);
        if (!key) return;
        key->name = name;
        key->mark = tact_mjcf_mark(m, i);
        read_positions(m, i, key);
        read_controls(m, i, key);
        // a fragment is reported once
        if (m->nbody == 0 && m->draft->errors->errors > m->before) return;
    }
}
