// SPDX-License-Identifier: MIT
// tact new: a scene with a robot and an object.
#include "app/new.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/fits.h"
#include "app/reach.h"

#define STILL 2e-3  // [m] in STEPS: a driven base sinks by half of that

enum { STEPS = 100, SETTLES = 5, SEEDS = 3, STEADY = 6, FLAT = 2 };

#define BESIDE 0.01  // how much farther from the fingers a steadier place may be [m]
#define GRAVITY 9.81
#define SHARE 0.01        // the gap at which the object rests, of its size
#define LEAST_SHARE 1e-4  // likewise, at the least
#define PI 3.14159265358979323846
#define SHARPEST 1e8  // a scene's kappa [1/J]
#define NEAR 0.01     // margin of a hand that closes about an object [m]
#define OVER 0.03     // of a hand over the object that it lifts [m]

enum { COVERING = 64 };

// ---- what is asked for ----

// How the barrier bears the weight: n contacts share it, and the gap is 2 n/(m g kappa) = share of the size.
static void set_sharpness(tact_new_plan *to, double share) {
    const double force = to->object.mass * GRAVITY / to->form.contacts;
    to->kappa = tact_key_round(2 / (force * share * to->form.least), 2);
    to->object.gap = 2 / (force * to->kappa);
}

// Mass, inertia and sharpness.
static int weigh_object(tact_new_plan *to) {
    tact_new_object *object = &to->object;
    if (!tact_call_number(to->call, "--object-density", 1e-3, 1e5, 1000, &to->density)) return TACT_EXIT_USAGE;
    if (!tact_call_number(to->call, "--mu", 0, 10, 0.5, &to->mu)) return TACT_EXIT_USAGE;
    int code = tact_new_weigh(to->call, to->density, object, &to->form);
    if (code != TACT_EXIT_DONE) return code;
    set_sharpness(to, SHARE);
    if (!(to->kappa >= 1 && to->kappa <= SHARPEST))
        return tact_say_usage(
            to->call->command,
            "--object: %s kg, too %s for the barrier law: lengths are in metres (of a mesh in other units: MESH:SCALE)",
            tact_number_print(object->mass).text, to->kappa < 1 ? "heavy" : "light");
    to->margin = tact_key_round(fmax(0.01, 0.5 * to->form.least), 2);
    return TACT_EXIT_DONE;
}

// ---- trying it ----

static int open_text(const tact_text *text, const char *law, tact_world *world) {
    return text->failed ? tact_say_no_memory("new: ") : tact_stage_parse_as(tact_text_source(text, "new scene"), law, world);
}

static void close_trials(tact_new_plan *to) {
    for (int k = 0; k < 3; k++)
        if (to->tried[k]) tact_stage_close(&to->trial[k]);
    memset(to->tried, 0, sizeof to->tried);
}

// The scene under barrier (0), rigid (1), or barrier with the faces of a box (2), the object at its place; NULL after an error.
// Places with the base turned alike differ by that only, and the robot is read once for all of them.
static tact_world *open_trial(tact_new_plan *to, int number) {
    tact_world *world = &to->trial[number];
    const bool faces = to->faces;
    for (int k = 0; k < 3; k++)
        if (to->tried_rpy[k] != to->place.rpy[k]) close_trials(to);
    memcpy(to->tried_rpy, to->place.rpy, sizeof to->tried_rpy);
    if (!to->tried[number]) {
        tact_text text = {0};
        to->faces = faces || number == 2;
        tact_new_write(to, to->place.rpy, &text);
        to->faces = faces;
        to->tried[number] = open_text(&text, number == 1 ? "rigid" : "barrier", world) == TACT_EXIT_DONE;
        tact_text_free(&text);
        if (!to->tried[number]) return NULL;
    }
    const tact_model *model = &world->scene->model;
    const tact_quat turn = tact_quat_normalize(to->turn);
    tact_state_reset(&world->state, model);
    tact_real *q = world->state.q + model->body[tact_new_find_object(model)].q;
    for (int k = 0; k < 3; k++) q[k] = (tact_real)round_six(to->place.position[k]);
    q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
    return world;
}

