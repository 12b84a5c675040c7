// SPDX-License-Identifier: MIT
// Scenes written back: values change where they stand, robots are found from where the file lies, refusals change nothing.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "tact/tact.h"
#include "test.h"

static char folder[400], from[500], to[500], below[500], robot[500];
static tact_errors errors;

static const char scene[] = "{\n  \"tact\": 1,   \"gravity\": [0,0,-9.81],\n  \"robots\": [ {\"file\": \"arm.json\"} ],\n"
                            "  \"bodies\": [ {\"name\": \"cube\", \"parent\": \"world\", \"mass\": 0.1,\n"
                            "    \"joint\": {\"name\": \"slide\", \"type\": \"prismatic\"}} ],\n"
                            "  \"drives\": [ {\"joint\": \"*\", \"stiffness\": 9} ]\n}\n";
static const char arm[] =
    "{\"tact\":1,\"bodies\":[{\"name\":\"link\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"name\":\"j\",\"type\":"
    "\"prismatic\"}}]}\n";

// the whole text of a file, "" without one
static const char *read_text(const char *path) {
    static char text[4000];
    FILE *file = fopen(path, "r");
    text[0] = '\0';
    if (!file) return text;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static bool write_scene(const char *path, const char *set, const char *law, const char *output) {
    tact_scene_settings settings = {.set = &set, .nset = set ? 1 : 0, .law = law};
    errors = (tact_errors){0};
    return tact_scene_write(path, &settings, output, &errors);
}

static void test_values(void) {
    char wanted[4000];
    errors = (tact_errors){0};
    CHECK(tact_scene_write(from, NULL, to, &errors));
    CHECK_TEXT(read_text(to), scene);
    // one value, and nothing but that
    snprintf(wanted, sizeof wanted, "%s", scene);
    char *at = strstr(wanted, "0.1,");
    CHECK(at != NULL && write_scene(from, "bodies.cube.mass=0.2", NULL, to));
    if (at) at[2] = '2';
    CHECK_TEXT(read_text(to), wanted);
    // a key that was not there, and over the same file
    CHECK(write_scene(to, "state.q.slide=0.05", "rigid", to));
    tact_scene *made = tact_scene_read(to, NULL, &errors);
    CHECK(made != NULL);
    if (!made) return;
    CHECK(made->model.q0[1] == TACT_REAL(0.05) && strcmp(made->model.law->name, "rigid") == 0);
    CHECK(made->model.body[1].mass == TACT_REAL(0.2));
    tact_scene_free(made);
}

static void test_folders(void) {
    CHECK(write_scene(from, NULL, NULL, below));
    CHECK(strstr(read_text(below), "\"../arm.json\"") != NULL);
    tact_scene *made = tact_scene_read(below, NULL, &errors);
    CHECK(made != NULL);
    tact_scene_free(made);
}

static void test_refused(void) {
    test_write_text(to, "kept");
    static const char *const wrong[] = {"bodies.cube.mass=-1", "bodies.none.mass=1", "bodies.cube.mass=", "options.kappa=\"x\""};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        CHECK(!write_scene(from, wrong[i], NULL, to));
        CHECK(errors.errors > 0);
        CHECK_TEXT(read_text(to), "kept");
    }
    CHECK(!write_scene(from, NULL, "none", to) && errors.errors > 0);
    CHECK(!write_scene("/none/scene.json", NULL, NULL, to) && tact_errors_exit(&errors) == 3);
    CHECK(!write_scene(from, NULL, NULL, "/none/scene.json") && errors.errors > 0);
    CHECK_TEXT(read_text(to), "kept");
}

int main(void) {
    test_make_folder(folder, sizeof folder, NULL);
    snprintf(from, sizeof from, "%s/scene.json", folder);
    snprintf(to, sizeof to, "%s/out.json", folder);
    snprintf(robot, sizeof robot, "%s/arm.json", folder);
    snprintf(below, sizeof below, "%s/below", folder);
    CHECK_INT(mkdir(below, 0700), 0);
    snprintf(below, sizeof below, "%s/below/scene.json", folder);
    test_write_text(from, scene);
    test_write_text(robot, arm);
    test_values();
    test_folders();
    test_refused();
    const char *const files[] = {from, to, robot, below};
    for (int i = 0; i < 4; i++) unlink(files[i]);
    snprintf(below, sizeof below, "%s/below", folder);
    rmdir(below);
    CHECK_INT(rmdir(folder), 0);
    return test_end("edit");
}
