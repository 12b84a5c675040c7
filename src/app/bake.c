// SPDX-License-Identifier: MIT
// tact bake: a scene's model as C constants, for programs without files.
#include <string.h>

#include "app/stage.h"

static const char help[] =
    "Prints C source: const tact_model NAME, const tact_options NAME_options and const tact_real NAME_u[nu], the commands\n"
    "with which the scene begins. It is compiled together with the core of the library, in double or in float, and needs\n"
    "neither heap nor files. With --header: the declarations, and the sizes of memory that a state and the work need.\n"
    "NAME is the scene's name without --name; --include is for programs that use the core in one file.\n"
    "\n"
    "examples:\n"
    "  tact bake data/scenes/lesson.json > lesson.c\n"
    "  tact bake data/scenes/lesson.json --header > lesson.h\n"
    "  tact bake data/scenes/lesson.json --include tact.h --name hand > hand.c\n";

static int run(const tact_call *call) {
    tact_world world;
    char name[64];
    const char *include = tact_call_value(call, "--include"), *given = tact_call_value(call, "--name");
    if (given && !tact_bake_name(given))
        return tact_say_usage(call->command, "--name: must be a free C identifier (found %s)", tact_quote(given).text);
    if (include && (include[0] == '\0' || strpbrk(include, "\"\\\n\r")))
        return tact_say_usage(call->command, "--include: must be the name of a header (found %s)", tact_quote(include).text);
    int code = tact_stage_open(call, tact_call_operand(call, 0), &world);
    if (code != TACT_EXIT_DONE) return code;
    // the scene's command at its start becomes the commands of the constants
    tact_bake_default_name(world.scene->model.names->scene, name, sizeof name);
    tact_scene_command(world.scene, &world.state, world.u);
    tact_bake bake = {.model = &world.scene->model,
                      .options = &world.scene->options,
                      .u = world.u,
                      .name = given ? given : name,
                      .include = include ? include : "tact/sim.h"};
    tact_text text = {0};
    if (tact_call_value(call, "--header"))
        tact_bake_header(&bake, &text);
    else
        tact_bake_source(&bake, &text);
    tact_stage_close(&world);
    return tact_write_text(&text, tact_call_value(call, "-o"));
}

static const tact_call_option options[] = {TACT_STAGE_OPTIONS,
                                           {"--name", "NAME", "what the model is called in C"},
                                           {"--include", "HEADER", "the header of the core, instead of tact/sim.h"},
                                           {"--header", NULL, "print the header that declares the constants"},
                                           {"-o", "FILE", "instead of standard output"},
                                           {0}};

const tact_subcommand tact_bake_command = {.name = "bake",
                                           .operands = "SCENE",
                                           .summary = "Prints the model of a scene as C constants.",
                                           .help = help,
                                           .options = options,
                                           .least = 1,
                                           .most = 1,
                                           .run = run};