// Steps from the place; *moved: how far the object went, and end (7) where to. False where a step did not converge or cannot be
// made.
static bool try_law(tact_new_plan *to, int law, double *moved, double end[7]) {
    tact_world *world = open_trial(to, law);
    if (!world) return false;
    const tact_model *model = &world->scene->model;
    const tact_real *q = world->state.q + model->body[tact_new_find_object(model)].q;
    const double from[3] = {(double)q[0], (double)q[1], (double)q[2]};
    const tact_quat back = {q[3], -q[4], -q[5], -q[6]};
    double square = 0;
    bool good = true;
    int solved = 0;
    for (int k = 0; k < STEPS && good; k++) {
        good = tact_world_step(world) == TACT_CONVERGED;
        solved += world->work.iterations > 0;
    }
    if (law == 1) to->restless = solved > STEPS / 2;
    for (int k = 0; k < 3; k++) square += ((double)q[k] - from[k]) * ((double)q[k] - from[k]);
    *moved = sqrt(square);
    // by the angle phi it turns: |vector part| = sin(phi / 2)
    const tact_quat by = tact_quat_multiply((tact_quat){q[3], q[4], q[5], q[6]}, back);
    const double x = (double)by.x, y = (double)by.y, z = (double)by.z;
    to->turned = fmax(to->turned, 2 * asin(fmin(1, sqrt(x * x + y * y + z * z))));
    for (int k = 0; k < 7; k++) end[k] = (double)q[k];
    return good;
}

// Raises the object out of what it overlaps where the scene begins: joints that gave way while it settled are back there.
static void clear_start(tact_new_plan *to) {
    double least = -1;
    for (int k = 0; k < SETTLES && least < 0; k++) {
        tact_world *world = open_trial(to, 0);
        if (!world) return;
        const tact_model *model = &world->scene->model;
        const int object = tact_new_find_object(model);
        tact_kinematics_update(&world->work.kinematics, model, world->state.q);
        least = 0;
        for (int i = 0; i < model->npair; i++)
            if (model->shape[model->pair[i].a].body == object || model->shape[model->pair[i].b].body == object)
                least = fmin(least, (double)tact_contact_gap(model, &world->work.kinematics, i));
        if (least < 0) to->place.position[2] += to->object.gap - least;
    }
}

// An object that slides or tips into its place begins where it comes to rest. False where it goes off from there, or finds none.
static bool settle(tact_new_plan *to, double moved[2]) {
    const tact_new_place from = to->place;
    // what lies on faces settles, where corners may have to find others to stand on
    double most = to->faces ? to->form.half / 10 : to->form.half, end[2][7], before = HUGE_VAL;
    for (int k = 0; k < SETTLES; k++) {
        double way = 0;
        to->turned = 0;
        if (!try_law(to, 0, &moved[0], end[0]) || !try_law(to, 1, &moved[1], end[1])) return false;
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
        clear_start(to);
    }
    return true;
}

// Whether a box that stands on its corners is in a shape of the body between them, turned by any of so many parts of half a turn
// about the vertical.
static bool is_pierced(tact_new_plan *to, int turns) {
    if (to->faces || to->exact || to->object.type != TACT_SHAPE_BOX || strcmp(to->on, "table") == 0) return false;
    tact_world *world = open_trial(to, 2);
    if (!world) return false;
    const tact_model *model = &world->scene->model;
    tact_real *q = world->state.q + model->body[tact_new_find_object(model)].q + 3;
    const tact_quat from = {q[0], q[1], q[2], q[3]};
    for (int k = 0; k < turns; k++) {
        const double half = PI / 2 * k / turns;
        const tact_quat about = {(tact_real)cos(half), 0, 0, (tact_real)sin(half)}, turn = tact_quat_multiply(about, from);
        q[0] = turn.w, q[1] = turn.x, q[2] = turn.y, q[3] = turn.z;
        tact_kinematics_update(&world->work.kinematics, model, world->state.q);
        for (int i = 0; i < model->npair; i++) {
            // pairs of faces have slots for their vertices and edges
            const int *of = model->names->slot_of, a = model->pair[i].a, b = model->pair[i].b;
            if (of && (of[a] >= 0 || of[b] >= 0) && tact_contact_gap(model, &world->work.kinematics, i) < 0) return true;
        }
    }
    return false;
}

static void report_place(void *context, int done, int total) {
    tact_new_plan *to = context;
    to->bar.total = total;
    tact_progress_show(&to->bar, done);
}

