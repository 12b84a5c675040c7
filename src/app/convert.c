// SPDX-License-Identifier: MIT
// tact convert: a scene as MJCF.
#include <stdio.h>
#include <string.h>

#include "app/stage.h"
#include "scene/mjcf_write.h"
#include "scene/quote.h"

static const char help[] = "Writes the scene as MJCF, MuJoCo's format: bodies, joints, masses, drives as position actuators, "
                           "shapes, and the pairs with\n"
                           "their friction; nothing else collides there. Links whose weight their drives carry have gravcomp. "
                           "The initial coordinates are\n"
                           "the keyframe \"start\". What MuJoCo does not have is named on standard error (corner radii, "
                           "restitution) or refused (planar\n"
                           "shapes, planes on bodies that move).\n"
                           "\n"
                           "examples:\n"
                           "  tact convert data/scenes/allegro_cube.json -o cube.xml\n";

static int run(const tact_call *call) {
    const char *path = tact_call_value(call, "-o");
    tact_world world;
    tact_text reason = {0}, left_out = {0};
    tact_errors errors = {0};
    tact_output output;
    int code = tact_stage_open(call, tact_call_operand(call, 0), &world);
    if (code != TACT_EXIT_DONE) return code;
    if (!tact_guard_open(&output, path ? path : "-", &errors)) {
        code = tact_say_errors(&errors);
    } else if (!tact_mjcf_write(world.scene, 0.002, &output.text, &left_out, &reason)) {
        tact_guard_abandon(&output);
        tact_say("convert: %s", tact_quote(reason.bytes ? reason.bytes : "").text);
        code = TACT_EXIT_REFUSED;
    } else {
        for (char *line = left_out.bytes, *end = NULL; line && (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            tact_say("convert: left out: %s", line);
        }
        if (!tact_guard_finish(&output, &errors)) code = tact_say_errors(&errors);
    }
    tact_text_free(&reason);
    tact_text_free(&left_out);
    tact_stage_close(&world);
    return code;
}

static const tact_call_option options[] = {TACT_STAGE_OPTIONS, {"-o", "FILE", "instead of standard output"}, {0}};

const tact_subcommand tact_convert_command = {.name = "convert",
                                              .operands = "SCENE",
                                              .summary = "Writes a scene as MJCF.",
                                              .help = help,
                                              .options = options,
                                              .least = 1,
                                              .most = 1,
                                              .run = run};
