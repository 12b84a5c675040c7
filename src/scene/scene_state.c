// SPDX-License-Identifier: MIT
// Where a scene begins: coordinates and velocities by the names of the joints; what is not named begins at 0.
#include <stdio.h>

#include "scene/build.h"

#define QUATERNION_OFF 1e-3
#define MOST_RATE 1e6  // [m/s], [rad/s]
#define TURN 6.283185307179586

const tact_key tact_scene_state_keys[] = {
    TACT_ROW(OTHER, "keyframe", .form = "name or list of them", .fallback = "none",
             .meaning = "q of these keyframes; what \"q\" names comes over them"),
    TACT_ROW(OTHER, "q", .form = "object: joint -> number or array", .fallback = "0",
             .meaning = "coordinates: 1 number; 3 of translation and planar; 7 of free (x, y, z, quaternion w, x, y, z)"),
    TACT_ROW(OTHER, "v", .form = "object: joint -> number or array", .fallback = "0",
             .meaning = "velocities: 1, 3 or 6 numbers; of free: angular, linear, world axes, at the body's origin"),
    {0}};

static const tact_key coordinate = {.kind = TACT_KEY_NUMBER, .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH};
static const tact_key coordinates = {.kind = TACT_KEY_VECTOR, .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH};
static const tact_key rate = {.kind = TACT_KEY_NUMBER, .range = TACT_RANGE_ANY, .most = MOST_RATE};
static const tact_key rates = {.kind = TACT_KEY_VECTOR, .range = TACT_RANGE_ANY, .most = MOST_RATE};

int tact_scene_find_moving_joint(const tact_scene_build *build, int node) {
    const char *name = tact_json_key(build->json, node);
    int body = tact_scene_find_joint(build, TACT_SCENE_NODE(build, node), NULL, name);
    if (body < 0) return -1;
    int leader = build->links[body].leader;
    if (leader != body) {
        tact_json_refuse(build->json, node, "follows joint %s", tact_quote(build->draft.bodies[leader].joint).text);
        return -1;
    }
    if (build->links[body].dofs > 0) return body;
    if (!build->draft.bodies_doubted) tact_json_refuse(build->json, node, "joint %s is fixed", tact_quote(name).text);
    return -1;
}

bool tact_scene_read_coordinates(const tact_scene_build *build, int node, int body, tact_real *q) {
    tact_joint_type type = build->draft.bodies[body].type;
    int count = tact_joint_coordinates(type);
    if (count == 1) return tact_key_read_numbers(build->json, node, &coordinate, 1, q);
    bool list = tact_json_type(build->json, node) == TACT_JSON_ARRAY;
    if (!list || tact_json_length(build->json, node) != count) {
        char found[40] = "";
        if (list) snprintf(found, sizeof found, ", found %d", tact_json_length(build->json, node));
        const char *form = type == TACT_JOINT_FREE     ? "a free joint: x y z and a quaternion w x y z"
                           : type == TACT_JOINT_PLANAR ? "a planar joint: x y and an angle [rad]"
                                                       : "a translation joint: x y z, without orientation";
        tact_json_refuse(build->json, node, "expected %d numbers%s (of %s)", count, found, form);
        return false;
    }
    if (!tact_key_read_numbers(build->json, node, &coordinates, count, q)) return false;
    if (type != TACT_JOINT_FREE) return true;
    const tact_json *json = build->json;
    // the four are read as double, so that single precision does not move the norm
    double w[4], sum = 0;
    int i = tact_json_first(json, node);
    for (int k = 0; k < 7; k++, i = tact_json_after(json, i)) {
        if (k < 3) continue;
        w[k - 3] = tact_json_value(json, i);
        sum += w[k - 3] * w[k - 3];
    }
    double norm = sqrt(sum);
    if (fabs(norm - 1) > QUATERNION_OFF) {
        tact_json_refuse(json, node, "norm %s: must be 1 within 1e-3 (the last four of x y z w x y z; no turn is 1, 0, 0, 0)",
                         tact_number_print(norm).text);
        return false;
    }
    for (int k = 0; k < 4; k++) q[3 + k] = (tact_real)(w[k] / norm);
    return true;
}

bool tact_scene_is_outside(const tact_scene_build *build, int body, tact_real q) {
    const tact_scene_link *link = &build->links[body];
    return link->dofs == 1 && (q < link->lower || q > link->upper);
}

