// SPDX-License-Identifier: MIT
#include "tact/robot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/mjcf_math.h"
#include "scene/xml.h"

typedef struct {
    const tact_scene *scene;
    const tact_model *model;
    tact_text *out, *left_out, *reason;
    bool gravcomp;   // links whose weight drives carry are to have it
    bool carried;    // there are such
    bool balanced;   // there are inertias that no rigid body has
    tact_text qpos;  // initial coordinates in MuJoCo's order: depth first
    tact_text ctrl;  // initial commands in the order of the actuators
} mjcf_writer;

static const char *body_name(const tact_model *model, int body) {
    return body == TACT_WORLD ? "world" : model->names->body[body];
}

// The shape whose vertex a ball is; else itself.
static int shape_meant(const tact_model *model, int s) {
    return model->names->slot_of && model->names->slot_of[s] >= 0 ? model->names->slot_of[s] : s;
}

// name="a" or name="a.x"
static void add_name(tact_text *out, const char *attribute, const char *name, const char *suffix) {
    tact_text_print(out, " %-s=\"", attribute);
    tact_xml_add_escaped(out, name);
    tact_text_print(out, "%-s\"", suffix);
}

static void add_pose(tact_text *out, const tact_pose *pose) {
    tact_quat turn = tact_quat_from_matrix(pose->R);
    const tact_real p[3] = {pose->p.x, pose->p.y, pose->p.z}, q[4] = {turn.w, turn.x, turn.y, turn.z};
    tact_xml_add_numbers(out, " pos=", p, 3);
    if (!(turn.w == 1)) tact_xml_add_numbers(out, " quat=", q, 4);
}

static void indent(mjcf_writer *w, int depth) {
    for (int i = 0; i < depth; i++) tact_text_add(w->out, "  ");
}

static void add_coordinates(mjcf_writer *w, const tact_real *q, int count) {
    for (int i = 0; i < count; i++) {
        if (w->qpos.size > 0) tact_text_add(&w->qpos, " ");
        tact_text_add_number(&w->qpos, (double)q[i]);
    }
}

// Adds a <joint> with its axis, its range where the scene has limits and the dof has both, and its armature.
static void add_joint(mjcf_writer *w, int depth, const char *name, const char *suffix, const char *type, tact_vec3 axis,
                      const tact_dof *limits, tact_real armature) {
    const tact_real x[3] = {axis.x, axis.y, axis.z};
    indent(w, depth);
    tact_text_add(w->out, "<joint");
    add_name(w->out, "name", name, suffix);
    tact_xml_add_quoted(w->out, " type=", type);
    tact_xml_add_numbers(w->out, " axis=", x, 3);
    if (limits && w->scene->options.limits && limits->lower > -TACT_MAX && limits->upper < TACT_MAX) {
        const tact_real range[2] = {limits->lower, limits->upper};
        tact_text_add(w->out, " limited=\"true\"");
        tact_xml_add_numbers(w->out, " range=", range, 2);
    } else {
        tact_text_add(w->out, " limited=\"false\"");
    }
    if (armature > 0) tact_xml_add_numbers(w->out, " armature=", &armature, 1);
    tact_text_add(w->out, "/>\n");
}

