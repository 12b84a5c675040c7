// SPDX-License-Identifier: MIT
// The endings of output files: one that is of another known kind than what is written is refused, since nothing would open it.
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <strings.h>

#include "app/app.h"

typedef struct {
    const char *command, *option;
    const char *what;     // is written there
    const char *endings;  // that it may have, of those known; the first is the usual one
    const char *more;     // what else may be said
} output_kind;

// known file name endings, each between dots
static const char known[] = ".json.jsonl.ndjson.urdf.xml.mjcf.obj.stl.ply.dae.npy.npz.svg.png.pdf.gif.jpg.jpeg.webp.eps.mp4.webm."
                            "html.htm.c.h.mcap.bag.db3.rrd"
                            ".csv.txt.sdf.usd.usda.glb.gltf.xacro.yaml.yml.";

static const output_kind kinds[] = {
    {"run", "--trace", "a trace is JSON Lines", ".jsonl.json.ndjson.txt.", ""},
    {"optimise", "--trace", "a trace is JSON Lines", ".jsonl.json.ndjson.txt.", ""},
    {"qcqp", "--trace", "a trace is JSON Lines", ".jsonl.json.ndjson.txt.", ""},
    {"mpc", "--trace", "a trace is JSON Lines", ".jsonl.json.ndjson.txt.", ""},
    {"roadmap", "-o", "a roadmap is JSON Lines", ".jsonl.json.ndjson.txt.", ""},
    {"optimise", "--output", "a scene is JSON", ".json.txt.", ""},
    {"batch", "--write-scene", "a scene is JSON", ".json.txt.", ""},
    {"convert", "--scene-to", "a scene is JSON", ".json.txt.", ""},
    {"new", "-o", "a scene is JSON", ".json.txt.", ""},
    {"import", "-o", "a robot file is JSON", ".json.txt.", ""},
    {"bake", "-o", "constants are C", ".c.h.txt.", ""},
    {"view", "-o", "the page is HTML", ".html.htm.", ""},
    {"export", "-o", "an export is MCAP", ".mcap.", ""},
    {"plot", "-o", "pictures are SVG", ".svg.",
     ", which browsers show and rsvg-convert, Inkscape or a browser's print makes PNG or PDF of"},
    {"render", "-o", "pictures are SVG", ".svg.",
     ", which browsers show and rsvg-convert, Inkscape or a browser's print makes PNG or PDF of"},
};

static const output_kind scene_kind = {"convert", "-o", "a scene becomes MJCF or URDF", ".xml.mjcf.urdf.txt.",
                                       ", or .urdf; a mesh becomes a grid with --sdf"},
                         grid_kind = {"convert", "-o", "a distance grid is an array of NumPy", ".npy.", ""};

// Whether an ending, from its dot on, is one of a list.
static bool is_among(const char *list, const char *ending) {
    size_t size = strlen(ending);
    TACT_ASSERT(list[0] == '.' && ending[0] == '.');
    for (const char *at = list; at && at[1]; at = strchr(at + 1, '.'))
        if (strncasecmp(at, ending, size) == 0 && at[size] == '.') return true;
    return false;
}

static bool check_ending(const tact_call *call, const output_kind *kind) {
    const char *path = tact_call_value(call, kind->option), *slash = path ? strrchr(path, '/') : NULL;
    const char *ending = path ? strrchr(slash ? slash : path, '.') : NULL;
    if (!ending || !is_among(known, ending) || is_among(kind->endings, ending)) return true;
    tact_say_usage(call->command, "%s %.200s: %s: name it %.*s%.*s%s", kind->option, path, kind->what,
                   (int)(ending - path < 200 ? ending - path : 200), path, (int)strcspn(kind->endings + 1, ".") + 1,
                   kind->endings, kind->more);
    return false;
}

bool tact_call_check_endings(const tact_call *call) {
    const char *name = call->command->name;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].command, name) == 0 && !check_ending(call, &kinds[i])) return false;
    if (strcmp(name, "convert") != 0) return true;
    return check_ending(call, tact_call_value(call, "--sdf") ? &grid_kind : &scene_kind);
}
