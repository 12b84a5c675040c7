// SPDX-License-Identifier: MIT
// Each struct of the model is a table of its members, in their order, as C++ wants it; one function writes a struct by its table.
// Numbers have the digits that read back to the same tact_real; what is 0 is written, too, so that a row shows all of its struct.
#include "tact/bake.h"

#include <stdio.h>
#include <string.h>

#include "tact/keys.h"

typedef enum {
    MEMBER_REAL,
    MEMBER_REALS,      // count of them
    MEMBER_TOLERANCE,  // TACT_TOLERANCE, which differs between double and float, where it is that
    MEMBER_VECTOR,
    MEMBER_POSE,
    MEMBER_VECTORS,  // count of them
    MEMBER_INT,
    MEMBER_SHORT,  // int16_t
    MEMBER_INTS,   // count of them
    MEMBER_SOME,   // of the model: a number that is left out where it is 0
    MEMBER_BOOL,
    MEMBER_WORD,  // an enum: words by value
    MEMBER_PART,  // of the model: an array of that name, left out where it is empty
    MEMBER_LAW,
} member_kind;

typedef struct {
    const char *name;
    size_t offset;
    const char *const *words;
    member_kind kind;
    int count;
} member;

// by value of tact_joint_type, of tact_motion_kind and of tact_shape_type
static const char *const joint_words[] = {"TACT_JOINT_FIXED",     "TACT_JOINT_REVOLUTE",    "TACT_JOINT_CONTINUOUS",
                                          "TACT_JOINT_PRISMATIC", "TACT_JOINT_TRANSLATION", "TACT_JOINT_PLANAR",
                                          "TACT_JOINT_FREE"};
static const char *const motion_words[] = {"TACT_MOTION_SLIDES", "TACT_MOTION_TURNS_X", "TACT_MOTION_TURNS_Y",
                                           "TACT_MOTION_TURNS_Z", "TACT_MOTION_TURNS"};
static const char *const shape_words[] = {
    "TACT_SHAPE_SPHERE",    "TACT_SHAPE_PLANE",        "TACT_SHAPE_CAPSULE",   "TACT_SHAPE_BOX",     "TACT_SHAPE_CYLINDER",
    "TACT_SHAPE_ELLIPSOID", "TACT_SHAPE_CIRCLE",       "TACT_SHAPE_RECTANGLE", "TACT_SHAPE_POLYGON", "TACT_SHAPE_HALFPLANE",
    "TACT_SHAPE_UNION",     "TACT_SHAPE_SMOOTH_UNION", "TACT_SHAPE_HULL",      "TACT_SHAPE_GRID"};

// of the options, likewise
static const char *const level_words[] = {"TACT_LEVEL_POSITION", "TACT_LEVEL_VELOCITY"};
static const char *const cone_words[] = {"TACT_CONE_POLYHEDRAL", "TACT_CONE_EXACT"};
static const char *const integrator_words[] = {"TACT_INTEGRATOR_BDF1", "TACT_INTEGRATOR_BDF2", "TACT_INTEGRATOR_MIDPOINT"};
static const char *const penalty_words[] = {"TACT_PENALTY_EXP", "TACT_PENALTY_SOFTPLUS", "TACT_PENALTY_ALGEBRAIC",
                                            "TACT_PENALTY_QUADRATIC"};
static const char *const friction_words[] = {"TACT_FRICTION_CLAMP", "TACT_FRICTION_TANH", "TACT_FRICTION_NONE"};
static const char *const damping_words[] = {"TACT_DAMPING_PRODUCT", "TACT_DAMPING_SUM"};
static const char *const gradient_words[] = {"TACT_GRADIENT_EXACT", "TACT_GRADIENT_STRAIGHT", "TACT_GRADIENT_FROZEN"};
static const char *const manifold_words[] = {"TACT_MANIFOLD_FEATURES", "TACT_MANIFOLD_CLOSEST", "TACT_MANIFOLD_SUM",
                                             "TACT_MANIFOLD_STEIN", "TACT_MANIFOLD_DESCENT"};

