// SPDX-License-Identifier: MIT
// The first line of a trace: names, the options in force, and the geometry of bodies and shapes at rest.
#include "scene/grid_surface.h"
#include "tact/draft.h"
#include "tact/keys.h"
#include "tact/trace.h"
#include "tree/check.h"

static void add_key(tact_text *out, const char *key) {
    tact_text_print(out, ",%s:", key);
}

static void add_number(tact_text *out, const char *key, tact_real value) {
    add_key(out, key);
    tact_text_add_number(out, (double)value);
}

static void add_integer(tact_text *out, const char *key, int value) {
    add_key(out, key);
    tact_text_add_integer(out, value);
}

static void add_bool(tact_text *out, const char *key, bool value) {
    add_key(out, key);
    tact_text_add(out, value ? "true" : "false");
}

static void add_string(tact_text *out, const char *key, const char *value) {
    add_key(out, key);
    tact_text_add_json(out, value);
}

static void add_vector(tact_text *out, const char *key, const tact_real *x, size_t count) {
    add_key(out, key);
    tact_text_add_vector(out, x, count);
}

static void add_pose(tact_text *out, const tact_pose *pose) {
    const tact_real p[3] = {pose->p.x, pose->p.y, pose->p.z};
    add_vector(out, "p", p, 3);
    add_vector(out, "R", &pose->R.m[0][0], 9);
}

typedef tact_thing_name name_function(const tact_model *model, int index);

static void add_names(const tact_model *model, tact_text *out, const char *key, name_function *name, int count) {
    TACT_ASSERT(count >= 0);
    add_key(out, key);
    tact_text_add(out, "[");
    for (int i = 0; i < count; i++) {
        if (i > 0) tact_text_add(out, ",");
        tact_text_add_json(out, name(model, i).text);
    }
    tact_text_add(out, "]");
}

// what u commands
static tact_thing_name command_name(const tact_model *model, int u) {
    int v = 0;
    while (model->dof[v].u != u) v++;
    return tact_dof_name(model, v);
}

// The unit of a command or force: a drive follows a position, a motor is a force.
static tact_thing_name name_unit(const tact_model *model, int u, bool force) {
    static const tact_thing_name units[] = {{"m"}, {"rad"}, {"N"}, {"N m"}};
    TACT_ASSERT(u >= 0 && u < model->nu);
    int v = 0;
    while (model->dof[v].u != u) v++;
    // joints that turn, by the dof of theirs that does
    const tact_body *body = &model->body[model->dof[v].body];
    bool turns = body->joint == TACT_JOINT_REVOLUTE || body->joint == TACT_JOINT_CONTINUOUS ||
                 (body->joint == TACT_JOINT_PLANAR && v - body->v == 2) || (body->joint == TACT_JOINT_FREE && v - body->v < 3);
    return units[2 * (force || model->dof[v].force) + turns];
}

static tact_thing_name command_unit(const tact_model *model, int u) {
    return name_unit(model, u, false);
}

static tact_thing_name force_unit(const tact_model *model, int u) {
    return name_unit(model, u, true);
}

static void add_joint(const tact_model *model, int b, tact_text *out) {
    TACT_ASSERT(0 <= b && b < model->nbody);
    const tact_body *body = &model->body[b];
    const tact_real axis[3] = {body->axis.x, body->axis.y, body->axis.z};
    bool turns = body->joint == TACT_JOINT_REVOLUTE || body->joint == TACT_JOINT_CONTINUOUS;
    // Type, tree and place of every joint; axis and coordinates of those that move.
    tact_text_print(out, "%-s%s", b > 0 ? ",{\"name\":" : "{\"name\":", tact_joint_name(model, b).text);
    add_string(out, "type", tact_joint_type_names[body->joint]);
    add_string(out, "parent", tact_body_name(model, body->parent).text);
    add_string(out, "body", tact_body_name(model, b).text);
    add_pose(out, &body->place);
    if (turns || body->joint == TACT_JOINT_PRISMATIC) add_vector(out, "axis", axis, 3);
    if (body->joint != TACT_JOINT_FIXED) {
        add_integer(out, "q", body->q);
        add_integer(out, "v", body->v);
        if (body->ratio != 1) add_number(out, "ratio", body->ratio);
        if (body->offset != 0) add_number(out, "offset", body->offset);
    }
    // A body without mass has no centre of mass to tell.
    const tact_real com[3] = {body->com.x, body->com.y, body->com.z};
    if (body->mass != 0) {
        add_number(out, "mass", body->mass);
        add_vector(out, "com", com, 3);
        add_vector(out, "inertia", body->inertia, 6);
    }
    tact_text_add(out, "}");
}