// The joints of a body, and their initial coordinates.
static bool add_joints(mjcf_writer *w, int b, int depth) {
    static const char *const suffix[] = {".x", ".y", ".z"};
    const tact_model *model = w->model;
    const tact_body *body = &model->body[b];
    const char *name = model->names->joint[b];
    const tact_real *q = model->q0 + body->q;
    const tact_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    tact_real own = 0;
    switch (body->joint) {
    case TACT_JOINT_FIXED: return true;
    case TACT_JOINT_REVOLUTE:
    case TACT_JOINT_CONTINUOUS:
    case TACT_JOINT_PRISMATIC:
        own = body->ratio * q[0] + body->offset;
        add_coordinates(w, &own, 1);
        add_joint(w, depth, name, "", body->joint == TACT_JOINT_PRISMATIC ? "slide" : "hinge", body->axis,
                  model->dof[body->v].body == b ? &model->dof[body->v] : NULL, body->armature);
        return true;
    case TACT_JOINT_TRANSLATION:
        for (int k = 0; k < 3; k++) add_joint(w, depth, name, suffix[k], "slide", axes[k], NULL, 0);
        add_coordinates(w, q, 3);
        return true;
    case TACT_JOINT_PLANAR:
        for (int k = 0; k < 2; k++) add_joint(w, depth, name, suffix[k], "slide", axes[k], NULL, 0);
        add_joint(w, depth, name, ".angle", "hinge", axes[2], NULL, 0);
        add_coordinates(w, q, 3);
        return true;
    case TACT_JOINT_FREE: break;
    }
    if (body->parent != TACT_WORLD) {
        tact_text_print(w->reason, "a free joint on a body that moves: %-s", name);
        return false;
    }
    // MuJoCo's free coordinates are those of the world
    tact_pose at = {tact_quat_matrix((tact_quat){q[3], q[4], q[5], q[6]}), {q[0], q[1], q[2]}};
    at = tact_pose_multiply(body->place, at);
    tact_quat turn = tact_quat_from_matrix(at.R);
    const tact_real coordinates[7] = {at.p.x, at.p.y, at.p.z, turn.w, turn.x, turn.y, turn.z};
    indent(w, depth);
    tact_text_add(w->out, "<freejoint");
    tact_xml_add_quoted(w->out, " name=", name);
    tact_text_add(w->out, "/>\n");
    add_coordinates(w, coordinates, 7);
    return true;
}

// Adds a shape as a <geom>. False, with the reason, where MuJoCo has no such shape.
static bool add_shape(mjcf_writer *w, int s, int depth) {
    const tact_model *model = w->model;
    const tact_shape *shape = &model->shape[s];
    const char *type = NULL;
    int sizes = 0;
    tact_real size[3] = {shape->size[0], shape->size[1], shape->size[2]};
    switch (shape->type) {
    case TACT_SHAPE_CIRCLE:
    case TACT_SHAPE_SPHERE: type = "sphere", sizes = 1; break;
    case TACT_SHAPE_CAPSULE: type = "capsule", sizes = 2; break;
    case TACT_SHAPE_CYLINDER: type = "cylinder", sizes = 2; break;
    case TACT_SHAPE_BOX: type = "box", sizes = 3; break;
    case TACT_SHAPE_ELLIPSOID: type = "ellipsoid", sizes = 3; break;
    case TACT_SHAPE_HULL: type = "mesh"; break;
    case TACT_SHAPE_PLANE:
        if (shape->body == TACT_WORLD) type = "plane", sizes = 3, size[0] = size[1] = 0, size[2] = 1;
        break;
    default: break;
    }
    if (!type) {
        tact_text_print(w->reason, "a shape that MuJoCo does not have: %-s", model->names->shape[s]);
        return false;
    }
    // MuJoCo has no points
    if (strcmp(type, "sphere") == 0 && !(size[0] > 0)) size[0] = TACT_REAL(1e-6);
    if (shape->type == TACT_SHAPE_BOX && shape->size[3] > 0)
        tact_text_add_line(w->left_out, "corner radius of box ", model->names->shape[s]);
    if (shape->hull && shape->size[0] > 0) tact_text_add_line(w->left_out, "radius around hull ", model->names->shape[s]);
    indent(w, depth);
    tact_text_add(w->out, "<geom");
    tact_xml_add_quoted(w->out, " name=", model->names->shape[s]);
    tact_xml_add_quoted(w->out, " type=", type);
    if (shape->hull) tact_xml_add_quoted(w->out, " mesh=", model->names->shape[s]);
    if (sizes > 0) tact_xml_add_numbers(w->out, " size=", size, sizes);
    add_pose(w->out, &shape->place);
    tact_text_add(w->out, "/>\n");
    return true;
}

// The vertices of hulls, as meshes that are convex already.
static void add_assets(mjcf_writer *w) {
    const tact_model *model = w->model;
    bool any = false;
    for (int s = 0; s < model->nshape; s++) {
        const tact_hull *hull = model->shape[s].hull;
        if (!hull) continue;
        tact_text_add(w->out, any ? "    <mesh" : "  <asset>\n    <mesh");
        tact_xml_add_quoted(w->out, " name=", model->names->shape[s]);
        tact_text_add(w->out, " vertex=\"");
        for (int i = 0; i < hull->nvertex; i++) {
            // triples of all vertices in one attribute
            const tact_real x[3] = {hull->vertex[i].x, hull->vertex[i].y, hull->vertex[i].z};
            for (int k = 0; k < 3; k++) {
                if (i + k > 0) tact_text_add(w->out, " ");
                tact_text_add_number(w->out, (double)x[k]);
            }
        }
        tact_text_add(w->out, "\"/>\n");
        any = true;
    }
    if (any) tact_text_add(w->out, "  </asset>\n");
}