// Of the places from which the object stays where it is under both laws, STEADY at most that are about as near to the fingers as
// the first, the one where it settles with the least way of its points, and the scene's text; NULL: none.
static const tact_new_place *choose_place(tact_new_plan *to, const tact_new_place *places, int count, tact_text *text,
                                          double moved[2]) {
    const tact_new_place *creeps = NULL, *lies = NULL, *first = NULL;
    double least = HUGE_VAL;
    to->steady = 0;
    tact_progress_begin(&to->bar, count, !tact_call_value(to->call, "--quiet"));
    to->bar.what = "new: whether the object stays where it rests: place";
    // a place behind the fingers is none as long as there is one before them
    for (int i = 0; i < count && to->steady < STEADY && !(creeps && places[i].behind && !creeps->behind); i++) {
        if (first && (places[i].cost > first->cost + BESIDE || places[i].behind != first->behind)) break;
        to->place = places[i];
        to->turn = (tact_quat){1, 0, 0, 0};
        report_place(to, i, count);
        moved[0] = moved[1] = HUGE_VAL;
        if (is_pierced(to, 1)) continue;
        const bool stays = settle(to, moved);
        // of the places from which the object moves off, the one from which it moves least
        if (!stays && fmax(moved[0], moved[1]) < fmax(to->off[0], to->off[1])) memcpy(to->off, moved, sizeof to->off);
        if (!stays) continue;
        if (!creeps) creeps = &places[i];
        if (!to->still) continue;
        if (!first) first = &places[i];
        to->steady++;
        const double way = fmax(moved[0], moved[1]) + to->turned * to->form.size / 2;
        if (way >= least) continue;
        least = way;
        lies = &places[i];
    }
    tact_progress_end(&to->bar);
    // none where it lies still: the first where it stays near
    const tact_new_place *chosen = lies ? lies : creeps;
    if (chosen) {
        to->place = *chosen;
        to->turn = (tact_quat){1, 0, 0, 0};
        settle(to, moved);
    }
    close_trials(to);
    tact_text_clear(text);
    if (chosen) tact_new_write(to, to->place.rpy, text);
    return chosen;
}

// A robot's file may bring a scene's object along, which would have no pairs and fall, or its floor. The exit code.
static int refuse_loose(const tact_new_plan *of) {
    const tact_model *model = of->model;
    const char *body = NULL, *floor = NULL;
    for (int b = 0; b < tact_new_find_object(model) && !body; b++) {
        bool drives = model->body[b].joint != TACT_JOINT_FREE;
        for (int v = 0; v < model->nv; v++)
            for (int a = model->dof[v].body; a >= 0 && model->dof[v].u >= 0; a = model->body[a].parent) drives = drives || a == b;
        if (!drives) body = model->names->body[b];
    }
    for (int s = 0; s < model->nshape && strcmp(of->on, "table") == 0; s++)
        if (model->shape[s].type == TACT_SHAPE_PLANE && model->shape[s].body == TACT_WORLD) floor = model->names->shape[s];
    if (!body && !floor) return TACT_EXIT_DONE;
    tact_say("new: error: %s has a %s of its own %s, %s: take a file of the robot alone, or that %s out of it",
             tact_quote(of->robot).text, body ? "body" : "floor", body ? "that nothing holds" : "where the table would be",
             tact_quote(body ? body : floor).text, body ? "body" : "floor");
    return TACT_EXIT_REFUSED;
}

// Says why no place was found, from what happened at the places tried.
static void say_no_place(const tact_new_plan *of, bool table) {
    const tact_new_why *why = &of->why;
    char tilted[200] = "";
    // the commonest slope
    int tilt = 0;
    for (int k = 1; k <= 90; k++) tilt = why->tilt[k] > why->tilt[tilt] ? k : tilt;
    if (tilt > 0)
        snprintf(tilted, sizeof tilted, "; the body slopes by %d degrees there: turn the robot's base in its file to level it",
                 tilt);
    char way[120] = "";
    if (of->off[0] < HUGE_VAL)
        snprintf(way, sizeof way, ", by at least %s m under barrier and %s m under rigid", tact_rounded(of->off[0], 2).text,
                 tact_rounded(of->off[1], 2).text);
    if (of->rested > 0)
        tact_say("new: error: there is no place on %s at which the object stays: it moved off within %d steps from all %d "
                 "at which it rests%s%s: another --on, or a smaller or flatter object",
                 tact_quote(of->on).text, STEPS, of->rested, way, tilted);
    else if (table)
        tact_say("new: error: there is no place on the table near the robot: --above 0.1 leaves more room, --base-rpy turns it");
    else
        tact_say("new: error: there is no place on %s at which the object rests: of %d that were looked at %d meet another body "
                 "first, at %d too few points of it are under the object, %d are beside it%s: %s",
                 tact_quote(of->on).text, why->tried, why->elsewhere, why->unsteady, why->missed, tilted,
                 tact_new_is_round(of)
                     ? "its shapes are round, and nothing rests there: --on table has the object beside the robot"
                     : "another --on, a smaller object or --fit box");
}

