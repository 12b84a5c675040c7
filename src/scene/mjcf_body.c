// SPDX-License-Identifier: MIT
// Bodies with their joints and masses. In MuJoCo a hinge turns its body about a point of it, the joint's pos, and several joints
// move one body one after the other. Here each joint carries a frame at that point: of those that are not the body's own frame a
// body without mass is made.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/mjcf_parts.h"

#define PI 3.14159265358979323846
#define MASS_LEAST 1e-30  // [kg]

// what holds for the children of a body
typedef struct {
    int body;              // -1: the world
    tact_mjcf_pose frame;  // within it, of the elements named frame
    const tact_mjcf_class *class;
} context;

// Elements that are still to be read, and what holds for them.
typedef struct {
    int next;  // -1: none
    context in;
} level;

// A way through the elements within one, a level for each element around them; the tree is no deeper.
typedef struct {
    int top;
    level level[TACT_XML_DEPTH];
} walk;

static void enter(const tact_mjcf *m, walk *w, int node, const context *in) {
    TACT_ASSERT(w->top + 1 < TACT_XML_DEPTH);
    w->level[++w->top] = (level){.next = m->nodes[node].first, .in = *in};
}

static walk walk_of(const tact_mjcf *m, int node, const context *in) {
    walk w = {.top = -1};
    enter(m, &w, node, in);
    return w;
}

// What holds within an element named frame; false after refusing.
static bool read_frame(tact_mjcf *m, int node, const context *in, context *within) {
    tact_mjcf_pose frame = TACT_MJCF_IDENTITY;
    *within = *in;
    within->class = tact_mjcf_class_of(m, node, "childclass", in->class);
    if (!within->class) return false;
    tact_mjcf_place(m, node, &frame);
    within->frame = tact_mjcf_compose(&in->frame, &frame);
    return true;
}

// The next element in the order of the text, -1 behind the last. Those in a frame come in its place; a frame that is refused
// comes itself, and what follows it on its level is left out.
static int step(tact_mjcf *m, walk *w) {
    while (w->top >= 0) {
        level *at = &w->level[w->top];
        int i = at->next;
        if (i < 0) {
            w->top--;
            continue;
        }
        at->next = m->nodes[i].next;
        if (!tact_mjcf_is(m, i, "frame")) return i;
        context within;
        if (!read_frame(m, i, &at->in, &within)) {
            w->top--;
            return i;
        }
        enter(m, w, i, &within);
    }
    return -1;
}

static bool is_joint(const tact_mjcf *m, int node) {
    return tact_mjcf_is(m, node, "joint") || tact_mjcf_is(m, node, "freejoint");
}

// ---- joints ----

static bool is_zero(const double *x, int count) {
    for (int i = 0; i < count; i++)
        if (x[i] != 0) return false;
    return true;
}

static void read_limits(tact_mjcf *m, int node, tact_mjcf_joint_values *v) {
    bool some = v->ranged && v->range[0] < v->range[1], slight = fmax(fabs(v->range[0]), fabs(v->range[1])) <= PI;
    if (v->limited == TACT_MJCF_AUTO && v->ranged && v->range[0] > v->range[1])
        tact_xml_warn(TACT_MJCF_AT(m, node), "range", "the lower end is above the upper one: the joint has no limits");
    if (some && slight && v->type == TACT_MJCF_HINGE && m->degrees && !m->angle_given) {
        tact_xml_warn(TACT_MJCF_AT(m, node), "range",
                      "in degrees, as MJCF is without <compiler angle=\"radian\"/>: the joint hardly moves");
        // told once
        m->angle_given = true;
    }
    if (v->limited == TACT_MJCF_AUTO && some && !m->auto_limits) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "range", "limited must be given, as autolimits is false");
    } else if (v->limited == TACT_MJCF_TRUE && !some) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "range", "the lower end must be below the upper one (found %s, %s)",
                        tact_number_print(v->range[0]).text, tact_number_print(v->range[1]).text);
    }
    v->limited = v->limited == TACT_MJCF_AUTO ? (some ? TACT_MJCF_TRUE : TACT_MJCF_FALSE) : v->limited;
    if (v->type != TACT_MJCF_HINGE || !m->degrees) return;
    for (int i = 0; i < 2; i++) v->range[i] *= PI / 180;
    v->ref *= PI / 180;
    v->spring_ref *= PI / 180;
}

