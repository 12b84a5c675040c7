// SPDX-License-Identifier: MIT
// What moves the joints. A linear equality of two joints makes the first follow the second. An actuator whose force is
// gain u - k length - d velocity drives its joint with the stiffness k and the damping d; where the length is a sum of joints
// that all follow one, x = C q + c, it is a drive of that one with k C^2 and d C^2; of others a drive on the sum.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/mjcf_parts.h"

#define CHAIN_MOST 1000  // joints that follow one another
#define TENDON_MOST 256  // joints of a tendon that are looked at, for each of its actuators

static bool is_scalar(const tact_mjcf_joint *joint) {
    return joint->values.type == TACT_MJCF_HINGE || joint->values.type == TACT_MJCF_SLIDE;
}

// the joint that an attribute names, -1 after refusing
static int find_joint(tact_mjcf *m, int node, const char *attribute) {
    int element = tact_mjcf_find_named(m, node, attribute, TACT_MJCF_JOINT);
    return element > 0 ? m->nodes[element].joint : -1;
}

// ---- equalities ----

// the joint at the end of a chain of followers, and own coordinate = *ratio its coordinate + *offset; -1: too long a chain
static int find_root(const tact_mjcf *m, int joint, double *ratio, double *offset) {
    *ratio = 1;
    *offset = 0;
    for (int i = 0; i < CHAIN_MOST; i++) {
        if (m->joints[joint].leader < 0) return joint;
        *offset += *ratio * m->joints[joint].offset;
        *ratio *= m->joints[joint].ratio;
        joint = m->joints[joint].leader;
    }
    return -1;
}

// Makes joint1 of a linear joint equality follow joint2; other equalities are left out, and say so.
static void read_equality(tact_mjcf *m, int node) {
    const tact_mjcf_class *class = tact_mjcf_class_of(m, node, "class", &m->classes[0]);
    if (!class) return;
    tact_mjcf_equality equality = class->equality;
    tact_mjcf_apply_equality(m, node, &equality);
    int joint = find_joint(m, node, "joint1"), leader = tact_mjcf_text(m, node, "joint2") ? find_joint(m, node, "joint2") : -2;
    if (joint < 0 || leader == -1) return;
    double ratio = 1, offset = 0;
    if (!equality.active) {
        tact_mjcf_leave(m, "joint equality (not active)");
    } else if (leader < 0) {
        tact_mjcf_leave(m, "joint equality (with a constant)");
    } else if (equality.poly[2] != 0 || equality.poly[3] != 0 || equality.poly[4] != 0) {
        tact_mjcf_leave(m, "joint equality (not linear)");
    } else if (!is_scalar(&m->joints[joint]) || !is_scalar(&m->joints[leader])) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "only hinges and slides can follow one another");
    } else if (m->joints[joint].leader >= 0) {
        tact_mjcf_leave(m, "joint equality (of a joint that follows another already)");
    } else if (find_root(m, leader, &ratio, &offset) == joint || find_root(m, leader, &ratio, &offset) < 0) {
        tact_mjcf_leave(m, "joint equality (that closes a circle)");
    } else if (tact_mjcf_within(m, node, "polycoef", equality.poly, 2, TACT_MOST_LENGTH)) {
        // coordinates are counted from those of the initial position
        tact_mjcf_joint *own = &m->joints[joint];
        own->leader = leader;
        own->ratio = equality.poly[1];
        own->offset = equality.poly[0] + own->values.ref - own->ratio * m->joints[leader].values.ref;
        tact_draft_body *body = &m->draft->bodies[own->draft];
        body->mimic = m->joints[leader].name;
        body->ratio = (tact_real)own->ratio;
        body->offset = (tact_real)own->offset;
    }
}

// ---- inertia, for damping ratios ----

