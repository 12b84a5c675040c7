// SPDX-License-Identifier: MIT
#include "tact/robot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/build.h"

#define SAG 0.001  // of a driven base under the robot's weight [m]
#define ARM 0.1    // over which its turning drives are as stiff as the others [m]
#define GRAVITY 9.81

const char *const tact_base_joint_names[] = {
    [TACT_BASE_FIXED] = "fixed", [TACT_BASE_FREE] = "free", [TACT_BASE_DRIVEN] = "driven", NULL};

static bool is_taken(const tact_draft *draft, int from, const char *name) {
    for (int i = from; i < draft->nbody; i++) {
        const tact_draft_body *body = &draft->bodies[i];
        if ((body->name && strcmp(body->name, name) == 0) || (body->joint && strcmp(body->joint, name) == 0)) return true;
    }
    return false;
}

// base, or with a number where the robot has that name for a body or joint
static const char *make_name(tact_draft *draft, int from, const char *base) {
    char text[64];
    size_t size = (size_t)snprintf(text, sizeof text, "%s", base);
    for (int number = 1; is_taken(draft, from, text); number++) size = (size_t)snprintf(text, sizeof text, "%s_%d", base, number);
    return tact_draft_string(draft, text, size);
}

// A body without mass on another (NULL: the world), by a joint of its name; its name, NULL without memory.
static const char *add_body(tact_draft *draft, int from, const char *parent, const char *base, const tact_draft_mark *mark) {
    const char *name = make_name(draft, from, base);
    tact_draft_body *body = name ? tact_draft_add_body(draft) : NULL;
    if (!body) return NULL;
    body->name = body->joint = name;
    body->parent = parent;
    body->axis = tact_vec3_make(1, 0, 0);
    body->mark = *mark;
    return name;
}

static bool add_drive(tact_draft *draft, const char *joint, double stiffness, const tact_draft_mark *mark) {
    tact_draft_drive *drive = tact_draft_add_drive(draft);
    if (!drive) return false;
    drive->joint = joint;
    drive->stiffness = (tact_real)tact_key_round(stiffness, 2);
    drive->mark = *mark;
    return true;
}

// Six joints in a row; the name of the last body, NULL without memory. They sink by 1 mm under the weight.
static const char *add_axes(tact_draft *draft, int from, const tact_draft_mark *mark) {
    static const char *const names[6] = {"base_x", "base_y", "base_z", "base_yaw", "base_pitch", "base_roll"};
    const char *parent = NULL;
    double mass = 0;
    for (int i = from; i < draft->nbody; i++) mass += (double)draft->bodies[i].mass;
    double stiffness = fmin(fmax(mass, 0.1) * GRAVITY / SAG, TACT_MOST_DRIVE / 10);
    for (int k = 0; k < 6; k++) {
        int axis = k < 3 ? k : 5 - k;
        parent = add_body(draft, from, parent, names[k], mark);
        if (!parent || !add_drive(draft, parent, k < 3 ? stiffness : stiffness * ARM * ARM, mark)) return NULL;
        tact_draft_body *body = &draft->bodies[draft->nbody - 1];
        body->type = k < 3 ? TACT_JOINT_PRISMATIC : TACT_JOINT_CONTINUOUS;
        body->axis = tact_vec3_make(axis == 0, axis == 1, axis == 2);
    }
    return parent;
}

bool tact_robot_set_base(tact_draft *draft, tact_robot_start start, tact_base_joint joint, const tact_draft_mark *mark) {
    int body = start.body, count = 0, end = draft->nbody, root = -1;
    if (joint == TACT_BASE_FIXED) return true;
    for (int i = body; i < end; i++) {
        if (draft->bodies[i].parent) continue;
        root = i;
        count++;
        if (draft->bodies[i].type != TACT_JOINT_FREE) continue;
        tact_draft_refuse(draft, mark, "joint", "base %s: body %s is free already", tact_base_joint_names[joint],
                          tact_quote(draft->bodies[i].name ? draft->bodies[i].name : "").text);
        return false;
    }
    if (count == 0) {
        tact_draft_refuse(draft, mark, "joint", "base %s: the robot has no body that the world carries",
                          tact_base_joint_names[joint]);
        return false;
    }
    if (joint == TACT_BASE_FREE && count == 1 && draft->bodies[root].type == TACT_JOINT_FIXED) {
        // the joint that fixed it, which is named for that, gets a name of its own
        const char *name = make_name(draft, body, "base_free");
        if (!name) return false;
        draft->bodies[root].joint = name;
        draft->bodies[root].type = TACT_JOINT_FREE;
        return true;
    }
    const char *base = joint == TACT_BASE_FREE ? add_body(draft, body, NULL, "base_free", mark) : add_axes(draft, body, mark);
    if (!base) return false;
    if (joint == TACT_BASE_FREE) draft->bodies[draft->nbody - 1].type = TACT_JOINT_FREE;
    for (int i = body; i < end; i++)
        if (!draft->bodies[i].parent) draft->bodies[i].parent = base;
    // A palm that several fingers stand on is the robot's; what lies beside one arm is its surroundings.
    for (int i = start.shape; i < draft->nshape && count > 1; i++) {
        tact_draft_shape *shape = &draft->shapes[i];
        bool ground = shape->type == TACT_SHAPE_PLANE || shape->type == TACT_SHAPE_HALFPLANE;
        if (!shape->body && !ground) shape->body = base;
    }
    for (int i = start.mesh; i < draft->nmesh && count > 1; i++)
        if (!draft->meshes[i].body) draft->meshes[i].body = base;
    return true;
}
