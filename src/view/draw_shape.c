// SPDX-License-Identifier: MIT
// Shapes as outlines and shaded faces. Balls and capsules look the same from all sides but for their light; the outline of an
// ellipsoid M u, |u| = 1, is where u is normal to M^-1 toward.
#include "view/draw_parts.h"

#include <stdio.h>

#include "math/elementary.h"

#define ROUND 32   // corners of a circle
#define QUARTER 8  // of them
#define TURN TACT_REAL(6.283185307179586)

// limb, ball of a robot, still things, then objects
const tact_material tact_draw_materials[TACT_MATERIALS] = {
    {150, 158, 168, 0, 1},   {214, 72, 72, 1, 0.72},   {176, 182, 190, 2, 1},   {78, 168, 110, 3, 0.88},
    {222, 158, 66, 4, 0.88}, {152, 114, 204, 5, 0.88}, {46, 152, 166, 6, 0.88}, {204, 96, 128, 7, 0.88}};

const tact_material *tact_draw_material(const tact_picture *picture, const tact_picture_shape *shape) {
    if (shape->body < 0) return &tact_draw_materials[2];
    if (picture->robot[shape->body]) return &tact_draw_materials[shape->figure == TACT_FIGURE_BALL ? 1 : 0];
    int order = 0;
    for (int b = 0; b < shape->body; b++) order += !picture->robot[b];
    return &tact_draw_materials[3 + order % (TACT_MATERIALS - 3)];
}

// The colour of a face that looks along n.
static void add_fill(const tact_drawing *drawing, const tact_material *material, tact_vec3 n, tact_text *out) {
    tact_vec3 light = tact_vec3_add(tact_vec3_add_scaled(drawing->toward, TACT_REAL(1.2), drawing->up),
                                    tact_vec3_scale(TACT_REAL(-0.6), drawing->right));
    double lit = (double)(tact_vec3_dot(n, light) / tact_sqrt(tact_vec3_dot(light, light)));
    double shade = 0.62 + 0.46 * (lit > 0 ? lit : 0);
    const unsigned char base[3] = {material->r, material->g, material->b};
    char text[48];
    int c[3];
    for (int i = 0; i < 3; i++) c[i] = base[i] * shade < 255 ? (int)(base[i] * shade) : 255;
    snprintf(text, sizeof text, "fill=\"#%02x%02x%02x\" ", (unsigned)c[0], (unsigned)c[1], (unsigned)c[2]);
    tact_text_add(out, text);
    if (material->opacity < 1) tact_svg_add_attribute(out, "fill-opacity", material->opacity);
}

static void add_gradient(const tact_material *material, tact_text *out) {
    char text[48];
    snprintf(text, sizeof text, "fill=\"url(#m%d)\" ", material->gradient);
    tact_text_add(out, text);
    if (material->opacity < 1) tact_svg_add_attribute(out, "fill-opacity", material->opacity);
}

static void draw_face(tact_drawing *drawing, const tact_material *material, tact_vec3 normal, const tact_vec3 *x, int count) {
    tact_vec3 middle = {0, 0, 0};
    for (int i = 0; i < count; i++) middle = tact_vec3_add_scaled(middle, 1 / (tact_real)count, x[i]);
    tact_text *out = tact_draw_piece_begin(drawing, tact_draw_depth(drawing, middle));
    tact_text_add(out, "<polygon class=\"edge\" ");
    add_fill(drawing, material, normal, out);
    tact_draw_add_polygon(drawing, x, count, out);
    tact_draw_piece_end(drawing);
}

static void draw_ball(tact_drawing *drawing, const tact_material *material, const tact_pose *pose, tact_real radius) {
    tact_spot centre = tact_draw_project(drawing, pose->p);
    double r = (double)radius * drawing->scale;
    tact_text *out = tact_draw_piece_begin(drawing, tact_draw_depth(drawing, pose->p));
    tact_text_add(out, "<circle class=\"edge\" ");
    add_gradient(material, out);
    tact_svg_add_attribute(out, "cx", centre.x);
    tact_svg_add_attribute(out, "cy", centre.y);
    tact_svg_add_attribute(out, "r", r > 1.5 ? r : 1.5);
    tact_text_add(out, "/>\n");
    if (drawing->picture->planar && material->gradient > 1) {
        // a mark shows how it turns
        tact_spot rim = tact_draw_project(drawing, tact_pose_apply(*pose, tact_vec3_make(radius, 0, 0)));
        tact_svg_line(out, "mark", centre.x, centre.y, rim.x, rim.y);
    }
    tact_draw_piece_end(drawing);
}