static void tell_joint(tact_mjcf *m, const tact_mjcf_joint_values *v) {
    if (v->armature > 0 && v->type == TACT_MJCF_FREE) tact_mjcf_leave(m, "joint@armature");
    if (v->friction > 0 && v->type == TACT_MJCF_FREE) tact_mjcf_leave(m, "joint@frictionloss");
    if (v->stiffness < 0 || (v->stiffness > 0 && v->type == TACT_MJCF_FREE)) tact_mjcf_leave(m, "joint@stiffness");
}

// type, axis, place and limits of a joint; false after refusing
static bool read_joint(tact_mjcf *m, int node, const context *in, tact_mjcf_joint_values *v) {
    if (tact_mjcf_is(m, node, "freejoint")) {
        m->nodes[node].seen = true;
        *v = (tact_mjcf_joint_values){.type = TACT_MJCF_FREE};
    } else {
        const tact_mjcf_class *class = tact_mjcf_class_of(m, node, "class", in->class);
        if (!class) return false;
        const int before = m->draft->errors->errors;
        *v = class->joint;
        tact_mjcf_apply_joint(m, node, v);
        if (m->draft->errors->errors > before) return false;
    }
    if (v->type == TACT_MJCF_BALL) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "type", "a ball joint is not read (read are hinge, slide, free)");
        return false;
    }
    if (v->type == TACT_MJCF_FREE) {
        // nothing drives it, and nothing holds it back
        v->limited = TACT_MJCF_FALSE;
        tell_joint(m, v);
        if (v->damping > 0) tact_mjcf_leave(m, "joint@damping (without a drive)");
        v->friction = v->damping = v->stiffness = v->armature = 0;
        return true;
    }
    read_limits(m, node, v);
    tell_joint(m, v);
    // pos and axis are given within the frame
    tact_mjcf_pose at = TACT_MJCF_IDENTITY;
    memcpy(at.p, v->pos, sizeof at.p);
    at = tact_mjcf_compose(&in->frame, &at);
    memcpy(v->pos, at.p, sizeof at.p);
    if (!is_zero(in->frame.q + 1, 3)) tact_mjcf_rotate(in->frame.q, v->axis, v->axis);
    return true;
}

// A new body of the draft at a pose in another (NULL: the world).
static tact_draft_body *add_draft(tact_mjcf *m, int node, const char *parent, const tact_mjcf_pose *pose) {
    tact_draft_body *body = tact_draft_add_body(m->draft);
    if (!body) return NULL;
    body->parent = parent;
    body->axis = tact_vec3_make(1, 0, 0);
    body->frame = tact_mjcf_frame(pose);
    body->mark = tact_mjcf_mark(m, node);
    return body;
}

// Type, axis, armature and limits of a body's joint from MJCF; a hinge without limits is continuous.
static void set_joint(tact_draft_body *body, const tact_mjcf_joint *joint) {
    const tact_mjcf_joint_values *v = &joint->values;
    bool limited = v->limited == TACT_MJCF_TRUE;
    body->joint = joint->name;
    if (v->type == TACT_MJCF_FREE) {
        body->type = TACT_JOINT_FREE;
        return;
    }
    body->type = v->type == TACT_MJCF_SLIDE ? TACT_JOINT_PRISMATIC : limited ? TACT_JOINT_REVOLUTE : TACT_JOINT_CONTINUOUS;
    body->axis = tact_key_direction(v->axis);
    body->armature = (tact_real)v->armature;
    body->limited = limited;
    if (!limited) return;
    body->lower = (tact_real)v->range[0];
    body->upper = (tact_real)v->range[1];
}