static bool add_shapes(mjcf_writer *w, int body, int depth) {
    for (int s = 0; s < w->model->nshape; s++)
        if (w->model->shape[s].body == body && shape_meant(w->model, s) == s && !add_shape(w, s, depth)) return false;
    return true;
}

// MuJoCo has no point masses: one gets the inertia of its mass at a millimetre. Principal moments A + B < C, which no rigid body
// has, it refuses, or takes the mean of the three for each.
static void add_inertia(mjcf_writer *w, int b) {
    const tact_body *body = &w->model->body[b];
    const tact_real *I = body->inertia, floor = TACT_REAL(1e-6) * body->mass, own[3] = {floor, floor, floor};
    if (I[0] > 0 && I[1] > 0 && I[2] > 0) {
        double six[6], e[3], q[4];
        for (int k = 0; k < 6; k++) six[k] = (double)I[k];
        tact_mjcf_principal(six, TACT_MJCF_EXACT, e, q);
        tact_xml_add_numbers(w->out, " fullinertia=", I, 6);
        if (!(e[0] + e[1] + e[2] < 2 * fmax(e[0], fmax(e[1], e[2])))) return;
        w->balanced = true;
        tact_text_add_line(w->left_out,
                           "inertia that no rigid body has (MuJoCo takes the mean of its principal moments: balanceinertia) of ",
                           body_name(w->model, b));
        return;
    }
    tact_xml_add_numbers(w->out, " diaginertia=", own, 3);
    tact_text_add_line(w->left_out, "point mass (MuJoCo has none: inertia of the mass at 1 mm instead) of ",
                       body_name(w->model, b));
}

// Whether MuJoCo finds the mass of a body that moves: its own, or that of bodies fixed to it.
static bool has_mass(const tact_model *model, int b) {
    bool found = model->body[b].mass > 0;
    for (int k = b + 1; k < model->nbody && !found; k++)
        for (int at = k; at > b && model->body[at].joint == TACT_JOINT_FIXED && !found; at = model->body[at].parent)
            found = model->body[at].parent == b && model->body[k].mass > 0;
    return found;
}

// Adds the start of a <body> with its joints, mass and shapes; its children and end follow. False where a part has no form there.
static bool open_body(mjcf_writer *w, int b, int depth) {
    const tact_body *body = &w->model->body[b];
    const tact_real com[3] = {body->com.x, body->com.y, body->com.z};
    indent(w, depth);
    tact_text_add(w->out, "<body");
    tact_xml_add_quoted(w->out, " name=", body_name(w->model, b));
    add_pose(w->out, &body->place);
    // weight of what drives carry, unless the scene gives it
    if (!w->model->loose[b] && !w->scene->options.gravity_on_driven && body->mass > 0) {
        w->carried = true;
        if (w->gravcomp) tact_text_add(w->out, " gravcomp=\"1\"");
    }
    tact_text_add(w->out, ">\n");
    if (!add_joints(w, b, depth + 1)) return false;
    if (body->mass > 0) {
        indent(w, depth + 1);
        tact_text_add(w->out, "<inertial");
        tact_xml_add_numbers(w->out, " pos=", com, 3);
        tact_xml_add_numbers(w->out, " mass=", &body->mass, 1);
        add_inertia(w, b);
        tact_text_add(w->out, "/>\n");
    } else if (body->joint != TACT_JOINT_FIXED && !has_mass(w->model, b)) {
        indent(w, depth + 1);
        tact_text_add(w->out, "<inertial pos=\"0 0 0\" mass=\"1e-9\" diaginertia=\"1e-12 1e-12 1e-12\"/>\n");
        tact_text_add_line(w->left_out, "motion without a mass (MuJoCo refuses it: 1e-9 kg instead) of ", body_name(w->model, b));
    }
    return add_shapes(w, b, depth + 1);
}

