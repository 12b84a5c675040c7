// SPDX-License-Identifier: MIT
// What a scene says and the step does not read.
#include <stdio.h>
#include <string.h>

#include "scene/suspect.h"

#define LONG_STEP 0.05    // [s] that no law with velocities is meant to take unless the scene was written for it,
#define LONGEST_STEP 0.3  // that none is meant to take at all,
#define SECOND 1.0        // and the barrier law neither where drives move

// The law whose name stands before the meaning of an option, NULL: all have it.
static const char *law_of(const tact_key *key) {
    static const char *const laws[] = {"barrier", "virtual", "rigid"};
    for (size_t i = 0; key && i < sizeof laws / sizeof laws[0]; i++) {
        size_t size = strlen(laws[i]);
        if (strncmp(key->meaning, laws[i], size) == 0 && key->meaning[size] == ':') return laws[i];
    }
    return NULL;
}

// Whether a --set, or one of the command itself, has this path or one below it.
static bool is_set(const tact_scene_build *build, const char *path) {
    TACT_ASSERT(build->settings && path[0]);
    size_t size = strlen(path);
    for (int i = 0; i < build->settings->nset; i++) {
        const char *set = build->settings->set[i];
        size_t k = 0;
        set += set[0] == '.' || set[0] == '/';
        while (k < size && (set[k] == path[k] || (set[k] == '/' && path[k] == '.'))) k++;
        if (k == size && set[k] && strchr("=./", set[k])) return true;
    }
    return false;
}

// Whether a value counts that the scene's own law does not read: with --law a scene may be one for several laws, and then that
// which was set beside it.
static bool counts(const tact_scene_build *build, const char *path) {
    return !build->settings->law || (is_set(build, path) && !build->settings->several);
}

// Two laws on the command line.
static void suspect_law(const tact_scene_build *build) {
    int node = tact_json_find(build->json, 0, "law");
    if (!build->settings->law || node < 0 || !counts(build, "law")) return;
    const char *other = tact_json_string(build->json, node);
    if (strcmp(other, build->law->name) == 0) return;
    tact_draft_doubt(&build->draft, TACT_SCENE_NODE(build, node), NULL, "--set law=%.40s does nothing: --law %s stands above it",
                     other, build->law->name);
}

// Options of another law than the scene's own; those of --law go with a scene that was written for several.
static void suspect_options(const tact_scene_build *build) {
    const tact_json *json = build->json;
    int options = tact_json_find(json, 0, "options"), others = -1, node = -1;
    const char *law = NULL;
    for (int i = tact_json_first(json, options); i >= 0; i = tact_json_after(json, i)) {
        const char *own = law_of(tact_key_find(tact_scene_option_keys, tact_json_key(json, i)));
        char path[300];
        if (!own || strcmp(own, build->law->name) == 0) continue;
        snprintf(path, sizeof path, "options.%.250s", tact_json_key(json, i));
        if (!counts(build, path)) continue;
        if (node < 0) law = own, node = i;
        others++;
    }
    if (node < 0) return;
    char more[40] = "";
    if (others > 0) snprintf(more, sizeof more, " (and so %s %d more)", others == 1 ? "is" : "are", others);
    tact_draft_doubt(&build->draft, TACT_SCENE_NODE(build, node), NULL, "is of the law %s and does nothing under %s%s", law,
                     build->law->name, more);
}

// Restitution acts in the rigid law's steps of velocities.
static void suspect_restitution(const tact_scene_build *build) {
    const tact_json *json = build->json;
    int node = tact_json_find(json, 0, "restitution"), pairs = tact_json_find(json, 0, "pairs");
    const bool rigid = strcmp(build->law->name, "rigid") == 0;
    if (!counts(build, "restitution") || (rigid && build->options.level == TACT_LEVEL_VELOCITY)) return;
    bool list = pairs >= 0 && tact_json_type(json, pairs) == TACT_JSON_ARRAY;
    for (int i = list ? tact_json_first(json, pairs) : -1; i >= 0 && node < 0; i = tact_json_after(json, i))
        node = tact_json_find(json, i, "restitution");
    if (node < 0 || tact_json_value(json, node) == 0) return;
    tact_draft_doubt(&build->draft, TACT_SCENE_NODE(build, node), NULL,
                     "is of the law rigid with \"level\": \"velocity\" and does nothing under %s",
                     rigid ? "\"position\"" : build->law->name);
}

// Whether a step is too long for any scene: an object falls by twice the width of the ball that holds its shapes, g dt^2 > 4 R.
static bool is_endless(const tact_scene_build *build) {
    const double dt = (double)build->options.dt;
    const tact_vec3 g = build->options.gravity;
    const double fall = sqrt((double)tact_vec3_dot(g, g)) * dt * dt;
    bool endless = dt > LONGEST_STEP;
    for (int b = 0; b < build->draft.nbody && !endless; b++) {
        double radius = 0;
        for (int i = 0; i < build->draft.nshape && tact_scene_is_object(build, b); i++) {
            const tact_draft_shape *shape = &build->draft.shapes[i];
            if (build->shape_body[i] == b)
                radius = fmax(radius, tact_scene_norm(shape->frame.xyz) + tact_scene_shape_size(shape));
        }
        endless = radius > 0 && fall > 4 * radius;
    }
    return endless;
}

void tact_scene_suspect_idle(const tact_scene_build *build) {
    suspect_law(build);
    // A step that was chosen for a law without velocities, or for none.
    const tact_json *json = build->json;
    int law = tact_json_find(json, 0, "law");
    bool own = law >= 0 && strcmp(tact_json_string(json, law), build->law->name) == 0 && !is_set(build, "law");
    const double dt = (double)build->options.dt;
    const bool fast = build->law->velocities, several = build->settings->several;
    if (fast ? !several && dt > LONG_STEP && (!own || is_endless(build)) : build->nu > 0 && dt >= SECOND)
        tact_draft_doubt(&build->draft, TACT_SCENE_NODE(build, tact_json_find(json, tact_json_find(json, 0, "options"), "dt")),
                         NULL,
                         fast ? "%s s: laws with velocities, as %s, want 0.01 s or less"
                              : "%s s: joints move far in such a step, in which gaps are linear: the law %s wants 0.1 s or less",
                         tact_key_print(build->options.dt).text, build->law->name);
    suspect_options(build);
    suspect_restitution(build);
    // velocities that are given to a law without any
    int state = tact_json_find(build->json, 0, "state"), node = tact_json_find(build->json, state, "v");
    if (!counts(build, "state.v") || node < 0 || tact_json_first(build->json, node) < 0 ||
        strcmp(build->law->name, "barrier") != 0)
        return;
    tact_draft_doubt(&build->draft, TACT_SCENE_NODE(build, node), NULL, "does nothing under barrier, a law without velocities");
}
