// SPDX-License-Identifier: MIT
#include "view/draw_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "math/elementary.h"
#include "tact/memory.h"

#define DEGREE TACT_REAL(0.017453292519943295)
#define LEGEND 46  // [pixel] kept free below
#define HEADING 34
#define EDGE 6     // [pixel] that arrows keep from the sides
#define LETTER 11  // [pixel] of an axis

static void widen(tact_extent *extent, tact_vec3 x, tact_real r) {
    tact_vec3 low = tact_vec3_make(x.x - r, x.y - r, x.z - r), high = tact_vec3_make(x.x + r, x.y + r, x.z + r);
    if (!(tact_vec3_dot(x, x) < TACT_REAL(1e12))) return;
    extent->low = !extent->any ? low
                               : tact_vec3_make(tact_min(low.x, extent->low.x), tact_min(low.y, extent->low.y),
                                                tact_min(low.z, extent->low.z));
    extent->high = !extent->any ? high
                                : tact_vec3_make(tact_max(high.x, extent->high.x), tact_max(high.y, extent->high.y),
                                                 tact_max(high.z, extent->high.z));
    extent->any = true;
}

// Of a ball about the shape's place that holds it; negative for what has no end.
static tact_real find_radius(const tact_picture_shape *shape) {
    const tact_real *size = shape->size;
    tact_real most = 0;
    // A box by its half edges: enough to frame it.
    switch (shape->figure) {
    case TACT_FIGURE_BALL: return size[0];
    case TACT_FIGURE_CAPSULE: return size[0] + size[1];
    case TACT_FIGURE_CYLINDER: return tact_max(size[0], size[1]);
    case TACT_FIGURE_BOX:
    case TACT_FIGURE_ELLIPSOID: return tact_max(size[0], tact_max(size[1], size[2]));
    case TACT_FIGURE_RECTANGLE: return tact_max(size[0], size[1]);
    case TACT_FIGURE_POLYGON:
        for (int i = 0; i < shape->npoint; i++)
            most = tact_max(most, shape->point[i].x * shape->point[i].x + shape->point[i].y * shape->point[i].y);
        return tact_sqrt(most);
    case TACT_FIGURE_HULL: {
        int corners = 0;
        for (int f = 0; f < shape->nface; f++) corners += shape->face[f];
        for (int i = 0; i < corners; i++) most = tact_max(most, tact_vec3_dot(shape->corner[i], shape->corner[i]));
        return tact_sqrt(most) + size[0];
    }
    case TACT_FIGURE_NONE:
    case TACT_FIGURE_PLANE:
    case TACT_FIGURE_HALFPLANE: return -1;
    }
    return -1;
}

void tact_extent_add(tact_extent *extent, const tact_picture *picture, const tact_trace_step *step) {
    for (int s = 0; s < picture->nshape; s++) {
        const tact_picture_shape *shape = &picture->shape[s];
        tact_real radius = find_radius(shape);
        if (radius >= 0) widen(extent, tact_picture_pose(picture, shape->body, shape->place).p, radius);
    }
    for (int i = 0; i < picture->nlimb; i++) {
        const tact_limb *limb = &picture->limb[i];
        tact_pose pose = picture->kinematics.pose[limb->body];
        widen(extent, tact_pose_apply(pose, limb->a), limb->radius);
        widen(extent, tact_pose_apply(pose, limb->b), limb->radius);
    }
    for (int i = 0; i < step->ncontact; i++) {
        // The largest force sets the scale of the arrows.
        tact_vec3 force = step->contact[i].force;
        tact_real size = tact_sqrt(tact_vec3_dot(force, force));
        if (size < TACT_MAX) extent->force = tact_max(extent->force, size);
    }
}

static tact_vec3 unit(tact_vec3 x) {
    tact_real size = tact_sqrt(tact_vec3_dot(x, x));
    return size > 0 ? tact_vec3_scale(1 / size, x) : x;
}