// Adds a body that is fixed to its parent by a joint NAME_fixed, or one with a number where that name is taken. False without
// memory.
static bool add_fixed(tact_mjcf *m, int node, const char *parent, const tact_mjcf_pose *pose, const char *name) {
    tact_draft_body *draft = add_draft(m, node, parent, pose);
    int number = 0;
    char fixed[TACT_NAME_MAX + 16];
    if (!draft) return false;
    draft->name = name;
    if (!name) name = "";
    size_t size = (size_t)snprintf(fixed, sizeof fixed, "%s_fixed", name);
    bool taken = size > TACT_NAME_MAX || tact_name_table_find(&m->names, TACT_MJCF_JOINT, fixed) >= 0;
    draft->joint =
        taken ? tact_mjcf_make_name(m, TACT_MJCF_JOINT, name, "_fixed", &number) : tact_draft_string(m->draft, fixed, size);
    if (!taken && draft->joint) tact_name_table_add(&m->names, TACT_MJCF_JOINT, draft->joint, size, 0);
    return true;
}

// The joints of a body, from the first of them on, then the body itself, fixed where no joint has its frame.
static void add_chain(tact_mjcf *m, int index, int first) {
    tact_mjcf_body *body = &m->bodies[index];
    const char *parent = body->parent < 0 ? NULL : m->bodies[body->parent].name;
    tact_mjcf_pose rest = body->pose;
    for (int j = first; j < m->njoint; j++) {
        // MuJoCo's joints of one body act one after the other: each is a body here, the last one the body itself
        tact_mjcf_joint *joint = &m->joints[j];
        // the pose of a joint's frame where its coordinate is 0, in the body's frame before it
        const tact_mjcf_joint_values *v = &joint->values;
        tact_mjcf_pose frame = TACT_MJCF_IDENTITY;
        if (v->type == TACT_MJCF_HINGE) {
            memcpy(frame.p, v->pos, sizeof frame.p);
            if (v->ref != 0) tact_mjcf_axis_angle(v->axis, -v->ref, frame.q);
        } else if (v->type == TACT_MJCF_SLIDE) {
            for (int i = 0; i < 3; i++) frame.p[i] = -v->ref * v->axis[i];
        }
        bool off = joint->values.type == TACT_MJCF_HINGE && !is_zero(joint->values.pos, 3), own = !off && j == m->njoint - 1;
        // a hinge beside the body's origin: go there, turn, and go back in the next frame
        frame = tact_mjcf_compose(&rest, &frame);
        tact_draft_body *draft = add_draft(m, joint->node, parent, &frame);
        if (!draft) return;
        joint->draft = m->draft->nbody - 1;
        set_joint(draft, joint);
        draft->name =
            own ? body->name : tact_mjcf_make_name(m, TACT_MJCF_BODY, body->name ? body->name : "", "_joint", &body->helpers);
        parent = draft->name;
        body->draft = own ? joint->draft : -1;
        rest = (tact_mjcf_pose)TACT_MJCF_IDENTITY;
        for (int i = 0; i < 3 && off; i++) rest.p[i] = -joint->values.pos[i];
    }
    // no joint, or the last one off the origin: a fixed joint carries the body
    if (body->draft < 0 && add_fixed(m, body->node, parent, &rest, body->name)) body->draft = m->draft->nbody - 1;
}

static void read_joints(tact_mjcf *m, int node, const context *of) {
    walk w = walk_of(m, node, of);
    for (int i = step(m, &w); i >= 0; i = step(m, &w)) {
        if (!is_joint(m, i)) continue;
        const context *in = &w.level[w.top].in;
        tact_mjcf_joint *joint = &m->joints[m->njoint];
        *joint = (tact_mjcf_joint){.node = i, .body = in->body, .draft = -1, .leader = -1, .ratio = 1};
        if (!read_joint(m, i, in, &joint->values)) continue;
        joint->name = tact_mjcf_name(m, i, "name");
        tact_mjcf_body *body = &m->bodies[in->body];
        if (!joint->name && body->name) joint->name = tact_mjcf_make_name(m, TACT_MJCF_JOINT, body->name, "", &body->joints);
        m->nodes[i].joint = m->njoint++;
    }
}