// A thick line with round ends and a narrower, lighter one on its lit side.
static void draw_tube(tact_drawing *drawing, const tact_material *material, tact_vec3 a, tact_vec3 b, double radius) {
    tact_spot from = tact_draw_project(drawing, a), to = tact_draw_project(drawing, b);
    double r = radius * drawing->scale > 0.7 ? radius * drawing->scale : 0.7;
    tact_text *out =
        tact_draw_piece_begin(drawing, tact_draw_depth(drawing, tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(a, b))));
    // Edge, body, highlight.
    for (int pass = 0; pass < 3; pass++) {
        static const double width[] = {2, 1.84, 0.7}, light[] = {0.5, 0.94, 1.24};
        double shift = pass == 2 ? -0.3 * r : 0;
        char colour[80];
        int c[3] = {(int)(material->r * light[pass]), (int)(material->g * light[pass]), (int)(material->b * light[pass])};
        for (int i = 0; i < 3; i++) c[i] = c[i] < 255 ? c[i] : 255;
        snprintf(colour, sizeof colour, "<line stroke=\"#%02x%02x%02x\" stroke-linecap=\"round\" ", (unsigned)c[0],
                 (unsigned)c[1], (unsigned)c[2]);
        tact_text_add(out, colour);
        tact_svg_add_attribute(out, "stroke-width", width[pass] * r);
        tact_svg_add_attribute(out, "x1", from.x + shift);
        tact_svg_add_attribute(out, "y1", from.y + shift);
        tact_svg_add_attribute(out, "x2", to.x + shift);
        tact_svg_add_attribute(out, "y2", to.y + shift);
        tact_text_add(out, "/>\n");
    }
    tact_draw_piece_end(drawing);
}

// Draws the faces of a box that look towards the viewer.
static void draw_box(tact_drawing *drawing, const tact_material *material, const tact_pose *pose, const tact_real *h) {
    static const int corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            // Faces that look this way; a convex body hides the others.
            tact_vec3 normal = tact_vec3_scale((tact_real)side, tact_mat3_column(pose->R, axis)), x[4];
            if (tact_vec3_dot(normal, drawing->toward) < TACT_REAL(1e-3)) continue;
            for (int k = 0; k < 4; k++) {
                tact_real at[3];
                at[axis] = (tact_real)side * h[axis];
                at[(axis + 1) % 3] = (tact_real)corner[k][0] * h[(axis + 1) % 3];
                at[(axis + 2) % 3] = (tact_real)corner[k][1] * h[(axis + 2) % 3];
                x[k] = tact_pose_apply(*pose, tact_vec3_make(at[0], at[1], at[2]));
            }
            draw_face(drawing, material, normal, x, 4);
        }
    }
}

