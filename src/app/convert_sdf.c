// SPDX-License-Identifier: MIT
// tact convert MESH --sdf N: a closed mesh as a distance grid, an array for a shape of type "grid".
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/convert.h"
#include "app/fits.h"

static bool show_share(void *context, double share) {
    tact_progress *progress = context;
    tact_progress_show(progress, (long long)(share * (double)progress->total));
    return true;
}

static void add_array(tact_text *out, const tact_sdf *sdf, bool brief) {
    const long long shape[3] = {sdf->count[0], sdf->count[1], sdf->count[2]};
    size_t size = (size_t)shape[0] * (size_t)shape[1] * (size_t)shape[2];
    tact_npy_header header = tact_npy_make_header(brief ? TACT_NPY_SHORT : TACT_NPY_DOUBLE, 3, shape);
    tact_text_add_bytes(out, header.bytes, header.size);
    if (brief)
        tact_text_add_bytes(out, (const char *)(const void *)sdf->fine, size * sizeof *sdf->fine);
    else
        tact_text_add_bytes(out, (const char *)(const void *)sdf->value, size * sizeof *sdf->value);
}

// The keys of the shape in a scene, but for name and body.
static void add_shape(tact_text *out, const tact_sdf *sdf, bool brief, const char *path) {
    const char *slash = strrchr(path, '/');
    tact_text_print(out, "{ \"type\": \"grid\", \"file\": %s, \"low\": [", slash ? slash + 1 : path);
    for (int k = 0; k < 3; k++) {
        if (k > 0) tact_text_add(out, ", ");
        tact_text_add_number(out, sdf->low[k]);
    }
    tact_text_add(out, "], \"step\": ");
    tact_text_add_number(out, sdf->step);
    if (brief) tact_text_add(out, ", \"scale\": ");
    if (brief) tact_text_add_number(out, sdf->unit);
    tact_text_add(out, " }\n");
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// How far the grid's surface is from the middles of the triangles, and they from it.
static bool say_errors(const tact_solid *solid, const tact_sdf *sdf, bool brief) {
    size_t size = (size_t)sdf->count[0] * (size_t)sdf->count[1] * (size_t)sdf->count[2];
    tact_real *value = tact_memory_get(size * sizeof *value);
    double *off = tact_memory_get((size_t)solid->ntriangle * sizeof *off);
    tact_grid grid = {.count = {sdf->count[0], sdf->count[1], sdf->count[2]},
                      .low = {(tact_real)sdf->low[0], (tact_real)sdf->low[1], (tact_real)sdf->low[2]},
                      .step = (tact_real)sdf->step,
                      .unit = brief ? (tact_real)sdf->unit : 1};
    // the grid as a scene would have it, float or int16
    const tact_shape shape = {.body = TACT_WORLD, .type = TACT_SHAPE_GRID, .grid = &grid};
    bool room = value && off;
    grid.value = brief ? NULL : value;
    grid.fine = brief ? sdf->fine : NULL;
    for (size_t i = 0; room && i < size; i++) value[i] = (tact_real)sdf->value[i];
    for (int t = 0; room && t < solid->ntriangle; t++) {
        const int *c = solid->triangle[t];
        double x[3] = {0};
        for (int k = 0; k < 3; k++) x[k] = (solid->point[c[0]][k] + solid->point[c[1]][k] + solid->point[c[2]][k]) / 3;
        off[t] =
            fabs((double)tact_shape_distance(&shape, tact_vec3_make((tact_real)x[0], (tact_real)x[1], (tact_real)x[2])).value);
    }
    if (room) {
        // median, 95 % and most
        qsort(off, (size_t)solid->ntriangle, sizeof *off, compare);
        tact_say("convert: %d x %d x %d numbers, step %.4g m, volume of the mesh %.6g m^3; its triangles are off the grid's "
                 "surface by %.2g m (median), %.2g m (95 %%), %.2g m (most)",
                 sdf->count[0], sdf->count[1], sdf->count[2], sdf->step, solid->volume, off[solid->ntriangle / 2],
                 off[(size_t)(0.95 * solid->ntriangle)], off[solid->ntriangle - 1]);
    }
    tact_memory_release(value);
    tact_memory_release(off);
    if (!room) tact_say("error: out of memory");
    return room;
}

// A mesh in millimetres, whose scale nobody gave.
static void warn_size(const char *name, const tact_solid *solid) {
    double most = 0;
    for (int k = 0; k < 3; k++) most = fmax(most, solid->high[k] - solid->low[k]);
    if (most > TACT_MESH_LARGE)
        tact_say("%s: warning: %s m long: the unit is the metre; of a mesh in millimetres: --scale 0.001", tact_text_name(name),
                 tact_number_print(tact_key_round(most, 4)).text);
}

// Computes the distance grid of a solid, writes its array to a file and prints the keys of the shape. Returns the exit code.
static int write_grid(const tact_call *call, const tact_solid *solid, int count, const char *name, const char *path) {
    bool brief = tact_call_value(call, "--int16") != NULL;
    tact_errors errors = {0};
    tact_progress progress;
    tact_text array = {0}, shape = {0};
    tact_sdf sdf;
    tact_progress_begin(&progress, (long long)count * count * count, true);
    bool good = tact_sdf_make(&sdf, solid, count, name, show_share, &progress, &errors);
    tact_progress_end(&progress);
    if (!good) return tact_say_errors(&errors);
    if (solid->turned) tact_say("convert: its faces look inward: turned");
    add_array(&array, &sdf, brief);
    add_shape(&shape, &sdf, brief, path);
    // array into the file, the keys of the shape on standard output
    int code = say_errors(solid, &sdf, brief) ? tact_write_text(&array, path) : TACT_EXIT_NO_MEMORY;
    tact_text_free(&array);
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
    bool good = read && tact_solid_make(&solid, &mesh, scale, name, &errors);
    if (good && !given) warn_size(name, &solid);
    int code = good ? write_grid(call, &solid, (int)count, name, path) : tact_say_errors(&errors);
    if (read && code == TACT_EXIT_REFUSED && !good)
        tact_say("convert: a shape of type \"hull\" takes an open mesh, too: {\"type\": \"hull\", \"file\": %s, \"scale\": %s}",
                 tact_quote(name).text, tact_number_print(scale).text);
    tact_text_free(&text);
    tact_mesh_free(&mesh);
    tact_solid_free(&solid);
    return code;
}
