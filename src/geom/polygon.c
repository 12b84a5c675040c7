// SPDX-License-Identifier: MIT
// A point relative to a polygon as a prism in three dimensions. planar_distance.c explains why the nearest corner is an end of
// the edge of largest separation.
#include "geom/planar_core.h"
#include "geom/shapes.h"

static tact_vec2 core_corner(const tact_shape *shape, int i) {
    tact_vec2 point = tact_vec2_scale(shape->size[0], shape->point[i]);
    return tact_vec2_add_scaled(point, -shape->size[1], tact_polygon_miter(shape, i));
}

// The nearest feature of a polygon to x: the edge of largest separation, or the corner at one of its ends.
tact_polygon_point tact_polygon_locate(const tact_shape *shape, tact_vec3 x) {
    TACT_ASSERT(shape);
    tact_polygon_point found = {.over = -TACT_MAX};
    // face of largest separation; inside, a tie is noted
    tact_vec2 y = tact_vec2_make(x.x, x.y);
    int edge = 0;
    for (int k = 0; k < shape->count; k++) {
        tact_vec2 N = tact_polygon_normal(shape, k);
        tact_vec2 arm = tact_vec2_add_scaled(y, -shape->size[0], shape->point[k]);
        tact_real over = tact_vec2_dot(N, arm) + shape->size[1];
        found.tie = over > found.over ? false : found.tie || over == found.over;
        if (!(over > found.over)) continue;
        found.over = over;
        found.normal = N;
        edge = k;
    }
    if (found.over <= 0) return found;
    found.tie = false;
    // outside: beyond an end of that edge its corner is nearest
    tact_vec2 t = tact_vec2_turn(found.normal), from = tact_vec2_sub(y, core_corner(shape, edge));
    tact_vec2 to = tact_vec2_sub(y, core_corner(shape, (edge + 1) % shape->count));
    bool before = tact_vec2_dot(t, from) < 0;
    found.corner = before || tact_vec2_dot(t, to) > 0;
    found.arm = before ? tact_vec3_make(from.x, from.y, 0) : tact_vec3_make(to.x, to.y, 0);
    return found;
}