static void draw_cylinder(tact_drawing *drawing, const tact_material *material, const tact_pose *pose, tact_real radius,
                          tact_real half) {
    tact_vec3 axis = tact_mat3_column(pose->R, 2), side = tact_vec3_cross(axis, drawing->toward), x[ROUND];
    tact_real facing = tact_vec3_dot(axis, drawing->toward), width = tact_sqrt(tact_vec3_dot(side, side));
    if (width > TACT_REAL(1e-3)) {
        // side and hidden end in one outline: half a circle behind, then the two edges
        tact_vec3 across = tact_vec3_scale(radius / width, side), back = tact_vec3_cross(axis, across);
        tact_real near = facing < 0 ? -half : half;
        if (tact_vec3_dot(back, drawing->toward) < 0) back = tact_vec3_scale(-1, back);
        for (int k = 0; k < ROUND; k++) {
            tact_real angle = TURN / 2 * (tact_real)(k < ROUND - 2 ? k : 0) / (ROUND - 3);
            tact_vec3 at = tact_vec3_add(tact_vec3_scale(tact_cos(angle), across), tact_vec3_scale(tact_sin(angle), back));
            if (k == ROUND - 2) at = tact_vec3_scale(-1, across);
            if (k == ROUND - 1) at = across;
            at = tact_vec3_add_scaled(at, k < ROUND - 2 ? -near : near, axis);
            x[k] = tact_vec3_add(pose->p, at);
        }
        draw_face(drawing, material, tact_vec3_scale(TACT_REAL(0.8), drawing->toward), x, ROUND);
    }
    // a circle of the pose's x-y plane at the height z, or the part of one
    tact_real z = facing < 0 ? -half : half;
    for (int k = 0; k < ROUND; k++) {
        tact_real angle = TURN * (tact_real)k / ROUND;
        x[k] = tact_pose_apply(*pose, tact_vec3_make(radius * tact_cos(angle), radius * tact_sin(angle), z));
    }
    if (tact_fabs(facing) < TACT_REAL(1e-3)) return;
    draw_face(drawing, material, tact_vec3_scale(facing < 0 ? -1 : 1, axis), x, ROUND);
    if (!drawing->picture->planar) return;
    tact_spot centre = tact_draw_project(drawing, pose->p), rim = tact_draw_project(drawing, x[0]);
    tact_text *out = tact_draw_piece_begin(drawing, tact_draw_depth(drawing, x[0]) + 1);
    tact_svg_line(out, "mark", centre.x, centre.y, rim.x, rim.y);
    tact_draw_piece_end(drawing);
}

// Draws the outline of an ellipsoid.
static void draw_ellipsoid(tact_drawing *drawing, const tact_material *material, const tact_pose *pose, const tact_real *a) {
    // The outline is the image of the circle that is perpendicular to A^-1 R'v on the unit sphere.
    tact_vec3 w = tact_mat3_apply_transposed(pose->R, drawing->toward);
    w = tact_vec3_make(w.x / a[0], w.y / a[1], w.z / a[2]);
    tact_mat3 frame = tact_frame_from_normal(tact_vec3_scale(1 / tact_sqrt(tact_vec3_dot(w, w)), w));
    tact_vec3 x[ROUND];
    for (int k = 0; k < ROUND; k++) {
        tact_real angle = TURN * (tact_real)k / ROUND, c = tact_cos(angle), s = tact_sin(angle);
        x[k] = tact_pose_apply(*pose, tact_vec3_make(a[0] * (c * frame.m[1][0] + s * frame.m[2][0]),
                                                     a[1] * (c * frame.m[1][1] + s * frame.m[2][1]),
                                                     a[2] * (c * frame.m[1][2] + s * frame.m[2][2])));
    }
    tact_text *out = tact_draw_piece_begin(drawing, tact_draw_depth(drawing, pose->p));
    tact_text_add(out, "<polygon class=\"edge\" ");
    add_gradient(material, out);
    tact_draw_add_polygon(drawing, x, ROUND, out);
    tact_draw_piece_end(drawing);
}

// A planar shape with points in the pose's x-y plane.
static void draw_flat(tact_drawing *drawing, const tact_material *material, const tact_pose *pose, const tact_picture_point *at,
                      int count) {
    tact_text *out = tact_draw_piece_begin(drawing, tact_draw_depth(drawing, pose->p));
    tact_text_add(out, "<polygon class=\"edge\" ");
    add_fill(drawing, material, drawing->toward, out);
    tact_text_add(out, "points=\"");
    for (int i = 0; i < count; i++) {
        tact_spot spot = tact_draw_project(drawing, tact_pose_apply(*pose, tact_vec3_make(at[i].x, at[i].y, 0)));
        tact_svg_add_point(out, spot.x, spot.y);
    }
    tact_text_add(out, "\"/>\n");
    tact_draw_piece_end(drawing);
}

