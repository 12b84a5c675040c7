// SPDX-License-Identifier: MIT
// tact new: a scene with a robot and an object.
#include "app/new.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/fits.h"
#include "app/rewrite.h"

#define STILL 2e-3  // [m] in STEPS: a driven base sinks by half of that

enum { STEPS = 100, SETTLES = 5, LISTED = 300 };

#define GRAVITY 9.81
#define BEND 0.5    // at which a drive gives its effort limit [rad]
#define SLIDE 0.01  // likewise [m]

enum { COVERING = 64 };

typedef struct {
    const tact_call *call;
    const char *robot, *on;
    tact_base_joint base;
    tact_draft_fit fit;
    const char **rules;
    tact_draft draft;  // of a robot in URDF: its joints, with their effort limits
    tact_errors errors;
    bool urdf;
    tact_new_object object;
    tact_new_place place;
    tact_new_form form;
    tact_quat turn;  // of the object where it begins
    double mu, kappa, margin;
    double angle;              // of the goal about the vertical [degrees]
    bool still;                // the object lies still where it begins
    double rpy[3];             // of the robot's base over a table
    double above;              // of the robot over the table [m]
    char name[TACT_NEW_NAME];  // of the object: as no body, joint or shape of the robot is called
    tact_new_why why;          // what became of the places that were looked at, and at how many the object rests: without faces
    int rested;
    bool bare;                // the robot has no shapes
    bool faces;               // a box touches flat shapes of the body that carries it by its faces, too
    int weld;                 // that body, or what it is fixed to
    bool searching;           // without the table, whose height is not known yet
    const tact_model *model;  // the robot's with the object, once it is read; its shapes make the pairs
} plan;

static double round_six(double x) {
    return tact_key_round(x, 6);
}

// ---- what is asked for ----

static bool read_option(const plan *of, const char *option, double low, double high, double fallback, double *value) {
    const char *word = tact_call_value(of->call, option);
    *value = fallback;
    if (!word || (tact_number_read_loose(word, strlen(word), value) == TACT_NUMBER_READ && *value >= low && *value <= high))
        return true;
    tact_say_usage(of->call->command, "%s: must be within [%s, %s] (found %s)", option, tact_number_print(low).text,
                   tact_number_print(high).text, tact_quote(word).text);
    return false;
}

// Mass, inertia, and how the barrier bears the weight: at n contacts that bear F each the gap is 2/(kappa F).
static int weigh_object(plan *to) {
    double density = 0;
    tact_new_object *object = &to->object;
    if (!read_option(to, "--object-density", 1e-3, 1e5, 1000, &density)) return TACT_EXIT_USAGE;
    if (!read_option(to, "--mu", 0, 10, 0.5, &to->mu)) return TACT_EXIT_USAGE;
    int code = tact_new_weigh(to->call, density, object, &to->form);
    if (code != TACT_EXIT_DONE) return code;
    const int contacts = to->form.contacts;
    object->gap = 0.01 * to->form.least;
    // n contacts share the weight: gap = 2 n/(m g kappa) = 1 % of the size
    to->kappa = tact_key_round(2 * contacts / (object->mass * GRAVITY * object->gap), 2);
    if (to->kappa < 1)
        return tact_say_usage(to->call->command, "--object: %s kg: lengths are in metres", tact_number_print(object->mass).text);
    object->gap = 2 * contacts / (object->mass * GRAVITY * to->kappa);
    to->margin = tact_key_round(fmax(0.01, 0.5 * to->form.least), 2);
    return TACT_EXIT_DONE;
}

// ---- the scene's text ----

static bool has_table(const plan *of) {
    return !of->searching && strcmp(of->on, "table") == 0;
}

// What the spheres of a robot's capsule are called: as it, with a number, and as no shape of the robot is.
static void name_end(const plan *of, const char *shape, int number, char name[400]) {
    char base[380];
    bool taken = true;
    snprintf(base, sizeof base, "%s", shape);
    while (taken) {
        snprintf(name, 400, "%.379s_%d", base, number);
        taken = false;
        for (int s = 0; s < of->model->nshape; s++) taken = taken || strcmp(of->model->names->shape[s], name) == 0;
        size_t size = strlen(base);
        if (taken) snprintf(base + size, sizeof base - size, "_end");
        if (size + 5 > sizeof base) return;
    }
}

static bool is_flat(tact_shape_type type) {
    return type == TACT_SHAPE_BOX || type == TACT_SHAPE_HULL;
}