// One search with the pairs of to->faces. Returns an exit code; *found: a place was chosen, *behind: where no fingers close.
static int search_place(tact_new_plan *to, int body, tact_text *text, double moved[2], bool *found, bool *behind) {
    const bool table = strcmp(to->on, "table") == 0;
    tact_new_place places[TACT_NEW_PLACES];
    tact_new_why why = {.report = report_place, .context = to};
    tact_world search;
    to->searching = true;
    to->turn = (tact_quat){1, 0, 0, 0};
    // the object is out of the way while places are looked for
    to->place.position[2] = 100;
    tact_text_clear(text);
    tact_new_write(to, to->rpy, text);
    int code = open_text(text, "barrier", &search);
    if (code != TACT_EXIT_DONE) return code;
    to->bare = search.scene->model.npair == 0 && !table;
    tact_progress_begin(&to->bar, 1, true);
    to->bar.what = "new: where the object rests: place";
    int count = table ? tact_new_place_on_table(&search, &to->object, to->form.half, to->above, places)
                      : tact_new_place_on_body(&search, &to->object, to->form.half, body, places, &why);
    for (int k = 0; k < 3 && count > 0 && table; k++) places[0].rpy[k] = to->rpy[k];
    tact_progress_end(&to->bar);
    tact_stage_close(&search);
    to->searching = false;
    const tact_new_place *chosen = choose_place(to, places, count, text, moved);
    *found = chosen != NULL;
    *behind = chosen && chosen->behind;
    if (!to->faces || table) to->why = why;
    if (!to->faces || table) to->rested = count;
    return TACT_EXIT_DONE;
}

// The search with the pairs that the object needs. The exit code; *found and *behind as of search_place.
static int place_object(tact_new_plan *to, int body, tact_text *text, double moved[2], bool *found, bool *behind) {
    // A box lies on a ridge narrower than itself by its faces, and its corners beside it: these pairs cost time, and come second.
    // Beside a table it is the other way round: fingers may be narrower than a box, and meet its faces between its corners.
    if (to->object.rough || to->object.turns) return search_place(to, body, text, moved, found, behind);
    to->faces = strcmp(to->on, "table") == 0 && to->object.type == TACT_SHAPE_BOX;
    int code = search_place(to, body, text, moved, found, behind);
    if (code != TACT_EXIT_DONE || (*found && !*behind) || to->bare || to->exact || to->object.type != TACT_SHAPE_BOX) return code;
    const bool before = *found;
    to->faces = !to->faces;
    code = search_place(to, body, text, moved, found, behind);
    if (code != TACT_EXIT_DONE || !before || (*found && !*behind)) return code;
    to->faces = !to->faces;
    return search_place(to, body, text, moved, found, behind);
}

// A coordinate, without what is rounding.
static tact_number_text print_coordinate(double x) {
    return tact_rounded(fabs(x) < 1e-9 ? 0 : x, 4);
}

