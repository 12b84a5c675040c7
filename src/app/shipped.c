// SPDX-License-Identifier: MIT
#include "app/shipped.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"

enum { NAME_SIZE = 256 };

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

// beside build/tact, beside build/VARIANT/tact, in an installation, and in a wheel of Python
static const char *const folders[] = {"../data/scenes", "../../data/scenes", "../share/tact/scenes", "../scenes"};

bool tact_shipped_scene(const char *name, char path[TACT_SHIPPED_PATH]) {
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

// The name in a folder that is nearest to a word, with or without its ending .json; false when none is near.
static bool find_near(const char *folder, const char *word, bool bare, char found[NAME_SIZE]) {
    DIR *open = opendir(folder);
    tact_nearest nearest = {.word = word};
    int best = 1000;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread, and the folder is this function's own
    for (const struct dirent *entry = open ? readdir(open) : NULL; entry; entry = readdir(open)) {
        char name[NAME_SIZE];
        int size = snprintf(name, sizeof name, "%s", entry->d_name);
        if (size < 0 || size >= NAME_SIZE) continue;
        bool ended = size > 5 && strcmp(name + size - 5, ".json") == 0;
        if (bare && !ended) continue;
        if (bare) name[size - 5] = '\0';
        nearest.best = NULL;
        tact_nearest_try(&nearest, name);
        if (!nearest.best || nearest.distance >= best) continue;
        best = nearest.distance;
        memcpy(found, name, sizeof name);
    }
    if (open) closedir(open);
    return best < 1000;
}

bool tact_shipped_suggest(const char *name) {
    char folder[TACT_SHIPPED_PATH], word[NAME_SIZE], found[NAME_SIZE];
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    int size = snprintf(word, sizeof word, "%s", last),
        before = snprintf(folder, sizeof folder, "%.*s", (int)(last - name), name);
    if (size <= 0 || size >= NAME_SIZE || before >= TACT_SHIPPED_PATH || strcmp(name, "-") == 0) return false;
    if (access(name, F_OK) == 0 || errno != ENOENT) return false;
    if (find_near(before > 0 ? folder : ".", word, false, found)) {
        tact_say("%s: error: No such file or directory (did you mean %s%s?)", name, folder, found);
        return true;
    }
    char *ending = strrchr(word, '.');
    if (ending && ending > word) *ending = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (!tact_shipped_place(folders[i], folder) || !find_near(folder, word, true, found)) continue;
        // of a path, as data/scenes/lesson.json seen from another folder, that name only
        if (before > 0 && strcmp(found, word) != 0) continue;
        tact_say("%s: error: No such file or directory (did you mean %s, which comes along?)", name, found);
        return true;
    }
    return false;
}
