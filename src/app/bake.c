// SPDX-License-Identifier: MIT
// tact bake: a scene's model as C constants, for programs without files.
#include <string.h>

#include "app/stage.h"

static const char help[] =
    "Prints C source: const tact_model NAME, const tact_options NAME_options and const tact_real NAME_u[nu], the commands\n"
    "with which the scene begins. It is compiled together with the core of the library, in double or in float, and needs\n"
    "neither heap nor files. With --header: the declarations, and the sizes of memory that a state and the work need, in\n"
    "double precision with pointers of 8 bytes, which is enough everywhere; make sizes SCENE=FILE prints those of a board,\n"
    "in float32 and double32. With --mpc also NAME_mpc_step, NAME_mpc and NAME_goal, what tact_mpc_solve is given for the\n"
    "scene's goal and its mpc (a region of contacts is left out); the header then has NAME_horizon and NAME_mpc_size. NAME\n"
    "is the scene's name without --name, after model_ where it begins with a digit; --include is for programs that use the\n"
    "core in one file.\n"
    "\n"
    "examples:\n"
    "  tact bake data/scenes/lesson.json > lesson.c\n"
    "  tact bake data/scenes/lesson.json --header > lesson.h\n"
    "  tact bake data/scenes/lesson.json --include tact.h --name hand > hand.c\n"
    "  tact bake data/scenes/allegro_cube.json --mpc --include tact.h > cube.c\n";

// What a controller takes from the scene. False after saying what the scene lacks.
static bool find_mpc(const tact_call *call, const tact_scene *scene, tact_bake_mpc *mpc) {
    if (scene->goal.body < 0) {
        tact_say_usage(
            call->command,
            "--mpc: the scene has no goal: add \"goal\": {\"body\": NAME, \"position\": [x, y, z]} (see: tact help scene)");
        return false;
    }
    if (scene->model.law->velocities) {
        tact_say_usage(call->command, "--mpc: a controller plans by the barrier law: add --law barrier (found %s)",
                       scene->model.law->name);
        return false;
    }
    mpc->horizon = scene->mpc.horizon;
    tact_control_options(scene, 0, &mpc->step, &mpc->options);
    mpc->goal = tact_control_goal(scene, &scene->goal);
    return true;
}

static int run(const tact_call *call) {
    tact_world world;
    char name[64];
    const char *include = tact_call_value(call, "--include"), *given = tact_call_value(call, "--name");
    if (given && !tact_bake_name(given))
        return tact_say_usage(call->command, "--name: must be a free name in C, a letter before letters, digits and _ (found %s)",
                              tact_quote(given).text);
    if (include && (include[0] == '\0' || strpbrk(include, "\"\\\n\r")))
        return tact_say_usage(call->command, "--include: must be the name of a header (found %s)", tact_quote(include).text);
    int code = tact_stage_open(call, tact_call_operand(call, 0), &world);
    if (code != TACT_EXIT_DONE) return code;
    tact_bake_mpc mpc;
    bool controlled = tact_call_value(call, "--mpc");
    if (controlled && !find_mpc(call, world.scene, &mpc)) {
        tact_stage_close(&world);
        return TACT_EXIT_USAGE;
    }
    // the scene's command at its start becomes the commands of the constants
    tact_bake_default_name(world.scene->model.names->scene, name, sizeof name);
    tact_scene_command(world.scene, &world.state, world.u);
    tact_bake bake = {.model = &world.scene->model,
                      .options = &world.scene->options,
                      .u = world.u,
                      .name = given ? given : name,
                      .include = include ? include : (controlled ? "tact/mpc.h" : "tact/sim.h"),
                      .mpc = controlled ? &mpc : NULL};
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
                                           {"--mpc", NULL, "the goal and the controller's options, too"},
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
