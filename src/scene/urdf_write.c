// SPDX-License-Identifier: MIT
// A scene's bodies as URDF: links, joints, masses and shapes; and a scene around that, with what has no place there.
#include <string.h>

#include "scene/urdf_parts.h"

#define UNBOUNDED TACT_REAL(1e10)  // beyond what readers take for a limit

typedef struct {
    const tact_model *model;
    tact_text *out, *left_out, *reason;
} urdf_writer;

static void add_origin(tact_text *out, const tact_pose *pose) {
    const tact_real p[3] = {pose->p.x, pose->p.y, pose->p.z};
    tact_real rpy[3];
    tact_urdf_angles(pose->R, rpy);
    tact_xml_add_numbers(out, "<origin xyz=", p, 3);
    tact_xml_add_numbers(out, " rpy=", rpy, 3);
    tact_text_add(out, "/>");
}

// the vertices and edges that stand for a hull or a box in contacts are not written as shapes
static bool is_slot(const tact_model *model, int s) {
    return model->names->slot_of && model->names->slot_of[s] >= 0;
}

static int find_meant(const tact_model *model, int s) {
    return is_slot(model, s) ? model->names->slot_of[s] : s;
}

static bool has_shape(const tact_model *model, int s) {
    tact_shape_type type = model->shape[s].type;
    return type == TACT_SHAPE_BOX || type == TACT_SHAPE_CAPSULE || type == TACT_SHAPE_CYLINDER || tact_shape_is_ball(type);
}

// planes of the world are of the scene around
static bool is_ground(const tact_model *model, int s) {
    return model->shape[s].type == TACT_SHAPE_PLANE && model->shape[s].body == TACT_WORLD;
}

static void add_link(urdf_writer *w, int b) {
    const tact_model *model = w->model;
    tact_xml_add_quoted(w->out, "  <link name=", b == TACT_WORLD ? TACT_SCENE_WORLD : model->names->body[b]);
    tact_text_add(w->out, ">\n");
    if (b != TACT_WORLD && model->body[b].armature > 0)
        tact_text_add_line(w->left_out, "armature of joint ", model->names->joint[b]);
    if (b != TACT_WORLD && model->body[b].mass > 0) {
        static const char *const moment[6] = {"<inertia ixx=", " iyy=", " izz=", " ixy=", " ixz=", " iyz="};
        const tact_body *body = &model->body[b];
        // Moments are about the centre of mass, along the axes of the link.
        tact_pose at = tact_pose_identity();
        at.p = body->com;
        tact_text_add(w->out, "    <inertial>");
        add_origin(w->out, &at);
        tact_xml_add_numbers(w->out, "<mass value=", &body->mass, 1);
        tact_text_add(w->out, "/>");
        for (int k = 0; k < 6; k++) tact_xml_add_numbers(w->out, moment[k], &body->inertia[k], 1);
        tact_text_add(w->out, "/></inertial>\n");
    }
    for (int s = 0; s < model->nshape; s++)
        if (model->shape[s].body == b) {
            const tact_shape *shape = &w->model->shape[s];
            const char *name = w->model->names->shape[s];
            const tact_real *size = shape->size;
            // Readers refuse a radius of 0: a point becomes a ball of a micrometre.
            const tact_real length = 2 * size[1], radius = size[0] > 0 ? size[0] : TACT_REAL(1e-6),
                            box[3] = {2 * size[0], 2 * size[1], 2 * size[2]};
            const char *round = shape->type == TACT_SHAPE_CAPSULE    ? "<capsule"
                                : shape->type == TACT_SHAPE_CYLINDER ? "<cylinder"
                                                                     : NULL;
            bool ball = tact_shape_is_ball(shape->type);
            if (is_slot(w->model, s)) continue;
            if (!has_shape(w->model, s)) {
                tact_text_add_line(w->left_out,
                                   is_ground(w->model, s) ? "a plane, which only a scene around it has (--scene-to): "
                                                          : "a shape that URDF does not have: ",
                                   name);
                continue;
            }
            // The shape without its rounding, which is reported.
            if (shape->type == TACT_SHAPE_BOX && size[3] > 0) tact_text_add_line(w->left_out, "corner radius of box ", name);
            tact_xml_add_quoted(w->out, "    <collision name=", name);
            tact_text_add(w->out, ">");
            add_origin(w->out, &shape->place);
            tact_text_print(w->out, "<geometry>%-s", ball ? "<sphere" : round ? round : "<box");
            if (ball || round) tact_xml_add_numbers(w->out, " radius=", &radius, 1);
            if (round) tact_xml_add_numbers(w->out, " length=", &length, 1);
            if (!ball && !round) tact_xml_add_numbers(w->out, " size=", box, 3);
            tact_text_add(w->out, "/></geometry></collision>\n");
        }
    tact_text_add(w->out, "  </link>\n");
}

// the greatest force of the drive of a dof; without one what readers take for none
static tact_real find_effort(const tact_model *model, int dof) {
    int u = model->dof[dof].u;
    for (int i = 0; u >= 0 && i < model->nspring; i++)
        if (model->spring[i].u == u && model->spring[i].count == 1 && model->spring[i].force_limit > 0)
            return model->spring[i].force_limit;
    return UNBOUNDED;
}

