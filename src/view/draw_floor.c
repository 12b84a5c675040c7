// SPDX-License-Identifier: MIT
// What has no end, cut to the picture, and shadows: what a light straight above a plane leaves dark.
#include "math/elementary.h"
#include "view/draw_parts.h"

#define LINES 40  // of a grid, at most
#define ROUND 24

static void add_area(const tact_drawing *drawing, const char *class, const tact_vec3 *x, int count, tact_text *out) {
    tact_svg_add_all(out, (const char *const[]){"<polygon class=\"", class, "\" ", NULL});
    tact_draw_add_polygon(drawing, x, count, out);
}

// Draws the visible part of a plane as a square with a grid.
static void draw_grid(const tact_drawing *drawing, const tact_pose *pose, tact_text *out) {
    tact_vec3 extent = tact_vec3_sub(drawing->high, drawing->low);
    double size = (double)tact_sqrt(tact_vec3_dot(extent, extent));
    tact_real half = (tact_real)(0.75 * size);
    tact_vec3 ex = tact_mat3_column(pose->R, 0), ey = tact_mat3_column(pose->R, 1), x[4];
    tact_vec3 from = tact_vec3_sub(drawing->centre, pose->p);
    tact_real cx = tact_vec3_dot(from, ex), cy = tact_vec3_dot(from, ey);
    // A square about the middle of the scene, in the plane.
    for (int k = 0; k < 4; k++) {
        tact_real u = cx + (k == 0 || k == 3 ? -half : half), v = cy + (k < 2 ? -half : half);
        x[k] = tact_pose_apply(*pose, tact_vec3_make(u, v, 0));
    }
    add_area(drawing, "floor", x, 4, out);
    // Lines at round distances, both ways.
    tact_real step = (tact_real)tact_round_step_above(size / 10).value;
    for (int way = 0; way < 2; way++) {
        tact_real middle = way == 0 ? cx : cy, other = way == 0 ? cy : cx;
        tact_real first = step * (tact_real)(int)((middle - half) / step);
        for (int k = 0; k < LINES; k++) {
            tact_real at = first + step * (tact_real)k;
            if (at < middle - half || at > middle + half) continue;
            tact_vec3 a = way == 0 ? tact_vec3_make(at, other - half, 0) : tact_vec3_make(other - half, at, 0);
            tact_vec3 b = way == 0 ? tact_vec3_make(at, other + half, 0) : tact_vec3_make(other + half, at, 0);
            tact_spot p = tact_draw_project(drawing, tact_pose_apply(*pose, a)),
                      q = tact_draw_project(drawing, tact_pose_apply(*pose, b));
            tact_svg_line(out, "grid", p.x, p.y, q.x, q.y);
        }
    }
}

void tact_draw_floor(const tact_drawing *drawing, const tact_picture_shape *shape, tact_text *out) {
    tact_pose pose = tact_picture_pose(drawing->picture, shape->body, shape->place);
    bool half = shape->figure == TACT_FIGURE_HALFPLANE;
    tact_vec3 normal = tact_mat3_column(pose.R, half ? 1 : 2);
    tact_real facing = tact_vec3_dot(normal, drawing->toward);
    if (half || tact_fabs(facing) < TACT_REAL(0.02)) {
        tact_vec3 up = tact_vec3_add_scaled(normal, -facing, drawing->toward);
        up = tact_vec3_scale(1 / tact_sqrt(tact_vec3_dot(up, up)), up);
        // The solid side of a line, of which up points out, from the foot of the picture's middle, so that the far ends are off
        // the picture.
        tact_vec3 along = tact_vec3_cross(drawing->toward, up);
        tact_real far = (tact_real)(2 * (drawing->width + drawing->height) / drawing->scale);
        tact_vec3 middle = tact_vec3_sub(drawing->centre, pose.p);
        tact_vec3 foot = tact_vec3_add_scaled(pose.p, tact_vec3_dot(middle, along), along), x[4];
        for (int k = 0; k < 4; k++) {
            x[k] = tact_vec3_add_scaled(foot, k == 0 || k == 3 ? -far : far, along);
            if (k > 1) x[k] = tact_vec3_add_scaled(x[k], -far, up);
        }
        add_area(drawing, "solid", x, 4, out);
    } else {
        draw_grid(drawing, &pose, out);
    }
}

static tact_vec3 drop(const tact_pose *plane, tact_vec3 x) {
    tact_vec3 normal = tact_mat3_column(plane->R, 2);
    return tact_vec3_add_scaled(x, -tact_vec3_dot(tact_vec3_sub(x, plane->p), normal), normal);
}

// The first plane of the world that is seen from above.
static bool find_ground(const tact_drawing *drawing, tact_pose *plane) {
    const tact_picture *picture = drawing->picture;
    for (int s = 0; s < picture->nshape; s++) {
        const tact_picture_shape *shape = &picture->shape[s];
        if (shape->figure != TACT_FIGURE_PLANE || shape->body >= 0) continue;
        *plane = shape->place;
        return tact_vec3_dot(tact_mat3_column(plane->R, 2), drawing->toward) > TACT_REAL(0.02);
    }
    return false;
}

// Shadows on the ground, straight below: a thick line for each limb, a circle for each ball and ellipsoid.
void tact_draw_shadows(const tact_drawing *drawing, tact_text *out) {
    const tact_picture *picture = drawing->picture;
    tact_pose plane;
    if (!find_ground(drawing, &plane)) return;
    tact_text_add(out, "<g class=\"shadow\">");
    for (int i = 0; i < picture->nlimb; i++) {
        const tact_limb *limb = &picture->limb[i];
        tact_pose pose = drawing->picture->kinematics.pose[limb->body];
        tact_spot p = tact_draw_project(drawing, drop(&plane, tact_pose_apply(pose, limb->a))),
                  q = tact_draw_project(drawing, drop(&plane, tact_pose_apply(pose, limb->b)));
        tact_real facing = tact_vec3_dot(tact_mat3_column(plane.R, 2), drawing->toward);
        tact_text_add(out, "<line stroke-linecap=\"round\" ");
        tact_svg_add_attribute(out, "stroke-width", 1.4 * (double)(limb->radius * facing) * drawing->scale + 1);
        tact_svg_add_attribute(out, "x1", p.x);
        tact_svg_add_attribute(out, "y1", p.y);
        tact_svg_add_attribute(out, "x2", q.x);
        tact_svg_add_attribute(out, "y2", q.y);
        tact_text_add(out, "/>\n");
    }
    for (int s = 0; s < picture->nshape; s++) {
        const tact_picture_shape *shape = &picture->shape[s];
        bool round = shape->figure == TACT_FIGURE_BALL || shape->figure == TACT_FIGURE_ELLIPSOID;
        if (!round || shape->size[0] <= 0) continue;
        tact_vec3 centre = tact_picture_pose(picture, shape->body, shape->place).p;
        tact_real radius = shape->size[0];
        tact_vec3 x[ROUND], foot = drop(&plane, centre);
        for (int k = 0; k < ROUND; k++) {
            tact_real angle = TACT_REAL(6.283185307179586) * (tact_real)k / ROUND;
            x[k] = tact_vec3_add_scaled(foot, radius * tact_cos(angle), tact_mat3_column(plane.R, 0));
            x[k] = tact_vec3_add_scaled(x[k], radius * tact_sin(angle), tact_mat3_column(plane.R, 1));
        }
        add_area(drawing, "", x, ROUND, out);
    }
    tact_text_add(out, "</g>\n");
}
