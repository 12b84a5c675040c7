// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700

#include "tact/mesh.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "scene/mesh_path.h"

enum { PATH_ROOM = 4096 };

// Cuts the last part off a path; false at the root.
static bool climb(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || !path[1]) return false;
    slash[slash == path] = '\0';
    return true;
}

// A package of a name says so by its package.xml: a folder that only has the name, as /home/USER, is none.
static bool is_package(const char *folder, const char *name, size_t length) {
    const char *slash = strrchr(folder, '/'), *last = slash ? slash + 1 : folder;
    char path[PATH_ROOM];
    struct stat status;
    return strlen(last) == length && memcmp(last, name, length) == 0 &&
           snprintf(path, sizeof path, "%s/package.xml", folder) < PATH_ROOM && stat(path, &status) == 0 &&
           S_ISREG(status.st_mode);
}

// The folder of a package, by its name: above the robot's file, or among the packages that were given.
static bool find_package(const char *packages, char *folder, const char *name, size_t size, char root[PATH_ROOM]) {
    while (folder[1]) {
        if (is_package(folder, name, size)) {
            snprintf(root, PATH_ROOM, "%s", folder);
            return true;
        }
        climb(folder);
    }
    // the package itself in the place of the folder that it lies in; what cannot be resolved is told as it was given
    char *real = packages ? realpath(packages, NULL) : NULL;
    const char *from = real ? real : packages;
    bool itself = from && is_package(from, name, size);
    int length = from ? snprintf(root, PATH_ROOM, itself ? "%s" : "%s/%.*s", from, (int)size, name) : PATH_ROOM;
    free(real);
    return length < PATH_ROOM;
}

// Where a mesh should be, and the root that it must not leave. NULL, or why there is no such place.
static const char *find_place(const char *file, const char *robot, const char *packages, char place[PATH_ROOM],
                              char root[PATH_ROOM]) {
    char from[PATH_ROOM];
    const char *rest = tact_mesh_package(file), *slash = strrchr(robot, '/');
    int size = snprintf(from, sizeof from, "%.*s", slash ? (int)(slash - robot) + 1 : 1, slash ? robot : ".");
    char *folder = size < PATH_ROOM ? realpath(from, NULL) : NULL;
    if (!folder) return "its folder cannot be read";
    const char *why = NULL;
    // package://NAME/REST lies in the folder of that package; any other path beside the robot file
    if (rest) {
        size_t name = strcspn(rest, "/");
        if (!find_package(packages, folder, rest, name, root))
            why = "no folder above the robot file has the package's name and a package.xml (--packages says where packages are)";
        else if (snprintf(place, PATH_ROOM, "%s%s", root, rest + name) >= PATH_ROOM)
            why = "too long a path";
    } else {
        if (snprintf(place, PATH_ROOM, "%s/%s", folder, file) >= PATH_ROOM) why = "too long a path";
        // meshes may lie beside the folder of the robot file (../meshes), but not above that
        climb(folder);
        snprintf(root, PATH_ROOM, "%s", folder);
    }
    free(folder);
    return why;
}

char *tact_mesh_real(const char *path) {
    return realpath(path, NULL);
}

bool tact_mesh_relate(char *path, size_t size, const char *robot, tact_reason *why) {
    char place[PATH_ROOM], root[PATH_ROOM];
    char *real = realpath(path, NULL);
    // place: the robot's folder, ended by /
    if (!real || find_place("", robot, NULL, place, root))
        *why = tact_reason_print(errno);
    else if (strncmp(real, place, strlen(place)) == 0)
        snprintf(path, size, "%s", real + strlen(place));
    const bool related = real && path[0] != '/';
    free(real);
    return related;
}

char *tact_mesh_file(const char *file, const char *robot, const char *packages, tact_reason *why) {
    char place[PATH_ROOM], root[PATH_ROOM];
    const char *refusal = tact_mesh_inside(file) ? find_place(file, robot, packages, place, root) : "outside the package root";
    char *real = refusal ? NULL : realpath(place, NULL), *real_root = real ? realpath(root, NULL) : NULL;
    const tact_reason reason = tact_reason_print(errno);
    if (!refusal && !real_root) refusal = reason.text;
    size_t size = real_root ? strlen(real_root) : 0;
    bool inside = size > 0 && strncmp(real, real_root, size) == 0 && (size == 1 || real[size] == '/');
    if (!refusal && !inside) refusal = "outside the package root";
    free(real_root);
    if (!refusal) return real;
    free(real);
    const bool missing = refusal == reason.text && tact_mesh_package(file);
    snprintf(why->text, sizeof why->text, missing ? "%s: %.150s" : "%s", refusal, place);
    return NULL;
}