// composite masses at the initial position (Featherstone 2008, ch. 6), about the world's origin; bodies come after their parents
static void add_up(tact_mjcf *m) {
    for (int i = 0; i < m->nbody; i++) {
        tact_mjcf_body *body = &m->bodies[i];
        double com[3];
        body->world = body->parent < 0 ? body->pose : tact_mjcf_compose(&m->bodies[body->parent].world, &body->pose);
        tact_mjcf_rotate(body->world.q, body->com, com);
        for (int k = 0; k < 3; k++) body->all_moment[k] = body->mass * (com[k] += body->world.p[k]);
        body->all_mass = body->mass;
        memcpy(body->all_inertia, body->inertia, sizeof body->inertia);
        tact_mjcf_turn_inertia(body->world.q, body->all_inertia);
        tact_mjcf_shift_inertia(body->mass, com, body->all_inertia);
    }
    for (int b = m->nbody - 1; b >= 0; b--) {
        const tact_mjcf_body *from = &m->bodies[b];
        if (from->parent < 0) continue;
        tact_mjcf_body *to = &m->bodies[from->parent];
        to->all_mass += from->all_mass;
        for (int i = 0; i < 3; i++) to->all_moment[i] += from->all_moment[i];
        for (int i = 0; i < 6; i++) to->all_inertia[i] += from->all_inertia[i];
    }
}

// the diagonal of the joint-space inertia at the initial position
static double joint_inertia(const tact_mjcf *m, int index) {
    const tact_mjcf_joint *joint = &m->joints[index];
    const tact_mjcf_body *body = &m->bodies[joint->body];
    double I[6], com[3], arm[3], axis[3], anchor[3], armature = joint->values.armature;
    if (joint->values.type == TACT_MJCF_SLIDE || body->all_mass == 0) return body->all_mass + armature;
    tact_mjcf_rotate(body->world.q, joint->values.axis, axis);
    tact_mjcf_rotate(body->world.q, joint->values.pos, anchor);
    for (int k = 0; k < 3; k++) {
        com[k] = body->all_moment[k] / body->all_mass;
        arm[k] = com[k] - anchor[k] - body->world.p[k];
    }
    memcpy(I, body->all_inertia, sizeof I);
    tact_mjcf_shift_inertia(-body->all_mass, com, I);
    tact_mjcf_shift_inertia(body->all_mass, arm, I);
    double x = axis[0], y = axis[1], z = axis[2];
    return I[0] * x * x + I[1] * y * y + I[2] * z * z + 2 * (I[3] * x * y + I[4] * x * z + I[5] * y * z) + armature;
}

// ---- actuators ----

// length = coefficient x coordinate of a joint + a constant, or a sum of terms of several; mass: what moves with it, for a
// damping ratio
typedef struct {
    int joint;
    double coefficient, constant, mass;
    int count, term[TACT_SPRING_MOST];  // of a sum: joints, the first of which has the command
    double factor[TACT_SPRING_MOST];
} transmission;

static void add_joint(const tact_mjcf *m, int joint, double coefficient, transmission *to, bool *good) {
    double ratio = 1, offset = 0, square = coefficient * coefficient;
    int root = find_root(m, joint, &ratio, &offset);
    *good = *good && root >= 0 && (to->joint < 0 || to->joint == root);
    to->joint = root;
    to->coefficient += coefficient * ratio;
    to->constant += coefficient * offset;
    if (square > 1e-15) to->mass += joint_inertia(m, joint) / square;
}

// a joint that no actuator drives comes first of the terms of a sum; false when there is none
static bool choose_first(const tact_mjcf *m, transmission *to) {
    double ratio = 1, offset = 0;
    for (int k = 0; k < to->count; k++) {
        int root = find_root(m, to->term[k], &ratio, &offset), term = to->term[0];
        double factor = to->factor[0];
        if (to->factor[k] == 0 || root < 0 || m->joints[root].driver > 0) continue;
        to->term[0] = to->term[k];
        to->factor[0] = to->factor[k];
        to->term[k] = term;
        to->factor[k] = factor;
        to->joint = root;
        return true;
    }
    return false;
}

