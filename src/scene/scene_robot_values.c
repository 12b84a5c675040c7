// SPDX-License-Identifier: MIT
// What a robot's entry in a scene says over its file: masses of bodies, gains of drives. They stand in the scene's own text, so
// that --set, batches and worlds reach them by names: robots.0.bodies.palm.mass, robots.0.drives.joint_3.stiffness.
#include <string.h>

#include "scene/build.h"

// what the tables fill
typedef struct {
    tact_real mass, com[3], inertia[6];
} body_values;

static const tact_key body_keys[] = {
    TACT_ROW(NUMBER, "mass", .offset = offsetof(body_values, mass), .range = TACT_RANGE_FROM(0), .most = TACT_MOST_MASS),
    TACT_ROW(VECTOR, "com", .count = 3, .offset = offsetof(body_values, com), .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH),
    TACT_ROW(VECTOR, "inertia", .count = 6, .offset = offsetof(body_values, inertia), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_MASS),
    {0}};

static const tact_key drive_keys[] = {TACT_ROW(NUMBER, "stiffness", .offset = offsetof(tact_draft_drive, stiffness),
                                               .range = TACT_RANGE_FROM(0), .most = TACT_MOST_DRIVE),
                                      TACT_ROW(NUMBER, "damping", .offset = offsetof(tact_draft_drive, damping),
                                               .range = TACT_RANGE_FROM(0), .most = TACT_MOST_DRIVE),
                                      TACT_ROW(NUMBER, "force_limit", .offset = offsetof(tact_draft_drive, force_limit),
                                               .range = TACT_RANGE_ABOVE(0), .most = TACT_MOST_DRIVE),
                                      {0}};

// the robot's body of a name, or whose joint has it; -1 after refusing
static int find_body(const tact_draft *draft, const tact_json *json, int node, int from, bool joint) {
    const char *wanted = tact_json_key(json, node);
    for (int i = from; i < draft->nbody; i++) {
        const tact_draft_body *body = &draft->bodies[i];
        const char *name = joint && body->joint ? body->joint : body->name;
        if (name && strcmp(name, wanted) == 0) return i;
    }
    tact_nearest nearest = {.word = tact_json_key(json, node)};
    for (int i = from; i < draft->nbody; i++) {
        const tact_draft_body *body = &draft->bodies[i];
        const char *name = joint && body->joint ? body->joint : body->name;
        if (name) tact_nearest_try(&nearest, name);
    }
    tact_json_refuse(json, node, "the robot has no %s %s%s", joint ? "joint" : "body", tact_quote(nearest.word).text,
                     tact_nearest_hint(&nearest).text);
    return -1;
}

// Changes mass, centre of mass and inertia of a body to those that are given. A body that moves must not get the mass 0.
static void read_body(const tact_json *json, int node, tact_draft_body *body) {
    body_values values = {.mass = body->mass, .com = {body->com.x, body->com.y, body->com.z}};
    memcpy(values.inertia, body->inertia, sizeof values.inertia);
    if (!tact_keys_check(json, node, body_keys, NULL) || !tact_keys_read(json, node, body_keys, &values)) return;
    if (tact_json_find(json, node, "mass") >= 0) {
        if (values.mass == 0 && body->type != TACT_JOINT_FIXED)
            tact_json_refuse(json, tact_json_find(json, node, "mass"), "must be > 0 (found 0)");
        body->weighed = true;
        body->misread = false;
    }
    bool given = tact_json_find(json, node, "inertia") >= 0;
    body->inertial = body->inertial || given;
    body->as_given = body->as_given && !given;
    body->mass = values.mass;
    body->com = tact_vec3_make(values.com[0], values.com[1], values.com[2]);
    memcpy(body->inertia, values.inertia, sizeof values.inertia);
}

// the first of the robot's entries that matches a joint, -1 when none does
static int find_drive(const tact_draft *draft, const char *joint, int from, int end) {
    for (int i = from; i < end; i++) {
        const char *name = draft->drives[i].joint;
        size_t size = name ? strlen(name) : 0;
        if (size > 0 && (name[size - 1] == '*' ? strncmp(name, joint, size - 1) : strcmp(name, joint)) == 0) return i;
    }
    return -1;
}

// A drive for one joint before the robot's others, with the values of the one that holds for it so far.
static bool read_drive(tact_draft *draft, const tact_json *json, int node, int from, int end) {
    const char *joint = tact_json_key(json, node);
    int before = find_drive(draft, joint, from, end);
    tact_draft_drive values = {.robot = -1};
    if (before >= 0) values = draft->drives[before];
    values.joint = joint;
    values.own = true;
    values.mark = (tact_draft_mark){.json = json, .node = node};
    if (!tact_keys_check(json, node, drive_keys, NULL) || !tact_keys_read(json, node, drive_keys, &values)) return true;
    if (tact_json_find(json, node, "stiffness") >= 0)
        values.force = false;
    else if (before < 0)
        tact_json_need(json, node, "stiffness");
    if (!tact_draft_add_drive(draft)) return false;
    // to the front of the robot's entries, since the first match holds
    for (int i = draft->ndrive - 1; i > from; i--) draft->drives[i] = draft->drives[i - 1];
    draft->drives[from] = values;
    return true;
}

bool tact_scene_read_robot_values(tact_draft *draft, const tact_json *json, int robot, int body, int drive) {
    int bodies = tact_json_find(json, robot, "bodies"), drives = tact_json_find(json, robot, "drives"), count = draft->ndrive;
    if (bodies >= 0 && tact_json_expect(json, bodies, TACT_JSON_OBJECT))
        for (int i = tact_json_first(json, bodies); i >= 0; i = tact_json_after(json, i)) {
            int index = find_body(draft, json, i, body, false);
            if (index >= 0) read_body(json, i, &draft->bodies[index]);
        }
    if (drives < 0 || !tact_json_expect(json, drives, TACT_JSON_OBJECT)) return true;
    for (int i = tact_json_first(json, drives); i >= 0; i = tact_json_after(json, i)) {
        // entries that were put before the file's are of other joints
        int added = draft->ndrive - count;
        if (find_body(draft, json, i, body, true) < 0) continue;
        if (!read_drive(draft, json, i, drive, count + added)) return false;
    }
    return true;
}
