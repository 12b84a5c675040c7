// SPDX-License-Identifier: MIT
#include "tact/robot.h"

#include <stdio.h>
#include <string.h>

#include "tact/keys.h"

static void add_number(tact_text *out, tact_real x) {
    tact_text_add(out, tact_key_print(x).text);
}

static void add_list(tact_text *out, const tact_real *x, int count) {
    for (int i = 0; i < count; i++) {
        tact_text_add(out, i > 0 ? ", " : "[");
        add_number(out, x[i]);
    }
    tact_text_add(out, "]");
}

static void add_numbers(tact_text *out, const char *key, const tact_real *x, int count) {
    tact_text_print(out, ", %s: ", key);
    add_list(out, x, count);
}

static bool is_zero(const tact_real *x, int count) {
    for (int i = 0; i < count; i++)
        if (x[i] != 0) return false;
    return true;
}

static void add_nonzero(tact_text *out, const char *key, const tact_real *x, int count) {
    if (!is_zero(x, count)) add_numbers(out, key, x, count);
}

static void add_value(tact_text *out, const char *key, tact_real x) {
    tact_text_print(out, ", %s: ", key);
    add_number(out, x);
}

static void add_integer(tact_text *out, const char *key, int value) {
    char text[60];
    snprintf(text, sizeof text, ", \"%s\": %d", key, value);
    tact_text_add(out, text);
}

static void add_string(tact_text *out, const char *key, const char *string) {
    tact_text_print(out, "%-s%s", key, string);
}

// *from: the first mesh of this body or a later one; meshes are in the order of their bodies
static void add_meshes(tact_text *out, const tact_draft *draft, const tact_draft_body *body, int *from) {
    int count = 0;
    while (*from < draft->nmesh && draft->meshes[*from].body && strcmp(draft->meshes[*from].body, body->name) == 0) {
        // mesh: file, frame and scale
        const tact_draft_mesh *mesh = &draft->meshes[(*from)++];
        int number = count++;
        bool scaled = mesh->scale[0] != 1 || mesh->scale[1] != 1 || mesh->scale[2] != 1;
        add_string(out, number > 0 ? ", { \"file\": " : ",\n      \"meshes\": [{ \"file\": ", mesh->file);
        add_nonzero(out, "xyz", mesh->frame.xyz, 3);
        add_nonzero(out, "rpy", mesh->frame.rpy, 3);
        if (scaled) add_numbers(out, "scale", mesh->scale, 3);
        tact_text_add(out, " }");
    }
    if (count > 0) tact_text_add(out, "]");
}

static void add_body(tact_text *out, const tact_draft *draft, const tact_draft_body *body, int *mesh) {
    tact_real com[3] = {body->com.x, body->com.y, body->com.z};
    add_string(out, "{ \"name\": ", body->name);
    add_string(out, ", \"parent\": ", body->parent ? body->parent : "world");
    if (body->weighed) add_value(out, "mass", body->mass);
    add_nonzero(out, "com", com, 3);
    if (body->inertial) add_numbers(out, "inertia", body->inertia, 6);
    if (body->as_given) tact_text_add(out, ", \"inertia_as_given\": true");
    // Joint: type, frame, axis and limits
    add_string(out, ",\n      \"joint\": { \"name\": ", body->joint ? body->joint : body->name);
    add_string(out, ", \"type\": ", tact_joint_type_names[body->type]);
    add_nonzero(out, "xyz", body->frame.xyz, 3);
    add_nonzero(out, "rpy", body->frame.rpy, 3);
    // only joints of one dof have an axis and limits
    if (tact_joint_dofs(body->type) == 1) {
        tact_real axis[3] = {body->axis.x, body->axis.y, body->axis.z};
        add_numbers(out, "axis", axis, 3);
        if (body->type != TACT_JOINT_CONTINUOUS) {
            // a side without a limit is written as one that is read as none
            const tact_real none = TACT_REAL(2 * TACT_MOST_LIMIT);
            tact_real limits[2] = {body->lower < -none ? -none : body->lower, body->upper > none ? none : body->upper};
            if (body->limited && !(limits[0] == -none && limits[1] == none)) add_numbers(out, "limits", limits, 2);
        }
    }
    if (body->armature > 0) add_value(out, "armature", body->armature);
    if (body->mimic) {
        add_string(out, ",\n                 \"mimic\": { \"joint\": ", body->mimic);
        add_value(out, "ratio", body->ratio);
        add_value(out, "offset", body->offset);
        tact_text_add(out, " }");
    }
    tact_text_add(out, " }");
    add_meshes(out, draft, body, mesh);
    tact_text_add(out, " }");
}