// the joints of a fixed tendon; false after telling or refusing
static bool read_tendon(tact_mjcf *m, int node, double gear, transmission *to) {
    int tendon = tact_mjcf_find_named(m, node, "tendon", TACT_MJCF_TENDON);
    bool good = true, tied = true, few = true;
    int looked = 0;
    if (tendon < 0) return false;
    if (!tact_mjcf_is(m, tendon, "fixed")) {
        tact_mjcf_leave(m, "actuator of a spatial tendon");
        return false;
    }
    for (int i = m->nodes[tendon].first; i >= 0; i = m->nodes[i].next) {
        double coefficient = 1;
        if (!tact_mjcf_is(m, i, "joint")) continue;
        // more are too many for a drive
        if (looked++ == TENDON_MOST) {
            tied = few = false;
            break;
        }
        int joint = find_joint(m, i, "joint");
        if (joint < 0) return false;
        tact_mjcf_number(m, i, "coef", &coefficient);
        // sums are of hinges and slides
        if (!is_scalar(&m->joints[joint])) good = false;
        if (!good) continue;
        add_joint(m, joint, gear * coefficient, to, &tied);
        few = few && to->count < TACT_SPRING_MOST;
        if (!few) continue;
        to->term[to->count] = joint;
        to->factor[to->count++] = gear * coefficient;
    }
    // joints that all follow one: that one is driven, not a sum
    if (tied) to->count = 0;
    if (good && to->joint >= 0 && (tied || (few && choose_first(m, to)))) {
        m->nodes[tendon].seen = true;
        for (int i = m->nodes[tendon].first; i >= 0; i = m->nodes[i].next) m->nodes[i].seen = tact_mjcf_is(m, i, "joint");
        return true;
    }
    tact_mjcf_leave(m, good && !few ? "actuator of a fixed tendon (of more than 4 joints)" : "actuator of a fixed tendon");
    return false;
}

// The joint or the sum of joints that an actuator acts on. False after telling that it is left out, or refusing it.
static bool read_transmission(tact_mjcf *m, int node, double gear, transmission *to) {
    const char *attribute = tact_mjcf_text(m, node, "joint") ? "joint" : "jointinparent";
    bool good = true;
    *to = (transmission){.joint = -1};
    if (tact_mjcf_text(m, node, "tendon")) return read_tendon(m, node, gear, to);
    if (!tact_mjcf_text(m, node, attribute)) {
        tact_mjcf_leave(m, "actuator of a site or body");
        return false;
    }
    int joint = find_joint(m, node, attribute);
    if (joint < 0) return false;
    if (!is_scalar(&m->joints[joint])) {
        tact_mjcf_leave(m, "actuator of a free joint");
        return false;
    }
    add_joint(m, joint, gear, to, &good);
    if (!good) tact_mjcf_leave(m, "actuator of a long chain of followers");
    return good;
}

double tact_mjcf_rest(const tact_mjcf_motor *motor, double u) {
    return (-(motor->gain * u + motor->bias) / motor->stiffness - motor->constant) / motor->coefficient;
}

// Commands are bounded by the joint's range, as planners do; a range of commands that differs by more than 1/1000 is reported.
static void check_commands(tact_mjcf *m, int node, const tact_mjcf_actuator *a, const tact_mjcf_motor *motor) {
    const tact_mjcf_joint_values *v = &m->joints[motor->joint].values;
    const double *u = a->command_range;
    bool some = u[0] < u[1], own = a->inherit == 0;
    if (own && (a->command_limited == TACT_MJCF_FALSE || (a->command_limited == TACT_MJCF_AUTO && !some))) return;
    if (own && !(some && (a->command_limited == TACT_MJCF_TRUE || m->auto_limits))) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "ctrlrange",
                        some ? "ctrllimited must be given, as autolimits is false" : "the lower end must be below the upper one");
    } else if (!own && !(v->range[0] < v->range[1])) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "inheritrange", "the joint has no range");
    } else if (!own) {
        // that of the joint itself is what planners keep
        if (a->inherit != 1 || v->limited == TACT_MJCF_FALSE)
            tact_mjcf_leave(m, "inheritrange other than 1, or of a joint without limits");
    } else {
        double low = tact_mjcf_rest(motor, u[0]), high = tact_mjcf_rest(motor, u[1]), span = v->range[1] - v->range[0];
        double off = fabs(fmin(low, high) - v->range[0]) + fabs(fmax(low, high) - v->range[1]);
        if (v->limited != TACT_MJCF_TRUE || !(off <= 1e-3 * span))
            tact_mjcf_leave(m, "ctrlrange other than the joint's range, which bounds commands");
    }
}

