// SPDX-License-Identifier: MIT
// tact roadmap: stable grasps and the ways between them, for tact mpc --roadmap.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/stage.h"

enum { THREADS_MAX = 1024 };

static const char help[] =
    "Samples grasps: the body of the scene's goal is dropped into the hand at a random orientation while the hand goes to a\n"
    "random posture; those in which it comes to rest are the nodes. Then the controller of tact mpc tries to bring the body\n"
    "from each node to its nearest others and to take their postures. All is simulated under the rigid law. The file holds\n"
    "what was found, a line each:\n"
    "  "
    "{\"tact_roadmap\":1,\"scene\":\"..\",\"model\":\"SHA-256\",\"nodes\":N,\"neighbours\":K,\"seed\":1,\"rate\":20,\"time\":2}\n"
    "  {\"node\":0,\"sample\":0,\"q\":[..],\"u\":[..]}        coordinates at rest and the commands that hold there\n"
    "  {\"edge\":0,\"from\":0,\"to\":17,\"arrived\":0.9,\"time\":1.6}    null: it was tried and failed\n"
    "The same call goes on with a file that was broken off, and the bytes do not depend on that or on --threads. Then\n"
    "tact mpc SCENE --roadmap FILE goes to its goals by way of the nodes, where that takes less time.\n"
    "Exit code 130 when it was interrupted.\n"
    "\n"
    "examples:\n"
    "  tact roadmap data/scenes/allegro_cube.json -o cube.roadmap\n"
    "  tact mpc data/scenes/allegro_cube.json --roadmap cube.roadmap --random 3 --within 180 --any\n";

static bool report(void *context, int done) {
    tact_progress_show(context, done);
    return tact_console_signal() == 0;
}

static int print_summary(const tact_roadmap *map) {
    tact_text text = {0};
    char line[240];
    int good = 0;
    double time = 0;
    for (int i = 0; i < map->nedge; i++) {
        good += map->edge[i].time >= 0;
        time += map->edge[i].time >= 0 ? (double)map->edge[i].time : 0;
    }
    snprintf(line, sizeof line, "%d grasps of %lld samples, %d of %d extensions succeeded, in %.1f s on average\n", map->nnode,
             map->samples, good, map->nedge, good > 0 ? time / good : 0);
    tact_text_add(&text, line);
    return tact_print_text(&text, TACT_EXIT_DONE);
}

static int build(const tact_call *call, const tact_world *world, tact_world *plant, const tact_roadmap_options *options,
                 int threads) {
    tact_errors errors = {0};
    tact_roadmap map;
    tact_options step;
    tact_mpc_options control;
    tact_progress progress;
    tact_control_options(world->scene, options->rate, &step, &control);
    // the plant steps as tact mpc has it
    plant->scene->options.dt = tact_control_plant_dt(&control, false);
    bool good = tact_roadmap_open(&map, world->scene, options, tact_call_value(call, "-o"), &errors);
    if (good && map.nnode > 0)
        tact_say("roadmap: resumed with %d of %d grasps and %d of %d extensions", map.nnode, map.options.nodes, map.nedge,
                 tact_roadmap_edges(&map));
    tact_console_catch(true);
    tact_progress_begin(&progress, map.options.nodes + tact_roadmap_edges(&map), good && !tact_call_value(call, "--quiet"));
    good = good && tact_roadmap_build(&map, plant->scene, threads, report, &progress, &errors);
    tact_progress_end(&progress);
    int signal = tact_console_signal(), code = tact_say_errors(&errors);
    if (signal) tact_say("roadmap: interrupted: the same call goes on");
    if (good && !signal && !tact_call_value(call, "--quiet")) code = print_summary(&map);
    tact_roadmap_free(&map);
    return signal && code == TACT_EXIT_DONE ? 128 + signal : code;
}

static int run(const tact_call *call) {
    tact_roadmap_options options = tact_roadmap_options_default();
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long long nodes = 0, neighbours = 0, seed = 0, threads = 0;
    if (!tact_call_value(call, "-o")) {
        tact_say_usage(call->command, "-o FILE is missing");
        return TACT_EXIT_USAGE;
    }
    // reads it back
    if (strcmp(tact_call_value(call, "-o"), "-") == 0) return tact_say_usage(call->command, "-o: a roadmap must be a file");
    if (!tact_call_integer(call, "--nodes", 1, TACT_ROADMAP_NODES_MAX, options.nodes, &nodes) ||
        !tact_call_integer(call, "--neighbours", 1, TACT_ROADMAP_NEIGHBOURS_MAX, options.neighbours, &neighbours) ||
        !tact_call_integer(call, "--seed", 0, 1000000000, options.seed, &seed) ||
        !tact_call_integer(call, "--threads", 1, THREADS_MAX, processors > 1 ? processors : 1, &threads))
        return TACT_EXIT_USAGE;
    options.nodes = (int)nodes;
    options.neighbours = (int)neighbours;
    options.seed = (int)seed;
    tact_world world, plant;
    const char *path = tact_call_operand(call, 0);
    int code = tact_stage_open_as(call, path, "barrier", NULL, 0, &world);
    if (code != TACT_EXIT_DONE) return code;
    // the controller plans under the barrier law, the plant is rigid
    code = tact_stage_open_as(call, path, "rigid", NULL, 0, &plant);
    if (code == TACT_EXIT_DONE) {
        code = build(call, &world, &plant, &options, (int)threads);
        tact_stage_close(&plant);
    }
    tact_stage_close(&world);
    return code;
}

static const tact_call_option options[] = {{"-o", "FILE", "the roadmap; one that was broken off goes on"},
                                           {"--nodes", "N", "grasps (default 120)"},
                                           {"--neighbours", "K", "extensions that are tried from each (default 8)"},
                                           {"--seed", "N", "of the samples (default 1)"},
                                           {"--threads", "N", "default: as many as processors"},
                                           {"--set", "PATH=VALUE", "change a value of the scene; may be repeated"},
                                           {"--quiet", NULL, "no progress and no summary"},
                                           {0}};

const tact_subcommand tact_roadmap_command = {.name = "roadmap",
                                              .operands = "SCENE",
                                              .summary = "Samples stable grasps of a body and the ways between them.",
                                              .help = help,
                                              .options = options,
                                              .least = 1,
                                              .most = 1,
                                              .run = run};