// Adds the corners of a polygon as JSON, or the sides and radius of a regular one.
static void add_points(tact_text *out, const tact_draft_shape *shape) {
    if (shape->regular) {
        tact_real sides = (tact_real)shape->count;
        tact_text_add(out, ", \"regular\": { \"sides\": ");
        add_number(out, sides);
        add_value(out, "radius", shape->size[0]);
        tact_text_add(out, " }");
        return;
    }
    tact_text_add(out, ", \"points\": [");
    for (int i = 0; i < shape->count; i++) {
        tact_text_add(out, i > 0 ? ", [" : "[");
        add_number(out, shape->point[i].x);
        tact_text_add(out, ", ");
        add_number(out, shape->point[i].y);
        tact_text_add(out, "]");
    }
    tact_text_add(out, "]");
}

static void add_vertices(tact_text *out, const tact_hull *hull) {
    for (int i = 0; i < hull->nvertex; i++) {
        const tact_real x[3] = {hull->vertex[i].x, hull->vertex[i].y, hull->vertex[i].z};
        tact_text_add(out, i > 0 ? ", " : ", \"points\": [");
        add_list(out, x, 3);
    }
    tact_text_add(out, "]");
}

static void add_members(tact_text *out, const tact_draft_shape *shape) {
    tact_text_add(out, ", \"of\": [");
    for (int i = 0; i < shape->count; i++) add_string(out, i > 0 ? ", " : "", shape->of[i]);
    tact_text_add(out, "]");
}

static void add_shape(tact_text *out, const tact_draft_shape *shape) {
    add_string(out, "{ \"name\": ", shape->name);
    add_string(out, ", \"body\": ", shape->body ? shape->body : "world");
    add_string(out, ", \"type\": ", tact_shape_type_names[shape->type]);
    // Numbers at their default are left out.
    // Sizes under the keys of the type
    const tact_real *size = shape->size;
    // Files hold whole lengths, the library half ones.
    tact_real full[3] = {2 * size[0], 2 * size[1], 2 * size[2]};
    tact_real normal[3] = {shape->normal.x, shape->normal.y, shape->normal.z};
    switch (shape->type) {
    case TACT_SHAPE_SPHERE: add_value(out, "radius", size[0]); break;
    case TACT_SHAPE_PLANE:
        add_numbers(out, "normal", normal, 3);
        add_value(out, "offset", shape->offset);
        break;
    case TACT_SHAPE_CAPSULE:
    case TACT_SHAPE_CYLINDER:
        add_value(out, "radius", size[0]);
        add_value(out, "length", full[1]);
        break;
    case TACT_SHAPE_ELLIPSOID: add_numbers(out, "radii", size, 3); break;
    case TACT_SHAPE_BOX:
        add_numbers(out, "size", full, 3);
        if (size[3] > 0) add_value(out, "round", size[3]);
        break;
    case TACT_SHAPE_CIRCLE: add_value(out, "radius", size[0]); break;
    case TACT_SHAPE_RECTANGLE:
        add_numbers(out, "size", full, 2);
        if (size[2] > 0) add_value(out, "round", size[2]);
        break;
    case TACT_SHAPE_POLYGON:
        add_points(out, shape);
        if (size[1] > 0) add_value(out, "round", size[1]);
        break;
    case TACT_SHAPE_HALFPLANE:
        add_numbers(out, "normal", normal, 2);
        add_value(out, "offset", shape->offset);
        break;
    case TACT_SHAPE_SMOOTH_UNION:
        add_value(out, "temperature", size[0]);
        add_members(out, shape);
        break;
    case TACT_SHAPE_UNION: add_members(out, shape); break;
    case TACT_SHAPE_GRID: {
        const tact_real low[3] = {shape->grid->low.x, shape->grid->low.y, shape->grid->low.z};
        add_string(out, ", \"file\": ", shape->file);
        add_numbers(out, "low", low, 3);
        add_value(out, "step", shape->grid->step);
        add_value(out, "scale", shape->grid->unit);
        if (size[0] > 0) add_value(out, "round", size[0]);
        break;
    }
    case TACT_SHAPE_HULL:
        add_vertices(out, shape->hull);
        if (size[0] > 0) add_value(out, "round", size[0]);
        break;
    }
    add_nonzero(out, "xyz", shape->frame.xyz, 3);
    add_nonzero(out, "rpy", shape->frame.rpy, 3);
    if (shape->contype != 1) add_integer(out, "contype", shape->contype);
    if (shape->conaffinity != 1) add_integer(out, "conaffinity", shape->conaffinity);
    if (shape->mu >= 0) add_value(out, "mu", shape->mu);
    if (shape->priority != 0) add_integer(out, "priority", shape->priority);
    tact_text_add(out, " }");
}