// A revolute joint without limits is a continuous one, and so is one that follows another, whose limits hold.
static bool add_joint(urdf_writer *w, int b) {
    static const char *const types[] = {
        [TACT_JOINT_FIXED] = "fixed",         [TACT_JOINT_REVOLUTE] = "revolute", [TACT_JOINT_CONTINUOUS] = "continuous",
        [TACT_JOINT_PRISMATIC] = "prismatic", [TACT_JOINT_PLANAR] = "planar",     [TACT_JOINT_FREE] = "floating"};
    const tact_model *model = w->model;
    const tact_body *body = &model->body[b];
    const char *name = model->names->joint[b];
    // leads: the dof is this joint's own, not that of a joint that it follows.
    bool single = tact_joint_dofs(body->joint) == 1, leads = single && model->dof[body->v].body == b;
    const tact_dof *dof = single ? &model->dof[body->v] : NULL;
    bool limited = leads && dof->lower > -TACT_MAX && dof->upper < TACT_MAX;
    tact_joint_type type = body->joint == TACT_JOINT_REVOLUTE && !limited ? TACT_JOINT_CONTINUOUS : body->joint;
    if (body->joint == TACT_JOINT_TRANSLATION) {
        tact_text_print(w->reason, "a joint that URDF does not have, a translation: %-s", name);
        return false;
    }
    tact_xml_add_quoted(w->out, "  <joint name=", name);
    tact_xml_add_quoted(w->out, " type=", types[type]);
    tact_text_add(w->out, ">");
    add_origin(w->out, &body->place);
    tact_xml_add_quoted(w->out,
                        "<parent link=", body->parent == TACT_WORLD ? TACT_SCENE_WORLD : model->names->body[body->parent]);
    tact_xml_add_quoted(w->out, "/><child link=", model->names->body[b]);
    tact_text_add(w->out, "/>");
    // A planar joint's axis is the normal of its plane.
    if (single || body->joint == TACT_JOINT_PLANAR) {
        const tact_real axis[3] = {single ? body->axis.x : 0, single ? body->axis.y : 0, single ? body->axis.z : 1};
        tact_xml_add_numbers(w->out, "<axis xyz=", axis, 3);
        tact_text_add(w->out, "/>");
    }
    // URDF demands limits of these two.
    if (type == TACT_JOINT_REVOLUTE || type == TACT_JOINT_PRISMATIC) {
        const tact_real lower = limited ? dof->lower : -UNBOUNDED, upper = limited ? dof->upper : UNBOUNDED,
                        effort = leads ? find_effort(model, body->v) : UNBOUNDED, velocity = UNBOUNDED;
        tact_xml_add_numbers(w->out, "<limit lower=", &lower, 1);
        tact_xml_add_numbers(w->out, " upper=", &upper, 1);
        tact_xml_add_numbers(w->out, " effort=", &effort, 1);
        tact_xml_add_numbers(w->out, " velocity=", &velocity, 1);
        tact_text_add(w->out, "/>");
    }
    // q = multiplier q_leader + offset.
    if (single && !leads) {
        tact_xml_add_quoted(w->out, "<mimic joint=", model->names->joint[dof->body]);
        tact_xml_add_numbers(w->out, " multiplier=", &body->ratio, 1);
        tact_xml_add_numbers(w->out, " offset=", &body->offset, 1);
        tact_text_add(w->out, "/>");
    }
    tact_text_add(w->out, "</joint>\n");
    return true;
}

bool tact_urdf_write(const tact_scene *scene, tact_text *out, tact_text *left_out, tact_text *reason) {
    const tact_model *model = &scene->model;
    urdf_writer w = {.model = model, .out = out, .left_out = left_out, .reason = reason};
    bool moves = false, bounces = false;
    if (model->law->springs) {
        tact_text_add(reason, "the law virtual: its planar shapes and forces of drives have no counterpart in URDF");
        return false;
    }
    tact_xml_add_quoted(out, "<robot name=", model->names->scene ? model->names->scene : "scene");
    tact_text_add(out, ">\n");
    // The tree: each link and the joint that carries it.
    for (int b = TACT_WORLD; b < model->nbody; b++) {
        add_link(&w, b);
        if (b != TACT_WORLD && !add_joint(&w, b)) return false;
    }
    // What URDF has no words for is named, once each.
    for (int i = 0; i < model->nloop; i++)
        tact_text_add_line(left_out, "the loop of ",
                           model->names->body[model->loop[i].body[model->loop[i].body[0] == TACT_WORLD]]);
    for (int i = 0; i < model->nspring; i++)
        if (model->spring[i].count > 1 || model->spring[i].u < 0)
            tact_text_add_line(left_out, "the spring or drive on a sum of ",
                               model->names->joint[model->dof[model->spring[i].dof[0]].body]);
    for (int i = 0; i < model->nv; i++) moves = moves || model->v0[i] != 0;
    for (int i = 0; i < model->npair; i++) bounces = bounces || model->pair[i].restitution != 0;
    if (moves) tact_text_add_line(left_out, "initial velocities", "");
    if (bounces) tact_text_add_line(left_out, "restitution of pairs", "");
    if (scene->nforce > 0) tact_text_add_line(left_out, "forces on bodies", "");
    if (scene->command.mode != TACT_COMMAND_HOLD) tact_text_add_line(left_out, "the command: drives hold their start", "");
    if (scene->goal.nresidual > 0) tact_text_add_line(left_out, "the goal", "");
    tact_text_add(out, "</robot>\n");
    return true;
}

