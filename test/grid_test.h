// SPDX-License-Identifier: MIT
// Meshes of an ellipsoid, a torus, a box, and their distance grids.
#ifndef TACT_TEST_GRID_H
#define TACT_TEST_GRID_H

#include "scene/mesh_parts.h"
#include "scene_test.h"
#include "vector_test.h"

static const double turn = 2 * 3.14159265358979323846, unscaled[3] = {1, 1, 1};

// ---- meshes with faces that look outward

// An ellipsoid of a rings x b points and two poles.
static inline void make_ellipsoid(tact_mesh *mesh, int a, int b, const double half[3]) {
    const double north[3] = {0, 0, half[2]}, south[3] = {0, 0, -half[2]};
    tact_mesh_add_point(mesh, north);
    for (int i = 1; i < a; i++)
        for (int j = 0; j < b; j++) {
            double u = turn / 2 * i / a, v = turn * j / b;
            const double x[3] = {half[0] * sin(u) * cos(v), half[1] * sin(u) * sin(v), half[2] * cos(u)};
            tact_mesh_add_point(mesh, x);
        }
    tact_mesh_add_point(mesh, south);
    int last = mesh->npoint - 1;
    for (int j = 0; j < b; j++) {
        int next = (j + 1) % b;
        tact_mesh_add_triangle(mesh, 0, 1 + j, 1 + next);
        for (int i = 0; i < a - 2; i++) {
            int p = 1 + i * b;
            tact_mesh_add_triangle(mesh, p + j, p + b + j, p + b + next);
            tact_mesh_add_triangle(mesh, p + j, p + b + next, p + next);
        }
        tact_mesh_add_triangle(mesh, last, 1 + (a - 2) * b + next, 1 + (a - 2) * b + j);
    }
}

static inline void make_torus(tact_mesh *mesh, int a, int b, double large, double small) {
    for (int i = 0; i < a; i++)
        for (int j = 0; j < b; j++) {
            double u = turn * i / a, v = turn * j / b;
            const double x[3] = {(large + small * cos(v)) * cos(u), (large + small * cos(v)) * sin(u), small * sin(v)};
            tact_mesh_add_point(mesh, x);
        }
    for (int i = 0; i < a; i++)
        for (int j = 0; j < b; j++) {
            int p = i * b + j, q = (i + 1) % a * b + j, r = (i + 1) % a * b + (j + 1) % b, s = i * b + (j + 1) % b;
            tact_mesh_add_triangle(mesh, p, q, r);
            tact_mesh_add_triangle(mesh, p, r, s);
        }
}

// A box; its corners from number at on.
static inline void make_box(tact_mesh *mesh, const double centre[3], const double half[3]) {
    static const int face[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    int at = mesh->npoint;
    for (int c = 0; c < 8; c++) {
        const double x[3] = {centre[0] + (c & 1 ? half[0] : -half[0]), centre[1] + (c & 2 ? half[1] : -half[1]),
                             centre[2] + (c & 4 ? half[2] : -half[2])};
        tact_mesh_add_point(mesh, x);
    }
    for (int t = 0; t < 12; t++) tact_mesh_add_triangle(mesh, at + face[t][0], at + face[t][1], at + face[t][2]);
}

// ---- grids of meshes

typedef struct {
    tact_solid solid;
    tact_sdf sdf;
    tact_real *value;
    tact_grid grid;
    tact_shape shape;
} sampled;

// its numbers are tact_real, or of 16 bits
static inline void take_numbers(sampled *s, bool fine) {
    s->grid.unit = fine ? (tact_real)s->sdf.unit : 1;
    s->grid.value = fine ? NULL : s->value;
    s->grid.fine = fine ? s->sdf.fine : NULL;
}

static inline void sample(sampled *s, tact_mesh *mesh, int count, bool fine) {
    *s = (sampled){0};
    errors = (tact_errors){0};
    CHECK(tact_solid_make(&s->solid, mesh, unscaled, "mesh", &errors));
    CHECK(tact_sdf_make(&s->sdf, &s->solid, count, "mesh", NULL, NULL, &errors));
    if (errors.errors > 0) printf("    %s\n", errors.items[0].text);
    tact_mesh_free(mesh);
    const tact_sdf *sdf = &s->sdf;
    size_t size = (size_t)sdf->count[0] * (size_t)sdf->count[1] * (size_t)sdf->count[2];
    s->value = malloc(size * sizeof *s->value);
    if (!s->value) abort();
    for (size_t i = 0; i < size; i++) s->value[i] = (tact_real)sdf->value[i];
    s->grid = (tact_grid){.count = {sdf->count[0], sdf->count[1], sdf->count[2]},
                          .low = vec(sdf->low[0], sdf->low[1], sdf->low[2]),
                          .step = (tact_real)sdf->step};
    take_numbers(s, fine);
    s->shape = (tact_shape){.body = TACT_WORLD, .type = TACT_SHAPE_GRID, .grid = &s->grid};
}

static inline void forget(sampled *s) {
    tact_sdf_free(&s->sdf);
    tact_solid_free(&s->solid);
    free(s->value);
}

#endif
