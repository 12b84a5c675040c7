// SPDX-License-Identifier: MIT
// Files in the page: what it was given by name. Takes the place of what asks the system, src/scene/text_read.c, file.c,
// mesh_file.c and robot_read.c, and, since the page has no threads, of src/scene/json_parse.c.
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "scene/build.h"
#include "scene/json_parts.h"
#include "scene/mesh_path.h"
#include "scene/mjcf.h"
#include "scene/urdf.h"
#include "tact/mesh.h"
#include "tact/robot.h"
#include "tact/text.h"

enum { FILES = 1024 };

typedef struct {
    char *path, *bytes;
    size_t size;
    tact_json json;  // once it was read as a robot
    bool parsed;
} file;

static file files[FILES];

// Keeps path and bytes, which come from malloc.
int tact_page_file(char *path, char *bytes, size_t size) {
    int i = 0;
    while (i < FILES && files[i].path && strcmp(files[i].path, path) != 0) i++;
    if (i == FILES) return 0;
    if (files[i].parsed) tact_json_free(&files[i].json);
    free(files[i].path);
    free(files[i].bytes);
    files[i] = (file){.path = path, .bytes = bytes, .size = size};
    return 1;
}

// How many bytes two paths have in common at their ends; 0 unless the last names are the same.
static size_t match_end(const char *a, const char *b) {
    size_t at = strlen(a), other = strlen(b), same = 0;
    bool named = false;
    for (; same < at && same < other && a[at - same - 1] == b[other - same - 1]; same++) named = named || a[at - same - 1] == '/';
    bool whole = (same == at || a[at - same - 1] == '/') && (same == other || b[other - same - 1] == '/');
    return named || whole ? same : 0;
}

// The same path, or else the one that ends most like it: of files that are dropped the folders above are unknown. NULL: none.
static file *look_up(const char *path) {
    file *found = NULL;
    size_t best = 0;
    for (int i = 0; i < FILES && files[i].path; i++) {
        if (strcmp(files[i].path, path) == 0) return &files[i];
        size_t same = match_end(files[i].path, path);
        if (same > best) best = same, found = &files[i];
    }
    return found;
}

// NULL after reporting.
static file *find_file(const char *path, size_t limit, tact_errors *errors) {
    file *found = look_up(path);
    if (!found) {
        tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = path},
                        "not in this page: drop it together with the scene");
        return NULL;
    }
    if (found->size <= limit) return found;
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = path}, "too large");
    return NULL;
}

char *tact_mesh_real(const char *path) {
    const file *found = look_up(path);
    return found ? strdup(found->path) : NULL;
}

// A full path is that of the file without its first slash: files of the page have the names that they were dropped by.
bool tact_mesh_relate(char *path, size_t size, const char *robot, tact_reason *why) {
    (void)size, (void)robot, (void)why;
    const char *rest = path + strspn(path, "/");
    memmove(path, rest, strlen(rest) + 1);
    return true;
}

char *tact_mesh_file(const char *name, const char *robot, const char *packages, tact_reason *why) {
    (void)robot, (void)packages;
    const char *rest = tact_mesh_package(name);
    char *path = tact_mesh_inside(name) ? tact_mesh_real(rest ? rest : name) : NULL;
    if (!path)
        strcpy(why->text,
               tact_mesh_inside(name) ? "not in this page: drop it together with the robot" : "outside the package root");
    return path;
}

// The page knows a file by its path only.
bool tact_file_same(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

bool tact_text_read(tact_text *text, const char *path, size_t limit, tact_errors *errors) {
    const file *found = find_file(path, limit, errors);
    if (!found) return false;
    tact_text_add_bytes(text, found->bytes, found->size);
    tact_text_add(text, "");
    return !text->failed;
}

cJSON *tact_json_parse(const char *text, size_t size) {
    return cJSON_ParseWithLengthOpts(text, size, NULL, 0);
}

// What was dropped.
static bool read_xml(tact_draft *draft, tact_source source) {
    tact_xml xml;
    if (!tact_xml_read(&xml, source, draft->errors)) return false;
    bool mjcf = strcmp(tact_xml_name(&xml, 0), "mujoco") == 0;
    bool good = mjcf ? tact_mjcf_read_xml(draft, &xml) : tact_urdf_read_xml(draft, &xml);
    tact_xml_free(&xml);
    return good;
}

// tact view puts URDF and MJCF into the page as the robot file that it makes of it. The draft's names stay in the document.
bool tact_robot_read(tact_draft *draft, const char *path) {
    file *found = find_file(path, TACT_TEXT_LIMIT, draft->errors);
    int before = draft->errors->errors;
    if (!found) return false;
    tact_source source = {.name = found->path, .bytes = found->bytes, .size = found->size, .line = 1};
    if (found->size == 0 || found->bytes[0] != '{') return read_xml(draft, source);
    if (!found->parsed) found->parsed = tact_json_read(&found->json, source, draft->errors);
    if (!found->parsed) return false;
    found->json.errors = draft->errors;
    tact_scene_read_robot_lists(draft, &found->json);
    return draft->errors->errors == before;
}
