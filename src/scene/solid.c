// SPDX-License-Identifier: MIT
// A mesh is closed and oriented when each edge is run through as often in one direction as in the other, here once each. Points
// at one place are one point; triangles of which two corners are one are left out.
#include "scene/mesh_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tact/memory.h"

typedef struct {
    float x[3];
    int index;
} solid_corner;

typedef struct {
    int from, to;  // from < to
    int way;       // 1: run through in this direction; -1: in the other
} solid_edge;

static int compare_corners(const void *a, const void *b) {
    const solid_corner *p = a, *q = b;
    for (int k = 0; k < 3; k++)
        if (p->x[k] != q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
    return p->index < q->index ? -1 : p->index > q->index;
}

static int compare_edges(const void *a, const void *b) {
    const solid_edge *p = a, *q = b;
    if (p->from != q->from) return p->from < q->from ? -1 : 1;
    if (p->to != q->to) return p->to < q->to ? -1 : 1;
    return q->way - p->way;
}

// Joins points at one place; of[i]: the new number of point i.
static bool weld(tact_solid *solid, const tact_mesh *mesh, const double scale[3], int *of) {
    solid_corner *corner = tact_memory_get((size_t)mesh->npoint * sizeof *corner);
    solid->point = tact_memory_get((size_t)mesh->npoint * sizeof *solid->point);
    if (!corner || !solid->point) {
        tact_memory_release(corner);
        return false;
    }
    for (int i = 0; i < mesh->npoint; i++) {
        corner[i].index = i;
        // + 0: no -0
        for (int k = 0; k < 3; k++) corner[i].x[k] = mesh->point[i].x[k] + 0;
    }
    qsort(corner, (size_t)mesh->npoint, sizeof *corner, compare_corners);
    for (int i = 0; i < mesh->npoint; i++) {
        bool same = i > 0;
        for (int k = 0; k < 3 && same; k++) same = corner[i].x[k] == corner[i - 1].x[k];
        if (!same)
            for (int k = 0; k < 3; k++) solid->point[solid->npoint][k] = scale[k] * (double)corner[i].x[k];
        if (!same) solid->npoint++;
        of[corner[i].index] = solid->npoint - 1;
    }
    tact_memory_release(corner);
    return true;
}

typedef struct {
    char text[64];
} solid_place;

static solid_place print_place(const tact_solid *solid, int i) {
    solid_place place;
    const double *x = solid->point[i];
    snprintf(place.text, sizeof place.text, "(%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
    return place;
}

// Whether each edge has two faces that run along it in opposite directions; false after reporting those that do not.
static bool check_closed(const tact_solid *solid, const char *name, tact_errors *errors) {
    enum { NAMED = 4 };
    int count = 3 * solid->ntriangle, open = 0, many = 0, ways = 0;
    char list[NAMED * 140] = "";
    solid_edge *edge = tact_memory_get(3 * (size_t)solid->ntriangle * sizeof *edge);
    for (int t = 0; edge && t < solid->ntriangle; t++)
        for (int c = 0; c < 3; c++) {
            int a = solid->triangle[t][c], b = solid->triangle[t][(c + 1) % 3];
            edge[3 * t + c] = (solid_edge){a < b ? a : b, a < b ? b : a, a < b ? 1 : -1};
        }
    if (edge) qsort(edge, (size_t)count, sizeof *edge, compare_edges);
    if (!edge) return tact_file_refuse(name, ENOMEM, errors);
    for (int i = 0, next = 0; i < count; i = next) {
        // Runs of equal edges: two with opposite directions are right.
        int sum = 0;
        for (next = i; next < count && edge[next].from == edge[i].from && edge[next].to == edge[i].to; next++)
            sum += edge[next].way;
        if (next - i == 2 && sum == 0) continue;
        int bad = open + many + ways;
        open += next - i == 1;
        many += next - i > 2;
        ways += next - i == 2;
        size_t used = strlen(list);
        if (bad < NAMED)
            snprintf(list + used, sizeof list - used, "%s%s-%s", bad > 0 ? ", " : "", print_place(solid, edge[i].from).text,
                     print_place(solid, edge[i].to).text);
    }
    tact_memory_release(edge);
    if (open + many + ways == 0) return true;
    tact_errors_add(
        errors, TACT_ERROR_REFUSED, (tact_place){.file = name},
        "is not a closed surface: %d edges have one face only, %d more than two, %d two that run in the same direction: %s%s",
        open, many, ways, list, open + many + ways > NAMED ? ", ..." : "");
    return false;
}

static bool check_uncrossed(const tact_solid *solid, const char *name, tact_errors *errors) {
    int edge[2] = {0, 0}, count = tact_solid_crossings(solid, edge);
    if (count < 0) tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = name}, "out of memory");
    if (count > 0)
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name},
                        "crosses itself: %d edges pass through faces, the first is %s-%s", count,
                        print_place(solid, edge[0]).text, print_place(solid, edge[1]).text);
    return count == 0;
}

