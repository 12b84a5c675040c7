// SPDX-License-Identifier: MIT
// Any bytes as MJCF: refused with an error, or read to a draft whose robot file reads back and is written again to the byte.
#include "fuzz.h"
#include "scene/build.h"
#include "scene/mjcf.h"
#include "tact/robot.h"

static void read_back(const tact_draft *draft, tact_errors *errors) {
    tact_text text = {0}, again = {0};
    tact_json json;
    tact_draft back = {.errors = errors};
    tact_robot_write(draft, &text);
    fuzz_require(!text.failed, "the robot file is written");
    fuzz_require(tact_json_read(&json, tact_text_source(&text, "robot.json"), errors), "the robot file is JSON");
    tact_scene_read_robot_lists(&back, &json);
    if (errors->errors > 0) fprintf(stderr, "%s\n", errors->items[errors->kept - 1].text);
    fuzz_require(errors->errors == 0, "the robot file is accepted");
    fuzz_require(back.nbody == draft->nbody && back.nshape == draft->nshape && back.ndrive == draft->ndrive &&
                     back.nspring == draft->nspring && back.nloop == draft->nloop,
                 "the robot file has all bodies, shapes, drives, springs and loops");
    tact_robot_write(&back, &again);
    tact_source once = tact_text_source(&text, ""), twice = tact_text_source(&again, "");
    fuzz_require(once.size == twice.size && memcmp(once.bytes, twice.bytes, once.size) == 0,
                 "what was read back is written alike");
    tact_text_free(&again);
    tact_draft_free(&back);
    tact_json_free(&json);
    tact_text_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static tact_errors errors;
    errors = (tact_errors){0};
    tact_draft draft = {.errors = &errors};
    tact_source source = {.name = "robot.xml", .bytes = (const char *)bytes, .size = size, .line = 1};
    bool read = tact_mjcf_read_source(&draft, source);
    fuzz_require(read == (errors.errors == 0), "refused if and only if there are errors");
    for (int i = 0; i < errors.kept; i++)
        fuzz_require(strstr(errors.items[i].text, ": ") != NULL, "a message has a place and a reason");
    if (read) read_back(&draft, &errors);
    tact_draft_free(&draft);
    return 0;
}
