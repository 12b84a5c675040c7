// SPDX-License-Identifier: MIT
// Shapes round collision meshes, as the rules of scene/fit_rule.h ask for.
#ifndef TACT_SCENE_MESH_FIT_H
#define TACT_SCENE_MESH_FIT_H

#include "tact/mesh.h"
#include "scene/xml.h"
#include "tact/robot.h"

// A mesh and the shape round it.
typedef struct tact_mesh_fit {
    const char *path;  // as in the file; NULL: none
    tact_shape_type type;
    double scale[3];
    int vertices;  // of a hull: at most
    int count;     // of a grid: numbers along the longest side
    bool measure;  // how far the surface is from the mesh, for a report: it takes longer than the fit
    tact_shape_fit fit;
    int npoint;
    const tact_hull *hull;  // of a hull, which encloses some points of the mesh ...
    double outside;         // ... and the others lie up to so far outside [m]
    const tact_grid *grid;  // of a grid, whose surface is off the triangles by off: median, 95 % and most [m]
    const char *file;       // to which its array is to be written
    double off[3];          //
    const struct tact_mesh_fit *before;
} tact_mesh_fit;

// What a robot's rules made of its meshes.
typedef struct {
    bool *matched;              // (rules) a link or body with a collision mesh is meant; NULL without rules
    tact_fit_names meshed;      // links or bodies that have one
    const tact_mesh_fit *made;  // the last; reused for the same mesh
} tact_mesh_fits;

// Before links are read; false without memory. After them: refuses at a node rules that none of them matches.
bool tact_mesh_fits_begin(tact_mesh_fits *fits, tact_draft *draft);
void tact_mesh_fits_end(const tact_mesh_fits *fits, const tact_draft_fit *rules, const char *what, const tact_xml *xml, int node);

// What the rules say of a link or body that has a collision mesh.
tact_fit_choice tact_mesh_fits_choose(tact_mesh_fits *fits, const tact_draft *draft, const char *owner);

// The fit of a mesh as a rule asks for, which is not none; fits->made where that was made before, and else NULL.
const tact_mesh_fit *tact_mesh_fits_find(const tact_mesh_fits *fits, const tact_draft_fit *rules, tact_fit_choice choice,
                                         tact_mesh_fit *next);

// Makes it of the mesh; the reason why there is none, or NULL.
const char *tact_mesh_fits_add(tact_mesh_fits *fits, tact_draft *draft, const tact_mesh *mesh, tact_mesh_fit *next);

// The smallest shape of the type round a mesh that was read, in the axes of its file, with the scale; the reason why there is
// none, or NULL.
const char *tact_mesh_fit_make(tact_draft *draft, const tact_mesh *mesh, tact_mesh_fit *fitted);
extern const char tact_mesh_fit_no_memory[];  // one of the reasons

// Gives the shape of a body all but its place, with a line of the report (NULL: nowhere) about it and its errors.
void tact_mesh_fit_give(const tact_mesh_fit *fitted, const char *owner, tact_text *report, tact_draft_shape *shape);

#endif