// a hull's vertices, and for each face the numbers of its corners
static void add_hull(const tact_hull *hull, tact_text *out) {
    // Vertices by their coordinates, faces by the numbers of their corners.
    add_key(out, "vertices");
    for (int i = 0; i < hull->nvertex; i++) {
        const tact_real x[3] = {hull->vertex[i].x, hull->vertex[i].y, hull->vertex[i].z};
        tact_text_add(out, i > 0 ? "," : "[");
        tact_text_add_vector(out, x, 3);
    }
    tact_text_add(out, "]");
    add_key(out, "faces");
    tact_text_add(out, "[");
    for (int f = 0; f < hull->nface; f++) {
        tact_text_add(out, f > 0 ? ",[" : "[");
        for (int k = 0; k < hull->face[f].count; k++) {
            if (k > 0) tact_text_add(out, ",");
            tact_text_add_integer(out, hull->corner[hull->face[f].first + k]);
        }
        tact_text_add(out, "]");
    }
    tact_text_add(out, "]");
}

// a grid's surface likewise, in four or five digits: it is only drawn
static void add_grid(const tact_shape *shape, tact_text *out) {
    enum { CELLS = 24, DIGITS = 5 };
    tact_grid_surface surface;
    if (!tact_grid_surface_make(&surface, shape, CELLS)) {
        out->failed = true;
        return;
    }
    // points of the surface mesh
    add_key(out, "vertices");
    tact_text_add(out, "[");
    for (int i = 0; i < surface.npoint; i++) {
        const double x[3] = {(double)surface.point[i].x, (double)surface.point[i].y, (double)surface.point[i].z};
        for (int k = 0; k < 3; k++) {
            tact_text_print(out, "%-s%g", k > 0 ? "," : i > 0 ? ",[" : "[", tact_key_round(x[k], DIGITS));
        }
        tact_text_add(out, "]");
    }
    tact_text_add(out, "]");
    // quadrilaterals, by the numbers of their corners
    add_key(out, "faces");
    tact_text_add(out, "[");
    for (int f = 0; f < surface.nface; f++)
        for (int k = 0; k < 4; k++) {
            tact_text_add(out, k > 0 ? "," : f > 0 ? "],[" : "[");
            tact_text_add_integer(out, surface.face[f][k]);
        }
    tact_text_add(out, surface.nface > 0 ? "]]" : "]");
    tact_grid_surface_free(&surface);
}

static void add_shape(const tact_model *model, int s, tact_text *out) {
    TACT_ASSERT(0 <= s && s < model->nshape);
    const tact_shape *shape = &model->shape[s];
    // Name, body, type and the sizes that the type has.
    tact_text_print(out, "%-s%s", s > 0 ? ",{\"name\":" : "{\"name\":", tact_shape_name(model, s).text);
    add_string(out, "body", tact_body_name(model, shape->body).text);
    add_string(out, "type", tact_shape_type_names[shape->type]);
    add_vector(out, "size", shape->size, (size_t)tact_shape_sizes(shape->type));
    // what a planar shape has beyond sizes: a polygon's corners [m], with the factor in them; a union's members
    if (shape->count != 0) {
        add_key(out, shape->point ? "points" : "of");
        for (int k = 0; k < shape->count; k++) {
            tact_text_add(out, k > 0 ? "," : "[");
            if (shape->point) {
                const tact_real xy[2] = {shape->size[0] * shape->point[k].x, shape->size[0] * shape->point[k].y};
                tact_text_add_vector(out, xy, 2);
            } else {
                tact_text_add_json(out, tact_shape_name(model, shape->member[k]).text);
            }
        }
        tact_text_add(out, "]");
    }
    if (shape->hull) add_hull(shape->hull, out);
    if (shape->grid) add_grid(shape, out);
    add_pose(out, &shape->place);
    if (model->names && model->names->slot_of && model->names->slot_of[s] >= 0)
        add_string(out, "slot_of", tact_shape_name(model, model->names->slot_of[s]).text);
    tact_text_add(out, "}");
}