// Whether a shape of the robot has no contacts with the object: only spheres touch cylinders and ellipsoids, and a hull has none.
static bool passes(const plan *of, const tact_shape *shape) {
    bool smooth = shape->type == TACT_SHAPE_CYLINDER || shape->type == TACT_SHAPE_ELLIPSOID;
    return of->object.type == TACT_SHAPE_HULL && smooth;
}

static bool needs_can(const plan *of) {
    bool any = false;
    for (int s = 0; of->model && s < of->model->nshape; s++) {
        const tact_shape *shape = &of->model->shape[s];
        bool own = shape->body >= 0 && shape->body == tact_new_find_object(of->model);
        any = any || (!own && is_flat(shape->type));
    }
    return any && of->object.type == TACT_SHAPE_CYLINDER;
}

static void add_shapes(const plan *of, tact_text *out) {
    tact_text_add(out, "  \"shapes\": [\n");
    tact_new_add_shape(&of->object, &of->form, of->name, out);
    tact_new_add_touches(&of->object, of->name, out);
    if (needs_can(of)) tact_new_add_can(&of->object, of->name, out);
    if (has_table(of)) {
        tact_text_add(
            out, ",\n    { \"name\": \"table\", \"body\": \"world\", \"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": ");
        tact_text_add_number(out, round_six(of->place.table));
        tact_text_add(out, " }");
    }
    // a capsule of the robot touches by its ends and its middle
    for (int s = 0; of->model && s < of->model->nshape; s++) {
        const tact_shape *shape = &of->model->shape[s];
        if (shape->type != TACT_SHAPE_CAPSULE || shape->body < 0 || shape->body == tact_new_find_object(of->model)) continue;
        for (int k = -1; k <= 1; k++) {
            tact_vec3 end = tact_pose_apply(shape->place, tact_vec3_make(0, 0, (tact_real)k * shape->size[1]));
            double at[3] = {round_six((double)end.x), round_six((double)end.y), round_six((double)end.z)};
            char name[400];
            name_end(of, of->model->names->shape[s], k + 2, name);
            tact_new_add_sphere(out, name, of->model->names->body[shape->body], (double)shape->size[0], at);
        }
    }
    tact_text_add(out, "\n  ],\n");
}

static void add_pair(tact_text *out, int *count, const char *a, const char *b) {
    tact_text_add(out, (*count)++ > 0 ? ",\n    { \"a\": " : "\n    { \"a\": ");
    tact_text_print(out, "%s, \"b\": %s }", a, b);
}

// A shape with the object: by the object's spheres, or by the shape itself where it is one.
static void add_pairs_of(const plan *of, const char *shape, bool ball, tact_text *out, int *count) {
    tact_text spheres = {0};
    int touches = tact_new_add_touches(&of->object, of->name, &spheres);
    tact_text_free(&spheres);
    if (ball || touches == 0) add_pair(out, count, shape, of->name);
    for (int i = 1; i <= touches && !ball; i++) {
        char name[32];
        tact_new_name_touch(&of->object, i, name);
        add_pair(out, count, shape, name);
    }
}

static void add_pairs(const plan *of, tact_text *out) {
    int count = 0;
    tact_text_print(out, "  \"mu\": %g,\n  \"pairs\": [", of->mu);
    if (has_table(of)) add_pairs_of(of, "table", false, out, &count);
    for (int s = 0; has_table(of) && of->base != TACT_BASE_FIXED && of->model && s < of->model->nshape; s++) {
        // a robot that moves as a whole lies on the table, too
        const tact_shape *shape = &of->model->shape[s];
        bool touches = tact_shape_is_ball(shape->type) || shape->type == TACT_SHAPE_CAPSULE || shape->type == TACT_SHAPE_BOX ||
                       shape->type == TACT_SHAPE_HULL;
        if (touches && shape->body >= 0 && shape->body != tact_new_find_object(of->model))
            add_pair(out, &count, of->model->names->shape[s], "table");
    }
    for (int s = 0; of->model && s < of->model->nshape; s++) {
        const tact_shape *shape = &of->model->shape[s];
        const char *name = of->model->names->shape[s];
        if (shape->body >= 0 && shape->body == tact_new_find_object(of->model)) continue;
        if (passes(of, shape) || (shape->type == TACT_SHAPE_PLANE && strcmp(name, "table") == 0)) continue;
        if (is_flat(shape->type) && of->object.type == TACT_SHAPE_CYLINDER)
            add_pair(out, &count, name, TACT_NEW_CAN);
        else
            add_pairs_of(of, name, tact_shape_is_ball(shape->type), out, &count);
        bool near = strcmp(of->on, "table") == 0 || tact_new_weld(of->model, shape->body) == of->weld;
        if (of->faces && is_flat(shape->type) && shape->body >= 0 && near) add_pair(out, &count, name, of->name);
        for (int k = 1; k <= 3 && shape->type == TACT_SHAPE_CAPSULE && shape->body >= 0 && of->object.type != TACT_SHAPE_SPHERE;
             k++) {
            char end[400];
            name_end(of, name, k, end);
            add_pairs_of(of, end, true, out, &count);
        }
    }
    tact_text_add(out, count > 0 ? "\n  ],\n" : "],\n");
}

static void add_drives(const plan *of, tact_text *out) {
    int count = 0;
    tact_text_add(out, "  \"drives\": [");
    for (int b = 0; of->urdf && b < of->draft.nbody; b++) {
        const tact_draft_body *body = &of->draft.bodies[b];
        bool turns = body->type == TACT_JOINT_REVOLUTE || body->type == TACT_JOINT_CONTINUOUS;
        if ((!turns && body->type != TACT_JOINT_PRISMATIC) || body->mimic) continue;
        if (tact_new_is_driven(&of->draft, body) || tact_new_is_led(&of->draft, body)) continue;
        bool bounded = body->effort > 0 && body->effort < 1e9;
        double stiffness = bounded ? body->effort / (turns ? BEND : SLIDE) : turns ? 1 : 100;
        tact_text_add(out, count++ > 0 ? ",\n    { \"joint\": " : "\n    { \"joint\": ");
        tact_text_print(out, "%s, \"stiffness\": %g", body->joint ? body->joint : body->name, tact_key_round(stiffness, 4));
        if (bounded) tact_text_print(out, ", \"force_limit\": %g", body->effort);
        tact_text_add(out, " }");
    }
    tact_text_add(out, count > 0 ? "\n  ],\n" : "],\n");
}

// Of the scene: the robot's file and the kind of the object, "leap_hand_right_sphere".
static void add_title(const plan *of, tact_text *out) {
    const char *slash = strrchr(of->robot, '/'), *base = slash ? slash + 1 : of->robot, *dot = strrchr(base, '.');
    char title[TACT_NAME_MAX];
    int size = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    snprintf(title, sizeof title, "%.*s_%s", size < 200 ? size : 200, base, tact_shape_type_names[of->object.type]);
    tact_text_add_json(out, title);
}

static void write_scene(const plan *of, const double rpy[3], tact_text *out) {
    const tact_new_object *object = &of->object;
    double q[7] = {round_six(of->place.position[0]),
                   round_six(of->place.position[1]),
                   round_six(of->place.position[2]),
                   (double)of->turn.w,
                   (double)of->turn.x,
                   (double)of->turn.y,
                   (double)of->turn.z};
    tact_text_add(out, "{\n  \"tact\": 1,\n  \"name\": ");
    add_title(of, out);
    tact_text_add(out, ",\n  \"law\": \"barrier\",\n  \"gravity\": [0, 0, -9.81],\n  "
                       "\"options\": { \"dt\": 0.01, \"kappa\": ");
    tact_text_print(out, "%g, \"anchor\": true, \"margin\": %g },\n  \"robots\": [ { \"file\": %s", of->kappa, of->margin,
                    of->robot);
    for (int i = 0; of->urdf && i < of->fit.nrule; i++) {
        tact_text_add(out, i > 0 ? ", " : ", \"fit\": [");
        tact_text_add_json(out, of->fit.rule[i]);
    }
    if (of->urdf) tact_text_add(out, "]");
    if (of->urdf && of->fit.density > 0) tact_text_add(out, ", \"density\": ");
    if (of->urdf && of->fit.density > 0) tact_text_add_number(out, of->fit.density);
    bool turned = rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0, moves = of->base != TACT_BASE_FIXED;
    if (turned || moves) tact_text_add(out, ", \"base\": { ");
    if (turned) tact_text_add(out, "\"rpy\": ");
    if (turned) tact_new_add_numbers(out, rpy, 3);
    if (moves) {
        tact_text_add(out, turned ? ", \"joint\": " : "\"joint\": ");
        tact_text_add_json(out, tact_base_joint_names[of->base]);
    }
    if (turned || moves) tact_text_add(out, " }");
    tact_text_print(out,
                    " } ],\n  \"bodies\": [\n    { \"name\": %s, \"parent\": \"world\", \"mass\": %g, \"inertia\": ", of->name,
                    object->mass);
    tact_new_add_numbers(out, object->inertia, 6);
    tact_text_print(out, ",\n      \"joint\": { \"name\": %s, \"type\": \"free\" } }\n  ],\n", of->name);
    add_shapes(of, out);
    add_pairs(of, out);
    if (of->urdf) add_drives(of, out);
    const tact_draft_keyframe *home = tact_new_find_home(&of->draft);
    tact_text_add(out, home ? "  \"state\": { \"keyframe\": \"home\", \"q\": { " : "  \"state\": { \"q\": { ");
    // joints begin at 0, or a twentieth of their range inside their limits
    for (int b = 0; of->urdf && b < of->draft.nbody; b++) {
        const tact_draft_body *body = &of->draft.bodies[b];
        double low = (double)body->lower, high = (double)body->upper, room = 0.05 * (high - low);
        if (!body->limited || body->mimic || (low <= 0 && high >= 0)) continue;
        if (tact_new_is_placed(home, body)) continue;
        tact_text_print(out, "%s: %g, ", body->joint ? body->joint : body->name,
                        tact_key_round(low > 0 ? low + fmin(room, 0.1) : high - fmin(room, 0.1), 4));
    }
    tact_text_add_json(out, of->name);
    tact_text_add(out, ": ");
    tact_new_add_numbers(out, q, 7);
    tact_text_add(out, " } },\n");
    if (tact_call_value(of->call, "--goal")) {
        // from where it lies about the vertical
        double half = of->angle * 3.14159265358979323846 / 360;
        tact_quat about = {(tact_real)cos(half), 0, 0, (tact_real)sin(half)}, to = tact_quat_multiply(about, of->turn);
        const double goal[4] = {(double)to.w, (double)to.x, (double)to.y, (double)to.z};
        tact_text_print(out, "  \"goal\": { \"body\": %s, \"position\": ", of->name);
        tact_new_add_numbers(out, q, 3);
        tact_text_add(out, ", \"orientation\": ");
        tact_new_add_numbers(out, goal, 4);
        tact_text_add(out, " },\n");
    }
    tact_text_add(out, "  \"command\": { \"mode\": \"fixed\", \"q\": {} }\n}\n");
}

// ---- trying it ----

static int say_no_memory(void) {
    tact_say("new: error: out of memory");
    return TACT_EXIT_NO_MEMORY;
}

static int open_text(const tact_text *text, const char *law, tact_world *world) {
    return text->failed ? say_no_memory() : tact_stage_parse_as(tact_text_source(text, "new scene"), law, world);
}

// Steps under a law from the start; *moved: how far the object went, and end (7) where to. False where a step did not converge or
// cannot be made.
static bool try_law(const tact_text *text, const char *law, double *moved, double end[7]) {
    tact_world world;
    bool good = true;
    if (open_text(text, law, &world) != TACT_EXIT_DONE) return false;
    const tact_model *model = &world.scene->model;
    const tact_real *q = world.state.q + model->body[tact_new_find_object(model)].q;
    const double from[3] = {(double)q[0], (double)q[1], (double)q[2]};
    double square = 0;
    for (int k = 0; k < STEPS && good; k++) good = tact_world_step(&world) == TACT_CONVERGED;
    for (int k = 0; k < 3; k++) square += ((double)q[k] - from[k]) * ((double)q[k] - from[k]);
    *moved = sqrt(square);
    for (int k = 0; k < 7; k++) end[k] = (double)q[k];
    tact_stage_close(&world);
    return good;
}

// An object that slides or tips into its place begins where it comes to rest. False where it goes off from there, or finds none.
static bool settle(plan *to, tact_text *text, double moved[2]) {
    const tact_new_place from = to->place;
    // what lies on faces settles, where corners may have to find others to stand on
    double most = to->faces ? to->form.half / 10 : to->form.half, end[2][7], before = INFINITY;
    to->turn = (tact_quat){1, 0, 0, 0};
    for (int k = 0; k < SETTLES; k++) {
        double way = 0;
        tact_text_clear(text);
        write_scene(to, from.rpy, text);
        if (!try_law(text, "barrier", &moved[0], end[0]) || !try_law(text, "rigid", &moved[1], end[1])) return false;
        for (int i = 0; i < 3; i++)
            way += (to->place.position[i] - from.position[i]) * (to->place.position[i] - from.position[i]);
        to->still = moved[0] <= STILL && moved[1] <= STILL;
        if (!(moved[0] <= most && moved[1] <= most && sqrt(way) <= most)) return false;
        // one that does not slow down rolls on
        if (to->still || fmax(moved[0], moved[1]) > 0.8 * before) return to->still;
        before = fmax(moved[0], moved[1]);
        // on from where the law led that moved it more: under the rigid law it lies without a gap
        const double *at = end[moved[1] > moved[0]];
        for (int i = 0; i < 3; i++) to->place.position[i] = at[i] + (i == 2 && moved[1] > moved[0] ? to->object.gap : 0);
        to->turn = (tact_quat){(tact_real)round_six(at[3]), (tact_real)round_six(at[4]), (tact_real)round_six(at[5]),
                               (tact_real)round_six(at[6])};
    }
    return true;
}

// Whether a box that stands on its corners is in a shape of the body between them.
static bool is_pierced(plan *to) {
    tact_text text = {0};
    tact_world world;
    double least = INFINITY;
    if (to->faces || to->object.type != TACT_SHAPE_BOX || strcmp(to->on, "table") == 0) return false;
    to->faces = true;
    write_scene(to, to->place.rpy, &text);
    to->faces = false;
    if (open_text(&text, "barrier", &world) == TACT_EXIT_DONE) {
        const tact_model *model = &world.scene->model;
        tact_kinematics_update(&world.work.kinematics, model, world.state.q);
        for (int i = 0; i < model->npair; i++) {
            // pairs of faces have slots for their vertices and edges
            const int *of = model->names->slot_of, a = model->pair[i].a, b = model->pair[i].b;
            bool slots = of && (of[a] >= 0 || of[b] >= 0);
            if (slots) least = fmin(least, (double)tact_contact_gap(model, &world.work.kinematics, i));
        }
        tact_stage_close(&world);
    }
    tact_text_free(&text);
    return least < 0;
}

// The first of the places from which the object stays where it is under both laws, and the scene's text; NULL: none.
static const tact_new_place *choose_place(plan *to, const tact_new_place *places, int count, tact_text *text, double moved[2]) {
    const tact_new_place *creeps = NULL;
    // a place behind the fingers is none as long as there is one before them
    for (int i = 0; i < count && !(creeps && places[i].behind && !creeps->behind); i++) {
        to->place = places[i];
        to->turn = (tact_quat){1, 0, 0, 0};
        tact_text_clear(text);
        write_scene(to, places[i].rpy, text);
        if (is_pierced(to) || !settle(to, text, moved)) continue;
        if (to->still) return &places[i];
        if (!creeps) creeps = &places[i];
    }
    // none where it lies still: the first where it stays near
    if (creeps) {
        to->place = *creeps;
        settle(to, text, moved);
    }
    return creeps;
}

// The names of the robot's bodies, as many as a line holds.
static void list_bodies(const plan *of, char *list, size_t size) {
    size_t used = 0;
    for (int b = 0; b < tact_new_find_object(of->model) && used < LISTED; b++)
        used += (size_t)snprintf(list + used, size - used, "%s%.60s", b > 0 ? ", " : "", of->model->names->body[b]);
    if (used >= LISTED) snprintf(list + used, size - used, ", ...");
}

static int find_body(const plan *of, int *body) {
    tact_nearest nearest = {.word = of->on};
    const char *holds = NULL;
    char list[LISTED + 80] = "";
    for (int b = 0; b < tact_new_find_object(of->model); b++) {
        const char *name = of->model->names->body[b];
        *body = b;
        if (strcmp(name, of->on) == 0) return TACT_EXIT_DONE;
        tact_nearest_try(&nearest, name);
        if (!holds && strstr(name, of->on)) holds = name;
    }
    tact_nearest_try(&nearest, "table");
    if (!nearest.best) nearest.best = holds;
    list_bodies(of, list, sizeof list);
    tact_say("new: error: --on: no body %s in %s%s (there are: table, %s)", tact_quote(of->on).text, tact_quote(of->robot).text,
             nearest.best ? tact_nearest_hint(&nearest).text : "", list);
    return TACT_EXIT_REFUSED;
}

// A robot's file may bring a scene's object along, which would have no pairs and fall. The exit code.
static int refuse_loose(const plan *of) {
    const tact_model *model = of->model;
    for (int b = 0; b < tact_new_find_object(model); b++) {
        bool drives = false;
        for (int v = 0; v < model->nv; v++)
            for (int a = model->dof[v].body; a >= 0 && model->dof[v].u >= 0; a = model->body[a].parent) drives = drives || a == b;
        if (model->body[b].joint != TACT_JOINT_FREE || drives) continue;
        tact_say(
            "new: error: %s has a body of its own that nothing holds, %s: take a file of the robot alone, or that body out of it",
            tact_quote(of->robot).text, tact_quote(model->names->body[b]).text);
        return TACT_EXIT_REFUSED;
    }
    return TACT_EXIT_DONE;
}

// Whether what carries the object has spheres and the like only.
static bool is_round(const plan *of) {
    for (int s = 0; s < of->model->nshape; s++) {
        const tact_shape *shape = &of->model->shape[s];
        bool flat = is_flat(shape->type) || shape->type == TACT_SHAPE_CYLINDER;
        if (flat && shape->body >= 0 && tact_new_weld(of->model, shape->body) == of->weld) return false;
    }
    return true;
}

// Why there is no place, by what was seen at those that were looked at.
static void say_no_place(const plan *of, bool table) {
    const tact_new_why *why = &of->why;
    if (of->rested > 0)
        tact_say("new: error: there is no place on %s at which the object stays: it moved off within %d steps from all %d "
                 "at which it rests: another --on, or a flatter object",
                 tact_quote(of->on).text, STEPS, of->rested);
    else if (table)
        tact_say("new: error: there is no place on the table near the robot: --above 0.1 leaves more room, --base-rpy turns it");
    else
        tact_say("new: error: there is no place on %s at which the object rests: of %d that were looked at %d meet another body "
                 "first, at %d too few points of it are under the object, %d are beside it: %s",
                 tact_quote(of->on).text, why->tried, why->elsewhere, why->unsteady, why->missed,
                 is_round(of) ? "its shapes are round, and nothing rests there: --on table has the object beside the robot"
                              : "another --on, a smaller object or --fit box");
}

// One search with the pairs of to->faces. Returns an exit code; *found: a place was chosen, *behind: where no fingers close.
static int search_place(plan *to, int body, tact_text *text, double moved[2], bool *found, bool *behind) {
    const bool table = strcmp(to->on, "table") == 0;
    tact_new_place places[TACT_NEW_PLACES];
    tact_new_why why = {0};
    tact_world search;
    to->searching = true;
    to->turn = (tact_quat){1, 0, 0, 0};
    // the object is out of the way while places are looked for
    to->place.position[2] = 100;
    tact_text_clear(text);
    write_scene(to, to->rpy, text);
    int code = open_text(text, "barrier", &search);
    if (code != TACT_EXIT_DONE) return code;
    to->bare = search.scene->model.npair == 0 && !table;
    int count = table ? tact_new_place_on_table(&search, &to->object, to->form.half, to->above, places)
                      : tact_new_place_on_body(&search, &to->object, to->form.half, body, places, &why);
    for (int k = 0; k < 3 && count > 0 && table; k++) places[0].rpy[k] = to->rpy[k];
    tact_stage_close(&search);
    to->searching = false;
    const tact_new_place *chosen = choose_place(to, places, count, text, moved);
    *found = chosen != NULL;
    *behind = chosen && chosen->behind;
    if (!to->faces || table) to->why = why;
    if (!to->faces || table) to->rested = count;
    return TACT_EXIT_DONE;
}

// The exit code; the scene's text where it is TACT_EXIT_DONE.
static int make_scene(plan *to, tact_text *text) {
    const bool table = strcmp(to->on, "table") == 0;
    tact_world robot;
    int body = -1;
    double moved[2] = {0, 0};
    // The robot with the object far above it, for its names and shapes; then with pairs, for their gaps.
    to->place.position[2] = 100;
    to->searching = true;
    write_scene(to, to->rpy, text);
    int code = tact_stage_parse_own(to->call, tact_text_source(text, "new scene"), &robot);
    if (code != TACT_EXIT_DONE) return code;
    to->model = &robot.scene->model;
    if (to->model->nu == 0) {
        tact_say("new: error: %s has no drives, which a robot file lists under \"drives\"", tact_quote(to->robot).text);
        code = TACT_EXIT_REFUSED;
    }
    if (code == TACT_EXIT_DONE) code = refuse_loose(to);
    if (code == TACT_EXIT_DONE && !table) code = find_body(to, &body);
    if (code == TACT_EXIT_DONE && !table) to->weld = tact_new_weld(to->model, body);
    // Beside a table fingers may be narrower than a box, and meet its faces between its corners.
    to->faces = table && to->object.type == TACT_SHAPE_BOX;
    // A box lies on a ridge narrower than itself by its faces, and its corners beside it: these pairs cost time, and come second.
    // Beside a table it is the other way round.
    bool found = false, behind = false;
    if (code == TACT_EXIT_DONE) code = search_place(to, body, text, moved, &found, &behind);
    if (code == TACT_EXIT_DONE && (!found || behind) && !to->bare && to->object.type == TACT_SHAPE_BOX) {
        const bool before = found;
        to->faces = !to->faces;
        code = search_place(to, body, text, moved, &found, &behind);
        if (code == TACT_EXIT_DONE && before && (!found || behind)) {
            to->faces = !to->faces;
            code = search_place(to, body, text, moved, &found, &behind);
        }
    }
    if (code == TACT_EXIT_DONE && !found) {
        if (to->bare)
            tact_say("new: error: the robot has no shapes to touch the object: --fit makes them of collision meshes");
        else
            say_no_place(to, table);
        code = TACT_EXIT_REFUSED;
    }
    for (int s = 0; code == TACT_EXIT_DONE && s < to->model->nshape; s++)
        if (passes(to, &to->model->shape[s]))
            tact_say("new: warning: %s of the robot, a %s, does not touch the hull of a mesh",
                     tact_quote(to->model->names->shape[s]).text, tact_shape_type_names[to->model->shape[s].type]);
    if (code == TACT_EXIT_DONE && behind)
        tact_say("new: warning: the fingers close on the other side of %s, where the object finds no place",
                 tact_quote(to->on).text);
    if (code == TACT_EXIT_DONE) {
        tact_say("new: object of %s kg on %s at %s, %s, %s m; base turned by rpy %s, %s, %s",
                 tact_number_print(to->object.mass).text, tact_quote(to->on).text,
                 tact_number_print(tact_key_round(to->place.position[0], 4)).text,
                 tact_number_print(tact_key_round(to->place.position[1], 4)).text,
                 tact_number_print(tact_key_round(to->place.position[2], 4)).text,
                 tact_number_print(tact_key_round(to->place.rpy[0], 4)).text,
                 tact_number_print(tact_key_round(to->place.rpy[1], 4)).text,
                 tact_number_print(tact_key_round(to->place.rpy[2], 4)).text);
        tact_say("new: kappa %s 1/J: the object rests at a gap of %s m; margin %s m", tact_number_print(to->kappa).text,
                 tact_number_print(tact_key_round(to->object.gap, 3)).text, tact_number_print(to->margin).text);
        if (!to->still)
            tact_say("new: warning: the object does not lie still, it slides or rolls on: another --on, or a flatter object");
        tact_say("new: %d steps converged under barrier and under rigid; the object moved %s m and %s m", STEPS,
                 tact_number_print(tact_key_round(moved[0], 3)).text, tact_number_print(tact_key_round(moved[1], 3)).text);
    }
    tact_stage_close(&robot);
    return code;
}

static int write_file(plan *of, tact_text *text) {
    const char *path = tact_call_value(of->call, "-o");
    tact_output output;
    of->errors = (tact_errors){0};
    if (!path) path = "-";
    if (!tact_scene_move_files(text, "-", path, &of->errors)) return tact_say_errors(&of->errors);
    if (!tact_guard_open(&output, path, &of->errors)) return tact_say_errors(&of->errors);
    tact_text_add_bytes(&output.text, text->bytes, text->size);
    return tact_guard_finish(&output, &of->errors) ? TACT_EXIT_DONE : tact_say_errors(&of->errors);
}

// How the robot stands over a table: --base-rpy and --above.
static int read_pose(plan *to) {
    const char *rpy = tact_call_value(to->call, "--base-rpy"), *above = tact_call_value(to->call, "--above");
    bool table = strcmp(to->on, "table") == 0;
    if ((rpy || above) && !table)
        return tact_say_usage(to->call->command, "%s: with --on table only; on a body the base is turned so that it carries",
                              rpy ? "--base-rpy" : "--above");
    if (rpy && (!tact_new_read_three(rpy, to->rpy) || !(fabs(to->rpy[0]) + fabs(to->rpy[1]) + fabs(to->rpy[2]) <= 20)))
        return tact_say_usage(to->call->command, "--base-rpy: must be roll,pitch,yaw in radians, as 3.1416,0,0 (found %s)",
                              tact_quote(rpy).text);
    if (tact_call_value(to->call, "--turn") && !tact_call_value(to->call, "--goal"))
        return tact_say_usage(to->call->command, "--turn: only with --goal, whose angle it is");
    bool read = read_option(to, "--above", 1e-4, 10, 0.002, &to->above) && read_option(to, "--turn", -180, 180, 22.5, &to->angle);
    return read ? TACT_EXIT_DONE : TACT_EXIT_USAGE;
}

// Reads the robot with the rules there are. Returns an exit code.
static int read_draft(plan *to, tact_text *report) {
    tact_draft_free(&to->draft);
    tact_text_clear(report);
    to->errors = tact_stage_errors(to->call);
    to->draft = (tact_draft){.errors = &to->errors};
    to->fit.report = report;
    to->draft.fit = &to->fit;
    return tact_robot_read(&to->draft, to->robot) ? TACT_EXIT_DONE : tact_say_errors(&to->errors);
}

// The robot; where no --fit was given shapes of its own come before capsules that would cover them (words: "LINK=none" of each).
static int read_robot(plan *to, bool given, tact_text *words, tact_text *report) {
    const char *name[COVERING];
    size_t at[COVERING] = {0};
    int code = read_draft(to, report);
    int count = code == TACT_EXIT_DONE && !given ? tact_new_list_covering(&to->draft, name, COVERING) : 0;
    if (count == 0) return code;
    for (int i = 0; i < count; i++) {
        tact_say("new: collision meshes of %s left out: a capsule would cover shapes of the robot's own (--fit says otherwise)",
                 tact_quote(name[i]).text);
        at[i] = words->size;
        tact_text_add(words, name[i]);
        tact_text_add_bytes(words, "=none", sizeof "=none");
    }
    to->rules = tact_memory_get((size_t)(count + 1) * sizeof to->rules[0]);
    if (words->failed || !to->rules) return say_no_memory();
    for (int i = 0; i <= count; i++) to->rules[i] = i == 0 ? "capsule" : words->bytes + at[i - 1];
    to->fit.rule = to->rules;
    to->fit.nrule = count + 1;
    return read_draft(to, report);
}

static int run(const tact_call *call) {
    static const char *const capsules[] = {"capsule"};
    plan to = {
        .turn = {1, 0, 0, 0}, .call = call, .robot = tact_call_value(call, "--robot"), .on = tact_call_value(call, "--on")};
    const char *object = tact_call_value(call, "--object");
    tact_text text = {0}, report = {0}, words = {0};
    if (!to.on) to.on = "table";
    if (!to.robot || !object) return tact_say_usage(call->command, "%s is missing", to.robot ? "--object" : "--robot");
    int code = tact_call_fit(call, &to.fit, &to.rules);
    bool given = to.fit.nrule > 0;
    if (!given) {
        to.fit.rule = capsules;
        to.fit.nrule = 1;
    }
    if (code == TACT_EXIT_DONE) code = tact_call_base(call, &to.base);
    if (code == TACT_EXIT_DONE && to.base == TACT_BASE_FREE && strcmp(to.on, "table") != 0)
        code = tact_say_usage(call->command, "--base free: nothing holds the robot up; --on table, or --base driven");
    if (code == TACT_EXIT_DONE) code = read_pose(&to);
    if (code == TACT_EXIT_DONE) code = tact_new_read_object(call, object, &to.object, &to.form);
    if (code == TACT_EXIT_DONE) code = weigh_object(&to);
    to.urdf = tact_scene_is_urdf(to.robot);
    if (code == TACT_EXIT_DONE && to.urdf) {
        code = read_robot(&to, given, &words, &report);
        tact_say_lines(&report);
    }
    tact_new_choose_name(&to.draft, to.robot, to.urdf, to.name);
    if (code == TACT_EXIT_DONE) code = make_scene(&to, &text);
    if (code == TACT_EXIT_DONE) code = write_file(&to, &text);
    tact_draft_free(&to.draft);
    tact_draft_free(&to.form.draft);
    tact_memory_release(to.rules);
    tact_text_free(&text);
    tact_text_free(&report);
    tact_text_free(&words);
    return code;
}

static const tact_call_option options[] = {
    {"--robot", "FILE", "URDF, MJCF or a robot file"},
    {"--object", "OBJECT", "box:AxBxC, sphere:R, capsule:RxL, cylinder:RxL [m] or MESH:SCALE"},
    {"--on", "BODY", "the robot's body on which the object rests, or table"},
    {"--base-rpy", "R,P,Y", "how the robot's base is turned over a table [rad]"},
    {"--above", "M", "how far the robot is above the table (default 0.002)"},
    {"--object-density", "KG/M^3", "of the object (default 1000)"},
    {"--mu", "MU", "Coulomb friction of all pairs (default 0.5)"},
    {"--goal", NULL, "a goal for tact mpc: the object turned where it lies, about the vertical"},
    {"--turn", "DEGREES", "by so much (default 22.5)"},
    TACT_FIT_OPTIONS,
    TACT_BASE_OPTION,
    TACT_STAGE_URDF_OPTIONS,
    {"-o", "FILE", "instead of standard output"},
    {0}};

const tact_subcommand tact_new_command = {.name = "new",
                                          .operands = "--robot FILE --object OBJECT",
                                          .summary = "Writes a scene with a robot and an object that is ready to step.",
                                          .help = tact_new_help,
                                          .options = options,
                                          .least = 0,
                                          .most = 0,
                                          .run = run};
