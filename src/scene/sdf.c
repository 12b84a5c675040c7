// SPDX-License-Identifier: MIT
// Exact distances of the nodes from the triangles, with the sign of the winding number, interpolated by a cubic B-spline: along
// each axis in turn
//   c_{i-1} + 4 c_i + c_{i+1} = 6 s_i ,  i = 1 .. n-2 ,   c_0 - 3 c_1 + 3 c_2 - c_3 = 0  and the same at the other end,
// which makes the ends  c_1 - c_2 = s_1 - s_2.  (C. de Boor, A Practical Guide to Splines, 1978.)
#include "scene/sdf.h"

#include <math.h>
#include <string.h>

#include "scene/memory.h"

static size_t sdf_size(const tact_sdf *sdf) {
    return (size_t)sdf->count[0] * (size_t)sdf->count[1] * (size_t)sdf->count[2];
}

// n - 5 steps along the longest side; as many as it takes along the others, in the middle.
static void set_box(tact_sdf *sdf, const tact_solid *solid, int count) {
    double longest = 0;
    for (int k = 0; k < 3; k++) longest = fmax(longest, solid->high[k] - solid->low[k]);
    sdf->step = longest / (count - 5);
    for (int k = 0; k < 3; k++) {
        double extent = solid->high[k] - solid->low[k];
        int n = (int)ceil(extent / sdf->step - 1e-9) + 5;
        sdf->count[k] = n < TACT_GRID_LEAST ? TACT_GRID_LEAST : n > count ? count : n;
        sdf->low[k] = (solid->low[k] + solid->high[k] - sdf->step * (sdf->count[k] - 1)) / 2;
    }
}

static bool refuse_winding(const double x[3], double winding, const char *name, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name},
                    "crosses itself: its surface goes %.2f times round (%.6g, %.6g, %.6g)", winding, x[0], x[1], x[2]);
    return false;
}

// The nodes of one plane across x, less those on the border, which the ends do not ask for.
static bool sample_plane(tact_sdf *sdf, const tact_solid *solid, int i, const char *name, tact_errors *errors) {
    const int *n = sdf->count;
    double x[3] = {sdf->low[0] + sdf->step * i, 0, 0};
    for (int j = 1; j < n[1] - 1; j++) {
        double bound = INFINITY;
        x[1] = sdf->low[1] + sdf->step * j;
        for (int k = 1; k < n[2] - 1; k++) {
            x[2] = sdf->low[2] + sdf->step * k;
            double distance = tact_solid_distance(solid, x, bound), winding = tact_solid_winding(solid, x);
            if (distance > 0 && !(winding > -0.4 && winding < 1.4)) return refuse_winding(x, winding, name, errors);
            sdf->value[((size_t)i * (size_t)n[1] + (size_t)j) * (size_t)n[2] + (size_t)k] = winding > 0.5 ? -distance : distance;
            // the next node is not farther
            bound = distance + sdf->step;
        }
    }
    return true;
}

// Samples to coefficients on a line of n numbers a stride apart; scratch (2 n).
static void filter_line(double *at, size_t stride, int n, double *scratch) {
    double *s = scratch, *upper = scratch + n;
    for (int i = 0; i < n; i++) s[i] = at[(size_t)i * stride];
    // elimination of c_1 .. c_{n-2}: c_i = s_i - upper_i c_{i+1}
    double first = s[1], last = s[n - 2] - s[n - 3], end = s[n - 2];
    s[1] -= s[2];
    upper[1] = -1;
    for (int i = 2; i < n - 2; i++) {
        double pivot = 4 - upper[i - 1];
        s[i] = (6 * s[i] - s[i - 1]) / pivot;
        upper[i] = 1 / pivot;
    }
    s[n - 2] = (last + s[n - 3]) / (1 + upper[n - 3]);
    for (int i = n - 3; i >= 1; i--) s[i] -= upper[i] * s[i + 1];
    s[0] = 6 * first - 4 * s[1] - s[2];
    s[n - 1] = 6 * end - 4 * s[n - 2] - s[n - 3];
    for (int i = 0; i < n; i++) at[(size_t)i * stride] = s[i];
}

static void filter(tact_sdf *sdf, double *scratch) {
    const size_t n[3] = {(size_t)sdf->count[0], (size_t)sdf->count[1], (size_t)sdf->count[2]};
    for (size_t j = 0; j < n[1]; j++)
        for (size_t k = 0; k < n[2]; k++) filter_line(sdf->value + j * n[2] + k, n[1] * n[2], sdf->count[0], scratch);
    for (size_t i = 0; i < n[0]; i++)
        for (size_t k = 0; k < n[2]; k++) filter_line(sdf->value + i * n[1] * n[2] + k, n[2], sdf->count[1], scratch);
    for (size_t i = 0; i < n[0]; i++)
        for (size_t j = 0; j < n[1]; j++) filter_line(sdf->value + (i * n[1] + j) * n[2], 1, sdf->count[2], scratch);
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
    *sdf = (tact_sdf){0};
    set_box(sdf, solid, count);
    size_t size = sdf_size(sdf);
    double *scratch = tact_memory_get(2 * (size_t)count * sizeof *scratch);
    sdf->value = tact_memory_get(size * sizeof *sdf->value);
    sdf->fine = tact_memory_get(size * sizeof *sdf->fine);
    bool room = scratch && sdf->value && sdf->fine, good = room;
    if (!room) tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = name}, "out of memory");
    for (size_t i = 0; good && i < size; i++) sdf->value[i] = 0;
    for (int i = 1; good && i < sdf->count[0] - 1; i++) {
        good = sample_plane(sdf, solid, i, name, errors);
        if (good && tick) good = tick(context, (double)i / (sdf->count[0] - 2));
    }
    if (good) {
        filter(sdf, scratch);
        quantise(sdf);
    }
    tact_memory_release(scratch);
    if (!good) tact_sdf_free(sdf);
    return good;
}

void tact_sdf_free(tact_sdf *sdf) {
    tact_memory_release(sdf->value);
    tact_memory_release(sdf->fine);
    *sdf = (tact_sdf){0};
}
