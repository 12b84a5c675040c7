// SPDX-License-Identifier: MIT
// Bodies and their joints from JSON.
#include <string.h>

#include "scene/build.h"
#include "scene/number.h"
#include "scene/quote.h"

#define AXIS_LEAST 1e-150
#define LIMIT_MOST 1e9

// what the tables fill
typedef struct {
    tact_draft_body body;
    tact_real com[3];
    int type;
    tact_real axis[3], limits[2];
} body_entry;

static const char *const joint_types[] = {
    [TACT_JOINT_FIXED] = "fixed",
    [TACT_JOINT_REVOLUTE] = "revolute",
    [TACT_JOINT_CONTINUOUS] = "continuous",
    [TACT_JOINT_PRISMATIC] = "prismatic",
    [TACT_JOINT_TRANSLATION] = "translation",
    [TACT_JOINT_PLANAR] = "planar",
    [TACT_JOINT_FREE] = "free",
    NULL,
};

const tact_key tact_scene_mimic_keys[] = {
    {.name = "joint",
     .kind = TACT_KEY_NAME,
     .required = true,
     .offset = offsetof(body_entry, body.mimic),
     .meaning = "the joint that is followed"},
    {.name = "ratio",
     .kind = TACT_KEY_NUMBER,
     .offset = offsetof(body_entry, body.ratio),
     .range = TACT_RANGE_ANY,
     .most = TACT_MOST_LENGTH,
     .fallback = "1",
     .meaning = "coordinate = ratio x that of the joint + offset"},
    {.name = "offset",
     .kind = TACT_KEY_NUMBER,
     .offset = offsetof(body_entry, body.offset),
     .range = TACT_RANGE_ANY,
     .most = TACT_MOST_LENGTH,
     .fallback = "0",
     .meaning = "[rad or m]"},
    {0},
};

const tact_key tact_scene_joint_keys[] = {
    {.name = "name",
     .kind = TACT_KEY_NAME,
     .offset = offsetof(body_entry, body.joint),
     .fallback = "the body's",
     .meaning = "unique among the joints"},
    {.name = "type",
     .kind = TACT_KEY_CHOICE,
     .required = true,
     .offset = offsetof(body_entry, type),
     .choices = joint_types,
     .form = "see below",
     .meaning = "how the body moves"},
    {.name = "xyz",
     .kind = TACT_KEY_VECTOR,
     .count = 3,
     .offset = offsetof(body_entry, body.frame.xyz),
     .range = TACT_RANGE_ANY,
     .most = TACT_MOST_LENGTH,
     .fallback = "0, 0, 0",
     .meaning = "joint frame in the parent's frame [m]"},
    {.name = "rpy",
     .kind = TACT_KEY_VECTOR,
     .count = 3,
     .offset = offsetof(body_entry, body.frame.rpy),
     .range = TACT_RANGE_ANY,
     .most = TACT_MOST_LENGTH,
     .fallback = "0, 0, 0",
     .meaning = "its roll, pitch, yaw as in URDF: Rz(yaw) Ry(pitch) Rx(roll) [rad]"},
    {.name = "axis",
     .kind = TACT_KEY_VECTOR,
     .count = 3,
     .offset = offsetof(body_entry, axis),
     .range = TACT_RANGE_ANY,
     .fallback = "1, 0, 0",
     .meaning = "in the joint frame, of any length (revolute, continuous, prismatic)"},
    {.name = "limits",
     .kind = TACT_KEY_VECTOR,
     .count = 2,
     .offset = offsetof(body_entry, limits),
     .range = TACT_RANGE_ANY,
     .fallback = "none",
     .meaning = "lower, upper [rad or m] (revolute, prismatic); beyond 1e9: none"},
    {.name = "mimic", .kind = TACT_KEY_OBJECT, .keys = tact_scene_mimic_keys, .fallback = "none", .meaning = "follow another joint"},
    {0},
};

const tact_key tact_scene_body_keys[] = {
    {.name = "name",
     .kind = TACT_KEY_NAME,
     .required = true,
     .offset = offsetof(body_entry, body.name),
     .meaning = "unique among the bodies; not \"world\""},
    {.name = "parent",
     .kind = TACT_KEY_NAME,
     .required = true,
     .offset = offsetof(body_entry, body.parent),
     .meaning = "the body that carries it, or \"world\""},
    {.name = "joint",
     .kind = TACT_KEY_OBJECT,
     .required = true,
     .keys = tact_scene_joint_keys,
     .meaning = "how it moves on its parent"},
    {.name = "mass", .form = "number > 0", .fallback = "0", .meaning = "[kg]; >= 0 on a fixed joint"},
    {.name = "com",
     .kind = TACT_KEY_VECTOR,
     .count = 3,
     .offset = offsetof(body_entry, com),
     .range = TACT_RANGE_ANY,
     .most = TACT_MOST_LENGTH,
     .fallback = "0, 0, 0",
     .meaning = "centre of mass in the body frame [m]"},
    {.name = "inertia",
     .kind = TACT_KEY_VECTOR,
     .count = 6,
     .offset = offsetof(body_entry, body.inertia),
     .range = TACT_RANGE_ANY,
     .most = TACT_MOST_MASS,
     .fallback = "0",
     .meaning = "xx, yy, zz, xy, xz, yz about the com, body axes [kg m^2]"},
    {0},
};

