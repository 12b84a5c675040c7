// SPDX-License-Identifier: MIT
// Triangle meshes, read from STL (binary or text), OBJ and COLLADA files.
#ifndef TACT_SCENE_MESH_H
#define TACT_SCENE_MESH_H

#include "tact/text.h"

// The largest file [bytes].
#define TACT_MESH_LIMIT (64 << 20)

typedef struct {
    float x[3];  // in the file's own unit
} tact_mesh_point;

typedef struct {
    int corner[3];  // points
} tact_mesh_triangle;

// Starts as {0}; ends with tact_mesh_free.
typedef struct {
    int npoint, ntriangle;
    tact_mesh_point *point;        // (npoint), finite
    tact_mesh_triangle *triangle;  // (ntriangle)
    int point_room, triangle_room;
} tact_mesh;

// The whole file, ended by NUL. False and one error when it is no such file, holds no triangle, is cut off, holds a number that
// is not finite or too large, or when memory is out; then the mesh is empty.
bool tact_mesh_read(tact_mesh *mesh, tact_source source, tact_errors *errors);

void tact_mesh_free(tact_mesh *mesh);

// For the readers: a new last point or triangle; false when there is no memory.
bool tact_mesh_add_point(tact_mesh *mesh, const double x[3]);
bool tact_mesh_add_triangle(tact_mesh *mesh, int a, int b, int c);

// The next word before end, between spaces, tabs and ends of lines: moves *at to it and returns its length, 0 when there is none.
size_t tact_mesh_word(const char **at, const char *end);

// A number that a point may have.
bool tact_mesh_number_is_good(double x);

// STL, OBJ and COLLADA; false after reporting, but not for want of memory, which no_memory tells.
bool tact_mesh_read_stl(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory);
bool tact_mesh_read_obj(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory);
bool tact_mesh_read_collada(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory);

// Refuses the file at a byte of it (NULL: as a whole). Always false.
bool tact_mesh_refuse(tact_source source, const char *at, tact_errors *errors, const char *format, ...) TACT_PRINTF(4, 5);

#endif