static void add_pair(const tact_model *model, int i, tact_text *out) {
    TACT_ASSERT(0 <= i && i < model->npair);
    const tact_pair *pair = &model->pair[i];
    // Pairs as they are stepped, with their friction.
    tact_text_print(out, "%-s%s", i > 0 ? ",{\"a\":" : "{\"a\":", tact_shape_name(model, pair->a).text);
    add_string(out, "b", tact_shape_name(model, pair->b).text);
    add_number(out, "mu", pair->mu);
    if (pair->restitution != 0) add_number(out, "restitution", pair->restitution);
    if (pair->vertex != 0) add_integer(out, "vertex", pair->vertex);
    tact_text_add(out, "}");
}

// Adds the first line of a trace.
static void add_header(const tact_scene *scene, bool forces, tact_text *out) {
    TACT_ASSERT(scene);
    const tact_model *model = &scene->model;
    const char *name = model->names ? model->names->scene : NULL;
    tact_text_add(out, "{\"tact_trace\":1");
    add_string(out, "tact", TACT_VERSION);
    add_string(out, "scene", name ? name : "");
    add_string(out, "law", scene->model.law->name);
    add_number(out, "dt", scene->options.dt);
    // The margin and the least force of an anchor are those in force.
    const tact_options *options = &scene->options;
    const tact_real gravity[3] = {options->gravity.x, options->gravity.y, options->gravity.z};
    add_key(out, "options");
    tact_text_print(out, "{\"dt\":%g", (double)options->dt);
    add_vector(out, "gravity", gravity, 3);
    // Those of the barrier law; what the virtual law adds comes behind.
    add_number(out, "kappa", options->kappa);
    add_number(out, "epsilon", options->epsilon);
    add_number(out, "margin", tact_margin(&scene->model, options));
    add_bool(out, "limits", options->limits);
    add_number(out, "limit_kappa", options->limit_kappa);
    add_bool(out, "anchor", options->anchor);
    add_number(out, "force_min", tact_force_min(&scene->model, options));
    add_bool(out, "gravity_on_driven", options->gravity_on_driven);
    add_bool(out, "warm_start", options->warm_start);
    add_number(out, "tolerance", options->tolerance);
    add_integer(out, "max_iterations", options->max_iterations);
    if (scene->model.law->springs) {
        // of the virtual law; choices by number, as in tact/law.h
        add_integer(out, "integrator", (int)options->integrator);
        add_integer(out, "penalty", (int)options->penalty);
        add_number(out, "temperature", options->temperature);
        add_number(out, "kn", options->kn);
        add_number(out, "kd", options->kd);
        add_number(out, "kt", options->kt);
        add_integer(out, "friction", (int)options->friction);
        add_integer(out, "damping", (int)options->damping);
        add_integer(out, "gradient", (int)options->gradient);
        add_integer(out, "manifold", (int)options->manifold);
        add_number(out, "spread", options->spread);
    }
    tact_text_add(out, "}");
    // Units, then names: of dofs, coordinates, commands and bodies.
    tact_text_add(out, ",\"units\":{\"length\":\"m\",\"angle\":\"rad\",\"mass\":\"kg\",\"time\":\"s\",\"force\":\"N\"}");
    add_integer(out, "nq", model->nq);
    add_integer(out, "nv", model->nv);
    add_integer(out, "nu", model->nu);
    add_names(model, out, "dofs", tact_dof_name, model->nv);
    add_names(model, out, "coordinates", tact_coordinate_name, model->nq);
    add_names(model, out, "commands", command_name, model->nu);
    add_names(model, out, "command_units", forces ? force_unit : command_unit, model->nu);
    add_names(model, out, "bodies", tact_body_name, model->nbody);
    add_key(out, "joints");
    tact_text_add(out, "[");
    for (int b = 0; b < model->nbody; b++) add_joint(model, b, out);
    tact_text_add(out, "],\"shapes\":[");
    for (int s = 0; s < model->nshape; s++) add_shape(model, s, out);
    tact_text_add(out, "],\"pairs\":[");
    for (int i = 0; i < model->npair; i++) add_pair(model, i, out);
    tact_text_add(out, "]");
    if (model->search) {
        add_integer(out, "max_contacts", model->search->most);
        add_number(out, "mu", model->search->mu);
    }
    tact_text_add(out, "}");
}

void tact_trace_add_header(const tact_scene *scene, tact_text *out) {
    add_header(scene, false, out);
}

void tact_trace_add_force_header(const tact_scene *scene, tact_text *out) {
    add_header(scene, true, out);
}
