// SPDX-License-Identifier: MIT
// What a goal asks for beyond the pose of its body: the list "terms", and all of it as residuals of a plan.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "scene/build.h"

enum { TERM_RESIDUALS = 2 };

// weights and tolerances of terms that say none
#define TERM_LENGTH_WEIGHT TACT_REAL(1e4)
#define TERM_JOINT_WEIGHT TACT_REAL(100)
#define TERM_FORCE_WEIGHT TACT_REAL(1)
#define TERM_LENGTH_TOLERANCE TACT_REAL(0.002)
#define TERM_JOINT_TOLERANCE TACT_REAL(0.02)
#define TERM_FORCE_TOLERANCE TACT_REAL(0.1)

// what the table fills; NAN: not given
typedef struct {
    const char *body, *joint, *a, *b;
    tact_real point[3], position[3], orientation[4];
    tact_real value, least, most, slip, weight, angle_weight, tolerance, angle_tolerance, time, until;
} term_entry;

#define TERM(field) offsetof(term_entry, field)
#define TERM_NUMBER(key, field, low, high) \
    .name = (key), .kind = TACT_KEY_NUMBER, .offset = TERM(field), .range = TACT_RANGE_WITHIN(low, high)

const tact_key tact_scene_term_keys[] = {
    TACT_ROW(NAME, "body", .offset = TERM(body), .meaning = "with \"position\", \"orientation\" or both"),
    TACT_ROW(VECTOR, "point", .count = 3, .offset = TERM(point), .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH,
             .fallback = "its origin", .meaning = "of the body, in its frame [m]"),
    TACT_ROW(VECTOR, "position", .count = 3, .offset = TERM(position), .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH,
             .meaning = "wanted of the point, in the world [m]"),
    TACT_ROW(VECTOR, "orientation", .count = 4, .offset = TERM(orientation), .range = TACT_RANGE_WITHIN(-2, 2),
             .meaning = "wanted of the body, in the world: quaternion w, x, y, z"),
    TACT_ROW(NAME, "joint", .offset = TERM(joint), .meaning = "with \"value\": a joint of one coordinate"),
    {TERM_NUMBER("value", value, -TACT_MOST_LENGTH, TACT_MOST_LENGTH), .meaning = "wanted of the joint [rad or m]"},
    TACT_ROW(NAME, "a", .offset = TERM(a), .meaning = "a shape, with \"b\": a pair of the scene (law \"barrier\")"),
    TACT_ROW(NAME, "b", .offset = TERM(b), .meaning = "the other shape, in either order"),
    {TERM_NUMBER("least", least, 0, 1e9), .fallback = "none", .meaning = "least normal force of the pair [N]"},
    {TERM_NUMBER("most", most, 0, 1e9), .fallback = "none", .meaning = "greatest normal force of the pair [N]"},
    {TERM_NUMBER("slip", slip, 1e-12, 1e9), .fallback = "free",
     .meaning = "the pair must not slip while its normal force exceeds this [N]"},
    {TERM_NUMBER("weight", weight, 0, 1e9), .fallback = "1e4 1/m^2; of joints 100; of forces 1/N^2",
     .meaning = "of the squared error; over a time the mean counts"},
    {TERM_NUMBER("angle_weight", angle_weight, 0, 1e9), .fallback = "weight x (5 cm)^2",
     .meaning = "of the squared angle [1/rad^2]"},
    {TERM_NUMBER("tolerance", tolerance, 0, 1e6), .fallback = "0.002 m; of joints 0.02; of forces 0.1 N; of slips any",
     .meaning = "error at which it counts as reached"},
    {TERM_NUMBER("angle_tolerance", angle_tolerance, 0, 4), .fallback = "0.2443, 14 degrees", .meaning = "angle likewise [rad]"},
    {TERM_NUMBER("time", time, 0, 1e9), .fallback = "the end", .meaning = "at which it counts [s], to the nearest step"},
    {TERM_NUMBER("until", until, 0, 1e9), .fallback = "\"time\"", .meaning = "to when it counts, from \"time\" on [s]"},
    {0}};

static bool term_given(tact_real x) {
    return !isnan((double)x);
}

