// SPDX-License-Identifier: MIT
// Rotations as vectors (axis times angle), unit quaternions and matrices, and the ways between them.
#ifndef TACT_MATH_ROTATION_H
#define TACT_MATH_ROTATION_H

#include "tact/math.h"

// The inverse rotation of a unit quaternion.
static inline tact_quat tact_quat_conjugate(tact_quat q) {
    tact_quat c = {q.w, -q.x, -q.y, -q.z};
    return c;
}

// The matrix that turns about a unit axis by the angle of which s and c are sine and cosine.
static inline tact_mat3 tact_rotation_about(tact_vec3 a, tact_real s, tact_real c) {
    tact_vec3 b = tact_vec3_scale(1 - c, a);
    tact_mat3 R = {{{c + b.x * a.x, b.x * a.y - s * a.z, b.x * a.z + s * a.y},
                    {b.x * a.y + s * a.z, c + b.y * a.y, b.y * a.z - s * a.x},
                    {b.x * a.z - s * a.y, b.y * a.z + s * a.x, c + b.z * a.z}}};
    return R;
}

// q / |q|; of four zeros the identity.
tact_quat tact_quat_normalize(tact_quat q);

// The unit quaternion of a rotation matrix, with w >= 0.
tact_quat tact_quat_from_matrix(tact_mat3 R);

// The unit quaternion that turns about r by the angle |r| [rad].
tact_quat tact_rotation_exp(tact_vec3 r);

// The shortest r with tact_rotation_exp(r) = q or -q: |r| <= pi [rad]. The length of q does not matter.
tact_vec3 tact_rotation_log(tact_quat q);

#endif
