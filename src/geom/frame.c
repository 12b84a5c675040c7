// SPDX-License-Identifier: MIT
// The contact frame: the world frame rotated by the smallest rotation that takes z to the normal n, or, on the lower chart, the
// frame (x, -y, -z) rotated by the smallest rotation that takes -z to n. Both are reflections: with s = 1 above, -1 below,
//   w = n + s z,   t1 = x - 2 (x'w) w/(w'w),   t2 = s (y - 2 (y'w) w/(w'w))
// which are orthonormal to rounding even if n is not quite a unit vector. When n changes by dn the frame rotates about
//   n x dn - s/(1 + s n_z) (n x dn)_z n
// The charts meet at n_z = TACT_FRAME_SEAM, between horizontal and 30 degrees below, away from directions that scenes are built
// from; there the spin about n is at most 1.35 times the rate of the normal.
#include "geom/frame.h"

tact_mat3 tact_frame_from_normal(tact_vec3 normal) {
    return tact_frame_upon(normal);
}

tact_vec3 tact_frame_spin(tact_vec3 normal, tact_vec3 dn) {
    tact_real s = normal.z >= TACT_FRAME_SEAM ? 1 : -1;
    tact_vec3 turn = tact_vec3_cross(normal, dn);
    return tact_vec3_add_scaled(turn, -s * turn.z / (1 + s * normal.z), normal);
}
