// SPDX-License-Identifier: MIT
#include "scene/mesh_parts.h"
#include "scene/mesh_path.h"

#include <math.h>
#include <string.h>

#include "tact/memory.h"

#define MOST_COORDINATE 1e9

bool tact_mesh_add_point(tact_mesh *mesh, const double x[3]) {
    tact_mesh_point *points = tact_memory_grow(mesh->point, mesh->npoint, &mesh->point_room, 256, sizeof points[0]);
    if (!points) return false;
    mesh->point = points;
    for (int k = 0; k < 3; k++) points[mesh->npoint].x[k] = (float)x[k];
    mesh->npoint++;
    return true;
}

bool tact_mesh_add_triangle(tact_mesh *mesh, int a, int b, int c) {
    tact_mesh_triangle *triangles =
        tact_memory_grow(mesh->triangle, mesh->ntriangle, &mesh->triangle_room, 256, sizeof triangles[0]);
    if (!triangles) return false;
    mesh->triangle = triangles;
    triangles[mesh->ntriangle++] = (tact_mesh_triangle){{a, b, c}};
    return true;
}

size_t tact_mesh_word(const char **at, const char *end) {
    while (*at < end && strchr(" \t\r\n", **at)) ++*at;
    const char *from = *at;
    size_t size = 0;
    while (from + size < end && !strchr(" \t\r\n", from[size])) size++;
    return size;
}

bool tact_mesh_number_is_good(double x) {
    return fabs(x) <= MOST_COORDINATE;
}

// Adds an error at the line and column of a byte of the source, without a place where at is NULL. Always false.
bool tact_mesh_refuse(tact_source source, const char *at, tact_errors *errors, const char *format, ...) {
    tact_place place = {.file = source.name};
    va_list arguments;
    if (at) {
        place.line = source.line;
        place.column = 1;
        for (const char *byte = source.bytes; byte < at; byte++) {
            place.line += *byte == '\n';
            place.column = *byte == '\n' ? 1 : place.column + 1;
        }
    }
    va_start(arguments, format);
    tact_errors_add_list(errors, TACT_ERROR_REFUSED, place, format, arguments);
    va_end(arguments);
    return false;
}

// Reads a mesh by the ending of its file's name. A mesh without triangles is refused; after an error nothing is left to free.
bool tact_mesh_read(tact_mesh *mesh, tact_source source, tact_errors *errors) {
    TACT_ASSERT(mesh && errors);
    bool no_memory = false, good = false;
    *mesh = (tact_mesh){0};
    if (tact_path_ends(source.name, ".stl"))
        good = tact_mesh_read_stl(mesh, source, errors, &no_memory);
    else if (tact_path_ends(source.name, ".obj"))
        good = tact_mesh_read_obj(mesh, source, errors, &no_memory);
    else if (tact_path_ends(source.name, ".ply"))
        good = tact_mesh_read_ply(mesh, source, errors, &no_memory);
    else if (tact_path_ends(source.name, ".dae"))
        good = tact_mesh_read_collada(mesh, source, errors, &no_memory);
    else
        good = tact_mesh_refuse(source, NULL, errors, "not a mesh of a known format (.stl, .obj, .ply or .dae)");
    if (good && mesh->ntriangle == 0) good = tact_mesh_refuse(source, NULL, errors, "holds no triangle");
    if (no_memory) tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = source.name}, "out of memory");
    if (!good) tact_mesh_free(mesh);
    return good;
}

void tact_mesh_free(tact_mesh *mesh) {
    tact_memory_release(mesh->point);
    tact_memory_release(mesh->triangle);
    *mesh = (tact_mesh){0};
}