static const char one_sided[] = "force limits that are not symmetric (the larger holds)";

// a drive on a sum of coordinates: its command is gain u + bias over the stiffness
static void add_sum(tact_mjcf *m, int node, const tact_mjcf_actuator *a, const transmission *to, tact_mjcf_motor *motor) {
    double limit = tact_mjcf_force_limit(m, node, a->force_range, a->force_limited, one_sided);
    // force = gain u + bias0 + bias1 s + bias2 s'; stiffness k = -bias1, damping -bias2, or ratio 2 sqrt(k m)
    double k = -a->bias[1], values[2] = {k, a->bias[2] > 0 ? a->bias[2] * 2 * sqrt(k * to->mass) : -a->bias[2]};
    if (!tact_mjcf_within(m, node, NULL, values, 2, TACT_MOST_DRIVE)) return;
    tact_draft_spring *spring = tact_draft_add_spring(m->draft);
    if (!spring) return;
    spring->command = true;
    spring->stiffness = (tact_real)values[0];
    spring->damping = (tact_real)values[1];
    spring->force_limit = (tact_real)limit;
    spring->mark = tact_mjcf_mark(m, node);
    for (int i = 0; i < to->count; i++) {
        spring->joint[i] = m->joints[to->term[i]].name;
        spring->factor[i] = (tact_real)to->factor[i];
        m->joints[to->term[i]].part = true;
    }
    spring->count = to->count;
    if (a->gain != k || a->bias[0] != 0) tact_mjcf_leave(m, "scale of an actuator's command (it is the sum of the joints)");
    *motor = (tact_mjcf_motor){to->joint, a->gain, a->bias[0], a->bias[1], 1, 0};
    // the sum of the joints' ranges is what planners keep
    double range[2] = {0, 0}, ends[2] = {tact_mjcf_rest(motor, a->command_range[0]), tact_mjcf_rest(motor, a->command_range[1])};
    for (int i = 0; i < to->count; i++)
        for (int e = 0; e < 2; e++)
            range[e] += to->factor[i] * m->joints[to->term[i]].values.range[to->factor[i] < 0 ? 1 - e : e];
    const bool other =
        fabs(fmin(ends[0], ends[1]) - range[0]) + fabs(fmax(ends[0], ends[1]) - range[1]) > 1e-3 * (range[1] - range[0]);
    if (a->inherit > 0 || (a->command_limited != TACT_MJCF_FALSE && a->command_range[0] < a->command_range[1] && other))
        tact_mjcf_leave(m, "ctrlrange of a drive on a sum of joints");
    m->joints[to->joint].driver = node;
    m->joints[to->joint].summed = true;
}

// true for an actuator that holds a position
static bool is_position(tact_mjcf *m, int node, const tact_mjcf_actuator *a) {
    char label[96];
    if (!a->other && a->gain_type == 0 && a->bias_type == 1 && a->dyn_type == 0 && a->bias[1] < 0) return true;
    snprintf(label, sizeof label, "actuator %.30s (no position is held: a drive is needed)", tact_mjcf_kind(m, node));
    tact_mjcf_leave(m, label);
    return false;
}