void tact_draw_begin(tact_drawing *drawing, const tact_picture *picture, const tact_extent *extent, tact_viewpoint from) {
    TACT_ASSERT(drawing && picture && extent);
    *drawing = (tact_drawing){.picture = picture, .width = from.width, .height = from.height};
    if (picture->planar) {
        // Up is against the weight where that is in the plane, else z, else y.
        const tact_vec3 choices[] = {tact_vec3_scale(-1, picture->gravity), {0, 0, 1}, {0, 1, 0}};
        tact_vec3 normal = picture->normal, up = {0, 0, 0};
        for (int i = 0; i < 3 && tact_vec3_dot(up, up) == 0; i++) {
            tact_vec3 way = unit(choices[i]);
            tact_real off = tact_vec3_dot(way, normal);
            if (tact_vec3_dot(way, way) > 0 && tact_fabs(off) < TACT_REAL(0.1))
                up = unit(tact_vec3_add_scaled(way, -off, normal));
        }
        tact_vec3 right = tact_vec3_cross(up, normal);
        // x to the right where that can be.
        bool turned = right.x + right.y / 2 + right.z / 4 < 0;
        drawing->toward = tact_vec3_scale(turned ? -1 : 1, normal);
        drawing->right = tact_vec3_scale(turned ? -1 : 1, right);
        drawing->up = up;
    } else {
        tact_real ca = tact_cos((tact_real)from.azimuth * DEGREE), sa = tact_sin((tact_real)from.azimuth * DEGREE);
        tact_real ce = tact_cos((tact_real)from.elevation * DEGREE), se = tact_sin((tact_real)from.elevation * DEGREE);
        drawing->toward = tact_vec3_make(ce * ca, ce * sa, se);
        drawing->right = tact_vec3_make(-sa, ca, 0);
        drawing->up = tact_vec3_cross(drawing->toward, drawing->right);
    }
    // The largest scale at which the extent fits.
    const tact_vec3 axes[] = {drawing->right, drawing->up};
    double room[] = {drawing->width - 60, drawing->height - LEGEND - HEADING - 30};
    tact_vec3 low = extent->low, high = extent->high, size = tact_vec3_sub(high, low);
    // Nothing, or a lone point: a metre about it.
    if (!extent->any || !(tact_vec3_dot(size, size) > TACT_REAL(1e-18))) {
        const tact_vec3 about = {TACT_REAL(0.5), TACT_REAL(0.5), TACT_REAL(0.5)};
        tact_vec3 middle = extent->any ? low : tact_vec3_make(0, 0, 0);
        low = tact_vec3_sub(middle, about);
        high = tact_vec3_add(middle, about);
    }
    tact_vec3 half = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_sub(high, low));
    drawing->centre = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(low, high));
    drawing->low = low;
    drawing->high = high;
    drawing->scale = 1e9;
    for (int i = 0; i < 2; i++) {
        // The box about all, seen along each axis of the picture.
        tact_vec3 axis = axes[i];
        tact_real across = 2 * (tact_fabs(axis.x) * half.x + tact_fabs(axis.y) * half.y + tact_fabs(axis.z) * half.z);
        double scale = across > 0 ? (room[i] > 20 ? room[i] : 20) / (double)across : 1e9;
        if (scale < drawing->scale) drawing->scale = scale;
    }
    drawing->newton = extent->force > 0 ? 0.2 * drawing->height / (double)extent->force : 0;
    drawing->least = drawing->newton / 3;
}

void tact_draw_end(tact_drawing *drawing) {
    tact_text_free(&drawing->pieces);
    tact_memory_release(drawing->piece);
    drawing->piece = NULL;
}

tact_spot tact_draw_project(const tact_drawing *drawing, tact_vec3 x) {
    tact_vec3 from = tact_vec3_sub(x, drawing->centre);
    return (tact_spot){drawing->width / 2 + drawing->scale * (double)tact_vec3_dot(from, drawing->right),
                       HEADING + (drawing->height - LEGEND - HEADING) / 2 -
                           drawing->scale * (double)tact_vec3_dot(from, drawing->up)};
}

void tact_draw_add_polygon(const tact_drawing *drawing, const tact_vec3 *x, int count, tact_text *out) {
    tact_text_add(out, "points=\"");
    for (int i = 0; i < count; i++) {
        tact_spot spot = tact_draw_project(drawing, x[i]);
        tact_svg_add_point(out, spot.x, spot.y);
    }
    tact_text_add(out, "\"/>\n");
}

double tact_draw_depth(const tact_drawing *drawing, tact_vec3 x) {
    return (double)tact_vec3_dot(x, drawing->toward);
}

tact_text *tact_draw_piece_begin(tact_drawing *drawing, double depth) {
    tact_draw_piece *more = tact_memory_grow(drawing->piece, drawing->count, &drawing->room, 64, sizeof *more);
    if (!more) {
        // the text says so for all that comes
        drawing->pieces.failed = true;
        return &drawing->pieces;
    }
    drawing->piece = more;
    drawing->piece[drawing->count++] = (tact_draw_piece){.depth = depth, .begin = drawing->pieces.size};
    return &drawing->pieces;
}

void tact_draw_piece_end(tact_drawing *drawing) {
    if (drawing->count > 0) drawing->piece[drawing->count - 1].end = drawing->pieces.size;
}

