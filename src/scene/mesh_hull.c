// SPDX-License-Identifier: MIT
// The convex hull of a mesh, and what it weighs.
#include <math.h>

#include "scene/hull.h"
#include "scene/mesh_fit.h"

// Reads a mesh file and makes the convex hull of its points, with at most as many vertices as are asked for. hull->hull is NULL
// after an error.
bool tact_mesh_hull_read(tact_draft *draft, const char *path, tact_mesh_hull *hull, tact_errors *errors) {
    TACT_ASSERT(draft && path && hull && errors && hull->vertices >= 4 && hull->vertices <= TACT_HULL_VERTICES);
    tact_text text = {0};
    tact_mesh mesh = {0};
    tact_mesh_fit fitted = {.type = TACT_SHAPE_HULL, .vertices = hull->vertices};
    for (int k = 0; k < 3; k++) fitted.scale[k] = hull->scale[k];
    bool good =
        tact_text_read(&text, path, TACT_MESH_LIMIT, errors) && tact_mesh_read(&mesh, tact_text_source(&text, path), errors);
    if (good) {
        const char *why = tact_mesh_fit_make(draft, &mesh, &fitted);
        tact_error_kind kind = why == tact_mesh_fit_no_memory ? TACT_ERROR_NO_MEMORY : TACT_ERROR_REFUSED;
        if (why) tact_errors_add(errors, kind, (tact_place){.file = path}, "%s", why);
        good = !why;
    }
    hull->hull = good ? fitted.hull : NULL;
    hull->npoint = mesh.npoint;
    hull->outside = fitted.outside;
    tact_text_free(&text);
    tact_mesh_free(&mesh);
    return good;
}

void tact_hull_weigh(const tact_hull *hull, double *volume, double com[3], double moment[6]) {
    TACT_ASSERT(hull && volume && com && moment);
    const tact_vec3 *v = hull->vertex;
    const double from[3] = {(double)v[0].x, (double)v[0].y, (double)v[0].z};
    double sum = 0, first[3] = {0}, second[3][3] = {{0}};
    // Tetrahedra from the first vertex to the triangles of all faces. With corners 0, a, b, c the integral of x is V (a + b +
    // c)/4, and that of x x' is V (s s' + a a' + b b' + c c')/20, s = a + b + c.
    for (int f = 0; f < hull->nface; f++) {
        const int *corner = hull->corner + hull->face[f].first;
        for (int t = 1; t + 1 < hull->face[f].count; t++) {
            const int of[3] = {corner[0], corner[t], corner[t + 1]};
            double x[3][3], s[3];
            for (int c = 0; c < 3; c++) {
                const double at[3] = {(double)v[of[c]].x, (double)v[of[c]].y, (double)v[of[c]].z};
                for (int k = 0; k < 3; k++) x[c][k] = at[k] - from[k];
            }
            for (int k = 0; k < 3; k++) s[k] = x[0][k] + x[1][k] + x[2][k];
            double V = (x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) + x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
                        x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0])) /
                       6;
            sum += V;
            for (int i = 0; i < 3; i++) {
                first[i] += V * s[i] / 4;
                for (int k = 0; k < 3; k++)
                    second[i][k] += V * (s[i] * s[k] + x[0][i] * x[0][k] + x[1][i] * x[1][k] + x[2][i] * x[2][k]) / 20;
            }
        }
    }
    // Over the volume and about the centre.
    *volume = sum;
    for (int k = 0; k < 3; k++) first[k] /= sum;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) second[i][k] = second[i][k] / sum - first[i] * first[k];
    for (int k = 0; k < 3; k++) {
        com[k] = from[k] + first[k];
        moment[k] = second[(k + 1) % 3][(k + 1) % 3] + second[(k + 2) % 3][(k + 2) % 3];
    }
    moment[3] = -second[0][1];
    moment[4] = -second[0][2];
    moment[5] = -second[1][2];
}
