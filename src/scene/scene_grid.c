// SPDX-License-Identifier: MIT
// Grids from JSON: where they lie, and their coefficients from a .npy file beside the scene.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/build.h"
#include "scene/kind.h"
#include "tact/geom.h"
#include "tact/npy.h"
#include "tree/check.h"

// Slopes of what is a distance: the share of the box where they may be less, and what half of the box must not exceed. The
// coefficients of exact distances from cubes, plates, rods and rings have none below 0.87, and medians up to 1.94: where the
// distance has a kink, the spline's coefficients overshoot.
#define LEAST_SLOPE 0.5
#define MOST_FLAT 0.05
#define MOST_SLOPE 3.0

// Coefficients up to which the steepest slope is bounded, which takes a third of a second.
enum { MOST_BOUNDED = 1 << 19 };

const char *tact_scene_file(tact_draft *draft, const char *file) {
    const char *folder = file[0] == '/' || !draft->folder ? "" : draft->folder;
    size_t size = strlen(folder), length = strlen(file);
    // "-" is a file here, not standard input
    if (size == 0 && file[0] == '-') folder = "./", size = 2;
    char *path = tact_draft_take(draft, size + length + 1);
    if (!path) return NULL;
    snprintf(path, size + length + 1, "%s%s", folder, file);
    return path;
}

static bool refuse(tact_draft *draft, const tact_npy *npy, const char *reason) {
    tact_errors_add(draft->errors, TACT_ERROR_REFUSED, (tact_place){.file = npy->name}, "%s", reason);
    return false;
}

// The numbers, of which none may be too large; false after reporting.
static bool read_values(tact_draft *draft, const tact_npy *npy, const tact_text *text, const tact_grid *grid, void *to) {
    size_t total = (size_t)grid->count[0] * (size_t)grid->count[1] * (size_t)grid->count[2], item = tact_npy_item(npy);
    const double most = TACT_MOST_LENGTH;
    for (size_t i = 0; i < total; i++) {
        const char *at = text->bytes + npy->start + item * i;
        double value = 0;
        float single = 0;
        if (npy->type == TACT_NPY_SHORT) {
            memcpy((int16_t *)to + i, at, sizeof(int16_t));
            continue;
        }
        if (npy->type == TACT_NPY_DOUBLE) memcpy(&value, at, sizeof value);
        if (npy->type == TACT_NPY_SINGLE) memcpy(&single, at, sizeof single), value = (double)single;
        if (!(value >= -most && value <= most)) {
            size_t plane = (size_t)grid->count[1] * (size_t)grid->count[2], row = (size_t)grid->count[2];
            tact_errors_add(draft->errors, TACT_ERROR_REFUSED, (tact_place){.file = npy->name},
                            "number [%zu, %zu, %zu] is not within +-1e6", i / plane, i % plane / row, i % row);
            return false;
        }
        ((tact_real *)to)[i] = (tact_real)value;
    }
    return true;
}

// The slope of phi at a coefficient, of the steeper of the differences to both sides along each axis: that of a distance is not 0
// in the middle of thin parts either.
static double find_slope(const tact_grid *grid, int at, const int stride[3]) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double c[3];
        for (int m = 0; m < 3; m++) {
            int from = at + (m - 1) * stride[k];
            c[m] = grid->value ? (double)grid->value[from] : (double)grid->fine[from];
        }
        double steep = fmax(fabs(c[1] - c[0]), fabs(c[2] - c[1]));
        square += steep * steep;
    }
    return sqrt(square) * (double)grid->unit / (double)grid->step;
}

// Whether phi is about a distance: the search for nearest points goes by its slope. A truncated field is flat far from the
// surface.
static bool check_slopes(tact_draft *draft, const tact_npy *npy, const tact_grid *grid) {
    const int *n = grid->count, stride[3] = {n[1] * n[2], n[2], 1};
    const double total = (double)(n[0] - 2) * (double)(n[1] - 2) * (double)(n[2] - 2);
    double flat = 0, steep = 0, sum = 0;
    for (int i = 1; i < n[0] - 1; i++)
        for (int j = 1; j < n[1] - 1; j++)
            for (int k = 1; k < n[2] - 1; k++) {
                double slope = find_slope(grid, i * stride[0] + j * stride[1] + k, stride);
                flat += slope < LEAST_SLOPE ? 1 : 0;
                steep += slope > MOST_SLOPE ? 1 : 0;
                sum += slope;
            }
    if (flat <= MOST_FLAT * total && steep <= total / 2) return true;
    tact_errors_add(
        draft->errors, TACT_ERROR_REFUSED, (tact_place){.file = npy->name},
        "its numbers are not a distance, but truncated or scaled: the slope is below 0.5 in %.0f %% of the box, above 3 "
        "in %.0f %%, and %.3g on average",
        100 * flat / total, 100 * steep / total, sum / total);
    return false;
}