// farther ones first, and in the order of drawing where that is the same
static int compare_pieces(const void *a, const void *b) {
    const tact_draw_piece *one = a, *other = b;
    if (one->depth != other->depth) return one->depth < other->depth ? -1 : 1;
    return one->begin < other->begin ? -1 : one->begin > other->begin;
}

void tact_draw_definitions(tact_text *out) {
    tact_text_add(out, "<defs>");
    for (int i = 0; i < TACT_MATERIALS; i++) {
        const tact_material *material = &tact_draw_materials[i];
        const unsigned char base[3] = {material->r, material->g, material->b};
        unsigned light[3], dark[3];
        char text[240];
        for (int k = 0; k < 3; k++) {
            // a ball's gradient runs from nearly white at its upper left to a shade of the colour
            light[k] = (unsigned)(base[k] + (255 - base[k]) * 0.55);
            dark[k] = (unsigned)(base[k] * 0.72);
        }
        snprintf(text, sizeof text,
                 "<radialGradient id=\"m%d\" cx=\".36\" cy=\".3\" r=\".78\"><stop stop-color=\"#%02x%02x%02x\"/>"
                 "<stop offset=\"1\" stop-color=\"#%02x%02x%02x\"/></radialGradient>",
                 i, light[0], light[1], light[2], dark[0], dark[1], dark[2]);
        tact_text_add(out, text);
    }
    tact_text_add(out, "</defs>\n");
}

// How much of the way from a spot by (dx, dy) is above the legend and within the edges; all of it where the spot is not.
static double find_part(const tact_drawing *drawing, tact_spot from, double dx, double dy) {
    const double low[] = {EDGE, HEADING}, high[] = {drawing->width - EDGE, drawing->height - LEGEND};
    const double at[] = {from.x, from.y}, way[] = {dx, dy};
    double part = 1;
    for (int i = 0; i < 2; i++) {
        if (at[i] < low[i] || at[i] > high[i]) return 1;
        double end = at[i] + way[i];
        if (end > high[i] && (high[i] - at[i]) / way[i] < part) part = (high[i] - at[i]) / way[i];
        if (end < low[i] && (low[i] - at[i]) / way[i] < part) part = (low[i] - at[i]) / way[i];
    }
    return part;
}

static void draw_arrow(tact_spot from, double dx, double dy, bool cut, tact_text *out) {
    double length = (double)tact_sqrt((tact_real)(dx * dx + dy * dy)), head = length < 16 ? length / 2 : 8;
    if (length < 1.5) return;
    double ux = dx / length, uy = dy / length, x = from.x + dx, y = from.y + dy;
    if (cut) tact_text_add(out, "<g stroke-dasharray=\"4 3\">");
    tact_svg_line(out, "arrow", from.x, from.y, x - head * ux, y - head * uy);
    if (cut) tact_text_add(out, "</g>");
    tact_text_add(out, "<polygon class=\"head\" points=\"");
    tact_svg_add_point(out, x, y);
    tact_svg_add_point(out, x - head * ux - head / 2 * uy, y - head * uy + head / 2 * ux);
    tact_svg_add_point(out, x - head * ux + head / 2 * uy, y - head * uy - head / 2 * ux);
    tact_text_add(out, "\"/>\n");
}

// A force on the paper for 1 pixel a newton.
static tact_spot see_force(const tact_drawing *drawing, const tact_trace_contact *contact) {
    return (tact_spot){(double)tact_vec3_dot(contact->force, drawing->right),
                       -(double)tact_vec3_dot(contact->force, drawing->up)};
}

void tact_draw_fit_forces(tact_drawing *drawing, const tact_trace_step *step) {
    for (int i = 0; i < step->ncontact; i++) {
        tact_spot at = tact_draw_project(drawing, step->contact[i].point), force = see_force(drawing, &step->contact[i]);
        double part = find_part(drawing, at, drawing->newton * force.x, drawing->newton * force.y);
        drawing->newton *= part;
        if (drawing->newton < drawing->least) drawing->newton = drawing->least;
    }
}

