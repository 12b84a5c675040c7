// SPDX-License-Identifier: MIT
// Triangle meshes for drawing: made coarser, and written for the page.
#ifndef TACT_VIEW_MESH_H
#define TACT_VIEW_MESH_H

#include "scene/mesh.h"

// Points that share a cell of a grid become one, their mean; the grid is the finest of those tried that leaves at most so many
// triangles, and fewer than 65536 points. Points at one place are always joined. False without memory.
bool tact_mesh_simplify(tact_mesh *mesh, int most);

// {"low":[3],"step":[3],"points":"..","triangles":".."}: a point is low + step k for k of 16 bits, three to a point, and a
// triangle three numbers of points of 16 bits, all little-endian in base64. At most 65536 points.
void tact_mesh_write(const tact_mesh *mesh, tact_text *out);

#endif