// What a motor can do, by its range of commands or of forces, is the joint's effort, which limits the drive that the command
// gives it.
static void note_strength(tact_mjcf *m, int node, const tact_mjcf_actuator *a, const transmission *to) {
    if (!tact_mjcf_is(m, node, "motor") || to->count > 0) return;
    tact_mjcf_within(m, node, "ctrlrange", a->command_range, 2, TACT_MOST_DRIVE);
    double limit = tact_mjcf_force_limit(m, node, a->force_range, a->force_limited, one_sided);
    double command = tact_mjcf_force_limit(m, node, a->command_range, a->command_limited, one_sided);
    if (limit == 0 || (command > 0 && command < limit)) limit = command;
    m->draft->bodies[m->joints[to->joint].draft].effort = limit * fabs(to->coefficient);
}

// Makes an actuator that holds a position the drive of its joint, or of a sum of joints: k C^2 and d C^2 as above.
static void read_actuator(tact_mjcf *m, int node, tact_mjcf_motor *motor) {
    const tact_mjcf_class *class = tact_mjcf_class_of(m, node, "class", &m->classes[0]);
    transmission to;
    if (!class) return;
    tact_mjcf_actuator a = class->actuator;
    int before = m->draft->errors->errors;
    tact_mjcf_apply_actuator(m, node, &a);
    // what a joint is named wrongly is refused also where the actuator is left out
    if (m->draft->errors->errors > before || !read_transmission(m, node, a.gear, &to)) return;
    if (!is_position(m, node, &a)) {
        note_strength(m, node, &a, &to);
        return;
    }
    if (to.count > 0) {
        add_sum(m, node, &a, &to, motor);
        return;
    }
    tact_mjcf_joint *joint = &m->joints[to.joint];
    double square = to.coefficient * to.coefficient, k = -a.bias[1];
    double damping = a.bias[2] > 0 ? a.bias[2] * 2 * sqrt(k * to.mass) : -a.bias[2];
    if (joint->driver > 0 || square == 0) {
        tact_mjcf_leave(m, square == 0 ? "actuator without effect" : "further actuator of a joint");
        return;
    }
    double values[2] = {k * square, damping * square};
    if (!tact_mjcf_within(m, node, NULL, values, 2, TACT_MOST_DRIVE)) return;
    if (a.gain != k || to.coefficient != 1 || a.bias[0] != 0)
        tact_mjcf_leave(m, "scale of an actuator's command (it is the joint's position)");
    *motor = (tact_mjcf_motor){to.joint, a.gain, a.bias[0], a.bias[1], to.coefficient, to.constant};
    check_commands(m, node, &a, motor);
    joint->driver = node;
    joint->stiffness = values[0];
    joint->damping = values[1];
    joint->force_limit = tact_mjcf_force_limit(m, node, a.force_range, a.force_limited, one_sided) * fabs(to.coefficient);
}

tact_draft_spring *tact_mjcf_add_spring(tact_mjcf *m, const tact_mjcf_joint *joint) {
    tact_draft_spring *spring = tact_draft_add_spring(m->draft);
    if (!spring) return NULL;
    spring->count = 1;
    spring->joint[0] = joint->name;
    spring->factor[0] = 1;
    spring->mark = tact_mjcf_mark(m, joint->node);
    return spring;
}

// What all actuators of a joint may do together limits its drive.
static void limit_drives(tact_mjcf *m) {
    for (int j = 0; j < m->njoint; j++) {
        tact_mjcf_joint *joint = &m->joints[j];
        const tact_mjcf_joint_values *v = &joint->values;
        double limit = tact_mjcf_force_limit(m, joint->node, v->force_range, v->force_limited, one_sided);
        if (!(limit > 0)) continue;
        if (joint->driver == 0 || joint->summed)
            tact_mjcf_leave(m, "joint@actuatorfrcrange (without a drive of its own)");
        else if (joint->force_limit == 0 || limit < joint->force_limit)
            joint->force_limit = limit;
    }
}

