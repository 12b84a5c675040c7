// SPDX-License-Identifier: MIT
// Files in the page: what it was given by name. Takes the place of src/scene/text_read.c and of the reader of URDF.
#include <stdlib.h>
#include <string.h>

#include "page.h"
#include "scene/text.h"
#include "scene/urdf.h"

enum { FILES = 64 };

typedef struct {
    char *path, *bytes;
    size_t size;
} file;

static file files[FILES];

// Keeps path and bytes, which come from malloc.
int tact_page_file(char *path, char *bytes, size_t size) {
    int i = 0;
    while (i < FILES && files[i].path && strcmp(files[i].path, path) != 0) i++;
    if (i == FILES) return 0;
    free(files[i].path);
    free(files[i].bytes);
    files[i] = (file){path, bytes, size};
    return 1;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool tact_text_read(tact_text *text, const char *path, size_t limit, tact_errors *errors) {
    const file *found = NULL;
    // the same path, or else the same name: files that are dropped have no folder
    for (int i = 0; i < FILES && files[i].path && !found; i++)
        if (strcmp(files[i].path, path) == 0) found = &files[i];
    for (int i = 0; i < FILES && files[i].path && !found; i++)
        if (strcmp(base_name(files[i].path), base_name(path)) == 0) found = &files[i];
    if (!found) {
        tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = path},
                        "not in this page: drop it together with the scene");
        return false;
    }
    if (found->size > limit) {
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = path}, "too large");
        return false;
    }
    tact_text_add_bytes(text, found->bytes, found->size);
    tact_text_add(text, "");
    return !text->failed;
}

bool tact_urdf_read(tact_draft *draft, const char *path) {
    tact_errors_add(draft->errors, TACT_ERROR_REFUSED, (tact_place){.file = path},
                    "URDF is not read in the page: use tact view, or tact import");
    return false;
}
