// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700  // realpath
#include "app/rewrite.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tact_scene_change(tact_text *text, const char *setting, const char *name, tact_errors *errors) {
    tact_scene_settings one = {.set = &setting, .nset = 1};
    tact_source source = {.name = name, .bytes = text->bytes, .size = text->size, .line = 1};
    tact_text changed = {0};
    if (!tact_scene_apply(source, &one, &changed, errors)) return false;
    tact_text_free(text);
    *text = changed;
    return true;
}

// The folder of a path, without symbolic links and double dots; that of "-" is the present one. False and an error where it
// cannot be told.
static bool find_folder(const char *path, char folder[PATH_MAX], tact_errors *errors) {
    char name[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t size = slash ? (size_t)(slash - path) + 1 : 0;
    if (size >= sizeof name) {
        tact_file_refuse(path, ENAMETOOLONG, errors);
        return false;
    }
    memcpy(name, size > 0 ? path : ".", size > 0 ? size : 1);
    name[size > 0 ? size : 1] = '\0';
    bool found = realpath(name, folder) != NULL;
    if (!found) tact_file_refuse(path, errno, errors);
    return found;
}

// The name of a file as seen from a folder, both absolute: ../ for what is not common, then the rest.
static void add_relative(const char *folder, const char *file, tact_text *out) {
    size_t common = 0, i = 0;
    for (; folder[i] && folder[i] == file[i]; i++)
        if (folder[i] == '/') common = i;
    if (!folder[i] && file[i] == '/') common = i;
    for (const char *c = folder + common; *c; c++)
        if (*c == '/' && c[1]) tact_text_add(out, "../");
    tact_text_add(out, file + common + 1);
}

// Names the file of one robot or shape, item "robots.0.file=" and so on, from the output's folder, where it lies in another than
// the scene.
static bool move_file(tact_text *text, const char *item, const char *file, const char *from, const char *to, const char *name,
                      tact_errors *errors) {
    char joined[PATH_MAX], resolved[PATH_MAX];
    tact_text path = {0}, setting = {0};
    int size = snprintf(joined, sizeof joined, "%s/%s", from, file);
    if (file[0] == '/') return true;
    if (size < 0 || (size_t)size >= sizeof joined) return tact_file_refuse(file, ENAMETOOLONG, errors);
    if (!realpath(joined, resolved)) return tact_file_refuse(joined, errno, errors);
    add_relative(to, resolved, &path);
    tact_text_add(&setting, item);
    if (path.bytes) tact_text_add_json(&setting, path.bytes);
    bool good = !path.failed && !setting.failed && tact_scene_change(text, setting.bytes, name, errors);
    tact_text_free(&path);
    tact_text_free(&setting);
    return good;
}

// All files that a list of the scene names: robots, and grids among the shapes.
static bool move_list(tact_text *text, tact_json *json, const char *key, const char *from, const char *to, tact_errors *errors) {
    int list = tact_json_find(json, 0, key), item = 0;
    bool good = true;
    for (int i = list >= 0 ? tact_json_first(json, list) : -1; good && i >= 0; i = tact_json_after(json, i), item++) {
        int node = tact_json_find(json, i, "file");
        char setting[64];
        if (node < 0) continue;
        const char *file = tact_json_get_string(json, node, PATH_MAX);
        snprintf(setting, sizeof setting, "%s.%d.file=", key, item);
        good = file && move_file(text, setting, file, from, to, json->source.name, errors);
    }
    return good;
}

bool tact_scene_move_files(tact_text *text, const char *path, const char *output, tact_errors *errors) {
    char from[PATH_MAX], to[PATH_MAX];
    tact_json json;
    tact_text original = {0};
    if (!find_folder(path, from, errors) || !find_folder(output, to, errors)) return false;
    if (strcmp(from, to) == 0) return true;
    tact_text_add_bytes(&original, text->bytes, text->size);
    tact_source source = {.name = path, .bytes = original.bytes, .size = original.size, .line = 1};
    bool good = !original.failed && tact_json_read(&json, source, errors);
    if (good) {
        good = move_list(text, &json, "robots", from, to, errors) && move_list(text, &json, "shapes", from, to, errors);
        tact_json_free(&json);
    }
    tact_text_free(&original);
    return good;
}

// "joint": [value at each time]
static void add_joint(const tact_scene *scene, const tact_command *command, int body, tact_text *out) {
    const tact_body *joint = &scene->model.body[body];
    size_t nu = (size_t)scene->model.nu, dofs = (size_t)tact_joint_dofs(joint->joint),
           first = (size_t)scene->model.dof[joint->v].u;
    tact_text_add_json(out, scene->model.names->joint[body]);
    tact_text_add(out, ": [");
    for (size_t k = 0; k < (size_t)command->ntime; k++) {
        if (k > 0) tact_text_add(out, ", ");
        if (dofs > 1)
            tact_text_add_vector(out, command->u + k * nu + first, dofs);
        else
            tact_text_add_number(out, (double)command->u[k * nu + first]);
    }
    tact_text_add(out, "]");
}

void tact_scene_add_command(const tact_scene *scene, const tact_command *command, tact_text *out) {
    bool any = false;
    tact_text_add(out, "{\n    \"mode\": \"trajectory\",\n    \"times\": [");
    for (int k = 0; k < command->ntime; k++) {
        if (k > 0) tact_text_add(out, ", ");
        tact_text_add_number(out, (double)command->times[k]);
    }
    tact_text_add(out, "],\n    \"q\": {");
    for (int b = 0; b < scene->model.nbody; b++) {
        const tact_body *body = &scene->model.body[b];
        if (tact_joint_dofs(body->joint) == 0 || scene->model.dof[body->v].body != b || scene->model.dof[body->v].u < 0) continue;
        tact_text_add(out, any ? ",\n      " : "\n      ");
        any = true;
        add_joint(scene, command, b, out);
    }
    tact_text_add(out, "\n    }\n  }");
}

// A setting has no line breaks: those of the command come back where it stands now.
static void restore_lines(tact_text *text, const tact_text *command) {
    if (!text->bytes || !command->bytes) return;
    for (size_t at = 0; at + command->size <= text->size; at++) {
        size_t i = 0;
        while (i < command->size && (text->bytes[at + i] == command->bytes[i] || command->bytes[i] == '\n')) i++;
        if (i < command->size) continue;
        memcpy(text->bytes + at, command->bytes, command->size);
        return;
    }
}

bool tact_scene_rewrite(const tact_call *call, tact_source source, const tact_scene *scene, const tact_command *command,
                        tact_text *out, tact_errors *errors) {
    const char *path = tact_call_operand(call, 0), *output = tact_call_value(call, "--output"),
               *law = tact_call_value(call, "--law");
    tact_text text = {0}, value = {0}, setting = {0};
    int at = 0;
    tact_text_add_bytes(&text, source.bytes, source.size);
    if (law) tact_text_add(&setting, "law=");
    if (law) tact_text_add_json(&setting, law);
    tact_scene_add_command(scene, command, &value);
    bool good = !text.failed && !setting.failed && !value.failed;
    // the changes of the command line are written, too
    for (const char *set = tact_call_next(call, "--set", &at); good && set; set = tact_call_next(call, "--set", &at))
        good = tact_scene_change(&text, set, source.name, errors);
    if (good && law) good = tact_scene_change(&text, setting.bytes, source.name, errors);
    // paths are relative to the file that is written
    good = good && tact_scene_move_files(&text, path, output, errors);
    tact_text_clear(&setting);
    tact_text_add(&setting, "command=");
    if (value.bytes) tact_text_add(&setting, value.bytes);
    good = good && !setting.failed && tact_scene_change(&text, setting.bytes, source.name, errors);
    if (good) {
        restore_lines(&text, &value);
        tact_text_add_bytes(out, text.bytes, text.size);
        good = !out->failed;
    }
    if (!good && errors->errors == 0)
        tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = source.name}, "out of memory");
    tact_text_free(&text);
    tact_text_free(&value);
    tact_text_free(&setting);
    return good;
}
