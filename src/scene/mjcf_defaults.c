// SPDX-License-Identifier: MIT
// The compiler's settings, and default classes: a class begins as its parent's copy, each of its elements says something over it,
// and so does the element that names the class. Sections may be given several times, as by included files.
#include <string.h>

#include "scene/mjcf_parts.h"

#define DENSITY 1000  // [kg/m^3] of water, which MuJoCo takes

static const char *const choices[] = {"auto", "true", "false", NULL};

static void read_sequence(tact_mjcf *m, int node) {
    const char *text = tact_mjcf_text(m, node, "eulerseq");
    if (!text) return;
    if (strlen(text) == 3 && strspn(text, "xyzXYZ") == 3)
        memcpy(m->sequence, text, 4);
    else
        tact_xml_refuse(TACT_MJCF_AT(m, node), "eulerseq", "%s: must be three of x, y, z, X, Y, Z", tact_quote(text).text);
}

void tact_mjcf_read_compiler(tact_mjcf *m, int node) {
    static const char *const angles[] = {"radian", "degree", NULL}, *const from_geom[] = {"auto", "true", "false", NULL};
    int index = m->degrees;
    m->nodes[node].seen = true;
    if (tact_mjcf_word(m, node, "angle", angles, &index)) m->degrees = index == 1, m->angle_given = true;
    tact_mjcf_word(m, node, "inertiafromgeom", from_geom, &m->from_geom);
    tact_mjcf_bool(m, node, "autolimits", &m->auto_limits);
    tact_mjcf_bool(m, node, "strippath", &m->strip_path);
    tact_mjcf_bool(m, node, "balanceinertia", &m->balance);
    tact_mjcf_bool(m, node, "fitaabb", &m->fit_box);
    read_sequence(m, node);
    tact_mjcf_bounded(m, node, "boundmass", &m->least_mass, 1, TACT_MOST_MASS);
    tact_mjcf_bounded(m, node, "boundinertia", &m->least_inertia, 1, TACT_MOST_MASS);
    tact_mjcf_bounded(m, node, "settotalmass", &m->total_mass, 1, TACT_MOST_MASS);
    double range[2];
    if (tact_mjcf_bounded(m, node, "inertiagrouprange", range, 2, 100))
        for (int i = 0; i < 2; i++) m->groups[i] = (int)range[i];
    // meshdir outranks assetdir
    const char *assets = tact_mjcf_text(m, node, "assetdir"), *meshes = tact_mjcf_text(m, node, "meshdir");
    if (assets) m->mesh_folder = assets;
    if (meshes) m->mesh_folder = meshes;
}

// A vector or quaternion, made a unit one.
static void read_direction(tact_mjcf *m, int node, const char *attribute, double *out, int count) {
    double x[4];
    if (!tact_mjcf_numbers(m, node, attribute, x, count, count)) return;
    if (tact_mjcf_normalise(x, count))
        memcpy(out, x, (size_t)count * sizeof x[0]);
    else
        tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "has no direction");
}

void tact_mjcf_apply_joint(tact_mjcf *m, int node, tact_mjcf_joint_values *joint) {
    static const char *const types[] = {"hinge", "slide", "ball", "free", NULL};
    int index = (int)joint->type, limited = (int)joint->limited;
    if (tact_mjcf_word(m, node, "type", types, &index)) joint->type = (tact_mjcf_joint_type)index;
    if (tact_mjcf_word(m, node, "limited", choices, &limited)) joint->limited = (tact_mjcf_choice)limited;
    tact_mjcf_bounded(m, node, "pos", joint->pos, 3, TACT_MOST_LENGTH);
    read_direction(m, node, "axis", joint->axis, 3);
    if (tact_mjcf_bounded(m, node, "range", joint->range, 2, TACT_MOST_LIMIT)) joint->ranged = true;
    tact_mjcf_bounded(m, node, "ref", &joint->ref, 1, TACT_MOST_LENGTH);
    static const char *const names[] = {"damping", "armature", "frictionloss"};
    double *values[] = {&joint->damping, &joint->armature, &joint->friction};
    for (int i = 0; i < 3; i++) {
        // further numbers are those of a polynomial
        double x[3] = {0, 0, 0};
        if (!tact_mjcf_numbers(m, node, names[i], x, 1, i == 0 ? 3 : 1)) continue;
        if (x[1] != 0 || x[2] != 0) tact_mjcf_leave(m, "joint@damping (polynomial)");
        if (x[0] < 0)
            tact_xml_refuse(TACT_MJCF_AT(m, node), names[i], "must not be negative (found %s)", tact_number_print(x[0]).text);
        else if (tact_mjcf_within(m, node, names[i], x, 1, TACT_MOST_MASS))
            *values[i] = x[0];
    }
    double x[3] = {0, 0, 0};
    int by_force = (int)joint->force_limited;
    if (tact_mjcf_word(m, node, "actuatorfrclimited", choices, &by_force)) joint->force_limited = (tact_mjcf_choice)by_force;
    tact_mjcf_bounded(m, node, "actuatorfrcrange", joint->force_range, 2, TACT_MOST_DRIVE);
    tact_mjcf_bounded(m, node, "springref", &joint->spring_ref, 1, TACT_MOST_LENGTH);
    if (!tact_mjcf_numbers(m, node, "stiffness", x, 1, 3) || !tact_mjcf_within(m, node, "stiffness", x, 1, TACT_MOST_DRIVE))
        return;
    joint->stiffness = x[0];
    if (x[1] != 0 || x[2] != 0) tact_mjcf_leave(m, "joint@stiffness (polynomial)");
}

