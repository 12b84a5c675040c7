// SPDX-License-Identifier: MIT
// Keyframes: coordinates of joints and commands of drives under a name, of the scene or of its robots' files.
#include <string.h>

#include "scene/build.h"

#define QUATERNION_OFF 1e-3

const tact_key tact_scene_keyframe_keys[] = {TACT_ROW(NAME, "name", .required = true,
                                                      .offset = offsetof(tact_draft_keyframe, name),
                                                      .meaning = "by which \"state\" and \"command\" call it"),
                                             TACT_ROW(OTHER, "q", .form = "object: joint -> number or array", .fallback = "none",
                                                      .meaning = "coordinates, as in \"state\""),
                                             TACT_ROW(OTHER, "command", .form = "object: joint -> number or array",
                                                      .fallback = "none", .meaning = "as q of a fixed command"),
                                             {0}};

// the members of an object; NULL after reporting
static tact_draft_coordinate *read_coordinates(tact_draft *draft, const tact_json *json, int node, int *count) {
    static const tact_key one = {.kind = TACT_KEY_NUMBER, .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH};
    static const tact_key several = {.kind = TACT_KEY_VECTOR, .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH};
    int size = 0;
    *count = 0;
    if (node < 0 || !tact_json_expect(json, node, TACT_JSON_OBJECT)) return NULL;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) size++;
    tact_draft_coordinate *list = tact_draft_take(draft, (size_t)size * sizeof list[0]);
    for (int i = tact_json_first(json, node); list && i >= 0; i = tact_json_after(json, i)) {
        tact_draft_coordinate *next = &list[*count];
        bool array = tact_json_type(json, i) == TACT_JSON_ARRAY;
        *next = (tact_draft_coordinate){.joint = tact_json_key(json, i), .count = array ? tact_json_length(json, i) : 1};
        // free joints have seven numbers, all others one to three
        if (next->count < 1 || next->count > 7)
            tact_json_refuse(json, i, "expected 1 to 7 numbers, found %d", next->count);
        else
            *count += tact_key_read_numbers(json, i, array ? &several : &one, next->count, next->value);
    }
    return list;
}

void tact_scene_read_keyframes(tact_draft *draft, const tact_json *json, int node) {
    for (int i = tact_json_enter(json, node, TACT_JSON_ARRAY); i >= 0; i = tact_json_after(json, i)) {
        tact_draft_keyframe *keyframe = tact_draft_add_keyframe(draft);
        if (!keyframe) return;
        keyframe->mark = (tact_draft_mark){.json = json, .node = i};
        if (!tact_keys_check(json, i, tact_scene_keyframe_keys, NULL)) continue;
        tact_keys_read(json, i, tact_scene_keyframe_keys, keyframe);
        keyframe->q = read_coordinates(draft, json, tact_json_find(json, i, "q"), &keyframe->nq);
        keyframe->command = read_coordinates(draft, json, tact_json_find(json, i, "command"), &keyframe->ncommand);
    }
}

// the quaternion of a free joint to unit length
static bool normalise(tact_draft_coordinate *x) {
    double sum = 0;
    for (int k = 3; k < 7; k++) sum += (double)x->value[k] * (double)x->value[k];
    double norm = sqrt(sum);
    if (!(fabs(norm - 1) <= QUATERNION_OFF)) return false;
    for (int k = 3; k < 7; k++) x->value[k] = (tact_real)((double)x->value[k] / norm);
    return true;
}

static void check_coordinate(const tact_scene_build *build, const tact_draft_keyframe *keyframe, tact_draft_coordinate *x,
                             bool command) {
    const tact_draft *draft = &build->draft;
    const char *key = command ? "command" : "q";
    int body = x->joint ? tact_scene_find_joint(build, &keyframe->mark, key, x->joint) : -1;
    if (body < 0) return;
    const tact_scene_link *link = &build->links[body];
    tact_joint_type type = draft->bodies[body].type;
    // a command has one number a dof, a position one a coordinate (a free joint's quaternion has four for three)
    int count = command ? link->dofs : tact_joint_coordinates(type);
    tact_quoted name = tact_quote(x->joint);
    if (link->leader != body)
        tact_draft_refuse(draft, &keyframe->mark, key, "joint %s follows another", name.text);
    else if (count == 0)
        tact_draft_refuse(draft, &keyframe->mark, key, "joint %s is fixed", name.text);
    else if (x->count != count)
        tact_draft_refuse(draft, &keyframe->mark, key, "joint %s has %d numbers, found %d", name.text, count, x->count);
    else if (type == TACT_JOINT_FREE && !normalise(x))
        tact_draft_refuse(draft, &keyframe->mark, key, "joint %s: the norm of its quaternion must be 1 within 1e-3", name.text);
}

