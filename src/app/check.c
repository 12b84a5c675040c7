// SPDX-License-Identifier: MIT
// tact check: validates a scene and prints what its model holds.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/check.h"
#include "app/table.h"

static const char help[] =
    "Reads the scene (- is standard input), reports what is wrong with FILE:LINE:COL: /json/path: reason, or prints the\n"
    "bodies, the order of the degrees of freedom, shapes, pairs, the memory of a state and of the work of a step,\n"
    "and what kappa, margin, the limits of drives and the pairs mean for this scene.\n"
    "\n"
    "examples:\n"
    "  tact check data/scenes/lesson.json\n"
    "  tact check data/scenes/lesson.json --set options.kappa=1e6\n";

static void add_count(tact_table *table, const char *key, size_t value) {
    tact_table_add(table, key);
    tact_table_add_integer(table, (long long)value);
    tact_table_end_row(table);
}

static void add_measure(tact_table *table, const char *key, tact_real value) {
    tact_table_add(table, key);
    tact_table_add_number(table, value);
    tact_table_end_row(table);
}

// the axes of the plane in which a planar law sees the scene
static void print_plane(const tact_model *model, int digits, tact_text *out) {
    tact_plane plane = tact_plane_find(model);
    const tact_vec3 axes[3] = {plane.x, plane.y, plane.z};
    static const char *const names[3] = {"x", "y", "normal"}, *const head[] = {"axis", "in the world", "", "", NULL};
    tact_table table = tact_table_begin(digits, head);
    for (int k = 0; k < 3; k++) {
        tact_table_add(&table, names[k]);
        tact_table_add_number(&table, axes[k].x);
        tact_table_add_number(&table, axes[k].y);
        tact_table_add_number(&table, axes[k].z);
        tact_table_end_row(&table);
    }
    tact_text_add(out, "\nplane of the scene\n");
    tact_table_print(&table, out);
}

// Prints the table of the bodies: parent, joint, its type, mass.
static void print_bodies(const tact_model *model, int digits, tact_text *out) {
    static const char *const head[] = {"body", "parent", "joint", "type", "mass [kg]", NULL};
    tact_table table = tact_table_begin(digits, head);
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        tact_table_add(&table, tact_body_name(model, b).text);
        tact_table_add(&table, tact_body_name(model, body->parent).text);
        tact_table_add(&table, tact_joint_name(model, b).text);
        tact_table_add(&table, tact_joint_type_names[body->joint]);
        tact_table_add_number(&table, body->mass);
        tact_table_end_row(&table);
    }
    tact_text_add(out, "\nbodies\n");
    tact_table_print(&table, out);
}

static void add_number_or_none(tact_table *table, tact_real value, bool none) {
    if (none)
        tact_table_add(table, "-");
    else
        tact_table_add_number(table, value);
}

// Whether a dof is one of the six of a free joint, whose seven coordinates have a table of their own.
static bool is_free(const tact_model *model, int v) {
    return model->body[model->dof[v].body].joint == TACT_JOINT_FREE;
}

static void print_free(const tact_model *model, int digits, tact_text *out) {
    static const char *const head[] = {"q", "name", "initial", NULL};
    tact_table table = tact_table_begin(digits, head);
    for (int v = 0; v < model->nv; v++) {
        const tact_body *body = &model->body[model->dof[v].body];
        // once a body, at its first dof
        if (!is_free(model, v) || v != body->v) continue;
        for (int q = body->q; q < body->q + tact_joint_coordinates(body->joint); q++) {
            tact_table_add_integer(&table, q);
            tact_table_add(&table, tact_coordinate_name(model, q).text);
            tact_table_add_number(&table, model->q0[q]);
            tact_table_end_row(&table);
        }
    }
    tact_text_add(out, "\ncoordinates of free joints [m; quaternion w, x, y, z]\n");
    tact_table_print(&table, out);
}