static tact_real term_or(tact_real x, tact_real fallback) {
    return term_given(x) ? x : fallback;
}

// The step of a time; the last one, with a warning, of a time beyond the horizon, as where options.dt was made smaller.
static int find_step(const tact_scene_build *build, int node, const char *key, tact_real time) {
    double dt = (double)build->options.dt, step = floor((double)time / dt + 0.5);
    if (step <= build->goal.horizon) return (int)step;
    double end = tact_key_round(dt * build->goal.horizon, 6);
    tact_json_warn(build->json, tact_json_find(build->json, node, key),
                   "after the end of the plan, %s s, which counts in its place: raise goal.horizon to %.0f",
                   tact_number_print(end).text, step);
    return build->goal.horizon;
}

// The pair of two shapes that are one contact; -1 after reporting.
static int find_pair(const tact_scene_build *build, int node, const term_entry *entry) {
    const tact_json *json = build->json;
    int a = tact_scene_find_shape(build, tact_json_find(json, node, "a"), entry->a);
    int b = tact_scene_find_shape(build, tact_json_find(json, node, "b"), entry->b), found = -1, count = 0;
    if (a < 0 || b < 0) return -1;
    for (int i = 0; i < build->npair; i++) {
        // two boxes are one pair to the user and many contacts here
        int first = build->pairs[i].a, second = build->pairs[i].b;
        // vertices stand for the shape that they belong to
        if (build->slot_of && build->slot_of[first] >= 0) first = build->slot_of[first];
        if (build->slot_of && build->slot_of[second] >= 0) second = build->slot_of[second];
        if (!(first == a && second == b) && !(first == b && second == a)) continue;
        found = i;
        count++;
    }
    if (count == 1) return found;
    if (count == 0)
        tact_json_refuse(json, node, "%s and %s are no pair: add one to /pairs", tact_quote(entry->a).text,
                         tact_quote(entry->b).text);
    else
        tact_json_refuse(json, node, "%s and %s touch in %d contacts: name shapes that touch in one, as spheres do",
                         tact_quote(entry->a).text, tact_quote(entry->b).text, count);
    return -1;
}

static void add_residual(tact_scene_build *build, tact_residual r, const term_entry *entry, tact_real weight,
                         tact_real tolerance) {
    // the mean over the states at which it counts; 1/2 weight |r|^2
    r.weight = 2 * weight / (tact_real)(r.last - r.first + 1);
    r.tolerance = tolerance;
    r.point = tact_vec3_make(entry->point[0], entry->point[1], entry->point[2]);
    build->terms[build->nterm++] = r;
}

// Adds the residuals of a term of a body: position, orientation or both.
static void read_body_term(tact_scene_build *build, int node, const term_entry *entry, tact_residual r) {
    const tact_json *json = build->json;
    tact_draft_mark mark = {.json = json, .node = node};
    int position = tact_json_find(json, node, "position"), orientation = tact_json_find(json, node, "orientation");
    tact_real weight = term_or(entry->weight, TERM_LENGTH_WEIGHT);
    if (position < 0 && orientation < 0)
        tact_json_refuse(json, node, "\"position\" or \"orientation\" is needed beside \"body\"");
    if (strcmp(entry->body, TACT_SCENE_WORLD) == 0) {
        tact_draft_refuse(&build->draft, &mark, "body", "the world does not move");
        return;
    }
    r.body = tact_scene_find_body(build, &mark, "body", entry->body);
    r.other = TACT_WORLD;
    r.target = tact_vec3_make(entry->position[0], entry->position[1], entry->position[2]);
    if (r.body < 0) return;
    // one residual for the position, one for the orientation
    r.kind = TACT_RESIDUAL_POINT;
    if (position >= 0) add_residual(build, r, entry, weight, term_or(entry->tolerance, TERM_LENGTH_TOLERANCE));
    r.kind = TACT_RESIDUAL_TURN;
    if (!tact_scene_is_quaternion(json, orientation) ||
        !tact_scene_read_orientation(json, orientation, entry->orientation, &r.orientation))
        return;
    add_residual(build, r, entry, term_or(entry->angle_weight, TACT_GOAL_LEVER * TACT_GOAL_LEVER * weight),
                 term_or(entry->angle_tolerance, TACT_GOAL_ANGLE));
}

