// SPDX-License-Identifier: MIT
// Bodies and their joints from JSON.
#include <string.h>

#include "scene/build.h"

// what the tables fill
typedef struct {
    tact_draft_body body;
    tact_real com[3];
    int type;
} body_entry;

const char *const tact_joint_type_names[] = {[TACT_JOINT_FIXED] = "fixed",
                                             [TACT_JOINT_REVOLUTE] = "revolute",
                                             [TACT_JOINT_CONTINUOUS] = "continuous",
                                             [TACT_JOINT_PRISMATIC] = "prismatic",
                                             [TACT_JOINT_TRANSLATION] = "translation",
                                             [TACT_JOINT_PLANAR] = "planar",
                                             [TACT_JOINT_FREE] = "free",
                                             NULL};

const tact_key tact_scene_mimic_keys[] = {
    TACT_ROW(NAME, "joint", .required = true, .offset = offsetof(body_entry, body.mimic),
             .meaning = "the joint that is followed"),
    TACT_ROW(NUMBER, "ratio", .offset = offsetof(body_entry, body.ratio), .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH,
             .fallback = "1", .meaning = "coordinate = ratio x that of the joint + offset"),
    TACT_ROW(NUMBER, "offset", .offset = offsetof(body_entry, body.offset), .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH,
             .fallback = "0", .meaning = "[rad or m]"),
    {0}};

const tact_key tact_scene_joint_keys[] = {
    TACT_ROW(NAME, "name", .offset = offsetof(body_entry, body.joint), .fallback = "the body's",
             .meaning = "unique among the joints"),
    TACT_ROW(CHOICE, "type", .required = true, .offset = offsetof(body_entry, type), .choices = tact_joint_type_names,
             .form = "see below", .meaning = "how the body moves"),
    TACT_ROW(VECTOR, "xyz", .count = 3, .offset = offsetof(body_entry, body.frame.xyz), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "0, 0, 0", .meaning = "joint frame in the parent's frame [m]"),
    TACT_ROW(VECTOR, "rpy", .count = 3, .offset = offsetof(body_entry, body.frame.rpy), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "0, 0, 0",
             .meaning = "its roll, pitch, yaw as in URDF: Rz(yaw) Ry(pitch) Rx(roll) [rad]"),
    TACT_ROW_QUAT,
    TACT_ROW(VECTOR, "axis", .count = 3, .apart = true, .range = TACT_RANGE_ANY, .fallback = "1, 0, 0",
             .meaning = "in the joint frame, of any length (revolute, continuous, prismatic)"),
    TACT_ROW(VECTOR, "limits", .count = 2, .apart = true, .range = TACT_RANGE_ANY, .fallback = "none",
             .meaning = "lower, upper [rad or m] (revolute, prismatic); beyond 1e9: none"),
    TACT_ROW(NUMBER, "armature", .offset = offsetof(body_entry, body.armature), .range = TACT_RANGE_FROM(0),
             .most = TACT_MOST_MASS, .fallback = "0",
             .meaning =
                 "inertia of a motor's rotor, times its gear's ratio squared: on the diagonal of the mass matrix (revolute, "
                 "continuous, prismatic) [kg m^2 or kg]"),
    TACT_ROW(OBJECT, "mimic", .keys = tact_scene_mimic_keys, .fallback = "none", .meaning = "follow another joint"),
    {0}};

const tact_key tact_scene_body_keys[] = {
    TACT_ROW(NAME, "name", .required = true, .offset = offsetof(body_entry, body.name),
             .meaning = "unique among the bodies; not \"world\""),
    TACT_ROW(NAME, "parent", .required = true, .offset = offsetof(body_entry, body.parent),
             .meaning = "the body that carries it, or \"world\""),
    TACT_ROW(OBJECT, "joint", .required = true, .keys = tact_scene_joint_keys, .meaning = "how it moves on its parent"),
    TACT_ROW(OTHER, "mass", .form = "number > 0", .fallback = "0", .meaning = "[kg]; >= 0 on a fixed joint"),
    TACT_ROW(VECTOR, "com", .count = 3, .offset = offsetof(body_entry, com), .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH,
             .fallback = "0, 0, 0", .meaning = "centre of mass in the body frame [m]"),
    TACT_ROW(VECTOR, "inertia", .count = 6, .apart = true, .range = TACT_RANGE_ANY, .most = TACT_MOST_MASS, .fallback = "0",
             .meaning = "xx, yy, zz, xy, xz, yz about the com, body axes [kg m^2]"),
    TACT_ROW(BOOL, "inertia_as_given", .offset = offsetof(body_entry, body.as_given), .fallback = "false",
             .meaning = "suppresses the warning that no rigid body can have this inertia, which a robot description gave"),
    TACT_ROW(LIST, "meshes", .keys = tact_scene_mesh_keys, .fallback = "none",
             .meaning = "surfaces that tact view draws in its place; nothing touches them"),
    {0}};

