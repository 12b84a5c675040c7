// SPDX-License-Identifier: MIT
// Pieces of a drawing, and what the sources draw_*.c draw.
#ifndef TACT_VIEW_DRAW_PARTS_H
#define TACT_VIEW_DRAW_PARTS_H

#include "tact/view.h"

tact_text *tact_draw_piece_begin(tact_drawing *drawing, double depth);
void tact_draw_piece_end(tact_drawing *drawing);
double tact_draw_depth(const tact_drawing *drawing, tact_vec3 x);

// The points of a polygon and the end of its element.
void tact_draw_add_polygon(const tact_drawing *drawing, const tact_vec3 *x, int count, tact_text *out);

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