static void add_pair(tact_text *out, const tact_draft_contact *pair) {
    add_string(out, "{ \"a\": ", pair->a);
    add_string(out, ", \"b\": ", pair->b);
    if (pair->mu >= 0) add_value(out, "mu", pair->mu);
    tact_text_add(out, " }");
}

static void add_coordinates(tact_text *out, const char *key, const tact_draft_coordinate *x, int count) {
    for (int i = 0; i < count; i++) {
        tact_text_add(out, i > 0 ? ", " : key);
        add_string(out, "", x[i].joint);
        for (int k = 0; k < x[i].count; k++) {
            tact_text_add(out, k > 0 ? ", " : x[i].count > 1 ? ": [" : ": ");
            add_number(out, x[i].value[k]);
        }
        if (x[i].count > 1) tact_text_add(out, "]");
    }
    if (count > 0) tact_text_add(out, " }");
}

static void add_keyframe(tact_text *out, const tact_draft_keyframe *keyframe) {
    add_string(out, "{ \"name\": ", keyframe->name);
    add_coordinates(out, ",\n      \"q\": { ", keyframe->q, keyframe->nq);
    add_coordinates(out, ",\n      \"command\": { ", keyframe->command, keyframe->ncommand);
    tact_text_add(out, " }");
}

static void add_loop(tact_text *out, const tact_draft_loop *loop) {
    add_string(out, "{ \"a\": ", loop->body[0] ? loop->body[0] : "world");
    add_string(out, ", \"b\": ", loop->body[1] ? loop->body[1] : "world");
    add_nonzero(out, "at_a", loop->at[0], 3);
    if (loop->placed) add_numbers(out, "at_b", loop->at[1], 3);
    if (loop->stiffness != TACT_REAL(TACT_LOOP_STIFFNESS)) add_value(out, "stiffness", loop->stiffness);
    tact_text_add(out, " }");
}

static void add_spring(tact_text *out, const tact_draft_spring *spring) {
    for (int k = 0; k < spring->count; k++) {
        add_string(out, k > 0 ? ", " : "{ \"joints\": { ", spring->joint[k]);
        tact_text_add(out, ": ");
        add_number(out, spring->factor[k]);
    }
    tact_text_add(out, " }");
    add_value(out, "stiffness", spring->stiffness);
    if (spring->damping != 0) add_value(out, "damping", spring->damping);
    if (spring->rest != 0) add_value(out, "rest", spring->rest);
    if (spring->command) tact_text_add(out, ", \"command\": true");
    if (spring->force_limit > 0) add_value(out, "force_limit", spring->force_limit);
    tact_text_add(out, " }");
}