// Reads the limits of a joint in their order; a limit beyond the largest number allowed means none.
static void read_limits(const tact_json *json, int node, body_entry *entry) {
    const tact_real most = TACT_REAL(TACT_MOST_LIMIT);
    tact_real limits[2];
    if (node < 0 || !tact_key_read_numbers(json, node, tact_key_find(tact_scene_joint_keys, "limits"), 2, limits)) return;
    if (limits[0] > limits[1]) {
        tact_json_refuse(json, node, "lower %s > upper %s: the order is [lower, upper]", tact_key_print(limits[0]).text,
                         tact_key_print(limits[1]).text);
        return;
    }
    if (limits[0] > most || limits[1] < -most) {
        tact_json_refuse(json, node, "lower must be at most %s, upper at least %s (found %s, %s)", tact_key_print(most).text,
                         tact_key_print(-most).text, tact_key_print(limits[0]).text, tact_key_print(limits[1]).text);
        return;
    }
    entry->body.limited = true;
    entry->body.lower = limits[0] < -most ? -TACT_MAX : limits[0];
    entry->body.upper = limits[1] > most ? TACT_MAX : limits[1];
}

static void refuse_member(const tact_json *json, int object, const char *key, tact_joint_type type) {
    int node = tact_json_find(json, object, key);
    tact_json_refuse(json, node, "a %s joint has no %s", tact_joint_type_names[type], key);
}

// Reads the joint of a body: type, frame, axis, limits and mimic, as far as the type has them.
static void read_joint(const tact_json *json, int node, body_entry *entry) {
    if (!tact_keys_check(json, node, tact_scene_joint_keys, NULL)) return;
    tact_keys_read(json, node, tact_scene_joint_keys, entry);
    tact_scene_read_quat(json, node, tact_scene_joint_keys, &entry->body.frame);
    int mimic = tact_json_find(json, node, "mimic");
    if (mimic >= 0 && tact_keys_check(json, mimic, tact_scene_mimic_keys, NULL)) {
        tact_keys_read(json, mimic, tact_scene_mimic_keys, entry);
    }
    if (entry->type < 0) return;
    tact_joint_type type = (tact_joint_type)entry->type;
    entry->body.type = type;
    // axis, limits and mimic belong to joints of one dof
    if (tact_joint_dofs(type) != 1) {
        refuse_member(json, node, "axis", type);
        refuse_member(json, node, "limits", type);
        refuse_member(json, node, "mimic", type);
        refuse_member(json, node, "armature", type);
        entry->body.mimic = NULL;
        entry->body.armature = 0;
        return;
    }
    int axis = tact_json_find(json, node, "axis");
    if (axis >= 0) tact_key_read_direction(json, axis, tact_key_find(tact_scene_joint_keys, "axis"), &entry->body.axis);
    if (type == TACT_JOINT_CONTINUOUS) {
        refuse_member(json, node, "limits", type);
    } else {
        read_limits(json, tact_json_find(json, node, "limits"), entry);
    }
}

static void read_mass(const tact_json *json, int node, body_entry *entry) {
    static const tact_key fixed = {.kind = TACT_KEY_NUMBER, .range = TACT_RANGE_FROM(0), .most = TACT_MOST_MASS};
    static const tact_key moving = {.kind = TACT_KEY_NUMBER, .range = TACT_RANGE_ABOVE(0), .most = TACT_MOST_MASS};
    if (node < 0) return;
    bool moves = entry->type > (int)TACT_JOINT_FIXED;
    if (moves && tact_json_type(json, node) == TACT_JSON_NUMBER && tact_json_value(json, node) == 0) {
        tact_json_refuse(json, node, "must be > 0; for a fixed body use a fixed joint");
    } else {
        entry->body.weighed = tact_key_read_numbers(json, node, moves ? &moving : &fixed, 1, &entry->body.mass);
    }
    entry->body.misread = !entry->body.weighed;
}

static void read_inertia(const tact_json *json, int node, body_entry *entry) {
    if (node < 0) return;
    const tact_key *key = tact_key_find(tact_scene_body_keys, "inertia");
    entry->body.inertial = tact_key_read_numbers(json, node, key, 6, entry->body.inertia);
    entry->body.misread = entry->body.misread || !entry->body.inertial;
}

void tact_scene_read_bodies(tact_draft *draft, const tact_json *json, int node) {
    for (int i = tact_json_enter(json, node, TACT_JSON_ARRAY); i >= 0; i = tact_json_after(json, i)) {
        tact_draft_body *body = tact_draft_add_body(draft);
        if (!body) return;
        body_entry entry = {.body = *body, .type = -1};
        entry.body.mark = (tact_draft_mark){.json = json, .node = i};
        entry.body.axis.x = 1;
        if (tact_keys_check(json, i, tact_scene_body_keys, NULL)) {
            tact_keys_read(json, i, tact_scene_body_keys, &entry);
            int joint = tact_json_find(json, i, "joint");
            if (joint >= 0) read_joint(json, joint, &entry);
            read_mass(json, tact_json_find(json, i, "mass"), &entry);
            read_inertia(json, tact_json_find(json, i, "inertia"), &entry);
            entry.body.com = tact_vec3_make(entry.com[0], entry.com[1], entry.com[2]);
        }
        // inside, NULL stands for the world
        if (entry.body.parent && strcmp(entry.body.parent, TACT_SCENE_WORLD) == 0) entry.body.parent = NULL;
        if (entry.body.name && strcmp(entry.body.name, TACT_SCENE_WORLD) == 0) {
            tact_draft_mark *mark = &entry.body.mark;
            tact_json_refuse(json, tact_json_find(json, mark->node, "name"), "\"world\" is the fixed body; choose another name");
            entry.body.name = NULL;
        }
        *body = entry.body;
        int meshes = tact_json_find(json, i, "meshes");
        if (meshes >= 0) tact_scene_read_meshes(draft, json, meshes, body->name);
    }
}
