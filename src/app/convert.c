// SPDX-License-Identifier: MIT
// tact convert: a scene as MJCF or URDF, a mesh as a distance grid.
#include <string.h>

#include "app/convert.h"
#include "app/rewrite.h"
#include "app/stage.h"

static const char help[] =
    "Writes the scene as MJCF, MuJoCo's format, as 2.2 and later read it: bodies, joints, masses, drives as affine\n"
    "actuators, shapes, and the pairs with their friction; nothing else collides there. With --gravcomp links whose weight\n"
    "their drives carry have gravcomp, which MuJoCo 2.2 does not read. The initial coordinates are the keyframe \"start\".\n"
    "What MuJoCo does not have is named on standard error (corner radii, restitution) or refused (planar shapes, planes on\n"
    "bodies that move).\n"
    "\n"
    "With -o FILE.urdf it becomes URDF: links, joints, masses and the shapes that URDF has, boxes, spheres, cylinders and\n"
    "capsules; a drive's force_limit is the joint's effort. `tact import` and a scene's robots read it again. Law, gravity,\n"
    "drives, pairs, friction and state have no place there; --scene-to FILE writes them as a scene that reads the URDF. What\n"
    "is left out is named.\n"
    "\n"
    "With --sdf N a closed triangle mesh (.stl, .obj, .ply, .dae) becomes a distance grid: a cubic B-spline of its signed\n"
    "distance, N numbers along its longest side (17 to 64 for most), as an array of NumPy. The lines of a scene that make it\n"
    "a shape go to standard output, how exact it is to standard error. Distances are exact at the nodes, signs are those of\n"
    "winding numbers. Open meshes are refused and their open edges named, and so are meshes that cross themselves.\n"
    "\n"
    "examples:\n"
    "  tact convert data/scenes/allegro_cube.json -o cube.xml\n"
    "  tact convert data/scenes/allegro_cube.json -o cube.urdf\n"
    "  tact convert mug.obj --sdf 49 --scale 0.001 -o mug.npy\n";

// The scene around a URDF file, which it names as in its own folder.
static int write_scene(const tact_world *world, const char *urdf, const char *path) {
    tact_errors errors = {0};
    tact_output output;
    if (!tact_guard_open(&output, path, &errors)) return tact_say_errors(&errors);
    tact_urdf_write_scene(world->scene, urdf, &output.text);
    bool good = tact_scene_move_files(&output.text, "-", path, &errors);
    if (!good) tact_guard_abandon(&output);
    return good && tact_guard_finish(&output, &errors) ? TACT_EXIT_DONE : tact_say_errors(&errors);
}

// Warns of what is left out. Lines that differ only in the name at their end share one warning.
static void say_left_out(tact_text *left_out) {
    for (char *line = left_out->bytes, *end = NULL; line && (end = strchr(line, '\n')); line = end + 1) {
        tact_text names = {0};
        *end = '\0';
        // already printed with an earlier line
        if (!*line) continue;
        const char *name = strrchr(line, ' ');
        const size_t head = name ? (size_t)(name - line) + 1 : strlen(line);
        tact_text_add(&names, line);
        for (char *at = end + 1, *stop = NULL; name && (stop = strchr(at, '\n')); at = stop + 1) {
            if ((size_t)(stop - at) < head || memcmp(at, line, head) != 0) continue;
            tact_text_add(&names, ", ");
            tact_text_add_bytes(&names, at + head, (size_t)(stop - at) - head);
            memset(at, '\n', (size_t)(stop - at));
        }
        tact_say("convert: warning: left out: %s", names.failed ? line : names.bytes);
        tact_text_free(&names);
    }
}

static int run(const tact_call *call) {
    const char *path = tact_call_value(call, "-o"), *ending = path ? strrchr(path, '.') : NULL;
    const char *beside = tact_call_value(call, "--scene-to");
    bool urdf = ending && strcmp(ending, ".urdf") == 0;
    bool gravcomp = tact_call_value(call, "--gravcomp") != NULL;
    tact_world world;
    tact_text reason = {0}, left_out = {0};
    tact_errors errors = {0};
    tact_output output;
    // a mesh becomes a grid; all else is a scene
    static const char *const idle[] = {"--law", "--set", "--gravcomp", "--scene-to"};
    for (size_t i = 0; i < sizeof idle / sizeof idle[0] && tact_call_value(call, "--sdf"); i++)
        if (tact_call_value(call, idle[i]))
            return tact_say_usage(call->command, "%s applies to a scene, --sdf to a mesh", idle[i]);
    if (tact_call_value(call, "--sdf")) return tact_convert_mesh(call);
    if (tact_call_value(call, "--int16") || tact_call_value(call, "--scale"))
        return tact_say_usage(call->command, "--int16 and --scale go with --sdf");
    if (gravcomp && urdf) return tact_say_usage(call->command, "--gravcomp goes with MJCF");
    if (beside && !urdf) return tact_say_usage(call->command, "--scene-to goes with -o FILE.urdf");
    int code = tact_stage_open(call, tact_call_operand(call, 0), &world);
    if (code != TACT_EXIT_DONE) return code;
    if (!tact_guard_open(&output, path ? path : "-", &errors)) {
        code = tact_say_errors(&errors);
    } else if (!(urdf ? tact_urdf_write(world.scene, &output.text, &left_out, &reason)
                      : tact_mjcf_write(world.scene, 0.002, gravcomp, &output.text, &left_out, &reason))) {
        tact_guard_abandon(&output);
        tact_say("convert: error: %s", tact_quote(reason.bytes ? reason.bytes : "").text);
        code = TACT_EXIT_REFUSED;
    } else {
        say_left_out(&left_out);
        if (!tact_guard_finish(&output, &errors)) code = tact_say_errors(&errors);
        if (code == TACT_EXIT_DONE && beside) code = write_scene(&world, path, beside);
    }
    tact_text_free(&reason);
    tact_text_free(&left_out);
    tact_stage_close(&world);
    return code;
}

static const tact_call_option options[] = {TACT_STAGE_OPTIONS,
                                           {"-o", "FILE", "instead of standard output"},
                                           {"--gravcomp", NULL, "MJCF: links whose weight drives carry have gravcomp"},
                                           {"--scene-to", "FILE", "with -o FILE.urdf: a scene around it"},
                                           {"--sdf", "N", "of a mesh: a distance grid with N numbers along its longest side"},
                                           {"--int16", NULL, "numbers of 16 bits, a quarter of the size, for firmware"},
                                           {"--scale", "FACTOR", "of the mesh's coordinates, to metres"},
                                           {0}};

const tact_subcommand tact_convert_command = {.name = "convert",
                                              .operands = "SCENE|MESH",
                                              .summary = "Writes a scene as MJCF or URDF, or a mesh as a distance grid.",
                                              .help = help,
                                              .options = options,
                                              .least = 1,
                                              .most = 1,
                                              .run = run};