static void check_free(tact_mjcf *m, int index, int first) {
    for (int j = first; j < m->njoint; j++) {
        const tact_mjcf_joint *joint = &m->joints[j];
        if (joint->values.type != TACT_MJCF_FREE) continue;
        if (m->bodies[index].parent >= 0)
            tact_xml_refuse(TACT_MJCF_AT(m, joint->node), NULL, "only a body of the world can have a free joint");
        else if (m->njoint - first > 1)
            tact_xml_refuse(TACT_MJCF_AT(m, joint->node), NULL, "a body with a free joint has no other");
    }
}

// ---- masses ----

// Reads the inertia of <inertial>: diaginertia in the frame of quat, or fullinertia, whose eigenvalues are checked.
static void read_moments(tact_mjcf *m, int node, tact_mjcf_body *body, double quat[4]) {
    double I[6], d[3];
    bool full = tact_mjcf_numbers(m, node, "fullinertia", I, 6, 6) > 0;
    if (full) memcpy(body->inertia, I, sizeof I);
    if (tact_mjcf_numbers(m, node, "diaginertia", d, 3, 3)) {
        if (full) tact_xml_refuse(TACT_MJCF_AT(m, node), "diaginertia", "fullinertia is already given");
        for (int i = 0; i < 6; i++) body->inertia[i] = i < 3 ? d[i] : 0;
        tact_mjcf_turn_inertia(quat, body->inertia);
        if (d[0] < 0 || d[1] < 0 || d[2] < 0)
            tact_xml_refuse(TACT_MJCF_AT(m, node), "diaginertia", "must not be negative (found %s, %s, %s)",
                            tact_number_print(d[0]).text, tact_number_print(d[1]).text, tact_number_print(d[2]).text);
    } else if (full) {
        // of a full matrix the eigenvalues must not be negative
        double e[3], q[4];
        tact_mjcf_principal(I, TACT_MJCF_EXACT, e, q);
        if (e[2] < -1e-12 * e[0] || e[0] < 0)
            tact_xml_refuse(TACT_MJCF_AT(m, node), "fullinertia", "an eigenvalue is negative (found %s)",
                            tact_number_print(e[2]).text);
    }
    tact_mjcf_within(m, node, full ? "fullinertia" : "diaginertia", body->inertia, 6, TACT_MOST_MASS);
}

static void read_inertial(tact_mjcf *m, int node, tact_mjcf_body *body) {
    tact_mjcf_pose pose = TACT_MJCF_IDENTITY;
    m->nodes[node].seen = true;
    tact_mjcf_place(m, node, &pose);
    memcpy(body->com, pose.p, sizeof body->com);
    if (!tact_mjcf_text(m, node, "mass")) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "attribute \"mass\" is missing");
    } else if (tact_mjcf_number(m, node, "mass", &body->mass)) {
        tact_mjcf_within(m, node, "mass", &body->mass, 1, TACT_MOST_MASS);
        if (body->mass < 0 || (body->mass > 0 && body->mass < MASS_LEAST))
            tact_xml_refuse(TACT_MJCF_AT(m, node), "mass", "must be 0 or at least %s (found %s)",
                            tact_number_print(MASS_LEAST).text, tact_number_print(body->mass).text);
    }
    read_moments(m, node, body, pose.q);
}