// normalised in double precision and with scaling, so that 1e-140 and 1e300 are as good as 1
static void read_axis(const tact_json *json, int node, tact_vec3 *axis) {
    double a[3] = {0, 0, 0}, largest = 0;
    int i = tact_json_first(json, node);
    for (int k = 0; k < 3; k++, i = tact_json_after(json, i)) {
        a[k] = json->nodes[i].item->valuedouble;
        largest = fmax(largest, fabs(a[k]));
    }
    if (largest < AXIS_LEAST) {
        tact_json_refuse(json, node, "length %s: must be at least 1e-150", tact_number_print(largest).text);
        return;
    }
    for (int k = 0; k < 3; k++) a[k] /= largest;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    *axis = tact_vec3_make((tact_real)(a[0] / length), (tact_real)(a[1] / length), (tact_real)(a[2] / length));
}

static void read_limits(const tact_json *json, int node, body_entry *entry) {
    tact_real lower = entry->limits[0], upper = entry->limits[1];
    if (lower > upper) {
        tact_json_refuse(json, node, "lower %s > upper %s", tact_number_print((double)lower).text,
                         tact_number_print((double)upper).text);
        return;
    }
    entry->body.limited = true;
    entry->body.lower = lower < -TACT_REAL(LIMIT_MOST) ? -TACT_MAX : lower;
    entry->body.upper = upper > TACT_REAL(LIMIT_MOST) ? TACT_MAX : upper;
}

static void refuse_member(const tact_json *json, int object, const char *key, tact_joint_type type) {
    int node = tact_json_find(json, object, key);
    tact_json_refuse(json, node, "a %s joint has no %s", joint_types[type], key);
}

static void read_joint(const tact_json *json, int node, body_entry *entry) {
    if (!tact_keys_check(json, node, tact_scene_joint_keys, NULL)) return;
    bool typed = tact_keys_read(json, node, tact_scene_joint_keys, entry) || entry->type >= 0;
    int axis = tact_json_find(json, node, "axis"), limits = tact_json_find(json, node, "limits");
    int mimic = tact_json_find(json, node, "mimic");
    if (mimic >= 0 && tact_keys_check(json, mimic, tact_scene_mimic_keys, NULL)) {
        tact_keys_read(json, mimic, tact_scene_mimic_keys, entry);
    }
    if (!typed) return;
    tact_joint_type type = (tact_joint_type)entry->type;
    entry->body.type = type;
    bool single = tact_joint_dofs(type) == 1;
    if (!single) refuse_member(json, node, "axis", type);
    if (!single) refuse_member(json, node, "mimic", type);
    if (!single || type == TACT_JOINT_CONTINUOUS) refuse_member(json, node, "limits", type);
    if (single && axis >= 0 && isfinite(entry->axis[0])) read_axis(json, axis, &entry->body.axis);
    if (single && limits >= 0 && isfinite(entry->limits[0])) read_limits(json, limits, entry);
}

static void read_mass(const tact_json *json, int node, body_entry *entry) {
    static const tact_key fixed = {.kind = TACT_KEY_NUMBER, .range = TACT_RANGE_FROM(0), .most = TACT_MOST_MASS};
    static const tact_key moving = {.kind = TACT_KEY_NUMBER, .range = TACT_RANGE_ABOVE(0), .most = TACT_MOST_MASS};
    if (node < 0) return;
    bool moves = entry->type > (int)TACT_JOINT_FIXED;
    if (moves && tact_json_type(json, node) == TACT_JSON_NUMBER && json->nodes[node].item->valuedouble == 0) {
        tact_json_refuse(json, node, "must be > 0; for a fixed body use a fixed joint");
        return;
    }
    entry->body.weighed = tact_key_read_numbers(json, node, moves ? &moving : &fixed, 1, &entry->body.mass);
}

static void read_body(const tact_json *json, int node, tact_draft_body *body) {
    body_entry entry = {.body = *body, .type = -1, .axis = {(tact_real)INFINITY}, .limits = {(tact_real)INFINITY}};
    entry.body.mark = (tact_draft_mark){.json = json, .node = node};
    entry.body.axis.x = 1;
    if (tact_keys_check(json, node, tact_scene_body_keys, NULL)) {
        tact_keys_read(json, node, tact_scene_body_keys, &entry);
        int joint = tact_json_find(json, node, "joint"), inertia = tact_json_find(json, node, "inertia");
        if (joint >= 0) read_joint(json, joint, &entry);
        read_mass(json, tact_json_find(json, node, "mass"), &entry);
        entry.body.inertial = inertia >= 0;
        entry.body.com = tact_vec3_make(entry.com[0], entry.com[1], entry.com[2]);
    }
    if (entry.body.parent && strcmp(entry.body.parent, TACT_SCENE_WORLD) == 0) entry.body.parent = NULL;
    if (entry.body.name && strcmp(entry.body.name, TACT_SCENE_WORLD) == 0) {
        tact_draft_mark *mark = &entry.body.mark;
        tact_json_refuse(json, tact_json_find(json, mark->node, "name"), "\"world\" is what does not move; choose another name");
        entry.body.name = NULL;
    }
    *body = entry.body;
}

void tact_scene_read_bodies(tact_draft *draft, const tact_json *json, int node) {
    if (node < 0 || !tact_json_expect(json, node, TACT_JSON_ARRAY)) return;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) {
        tact_draft_body *body = tact_draft_add_body(draft);
        if (!body) return;
        read_body(json, i, body);
    }
}
