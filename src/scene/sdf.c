// SPDX-License-Identifier: MIT
// Exact distances of the nodes from the triangles, with the sign of the winding number, interpolated by a cubic B-spline: along
// each axis in turn
//   c_{i-1} + 4 c_i + c_{i+1} = 6 s_i ,   at the ends c_i = s_i
// (C. de Boor, A Practical Guide to Splines, 1978). What the ends are off dies out by 0.27 from node to node: the spline is of
// MORE nodes on each side, which are left out in the end.
#include "tact/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tact/memory.h"
#include "tact/npy.h"

enum { MORE = 4 };

static size_t sdf_size(const tact_sdf *sdf) {
    return (size_t)sdf->count[0] * (size_t)sdf->count[1] * (size_t)sdf->count[2];
}

// The nodes with those around them, and scratch for a line of them.
typedef struct {
    int n[3];
    double *value, *scratch;  // (n), (2 n of the longest)
} sdf_nodes;

static double *node_at(const sdf_nodes *nodes, int i, int j, int k) {
    return nodes->value + ((size_t)i * (size_t)nodes->n[1] + (size_t)j) * (size_t)nodes->n[2] + (size_t)k;
}

// One plane across x.
static bool sample_plane(const sdf_nodes *nodes, const tact_sdf *sdf, const tact_solid *solid, int i, const char *name,
                         tact_errors *errors) {
    double x[3] = {sdf->low[0] + sdf->step * (i - MORE), 0, 0};
    for (int j = 0; j < nodes->n[1]; j++) {
        double bound = HUGE_VAL, distance = 0, winding = 0;
        x[1] = sdf->low[1] + sdf->step * (j - MORE);
        for (int k = 0; k < nodes->n[2]; k++) {
            x[2] = sdf->low[2] + sdf->step * (k - MORE);
            // The surface does not pass between two nodes of which one is farther away from it than they are apart.
            bool beyond = k > 0 && distance > sdf->step;
            distance = tact_solid_distance(solid, x, bound);
            if (!beyond) winding = tact_solid_winding(solid, x);
            if (distance > 0 && !(winding > -0.4 && winding < 1.4)) {
                tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name},
                                "crosses itself: its surface goes %.2f times round (%.6g, %.6g, %.6g)", winding, x[0], x[1],
                                x[2]);
                return false;
            }
            *node_at(nodes, i, j, k) = winding > 0.5 ? -distance : distance;
            // the next node is not farther
            bound = distance + sdf->step;
        }
    }
    return true;
}

// Samples to coefficients on a line of n numbers a stride apart.
static void filter_line(const sdf_nodes *nodes, double *at, size_t stride, int n) {
    double *s = nodes->scratch, *upper = nodes->scratch + n;
    for (int i = 0; i < n; i++) s[i] = at[(size_t)i * stride];
    // elimination: c_i = s_i - upper_i c_{i+1}
    upper[0] = 0;
    for (int i = 1; i < n - 1; i++) {
        double pivot = 4 - upper[i - 1];
        s[i] = (6 * s[i] - s[i - 1]) / pivot;
        upper[i] = 1 / pivot;
    }
    for (int i = n - 2; i >= 1; i--) s[i] -= upper[i] * s[i + 1];
    for (int i = 0; i < n; i++) at[(size_t)i * stride] = s[i];
}

static void cut(const sdf_nodes *nodes, tact_sdf *sdf) {
    double *to = sdf->value;
    for (int i = 0; i < sdf->count[0]; i++)
        for (int j = 0; j < sdf->count[1]; j++)
            for (int k = 0; k < sdf->count[2]; k++) *to++ = *node_at(nodes, i + MORE, j + MORE, k + MORE);
}

static void quantise(tact_sdf *sdf) {
    double most = 0;
    size_t size = sdf_size(sdf);
    for (size_t i = 0; i < size; i++) most = fmax(most, fabs(sdf->value[i]));
    sdf->unit = most / 32767;
    for (size_t i = 0; i < size; i++) sdf->fine[i] = (int16_t)floor(sdf->value[i] / sdf->unit + 0.5);
}

