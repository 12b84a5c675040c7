// SPDX-License-Identifier: MIT
// The text of the scene that tact new writes.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/new.h"
#include "app/reach.h"

// The gap at which the object rests in a plan, in sizes: there kappa gap = 2/force, so that a finger begins to push it early.
// Beside it "reach" keeps fingertips near what lies on the hand.
#define PLANNED 0.04

enum { LISTED = 300 };

static bool has_table(const tact_new_plan *of) {
    return !of->searching && strcmp(of->on, "table") == 0;
}

// What the spheres of a robot's capsule are called: as it, with a number, and as no shape of the robot is.
static void name_end(const tact_new_plan *of, const char *shape, int number, char name[400]) {
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

bool tact_new_is_flat(tact_shape_type type) {
    return type == TACT_SHAPE_BOX || type == TACT_SHAPE_HULL;
}

// Whether what carries the object has spheres and the like only.
bool tact_new_is_round(const tact_new_plan *of) {
    for (int s = 0; s < of->model->nshape; s++) {
        const tact_shape *shape = &of->model->shape[s];
        bool flat = tact_new_is_flat(shape->type) || shape->type == TACT_SHAPE_CYLINDER;
        if (flat && shape->body >= 0 && tact_new_weld(of->model, shape->body) == of->weld) return false;
    }
    return true;
}

// How many flat shapes the body has that carries the object.
int tact_new_count_flat(const tact_new_plan *of) {
    int count = 0;
    for (int s = 0; s < of->model->nshape; s++) {
        const tact_shape *shape = &of->model->shape[s];
        count += tact_new_is_flat(shape->type) && shape->body >= 0 && tact_new_weld(of->model, shape->body) == of->weld;
    }
    return count;
}

// Whether a name has a word between characters other than letters, as rh_palm has palm.
static bool has_word(const char *name, const char *word) {
    const size_t size = strlen(word);
    for (const char *at = strstr(name, word); at && size > 0; at = strstr(at + 1, word))
        if ((at == name || !isalpha((unsigned char)at[-1])) && !isalpha((unsigned char)at[size])) return true;
    return false;
}

int tact_new_find_body(tact_new_plan *of, int *body) {
    tact_nearest nearest = {.word = of->on};
    const char *holds = NULL;
    char list[LISTED + 80] = "";
    int count = 0;
    for (int b = 0; b < tact_new_find_object(of->model); b++) {
        const char *name = of->model->names->body[b];
        if (strcmp(name, of->on) == 0) {
            *body = b;
            return TACT_EXIT_DONE;
        }
        tact_nearest_try(&nearest, name);
        if (!holds && strstr(name, of->on)) holds = name;
        if (!has_word(name, of->on)) continue;
        *body = b;
        count++;
    }
    if (count == 1) {
        tact_say("new: --on %s: body %s", of->on, tact_quote(of->model->names->body[*body]).text);
        of->on = of->model->names->body[*body];
        return TACT_EXIT_DONE;
    }
    tact_nearest_try(&nearest, "table");
    if (!nearest.best) nearest.best = holds;
    // the bodies' names, as many as a line holds
    size_t used = 0;
    for (int b = 0; b < tact_new_find_object(of->model) && used < LISTED; b++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", b > 0 ? ", " : "", of->model->names->body[b]);
    if (used >= LISTED) snprintf(list + used, sizeof list - used, ", ...");
    tact_say("new: error: --on: no body %s in %s%s (there are: table, %s)", tact_quote(of->on).text, tact_quote(of->robot).text,
             nearest.best ? tact_nearest_hint(&nearest).text : "", list);
    if (!nearest.best) tact_say("new: an arm without a hand pushes what lies beside it: --on table, which is the default");
    return TACT_EXIT_REFUSED;
}

bool tact_new_passes(const tact_new_plan *of, const tact_shape *shape) {
    bool smooth = shape->type == TACT_SHAPE_CYLINDER || shape->type == TACT_SHAPE_ELLIPSOID;
    return of->object.type == TACT_SHAPE_HULL && smooth && !of->exact;
}

static bool needs_can(const tact_new_plan *of) {
    bool any = false;
    for (int s = 0; of->model && s < of->model->nshape; s++) {
        const tact_shape *shape = &of->model->shape[s];
        bool own = shape->body >= 0 && shape->body == tact_new_find_object(of->model);
        any = any || (!own && tact_new_is_flat(shape->type));
    }
    return any && of->object.type == TACT_SHAPE_CYLINDER;
}

// The robot's shape of a name, where its file was read; NULL: none.
static const tact_draft_shape *find_shape(const tact_new_plan *of, const char *name) {
    for (int i = 0; i < of->draft.nshape; i++)
        if (of->draft.shapes[i].name && strcmp(of->draft.shapes[i].name, name) == 0) return &of->draft.shapes[i];
    return NULL;
}

// Adds the shapes: the object's, the table, the balls of the robot's capsules and the guards.
static void add_shapes(const tact_new_plan *of, tact_text *out) {
    tact_text_add(out, "  \"shapes\": [\n");
    tact_new_add_shape(&of->object, &of->form, of->name, out);
    if (!of->exact) tact_new_add_touches(&of->object, of->name, out);
    if (!of->exact && needs_can(of)) tact_new_add_can(&of->object, of->name, out);
    if (has_table(of)) {
        tact_text_add(
            out, ",\n    { \"name\": \"table\", \"body\": \"world\", \"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": ");
        tact_text_print(out, "%g }", round_six(of->place.table));
    }
    // a capsule of the robot touches by its ends and its middle
    for (int s = 0; of->model && !of->exact && s < of->model->nshape; s++) {
        const tact_shape *shape = &of->model->shape[s];
        if (shape->type != TACT_SHAPE_CAPSULE || shape->body < 0 || shape->body == tact_new_find_object(of->model)) continue;
        for (int k = -1; k <= 1; k++) {
            tact_vec3 end = tact_pose_apply(shape->place, tact_vec3_make(0, 0, (tact_real)k * shape->size[1]));
            double at[3] = {round_six((double)end.x), round_six((double)end.y), round_six((double)end.z)};
            char name[400];
            name_end(of, of->model->names->shape[s], k + 2, name);
            const tact_draft_shape *own = find_shape(of, of->model->names->shape[s]);
            tact_new_add_sphere(out, name, of->model->names->body[shape->body], (double)shape->size[0], at, own);
        }
    }
    if (of->model && !of->searching) tact_new_add_guards(of->model, &of->guards, out);
    tact_text_add(out, "\n  ],\n");
}

static void add_pair(tact_text *out, int *count, const char *a, const char *b) {
    tact_text_print(out, "%-s%s, \"b\": %s }", (*count)++ > 0 ? ",\n    { \"a\": " : "\n    { \"a\": ", a, b);
}

// A shape with the object: by the object's spheres, or by the shape itself where it is one.
static void add_pairs_of(const tact_new_plan *of, const char *shape, bool ball, tact_text *out, int *count) {
    tact_text spheres = {0};
    int touches = tact_new_add_touches(&of->object, of->name, &spheres);
    tact_text_free(&spheres);
    if (ball || touches == 0 || of->exact) add_pair(out, count, shape, of->name);
    for (int i = 1; i <= touches && !ball && !of->exact; i++) {
        char name[32];
        tact_new_name_touch(&of->object, i, name);
        add_pair(out, count, shape, name);
    }
}

// Adds the pairs: the object and the robot with the table, the object with the robot, guards with each other.
static void add_pairs(const tact_new_plan *of, tact_text *out) {
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
        if (tact_new_passes(of, shape) || (shape->type == TACT_SHAPE_PLANE && strcmp(name, "table") == 0)) continue;
        bool near = strcmp(of->on, "table") == 0 || tact_new_weld(of->model, shape->body) == of->weld ||
                    (of->object.rough && tact_new_stands_on(of->model, shape->body, of->weld));
        if (!of->exact && tact_new_is_flat(shape->type) && of->object.type == TACT_SHAPE_CYLINDER)
            add_pair(out, &count, name, TACT_NEW_CAN);
        else if (!(of->object.rough && near && tact_new_is_flat(shape->type)))
            add_pairs_of(of, name, tact_shape_is_ball(shape->type), out, &count);
        if (of->faces && !of->exact && tact_new_is_flat(shape->type) && shape->body >= 0 && near)
            add_pair(out, &count, name, of->name);
        for (int k = 1; k <= 3 && !of->exact && shape->type == TACT_SHAPE_CAPSULE && shape->body >= 0 &&
                        of->object.type != TACT_SHAPE_SPHERE;
             k++) {
            char end[400];
            name_end(of, name, k, end);
            add_pairs_of(of, end, true, out, &count);
        }
    }
    for (int i = 0; i < of->guards.npair && !of->searching; i++) {
        char a[400], b[400];
        tact_new_name_guards(of->model, &of->guards, i, a, b);
        tact_text_print(out, "%-s%s, \"b\": %s, \"mu\": 0 }", count++ > 0 ? ",\n    { \"a\": " : "\n    { \"a\": ", a, b);
    }
    tact_text_add(out, count > 0 ? "\n  ],\n" : "],\n");
}

// Drives for the joints of a robot's description that have none.
static void add_drives(const tact_new_plan *of, tact_text *out) {
    tact_text_add(out, "  \"drives\": [");
    for (int i = of->given; i < of->draft.ndrive; i++) {
        const tact_draft_drive *drive = &of->draft.drives[i];
        tact_text_add(out, i > of->given ? ",\n    { \"joint\": " : "\n    { \"joint\": ");
        tact_text_print(out, "%s, \"stiffness\": %g", drive->joint, (double)drive->stiffness);
        if (drive->force_limit > 0) tact_text_print(out, ", \"force_limit\": %g", (double)drive->force_limit);
        tact_text_add(out, " }");
    }
    tact_text_add(out, of->draft.ndrive > of->given ? "\n  ],\n" : "],\n");
}

// The scene's name: the robot's file and the kind of the object, "leap_hand_right_sphere".
static void add_title(const tact_new_plan *of, tact_text *out) {
    const char *slash = strrchr(of->robot, '/'), *base = slash ? slash + 1 : of->robot, *dot = strrchr(base, '.');
    char title[TACT_NAME_MAX];
    int size = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    snprintf(title, sizeof title, "%.*s_%s", size < 200 ? size : 200, base, tact_shape_type_names[of->object.type]);
    tact_text_add_json(out, title);
}

static void add_start(const char *joint, double low, double high, tact_text *out) {
    double room = fmin(0.05 * (high - low), 0.1);
    tact_text_print(out, "%s: %g, ", joint, tact_key_round(low > 0 ? low + room : high - room, 4));
}

// The joints of a robot file that cannot begin at 0; what is wrong with the file is reported by the reader of the scene.
static void add_starts(const char *path, tact_text *out) {
    tact_errors errors = {0};
    tact_text text = {0};
    tact_json json;
    if (tact_text_read(&text, path, TACT_TEXT_LIMIT, &errors) && tact_json_read(&json, tact_text_source(&text, path), &errors)) {
        int bodies = tact_json_find(&json, 0, "bodies");
        for (int i = bodies >= 0 ? tact_json_first(&json, bodies) : -1; i >= 0; i = tact_json_after(&json, i)) {
            int joint = tact_json_find(&json, i, "joint"), limits = tact_json_find(&json, joint, "limits");
            int name = tact_json_find(&json, joint, "name");
            if (name < 0) name = tact_json_find(&json, i, "name");
            if (limits < 0 || tact_json_type(&json, limits) != TACT_JSON_ARRAY || tact_json_length(&json, limits) != 2) continue;
            int first = tact_json_first(&json, limits);
            double low = tact_json_value(&json, first), high = tact_json_value(&json, tact_json_after(&json, first));
            const char *word = name < 0 ? NULL : tact_json_get_string(&json, name, TACT_NAME_MAX);
            if (word && tact_json_find(&json, joint, "mimic") < 0 && (low > 0 || high < 0)) add_start(word, low, high, out);
        }
        tact_json_free(&json);
    }
    tact_text_free(&text);
}

// Its goal from where it lies at q, and how it is planned.
static void add_goal(const tact_new_plan *of, const double q[7], tact_text *out) {
    // from where it lies about the vertical
    double half = of->angle * 3.14159265358979323846 / 360;
    tact_quat about = {(tact_real)cos(half), 0, 0, (tact_real)sin(half)}, to = tact_quat_multiply(about, of->turn);
    const double goal[4] = {(double)to.w, (double)to.x, (double)to.y, (double)to.z};
    tact_text_print(out, "  \"goal\": { \"body\": %s, \"position\": ", of->name);
    tact_new_add_numbers(out, q, 3);
    tact_text_add(out, ", \"orientation\": ");
    tact_new_add_numbers(out, goal, 4);
    const bool table = strcmp(of->on, "table") == 0;
    const double planned = tact_key_round(of->kappa * of->object.gap / (PLANNED * of->form.least), 2);
    tact_text_add(out, " },\n");
    if (!table) tact_text_print(out, "  \"mpc\": { \"kappa\": %g, \"reach\": 10", planned);
    if (of->span > TACT_REACH_ARM) {
        const double lead = tact_key_round(TACT_REACH_LEAD(of->span), 2);
        tact_text_add(out, table ? "  \"mpc\": {" : ",");
        tact_text_print(out, " \"lead\": %g, \"trust\": %g, \"velocity\": %g, \"spread\": %g", lead, lead / 2,
                        tact_key_round(15 * lead, 3), tact_key_round(1.5 * lead, 3));
    }
    if (!table || of->span > TACT_REACH_ARM) tact_text_add(out, " },\n");
}

void tact_new_write(const tact_new_plan *of, const double rpy[3], tact_text *out) {
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
        tact_text_print(out, "%-s%s", i > 0 ? ", " : ", \"fit\": [", of->fit.rule[i]);
    }
    if (of->urdf) tact_text_add(out, "]");
    if (of->urdf && of->fit.density > 0) tact_text_add(out, ", \"density\": ");
    if (of->urdf && of->fit.density > 0) tact_text_add_number(out, of->fit.density);
    bool turned = rpy[0] != 0 || rpy[1] != 0 || rpy[2] != 0, moves = of->base != TACT_BASE_FIXED;
    if (turned || moves) tact_text_add(out, ", \"base\": { ");
    if (turned) tact_text_add(out, "\"rpy\": ");
    if (turned) tact_new_add_numbers(out, rpy, 3);
    if (moves) {
        tact_text_print(out, "%-s%s", turned ? ", \"joint\": " : "\"joint\": ", tact_base_joint_names[of->base]);
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
        double low = (double)body->lower, high = (double)body->upper;
        if (!body->limited || body->mimic || (low <= 0 && high >= 0)) continue;
        if (tact_new_is_placed(home, body)) continue;
        add_start(body->joint ? body->joint : body->name, low, high, out);
    }
    if (!of->urdf) add_starts(of->robot, out);
    tact_text_print(out, "%s: ", of->name);
    tact_new_add_numbers(out, q, 7);
    tact_text_add(out, " } },\n");
    if (tact_call_value(of->call, "--goal")) add_goal(of, q, out);
    if (of->grasp)
        tact_new_add_lift(of->model, of->grasp, out);
    else
        tact_text_add(out, "  \"command\": { \"mode\": \"fixed\", \"q\": {} }\n}\n");
}