tact_scene_interval tact_scene_limits(const tact_scene_build *build, int body, tact_real q) {
    const tact_scene_link *link = &build->links[body];
    tact_scene_interval interval;
    bool low = link->lower > -TACT_MAX, high = link->upper < TACT_MAX;
    // whoever writes more than a turn has degrees in mind
    bool turns = build->draft.bodies[body].type == TACT_JOINT_REVOLUTE && fabs((double)q) > TURN;
    snprintf(interval.text, sizeof interval.text, "[%s, %s]%s", low ? tact_key_print(link->lower).text : "-inf",
             high ? tact_key_print(link->upper).text : "inf", turns ? ": angles are in radians (90 degrees are 1.571)" : "");
    return interval;
}

static void read_positions(tact_scene_build *build, int node, bool *given) {
    const tact_json *json = build->json;
    for (int i = tact_json_enter(json, node, TACT_JSON_OBJECT); i >= 0; i = tact_json_after(json, i)) {
        int body = tact_scene_find_moving_joint(build, i);
        if (body < 0) continue;
        tact_real *q = &build->q0[build->links[body].q];
        given[body] = true;
        if (!tact_scene_read_coordinates(build, i, body, q) || !tact_scene_is_outside(build, body, *q)) continue;
        tact_json_refuse(json, i, "%s outside %s", tact_key_print(*q).text, tact_scene_limits(build, body, *q).text);
    }
}

static void read_velocities(tact_scene_build *build, int node) {
    const tact_json *json = build->json;
    for (int i = tact_json_enter(json, node, TACT_JSON_OBJECT); i >= 0; i = tact_json_after(json, i)) {
        int body = tact_scene_find_moving_joint(build, i);
        if (body < 0) continue;
        const tact_scene_link *link = &build->links[body];
        tact_key_read_numbers(json, i, link->dofs == 1 ? &rate : &rates, link->dofs, &build->v0[link->v]);
    }
}

// Joints that begin at 0 without being asked to: those of robots' files, whose ranges may leave 0 out, at the nearest limit.
static void begin_within(tact_scene_build *build, const bool *given) {
    for (int i = 0; i < build->draft.nbody; i++) {
        const tact_draft_body *body = &build->draft.bodies[i];
        if (given[i] || build->links[i].leader != i || !tact_scene_is_outside(build, i, 0)) continue;
        tact_draft_mark mark = tact_scene_joint_mark(body);
        const tact_real nearest = build->links[i].lower > 0 ? build->links[i].lower : build->links[i].upper;
        if (mark.json != build->json) {
            build->q0[build->links[i].q] = nearest;
            tact_draft_warn(
                &build->draft, &mark, "limits",
                "joint %s begins at %s, the limit nearest to 0, which is outside %s: \"state\" gives it another place",
                tact_quote(body->joint ? body->joint : "").text, tact_key_print(nearest).text,
                tact_scene_limits(build, i, 0).text);
            continue;
        }
        tact_draft_refuse(&build->draft, &mark, "limits", "joint %s begins at 0, outside %s: give it a place in /state/q%s",
                          tact_quote(body->joint ? body->joint : "").text, tact_scene_limits(build, i, 0).text,
                          tact_scene_robot_hint(build));
    }
}

bool tact_scene_read_state(tact_scene_build *build) {
    tact_draft *draft = &build->draft;
    build->q0 = tact_draft_take(draft, (size_t)build->nq * sizeof build->q0[0]);
    build->v0 = tact_draft_take(draft, (size_t)build->nv * sizeof build->v0[0]);
    bool *given = tact_draft_take(draft, (size_t)draft->nbody);
    if (!build->q0 || !build->v0 || !given) return false;
    for (int i = 0; i < build->nq; i++) build->q0[i] = 0;
    for (int i = 0; i < build->nv; i++) build->v0[i] = 0;
    for (int i = 0; i < draft->nbody; i++) {
        // free bodies start unturned: quaternion 1 0 0 0
        given[i] = false;
        if (draft->bodies[i].type == TACT_JOINT_FREE) build->q0[build->links[i].q + 3] = 1;
    }
    tact_scene_check_keyframes(build);
    int node = tact_json_find(build->json, 0, "state");
    if (node >= 0 && tact_keys_check(build->json, node, tact_scene_state_keys, NULL)) {
        // a keyframe first, then the coordinates that are named beside it
        tact_scene_use_keyframes(build, tact_json_find(build->json, node, "keyframe"), given);
        read_positions(build, tact_json_find(build->json, node, "q"), given);
        read_velocities(build, tact_json_find(build->json, node, "v"));
    }
    begin_within(build, given);
    return true;
}
