// SPDX-License-Identifier: MIT
#include "scene/mesh_path.h"

#include <string.h>

// false when a path climbs more than so many folders above its start
static bool stays_inside(const char *path, int up) {
    int depth = up;
    while (*path && depth >= 0) {
        size_t size = strcspn(path, "/\\");
        if (size == 2 && memcmp(path, "..", 2) == 0) {
            depth--;
        } else if (size > 0 && !(size == 1 && path[0] == '.')) {
            depth++;
        }
        path += size + (path[size] != '\0');
    }
    return depth >= 0;
}

const char *tact_mesh_package(const char *file) {
    static const char package[] = "package://";
    return strncmp(file, package, sizeof package - 1) == 0 ? file + sizeof package - 1 : NULL;
}

bool tact_mesh_inside(const char *file) {
    const char *rest = tact_mesh_package(file);
    if (rest) {
        size_t name = strcspn(rest, "/\\");
        return strspn(rest, ".") < name && stays_inside(rest + name, 0);
    }
    return !strchr(file, ':') && file[0] != '/' && file[0] != '\\' && stays_inside(file, 1);
}

int tact_mesh_stem(const char **path) {
    for (const char *c = *path; *c; c++)
        if (*c == '/' || *c == '\\') *path = c + 1;
    const char *dot = strrchr(*path, '.');
    return dot ? (int)(dot - *path) : (int)strlen(*path);
}

bool tact_path_ends(const char *name, const char *end) {
    size_t size = strlen(name), length = strlen(end);
    if (size < length) return false;
    for (size_t k = 0; k < length; k++) {
        char c = name[size - length + k];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != end[k]) return false;
    }
    return true;
}