void tact_scene_check_keyframes(tact_scene_build *build) {
    for (int i = 0; i < build->draft.nkeyframe; i++) {
        tact_draft_keyframe *keyframe = &build->draft.keyframes[i];
        for (int k = 0; k < keyframe->nq; k++) check_coordinate(build, keyframe, &keyframe->q[k], false);
        for (int k = 0; k < keyframe->ncommand; k++) check_coordinate(build, keyframe, &keyframe->command[k], true);
    }
}

// the keyframe of a name, -1 after refusing
static int find_keyframe(const tact_scene_build *build, int node) {
    const tact_draft *draft = &build->draft;
    const char *name = tact_key_read_name(build->json, node);
    tact_nearest nearest = {.word = name};
    int found = -1, count = 0;
    for (int i = 0; name && i < draft->nkeyframe; i++) {
        const char *own = draft->keyframes[i].name;
        if (own) tact_nearest_try(&nearest, own);
        if (!own || strcmp(own, name) != 0) continue;
        found = i;
        count++;
    }
    // robots without prefixes may bring the same name twice
    if (count == 1 || !name) return found;
    if (count > 1)
        tact_json_refuse(build->json, node, "%d keyframes are called %s: give the robots prefixes", count, tact_quote(name).text);
    else
        tact_json_refuse(build->json, node, "no keyframe %s%s", tact_quote(name).text,
                         nearest.best ? tact_nearest_hint(&nearest).text : " (there are none: see keyframes in tact help scene)");
    return -1;
}

// Coordinates of the joints; those of a joint with limits within them, which is reported.
static void use_keyframe(tact_scene_build *build, int node, const tact_draft_keyframe *keyframe, bool *given) {
    for (int k = 0; k < keyframe->nq; k++) {
        const tact_draft_coordinate *x = &keyframe->q[k];
        int body = x->joint ? tact_name_table_find(&build->joints, 0, x->joint) : -1;
        if (body < 0 || build->links[body].leader != body || x->count != tact_joint_coordinates(build->draft.bodies[body].type))
            continue;
        const tact_scene_link *link = &build->links[body];
        tact_real *q = &build->q0[link->q];
        memcpy(q, x->value, (size_t)x->count * sizeof q[0]);
        given[body] = true;
        if (!tact_scene_is_outside(build, body, *q)) continue;
        tact_json_warn(build->json, node, "joint %s at %s is outside %s: its limit is taken", tact_quote(x->joint).text,
                       tact_key_print(*q).text, tact_scene_limits(build, body, *q).text);
        *q = *q < link->lower ? link->lower : link->upper;
    }
}

// the next name of a string or list, -1 after the last
static int next_name(const tact_json *json, int node, int at) {
    if (tact_json_type(json, node) != TACT_JSON_ARRAY) return at < 0 ? node : -1;
    return at < 0 ? tact_json_first(json, node) : tact_json_after(json, at);
}

void tact_scene_use_keyframes(tact_scene_build *build, int node, bool *given) {
    for (int i = node < 0 ? -1 : next_name(build->json, node, -1); i >= 0; i = next_name(build->json, node, i)) {
        int found = find_keyframe(build, i);
        if (found >= 0) use_keyframe(build, i, &build->draft.keyframes[found], given);
    }
}

void tact_scene_command_keyframes(tact_scene_build *build, int node, tact_real *u) {
    for (int i = node < 0 ? -1 : next_name(build->json, node, -1); i >= 0; i = next_name(build->json, node, i)) {
        int found = find_keyframe(build, i);
        if (found < 0) continue;
        if (build->draft.keyframes[found].ncommand == 0)
            tact_json_refuse(build->json, i, "keyframe %s has no command", tact_quote(build->draft.keyframes[found].name).text);
        // commands of the keyframe, by joint
        const tact_draft_keyframe *keyframe = &build->draft.keyframes[found];
        for (int k = 0; k < keyframe->ncommand; k++) {
            const tact_draft_coordinate *x = &keyframe->command[k];
            int body = x->joint ? tact_name_table_find(&build->joints, 0, x->joint) : -1;
            if (body < 0 || x->count != build->links[body].dofs) continue;
            if (!build->links[body].driven) {
                tact_json_refuse(build->json, i, "joint %s of the keyframe is not driven", tact_quote(x->joint).text);
                continue;
            }
            for (int d = 0; d < x->count; d++) u[build->dof_u[build->links[body].v + d]] = x->value[d];
        }
    }
}
