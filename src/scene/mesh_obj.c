// SPDX-License-Identifier: MIT
// Wavefront OBJ: lines "v x y z" and "f a b c ..", where a corner is POINT, POINT/TEXTURE, POINT//NORMAL or all three, counted
// from 1 or, below 0, back from the last point. Faces of more corners are cut into triangles. Other lines say how it looks, and
// are passed over.
#include <math.h>
#include <string.h>

#include "scene/mesh_parts.h"

typedef struct {
    tact_mesh *mesh;
    tact_source source;
    tact_errors *errors;
    bool no_memory;
} reading;

static bool read_point(reading *from, const char *at, const char *end) {
    double x[3];
    for (int k = 0; k < 3; k++) {
        size_t size = tact_mesh_word(&at, end);
        if (tact_number_read_loose(at, size, &x[k]) != TACT_NUMBER_READ || !tact_mesh_number_is_good(x[k]))
            return tact_mesh_refuse(from->source, at, from->errors, "%s: not a number of a point",
                                    tact_quote_bytes(at, size).text);
        at += size;
    }
    from->no_memory = !tact_mesh_add_point(from->mesh, x);
    return !from->no_memory;
}

// The point of a corner; -1 after reporting.
static int read_corner(reading *from, const char *at, size_t size) {
    size_t digits = 0;
    double number = 0;
    while (digits < size && at[digits] != '/') digits++;
    bool good = tact_number_read_loose(at, digits, &number) == TACT_NUMBER_READ;
    int count = from->mesh->npoint;
    if (good && number < 0) number += count + 1;
    if (good && number >= 1 && number <= count && number == (int)number) return (int)number - 1;
    tact_mesh_refuse(from->source, at, from->errors, "%s: not one of the %d points before it", tact_quote_bytes(at, size).text,
                     count);
    return -1;
}

// Twice the area of a triangle as seen along an axis, with its sign.
static double turn(const reading *from, const int axis[2], int a, int b, int c) {
    const tact_mesh_point *p = from->mesh->point;
    double x[2], y[2];
    for (int k = 0; k < 2; k++) {
        x[k] = (double)p[b].x[axis[k]] - (double)p[a].x[axis[k]];
        y[k] = (double)p[c].x[axis[k]] - (double)p[a].x[axis[k]];
    }
    return x[0] * y[1] - x[1] * y[0];
}

// Whether corner i is convex and no other corner lies in the triangle that it makes with those beside it.
static bool is_ear(const reading *from, const int axis[2], double sign, const int *corner, int count, int i) {
    int a = corner[(i + count - 1) % count], b = corner[i], c = corner[(i + 1) % count];
    if (!(sign * turn(from, axis, a, b, c) > 0)) return false;
    for (int k = 0; k < count; k++) {
        int p = corner[k];
        if (p == a || p == b || p == c) continue;
        bool within = sign * turn(from, axis, a, b, p) >= 0 && sign * turn(from, axis, b, c, p) >= 0 &&
                      sign * turn(from, axis, c, a, p) >= 0;
        if (within) return false;
    }
    return true;
}

static bool add_triangle(reading *from, int a, int b, int c) {
    from->no_memory = !tact_mesh_add_triangle(from->mesh, a, b, c);
    return !from->no_memory;
}

static float square_between(const tact_mesh_point *a, const tact_mesh_point *b) {
    float x = a->x[0] - b->x[0], y = a->x[1] - b->x[1], z = a->x[2] - b->x[2];
    return x * x + y * y + z * z;
}

// A quadrilateral is cut along its shorter diagonal, in single precision, as MuJoCo cuts it: one that is not plane has its volume
// by that.
static bool cut_face(reading *from, int *corner, int count) {
    const tact_mesh_point *p = from->mesh->point;
    if (count == 3) return add_triangle(from, corner[0], corner[1], corner[2]);
    if (count > 4) {
        // A polygon by its ears (Meisters 1975), seen along the axis to which its normal is nearest; a fan where it has none.
        double normal[3] = {0, 0, 0};
        // Newell's normal: the areas of the three projections
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 3; k++) {
                int y = (k + 1) % 3, z = (k + 2) % 3;
                const float *a = p[corner[i]].x, *b = p[corner[(i + 1) % count]].x;
                normal[k] += ((double)a[y] - (double)b[y]) * ((double)a[z] + (double)b[z]);
            }
        int along = 0;
        for (int k = 1; k < 3; k++)
            if (fabs(normal[k]) > fabs(normal[along])) along = k;
        const int axis[2] = {(along + 1) % 3, (along + 2) % 3};
        double sign = normal[along] < 0 ? -1 : 1;
        while (count > 3) {
            int ear = 0;
            while (ear < count && !is_ear(from, axis, sign, corner, count, ear)) ear++;
            // no ear: the polygon crosses itself
            if (ear == count) ear = 1;
            if (!add_triangle(from, corner[(ear + count - 1) % count], corner[ear], corner[(ear + 1) % count])) return false;
            for (int k = ear; k + 1 < count; k++) corner[k] = corner[k + 1];
            count--;
        }
        return add_triangle(from, corner[0], corner[1], corner[2]);
    }
    bool first = square_between(&p[corner[0]], &p[corner[2]]) < square_between(&p[corner[1]], &p[corner[3]]);
    return add_triangle(from, corner[0], corner[1], corner[first ? 2 : 3]) &&
           add_triangle(from, corner[first ? 0 : 1], corner[2], corner[3]);
}

static bool read_face(reading *from, const char *at, const char *end) {
    int corner[TACT_MESH_CORNERS], count = 0;
    const char *begin = at;
    for (size_t size = 0; (size = tact_mesh_word(&at, end)) > 0; at += size) {
        int point = read_corner(from, at, size);
        if (point < 0) return false;
        if (count == TACT_MESH_CORNERS)
            return tact_mesh_refuse(from->source, begin, from->errors, "a face of more than %d corners", TACT_MESH_CORNERS);
        corner[count++] = point;
    }
    if (count < 3) return tact_mesh_refuse(from->source, begin, from->errors, "a face of %d corners", count);
    return cut_face(from, corner, count);
}

bool tact_mesh_cut(tact_mesh *mesh, int *corner, int count) {
    reading from = {.mesh = mesh};
    TACT_ASSERT(count >= 3 && count <= TACT_MESH_CORNERS);
    return cut_face(&from, corner, count);
}

bool tact_mesh_read_obj(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory) {
    reading from = {.mesh = mesh, .source = source, .errors = errors};
    const char *at = source.bytes, *last = source.bytes + source.size;
    bool good = true;
    while (good && at < last) {
        const char *newline = memchr(at, '\n', (size_t)(last - at)), *end = newline ? newline : last;
        size_t size = tact_mesh_word(&at, end);
        if (size == 1 && at[0] == 'v') good = read_point(&from, at + 1, end);
        if (size == 1 && at[0] == 'f') good = read_face(&from, at + 1, end);
        at = newline ? newline + 1 : last;
    }
    *no_memory = from.no_memory;
    return good;
}