// Prints the object, its place and the base's orientation that were chosen.
static void say_place(const tact_new_plan *of, const double moved[2], bool behind) {
    const double *at = of->place.position, *rpy = of->place.rpy;
    const char *passing = NULL;
    int passed = 0;
    for (int s = 0; s < of->model->nshape; s++)
        if (tact_new_passes(of, &of->model->shape[s])) passing = passed++ == 0 ? of->model->names->shape[s] : passing;
    if (passed > 0)
        tact_say("new: warning: %d cylinder%s of the robot (%s%s through the hull of a mesh: --contacts shapes has them touch",
                 passed, passed > 1 ? "s" : "", tact_quote(passing).text, passed > 1 ? ", ...) go" : ") goes");
    // the place, and how the barrier bears the object there
    if (behind)
        tact_say(
            "new: warning: the fingers close on the other side of %s, where the object finds no place: try a smaller object, or "
            "a higher --mu where it slides off",
            tact_quote(of->on).text);
    char surface[80] = "";
    if (strcmp(of->on, "table") == 0)
        snprintf(surface, sizeof surface, "; the table's surface is at z = %s m", print_coordinate(of->place.table).text);
    tact_say("new: object of %s kg %s %s at %s, %s, %s m; base turned by rpy %s, %s, %s%s",
             tact_number_print(of->object.mass).text, of->still ? "on" : "not at rest: it begins on", tact_quote(of->on).text,
             print_coordinate(at[0]).text, print_coordinate(at[1]).text, print_coordinate(at[2]).text,
             print_coordinate(rpy[0]).text, print_coordinate(rpy[1]).text, print_coordinate(rpy[2]).text, surface);
    if (of->steady > 1)
        tact_say("new: of %d resting places about equally near the fingers, the one where it settles least: its points move %s "
                 "m, and it turns by %s degrees",
                 of->steady, tact_rounded(fmax(moved[0], moved[1]) + of->turned * of->form.size / 2, 3).text,
                 tact_rounded(of->turned * 180 / PI, 2).text);
    if (of->object.rough)
        tact_say("new: an edge of %s comes between the corners of the box where it turns: its faces touch it",
                 tact_quote(of->on).text);
    tact_say("new: kappa %s 1/J: the object rests at a gap of %s m; margin %s m", tact_number_print(of->kappa).text,
             tact_rounded(of->object.gap, 3).text, tact_number_print(of->margin).text);
    // the robot's own friction beside --mu
    double least = HUGE_VAL, most = 0;
    int rubs = 0;
    for (int i = 0; i < of->draft.nshape; i++) {
        const double mu = (double)of->draft.shapes[i].mu;
        if (mu < 0) continue;
        least = fmin(least, mu), most = fmax(most, mu);
        rubs++;
    }
    char range[80];
    snprintf(range, sizeof range, "%s%s%s", tact_key_print((tact_real)least).text, most > least ? " to " : "",
             most > least ? tact_key_print((tact_real)most).text : "");
    if (rubs > 0)
        tact_say(
            "new: %d shape%s friction of the robot's own, %s: of two shapes that of the higher priority counts, else the larger; "
            "the others have %s (--mu)",
            rubs, rubs > 1 ? "s have" : " has", range, tact_number_print(of->mu).text);
    if (of->guards.npair > 0)
        tact_say("new: %d pairs of links keep fingers from passing through each other%s%s", of->guards.npair,
                 of->guards.palm > 0 ? " and the palm" : "",
                 of->guards.overlapping > 0 ? ", except links that overlap at the start or nearly always" : "");
    if (tact_call_value(of->call, "--goal") && of->span > TACT_REACH_ARM)
        tact_say("new: mpc.lead %s rad, with trust, velocity and spread in proportion: links of a robot of %s m go no farther "
                 "ahead than fingers do",
                 tact_rounded(TACT_REACH_LEAD(of->span), 2).text, tact_rounded(of->span, 2).text);
    if (!of->still)
        tact_say("new: warning: the object does not lie still but slides or rolls: try another --on, or a flatter object");
    tact_say("new: %d steps converged under barrier and under rigid; the object moved %s m and %s m", STEPS,
             tact_rounded(moved[0], 3).text, tact_rounded(moved[1], 3).text);
}

// Gives a box that lies on its corners pairs of its faces with the body's shapes, too, if it stays where it lies then: as the box
// is turned and moved, a corner or an edge of the body may meet a face. Faces are pushed by all that they pass, and need a
// sharper barrier.
static void add_faces(tact_new_plan *to, tact_text *text, double moved[2]) {
    const tact_new_plan lying = *to;
    const double before[2] = {moved[0], moved[1]};
    bool stays = false;
    to->object.rough = to->faces = true;
    for (double share = to->object.gap / to->form.least / 4; !stays && share > LEAST_SHARE && 4 * to->kappa <= SHARPEST;
         share /= 4) {
        to->place = lying.place;
        to->turn = lying.turn;
        set_sharpness(to, share);
        tact_text_clear(text);
        tact_new_write(to, to->place.rpy, text);
        stays = settle(to, moved) && to->still;
        close_trials(to);
    }
    if (!stays) {
        *to = lying;
        moved[0] = before[0], moved[1] = before[1];
    }
    tact_text_clear(text);
    tact_new_write(to, to->place.rpy, text);
}