static void draw_rectangle(tact_drawing *drawing, const tact_material *material, const tact_pose *pose, const tact_real *h) {
    tact_picture_point x[ROUND];
    for (int k = 0; k < ROUND; k++) {
        // an eighth of the points rounds each corner
        static const int sign[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
        int corner = k / QUARTER;
        tact_real angle = TURN / 4 * ((tact_real)corner + (tact_real)(k % QUARTER) / (QUARTER - 1));
        x[k].x = (tact_real)sign[corner][0] * (h[0] - h[2]) + h[2] * tact_cos(angle);
        x[k].y = (tact_real)sign[corner][1] * (h[1] - h[2]) + h[2] * tact_sin(angle);
    }
    draw_flat(drawing, material, pose, x, ROUND);
}

// The faces, moved out by the radius around the hull, and tubes along the edges between them.
static void draw_hull(tact_drawing *drawing, const tact_material *material, const tact_pose *pose,
                      const tact_picture_shape *shape) {
    const tact_vec3 *corner = shape->corner;
    tact_real round = shape->size[0];
    for (int f = 0; f < shape->nface; corner += shape->face[f++]) {
        tact_vec3 x[TACT_HULL_VERTICES], sum = {0, 0, 0};
        int count = shape->face[f];
        for (int k = 0; k < count; k++) x[k] = tact_pose_apply(*pose, corner[k]);
        // Normal by the vector area of the face (fan of triangles).
        for (int k = 2; k < count; k++)
            sum = tact_vec3_add(sum, tact_vec3_cross(tact_vec3_sub(x[k - 1], x[0]), tact_vec3_sub(x[k], x[0])));
        tact_vec3 normal = tact_vec3_scale(1 / tact_max(tact_sqrt(tact_vec3_dot(sum, sum)), 1 / TACT_MAX), sum);
        if (tact_vec3_dot(normal, drawing->toward) < TACT_REAL(1e-3)) continue;
        for (int k = 0; k < count && round > 0; k++) draw_tube(drawing, material, x[k], x[(k + 1) % count], (double)round);
        for (int k = 0; k < count; k++) x[k] = tact_vec3_add_scaled(x[k], round, normal);
        draw_face(drawing, material, normal, x, count);
    }
}

// Draws a shape by its figure; planes and half planes are drawn as the floor.
void tact_draw_shape(tact_drawing *drawing, const tact_picture_shape *shape) {
    const tact_material *material = tact_draw_material(drawing->picture, shape);
    tact_pose pose = tact_picture_pose(drawing->picture, shape->body, shape->place);
    const tact_real *size = shape->size;
    tact_vec3 along = tact_vec3_scale(size[1], tact_mat3_column(pose.R, 2));
    switch (shape->figure) {
    case TACT_FIGURE_NONE:
    case TACT_FIGURE_PLANE:
    case TACT_FIGURE_HALFPLANE: return;
    case TACT_FIGURE_BALL: draw_ball(drawing, material, &pose, size[0]); return;
    case TACT_FIGURE_CAPSULE:
        draw_tube(drawing, material, tact_vec3_sub(pose.p, along), tact_vec3_add(pose.p, along), (double)size[0]);
        return;
    case TACT_FIGURE_BOX: draw_box(drawing, material, &pose, size); return;
    case TACT_FIGURE_CYLINDER: draw_cylinder(drawing, material, &pose, size[0], size[1]); return;
    case TACT_FIGURE_ELLIPSOID: draw_ellipsoid(drawing, material, &pose, size); return;
    case TACT_FIGURE_RECTANGLE: draw_rectangle(drawing, material, &pose, size); return;
    case TACT_FIGURE_HULL: draw_hull(drawing, material, &pose, shape); return;
    case TACT_FIGURE_POLYGON: draw_flat(drawing, material, &pose, shape->point, shape->npoint); return;
    }
}

void tact_draw_limb(tact_drawing *drawing, const tact_limb *limb) {
    tact_pose pose = drawing->picture->kinematics.pose[limb->body];
    draw_tube(drawing, &tact_draw_materials[0], tact_pose_apply(pose, limb->a), tact_pose_apply(pose, limb->b),
              (double)limb->radius);
}
