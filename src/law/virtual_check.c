// SPDX-License-Identifier: MIT
// Requirements of the virtual law on a model, and the groups that bend: those whose mass matrix depends on q.
#include "law/virtual.h"

int tact_virtual_root(const tact_model *model, int body) {
    while (model->body[body].parent != TACT_WORLD) body = model->body[body].parent;
    return body;
}

bool tact_virtual_moves(const tact_model *model, int body) {
    return model->body_motion[body + 1] > model->body_motion[body];
}

static bool virtual_joint_turns(tact_joint_type type) {
    return type == TACT_JOINT_REVOLUTE || type == TACT_JOINT_CONTINUOUS || type == TACT_JOINT_PLANAR || type == TACT_JOINT_FREE;
}

// Whether a joint above the body turns; with slides: whether any joint above it moves.
static bool virtual_is_carried(const tact_model *model, int b, bool slides) {
    for (int parent = model->body[b].parent; parent != TACT_WORLD; parent = model->body[parent].parent)
        if (virtual_joint_turns(model->body[parent].joint) || (slides && tact_virtual_moves(model, parent))) return true;
    return false;
}

typedef struct {
    tact_real mass, inertia;  // of the body and all that it carries; inertia: bound about the axis
    tact_vec3 moment;         // first moment of mass in the body's axes
} virtual_total;

// Mass properties of a body and all that it carries, at q = 0.
static virtual_total virtual_sum(const tact_model *model, int b, tact_vec3 axis) {
    virtual_total total = {0, 0, {0, 0, 0}};
    for (int c = b; c < model->nbody; c++) {
        const tact_body *body = &model->body[c];
        // centre of mass in the axes of b at q = 0; bodies that b does not carry are skipped
        tact_vec3 com = body->com;
        int at = c;
        for (; at != TACT_WORLD && at != b; at = model->body[at].parent) com = tact_pose_apply(model->body[at].place, com);
        if (at != b || !(body->mass > 0)) continue;
        const tact_real *I = body->inertia;
        // the trace bounds the moment of inertia about any axis; m r^2 is added by the parallel axis theorem
        tact_vec3 arm = tact_vec3_cross(axis, com);
        total.mass += body->mass;
        total.moment = tact_vec3_add_scaled(total.moment, body->mass, com);
        total.inertia += I[0] + I[1] + I[2] + body->mass * tact_vec3_dot(arm, arm);
    }
    return total;
}

// Axis of a body's joint.
static tact_vec3 virtual_axis(const tact_body *body) {
    tact_vec3 z = {0, 0, 1};
    return body->joint == TACT_JOINT_PLANAR ? z : body->axis;
}

bool tact_virtual_body_bends(const tact_model *model, int b) {
    const tact_body *body = &model->body[b];
    if (!tact_virtual_moves(model, b)) return false;
    // a turning joint above changes the directions of this joint's motions
    if (virtual_is_carried(model, b, false)) return true;
    if (!virtual_joint_turns(body->joint)) return false;
    if (body->joint != TACT_JOINT_PLANAR && !virtual_is_carried(model, b, true)) return false;
    // turns on a slide: M depends on q if the centre of mass is off the axis
    tact_vec3 axis = virtual_axis(body);
    virtual_total total = virtual_sum(model, b, axis);
    tact_vec3 off = tact_vec3_add_scaled(total.moment, -tact_vec3_dot(axis, total.moment), axis);
    return tact_vec3_dot(off, off) > TACT_REAL(1e-18) * total.mass * total.mass;
}

// Field of a body that the law cannot step; NULL: it can.
static const char *virtual_check_body(const tact_model *model, int b) {
    const tact_body *body = &model->body[b];
    bool turns = virtual_joint_turns(body->joint), driven = false;
    if (!tact_virtual_moves(model, b)) return NULL;
    // a dof that mimics one of another tree would couple two groups
    for (int m = model->body_motion[b]; m < model->body_motion[b + 1]; m++) {
        const tact_dof *dof = &model->dof[model->motion[m].dof];
        if (tact_virtual_root(model, dof->body) != tact_virtual_root(model, b)) return "body.joint";
        driven = driven || dof->stiffness > 0;
    }
    // an undriven joint needs mass, and if it turns a moment of inertia
    virtual_total total = virtual_sum(model, b, virtual_axis(body));
    return !driven && !(total.mass > 0 && (!turns || total.inertia > 0)) ? "body.mass" : NULL;
}

tact_fault tact_virtual_check(const tact_model *model) {
    TACT_ASSERT(model);
    for (int b = 0; b < model->nbody; b++) {
        if (model->body[b].joint == TACT_JOINT_FREE) return (tact_fault){"body.joint", b};
        // free joints leave the plane; other joints as virtual_check_body says
        const char *field = virtual_check_body(model, b);
        if (field) return (tact_fault){field, b};
    }
    if (model->nloop > 0) return (tact_fault){"nloop", 0};
    if (model->nspring > 0) return (tact_fault){"nspring", 0};
    tact_plane plane = tact_plane_find(model);
    return tact_plane_check(model, &plane);
}