double tact_mjcf_force_limit(tact_mjcf *m, int node, const double range[2], tact_mjcf_choice limited, const char *label) {
    bool some = range[0] < range[1];
    if (limited == TACT_MJCF_FALSE || (limited == TACT_MJCF_AUTO && !(some && m->auto_limits))) return 0;
    double least = -range[0] < range[1] ? -range[0] : range[1], most = -range[0] < range[1] ? range[1] : -range[0];
    if (!some || !(most > 0)) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "the lower end of the range of forces must be below the upper one");
        return 0;
    }
    if (least != most) tact_mjcf_leave(m, label);
    return most;
}

// kp (u - length) - kv velocity; a positive bias[2] is a damping ratio
static void apply_position(tact_mjcf *m, int node, tact_mjcf_actuator *actuator) {
    double value = 0;
    actuator->gain_type = 0;
    actuator->bias_type = 1;
    tact_mjcf_from_zero(m, node, "kp", &actuator->gain);
    actuator->bias[1] = -actuator->gain;
    if (tact_mjcf_from_zero(m, node, "kv", &value)) actuator->bias[2] = -value;
    tact_mjcf_from_zero(m, node, "inheritrange", &actuator->inherit);
    if (actuator->inherit > 0 && (actuator->command_range[0] != 0 || actuator->command_range[1] != 0))
        tact_xml_refuse(TACT_MJCF_AT(m, node), "inheritrange", "ctrlrange and inheritrange cannot both be given");
    // a damping ratio becomes a damping when the mass that it moves is known
    double ratio = 0;
    if (!tact_mjcf_from_zero(m, node, "dampratio", &ratio)) return;
    if (tact_mjcf_text(m, node, "kv"))
        tact_xml_refuse(TACT_MJCF_AT(m, node), "dampratio", "kv and dampratio cannot both be given");
    actuator->bias[2] = ratio;
}