// The bodies depth first: the next child after the one that was last, or back to the parent.
static bool add_bodies(mjcf_writer *w) {
    const tact_model *model = w->model;
    int body = TACT_WORLD, last = -1, depth = 2;
    if (!add_shapes(w, TACT_WORLD, depth)) return false;
    for (;;) {
        // children have larger indices than the last one that was written
        int child = last + 1;
        while (child < model->nbody && model->body[child].parent != body) child++;
        if (child < model->nbody) {
            if (!open_body(w, child, depth)) return false;
            body = last = child;
            depth++;
            continue;
        }
        // no further child: back to the parent, whose next child comes after this body
        if (body == TACT_WORLD) return true;
        depth--;
        indent(w, depth);
        tact_text_add(w->out, "</body>\n");
        last = body;
        body = model->body[body].parent;
    }
}

// Pairs with their friction; nothing else collides.
static void add_pairs(mjcf_writer *w) {
    const tact_model *model = w->model;
    bool bounces = false;
    tact_text_add(w->out, "  <contact>\n");
    for (int i = 0; i < model->npair; i++) {
        const tact_pair *pair = &model->pair[i];
        int a = shape_meant(model, pair->a), b = shape_meant(model, pair->b);
        const tact_pair *before = i > 0 ? pair - 1 : NULL;
        // the slots of one pair follow one another
        if (before && shape_meant(model, before->a) == a && shape_meant(model, before->b) == b) continue;
        const tact_real friction[5] = {pair->mu, pair->mu, TACT_REAL(0.005), TACT_REAL(0.0001), TACT_REAL(0.0001)};
        tact_text_add(w->out, "    <pair");
        tact_xml_add_quoted(w->out, " geom1=", model->names->shape[a]);
        tact_xml_add_quoted(w->out, " geom2=", model->names->shape[b]);
        tact_text_add(w->out, pair->mu > 0 ? " condim=\"3\"" : " condim=\"1\"");
        if (pair->mu > 0) tact_xml_add_numbers(w->out, " friction=", friction, 5);
        tact_text_add(w->out, "/>\n");
        bounces = bounces || pair->restitution > 0;
    }
    tact_text_add(w->out, "  </contact>\n");
    if (bounces) tact_text_add(w->left_out, "restitution of pairs\n");
}

// Joints that mimic others, and loops.
static void add_equalities(mjcf_writer *w) {
    const tact_model *model = w->model;
    bool any = false;
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        if (body->joint == TACT_JOINT_FIXED || model->dof[body->v].body == b) continue;
        const tact_real polynomial[5] = {body->offset, body->ratio, 0, 0, 0};
        tact_text_add(w->out, any ? "    <joint" : "  <equality>\n    <joint");
        tact_xml_add_quoted(w->out, " joint1=", model->names->joint[b]);
        tact_xml_add_quoted(w->out, " joint2=", model->names->joint[model->dof[body->v].body]);
        tact_xml_add_numbers(w->out, " polycoef=", polynomial, 5);
        tact_text_add(w->out, "/>\n");
        any = true;
    }
    // A loop as a connection. MuJoCo takes its point in the first body only, and computes that of the other in the initial
    // position: loops whose two frames are apart there are reported.
    for (int i = 0; i < model->nloop; i++, any = true) {
        const tact_loop *loop = &model->loop[i];
        int first = loop->body[0] == TACT_WORLD ? 1 : 0;
        const tact_real anchor[3] = {loop->at[first].x, loop->at[first].y, loop->at[first].z};
        tact_text_add(w->out, any ? "    <connect" : "  <equality>\n    <connect");
        tact_xml_add_quoted(w->out, " body1=", body_name(model, loop->body[first]));
        if (loop->body[!first] != TACT_WORLD) tact_xml_add_quoted(w->out, " body2=", body_name(model, loop->body[!first]));
        tact_xml_add_numbers(w->out, " anchor=", anchor, 3);
        tact_text_add(w->out, "/>\n");
        tact_text_add_line(w->left_out,
                           "stiffness and second point (MuJoCo takes where the first is with all joints at 0) of the loop of ",
                           body_name(model, loop->body[first]));
    }
    if (any) tact_text_add(w->out, "  </equality>\n");
}

static void name_sum(int spring, char name[32]) {
    snprintf(name, 32, "sum_%d", spring);
}