// The drives of the joints, with the joints' damping; damping of a joint without a drive is reported as left out.
static void add_drives(tact_mjcf *m) {
    limit_drives(m);
    for (int j = 0; j < m->njoint; j++) {
        const tact_mjcf_joint *joint = &m->joints[j];
        double ratio = 1, offset = 0;
        int root = find_root(m, j, &ratio, &offset);
        // Damping of a joint with a spring is in that spring. Otherwise it goes into the drive; where the drive has a force
        // limit, which does not limit the damping, or is one on a sum, into a spring of its own.
        if (joint->values.damping == 0 || joint->values.stiffness > 0) continue;
        bool driven = root >= 0 && m->joints[root].driver > 0 && !m->joints[root].summed;
        if (joint->part || (driven && m->joints[root].force_limit > 0)) {
            tact_draft_spring *spring = tact_mjcf_add_spring(m, joint);
            if (spring) spring->damping = (tact_real)joint->values.damping;
        } else if (driven) {
            m->joints[root].damping += ratio * ratio * joint->values.damping;
        } else {
            tact_mjcf_leave(m, "joint@damping (without a drive)");
        }
    }
    for (int j = 0; j < m->njoint; j++) {
        const tact_mjcf_joint *joint = &m->joints[j];
        if (joint->driver == 0 || joint->summed) continue;
        if (!tact_mjcf_within(m, joint->driver, NULL, &joint->damping, 1, TACT_MOST_DRIVE)) continue;
        tact_draft_drive *drive = tact_draft_add_drive(m->draft);
        if (!drive) return;
        // one drive for each joint that an actuator moves by itself
        drive->joint = joint->name;
        drive->stiffness = (tact_real)joint->stiffness;
        drive->damping = (tact_real)joint->damping;
        drive->force_limit = (tact_real)joint->force_limit;
        drive->mark = tact_mjcf_mark(m, joint->driver);
    }
}

void tact_mjcf_read_actuation(tact_mjcf *m) {
    int count = 0;
    add_up(m);
    for (int j = 0; j < m->njoint; j++)
        if (m->bodies[m->joints[j].body].all_mass == 0)
            tact_xml_doubt(TACT_MJCF_AT(m, m->joints[j].node), NULL, "moves no mass: without a drive its motion is undetermined");
    for (int k = tact_mjcf_next_element(m, "tendon", -1); k >= 0; k = tact_mjcf_next_element(m, "tendon", k)) {
        const char *name = tact_mjcf_name(m, k, "name");
        if (name && !tact_mjcf_add_name(m, TACT_MJCF_TENDON, k, name, k)) return;
    }
    // followers are known before drives are summed over them
    for (int k = tact_mjcf_next_element(m, "equality", -1); k >= 0; k = tact_mjcf_next_element(m, "equality", k))
        if (tact_mjcf_is(m, k, "joint")) read_equality(m, k);
    for (int k = tact_mjcf_next_element(m, "actuator", -1); k >= 0; k = tact_mjcf_next_element(m, "actuator", k)) count++;
    // one entry an actuator, those without a drive, too: keyframes count them all
    m->motors = tact_draft_take(m->draft, (size_t)(count + 1) * sizeof m->motors[0]);
    for (int k = tact_mjcf_next_element(m, "actuator", -1); k >= 0 && m->motors; k = tact_mjcf_next_element(m, "actuator", k)) {
        const char *name = tact_xml_value(TACT_MJCF_AT(m, k), "name");
        if (name && name[0]) tact_mjcf_add_name(m, TACT_MJCF_ACTUATOR, k, name, k);
        m->motors[m->nmotor] = (tact_mjcf_motor){.joint = -1};
        read_actuator(m, k, &m->motors[m->nmotor++]);
    }
    // the joints of tendons that no actuator pulls
    for (int k = tact_mjcf_next_element(m, "tendon", -1); k >= 0; k = tact_mjcf_next_element(m, "tendon", k))
        for (int i = m->nodes[k].first; i >= 0 && m->draft->errors->errors == m->before; i = m->nodes[i].next)
            if (tact_mjcf_is(m, k, "fixed") && tact_mjcf_is(m, i, "joint")) find_joint(m, i, "joint");
    add_drives(m);
}
