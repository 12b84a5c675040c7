// SPDX-License-Identifier: MIT
// A scene, step by step.

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scene/build.h"
#include "scene/kind.h"
#include "tact/memory.h"

const tact_key tact_scene_keys[] = {
    TACT_ROW(OTHER, "tact", .required = true, .form = "1", .meaning = "version of the format"),
    TACT_ROW(OTHER, "name", .form = "string", .fallback = "file's name", .meaning = "of the scene, at most 255 bytes"),
    TACT_ROW(OTHER, "law", .form = "barrier | virtual | rigid", .fallback = "barrier", .meaning = "contact law"),
    TACT_ROW(VECTOR, "gravity", .apart = true, .count = 3, .range = TACT_RANGE_WITHIN(-1000, 1000), .fallback = "0, 0, -9.81",
             .meaning = "[m/s^2]"),
    TACT_ROW(OBJECT, "options", .keys = tact_scene_option_keys, .meaning = "of the laws"),
    TACT_ROW(LIST, "robots", .keys = tact_scene_robot_keys, .fallback = "none",
             .meaning = "bodies, shapes and drives of other files; come before the scene's"),
    TACT_ROW(LIST, "bodies", .keys = tact_scene_body_keys, .fallback = "none",
             .meaning = "in any order; dofs are numbered in the order listed"),
    TACT_ROW(LIST, "shapes", .fallback = "none", .meaning = "what can touch"),
    TACT_ROW(LIST, "pairs", .keys = tact_scene_pair_keys, .form = "list of objects, or \"auto\"", .fallback = "none",
             .meaning =
                 "which shapes may touch; auto: shapes of bodies that no joint connects, less those of robots' exclusions, and "
                 "robots' own pairs"),
    TACT_ROW(
        INTEGER, "max_contacts", .apart = true, .range = TACT_RANGE_WITHIN(1, 10000000), .fallback = "all pairs are listed",
        .meaning =
            "with \"auto\" under the laws \"barrier\" and \"rigid\": every step finds the pairs that come near, and has room "
            "for so many"),
    TACT_ROW(NUMBER, "mu", .apart = true, .range = TACT_RANGE_WITHIN(0, 10), .fallback = "none",
             .meaning = "friction of pairs that have no mu"),
    TACT_ROW(NUMBER, "restitution", .apart = true, .range = TACT_RANGE_WITHIN(0, 1), .fallback = "0",
             .meaning = "of pairs that have none of their own"),
    TACT_ROW(OTHER, "exclude", .form = "list of [\"body\", \"body\"]", .fallback = "none", .meaning = "what \"auto\" leaves out"),
    TACT_ROW(LIST, "drives", .keys = tact_scene_drive_keys, .fallback = "none",
             .meaning = "which joints are driven; come before those of robot files"),
    TACT_ROW(LIST, "loops", .keys = tact_scene_loop_keys, .fallback = "none",
             .meaning = "points of two bodies that are held together, under the laws \"barrier\" and \"rigid\""),
    TACT_ROW(LIST, "springs", .keys = tact_scene_spring_keys, .fallback = "none",
             .meaning = "springs, or drives, on sums of coordinates, under the laws \"barrier\" and \"rigid\""),
    TACT_ROW(OBJECT, "state", .keys = tact_scene_state_keys, .fallback = "all 0", .meaning = "initial state"),
    TACT_ROW(OBJECT, "command", .keys = tact_scene_command_keys, .fallback = "hold", .meaning = "commands of the drives"),
    TACT_ROW(LIST, "keyframes", .keys = tact_scene_keyframe_keys, .fallback = "none",
             .meaning = "states and commands by name, for \"state\" and \"command\"; robots bring theirs"),
    TACT_ROW(LIST, "forces", .keys = tact_scene_force_keys, .fallback = "none", .meaning = "on bodies"),
    TACT_ROW(OBJECT, "goal", .keys = tact_scene_goal_keys, .fallback = "none", .meaning = "of tact optimise and tact mpc"),
    TACT_ROW(OBJECT, "mpc", .keys = tact_scene_mpc_keys, .fallback = "all defaults", .meaning = "how tact mpc plans"),
    {0},
};