// Reads a grid's coefficients from a .npy file and checks them. False after reporting.
static bool read_array(tact_draft *draft, tact_npy *npy, const tact_text *text, tact_grid *grid) {
    if (!text->bytes) return refuse(draft, npy, "is not a .npy file");
    if (!tact_npy_parse(npy, text->bytes, text->size, text->size, draft->errors)) return false;
    if (npy->type == TACT_NPY_WHOLE) return refuse(draft, npy, "a grid's numbers are float64, float32 or int16");
    if (npy->ndim != 3) return refuse(draft, npy, "a grid has three axes");
    for (int k = 0; k < 3; k++) {
        if (npy->shape[k] < TACT_GRID_LEAST || npy->shape[k] > TACT_GRID_MOST)
            return refuse(draft, npy, "a grid has 8 to 256 numbers along each axis");
        grid->count[k] = (int)npy->shape[k];
    }
    bool brief = npy->type == TACT_NPY_SHORT;
    size_t total = (size_t)grid->count[0] * (size_t)grid->count[1] * (size_t)grid->count[2];
    void *values = tact_draft_take(draft, total * (brief ? sizeof(int16_t) : sizeof(tact_real)));
    if (!values || !read_values(draft, npy, text, grid, values)) return false;
    grid->value = brief ? NULL : values;
    grid->fine = brief ? values : NULL;
    // The surface must lie within the box: positive on its border, somewhere negative.
    const int cells = grid->count[0] * grid->count[1] * grid->count[2];
    bool solid = false;
    for (int i = 0; i < cells && !solid; i++) solid = grid->value ? grid->value[i] < 0 : grid->fine[i] < 0;
    if (!tact_grid_is_closed(grid))
        return refuse(draft, npy,
                      "its surface reaches the border of the box: sample it with more margin, two steps on each side");
    return solid || refuse(draft, npy, "it has no inside: no number is below 0");
}

// A mesh in the place of its grid: true after refusing it.
static bool refuse_mesh(tact_draft *draft, const char *path, const tact_text *text) {
    tact_file_kind kind = tact_kind_of(text->bytes, text->size);
    if (kind != TACT_KIND_OBJ && kind != TACT_KIND_STL && kind != TACT_KIND_PLY && kind != TACT_KIND_COLLADA) return false;
    tact_errors_add(
        draft->errors, TACT_ERROR_REFUSED, (tact_place){.file = path},
        "a mesh, not its distance grid: tact convert MESH --sdf 49 -o GRID.npy writes one, and the lines of the scene; the type "
        "\"hull\" takes the mesh as it is");
    return true;
}

void tact_scene_read_grid(tact_draft *draft, const tact_json *json, int node, const tact_draft_grid *entry,
                          tact_draft_shape *shape) {
    int file = tact_json_need(json, node, "file");
    const char *name = file >= 0 ? tact_json_get_string(json, file, TACT_SCENE_FILE_MAX) : NULL;
    if (!name) return;
    const char *path = tact_scene_file(draft, name);
    tact_grid *grid = path ? tact_draft_take(draft, sizeof *grid) : NULL;
    tact_text text = {0};
    if (!grid) return;
    *grid = (tact_grid){.low = {entry->low[0], entry->low[1], entry->low[2]}, .step = entry->step, .unit = entry->scale};
    tact_npy npy = {.name = path, .file = -1};
    bool good = tact_text_read(&text, path, TACT_GRID_FILE_LIMIT, draft->errors) && !refuse_mesh(draft, path, &text) &&
                read_array(draft, &npy, &text, grid);
    tact_text_free(&text);
    if (!good) tact_json_place_unreadable(json, file, tact_file_same(path, path) || name[0] == '/' ? "" : TACT_SCENE_FROM_FOLDER);
    if (good && npy.type == TACT_NPY_SHORT && tact_json_find(json, node, "scale") < 0) {
        tact_json_refuse(json, node, "scale is missing: metres of a unit of the int16 numbers in %s", tact_quote(name).text);
        good = false;
    }
    // step is not positive where its key is refused
    if (!good || !(grid->step > 0)) return;
    if (!check_slopes(draft, &npy, grid)) {
        tact_json_place_unreadable(json, file, "");
        return;
    }
    if (grid->count[0] * grid->count[1] * grid->count[2] <= MOST_BOUNDED) grid->steep = tact_grid_steep(grid);
    shape->grid = grid;
    shape->file = name;
}