// A place for the object as the robot's base is turned, and its report. The exit code.
static int make_place(tact_new_plan *to, int body, tact_text *text) {
    double moved[2] = {0, 0};
    bool found = false, behind = false, good = false;
    int code = TACT_EXIT_DONE;
    // A box that mpc turns on a body: all of its bottom is above a flat as long as its corners are. Where one of them leaves it,
    // or an edge comes between them, the corners do not feel that edge, and the box tips over it: its faces touch the body
    // instead, if it comes to rest on them: where it does not, every step of a plant is hard to solve. Last, the place where its
    // corners rest as it lies; without one, what was in the way is reported.
    enum { TURNED, FACES, LYING };
    const bool turns =
        tact_call_value(to->call, "--goal") && strcmp(to->on, "table") != 0 && to->object.type == TACT_SHAPE_BOX && !to->exact;
    for (int way = !turns                           ? LYING
                   : tact_new_count_flat(to) > FLAT ? FACES
                                                    : TURNED;
         way <= LYING && code == TACT_EXIT_DONE && !good; way++) {
        to->object.turns = way == TURNED;
        to->object.rough = to->faces = way == FACES;
        // Searches for a place with a sharper and sharper barrier: under the barrier law shapes beside the object push it from
        // afar with the force 2/(kappa gap), also from a place at which it lies still under the rigid law. Faces are pushed by
        // all that they pass.
        bool again = true;
        to->off[0] = to->off[1] = HUGE_VAL;
        for (double share = to->object.rough ? SHARE / 4 : SHARE; again && code == TACT_EXIT_DONE; share /= 4) {
            set_sharpness(to, share);
            code = place_object(to, body, text, moved, &found, &behind);
            again = !found && (to->rested > 0 || to->object.rough) && body >= 0 && share / 4 > LEAST_SHARE &&
                    4 * to->kappa <= SHARPEST;
        }
        good = found && to->still && !behind && !(way == TURNED && is_pierced(to, 16)) && !(way == FACES && to->restless);
        close_trials(to);
    }
    if (code != TACT_EXIT_DONE) return code;
    if (turns && good && !to->faces && tact_new_count_flat(to) > FLAT) add_faces(to, text, moved);
    const double share = to->object.gap / to->form.least;
    if (found && !to->object.rough && share < SHARE / 2)
        tact_say("new: a gap of %s %% of the object's size in place of %s %%: what is beside it pushed it from its place",
                 tact_rounded(100 * share, 2).text, tact_number_print(100 * SHARE).text);
    if (found)
        say_place(to, moved, behind);
    else if (to->bare)
        tact_say("new: error: the robot has no shapes to touch the object: --fit makes them of collision meshes");
    else
        say_no_place(to, strcmp(to->on, "table") == 0);
    return found ? TACT_EXIT_DONE : TACT_EXIT_REFUSED;
}

// A place with commands that lift the object: of the ways to turn the base so that the fingers look down the first with a grasp.
// world: the robot, its base not turned.
static int make_lift(tact_new_plan *to, tact_world *world, tact_text *text) {
    // a turn that the user gave is the only one that is tried
    const bool turned = tact_call_value(to->call, "--base-rpy") != NULL;
    bool any = false;
    int code = TACT_EXIT_REFUSED, choice = 0;
    // every turn with one seed, then with the next
    for (to->seed = 1; code == TACT_EXIT_REFUSED && to->seed <= SEEDS; choice++) {
        if (turned ? choice > 0 : !tact_new_look_down(world, choice, to->rpy)) {
            if (choice == 0) break;
            choice = -1;
            to->seed++;
            continue;
        }
        any = true;
        code = make_place(to, -1, text);
        if (!tact_call_value(to->call, "--quiet"))
            tact_say("new: a grasp is sought, attempt %d of seed %d of %d%s", choice + 1, to->seed, SEEDS,
                     turned ? "" : ": the base is turned another way in each attempt");
        if (code == TACT_EXIT_DONE) code = tact_new_seek_grasp(to, text);
    }
    if (!any)
        tact_say("new: error: --lift: no fingers that point down were found: turn the base with --base-rpy");
    else if (code == TACT_EXIT_REFUSED)
        tact_say(
            "new: error: --lift: no grasp found: --base-rpy turns the hand so that its fingers look down, a higher --mu or a "
            "smaller object is easier to hold");
    return code;
}