static bool read_lists(tact_scene_build *build) {
    const tact_json *json = build->json;
    int bodies = tact_json_find(json, 0, "bodies"), before = build->errors->errors;
    if (!tact_scene_read_robots(build)) return false;
    // a list with a mistake may lack names; what refers to one is then not refused for it
    build->draft.shapes_doubted = build->draft.drives_doubted = build->errors->errors > before;
    tact_scene_read_bodies(&build->draft, json, bodies);
    build->draft.bodies_doubted = build->errors->errors > before;
    before = build->errors->errors;
    tact_scene_read_shapes(&build->draft, json, tact_json_find(json, 0, "shapes"));
    build->draft.shapes_doubted = build->draft.shapes_doubted || build->errors->errors > before;
    before = build->errors->errors;
    tact_scene_read_drives(&build->draft, json, tact_json_find(json, 0, "drives"));
    build->draft.drives_doubted = build->draft.drives_doubted || build->errors->errors > before;
    tact_scene_read_keyframes(&build->draft, json, tact_json_find(json, 0, "keyframes"));
    tact_scene_read_ties(&build->draft, json);
    if (build->draft.nbody <= TACT_SCENE_BODIES_MAX && build->draft.nshape <= TACT_SCENE_SHAPES_MAX) return true;
    tact_json_refuse(json, 0, "more than %d bodies or %d shapes", TACT_SCENE_BODIES_MAX, TACT_SCENE_SHAPES_MAX);
    return false;
}

static tact_scene *build_scene(tact_scene_build *build) {
    // Head: version, name, law and options
    const tact_json *json = build->json;
    if (!tact_keys_check(json, 0, tact_scene_keys, NULL)) return NULL;
    tact_scene_check_version(json, tact_json_need(json, 0, "tact"));
    int name = tact_json_find(json, 0, "name");
    if (name >= 0) {
        build->name = tact_json_get_string(json, name, TACT_NAME_MAX);
    } else {
        // name of a scene without one: its file's, less folder and ending
        const char *file = json->source.name;
        const char *slash = strrchr(file, '/'), *begin = slash ? slash + 1 : file, *dot = strrchr(begin, '.');
        size_t size = dot && dot > begin ? (size_t)(dot - begin) : strlen(begin);
        build->name = tact_draft_string(&build->draft, begin, size > TACT_NAME_MAX ? TACT_NAME_MAX : size);
        if (!build->name) return NULL;
    }
    tact_scene_read_options(build);
    if (!read_lists(build)) return NULL;
    if (!tact_scene_resolve_bodies(build) || !tact_scene_resolve_joints(build)) return NULL;
    if (!tact_scene_resolve_shapes(build) || !tact_scene_resolve_springs(build)) return NULL;
    if (!tact_scene_resolve_drives(build) || !tact_scene_resolve_loops(build)) return NULL;
    if (!tact_scene_check_masses(build) || !tact_scene_read_pairs(build)) return NULL;
    if (!tact_scene_read_state(build) || !tact_scene_read_command(build) || !tact_scene_read_forces(build)) return NULL;
    if (!tact_scene_read_goal(build)) return NULL;
    tact_scene_read_mpc(build);
    if (build->errors->errors == 0 && !build->settings->own && !tact_scene_suspect(build)) return NULL;
    return build->errors->errors > 0 ? NULL : tact_scene_assemble(build);
}

// the messages are about the text with the settings in it: say so
static void tell_settings(const char *name, const tact_scene_settings *settings, tact_errors *errors) {
    bool other = settings->origin != NULL;
    if (errors->errors == 0 || !settings->set || settings->nset == 0) return;
    // errors that name the setting itself need no more
    for (int i = 0; i < errors->kept; i++)
        other = other || (errors->items[i].kind != TACT_ERROR_WARNING && strncmp(errors->items[i].text, "--", 2) != 0);
    if (!other) return;
    tact_errors_add(errors, TACT_ERROR_WARNING, (tact_place){.file = name}, "read with %s %s%s",
                    tact_scene_set_option(settings, 0), tact_quote(settings->set[0]).text,
                    settings->nset > 1 ? " and others" : "");
}

static tact_scene *parse(tact_source source, const char *folder, const tact_scene_settings *settings, tact_errors *errors) {
    tact_json json;
    tact_scene *scene = NULL;
    if (!tact_json_read(&json, source, errors)) return NULL;
    tact_scene_build build = {
        .json = &json, .folder = folder, .settings = settings, .errors = errors, .draft = {.errors = errors, .folder = folder}};
    int before = errors->errors;
    bool placed = settings->origin || settings->nset == 0 || tact_scene_place_settings(&build.draft, settings, &json);
    if (placed) scene = build_scene(&build);
    tact_draft_free(&build.draft);
    tact_scene_free_documents(build.documents);
    tact_json_free(&json);
    if (errors->errors > before) tell_settings(source.name, settings, errors);
    return scene;
}

// Makes a scene of a text, after its settings have been applied to it. NULL after errors.
tact_scene *tact_scene_parse(tact_source source, const char *folder, const tact_scene_settings *settings, tact_errors *errors) {
    static const tact_scene_settings none = {0};
    tact_text changed = {0};
    tact_scene *scene = NULL;
    if (!settings) settings = &none;
    if (tact_kind_refuse(source, "a scene", errors)) return NULL;
    if (tact_scene_apply(source, settings, &changed, errors)) {
        if (settings->nset > 0) {
            source.bytes = changed.bytes;
            source.size = changed.size;
        }
        scene = parse(source, folder, settings, errors);
    }
    tact_text_free(&changed);
    return scene;
}