#define MEMBER(type, member, kind) \
    { #member, offsetof(type, member), NULL, kind, 0 }

#define WORDS(type, member, words) \
    { #member, offsetof(type, member), words, MEMBER_WORD, 0 }

static const member body_members[] = {MEMBER(tact_body, parent, MEMBER_INT),
                                      WORDS(tact_body, joint, joint_words),
                                      MEMBER(tact_body, place, MEMBER_POSE),
                                      MEMBER(tact_body, axis, MEMBER_VECTOR),
                                      MEMBER(tact_body, q, MEMBER_INT),
                                      MEMBER(tact_body, v, MEMBER_INT),
                                      MEMBER(tact_body, ratio, MEMBER_REAL),
                                      MEMBER(tact_body, offset, MEMBER_REAL),
                                      MEMBER(tact_body, mass, MEMBER_REAL),
                                      MEMBER(tact_body, com, MEMBER_VECTOR),
                                      {"inertia", offsetof(tact_body, inertia), NULL, MEMBER_REALS, 6},
                                      MEMBER(tact_body, armature, MEMBER_REAL),
                                      {0}};
static const member dof_members[] = {
    MEMBER(tact_dof, body, MEMBER_INT),       MEMBER(tact_dof, q, MEMBER_INT),        MEMBER(tact_dof, u, MEMBER_INT),
    MEMBER(tact_dof, stiffness, MEMBER_REAL), MEMBER(tact_dof, damping, MEMBER_REAL), MEMBER(tact_dof, lower, MEMBER_REAL),
    MEMBER(tact_dof, upper, MEMBER_REAL),     MEMBER(tact_dof, force, MEMBER_BOOL),   {0}};
static const member shape_members[] = {
    MEMBER(tact_shape, body, MEMBER_INT),   WORDS(tact_shape, type, shape_words),
    MEMBER(tact_shape, place, MEMBER_POSE), {"size", offsetof(tact_shape, size), NULL, MEMBER_REALS, 4},
    MEMBER(tact_shape, count, MEMBER_INT),  {0}};
static const member pair_members[] = {MEMBER(tact_pair, a, MEMBER_INT),      MEMBER(tact_pair, b, MEMBER_INT),
                                      MEMBER(tact_pair, mu, MEMBER_REAL),    MEMBER(tact_pair, restitution, MEMBER_REAL),
                                      MEMBER(tact_pair, vertex, MEMBER_INT), {0}};
static const member motion_members[] = {MEMBER(tact_motion, body, MEMBER_INT),   MEMBER(tact_motion, axis, MEMBER_INT),
                                        MEMBER(tact_motion, dof, MEMBER_INT),    WORDS(tact_motion, kind, motion_words),
                                        MEMBER(tact_motion, ratio, MEMBER_REAL), {0}};
static const member point_members[] = {MEMBER(tact_vec2, x, MEMBER_REAL), MEMBER(tact_vec2, y, MEMBER_REAL), {0}};
static const member vertex_members[] = {
    MEMBER(tact_vec3, x, MEMBER_REAL), MEMBER(tact_vec3, y, MEMBER_REAL), MEMBER(tact_vec3, z, MEMBER_REAL), {0}};
static const member face_members[] = {MEMBER(tact_hull_face, normal, MEMBER_VECTOR),
                                      MEMBER(tact_hull_face, offset, MEMBER_REAL),
                                      MEMBER(tact_hull_face, first, MEMBER_INT),
                                      MEMBER(tact_hull_face, count, MEMBER_INT),
                                      {0}};
static const member edge_members[] = {MEMBER(tact_hull_edge, from, MEMBER_INT),
                                      MEMBER(tact_hull_edge, to, MEMBER_INT),
                                      MEMBER(tact_hull_edge, left, MEMBER_INT),
                                      MEMBER(tact_hull_edge, right, MEMBER_INT),
                                      {0}};
static const member hull_members[] = {
    MEMBER(tact_hull, nvertex, MEMBER_INT), MEMBER(tact_hull, nface, MEMBER_INT), MEMBER(tact_hull, nedge, MEMBER_INT), {0}};
static const member grid_members[] = {MEMBER(tact_grid, low, MEMBER_VECTOR),
                                      MEMBER(tact_grid, step, MEMBER_REAL),
                                      MEMBER(tact_grid, unit, MEMBER_REAL),
                                      MEMBER(tact_grid, steep, MEMBER_REAL),
                                      {0}};
static const member option_members[] = {MEMBER(tact_options, dt, MEMBER_REAL),
                                        MEMBER(tact_options, gravity, MEMBER_VECTOR),
                                        MEMBER(tact_options, kappa, MEMBER_REAL),
                                        MEMBER(tact_options, epsilon, MEMBER_REAL),
                                        MEMBER(tact_options, margin, MEMBER_REAL),
                                        MEMBER(tact_options, limits, MEMBER_BOOL),
                                        MEMBER(tact_options, limit_kappa, MEMBER_REAL),
                                        MEMBER(tact_options, anchor, MEMBER_BOOL),
                                        MEMBER(tact_options, force_min, MEMBER_REAL),
                                        WORDS(tact_options, level, level_words),
                                        WORDS(tact_options, cone, cone_words),
                                        MEMBER(tact_options, gravity_on_driven, MEMBER_BOOL),
                                        MEMBER(tact_options, warm_start, MEMBER_BOOL),
                                        MEMBER(tact_options, tolerance, MEMBER_TOLERANCE),
                                        MEMBER(tact_options, max_iterations, MEMBER_INT),
                                        WORDS(tact_options, integrator, integrator_words),
                                        WORDS(tact_options, penalty, penalty_words),
                                        MEMBER(tact_options, temperature, MEMBER_REAL),
                                        MEMBER(tact_options, kn, MEMBER_REAL),
                                        MEMBER(tact_options, kd, MEMBER_REAL),
                                        MEMBER(tact_options, kt, MEMBER_REAL),
                                        WORDS(tact_options, friction, friction_words),
                                        WORDS(tact_options, damping, damping_words),
                                        WORDS(tact_options, gradient, gradient_words),
                                        WORDS(tact_options, manifold, manifold_words),
                                        MEMBER(tact_options, spread, MEMBER_REAL),
                                        {0}};
static const member mpc_members[] = {MEMBER(tact_mpc_options, sweeps, MEMBER_INT),
                                     MEMBER(tact_mpc_options, tick, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, trust, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, lead, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, path, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, effort, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, posture, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, reach, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, velocity, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, patience, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, regrasp, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, centre, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, spread, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, detour, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, slide, MEMBER_REAL),
                                     MEMBER(tact_mpc_options, sizing, MEMBER_REAL),
                                     {0}};
static const member goal_members[] = {MEMBER(tact_pose_goal, body, MEMBER_INT),
                                      MEMBER(tact_pose_goal, position, MEMBER_VECTOR),
                                      {"orientation", offsetof(tact_pose_goal, orientation), NULL, MEMBER_REALS, 4},
                                      MEMBER(tact_pose_goal, position_weight, MEMBER_REAL),
                                      MEMBER(tact_pose_goal, angle_weight, MEMBER_REAL),
                                      MEMBER(tact_pose_goal, position_tolerance, MEMBER_REAL),
                                      MEMBER(tact_pose_goal, angle_tolerance, MEMBER_REAL),
                                      {0}};
static const member loop_members[] = {{"body", offsetof(tact_loop, body), NULL, MEMBER_INTS, 2},
                                      {"at", offsetof(tact_loop, at), NULL, MEMBER_VECTORS, 2},
                                      MEMBER(tact_loop, stiffness, MEMBER_REAL),
                                      {0}};
static const member spring_members[] = {MEMBER(tact_spring, count, MEMBER_INT),
                                        {"dof", offsetof(tact_spring, dof), NULL, MEMBER_INTS, TACT_SPRING_MOST},
                                        {"factor", offsetof(tact_spring, factor), NULL, MEMBER_REALS, TACT_SPRING_MOST},
                                        MEMBER(tact_spring, stiffness, MEMBER_REAL),
                                        MEMBER(tact_spring, damping, MEMBER_REAL),
                                        MEMBER(tact_spring, rest, MEMBER_REAL),
                                        MEMBER(tact_spring, force_limit, MEMBER_REAL),
                                        MEMBER(tact_spring, u, MEMBER_INT),
                                        {0}};
static const member model_members[] = {MEMBER(tact_model, nbody, MEMBER_INT),
                                       MEMBER(tact_model, nshape, MEMBER_INT),
                                       MEMBER(tact_model, npair, MEMBER_INT),
                                       MEMBER(tact_model, nq, MEMBER_INT),
                                       MEMBER(tact_model, nv, MEMBER_INT),
                                       MEMBER(tact_model, nu, MEMBER_INT),
                                       MEMBER(tact_model, body, MEMBER_PART),
                                       MEMBER(tact_model, dof, MEMBER_PART),
                                       MEMBER(tact_model, shape, MEMBER_PART),
                                       MEMBER(tact_model, pair, MEMBER_PART),
                                       MEMBER(tact_model, q0, MEMBER_PART),
                                       MEMBER(tact_model, v0, MEMBER_PART),
                                       MEMBER(tact_model, law, MEMBER_LAW),
                                       MEMBER(tact_model, nloop, MEMBER_SOME),
                                       MEMBER(tact_model, nspring, MEMBER_SOME),
                                       MEMBER(tact_model, loop, MEMBER_PART),
                                       MEMBER(tact_model, spring, MEMBER_PART),
                                       MEMBER(tact_model, planar, MEMBER_BOOL),
                                       MEMBER(tact_model, nmotion, MEMBER_INT),
                                       MEMBER(tact_model, motion, MEMBER_PART),
                                       MEMBER(tact_model, body_motion, MEMBER_PART),
                                       MEMBER(tact_model, path, MEMBER_PART),
                                       MEMBER(tact_model, path_start, MEMBER_PART),
                                       MEMBER(tact_model, order, MEMBER_PART),
                                       MEMBER(tact_model, place, MEMBER_PART),
                                       MEMBER(tact_model, column, MEMBER_PART),
                                       MEMBER(tact_model, column_start, MEMBER_PART),
                                       MEMBER(tact_model, loose, MEMBER_PART),
                                       MEMBER(tact_model, shift, MEMBER_PART),
                                       MEMBER(tact_model, mass_first, MEMBER_PART),
                                       MEMBER(tact_model, reach, MEMBER_PART),
                                       MEMBER(tact_model, envelope, MEMBER_INT),
                                       {0}};
// arrays that stand alone have no struct
static const member lone_real[] = {{"", 0, NULL, MEMBER_REAL, 0}, {0}};
static const member lone_int[] = {{"", 0, NULL, MEMBER_INT, 0}, {0}};
static const member lone_short[] = {{"", 0, NULL, MEMBER_SHORT, 0}, {0}};
static const member lone_bool[] = {{"", 0, NULL, MEMBER_BOOL, 0}, {0}};

// Whole numbers that single precision holds, too, stand for themselves.
static void add_real(tact_text *out, tact_real x) {
    bool largest = x >= TACT_MAX || x <= -TACT_MAX, small = x >= -16777216 && x <= 16777216;
    if (largest) {
        tact_text_add(out, x > 0 ? "TACT_MAX" : "-TACT_MAX");
    } else if (small && x == (tact_real)(int)x && !(x == 0 && signbit(x))) {
        tact_text_add_integer(out, (int)x);
    } else {
        tact_text_print(out, "TACT_REAL(%-s)", x == 0 ? "-0.0" : tact_key_print(x).text);
    }
}

static void add_reals(tact_text *out, const tact_real *x, int count) {
    for (int i = 0; i < count; i++) {
        tact_text_add(out, i > 0 ? ", " : "{");
        add_real(out, x[i]);
    }
    tact_text_add(out, "}");
}

static void add_integers(tact_text *out, const int *x, int count) {
    for (int i = 0; i < count; i++) {
        tact_text_add(out, i > 0 ? ", " : "{");
        tact_text_add_integer(out, x[i]);
    }
    tact_text_add(out, "}");
}

static void add_vector(tact_text *out, tact_vec3 v) {
    const tact_real x[3] = {v.x, v.y, v.z};
    add_reals(out, x, 3);
}

static void add_pose(tact_text *out, const tact_pose *pose) {
    tact_text_add(out, "{{{");
    for (int row = 0; row < 3; row++) {
        if (row > 0) tact_text_add(out, ", ");
        add_reals(out, pose->R.m[row], 3);
    }
    tact_text_add(out, "}}, ");
    add_vector(out, pose->p);
    tact_text_add(out, "}");
}

static void add_tolerance(tact_text *out, tact_real x) {
    if (x == TACT_TOLERANCE)
        tact_text_add(out, "TACT_TOLERANCE");
    else
        add_real(out, x);
}

// Adds the value of one member, at `at` in its struct, as C source.
static void add_value(tact_text *out, const member *row, const void *at) {
    switch (row->kind) {
    case MEMBER_REAL: add_real(out, *(const tact_real *)at); break;
    case MEMBER_REALS: add_reals(out, at, row->count); break;
    case MEMBER_TOLERANCE: add_tolerance(out, *(const tact_real *)at); break;
    case MEMBER_VECTOR: add_vector(out, *(const tact_vec3 *)at); break;
    case MEMBER_POSE: add_pose(out, at); break;
    case MEMBER_SHORT: tact_text_add_integer(out, *(const int16_t *)at); break;
    case MEMBER_VECTORS:
        for (int i = 0; i < row->count; i++) {
            tact_text_add(out, i > 0 ? ", " : "{");
            add_vector(out, ((const tact_vec3 *)at)[i]);
        }
        tact_text_add(out, "}");
        break;
    case MEMBER_INT:
    case MEMBER_SOME: tact_text_add_integer(out, *(const int *)at); break;
    case MEMBER_INTS: add_integers(out, at, row->count); break;
    case MEMBER_BOOL: tact_text_add(out, *(const bool *)at ? "true" : "false"); break;
    case MEMBER_WORD: tact_text_add(out, row->words[*(const int *)at]); break;
    case MEMBER_PART:
    case MEMBER_LAW: break;
    }
}

// .name and the sign behind it
static void add_name(tact_text *out, const char *name) {
    tact_text_print(out, ".%-s = ", name);
}

// .name = value, ...
static void add_members(tact_text *out, const member *members, const void *item) {
    for (const member *row = members; row->name; row++) {
        if (row > members) tact_text_add(out, ", ");
        if (row->name[0]) add_name(out, row->name);
        add_value(out, row, (const char *)item + row->offset);
    }
}

// static const TYPE NAME_PART[COUNT] = {
static void begin_array(tact_text *out, const char *name, const char *type, const char *part, int count) {
    tact_text_print(out, "static const %-s %-s_%-s[%d] = {", type, name, part, count);
}

// Nothing where there are none: C has no empty arrays.
static void add_array(const tact_bake *bake, const char *type, const char *part, const void *items, int count, size_t size,
                      const member *members, tact_text *out) {
    bool structs = members[0].name[0] != '\0';
    if (count == 0) return;
    begin_array(out, bake->name, type, part, count);
    for (int i = 0; i < count; i++) {
        tact_text_add(out, structs ? "\n    {" : (i % 16 == 0 ? "\n    " : " "));
        add_members(out, members, (const char *)items + (size_t)i * size);
        tact_text_add(out, structs ? "}," : ",");
    }
    tact_text_add(out, "\n};\n");
}

static void add_ints(const tact_bake *bake, const char *part, const int *x, int count, tact_text *out) {
    add_array(bake, "int", part, x, count, sizeof *x, lone_int, out);
}

// points_3, members_3: of the shape 3
static void name_part(char part[32], const char *kind, int index) {
    snprintf(part, 32, "%s_%d", kind, index);
}

// , .member = NAME_part
static void add_reference(const tact_bake *bake, const char *field, const char *part, tact_text *out) {
    tact_text_add(out, ", ");
    add_name(out, field);
    tact_text_print(out, "%-s_%-s", bake->name, part);
}

// vertices_3, faces_3, corners_3, edges_3 and hull_3, which refers to them: of the shape 3
static void add_hull(const tact_bake *bake, const tact_hull *hull, int index, tact_text *out) {
    char part[32];
    name_part(part, "vertices", index);
    add_array(bake, "tact_vec3", part, hull->vertex, hull->nvertex, sizeof *hull->vertex, vertex_members, out);
    name_part(part, "faces", index);
    add_array(bake, "tact_hull_face", part, hull->face, hull->nface, sizeof *hull->face, face_members, out);
    name_part(part, "corners", index);
    add_ints(bake, part, hull->corner, 2 * hull->nedge, out);
    name_part(part, "edges", index);
    add_array(bake, "tact_hull_edge", part, hull->edge, hull->nedge, sizeof *hull->edge, edge_members, out);
    // The hull itself, with references to the four arrays.
    name_part(part, "hull", index);
    begin_array(out, bake->name, "tact_hull", part, 1);
    tact_text_add(out, "{");
    add_members(out, hull_members, hull);
    name_part(part, "vertices", index);
    add_reference(bake, "vertex", part, out);
    name_part(part, "faces", index);
    add_reference(bake, "face", part, out);
    name_part(part, "corners", index);
    add_reference(bake, "corner", part, out);
    name_part(part, "edges", index);
    add_reference(bake, "edge", part, out);
    tact_text_add(out, "}};\n");
}

// coefficients_3 and grid_3, which refers to them: of the shape 3
static void add_grid(const tact_bake *bake, const tact_grid *grid, int index, tact_text *out) {
    char part[32];
    int count = grid->count[0] * grid->count[1] * grid->count[2];
    // Numbers first, then the grid that points to them.
    name_part(part, "coefficients", index);
    if (grid->value)
        add_array(bake, "tact_real", part, grid->value, count, sizeof *grid->value, lone_real, out);
    else
        add_array(bake, "int16_t", part, grid->fine, count, sizeof *grid->fine, lone_short, out);
    name_part(part, "grid", index);
    begin_array(out, bake->name, "tact_grid", part, 1);
    tact_text_add(out, "{.count = ");
    add_integers(out, grid->count, 3);
    tact_text_add(out, ", ");
    add_members(out, grid_members, grid);
    name_part(part, "coefficients", index);
    add_reference(bake, grid->value ? "value" : "fine", part, out);
    tact_text_add(out, "}};\n");
}

// The points, members, hulls and grids of shapes, then the shapes that refer to them.
static void add_shapes(const tact_bake *bake, tact_text *out) {
    const tact_model *model = bake->model;
    char part[32];
    // What shapes point to comes before them.
    for (int i = 0; i < model->nshape; i++) {
        const tact_shape *shape = &model->shape[i];
        name_part(part, "points", i);
        if (shape->point)
            add_array(bake, "tact_vec2", part, shape->point, shape->count, sizeof *shape->point, point_members, out);
        name_part(part, "members", i);
        if (shape->member) add_ints(bake, part, shape->member, shape->count, out);
        if (shape->hull) add_hull(bake, shape->hull, i, out);
        if (shape->grid) add_grid(bake, shape->grid, i, out);
    }
    if (model->nshape == 0) return;
    // The shapes, each with references to its own parts.
    begin_array(out, bake->name, "tact_shape", "shape", model->nshape);
    for (int i = 0; i < model->nshape; i++) {
        const tact_shape *shape = &model->shape[i];
        tact_text_add(out, "\n    {");
        add_members(out, shape_members, shape);
        name_part(part, "points", i);
        if (shape->point && shape->count > 0) add_reference(bake, "point", part, out);
        name_part(part, "members", i);
        if (shape->member && shape->count > 0) add_reference(bake, "member", part, out);
        name_part(part, "hull", i);
        if (shape->hull) add_reference(bake, "hull", part, out);
        name_part(part, "grid", i);
        if (shape->grid) add_reference(bake, "grid", part, out);
        tact_text_add(out, "},");
    }
    tact_text_add(out, "\n};\n");
}

// An array of the model: its member, how many, and what writes them.
typedef struct {
    const char *part, *type;
    const void *items;
    int count;
    size_t size;
    const member *members;
} part;

#define PARTS_MAX 20

// The arrays of a model, of which shapes have a form of their own; returns how many.
static int list_parts(const tact_model *m, part parts[PARTS_MAX]) {
    // name, type and number of each array of the model, in the order in which they are written
    const part list[] = {{"body", "tact_body", m->body, m->nbody, sizeof *m->body, body_members},
                         {"dof", "tact_dof", m->dof, m->nv, sizeof *m->dof, dof_members},
                         {"shape", NULL, m->shape, m->nshape, 0, NULL},
                         {"pair", "tact_pair", m->pair, m->npair, sizeof *m->pair, pair_members},
                         {"loop", "tact_loop", m->loop, m->nloop, sizeof *m->loop, loop_members},
                         {"spring", "tact_spring", m->spring, m->nspring, sizeof *m->spring, spring_members},
                         {"q0", "tact_real", m->q0, m->nq, sizeof *m->q0, lone_real},
                         {"v0", "tact_real", m->v0, m->nv, sizeof *m->v0, lone_real},
                         {"motion", "tact_motion", m->motion, m->nmotion, sizeof *m->motion, motion_members},
                         {"body_motion", "int", m->body_motion, m->nbody + 1, sizeof(int), lone_int},
                         // what tact_model_prepare derives is written, too: a board does not compute it again
                         {"path", "int", m->path, m->path_start[m->nbody], sizeof(int), lone_int},
                         {"path_start", "int", m->path_start, m->nbody + 1, sizeof(int), lone_int},
                         {"order", "int", m->order, m->nv, sizeof(int), lone_int},
                         {"place", "int", m->place, m->nv, sizeof(int), lone_int},
                         {"column", "int", m->column, m->column_start[m->npair], sizeof(int), lone_int},
                         {"column_start", "int", m->column_start, m->npair + 1, sizeof(int), lone_int},
                         {"loose", "bool", m->loose, m->nbody, sizeof(bool), lone_bool},
                         {"shift", "bool", m->shift, m->nbody, sizeof(bool), lone_bool},
                         {"mass_first", "int", m->mass_first, m->nv, sizeof(int), lone_int},
                         {"reach", "int", m->reach, m->nv, sizeof(int), lone_int}};
    int count = (int)(sizeof list / sizeof *list);
    for (int i = 0; i < count; i++) parts[i] = list[i];
    return count;
}

static bool has_part(const part *parts, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(parts[i].part, name) == 0) return parts[i].count > 0;
    return false;
}

// const tact_options NAME_options, const tact_real NAME_u[nu]: declared or defined, up to the sign that follows
static void add_outer(const tact_bake *bake, const char *before, const char *type, const char *after, tact_text *out) {
    tact_text_print(out, "%-s%-s%-s%-s", before, type, bake->name, after);
}

static void add_u(const tact_bake *bake, const char *before, tact_text *out) {
    add_outer(bake, before, "const tact_real ", "_u[", out);
    tact_text_print(out, "%d]", bake->model->nu > 0 ? bake->model->nu : 1);
}

static void add_head(const tact_bake *bake, const char *which, tact_text *out) {
    tact_text_print(out, "// The model %-s%-s%-s", bake->name, which,
                    ", written by `tact bake` " TACT_VERSION " from its scene. For double and for float.\n");
}

static void add_declarations(const tact_bake *bake, tact_text *out) {
    add_outer(bake, "extern ", "const tact_model ", ";\n", out);
    add_outer(bake, "extern ", "const tact_options ", "_options;\n", out);
    add_u(bake, "extern ", out);
    tact_text_add(out, ";\n");
    if (!bake->mpc) return;
    add_outer(bake, "extern ", "const tact_options ", "_mpc_step;\n", out);
    add_outer(bake, "extern ", "const tact_mpc_options ", "_mpc;\n", out);
    add_outer(bake, "extern ", "const tact_pose_goal ", "_goal;\n", out);
}

// const TYPE NAME_which = { members };
static void add_struct(const tact_bake *bake, const char *type, const char *which, const member *members, const void *item,
                       tact_text *out) {
    add_outer(bake, "\n", type, which, out);
    tact_text_add(out, " = {");
    add_members(out, members, item);
    tact_text_add(out, "};\n");
}

void tact_bake_source(const tact_bake *bake, tact_text *out) {
    TACT_ASSERT(bake && out);
    static const tact_real none[1] = {0};
    part parts[PARTS_MAX];
    int count = list_parts(bake->model, parts);
    add_head(bake, " as constants", out);
    tact_text_print(out, "#include \"%-s\"\n\n", bake->include);
    add_declarations(bake, out);
    tact_text_add(out, "\n");
    // Arrays, then the model that refers to them, options and commands.
    for (int i = 0; i < count; i++) {
        if (parts[i].type)
            add_array(bake, parts[i].type, parts[i].part, parts[i].items, parts[i].count, parts[i].size, parts[i].members, out);
        else
            add_shapes(bake, out);
    }
    const tact_model *model = bake->model;
    tact_text_print(out, "\nconst tact_model %-s = {", bake->name);
    // Row by row: parts by reference, the law by its name, counts and flags by value.
    for (const member *row = model_members; row->name; row++) {
        if (row->kind == MEMBER_PART) {
            if (has_part(parts, count, row->name)) add_reference(bake, row->name, row->name, out);
        } else if (row->kind == MEMBER_LAW) {
            if (model->law) tact_text_add(out, ", .law = &tact_law_");
            if (model->law) tact_text_add(out, model->law->name);
        } else if (row->kind != MEMBER_SOME || *(const int *)((const char *)model + row->offset) != 0) {
            if (row > model_members) tact_text_add(out, ", ");
            add_name(out, row->name);
            add_value(out, row, (const char *)model + row->offset);
        }
    }
    tact_text_add(out, "};\n");
    add_struct(bake, "const tact_options ", "_options", option_members, bake->options, out);
    tact_text_add(out, "\n");
    add_u(bake, "", out);
    tact_text_add(out, " = ");
    add_reals(out, bake->model->nu > 0 ? bake->u : none, bake->model->nu > 0 ? bake->model->nu : 1);
    tact_text_add(out, ";\n");
    if (!bake->mpc) return;
    add_struct(bake, "const tact_options ", "_mpc_step", option_members, &bake->mpc->step, out);
    add_struct(bake, "const tact_mpc_options ", "_mpc", mpc_members, &bake->mpc->options, out);
    add_struct(bake, "const tact_pose_goal ", "_goal", goal_members, &bake->mpc->goal, out);
}

static void add_size(const tact_bake *bake, const char *which, size_t size, tact_text *out) {
    add_outer(bake, "    ", "", which, out);
    tact_text_print(out, "%lld,\n", (long long)size);
}

void tact_bake_header(const tact_bake *bake, tact_text *out) {
    TACT_ASSERT(bake && out);
    add_head(bake, ", declared", out);
    add_outer(bake, "#ifndef TACT_BAKED_", "", "\n", out);
    add_outer(bake, "#define TACT_BAKED_", "", "\n\n#include \"", out);
    tact_text_print(out, "%-s\"\n\n", bake->include);
    add_declarations(bake, out);
    tact_text_print(
        out, "\n// [bytes] of memory, in %-s precision and with pointers of 8 bytes; with smaller ones less is needed\nenum {\n",
        sizeof(tact_real) == sizeof(float) ? "single" : "double");
    add_size(bake, "_state_size = ", tact_state_size(bake->model), out);
    add_size(bake, "_work_size = ", tact_work_size(bake->model), out);
    if (bake->mpc) add_size(bake, "_horizon = ", (size_t)bake->mpc->horizon, out);
    if (bake->mpc) add_size(bake, "_mpc_size = ", tact_mpc_size(bake->model, bake->mpc->horizon), out);
    tact_text_add(out, "};\n\n#endif\n");
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool tact_bake_name(const char *name) {
    TACT_ASSERT(name);
    static const char *const taken[] = {"auto",     "break",  "case",     "char",     "const",  "continue", "default", "do",
                                        "double",   "else",   "enum",     "extern",   "float",  "for",      "goto",    "if",
                                        "inline",   "int",    "long",     "register", "main",   "restrict", "return",  "short",
                                        "signed",   "sizeof", "static",   "struct",   "switch", "bool",     "typedef", "union",
                                        "unsigned", "void",   "volatile", "while",    "true",   "false",    NULL};
    if (!is_letter(name[0]) || name[0] == '_' || strlen(name) > 63) return false;
    for (const char *c = name; *c; c++)
        if (!is_letter(*c) && !(*c >= '0' && *c <= '9')) return false;
    for (int i = 0; taken[i]; i++)
        if (strcmp(name, taken[i]) == 0) return false;
    return strncmp(name, "tact_", 5) != 0 && strncmp(name, "TACT_", 5) != 0;
}

void tact_bake_default_name(const char *scene, char *name, size_t size) {
    TACT_ASSERT(scene && name && size > 0);
    // no name in C begins with a digit
    snprintf(name, size, "%s%s", scene[0] >= '0' && scene[0] <= '9' ? "model_" : "", scene);
    for (char *c = name; *c; c++)
        if (!is_letter(*c) && !(*c >= '0' && *c <= '9')) *c = '_';
    if (!tact_bake_name(name)) snprintf(name, size, "model");
}