bool tact_draw_frame(tact_drawing *drawing, const tact_trace_step *step, tact_text *out) {
    const tact_picture *picture = drawing->picture;
    drawing->count = 0;
    tact_text_clear(&drawing->pieces);
    // Floors and shadows lie below; pieces follow from far to near (painter's algorithm); arrows on top.
    // Planes are seen from above only, so that what lies behind them is not hidden.
    for (int s = 0; s < picture->nshape; s++) {
        const tact_picture_shape *shape = &picture->shape[s];
        bool half = shape->figure == TACT_FIGURE_HALFPLANE;
        if (!half && shape->figure != TACT_FIGURE_PLANE) continue;
        tact_vec3 normal = tact_mat3_column(tact_picture_pose(picture, shape->body, shape->place).R, 2);
        if (half || tact_vec3_dot(normal, drawing->toward) > TACT_REAL(-0.02)) tact_draw_floor(drawing, shape, out);
    }
    tact_draw_shadows(drawing, out);
    for (int i = 0; i < picture->nlimb; i++) tact_draw_limb(drawing, &picture->limb[i]);
    for (int s = 0; s < picture->nshape; s++) tact_draw_shape(drawing, &picture->shape[s]);
    if (drawing->pieces.failed) return false;
    if (drawing->count > 0) qsort(drawing->piece, (size_t)drawing->count, sizeof *drawing->piece, compare_pieces);
    for (int i = 0; i < drawing->count; i++) {
        const tact_draw_piece *piece = &drawing->piece[i];
        tact_text_add_bytes(out, drawing->pieces.bytes + piece->begin, piece->end - piece->begin);
    }
    for (int i = 0; i < step->ncontact; i++) {
        const tact_trace_contact *contact = &step->contact[i];
        tact_spot at = tact_draw_project(drawing, contact->point), force = see_force(drawing, contact);
        double dx = drawing->newton * force.x, dy = drawing->newton * force.y, part = find_part(drawing, at, dx, dy);
        if (dx * dx + dy * dy < 2) continue;
        // Arrows end at the frame's edge, dashed.
        bool cut = part < 0.999;
        drawing->cut = drawing->cut || cut;
        draw_arrow(at, part * dx, part * dy, cut, out);
        tact_text_add(out, "<circle class=\"ink\" ");
        tact_svg_add_attribute(out, "cx", at.x);
        tact_svg_add_attribute(out, "cy", at.y);
        tact_text_add(out, "r=\"2\"/>\n");
    }
    return !out->failed;
}

void tact_draw_legend(const tact_drawing *drawing, tact_text *out) {
    double y = drawing->height - 20, x = 20;
    char text[100];
    // A bar of a round length, and an arrow of a round force.
    tact_round_step length = tact_round_step_above(0.1 * drawing->width / drawing->scale);
    double wide = length.value * drawing->scale;
    tact_svg_line(out, "mark", x, y, x + wide, y);
    tact_svg_line(out, "mark", x, y - 4, x, y + 4);
    tact_svg_line(out, "mark", x + wide, y - 4, x + wide, y + 4);
    snprintf(text, sizeof text, "%s m", tact_decimal_print(length.digits, length.exponent).text);
    tact_svg_label(out, "small ink", "start", x + wide + 8, y + 4, text);
    if (drawing->newton > 0) {
        x += wide + 90;
        tact_round_step force = tact_round_step_above(30 / drawing->newton);
        draw_arrow((tact_spot){x, y}, force.value * drawing->newton, 0, false, out);
        snprintf(text, sizeof text, "%s N, force on b%s", tact_decimal_print(force.digits, force.exponent).text,
                 drawing->cut ? " (dashed: cut at the edge)" : "");
        tact_svg_label(out, "small ink", "start", x + force.value * drawing->newton + 8, y + 4, text);
    }
    // The axes of the world. Where letters of axes that point the same way would meet, the shorter one's stands beside its line.
    static const char *const names[] = {"x", "y", "z"}, *const classes[] = {"c1", "c2", "c0"};
    double ax = drawing->width - 44, ay = drawing->height - 36, dx[3], dy[3];
    for (int i = 0; i < 3; i++) {
        tact_vec3 axis = tact_vec3_make(i == 0, i == 1, i == 2);
        dx[i] = 22 * (double)tact_vec3_dot(axis, drawing->right);
        dy[i] = -22 * (double)tact_vec3_dot(axis, drawing->up);
    }
    for (int i = 0; i < 3; i++) {
        double size = dx[i] * dx[i] + dy[i] * dy[i];
        if (size < 9) continue;
        tact_text_print(out, "<g class=\"curve %-s\">", classes[i]);
        tact_svg_line(out, "", ax, ay, ax + dx[i], ay + dy[i]);
        tact_text_add(out, "</g>");
        bool hidden = false;
        for (int k = 0; k < 3; k++) {
            double ex = 1.4 * (dx[k] - dx[i]), ey = 1.4 * (dy[k] - dy[i]), other = dx[k] * dx[k] + dy[k] * dy[k];
            hidden = hidden || (k != i && ex * ex + ey * ey < LETTER * LETTER && (other > size || (other == size && k < i)));
        }
        // beside the line then, on the side that is away from the other's
        double reach = hidden ? 0.5 : 1.4, aside = hidden ? 9 : 0;
        tact_svg_label(out, "small soft", "middle", ax + reach * dx[i] - aside, ay + reach * dy[i] + 4, names[i]);
    }
}
