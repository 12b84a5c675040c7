// SPDX-License-Identifier: MIT
// External forces on bodies, constant or over time.
#include <string.h>

#include "scene/build.h"

const tact_key tact_scene_force_keys[] = {
    TACT_ROW(NAME, "body", .required = true, .meaning = "on which it acts, at its centre of mass"),
    TACT_ROW(VECTOR, "force", .count = 3, .apart = true, .range = TACT_RANGE_ANY, .most = TACT_MOST_FORCE,
             .form = "3 numbers, or a list of these", .fallback = "0, 0, 0",
             .meaning = "world axes [N]; with times one for each"),
    TACT_ROW(VECTOR, "torque", .count = 3, .apart = true, .range = TACT_RANGE_ANY, .most = TACT_MOST_FORCE,
             .form = "3 numbers, or a list of these", .fallback = "0, 0, 0",
             .meaning = "world axes [N m]; with times one for each"),
    TACT_ROW(OTHER, "times", .form = "numbers, ascending", .fallback = "constant",
             .meaning = "linear between, held before and after [s]"),
    {0}};

static void read_vector(const tact_json *json, int node, const tact_key *key, tact_vec3 *vector) {
    tact_real x[3];
    if (tact_key_read_numbers(json, node, key, 3, x)) *vector = tact_vec3_make(x[0], x[1], x[2]);
}

// the values of force or torque, one or one for each time
static void read_values(const tact_json *json, int node, const char *name, const tact_force *force, bool series) {
    const tact_key *key = tact_key_find(tact_scene_force_keys, name);
    bool turns = strcmp(name, "torque") == 0;
    if (node < 0) return;
    if (!series) {
        read_vector(json, node, key, turns ? &force->wrench->torque : &force->wrench->force);
        return;
    }
    int count = tact_json_length(json, node), k = 0;
    if (count >= 0 && count != force->ntime) {
        tact_json_refuse(json, node, "expected %d values, one for each time, found %d", force->ntime, count);
    }
    if (count != force->ntime) return;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i), k++) {
        read_vector(json, i, key, turns ? &force->wrench[k].torque : &force->wrench[k].force);
    }
}

static int read_body(const tact_scene_build *build, int node) {
    const char *name = NULL;
    tact_draft_mark mark = {.json = build->json, .node = node};
    tact_keys_read(build->json, node, tact_scene_force_keys, &name);
    if (!name) return -1;
    if (strcmp(name, TACT_SCENE_WORLD) != 0) return tact_scene_find_body(build, &mark, "body", name);
    tact_draft_refuse(&build->draft, &mark, "body", "the world does not move");
    return -1;
}

// false when there is no memory
static bool read_force(tact_scene_build *build, int node) {
    const tact_json *json = build->json;
    tact_force *force = &build->forces[build->nforce];
    if (!tact_keys_check(json, node, tact_scene_force_keys, NULL)) return true;
    int times = tact_json_find(json, node, "times"), count = times >= 0 ? tact_json_length(json, times) : 1;
    int linear = tact_json_find(json, node, "force"), torque = tact_json_find(json, node, "torque");
    *force = (tact_force){.body = read_body(build, node), .ntime = count};
    if (linear < 0 && torque < 0) tact_json_refuse(json, node, "\"force\" or \"torque\" is needed");
    if (count == 0) tact_json_refuse(json, times, "must not be empty");
    if (count <= 0) return true;
    force->times = tact_draft_take(&build->draft, (size_t)count * sizeof force->times[0]);
    force->wrench = tact_draft_take(&build->draft, (size_t)count * sizeof force->wrench[0]);
    if (!force->times || !force->wrench) return false;
    memset(force->wrench, 0, (size_t)count * sizeof force->wrench[0]);
    // without times: constant from the start
    force->times[0] = 0;
    if (times >= 0) tact_scene_read_times(build, times, force->times);
    read_values(json, linear, "force", force, times >= 0);
    read_values(json, torque, "torque", force, times >= 0);
    build->nforce++;
    return true;
}

bool tact_scene_read_forces(tact_scene_build *build) {
    const tact_json *json = build->json;
    int node = tact_json_find(json, 0, "forces"), count = node >= 0 ? tact_json_length(json, node) : -1;
    if (count <= 0) return true;
    build->forces = tact_draft_take(&build->draft, (size_t)count * sizeof build->forces[0]);
    if (!build->forces) return false;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i))
        if (!read_force(build, i)) return false;
    return true;
}
