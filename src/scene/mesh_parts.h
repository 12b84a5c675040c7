// SPDX-License-Identifier: MIT
// What the readers of meshes share, and the parts of a solid.
#ifndef TACT_SCENE_MESH_PARTS_H
#define TACT_SCENE_MESH_PARTS_H

#include "tact/mesh.h"

// For the readers: a new last point or triangle; false when there is no memory.
bool tact_mesh_add_point(tact_mesh *mesh, const double x[3]);
bool tact_mesh_add_triangle(tact_mesh *mesh, int a, int b, int c);

// A face of 3 to TACT_MESH_CORNERS corners, which are changed, as triangles; false when there is no memory.
#define TACT_MESH_CORNERS 1024
bool tact_mesh_cut(tact_mesh *mesh, int *corner, int count);

// The next word before end, between spaces, tabs and ends of lines: moves *at to it and returns its length, 0 when there is none.
size_t tact_mesh_word(const char **at, const char *end);

// A number that a point may have.
bool tact_mesh_number_is_good(double x);

// STL, OBJ, PLY and COLLADA; false after reporting, but not for want of memory, which no_memory tells.
bool tact_mesh_read_stl(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory);
bool tact_mesh_read_obj(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory);
bool tact_mesh_read_ply(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory);
bool tact_mesh_read_collada(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory);

// Refuses the file at a byte of it (NULL: as a whole). Always false.
bool tact_mesh_refuse(tact_source source, const char *at, tact_errors *errors, const char *format, ...) TACT_PRINTF(4, 5);

// For solid.c: the number of edges that pass through faces, and one of them; -1 without memory.
int tact_solid_crossings(const tact_solid *solid, int edge[2]);

// The tree, once points and triangles are there; false without memory.
bool tact_solid_grow(tact_solid *solid);

#endif