// Writes the scene's text. Returns the exit code.
static int make_scene(tact_new_plan *to, tact_text *text) {
    const bool table = strcmp(to->on, "table") == 0;
    tact_world robot;
    int body = -1;
    // The robot with the object far above it, for its names and shapes; then with pairs, for their gaps.
    to->place.position[2] = 100;
    to->searching = true;
    tact_new_write(to, to->rpy, text);
    int code = tact_stage_parse_own(to->call, tact_text_source(text, "new scene"), &robot);
    if (code != TACT_EXIT_DONE) return code;
    to->model = &robot.scene->model;
    if (to->model->nu == 0) {
        tact_say("new: error: %s has no drives, which a robot file lists under \"drives\": tact import --drives writes some",
                 tact_quote(to->robot).text);
        code = TACT_EXIT_REFUSED;
    }
    if (code == TACT_EXIT_DONE) code = refuse_loose(to);
    if (code == TACT_EXIT_DONE) to->span = tact_reach_span(&robot, tact_new_find_object(to->model));
    if (code == TACT_EXIT_DONE) tact_new_doubt_robot(to);
    if (code == TACT_EXIT_DONE && !table) code = tact_new_find_body(to, &body);
    if (code == TACT_EXIT_DONE && !table) to->weld = tact_new_weld(to->model, body);
    if (code == TACT_EXIT_DONE && !tact_call_value(to->call, "--no-guards") && !tact_new_find_guards(&robot, &to->guards))
        code = tact_say_no_memory("new: ");
    if (code == TACT_EXIT_DONE) code = to->lift > 0 ? make_lift(to, &robot, text) : make_place(to, body, text);
    tact_stage_close(&robot);
    return code;
}