// The axis of a joint that rotates about one or slides along one, in the joint's frame: x, -z and the like, or its components;
// "-" for other joints.
static const char *print_axis(const tact_body *body, char *text, size_t room) {
    const tact_joint_type type = body->joint;
    if (type != TACT_JOINT_REVOLUTE && type != TACT_JOINT_CONTINUOUS && type != TACT_JOINT_PRISMATIC) return "-";
    const double axis[3] = {(double)body->axis.x, (double)body->axis.y, (double)body->axis.z};
    for (int k = 0; k < 3; k++) {
        if (!(fabs(axis[k]) > 1 - 1e-6)) continue;
        snprintf(text, room, "%s%c", axis[k] < 0 ? "-" : "", "xyz"[k]);
        return text;
    }
    snprintf(text, room, "%s %s %s", tact_rounded(axis[0], 3).text, tact_rounded(axis[1], 3).text, tact_rounded(axis[2], 3).text);
    return text;
}

// Prints the degrees of freedom with their drives, limits and axes.
static void print_dofs(const tact_model *model, int digits, tact_text *out) {
    static const char *const head[] = {"v",       "q",     "u",     "name",    "type", "stiffness",
                                       "damping", "lower", "upper", "initial", "axis", NULL};
    tact_table table = tact_table_begin(digits, head);
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        bool driven = dof->u >= 0;
        tact_table_add_integer(&table, v);
        tact_table_add(&table, dof->q < 0 || is_free(model, v) ? "-" : tact_number_print(dof->q).text);
        tact_table_add(&table, driven ? tact_number_print(dof->u).text : "-");
        tact_table_add(&table, tact_dof_name(model, v).text);
        tact_table_add(&table, tact_joint_type_names[model->body[dof->body].joint]);
        tact_real stiffness = 0, damping = 0;
        // What drives a dof: a drive that is limited is kept as a spring.
        stiffness = dof->stiffness;
        damping = dof->damping;
        bool sum = false;
        for (int i = 0; i < model->nspring && dof->u >= 0; i++) {
            if (model->spring[i].u != dof->u) continue;
            sum = sum || model->spring[i].count > 1;
            if (model->spring[i].count > 1) continue;
            stiffness = model->spring[i].stiffness;
            damping = model->spring[i].damping;
        }
        // a drive on a sum of coordinates has its numbers in the table of springs
        if (sum) tact_table_add(&table, "of a sum"), tact_table_add(&table, "of a sum");
        if (!sum) add_number_or_none(&table, stiffness, !driven);
        if (!sum) add_number_or_none(&table, damping, !driven);
        add_number_or_none(&table, dof->lower, dof->lower <= -TACT_MAX);
        add_number_or_none(&table, dof->upper, dof->upper >= TACT_MAX);
        add_number_or_none(&table, dof->q < 0 ? 0 : model->q0[dof->q], dof->q < 0 || is_free(model, v));
        char axis[100];
        tact_table_add(&table, print_axis(&model->body[dof->body], axis, sizeof axis));
        tact_table_end_row(&table);
    }
    tact_text_add(out, "\ndegrees of freedom [m, rad, N/m, N m/rad]\n");
    tact_table_print(&table, out);
    bool any = false;
    for (int v = 0; v < model->nv; v++) any = any || is_free(model, v);
    if (any) print_free(model, digits, out);
}

// Prints the loops, and how far each is open at the start.
static void print_loops(tact_world *world, int digits, tact_text *out) {
    static const char *const head[] = {"a", "b", "stiffness", "open at the start", NULL};
    const tact_model *model = &world->scene->model;
    tact_table table = tact_table_begin(digits, head);
    // loops that do not close at the start are pulled together by the first steps
    tact_kinematics_update(&world->work.kinematics, model, model->q0);
    for (int i = 0; i < model->nloop; i++) {
        tact_vec3 e = tact_loop_error(model, &world->work.kinematics, i);
        tact_table_add(&table, tact_body_name(model, model->loop[i].body[0]).text);
        tact_table_add(&table, tact_body_name(model, model->loop[i].body[1]).text);
        tact_table_add_number(&table, model->loop[i].stiffness);
        tact_table_add_number(&table, (tact_real)sqrt((double)tact_vec3_dot(e, e)));
        tact_table_end_row(&table);
    }
    tact_text_add(out, "\nloops [N/m, m]\n");
    tact_table_print(&table, out);
}

