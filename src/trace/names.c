// SPDX-License-Identifier: MIT
#include "tact/trace.h"

#include <stdio.h>

static tact_thing_name choose(const char *const *list, const char *kind, int index) {
    tact_thing_name name;
    if (list && list[index])
        snprintf(name.text, sizeof name.text, "%s", list[index]);
    else
        snprintf(name.text, sizeof name.text, "%s%d", kind, index);
    return name;
}

tact_thing_name tact_body_name(const tact_model *model, int body) {
    if (body == TACT_WORLD) return (tact_thing_name){"world"};
    return choose(model->names ? model->names->body : NULL, "body", body);
}

tact_thing_name tact_joint_name(const tact_model *model, int body) {
    return choose(model->names ? model->names->joint : NULL, "joint", body);
}

tact_thing_name tact_shape_name(const tact_model *model, int shape) {
    return choose(model->names ? model->names->shape : NULL, "shape", shape);
}

// which: "", or what follows the joint's name
static tact_thing_name extend(const tact_model *model, int body, const char *which) {
    tact_thing_name joint = tact_joint_name(model, body), name;
    if (!which[0]) return joint;
    snprintf(name.text, sizeof name.text, "%.255s.%s", joint.text, which);
    return name;
}

// Name of a dof: that of its joint, with the component where the joint has several.
tact_thing_name tact_dof_name(const tact_model *model, int dof) {
    TACT_ASSERT(model && 0 <= dof && dof < model->nv);
    static const char *const translation[] = {"x", "y", "z"}, *const planar[] = {"x", "y", "angle"}, *const free[] = {"wx", "wy",
                                                                                                                      "wz", "vx",
                                                                                                                      "vy", "vz"};
    // By the joint of its body, and for several dofs their place within it.
    int body = model->dof[dof].body, k = dof - model->body[body].v;
    switch (model->body[body].joint) {
    case TACT_JOINT_FIXED:
    case TACT_JOINT_REVOLUTE:
    case TACT_JOINT_CONTINUOUS:
    case TACT_JOINT_PRISMATIC: return extend(model, body, "");
    case TACT_JOINT_TRANSLATION: return extend(model, body, translation[k]);
    case TACT_JOINT_PLANAR: return extend(model, body, planar[k]);
    case TACT_JOINT_FREE: return extend(model, body, free[k]);
    }
    return extend(model, body, "");
}

// The body whose own joint holds a coordinate.
static int find_coordinate(const tact_model *model, int q) {
    for (int v = 0; v < model->nv; v++) {
        const tact_body *body = &model->body[model->dof[v].body];
        if (q >= body->q && q < body->q + tact_joint_coordinates(body->joint)) return model->dof[v].body;
    }
    return 0;
}

tact_thing_name tact_coordinate_name(const tact_model *model, int q) {
    TACT_ASSERT(model);
    static const char *const free[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    int body = find_coordinate(model, q);
    const tact_body *carried = &model->body[body];
    if (carried->joint == TACT_JOINT_FREE) return extend(model, body, free[q - carried->q]);
    // elsewhere coordinates and dofs are the same
    return tact_dof_name(model, carried->v + q - carried->q);
}