void tact_mjcf_apply_actuator(tact_mjcf *m, int node, tact_mjcf_actuator *actuator) {
    double gear[6];
    if (tact_mjcf_numbers(m, node, "gear", gear, 1, 6) && tact_mjcf_within(m, node, "gear", gear, 1, 1e6))
        actuator->gear = gear[0];
    int limited = (int)actuator->force_limited;
    if (tact_mjcf_word(m, node, "forcelimited", choices, &limited)) actuator->force_limited = (tact_mjcf_choice)limited;
    tact_mjcf_bounded(m, node, "forcerange", actuator->force_range, 2, TACT_MOST_DRIVE);
    limited = (int)actuator->command_limited;
    if (tact_mjcf_word(m, node, "ctrllimited", choices, &limited)) actuator->command_limited = (tact_mjcf_choice)limited;
    tact_mjcf_numbers(m, node, "ctrlrange", actuator->command_range, 2, 2);
    actuator->other = false;
    // what a motor and the like keep of their class: gear and ranges
    tact_mjcf_actuator general = *actuator;
    general.gain_type = general.bias_type = general.dyn_type = 0;
    memset(general.bias, 0, sizeof general.bias);
    if (tact_mjcf_is(m, node, "general")) {
        static const char *const gains[] = {"fixed", "affine", "muscle", "user", "dcmotor", NULL};
        static const char *const biases[] = {"none", "affine", "muscle", "user", "dcmotor", NULL};
        static const char *const dynamics[] = {"none", "integrator", "filter", "filterexact", "muscle", "user", "dcmotor", NULL};
        double x[10];
        tact_mjcf_word(m, node, "gaintype", gains, &actuator->gain_type);
        tact_mjcf_word(m, node, "biastype", biases, &actuator->bias_type);
        tact_mjcf_word(m, node, "dyntype", dynamics, &actuator->dyn_type);
        if (tact_mjcf_numbers(m, node, "gainprm", x, 1, 10)) actuator->gain = x[0];
        int count = tact_mjcf_numbers(m, node, "biasprm", x, 1, 10);
        for (int i = 0; i < count && i < 3; i++) actuator->bias[i] = x[i];
    } else if (tact_mjcf_is(m, node, "position")) {
        apply_position(m, node, actuator);
    } else if (tact_mjcf_is(m, node, "motor")) {
        // its force is its command times its gear
        *actuator = general;
        actuator->gain = 1;
    } else if (tact_mjcf_is(m, node, "velocity")) {
        double kv = actuator->gain;
        tact_mjcf_from_zero(m, node, "kv", &kv);
        *actuator = general;
        actuator->gain = kv;
        actuator->bias[2] = -kv;
        actuator->bias_type = 1;
    } else {
        actuator->other = true;
    }
}

void tact_mjcf_apply_mesh(tact_mjcf *m, int node, tact_mjcf_mesh_values *mesh) {
    static const char *const kinds[] = {"legacy", "exact", "convex", "shell", NULL};
    tact_mjcf_bounded(m, node, "scale", mesh->scale, 3, TACT_MOST_LENGTH);
    tact_mjcf_bounded(m, node, "refpos", mesh->ref_pos, 3, TACT_MOST_LENGTH);
    read_direction(m, node, "refquat", mesh->ref_quat, 4);
    tact_mjcf_word(m, node, "inertia", kinds, &mesh->inertia);
}

void tact_mjcf_apply_equality(tact_mjcf *m, int node, tact_mjcf_equality *equality) {
    tact_mjcf_bool(m, node, "active", &equality->active);
    if (tact_mjcf_is(m, node, "joint") && tact_mjcf_text(m, node, "polycoef")) {
        double x[5] = {0, 1, 0, 0, 0};
        tact_mjcf_numbers(m, node, "polycoef", x, 1, 5);
        memcpy(equality->poly, x, sizeof x);
    }
}

// Applies one element of a default class to the class's values.
static void apply_element(tact_mjcf *m, int node, tact_mjcf_class *to) {
    static const char *const actuators[] = {"general", "motor",  "position",    "velocity", "cylinder",
                                            "muscle",  "damper", "intvelocity", "adhesion", "dcmotor"};
    bool seen = true;
    if (tact_mjcf_is(m, node, "geom"))
        tact_mjcf_apply_geom(m, node, &to->geom);
    else if (tact_mjcf_is(m, node, "joint"))
        tact_mjcf_apply_joint(m, node, &to->joint);
    else if (tact_mjcf_is(m, node, "mesh"))
        tact_mjcf_apply_mesh(m, node, &to->mesh);
    else if (tact_mjcf_is(m, node, "equality"))
        tact_mjcf_apply_equality(m, node, &to->equality);
    else if (tact_mjcf_is(m, node, "site"))
        tact_mjcf_apply_form(m, node, &to->site);
    else
        seen = false;
    // all kinds of actuator share one set of values
    for (size_t i = 0; i < sizeof actuators / sizeof actuators[0] && !seen; i++) {
        if (!tact_mjcf_is(m, node, actuators[i])) continue;
        tact_mjcf_apply_actuator(m, node, &to->actuator);
        seen = true;
    }
    m->nodes[node].seen = seen;
}

// what a class says itself
static void fill_class(tact_mjcf *m, int node, int index) {
    m->nodes[node].seen = true;
    for (int i = m->nodes[node].first; i >= 0; i = m->nodes[i].next)
        if (!tact_mjcf_is(m, i, "default")) apply_element(m, i, &m->classes[index]);
}

