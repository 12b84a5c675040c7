// SPDX-License-Identifier: MIT
// The contact frame (see frame.c) where it is needed often: inlined it stays in registers.
#ifndef TACT_GEOM_FRAME_H
#define TACT_GEOM_FRAME_H

#include "geom/shapes.h"

static inline tact_mat3 tact_frame_upon(tact_vec3 normal) {
    tact_real s = normal.z >= TACT_FRAME_SEAM ? 1 : -1;
    tact_vec3 w = normal;
    w.z += s;
    tact_real f = 2 / tact_vec3_dot(w, w);
    tact_real fx = f * w.x, fy = s * f * w.y;
    tact_mat3 frame = {
        {{normal.x, normal.y, normal.z}, {1 - fx * w.x, -fx * w.y, -fx * w.z}, {-fy * w.x, s - fy * w.y, -fy * w.z}}};
    return frame;
}

#endif