// Adds the residual of a term of a joint's coordinate.
static void read_joint_term(tact_scene_build *build, int node, const term_entry *entry, tact_residual r) {
    tact_draft_mark mark = {.json = build->json, .node = node};
    int body = tact_scene_find_joint(build, &mark, "joint", entry->joint);
    if (!term_given(entry->value)) tact_json_need(build->json, node, "value");
    if (body < 0) return;
    const tact_scene_link *link = &build->links[body];
    if (link->dofs != 1 || link->leader != body) {
        tact_draft_refuse(&build->draft, &mark, "joint",
                          link->leader != body ? "it follows another joint: name that one"
                                               : "it has not one coordinate: use \"body\" with a pose");
        return;
    }
    if (term_given(entry->value) && tact_scene_is_outside(build, body, entry->value))
        tact_draft_refuse(&build->draft, &mark, "value", "%s outside %s", tact_key_print(entry->value).text,
                          tact_scene_limits(build, body, entry->value).text);
    r.kind = TACT_RESIDUAL_JOINT;
    r.dof = link->v;
    r.value = entry->value;
    add_residual(build, r, entry, term_or(entry->weight, TERM_JOINT_WEIGHT), term_or(entry->tolerance, TERM_JOINT_TOLERANCE));
}

static void read_term(tact_scene_build *build, int node) {
    const tact_json *json = build->json;
    const tact_real none = (tact_real)NAN;
    term_entry entry = {.value = none,
                        .least = none,
                        .most = none,
                        .slip = none,
                        .weight = none,
                        .angle_weight = none,
                        .tolerance = none,
                        .angle_tolerance = none,
                        .time = none,
                        .until = none};
    if (!tact_keys_check(json, node, tact_scene_term_keys, NULL) || !tact_keys_read(json, node, tact_scene_term_keys, &entry))
        return;
    // without a time a term holds at the end of the horizon
    tact_residual r = {.first = build->goal.horizon};
    if (term_given(entry.time)) r.first = find_step(build, node, "time", entry.time);
    r.last = term_given(entry.until) ? find_step(build, node, "until", entry.until) : r.first;
    if (r.first < 0 || r.last < 0) return;
    if (r.last < r.first) {
        tact_json_refuse(json, tact_json_find(json, node, "until"), "before \"time\"");
        return;
    }
    // the member that is there names the kind of term
    int kinds = (entry.body != NULL) + (entry.joint != NULL) + (entry.a != NULL || entry.b != NULL);
    if (kinds != 1)
        tact_json_refuse(json, node, "one of \"body\", \"joint\" and \"a\" with \"b\" is needed%s",
                         kinds > 1 ? ", not several" : "");
    else if (entry.body)
        read_body_term(build, node, &entry, r);
    else if (entry.joint)
        read_joint_term(build, node, &entry, r);
    else {
        bool force = term_given(entry.least) || term_given(entry.most), slip = term_given(entry.slip);
        if (!entry.a || !entry.b) tact_json_need(json, node, entry.a ? "b" : "a");
        if (!force && !slip) tact_json_refuse(json, node, "\"least\", \"most\" or \"slip\" is needed beside \"a\" and \"b\"");
        if (build->law->derivatives != TACT_DERIV_BARRIER)
            tact_json_refuse(json, node, "law \"%s\": only the barrier law has goals of forces", build->law->name);
        r.pair = entry.a && entry.b ? find_pair(build, node, &entry) : -1;
        if (r.pair < 0) return;
        r.least = term_or(entry.least, -TACT_MAX);
        r.most = term_or(entry.most, TACT_MAX);
        r.bearing = term_or(entry.slip, 1);
        if (r.least > r.most) tact_json_refuse(json, tact_json_find(json, node, "most"), "less than \"least\"");
        // the start has no forces: steps count from 1
        if (r.first < 1) r.first = 1;
        if (r.last < 1) r.last = 1;
        r.kind = TACT_RESIDUAL_FORCE;
        if (force)
            add_residual(build, r, &entry, term_or(entry.weight, TERM_FORCE_WEIGHT),
                         term_or(entry.tolerance, TERM_FORCE_TOLERANCE));
        r.kind = TACT_RESIDUAL_SLIP;
        if (!slip) return;
        if (!(build->pairs[r.pair].mu > 0))
            tact_json_refuse(json, tact_json_find(json, node, "slip"), "the pair has no friction: it always slips");
        // a goal that holds a force, too, has its weight and tolerance there
        tact_real weight = force ? TERM_LENGTH_WEIGHT : term_or(entry.weight, TERM_LENGTH_WEIGHT);
        add_residual(build, r, &entry, weight, force ? TACT_MAX : term_or(entry.tolerance, TACT_MAX));
    }
}

