// SPDX-License-Identifier: MIT
// Scenes from texts within the tests.
#ifndef TACT_SCENE_TEST_H
#define TACT_SCENE_TEST_H

#include "tact/scene.h"
#include "test.h"

static tact_errors errors;
static tact_scene *scene;

static inline tact_scene *parse_text(const char *text, const tact_scene_settings *settings) {
    tact_source source = {.name = "s", .bytes = text, .size = strlen(text), .line = 1};
    errors = (tact_errors){0};
    return tact_scene_parse(source, "", settings, &errors);
}

// the scene must be good
static inline const tact_model *open_scene(const char *text) {
    static const tact_model none;
    scene = parse_text(text, NULL);
    CHECK(scene != NULL);
    CHECK_INT(errors.errors, 0);
    for (int i = 0; i < errors.kept; i++) printf("    %s\n", errors.items[i].text);
    return scene ? &scene->model : &none;
}

static inline void close_scene(void) {
    tact_scene_free(scene);
    scene = NULL;
}

// every message kept, without line and column: "s:1:2: /a: b" is "/a: b"
static inline const char *message(int i) {
    const char *text = i < errors.kept ? errors.items[i].text : "";
    if (strncmp(text, "s:", 2) != 0) return text;
    const char *space = strchr(text, ' ');
    return space ? space + 1 : text;
}

static inline void check_messages(int line, const tact_scene_settings *settings, const char *text, int count,
                                  const char *const *messages) {
    tact_scene *result = parse_text(text, settings);
    int refused = 0;
    test_int(errors.kept, count, __FILE__, line, "messages");
    for (int i = 0; i < count || i < errors.kept; i++) {
        test_text(message(i), i < count ? messages[i] : "", __FILE__, line, text);
        refused += i < errors.kept && errors.items[i].kind != TACT_ERROR_WARNING;
    }
    test_int(result == NULL, refused > 0, __FILE__, line, "refused");
    tact_scene_free(result);
}

// the text gives exactly these messages, and no scene unless all are warnings
#define CHECK_SCENE(text, ...)                                                                        \
    check_messages(__LINE__, NULL, text, (int)(sizeof(const char *[]){__VA_ARGS__} / sizeof(char *)), \
                   (const char *const[]){__VA_ARGS__})

// texts that most scenes need
#define BALL(name) "{\"name\":\"" name "\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"type\":\"translation\"}}"
#define SLIDE(name, rest) "{\"name\":\"" name "\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"" rest "}}"
#define BODIES(list) "{\"tact\":1,\"bodies\":[" list "]"
#define SPHERE(name, body) "{\"name\":\"" name "\",\"body\":\"" body "\",\"type\":\"sphere\",\"radius\":0.1}"

#endif