static void sum_masses(tact_mjcf_body *body, const tact_mjcf_sums *sums) {
    double back[3];
    if (!(sums->mass >= MASS_LEAST)) return;
    body->mass = sums->mass;
    for (int i = 0; i < 3; i++) body->com[i] = sums->moment[i] / sums->mass;
    memcpy(body->inertia, sums->inertia, sizeof body->inertia);
    memcpy(back, body->com, sizeof back);
    tact_mjcf_shift_inertia(-body->mass, back, body->inertia);
}

// What the compiler's settings make of a mass: at least so much, and moments that a rigid body can have. Others are told.
static void bound_mass(tact_mjcf *m, tact_mjcf_body *body) {
    double e[3], q[4];
    if (body->mass < m->least_mass) body->mass = m->least_mass;
    tact_mjcf_principal(body->inertia, TACT_MJCF_EXACT, e, q);
    for (int i = 0; i < 3; i++) e[i] = fmax(e[i], m->least_inertia);
    if (m->balance && e[1] + e[2] < e[0]) e[0] = e[1] = e[2] = (e[0] + e[1] + e[2]) / 3;
    body->odd = e[0] > (1 + 1e-6) * (e[1] + e[2]);
    if (body->odd)
        tact_xml_doubt(TACT_MJCF_AT(m, body->node), NULL,
                       "principal moments %s, %s, %s: of a rigid body the largest is at most the sum of the others "
                       "(balanceinertia makes them so)",
                       tact_number_print(tact_key_round(e[0], 6)).text, tact_number_print(tact_key_round(e[1], 6)).text,
                       tact_number_print(tact_key_round(e[2], 6)).text);
    if (!m->balance && !(m->least_inertia > 0)) return;
    for (int i = 0; i < 6; i++) body->inertia[i] = i < 3 ? e[i] : 0;
    tact_mjcf_turn_inertia(q, body->inertia);
}

// Gives the draft of a body its mass, centre of mass and inertia, or refuses them where they are too large.
static void set_mass(tact_mjcf *m, int index) {
    tact_mjcf_body *body = &m->bodies[index];
    bool some = !is_zero(body->inertia, 6);
    if (body->draft < 0) return;
    tact_draft_body *draft = &m->draft->bodies[body->draft];
    if (body->mass > TACT_MOST_MASS || fabs(body->com[0]) + fabs(body->com[1]) + fabs(body->com[2]) > 3 * TACT_MOST_LENGTH) {
        tact_xml_refuse(TACT_MJCF_AT(m, body->node), NULL, "its mass of %s kg, or where it is, is too large",
                        tact_number_print(body->mass).text);
        return;
    }
    for (int i = 0; i < 6; i++) {
        if (fabs(body->inertia[i]) <= TACT_MOST_MASS) continue;
        tact_xml_refuse(TACT_MJCF_AT(m, body->node), NULL, "its inertia is too large");
        return;
    }
    // a mass that single precision rounds to zero is none
    draft->weighed = (tact_real)body->mass > 0;
    draft->mass = (tact_real)body->mass;
    draft->com = tact_vec3_make((tact_real)body->com[0], (tact_real)body->com[1], (tact_real)body->com[2]);
    draft->inertial = some;
    draft->as_given = body->odd;
    for (int i = 0; i < 6 && some; i++) draft->inertia[i] = (tact_real)body->inertia[i];
}

// ---- bodies ----

static void read_geoms(tact_mjcf *m, int node, const context *of, tact_mjcf_sums *sums) {
    walk w = walk_of(m, node, of);
    for (int i = step(m, &w); i >= 0; i = step(m, &w)) {
        if (!tact_mjcf_is(m, i, "geom")) continue;
        const context *in = &w.level[w.top].in;
        tact_mjcf_read_geom(m, i, in->body, &in->frame, in->class, sums);
    }
}