// Adds the coordinates at which the model begins, joint by joint; joints that follow others have none of their own.
static void add_state(const tact_model *model, tact_text *out) {
    bool any = false;
    tact_text_add(out, "  \"state\": { \"q\": {");
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        int count = tact_joint_coordinates(body->joint);
        if (count == 0 || model->dof[body->v].body != b) continue;
        tact_text_print(out, any ? ",\n    %s: " : "\n    %s: ", model->names->joint[b]);
        any = true;
        for (int k = 0; k < count; k++) {
            tact_text_add(out, k > 0 ? ", " : count > 1 ? "[" : "");
            tact_text_add_number(out, (double)model->q0[body->q + k]);
        }
        if (count > 1) tact_text_add(out, "]");
    }
    tact_text_add(out, " } }\n}\n");
}

void tact_urdf_write_scene(const tact_scene *scene, const char *file, tact_text *out) {
    const tact_model *model = &scene->model;
    const tact_options *options = &scene->options;
    int count = 0;
    tact_text_print(out, "{\n  \"tact\": 1,\n  \"name\": %s,\n  \"law\": %s,\n  \"gravity\": [",
                    model->names->scene ? model->names->scene : "scene", model->law->name);
    tact_text_print(out, "%g, %g, %g],\n", (double)options->gravity.x, (double)options->gravity.y, (double)options->gravity.z);
    tact_text_print(out, "  \"options\": { \"dt\": %g, \"kappa\": %g, \"epsilon\": %g, ", (double)options->dt,
                    (double)options->kappa, (double)options->epsilon);
    if (options->margin >= 0) tact_text_print(out, "\"margin\": %g, ", (double)options->margin);
    tact_text_print(out, "\"anchor\": %-s },\n  \"robots\": [ { \"file\": %s } ],\n  \"drives\": [",
                    options->anchor ? "true" : "false", file);
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        tact_real stiffness = dof->stiffness, damping = dof->damping, limit = find_effort(model, v);
        if (dof->u < 0) continue;
        // a drive with a limit is held as a spring
        for (int i = 0; i < model->nspring && limit < UNBOUNDED; i++)
            if (model->spring[i].u == dof->u) stiffness = model->spring[i].stiffness, damping = model->spring[i].damping;
        tact_text_add(out, count++ > 0 ? ",\n    " : "\n    ");
        tact_text_print(out, "{ \"joint\": %s, \"stiffness\": %g, \"damping\": %g", model->names->joint[dof->body],
                        (double)stiffness, (double)damping);
        if (limit < UNBOUNDED) tact_text_print(out, ", \"force_limit\": %g", (double)limit);
        tact_text_add(out, " }");
    }
    tact_text_add(out, "\n  ],\n  \"shapes\": [");
    for (int i = count = 0; i < model->nshape; i++) {
        const tact_pose *at = &model->shape[i].place;
        tact_vec3 n = {at->R.m[0][2], at->R.m[1][2], at->R.m[2][2]};
        if (!is_ground(model, i)) continue;
        tact_text_print(out, count++ > 0 ? ",\n    { \"name\": %s" : "\n    { \"name\": %s", model->names->shape[i]);
        tact_text_print(out, ", \"body\": %s, \"type\": \"plane\", \"normal\": [", TACT_SCENE_WORLD);
        tact_text_print(out, "%g, %g, %g], \"offset\": %g }", (double)n.x, (double)n.y, (double)n.z,
                        (double)tact_vec3_dot(n, at->p));
    }
    tact_text_add(out, "\n  ],\n  \"pairs\": [");
    count = 0;
    for (int i = 0; i < model->npair; i++) {
        const tact_pair *pair = &model->pair[i];
        int a = find_meant(model, pair->a), b = find_meant(model, pair->b);
        // the slots of one pair follow one another
        bool again = i > 0 && find_meant(model, pair[-1].a) == a && find_meant(model, pair[-1].b) == b;
        bool both = (has_shape(model, a) || is_ground(model, a)) && (has_shape(model, b) || is_ground(model, b));
        if (again || !both) continue;
        tact_text_print(out, count++ > 0 ? ",\n    { \"a\": %s, " : "\n    { \"a\": %s, ", model->names->shape[a]);
        tact_text_print(out, "\"b\": %s, \"mu\": %g }", model->names->shape[b], (double)pair->mu);
    }
    // drives hold their start, not where they are
    tact_text_add(out, scene->command.mode == TACT_COMMAND_HOLD ? "\n  ],\n"
                                                                : "\n  ],\n  \"command\": { \"mode\": \"fixed\", \"q\": {} },\n");
    add_state(model, out);
}