static int write_file(tact_new_plan *of, tact_text *text) {
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
static int read_pose(tact_new_plan *to) {
    const char *rpy = tact_call_value(to->call, "--base-rpy"), *above = tact_call_value(to->call, "--above");
    bool table = strcmp(to->on, "table") == 0;
    if ((rpy || above) && !table)
        return tact_say_usage(to->call->command, "%s: with --on table only; on a body the base is turned so that it carries",
                              rpy ? "--base-rpy" : "--above");
    if (rpy && (!tact_new_read_three(rpy, to->rpy) || !(fabs(to->rpy[0]) + fabs(to->rpy[1]) + fabs(to->rpy[2]) <= 20)))
        return tact_say_usage(to->call->command, "--base-rpy: must be roll,pitch,yaw in radians, as 3.1416,0,0 (found %s)",
                              tact_quote(rpy).text);
    if (tact_call_value(to->call, "--turn") && !tact_call_value(to->call, "--goal"))
        return tact_say_usage(to->call->command, "--turn: only with --goal: it is the goal's angle");
    bool read = tact_call_number(to->call, "--lift", 0.005, 1, 0, &to->lift);
    // a hand that lifts an object begins over it
    double room = to->lift > 0 ? tact_key_round(2 * to->form.half + OVER, 3) : 0.002;
    read = read && tact_call_number(to->call, "--above", -10, 10, room, &to->above) &&
           tact_call_number(to->call, "--turn", -180, 180, 22.5, &to->angle);
    if (read && to->lift > 0 && !table) return tact_say_usage(to->call->command, "--lift: with --on table only");
    if (read && to->lift > 0 && tact_call_value(to->call, "--base") && to->base != TACT_BASE_DRIVEN)
        return tact_say_usage(to->call->command, "--lift: %s: --lift needs --base driven, which is its default",
                              to->base == TACT_BASE_FREE ? "nothing holds a free base" : "a fixed base does not rise");
    if (read && to->lift > 0) to->base = TACT_BASE_DRIVEN;
    // contacts are those of closed fingers: more of them would cost time
    if (read && to->lift > 0) to->margin = fmin(to->margin, NEAR);
    return read ? TACT_EXIT_DONE : TACT_EXIT_USAGE;
}

// Reads the robot with the rules there are. Returns an exit code.
static int read_draft(tact_new_plan *to, tact_text *report) {
    tact_draft_free(&to->draft);
    tact_text_clear(report);
    to->errors = tact_stage_errors(to->call);
    to->draft = (tact_draft){.errors = &to->errors};
    to->fit.report = report;
    to->draft.fit = &to->fit;
    if (tact_robot_read(&to->draft, to->robot)) (void)tact_draft_suspect(&to->draft);
    return tact_say_errors(&to->errors);
}

// The robot; where no --fit was given shapes of its own come before capsules that would cover them (words: "LINK=none" of each).
static int read_robot(tact_new_plan *to, bool given, tact_text *words, tact_text *report) {
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
    tact_memory_release(to->rules);
    to->rules = tact_memory_get((size_t)(count + 1) * sizeof to->rules[0]);
    if (words->failed || !to->rules) return tact_say_no_memory("new: ");
    for (int i = 0; i <= count; i++) to->rules[i] = i == 0 ? "capsule" : words->bytes + at[i - 1];
    to->fit.rule = to->rules;
    to->fit.nrule = count + 1;
    return read_draft(to, report);
}

// Makes a scene of a robot and an object: reads the choices, the object and the robot, then writes the scene file; each stage
// runs only if those before it succeeded.
static int run(const tact_call *call) {
    static const char *const capsules[] = {"capsule"};
    tact_new_plan to = {
        .turn = {1, 0, 0, 0}, .call = call, .robot = tact_call_value(call, "--robot"), .on = tact_call_value(call, "--on")};
    const char *object = tact_call_value(call, "--object");
    tact_text text = {0}, report = {0}, words = {0}, file = {0};
    tact_json json = {0};
    if (!to.on) to.on = "table";
    const char *contacts = tact_call_value(call, "--contacts");
    to.exact = contacts && strcmp(contacts, "shapes") == 0;
    if (contacts && !to.exact && strcmp(contacts, "spheres") != 0)
        return tact_say_usage(call->command, "--contacts: must be spheres or shapes (found %s)", tact_quote(contacts).text);
    if (!to.robot || !object) return tact_say_usage(call->command, "%s is missing", to.robot ? "--object" : "--robot");
    int code = tact_call_fit(call, NULL, &to.fit, &to.rules);
    bool given = to.fit.nrule > 0;
    if (!given) {
        to.fit.rule = capsules;
        to.fit.nrule = 1;
    }
    if (code == TACT_EXIT_DONE) code = tact_call_base(call, &to.base);
    if (code == TACT_EXIT_DONE && to.base == TACT_BASE_FREE && strcmp(to.on, "table") != 0)
        code = tact_say_usage(call->command, "--base free: nothing holds the robot up; --on table, or --base driven");
    if (code == TACT_EXIT_DONE) code = tact_new_read_object(call, object, &to.object, &to.form);
    if (code == TACT_EXIT_DONE) code = weigh_object(&to);
    if (code == TACT_EXIT_DONE) code = read_pose(&to);
    if (code == TACT_EXIT_DONE) tact_new_doubt_numbers(&to);
    to.urdf = tact_scene_is_urdf(to.robot);
    if (code == TACT_EXIT_DONE && to.urdf) {
        code = read_robot(&to, given, &words, &report);
        to.given = to.draft.ndrive;
        if (code == TACT_EXIT_DONE && !tact_robot_drive(&to.draft)) code = tact_say_no_memory("new: ");
        tact_say_lines(&report);
    }
    // of a robot file the friction of its shapes; what is wrong with it is reported where the scene is read
    to.errors = (tact_errors){0};
    if (!to.urdf) to.draft = (tact_draft){.errors = &to.errors};
    if (code == TACT_EXIT_DONE && !to.urdf) tact_robot_read_shapes(&to.draft, to.robot, &json, &file);
    tact_new_choose_name(&to.draft, to.robot, to.urdf, to.name);
    if (code == TACT_EXIT_DONE) code = make_scene(&to, &text);
    if (code == TACT_EXIT_DONE) code = write_file(&to, &text);
    close_trials(&to);
    tact_draft_free(&to.draft);
    tact_draft_free(&to.form.draft);
    tact_json_free(&json);
    tact_text_free(&file);
    tact_new_free_guards(&to.guards);
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
    {"--above", "M", "how far the robot's lowest shape is above the table (default 0.002)"},
    {"--object-density", "KG/M^3", "of the object (default 1000)"},
    {"--mu", "MU", "Coulomb friction of shapes that have none of their own (default 0.5)"},
    {"--goal", NULL, "a goal for tact mpc: the object turned where it lies, about the vertical"},
    {"--turn", "DEGREES", "by so much (default 22.5); the tolerance of a goal is 14 degrees"},
    {"--contacts", "KIND", "spheres (default, fast) or shapes: links and object touch by all of their surface"},
    {"--lift", "M", "commands that grasp the object and lift it so far; the base is driven"},
    {"--no-guards", NULL, "fingers may pass through each other: no pairs between them"},
    TACT_FIT_OPTIONS("hull or none"),
    TACT_BASE_OPTION,
    TACT_STAGE_URDF_OPTIONS,
    {"--quiet", NULL, "no progress"},
    {"-o", "FILE", "instead of standard output"},
    {0}};

const tact_subcommand tact_new_command = {.name = "new",
                                          .operands = "--robot FILE --object OBJECT",
                                          .summary = "Writes a scene with a robot and an object that is ready to step.",
                                          .help = tact_new_help,
                                          .options = options,
                                          .run = run};