bool tact_sdf_make(tact_sdf *sdf, const tact_solid *solid, int count, const char *name, tact_sdf_tick *tick, void *context,
                   tact_errors *errors) {
    TACT_ASSERT(sdf && solid && name && errors);
    *sdf = (tact_sdf){0};
    // n - 5 steps along the longest side; as many as it takes along the others, in the middle.
    double longest = 0;
    for (int k = 0; k < 3; k++) longest = fmax(longest, solid->high[k] - solid->low[k]);
    sdf->step = longest / (count - 5);
    for (int k = 0; k < 3; k++) {
        double extent = solid->high[k] - solid->low[k];
        int n = (int)ceil(extent / sdf->step - 1e-9) + 5;
        sdf->count[k] = n < TACT_GRID_LEAST ? TACT_GRID_LEAST : n > count ? count : n;
        sdf->low[k] = (solid->low[k] + solid->high[k] - sdf->step * (sdf->count[k] - 1)) / 2;
    }
    sdf_nodes nodes = {{sdf->count[0] + 2 * MORE, sdf->count[1] + 2 * MORE, sdf->count[2] + 2 * MORE}, NULL, NULL};
    size_t size = sdf_size(sdf), all = (size_t)nodes.n[0] * (size_t)nodes.n[1] * (size_t)nodes.n[2];
    nodes.value = tact_memory_get(all * sizeof *nodes.value);
    nodes.scratch = tact_memory_get(2 * (size_t)(count + 2 * MORE) * sizeof *nodes.scratch);
    sdf->value = tact_memory_get(size * sizeof *sdf->value);
    sdf->fine = tact_memory_get(size * sizeof *sdf->fine);
    bool room = nodes.value && nodes.scratch && sdf->value && sdf->fine, good = room;
    if (!room) tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = name}, "out of memory");
    // Distances at the nodes, plane by plane.
    for (int i = 0; good && i < nodes.n[0]; i++) {
        good = sample_plane(&nodes, sdf, solid, i, name, errors);
        if (good && tick) good = tick(context, (double)(i + 1) / nodes.n[0]);
    }
    // Spline coefficients from the values, the border cut off, and 16-bit numbers beside them.
    if (good) {
        const int *n = nodes.n;
        for (int j = 0; j < n[1]; j++)
            for (int k = 0; k < n[2]; k++) filter_line(&nodes, node_at(&nodes, 0, j, k), (size_t)n[1] * (size_t)n[2], n[0]);
        for (int i = 0; i < n[0]; i++)
            for (int k = 0; k < n[2]; k++) filter_line(&nodes, node_at(&nodes, i, 0, k), (size_t)n[2], n[1]);
        for (int i = 0; i < n[0]; i++)
            for (int j = 0; j < n[1]; j++) filter_line(&nodes, node_at(&nodes, i, j, 0), 1, n[2]);
        cut(&nodes, sdf);
        quantise(sdf);
    }
    tact_memory_release(nodes.value);
    tact_memory_release(nodes.scratch);
    if (!good) tact_sdf_free(sdf);
    return good;
}

void tact_sdf_free(tact_sdf *sdf) {
    tact_memory_release(sdf->value);
    tact_memory_release(sdf->fine);
    *sdf = (tact_sdf){0};
}

tact_grid tact_sdf_grid(const tact_sdf *sdf, tact_real *value) {
    TACT_ASSERT(sdf && sdf->value);
    for (size_t i = 0; value && i < sdf_size(sdf); i++) value[i] = (tact_real)sdf->value[i];
    return (tact_grid){.count = {sdf->count[0], sdf->count[1], sdf->count[2]},
                       .low = tact_vec3_make((tact_real)sdf->low[0], (tact_real)sdf->low[1], (tact_real)sdf->low[2]),
                       .step = (tact_real)sdf->step,
                       .unit = value ? 1 : (tact_real)sdf->unit,
                       .value = value,
                       .fine = value ? NULL : sdf->fine};
}

static int compare_numbers(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

bool tact_grid_measure(const tact_grid *grid, const tact_solid *solid, double off[3]) {
    TACT_ASSERT(grid && solid && solid->ntriangle > 0);
    // corners, middles of edges and the middle of each triangle: by the weights of its corners
    static const double weight[7][3] = {
        {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.5, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
    const size_t count = 7 * (size_t)solid->ntriangle;
    const tact_shape shape = {.body = TACT_WORLD, .type = TACT_SHAPE_GRID, .grid = grid};
    double *all = tact_memory_get(count * sizeof *all);
    if (!all) return false;
    for (size_t i = 0; i < count; i++) {
        const int *c = solid->triangle[i / 7];
        tact_real x[3];
        for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int a = 0; a < 3; a++) sum += weight[i % 7][a] * solid->point[c[a]][k];
            x[k] = (tact_real)sum;
        }
        all[i] = fabs((double)tact_shape_distance(&shape, tact_vec3_make(x[0], x[1], x[2])).value);
    }
    // median, 95 % and most
    qsort(all, count, sizeof *all, compare_numbers);
    off[0] = all[count / 2];
    off[1] = all[(size_t)(0.95 * (double)count)];
    off[2] = all[count - 1];
    tact_memory_release(all);
    return true;
}

void tact_grid_add_array(tact_text *out, const tact_grid *grid) {
    const long long shape[3] = {grid->count[0], grid->count[1], grid->count[2]};
    size_t size = (size_t)shape[0] * (size_t)shape[1] * (size_t)shape[2];
    tact_npy_header header = tact_npy_make_header(grid->fine ? TACT_NPY_SHORT : TACT_NPY_DOUBLE, 3, shape);
    tact_text_add_bytes(out, header.bytes, header.size);
    if (grid->fine) tact_text_add_bytes(out, (const char *)(const void *)grid->fine, size * sizeof *grid->fine);
    // of either precision, double
    for (size_t i = 0; !grid->fine && i < size; i++) {
        const double value = (double)grid->value[i];
        tact_text_add_bytes(out, (const char *)(const void *)&value, sizeof value);
    }
}