// Faces that look inward are turned; false after reporting that there is no volume.
static bool orient(tact_solid *solid, const char *name, tact_errors *errors) {
    double com[3], moment[6];
    tact_solid_weigh(solid, &solid->volume, com, moment);
    solid->turned = solid->volume < 0;
    for (int t = 0; t < solid->ntriangle && solid->turned; t++) {
        int swap = solid->triangle[t][1];
        solid->triangle[t][1] = solid->triangle[t][2];
        solid->triangle[t][2] = swap;
    }
    solid->volume = fabs(solid->volume);
    // A volume that is nothing beside the box is none.
    double size = 1;
    for (int k = 0; k < 3; k++) size *= solid->high[k] - solid->low[k];
    if (solid->ntriangle > 0 && solid->volume > 1e-9 * size) return true;
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = name}, "holds no volume");
    return false;
}

bool tact_solid_make(tact_solid *solid, const tact_mesh *mesh, const double scale[3], const char *name, tact_errors *errors) {
    TACT_ASSERT(solid && mesh && scale);
    *solid = (tact_solid){0};
    int *of = tact_memory_get((size_t)mesh->npoint * sizeof *of);
    solid->triangle = tact_memory_get((size_t)mesh->ntriangle * sizeof *solid->triangle);
    // Points at one place become one, so that triangles share edges.
    bool room = of && solid->triangle && weld(solid, mesh, scale, of);
    if (room) {
        for (int t = 0; t < mesh->ntriangle; t++) {
            const int *c = mesh->triangle[t].corner, a = of[c[0]], b = of[c[1]], d = of[c[2]];
            if (a == b || b == d || d == a) continue;
            int *to = solid->triangle[solid->ntriangle++];
            to[0] = a, to[1] = b, to[2] = d;
        }
    }
    tact_memory_release(of);
    // bounding box of the triangles
    for (int k = 0; k < 3; k++) solid->low[k] = HUGE_VAL, solid->high[k] = -HUGE_VAL;
    for (int i = 0; room && i < 9 * solid->ntriangle; i++) {
        double x = solid->point[solid->triangle[i / 9][i / 3 % 3]][i % 3];
        solid->low[i % 3] = fmin(solid->low[i % 3], x);
        solid->high[i % 3] = fmax(solid->high[i % 3], x);
    }
    // Closed, oriented outwards, in a tree, and without self-intersections.
    bool good = room && check_closed(solid, name, errors) && orient(solid, name, errors);
    if (good) room = tact_solid_grow(solid);
    if (!room) tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = name}, "out of memory");
    good = good && room && check_uncrossed(solid, name, errors);
    if (!good) tact_solid_free(solid);
    return good;
}

void tact_solid_free(tact_solid *solid) {
    tact_memory_release(solid->point);
    tact_memory_release(solid->triangle);
    tact_memory_release(solid->node);
    *solid = (tact_solid){0};
}
