// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700  // realpath
#include "tact/edit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tact/files.h"

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

// Rewrites the path of one file, relative to folder `from`, as relative to folder `to`; item: "robots.0.file=" and the like.
static bool move_file(tact_text *text, const char *item, const char *file, const char *from, const char *to, const char *name,
                      tact_errors *errors) {
    char joined[PATH_MAX], resolved[PATH_MAX];
    tact_text path = {0}, setting = {0};
    int size = snprintf(joined, sizeof joined, "%s/%s", from, file);
    if (file[0] == '/') return true;
    if (size < 0 || (size_t)size >= sizeof joined) return tact_file_refuse(file, ENAMETOOLONG, errors);
    if (!realpath(joined, resolved)) return tact_file_refuse(joined, errno, errors);
    // The name of a file as seen from a folder, both absolute: ../ for what is not common, then the rest.
    size_t common = 0, i = 0;
    for (; to[i] && to[i] == resolved[i]; i++)
        if (to[i] == '/') common = i;
    if (!to[i] && resolved[i] == '/') common = i;
    for (const char *c = to + common; *c; c++)
        if (*c == '/' && c[1]) tact_text_add(&path, "../");
    tact_text_add(&path, resolved + common + 1);
    tact_text_add(&setting, item);
    if (path.bytes) tact_text_add_json(&setting, path.bytes);
    bool good = !path.failed && !setting.failed && tact_scene_change(text, setting.bytes, name, errors);
    tact_text_free(&path);
    tact_text_free(&setting);
    return good;
}

// Rewrites the paths in a list of the scene (robots, shapes) from one folder to another.
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

// Rewrites the relative paths of robots and shapes in a scene's text, so that they hold from the folder of output.
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

// A scene that is written must be one that is read: with its settings, from the folder where it will lie.
static bool check(const tact_text *text, const char *output, tact_errors *errors) {
    const char *slash = strrchr(output, '/');
    tact_text folder = {0};
    tact_source source = {.name = output, .bytes = text->bytes, .size = text->size, .line = 1};
    tact_scene_settings own = {.finds = true};
    tact_text_add_bytes(&folder, output, slash ? (size_t)(slash - output) + 1 : 0);
    tact_scene *scene = folder.failed ? NULL : tact_scene_parse(source, folder.bytes, &own, errors);
    tact_text_free(&folder);
    tact_scene_free(scene);
    return scene != NULL;
}

// The text as the whole of a file, or no file.
static bool put(const tact_text *text, const char *output, tact_errors *errors) {
    tact_output file;
    if (!tact_output_open(&file, output, errors)) return false;
    tact_text_add_bytes(&file.text, text->bytes, text->size);
    return tact_output_finish(&file, errors);
}

// Writes a scene file with settings and law changed; the files that it names are given as seen from the output's folder. The
// result is checked by loading it before it is written.
bool tact_scene_write(const char *path, const tact_scene_settings *settings, const char *output, tact_errors *errors) {
    TACT_ASSERT(path && output && errors);
    static const tact_scene_settings none = {0};
    tact_text text = {0}, law = {0};
    bool good = tact_text_read(&text, path, TACT_TEXT_LIMIT, errors);
    if (!settings) settings = &none;
    // each setting in its turn, then the law, then the files as seen from where the scene will lie
    for (int i = 0; good && i < settings->nset; i++) good = tact_scene_change(&text, settings->set[i], path, errors);
    if (good && settings->law) {
        tact_text_print(&law, "law=%s", settings->law);
        good = !law.failed && tact_scene_change(&text, law.bytes, path, errors);
    }
    good =
        good && tact_scene_move_files(&text, path, output, errors) && check(&text, output, errors) && put(&text, output, errors);
    if (!good && errors->errors == 0) tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = path}, "out of memory");
    tact_text_free(&text);
    tact_text_free(&law);
    return good;
}