// Prints springs, drives on sums of joints and drives with a force limit.
static void print_springs(const tact_model *model, int digits, tact_text *out) {
    static const char *const head[] = {"sum", "u", "stiffness", "damping", "rest", "limit", NULL};
    tact_table table = tact_table_begin(digits, head);
    for (int i = 0; i < model->nspring; i++) {
        const tact_spring *spring = &model->spring[i];
        tact_text sum = {0};
        for (int k = 0; k < spring->count; k++) {
            tact_text_add(&sum, k > 0 ? " + " : "");
            if (spring->factor[k] != 1) tact_text_add(&sum, tact_key_print(spring->factor[k]).text);
            if (spring->factor[k] != 1) tact_text_add(&sum, " ");
            tact_text_add(&sum, tact_dof_name(model, spring->dof[k]).text);
        }
        tact_table_add(&table, sum.failed ? "" : sum.bytes);
        tact_text_free(&sum);
        tact_table_add(&table, spring->u >= 0 ? tact_number_print(spring->u).text : "-");
        tact_table_add_number(&table, spring->stiffness);
        tact_table_add_number(&table, spring->damping);
        tact_table_add_number(&table, spring->rest);
        add_number_or_none(&table, spring->force_limit, !(spring->force_limit > 0));
        tact_table_end_row(&table);
    }
    tact_text_add(out, "\nsprings, drives on sums and limited drives [m, rad, N/m, N m/rad, N, N m]\n");
    tact_table_print(&table, out);
}

// the shape that the scene names: of a vertex its shape
static int named_shape(const tact_model *model, int s) {
    const int *slot_of = model->names ? model->names->slot_of : NULL;
    return slot_of && slot_of[s] >= 0 ? slot_of[s] : s;
}

static void print_shapes(const tact_model *model, tact_text *out) {
    static const char *const head[] = {"shape", "body", "type", NULL};
    tact_table table = tact_table_begin(0, head);
    for (int s = 0; s < model->nshape; s++) {
        if (named_shape(model, s) != s) continue;
        tact_table_add(&table, tact_shape_name(model, s).text);
        tact_table_add(&table, tact_body_name(model, model->shape[s].body).text);
        tact_table_add(&table, tact_shape_type_names[model->shape[s].type]);
        tact_table_end_row(&table);
    }
    tact_text_add(out, "\nshapes\n");
    tact_table_print(&table, out);
}

// How many slots of one pair of the scene begin here; 0 for a pair that is its only contact.
static int count_pair_slots(const tact_model *model, int i) {
    const tact_pair *first = &model->pair[i];
    int a = named_shape(model, first->a), b = named_shape(model, first->b), count = 0;
    if (a == first->a && b == first->b) return 0;
    for (const tact_pair *pair = first; i + count < model->npair; pair++, count++)
        if (named_shape(model, pair->a) != a || named_shape(model, pair->b) != b) break;
    return count;
}

// How many pairs from i on are of one shape a, at its nearest point and with one friction; of few pairs each stands alone.
static int count_alike(const tact_model *model, int i) {
    enum { MANY = 60 };
    const tact_pair *first = &model->pair[i];
    int count = 1;
    while (model->npair > MANY && i + count < model->npair) {
        const tact_pair *next = &model->pair[i + count];
        bool alike = next->a == first->a && next->mu == first->mu && next->vertex == 0 && first->vertex == 0;
        if (!alike || count_pair_slots(model, i) > 0 || count_pair_slots(model, i + count) > 0) break;
        count++;
    }
    return count;
}