static void begin_list(tact_text *out, const char *name) {
    tact_text_print(out, ",\n  %s: [", name);
}

static void begin_item(tact_text *out, int i) {
    tact_text_add(out, i > 0 ? ",\n    " : "\n    ");
}

void tact_robot_write(const tact_draft *draft, tact_text *out) {
    TACT_ASSERT(draft && out);
    int mesh = 0;
    // The tree with its visual meshes, and the shapes, are always there.
    tact_text_add(out, "{\n  \"tact\": 1,\n  \"bodies\": [");
    for (int i = 0; i < draft->nbody; i++) {
        begin_item(out, i);
        add_body(out, draft, &draft->bodies[i], &mesh);
    }
    tact_text_add(out, draft->nbody > 0 ? "\n  ],\n  \"shapes\": [" : "],\n  \"shapes\": [");
    for (int i = 0; i < draft->nshape; i++) {
        begin_item(out, i);
        add_shape(out, &draft->shapes[i]);
    }
    tact_text_add(out, draft->nshape > 0 ? "\n  ]" : "]");
    // Lists without an item are left out.
    if (draft->ndrive > 0) tact_text_add(out, ",\n  \"drives\": [");
    for (int i = 0; i < draft->ndrive; i++) {
        begin_item(out, i);
        // drive: stiffness, damping, force limit
        const tact_draft_drive *drive = &draft->drives[i];
        add_string(out, "{ \"joint\": ", drive->joint);
        // A motor has a force and no stiffness.
        if (drive->force)
            tact_text_add(out, ", \"force\": true");
        else
            add_value(out, "stiffness", drive->stiffness);
        if (drive->damping > 0) add_value(out, "damping", drive->damping);
        if (drive->force_limit > 0) add_value(out, "force_limit", drive->force_limit);
        tact_text_add(out, " }");
    }
    if (draft->ndrive > 0) tact_text_add(out, "\n  ]");
    if (draft->nexcluded > 0) begin_list(out, "exclude");
    for (int i = 0; i < draft->nexcluded; i++) {
        begin_item(out, i);
        // pair of bodies that do not collide
        const tact_draft_contact *excluded = &draft->excluded[i];
        add_string(out, "[", excluded->a ? excluded->a : "world");
        add_string(out, ", ", excluded->b ? excluded->b : "world");
        tact_text_add(out, "]");
    }
    if (draft->nexcluded > 0) tact_text_add(out, "\n  ]");
    if (draft->npair > 0) begin_list(out, "pairs");
    for (int i = 0; i < draft->npair; i++) {
        begin_item(out, i);
        add_pair(out, &draft->pairs[i]);
    }
    if (draft->npair > 0) tact_text_add(out, "\n  ]");
    if (draft->nloop > 0) begin_list(out, "loops");
    for (int i = 0; i < draft->nloop; i++) {
        begin_item(out, i);
        add_loop(out, &draft->loops[i]);
    }
    if (draft->nloop > 0) tact_text_add(out, "\n  ]");
    if (draft->nspring > 0) begin_list(out, "springs");
    for (int i = 0; i < draft->nspring; i++) {
        begin_item(out, i);
        add_spring(out, &draft->springs[i]);
    }
    if (draft->nspring > 0) tact_text_add(out, "\n  ]");
    if (draft->nkeyframe > 0) begin_list(out, "keyframes");
    for (int i = 0; i < draft->nkeyframe; i++) {
        begin_item(out, i);
        add_keyframe(out, &draft->keyframes[i]);
    }
    tact_text_add(out, draft->nkeyframe > 0 ? "\n  ]\n}\n" : "\n}\n");
}