// the file and the folder that it lies in; false after reporting
static bool read_file(const char *path, tact_text *text, tact_text *folder, tact_errors *errors) {
    const char *slash = strrchr(path, '/');
    tact_text_add_bytes(folder, path, slash ? (size_t)(slash - path) + 1 : 0);
    if (!folder->failed) return tact_text_read(text, path, TACT_TEXT_LIMIT, errors);
    return tact_file_refuse(path, ENOMEM, errors);
}

tact_scene *tact_scene_read(const char *path, const tact_scene_settings *settings, tact_errors *errors) {
    tact_text text = {0}, folder = {0};
    tact_scene *scene = NULL;
    if (read_file(path, &text, &folder, errors))
        scene = tact_scene_parse(tact_text_source(&text, path), folder.bytes, settings, errors);
    tact_text_free(&text);
    tact_text_free(&folder);
    return scene;
}

// the text of a robot's "file", from the scene's folder
static bool names_file(const tact_json *json, int robot, const tact_text *folder, const char *file) {
    tact_text named = {0};
    int node = tact_json_type(json, robot) == TACT_JSON_OBJECT ? tact_json_find(json, robot, "file") : -1;
    if (node < 0 || tact_json_type(json, node) != TACT_JSON_STRING) return false;
    const char *text = tact_json_string(json, node);
    if (text[0] != '/') tact_text_add_bytes(&named, folder->bytes, folder->size);
    tact_text_add(&named, text);
    bool same = !named.failed && tact_file_same(named.bytes, file);
    tact_text_free(&named);
    return same;
}

// Whether the list "robots" of a scene file names this file, by whatever path.
bool tact_scene_names_robot(const char *path, const char *file) {
    tact_text text = {0}, folder = {0};
    tact_errors errors = {0};
    tact_json json;
    bool found = false;
    if (read_file(path, &text, &folder, &errors) && tact_json_read(&json, tact_text_source(&text, path), &errors)) {
        int robots = tact_json_type(&json, 0) == TACT_JSON_OBJECT ? tact_json_find(&json, 0, "robots") : -1;
        if (robots >= 0 && tact_json_type(&json, robots) == TACT_JSON_ARRAY)
            for (int i = tact_json_first(&json, robots); i >= 0 && !found; i = tact_json_after(&json, i))
                found = names_file(&json, i, &folder, file);
        tact_json_free(&json);
    }
    tact_text_free(&text);
    tact_text_free(&folder);
    return found;
}

bool tact_scene_visit_meshes(const char *path, void (*visit)(void *context, const tact_scene_mesh *mesh), void *context,
                             tact_errors *errors) {
    tact_text text = {0}, folder = {0};
    tact_json json;
    int before = errors->errors;
    if (read_file(path, &text, &folder, errors) && tact_json_read(&json, tact_text_source(&text, path), errors)) {
        tact_scene_build build = {
            .json = &json, .folder = folder.bytes, .errors = errors, .draft = {.errors = errors, .folder = folder.bytes}};
        // lists are read, but no model is built: a scene whose model is refused still shows its meshes
        bool good = read_lists(&build) && errors->errors == before;
        for (int i = 0; good && i < build.draft.nmesh; i++) {
            const tact_draft_mesh *from = &build.draft.meshes[i];
            const tact_json *document = from->mark.json;
            tact_scene_mesh mesh = {.body = from->body,
                                    .file = from->file,
                                    .from = from->from ? from->from
                                            : document ? document->source.name
                                                       : from->mark.place.file,
                                    .place = tact_scene_pose(&from->frame)};
            for (int k = 0; k < 3; k++) mesh.scale[k] = from->scale[k];
            visit(context, &mesh);
        }
        tact_draft_free(&build.draft);
        tact_scene_free_documents(build.documents);
        tact_json_free(&json);
    }
    tact_text_free(&text);
    tact_text_free(&folder);
    return errors->errors == before;
}

// Reads a scene file. On failure NULL, with the first error in message.
tact_scene *tact_scene_load(const char *path, char *message, size_t message_size) {
    TACT_ASSERT(path && (message || message_size == 0));
    tact_errors *errors = tact_memory_get(sizeof *errors);
    if (message_size > 0) message[0] = '\0';
    if (!errors) {
        if (message_size > 0) snprintf(message, message_size, "out of memory");
        return NULL;
    }
    memset(errors, 0, sizeof *errors);
    tact_scene *scene = tact_scene_read(path, NULL, errors);
    int first = 0;
    while (first < errors->kept && errors->items[first].kind == TACT_ERROR_WARNING) first++;
    if (!scene && message_size > 0) snprintf(message, message_size, "%s", first < errors->kept ? errors->items[first].text : "");
    tact_memory_release(errors);
    return scene;
}
