// SPDX-License-Identifier: MIT
// Shapes round collision meshes, as the rules of scene/fit_rule.h ask for.
#ifndef TACT_SCENE_MESH_FIT_H
#define TACT_SCENE_MESH_FIT_H

#include "tact/draft.h"
#include "tact/mesh.h"
#include "tact/robot.h"

// A mesh and the shape round it.
typedef struct {
    const char *path;  // as in the file; NULL: none
    tact_shape_type type;
    double scale[3];
    int vertices;  // of a hull: at most
    bool measure;  // how far the surface is from the mesh, for a report: it takes longer than the fit
    tact_shape_fit fit;
    int npoint;
    const tact_hull *hull;  // of a hull, which encloses some points of the mesh ...
    double outside;         // ... and the others lie up to so far outside [m]
} tact_mesh_fit;

// The shape that a rule asks for, which is not none.
tact_shape_type tact_mesh_fit_type(tact_fit_kind kind);

// The smallest shape of the type round a mesh that was read, in the axes of its file, with the scale; the reason why there is
// none, or NULL.
const char *tact_mesh_fit_make(tact_draft *draft, const tact_mesh *mesh, tact_mesh_fit *fitted);
extern const char tact_mesh_fit_no_memory[];  // one of the reasons

// A line of the report (NULL: nowhere) about a shape of a body, its errors with it.
void tact_mesh_fit_tell(const tact_mesh_fit *fitted, const char *owner, tact_text *report);

#endif
