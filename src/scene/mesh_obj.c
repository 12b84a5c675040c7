// SPDX-License-Identifier: MIT
// Wavefront OBJ: lines "v x y z" and "f a b c ..", where a corner is POINT, POINT/TEXTURE, POINT//NORMAL or all three, counted
// from 1 or, below 0, back from the last point. Faces of more corners are cut into triangles from the first. Other lines say how
// it looks, and are passed over.
#include <limits.h>
#include <string.h>

#include "scene/mesh_parts.h"
#include "tact/text.h"

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
    tact_mesh_refuse(from->source, at, from->errors, "%s: not one of the %d points before", tact_quote_bytes(at, size).text,
                     count);
    return -1;
}

static bool read_face(reading *from, const char *at, const char *end) {
    int corner[3], count = 0;
    const char *begin = at;
    for (size_t size = 0; (size = tact_mesh_word(&at, end)) > 0; at += size) {
        int point = read_corner(from, at, size);
        if (point < 0) return false;
        corner[count < 2 ? count : 2] = point;
        if (++count < 3) continue;
        from->no_memory = !tact_mesh_add_triangle(from->mesh, corner[0], corner[1], corner[2]);
        if (from->no_memory) return false;
        corner[1] = corner[2];
    }
    return count >= 3 || tact_mesh_refuse(from->source, begin, from->errors, "a face of %d corners", count);
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