bool tact_scene_read_terms(tact_scene_build *build, int goal) {
    const tact_json *json = build->json;
    int node = goal < 0 || tact_json_type(json, goal) != TACT_JSON_OBJECT ? -1 : tact_json_find(json, goal, "terms");
    int count = node >= 0 ? tact_json_length(json, node) : -1;
    if (count <= 0) return true;
    build->terms = tact_draft_take(&build->draft, TERM_RESIDUALS * (size_t)count * sizeof build->terms[0]);
    if (!build->terms) return false;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) read_term(build, i);
    return true;
}

int tact_scene_count_residuals(const tact_scene_build *build) {
    // pose and path, and a tip for each body at most
    bool body = build->goal.body >= 0;
    return build->nterm + (body ? 4 : 0) + (body && build->goal.reach > 0 ? build->draft.nbody : 0);
}

// the pose at the end and on the way
static void add_pose(tact_goal *goal, tact_residual_kind kind, tact_real weight, tact_real path, tact_real tolerance) {
    tact_residual r = {.kind = kind,
                       .first = goal->horizon,
                       .last = goal->horizon,
                       .weight = 2 * weight,
                       .tolerance = tolerance,
                       .body = goal->body,
                       .other = TACT_WORLD,
                       .target = goal->position,
                       .orientation = goal->orientation};
    goal->residual[goal->nresidual++] = r;
    r.first = 1;
    r.weight = 2 * path / (tact_real)goal->horizon;
    r.tolerance = TACT_MAX;
    if (path > 0) goal->residual[goal->nresidual++] = r;
}

void tact_scene_fill_residuals(const tact_scene_build *build, tact_scene *scene, tact_residual *residual, int *tip) {
    tact_goal *goal = &scene->goal;
    const tact_model *model = &scene->model;
    goal->residual = residual;
    goal->nresidual = 0;
    // the goal's own terms: position, then orientation
    if (goal->body >= 0) add_pose(goal, TACT_RESIDUAL_POINT, goal->weight, goal->path, goal->tolerance);
    if (goal->body >= 0 && goal->oriented)
        add_pose(goal, TACT_RESIDUAL_TURN, goal->angle_weight,
                 goal->weight > 0 ? goal->path * goal->angle_weight / goal->weight : 0, goal->angle_tolerance);
    // fingertips are drawn to the body at every step, with 2 reach / horizon each
    int tips = goal->body >= 0 && goal->reach > 0 ? tact_residual_find_tips(model, goal->body, tip) : 0;
    for (int i = 0; i < tips; i++) {
        const tact_shape *shape = &model->shape[tip[i]];
        goal->residual[goal->nresidual++] = (tact_residual){.kind = TACT_RESIDUAL_POINT,
                                                            .first = 1,
                                                            .last = goal->horizon,
                                                            .weight = 2 * goal->reach / (tact_real)goal->horizon,
                                                            .tolerance = TACT_MAX,
                                                            .body = shape->body,
                                                            .point = shape->place.p,
                                                            .other = goal->body};
    }
    for (int i = 0; i < build->nterm; i++) {
        tact_residual r = build->terms[i];
        if (r.kind == TACT_RESIDUAL_POINT || r.kind == TACT_RESIDUAL_TURN) r.body = build->links[r.body].index;
        goal->residual[goal->nresidual++] = r;
    }
}
