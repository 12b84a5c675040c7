// SPDX-License-Identifier: MIT
// The convex hull of a mesh, and what it weighs.
#include <string.h>

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

// Sums over the tetrahedra from a place to the triangles of a surface.
typedef struct {
    double from[3], volume, first[3], second[3][3];  // the integrals of 1, x and x x', x from the place
} mass_sums;

// With corners 0, a, b, c the integral of x is V (a + b + c)/4, and that of x x' is V (s s' + a a' + b b' + c c')/20,
// s = a + b + c.
static void add_tetrahedron(mass_sums *sums, double x[3][3]) {
    double s[3];
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) x[c][k] -= sums->from[k];
    for (int k = 0; k < 3; k++) s[k] = x[0][k] + x[1][k] + x[2][k];
    double V = (x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) + x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
                x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0])) /
               6;
    sums->volume += V;
    for (int i = 0; i < 3; i++) {
        sums->first[i] += V * s[i] / 4;
        for (int k = 0; k < 3; k++)
            sums->second[i][k] += V * (s[i] * s[k] + x[0][i] * x[0][k] + x[1][i] * x[1][k] + x[2][i] * x[2][k]) / 20;
    }
}

// The volume, the centre and, over the volume, the moments about it; of no volume that alone.
static double find_moments(const mass_sums *sums, double com[3], double moment[6]) {
    double first[3], second[3][3];
    if (sums->volume == 0) return 0;
    for (int k = 0; k < 3; k++) first[k] = sums->first[k] / sums->volume;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) second[i][k] = sums->second[i][k] / sums->volume - first[i] * first[k];
    for (int k = 0; k < 3; k++) {
        com[k] = sums->from[k] + first[k];
        moment[k] = second[(k + 1) % 3][(k + 1) % 3] + second[(k + 2) % 3][(k + 2) % 3];
    }
    moment[3] = -second[0][1];
    moment[4] = -second[0][2];
    moment[5] = -second[1][2];
    return sums->volume;
}

void tact_hull_weigh(const tact_hull *hull, double *volume, double com[3], double moment[6]) {
    TACT_ASSERT(hull && volume && com && moment);
    const tact_vec3 *v = hull->vertex;
    mass_sums sums = {.from = {(double)v[0].x, (double)v[0].y, (double)v[0].z}};
    // each face as a fan of triangles; with the first vertex of the hull each spans a tetrahedron
    for (int f = 0; f < hull->nface; f++) {
        const int *corner = hull->corner + hull->face[f].first;
        for (int t = 1; t + 1 < hull->face[f].count; t++) {
            const tact_vec3 a = v[corner[0]], b = v[corner[t]], c = v[corner[t + 1]];
            double x[3][3] = {{(double)a.x, (double)a.y, (double)a.z},
                              {(double)b.x, (double)b.y, (double)b.z},
                              {(double)c.x, (double)c.y, (double)c.z}};
            add_tetrahedron(&sums, x);
        }
    }
    *volume = find_moments(&sums, com, moment);
}

void tact_solid_weigh(const tact_solid *solid, double *volume, double com[3], double moment[6]) {
    TACT_ASSERT(solid && volume && com && moment);
    mass_sums sums = {0};
    for (int k = 0; k < 3; k++) sums.from[k] = (solid->low[k] + solid->high[k]) / 2;
    for (int t = 0; t < solid->ntriangle; t++) {
        double x[3][3];
        for (int c = 0; c < 3; c++) memcpy(x[c], solid->point[solid->triangle[t][c]], sizeof x[c]);
        add_tetrahedron(&sums, x);
    }
    *volume = find_moments(&sums, com, moment);
}
