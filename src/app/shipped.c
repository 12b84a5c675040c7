// SPDX-License-Identifier: MIT
#include "app/shipped.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool tact_shipped_place(const char *place, char path[TACT_SHIPPED_PATH]) {
    char folder[TACT_SHIPPED_PATH];
    ssize_t size = readlink("/proc/self/exe", folder, sizeof folder - 1);
    char *slash = NULL;
    folder[size > 0 ? size : 0] = '\0';
    if (size > 0) slash = strrchr(folder, '/');
    // systems without /proc: the usual place
    if (slash)
        slash[1] = '\0';
    else
        strcpy(folder, "/usr/local/bin/");
    int length = snprintf(path, TACT_SHIPPED_PATH, "%s%s", folder, place);
    return length >= 0 && length < TACT_SHIPPED_PATH;
}

bool tact_shipped_scene(const char *name, char path[TACT_SHIPPED_PATH]) {
    // beside build/tact, beside build/VARIANT/tact, and in an installation
    static const char *const folders[] = {"../data/scenes", "../../data/scenes", "../share/tact/scenes"};
    size_t size = strlen(name);
    bool ended = size > 5 && strcmp(name + size - 5, ".json") == 0;
    if (size == 0 || size > 200 || strchr(name, '/') || strcmp(name, "-") == 0) return false;
    if (access(name, F_OK) == 0 || errno != ENOENT) return false;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char place[256];
        snprintf(place, sizeof place, "%s/%s%s", folders[i], name, ended ? "" : ".json");
        if (tact_shipped_place(place, path) && access(path, R_OK) == 0) return true;
    }
    return false;
}
