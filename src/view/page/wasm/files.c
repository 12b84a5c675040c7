// SPDX-License-Identifier: MIT
// Files in the page: what it was given by name. Takes the place of src/scene/text_read.c and of the readers of URDF and COLLADA,
// and, since the page has no threads, of src/scene/json_parse.c.
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "scene/build.h"
#include "scene/json_parts.h"
#include "scene/mesh_parts.h"
#include "tact/robot.h"
#include "tact/text.h"

enum { FILES = 64 };

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

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// NULL after reporting.
static file *find_file(const char *path, size_t limit, tact_errors *errors) {
    file *found = NULL;
    // the same path, or else the same name: files that are dropped have no folder
    for (int i = 0; i < FILES && files[i].path && !found; i++)
        if (strcmp(files[i].path, path) == 0) found = &files[i];
    for (int i = 0; i < FILES && files[i].path && !found; i++)
        if (strcmp(base_name(files[i].path), base_name(path)) == 0) found = &files[i];
    if (!found) {
        tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = path},
                        "not in this page: drop it together with the scene");
        return NULL;
    }
    if (found->size <= limit) return found;
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = path}, "too large");
    return NULL;
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

bool tact_mesh_read_collada(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory) {
    (void)mesh, (void)no_memory;
    return tact_mesh_refuse(source, NULL, errors, "COLLADA is not read in the page: save the mesh as .obj or .stl");
}

cJSON *tact_json_parse(const char *text, size_t size) {
    return cJSON_ParseWithLengthOpts(text, size, NULL, 0);
}

// tact view puts URDF into the page as the robot file that it makes of it. The draft's names stay in the document.
bool tact_robot_read(tact_draft *draft, const char *path) {
    file *found = find_file(path, TACT_TEXT_LIMIT, draft->errors);
    int before = draft->errors->errors;
    if (!found) return false;
    if (found->size == 0 || found->bytes[0] != '{') {
        tact_errors_add(draft->errors, TACT_ERROR_REFUSED, (tact_place){.file = path},
                        "URDF is not read in the page: use tact view, or tact import");
        return false;
    }
    tact_source source = {.name = found->path, .bytes = found->bytes, .size = found->size, .line = 1};
    if (!found->parsed) found->parsed = tact_json_read(&found->json, source, draft->errors);
    if (!found->parsed) return false;
    found->json.errors = draft->errors;
    tact_scene_read_robot_lists(draft, &found->json);
    return draft->errors->errors == before;
}