// Makes each site that has a name of its own a frame: a body without mass, fixed to the site's body.
static void read_sites(tact_mjcf *m, int node, const context *of) {
    walk w = walk_of(m, node, of);
    for (int i = step(m, &w); i >= 0; i = step(m, &w)) {
        if (!tact_mjcf_is(m, i, "site")) continue;
        const context *in = &w.level[w.top].in;
        const char *name = tact_mjcf_name(m, i, "name");
        bool taken = name && tact_name_table_find(&m->names, TACT_MJCF_BODY, name) >= 0;
        const tact_mjcf_class *class = tact_mjcf_class_of(m, i, "class", in->class);
        if (!class) return;
        tact_mjcf_geom site = class->site;
        if (!name || taken) tact_mjcf_leave(m, taken ? "site (with the name of a body)" : "site (without a name)");
        tact_mjcf_apply_form(m, i, &site);
        if (site.from_to && !tact_mjcf_place_between(m, i, &site)) continue;
        if (!name || taken || !tact_mjcf_add_name(m, TACT_MJCF_BODY, i, name, i)) continue;
        tact_mjcf_pose local = tact_mjcf_compose(&in->frame, &site.pose);
        if (!add_fixed(m, i, in->body < 0 ? NULL : m->bodies[in->body].name, &local, name)) return;
    }
}

// A body without those in it; what holds for them.
static bool read_body(tact_mjcf *m, int node, const context *in, context *own) {
    int index = m->nbody++, joint = m->njoint, inertial = -1;
    tact_mjcf_body *body = &m->bodies[index];
    tact_mjcf_pose local = TACT_MJCF_IDENTITY;
    tact_mjcf_sums sums = {.mass = 0};
    *body = (tact_mjcf_body){.node = node, .parent = in->body, .draft = -1};
    body->name = tact_mjcf_name(m, node, "name");
    // nameless bodies are called after their parent, with a number
    if (!body->name) {
        const char *base = in->body < 0 ? TACT_SCENE_WORLD : m->bodies[in->body].name;
        int *number = in->body < 0 ? &m->unnamed : &m->bodies[in->body].bodies;
        body->name = tact_mjcf_make_name(m, TACT_MJCF_BODY, base, "", number);
    }
    const tact_mjcf_class *class = tact_mjcf_class_of(m, node, "childclass", in->class);
    if (!class || !body->name) return false;
    tact_mjcf_place(m, node, &local);
    body->pose = tact_mjcf_compose(&in->frame, &local);
    *own = (context){.body = index, .frame = TACT_MJCF_IDENTITY, .class = class};
    for (int i = m->nodes[node].first; i >= 0; i = m->nodes[i].next) {
        if (!tact_mjcf_is(m, i, "inertial")) continue;
        if (inertial >= 0) tact_xml_refuse(TACT_MJCF_AT(m, i), NULL, "given twice");
        inertial = i;
    }
    // inertiafromgeom: "auto" takes the geoms where no inertial is given
    body->from_geoms = m->from_geom == TACT_MJCF_TRUE || (m->from_geom == TACT_MJCF_AUTO && inertial < 0);
    // what geoms with a mass replace
    if (inertial >= 0) read_inertial(m, inertial, body);
    // joints before geoms: shapes lie on the last body of the chain
    read_joints(m, node, own);
    check_free(m, index, joint);
    add_chain(m, index, joint);
    read_geoms(m, node, own, &sums);
    read_sites(m, node, own);
    tact_mjcf_draw_collisions(m, index, &sums);
    if (body->from_geoms) sum_masses(body, &sums);
    if (body->mass > 0 || m->least_mass > 0 || !is_zero(body->inertia, 6)) bound_mass(m, body);
    set_mass(m, index);
    return m->draft->nbody <= TACT_SCENE_BODIES_MAX;
}

// The bodies within an element, each before those in it.
static bool read_tree(tact_mjcf *m, int node, const context *in) {
    static const char *const refused[] = {"replicate", "attach", "composite", "flexcomp"};
    walk w = walk_of(m, node, in);
    for (int i = step(m, &w); i >= 0; i = step(m, &w)) {
        if (tact_mjcf_is(m, i, "frame")) return false;
        for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++)
            if (tact_mjcf_is(m, i, refused[k]))
                tact_xml_refuse(TACT_MJCF_AT(m, i), NULL, "it makes further bodies, which is not read: write them out");
        if (!tact_mjcf_is(m, i, "body")) continue;
        context own;
        if (!read_body(m, i, &w.level[w.top].in, &own)) return false;
        enter(m, &w, i, &own);
    }
    return true;
}