// Springs, and the sums that drives act on, as fixed tendons.
static void add_tendons(mjcf_writer *w) {
    const tact_model *model = w->model;
    if (model->nspring > 0) tact_text_add(w->out, "  <tendon>\n");
    for (int i = 0; i < model->nspring; i++) {
        const tact_spring *spring = &model->spring[i];
        char name[32];
        name_sum(i, name);
        tact_text_add(w->out, "    <fixed");
        tact_xml_add_quoted(w->out, " name=", name);
        // a spring that no drive commands has its stiffness here, a drive in its actuator; dry friction is MuJoCo's own
        bool limited = spring->u < 0 && spring->force_limit > 0;
        if (limited && spring->stiffness > 0) tact_text_add_line(w->left_out, "force limit of spring ", name);
        if (limited && spring->stiffness == 0) {
            tact_xml_add_numbers(w->out, " frictionloss=", &spring->force_limit, 1);
        } else if (spring->u < 0) {
            tact_xml_add_numbers(w->out, " stiffness=", &spring->stiffness, 1);
            tact_xml_add_numbers(w->out, " damping=", &spring->damping, 1);
            tact_xml_add_numbers(w->out, " springlength=", &spring->rest, 1);
        }
        tact_text_add(w->out, ">\n");
        for (int k = 0; k < spring->count; k++) {
            const tact_dof *dof = &model->dof[spring->dof[k]];
            tact_text_add(w->out, "      <joint");
            tact_xml_add_quoted(w->out, " joint=", model->names->joint[dof->body]);
            tact_xml_add_numbers(w->out, " coef=", &spring->factor[k], 1);
            tact_text_add(w->out, "/>\n");
        }
        tact_text_add(w->out, "    </fixed>\n");
    }
    if (model->nspring > 0) tact_text_add(w->out, "  </tendon>\n");
}

// The force K (u + rest - x) - D of its rate, x the coordinate or sum: as MuJoCo 2.2 reads it, whose position has no kv.
static void add_affine(tact_text *out, tact_real stiffness, tact_real damping, tact_real rest) {
    const tact_real gain[3] = {stiffness, 0, 0}, bias[3] = {stiffness * rest, -stiffness, -damping};
    tact_text_add(out, " biastype=\"affine\"");
    tact_xml_add_numbers(out, " gainprm=", gain, 3);
    tact_xml_add_numbers(out, " biasprm=", bias, 3);
}

static const char *dof_suffix(const tact_model *model, int dof) {
    static const char *const translation[] = {".x", ".y", ".z"}, *const planar[] = {".x", ".y", ".angle"};
    const tact_body *body = &model->body[model->dof[dof].body];
    if (body->joint == TACT_JOINT_TRANSLATION) return translation[dof - body->v];
    if (body->joint == TACT_JOINT_PLANAR) return planar[dof - body->v];
    return "";
}

// Adds the command with which a drive starts: the scene's, or the one that holds its coordinate or sum.
static void add_start(mjcf_writer *w, const tact_dof *dof, const tact_spring *sum) {
    const tact_command *command = &w->scene->command;
    tact_real u = 0;
    if (command->mode != TACT_COMMAND_HOLD)
        u = (command->mode == TACT_COMMAND_FIXED ? command->fixed : command->u)[dof->u];
    else if (sum)
        u = -sum->rest;
    else if (!dof->force && dof->q >= 0)
        u = w->model->q0[dof->q];
    for (int k = 0; sum && command->mode == TACT_COMMAND_HOLD && k < sum->count; k++)
        u += sum->factor[k] * w->model->q0[w->model->dof[sum->dof[k]].q];
    if (w->ctrl.size > 0) tact_text_add(&w->ctrl, " ");
    tact_text_add_number(&w->ctrl, (double)u);
}

