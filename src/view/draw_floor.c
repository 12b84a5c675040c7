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

// The farthest point of a convex shape along a direction of the world.
static tact_vec3 find_support(const tact_picture_shape *shape, const tact_pose *pose, tact_vec3 way) {
    const tact_vec3 d = tact_mat3_apply_transposed(pose->R, way);
    const tact_real *size = shape->size, side = d.z < 0 ? -1 : 1;
    tact_vec3 x = tact_vec3_scale(shape->figure == TACT_FIGURE_BALL || shape->figure == TACT_FIGURE_CAPSULE ? size[0] : 0, d);
    if (shape->figure == TACT_FIGURE_CAPSULE) x.z += side * size[1];
    if (shape->figure == TACT_FIGURE_BOX)
        x = tact_vec3_make(d.x < 0 ? -size[0] : size[0], d.y < 0 ? -size[1] : size[1], side * size[2]);
    if (shape->figure == TACT_FIGURE_CYLINDER) {
        const tact_real across = tact_sqrt(d.x * d.x + d.y * d.y), r = across > 0 ? size[0] / across : 0;
        x = tact_vec3_make(r * d.x, r * d.y, side * size[1]);
    }
    if (shape->figure == TACT_FIGURE_ELLIPSOID) {
        // A A d/|A d| with the half axes A
        const tact_vec3 w = tact_vec3_make(size[0] * d.x, size[1] * d.y, size[2] * d.z);
        x = tact_vec3_scale(1 / tact_sqrt(tact_vec3_dot(w, w)), tact_vec3_make(size[0] * w.x, size[1] * w.y, size[2] * w.z));
    }
    if (shape->figure == TACT_FIGURE_HULL) {
        int corners = 0, best = 0;
        for (int f = 0; f < shape->nface; f++) corners += shape->face[f];
        for (int k = 1; k < corners; k++)
            if (tact_vec3_dot(shape->corner[k], d) > tact_vec3_dot(shape->corner[best], d)) best = k;
        x = tact_vec3_add_scaled(shape->corner[best], size[0], d);
    }
    return tact_pose_apply(*pose, x);
}

// The shadow of a shape: its farthest points in all directions of the plane, dropped on it.
static void draw_shadow(const tact_drawing *drawing, const tact_pose *plane, const tact_picture_shape *shape,
                        const tact_pose *pose, tact_text *out) {
    tact_vec3 x[ROUND];
    for (int k = 0; k < ROUND; k++) {
        const tact_real angle = TACT_REAL(6.283185307179586) * (tact_real)k / ROUND;
        tact_vec3 way = tact_vec3_scale(tact_cos(angle), tact_mat3_column(plane->R, 0));
        way = tact_vec3_add_scaled(way, tact_sin(angle), tact_mat3_column(plane->R, 1));
        x[k] = drop(plane, find_support(shape, pose, way));
    }
    add_area(drawing, "", x, ROUND, out);
}

// Shadows on the ground, straight below: of convex shapes, and of the limbs of robots.
void tact_draw_shadows(const tact_drawing *drawing, tact_text *out) {
    const tact_picture *picture = drawing->picture;
    tact_pose plane;
    if (!find_ground(drawing, &plane)) return;
    tact_text_add(out, "<g class=\"shadow\">");
    for (int i = 0; i < picture->nlimb; i++) {
        const tact_limb *limb = &picture->limb[i];
        // as a hull of two corners
        tact_vec3 end[2] = {limb->a, limb->b};
        int corners = 2;
        const tact_picture_shape tube = {
            .figure = TACT_FIGURE_HULL, .size = {limb->radius}, .corner = end, .nface = 1, .face = &corners};
        draw_shadow(drawing, &plane, &tube, &picture->kinematics.pose[limb->body], out);
    }
    for (int s = 0; s < picture->nshape; s++) {
        const tact_picture_shape *shape = &picture->shape[s];
        // flat and endless figures have none, nor have points
        const bool flat = shape->figure == TACT_FIGURE_NONE || shape->figure == TACT_FIGURE_PLANE ||
                          (TACT_FIGURE_RECTANGLE <= shape->figure && shape->figure <= TACT_FIGURE_HALFPLANE);
        const tact_pose pose = tact_picture_pose(picture, shape->body, shape->place);
        if (!flat && (shape->figure != TACT_FIGURE_BALL || shape->size[0] > 0)) draw_shadow(drawing, &plane, shape, &pose, out);
    }
    tact_text_add(out, "</g>\n");
}
