// SPDX-License-Identifier: MIT
// The contact frame (see frame.c) where it is needed often: inlined it stays in registers.
#ifndef TACT_GEOM_FRAME_H
#define TACT_GEOM_FRAME_H

#include "geom/shapes.h"
#include "math/each.h"

static inline each_mat3 tact_frame_upon(each_vec3 normal) {
    tact_each s = tact_each_select(normal.z >= tact_each_all(TACT_FRAME_SEAM), tact_each_all(1), tact_each_all(-1));
    each_vec3 w = normal;
    w.z += s;
    tact_each f = 2 / each_vec3_dot(w, w);
    tact_each fx = f * w.x, fy = s * f * w.y;
    each_mat3 frame = {
        {{normal.x, normal.y, normal.z}, {1 - fx * w.x, -fx * w.y, -fx * w.z}, {-fy * w.x, s - fy * w.y, -fy * w.z}}};
    return frame;
}

#endif