// Drives: the force K (u - q) - D v, or u itself.
static void add_actuators(mjcf_writer *w) {
    const tact_model *model = w->model;
    if (model->nu == 0) return;
    tact_text_add(w->out, "  <actuator>\n");
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        int spring = 0;
        if (dof->u < 0) continue;
        // the sum that this dof's drive commands, if any
        while (spring < model->nspring && model->spring[spring].u != dof->u) spring++;
        add_start(w, dof, spring < model->nspring ? &model->spring[spring] : NULL);
        if (spring < model->nspring) {
            // The drive of a dof on a sum.
            const tact_spring *of = &w->model->spring[spring];
            char name[32];
            name_sum(spring, name);
            tact_text_add(w->out, "    <general");
            tact_xml_add_quoted(w->out, " name=", w->model->names->joint[w->model->dof[v].body]);
            tact_xml_add_quoted(w->out, " tendon=", name);
            add_affine(w->out, of->stiffness, of->damping, of->rest);
            // the limit is symmetric
            if (of->force_limit > 0) {
                const tact_real range[2] = {-of->force_limit, of->force_limit};
                tact_text_add(w->out, " forcelimited=\"true\"");
                tact_xml_add_numbers(w->out, " forcerange=", range, 2);
            }
            tact_text_add(w->out, "/>\n");
            continue;
        }
        const char *name = model->names->joint[dof->body], *suffix = dof_suffix(model, v);
        tact_text_add(w->out, dof->force ? "    <motor" : "    <general");
        add_name(w->out, "name", name, suffix);
        add_name(w->out, "joint", name, suffix);
        if (!dof->force) add_affine(w->out, dof->stiffness, dof->damping, 0);
        tact_text_add(w->out, "/>\n");
    }
    tact_text_add(w->out, "  </actuator>\n");
}

bool tact_mjcf_write(const tact_scene *scene, double timestep, bool gravcomp, tact_text *out, tact_text *left_out,
                     tact_text *reason) {
    TACT_ASSERT(scene && out && left_out && reason);
    const tact_model *model = &scene->model;
    mjcf_writer w = {.scene = scene, .model = model, .out = out, .left_out = left_out, .reason = reason, .gravcomp = gravcomp};
    const tact_vec3 *g = &scene->options.gravity;
    const tact_real gravity[3] = {g->x, g->y, g->z}, step = (tact_real)timestep;
    tact_text_add(out, "<mujoco");
    tact_xml_add_quoted(out, " model=", model->names->scene ? model->names->scene : "scene");
    tact_text_add(out, ">\n  <compiler angle=\"radian\" autolimits=\"false\"/>\n  <option");
    tact_xml_add_numbers(out, " timestep=", &step, 1);
    tact_xml_add_numbers(out, " gravity=", gravity, 3);
    tact_text_add(out, " integrator=\"implicit\" cone=\"elliptic\" impratio=\"10\"/>\n");
    // nothing collides by itself: contacts are the listed pairs
    tact_text_add(out, "  <default>\n    <geom contype=\"0\" conaffinity=\"0\"/>\n  </default>\n");
    add_assets(&w);
    tact_text_add(out, "  <worldbody>\n");
    bool good = add_bodies(&w);
    if (good) {
        tact_text_add(out, "  </worldbody>\n");
        add_pairs(&w);
        add_equalities(&w);
        add_tendons(&w);
        add_actuators(&w);
        // a section may appear twice
        if (w.balanced) tact_text_add(out, "  <compiler balanceinertia=\"true\"/>\n");
        // bodies were written in qpos's order, and their coordinates with them
        if (w.qpos.size > 0) {
            tact_text_add(out, "  <keyframe>\n    <key name=\"start\" qpos=\"");
            tact_text_add_bytes(out, w.qpos.bytes, w.qpos.size);
            tact_text_add(out, w.ctrl.size > 0 ? "\" ctrl=\"" : "");
            tact_text_add(out, w.ctrl.size > 0 ? w.ctrl.bytes : "");
            tact_text_add(out, "\"/>\n  </keyframe>\n");
        }
        tact_text_add(out, "</mujoco>\n");
        const bool weightless = g->x == 0 && g->y == 0 && g->z == 0;
        if (scene->command.ntime > 1) tact_text_add_line(left_out, "the command over time: the keyframe has its start", "");
        if (scene->goal.nresidual > 0) tact_text_add_line(left_out, "the goal", "");
        if (w.carried && !gravcomp && !weightless)
            tact_text_add(left_out,
                          "that drives carry the weight of their links: in MuJoCo it loads them; --gravcomp gives links "
                          "gravcomp, which MuJoCo 2.2 does not read\n");
    }
    if (w.qpos.failed || w.ctrl.failed) out->failed = true;
    tact_text_free(&w.qpos);
    tact_text_free(&w.ctrl);
    return good;
}