// A class that begins as its parent's copy; -1 after refusing.
static int add_class(tact_mjcf *m, int node, int parent) {
    const char *name = tact_mjcf_name(m, node, "class");
    if (!name) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "class", "a default class needs a name");
        return -1;
    }
    if (tact_name_table_add(&m->names, TACT_MJCF_CLASS, name, strlen(name), m->nclass) >= 0) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "class", "the class %s is already defined", tact_quote(name).text);
        return -1;
    }
    if (m->nclass == m->class_room) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "more than %d default classes", TACT_MJCF_CLASSES);
        return -1;
    }
    m->classes[m->nclass] = m->classes[parent];
    m->classes[m->nclass].name = name;
    return m->nclass++;
}

// Elements of a class that are still to be looked at.
typedef struct {
    int next;   // -1: none
    int class;  // whose
} level;

// main as an element says it, and the classes in it: each before those in it and behind it
static bool read_classes(tact_mjcf *m, int node) {
    // one for each element around; the tree is no deeper
    level stack[TACT_XML_DEPTH];
    int top = 0;
    fill_class(m, node, 0);
    stack[0] = (level){m->nodes[node].first, 0};
    while (top >= 0) {
        level *at = &stack[top];
        int i = at->next;
        if (i < 0) {
            top--;
            continue;
        }
        at->next = m->nodes[i].next;
        if (!tact_mjcf_is(m, i, "default")) continue;
        int own = add_class(m, i, at->class);
        if (own < 0) return false;
        fill_class(m, i, own);
        TACT_ASSERT(top + 1 < TACT_XML_DEPTH);
        stack[++top] = (level){m->nodes[i].first, own};
    }
    return true;
}

bool tact_mjcf_read_defaults(tact_mjcf *m) {
    int count = 1;
    for (int i = 0; i < m->nnode; i++) count += tact_mjcf_is(m, i, "default");
    m->class_room = count > TACT_MJCF_CLASSES ? TACT_MJCF_CLASSES : count;
    m->classes = tact_draft_take(m->draft, (size_t)m->class_room * sizeof m->classes[0]);
    if (!m->classes) return false;
    m->nclass = 1;
    // MuJoCo's own defaults
    m->classes[0] = (tact_mjcf_class){.name = "main",
                                      .geom = {.type = TACT_MJCF_SPHERE,
                                               .density = DENSITY,
                                               .fit_scale = 1,
                                               .mu = -1,
                                               .condim = 3,
                                               .contype = 1,
                                               .conaffinity = 1,
                                               .pose = TACT_MJCF_IDENTITY},
                                      .joint = {.axis = {0, 0, 1}},
                                      .actuator = {.gain = 1, .gear = 1},
                                      .site = {.type = TACT_MJCF_SPHERE, .pose = TACT_MJCF_IDENTITY},
                                      .mesh = {.scale = {1, 1, 1}, .ref_quat = {1, 0, 0, 0}},
                                      .equality = {.active = true, .poly = {0, 1, 0, 0, 0}}};
    tact_name_table_add(&m->names, TACT_MJCF_CLASS, "main", 4, 0);
    for (int i = m->nodes[0].first; i >= 0; i = m->nodes[i].next) {
        if (!tact_mjcf_is(m, i, "default")) continue;
        const char *name = tact_mjcf_text(m, i, "class");
        if (name && strcmp(name, "main") != 0) {
            tact_xml_refuse(TACT_MJCF_AT(m, i), "class", "the outermost class is \"main\" (found %s)", tact_quote(name).text);
            return false;
        }
        if (!read_classes(m, i)) return false;
    }
    return true;
}

const tact_mjcf_class *tact_mjcf_class_of(tact_mjcf *m, int node, const char *attribute, const tact_mjcf_class *fallback) {
    const char *name = tact_mjcf_text(m, node, attribute);
    m->nodes[node].seen = true;
    if (!name || !name[0]) return fallback;
    int index = tact_name_table_find(&m->names, TACT_MJCF_CLASS, name);
    if (index >= 0) return &m->classes[index];
    tact_nearest nearest = {.word = name};
    if (m->nclass <= 250 && !tact_errors_full(m->draft->errors, TACT_ERROR_REFUSED))
        for (int i = 0; i < m->nclass; i++) tact_nearest_try(&nearest, m->classes[i].name);
    tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "no default class %s%s", tact_quote(name).text,
                    tact_nearest_hint(&nearest).text);
    return NULL;
}