// Prints the pairs, those of one patch or of like names in one row.
static void print_pairs(const tact_model *model, int digits, tact_text *out) {
    const char *heads[] = {"a", "b", "mu", "contact", NULL};
    bool several = false, patches = false;
    for (int i = 0; i < model->npair; i++) {
        // columns that would be empty are left out
        patches = patches || count_pair_slots(model, i) > 0;
        several = several || patches || model->pair[i].vertex != 0;
    }
    tact_table table = {.digits = digits};
    if (!several) heads[3] = NULL;
    tact_table_add_all(&table, heads);
    tact_table_end_row(&table);
    for (int i = 0, step = 1; i < model->npair; i += step) {
        const tact_pair *pair = &model->pair[i];
        int slots = count_pair_slots(model, i), alike = count_alike(model, i);
        char many[32], others[700];
        snprintf(many, sizeof many, "%d slots", slots);
        // the contacts of two boxes, and runs of pairs that are alike, are one row
        step = slots > 0 ? slots : alike;
        tact_table_add(&table, tact_shape_name(model, named_shape(model, pair->a)).text);
        snprintf(others, sizeof others, "%s", tact_shape_name(model, named_shape(model, pair->b)).text);
        size_t used = strlen(others);
        if (alike > 1)
            snprintf(others + used, sizeof others - used, " .. %s (%d)", tact_shape_name(model, pair[alike - 1].b).text, alike);
        tact_table_add(&table, others);
        tact_table_add_number(&table, pair->mu);
        const char *place = pair->vertex == 0 ? "nearest" : pair->vertex % 2 != 0 ? "end -z" : "end +z";
        if (several) tact_table_add(&table, slots > 0 ? many : place);
        tact_table_end_row(&table);
    }
    tact_text_add(out, "\npairs\n");
    tact_table_print(&table, out);
    if (patches)
        tact_text_add(
            out, "\nslots: a box or hull touches a plane at its vertices; another one at the vertices of both, and along "
                 "each\n"
                 "edge of a, at two places under the barrier law, else where it is nearest to b; a grid, a "
                 "cylinder or an ellipsoid\nat balls on its surface and at those of the other. Slot 3 of the shape x is named "
                 "x#3: its vertices first,\nthen its edges, then its balls.\n");
}

static int run(const tact_call *call) {
    tact_world world;
    tact_text text = {0};
    int digits = 0;
    if (!tact_table_read_digits(call, &digits)) return TACT_EXIT_USAGE;
    int code = tact_stage_open(call, tact_call_operand(call, 0), &world);
    if (code == TACT_EXIT_DONE) code = tact_stage_check_start(call, &world);
    if (code != TACT_EXIT_DONE) return code;
    const tact_model *model = &world.scene->model;
    // Counts, mass, margin and options of the model
    const tact_scene *scene = world.scene;
    tact_table table = {.digits = digits};
    tact_real mass = 0, margin = tact_margin(model, &scene->options);
    // mass that no drive holds
    for (int b = 0; b < model->nbody; b++) mass += model->loose[b] ? model->body[b].mass : 0;
    tact_table_add_fact(&table, "scene", model->names->scene ? model->names->scene : "");
    tact_table_add_fact(&table, "law", scene->model.law->name);
    add_measure(&table, "time step [s]", scene->options.dt);
    if (margin < TACT_MAX)
        add_measure(&table, "margin [m]", margin);
    else
        tact_table_add_fact(&table, "margin [m]", "none: every pair is in every step");
    add_count(&table, "bodies", (size_t)model->nbody);
    add_count(&table, "shapes", (size_t)model->nshape);
    if (model->search)
        add_count(&table, "pairs found a step, at most", (size_t)model->search->most);
    else
        add_count(&table, "pairs", (size_t)model->npair);
    add_count(&table, "coordinates (q)", (size_t)model->nq);
    add_count(&table, "degrees of freedom (v)", (size_t)model->nv);
    add_count(&table, "driven (u)", (size_t)model->nu);
    add_measure(&table, "unactuated mass [kg]", mass);
    add_count(&table, "state [bytes]", tact_state_size(model));
    add_count(&table, "work [bytes]", tact_work_size(model));
    add_count(&table, "matrix of the solver [entries]", (size_t)model->envelope);
    tact_table_print(&table, &text);
    if (model->planar) print_plane(model, digits, &text);
    if (model->nbody > 0) print_bodies(model, digits, &text);
    if (model->nv > 0) print_dofs(model, digits, &text);
    if (model->nloop > 0) print_loops(&world, digits, &text);
    if (model->nspring > 0) print_springs(model, digits, &text);
    if (model->nshape > 0) print_shapes(model, &text);
    if (model->npair > 0) print_pairs(model, digits, &text);
    tact_check_explain(world.scene, &text);
    tact_stage_close(&world);
    return tact_print_text(&text, code);
}

static const tact_call_option options[] = {TACT_STAGE_OPTIONS, TACT_TABLE_OPTION, {0}};

const tact_subcommand tact_check_command = {.name = "check",
                                            .operands = "SCENE",
                                            .summary = "Validates a scene and prints what it holds.",
                                            .help = help,
                                            .options = options,
                                            .least = 1,
                                            .most = 1,
                                            .run = run};