// The element behind one in the order of the text, of those within top; -1: none.
static int next_within(const tact_mjcf *m, int node, int top) {
    if (m->nodes[node].first >= 0) return m->nodes[node].first;
    while (node != top && m->nodes[node].next < 0) node = m->nodes[node].parent;
    return node == top ? -1 : m->nodes[node].next;
}

// names that the file gives come before those that are made
static bool collect_names(tact_mjcf *m, int top) {
    const int before = m->draft->errors->errors;
    for (int i = next_within(m, top, top); i >= 0; i = next_within(m, i, top)) {
        int scope = tact_mjcf_is(m, i, "body") ? TACT_MJCF_BODY : tact_mjcf_is(m, i, "geom") ? TACT_MJCF_GEOM : TACT_MJCF_JOINT;
        if (scope == TACT_MJCF_JOINT && !is_joint(m, i)) scope = -1;
        const char *name = scope >= 0 ? tact_mjcf_name(m, i, "name") : NULL;
        if (name && scope == TACT_MJCF_BODY && strcmp(name, TACT_SCENE_WORLD) == 0)
            tact_xml_refuse(TACT_MJCF_AT(m, i), "name", "the name %s is already used", tact_quote(name).text);
        else if (name)
            tact_mjcf_add_name(m, scope, i, name, i);
    }
    return m->draft->errors->errors == before;
}

bool tact_mjcf_read_bodies(tact_mjcf *m) {
    int bodies = 1, joints = 0;
    bool good = true;
    // room for all bodies and joints, counted before anything is read
    for (int i = 0; i < m->nnode; i++) {
        bodies += tact_mjcf_is(m, i, "body");
        joints += is_joint(m, i);
    }
    if (bodies - 1 > TACT_SCENE_BODIES_MAX) {
        tact_xml_refuse(TACT_MJCF_AT(m, 0), NULL, "%d bodies: more than the limit of %d", bodies - 1, TACT_SCENE_BODIES_MAX);
        return false;
    }
    m->bodies = tact_draft_take(m->draft, (size_t)bodies * sizeof m->bodies[0]);
    m->joints = tact_draft_take(m->draft, (size_t)(joints + 1) * sizeof m->joints[0]);
    if (!m->bodies || !m->joints) return false;
    for (int i = m->nodes[0].first; i >= 0; i = m->nodes[i].next)
        // all names are known before the first made-up one
        if (tact_mjcf_is(m, i, "worldbody")) good = collect_names(m, i) && good;
    context world = {.body = -1, .frame = TACT_MJCF_IDENTITY, .class = &m->classes[0]};
    for (int i = m->nodes[0].first; i >= 0 && good; i = m->nodes[i].next) {
        if (!tact_mjcf_is(m, i, "worldbody")) continue;
        // several worldbody elements are read as one
        tact_mjcf_sums none = {.mass = 0};
        context own = world;
        own.class = tact_mjcf_class_of(m, i, "childclass", world.class);
        if (!own.class) return false;
        read_geoms(m, i, &own, &none);
        read_sites(m, i, &own);
        good = read_tree(m, i, &own);
    }
    // masses so that all together have what the compiler says
    if (good && m->total_mass > 0) {
        double total = 0;
        for (int i = 0; i < m->nbody; i++) total += m->bodies[i].mass;
        for (int i = 0; i < m->nbody && total > 0; i++) {
            m->bodies[i].mass *= m->total_mass / total;
            for (int k = 0; k < 6; k++) m->bodies[i].inertia[k] *= m->total_mass / total;
            set_mass(m, i);
        }
    }
    return good;
}
