// SPDX-License-Identifier: MIT
// tact convert MESH --sdf N: a closed mesh as a distance grid, an array for a shape of type "grid".
#include <math.h>
#include <string.h>

#include "app/convert.h"
#include "app/fits.h"

bool tact_show_sampling(void *context, double share) {
    tact_progress *progress = context;
    // each mesh has a bar of its own
    if (share <= 0) tact_progress_begin(progress, progress->total, true);
    tact_progress_show(progress, (long long)(share * (double)progress->total));
    return true;
}

// What a body of this shape weighs in a scene, the density being that of water.
static void say_mass(const tact_solid *solid) {
    double volume = 0, com[3], m[6];
    tact_solid_weigh(solid, &volume, com, m);
    const double mass = 1000 * volume;
    // what symmetry makes 0
    for (int k = 3; k < 6; k++) m[k] = fabs(m[k]) > 1e-9 * m[0] ? m[k] : 0;
    for (int k = 0; k < 3; k++) com[k] = fabs(com[k]) > 1e-9 * sqrt(m[0]) ? com[k] : 0;
    tact_say(
        "convert: its body, of uniform density: \"com\": [%.6g, %.6g, %.6g], \"mass\": %.6g, \"inertia\": [%.6g, %.6g, %.6g, "
        "%.6g, %.6g, %.6g] with 1000 kg/m^3; another density multiplies mass and inertia",
        com[0], com[1], com[2], mass, mass * m[0], mass * m[1], mass * m[2], mass * m[3], mass * m[4], mass * m[5]);
}

static int write_grid(const tact_call *call, const tact_solid *solid, int count, const char *name, const char *path) {
    bool brief = tact_call_value(call, "--int16") != NULL;
    tact_errors errors = {0};
    tact_progress progress;
    tact_text array = {0}, shape = {0};
    tact_sdf sdf;
    double off[3];
    tact_progress_begin(&progress, (long long)count * count * count, true);
    bool good = tact_sdf_make(&sdf, solid, count, name, tact_show_sampling, &progress, &errors);
    tact_progress_end(&progress);
    if (!good) return tact_say_errors(&errors);
    if (solid->turned) tact_say("convert: its faces look inward: turned");
    // the grid as a scene would have it, and how far its surface is from the triangles
    tact_real *value = tact_memory_get((size_t)sdf.count[0] * (size_t)sdf.count[1] * (size_t)sdf.count[2] * sizeof *value);
    tact_grid grid = tact_sdf_grid(&sdf, brief ? NULL : value);
    int code = value && tact_grid_measure(&grid, solid, off) ? TACT_EXIT_DONE : tact_say_no_memory("");
    if (code == TACT_EXIT_DONE)
        tact_say("convert: %d x %d x %d numbers, step %.4g m, volume of the mesh %.6g m^3; its triangles are off the grid's "
                 "surface by %.2g m (median), %.2g m (95 %%), %.2g m (most)",
                 sdf.count[0], sdf.count[1], sdf.count[2], sdf.step, solid->volume, off[0], off[1], off[2]);
    if (code == TACT_EXIT_DONE) say_mass(solid);
    if (code == TACT_EXIT_DONE) tact_grid_add_array(&array, &grid);
    // The keys of the shape in a scene, but for name and body.
    const char *slash = strrchr(path, '/');
    tact_text_print(&shape, "{ \"type\": \"grid\", \"file\": %s, \"low\": ", slash ? slash + 1 : path);
    for (int k = 0; k < 3; k++) {
        tact_text_print(&shape, "%-s%g", k > 0 ? ", " : "[", sdf.low[k]);
    }
    tact_text_print(&shape, "], \"step\": %g", sdf.step);
    if (brief) tact_text_add(&shape, ", \"scale\": ");
    if (brief) tact_text_add_number(&shape, sdf.unit);
    tact_text_add(&shape, " }\n");
    // array into the file, the keys of the shape on standard output
    if (code == TACT_EXIT_DONE) code = tact_write_text(&array, path);
    tact_memory_release(value);
    tact_sdf_free(&sdf);
    if (code == TACT_EXIT_DONE) return tact_print_text(&shape, code);
    tact_text_free(&shape);
    return code;
}

int tact_convert_mesh(const tact_call *call) {
    const char *name = tact_call_operand(call, 0), *path = tact_call_value(call, "-o");
    const char *given = tact_call_value(call, "--scale");
    double scale = 1;
    long long count = 0;
    tact_text text = {0};
    tact_errors errors = {0};
    tact_mesh mesh = {0};
    tact_solid solid = {0};
    if (!tact_call_integer(call, "--sdf", TACT_GRID_LEAST + 1, TACT_GRID_MOST, 0, &count)) return TACT_EXIT_USAGE;
    if (!path || strcmp(path, "-") == 0) return tact_say_usage(call->command, "--sdf needs a file for its array: -o FILE.npy");
    if (given && (tact_number_read_loose(given, strlen(given), &scale) != TACT_NUMBER_READ || !(scale >= 1e-9 && scale <= 1e9)))
        return tact_say_usage(call->command, "--scale must be a number within [1e-9, 1e9]");
    // text, mesh, then a closed solid: each says by itself why not
    bool read =
        tact_text_read(&text, name, TACT_MESH_LIMIT, &errors) && tact_mesh_read(&mesh, tact_text_source(&text, name), &errors);
    bool good = read && tact_solid_make(&solid, &mesh, (double[3]){scale, scale, scale}, name, &errors);
    if (good && !given) {
        // A mesh in millimetres, whose scale nobody gave.
        double most = 0;
        for (int k = 0; k < 3; k++) most = fmax(most, solid.high[k] - solid.low[k]);
        if (most > TACT_MESH_LARGE)
            tact_say("%s: warning: %s m long: the unit is the metre; of a mesh in millimetres: --scale 0.001",
                     tact_text_name(name), tact_rounded(most, 4).text);
    }
    int code = good ? write_grid(call, &solid, (int)count, name, path) : tact_say_errors(&errors);
    if (read && code == TACT_EXIT_REFUSED && !good)
        tact_say("convert: a shape of type \"hull\" also takes an open mesh: {\"type\": \"hull\", \"file\": %s, \"scale\": %s}",
                 tact_quote(name).text, tact_number_print(scale).text);
    tact_text_free(&text);
    tact_mesh_free(&mesh);
    tact_solid_free(&solid);
    return code;
}
