// SPDX-License-Identifier: MIT
// A scene drawn as seen from far away (orthographic): solids shaded by one light, nearer ones over farther ones, the forces
// of the solver's own contacts as arrows. Planar scenes are seen along the normal of their plane.
#ifndef TACT_VIEW_DRAW_H
#define TACT_VIEW_DRAW_H

#include "tact/trace.h"
#include "view/picture.h"
#include "view/svg.h"

// What is to be seen: starts as {0}, widened by each state.
typedef struct {
    bool any;
    tact_vec3 low, high;  // of all that moves [m]
    tact_real force;      // the largest [N]
} tact_extent;

// After tact_picture_move.
void tact_extent_add(tact_extent *extent, const tact_picture *picture, const tact_trace_step *step);

typedef struct {
    double depth;
    size_t begin, end;  // bytes of the drawing's pieces
} tact_draw_piece;

// Ends with tact_draw_end.
typedef struct {
    const tact_picture *picture;
    tact_vec3 right, up, toward;  // the viewer's axes; toward points at the viewer
    tact_vec3 centre;             // that is in the middle
    double scale;                 // [pixel/m]
    double newton;                // [pixel/N]
    double least;                 // below which newton does not go
    bool cut;                     // some arrows end at the edge
    double width, height;         // [pixel]
    tact_vec3 low, high;          // of the extent
    tact_text pieces;
    tact_draw_piece *piece;  // (count)
    int count, room;
} tact_drawing;

// Where to look from: azimuth about the vertical and elevation above the horizon [degrees]; not for planar scenes.
typedef struct {
    double azimuth, elevation;
    int width, height;  // [pixel]
} tact_viewpoint;

void tact_draw_begin(tact_drawing *drawing, const tact_picture *picture, const tact_extent *extent, tact_viewpoint from);

// Makes the arrows of a step so short that they stay in the picture, to a third at least; what is longer then is cut.
void tact_draw_fit_forces(tact_drawing *drawing, const tact_trace_step *step);

// The colours that frames refer to.
void tact_draw_definitions(tact_text *out);

// What the picture's sizes mean: scale of length, scale of force, axes.
void tact_draw_legend(const tact_drawing *drawing, tact_text *out);

// After tact_picture_move with the step's q. False when there is no memory.
bool tact_draw_frame(tact_drawing *drawing, const tact_trace_step *step, tact_text *out);

void tact_draw_end(tact_drawing *drawing);

// For src/view/draw_*.c: a place on the paper, and pieces.
typedef struct {
    double x, y;
} tact_spot;

tact_spot tact_draw_project(const tact_drawing *drawing, tact_vec3 x);
tact_text *tact_draw_piece_begin(tact_drawing *drawing, double depth);
void tact_draw_piece_end(tact_drawing *drawing);
double tact_draw_depth(const tact_drawing *drawing, tact_vec3 x);

typedef struct {
    unsigned char r, g, b;
    int gradient;  // number of its gradient
    double opacity;
} tact_material;

enum { TACT_MATERIALS = 8 };
extern const tact_material tact_draw_materials[TACT_MATERIALS];
const tact_material *tact_draw_material(const tact_picture *picture, const tact_picture_shape *shape);

// One shape, one limb; planes and half-planes; shadows on the first plane.
void tact_draw_shape(tact_drawing *drawing, const tact_picture_shape *shape);
void tact_draw_limb(tact_drawing *drawing, const tact_limb *limb);
void tact_draw_floor(const tact_drawing *drawing, const tact_picture_shape *shape, tact_text *out);
void tact_draw_shadows(const tact_drawing *drawing, tact_text *out);

#endif
