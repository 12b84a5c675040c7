// SPDX-License-Identifier: MIT
// Vectors, rotations and rigid poses in three dimensions. All by value, all inline: no external symbols.
#ifndef TACT_MATH_H
#define TACT_MATH_H

#include "tact/base.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    tact_real x, y;
} tact_vec2;

typedef struct {
    tact_real x, y, z;
} tact_vec3;

// m[row][column]; columns of a rotation are the turned frame's axes in the outer frame
typedef struct {
    tact_real m[3][3];
} tact_mat3;

// unit quaternion
typedef struct {
    tact_real w, x, y, z;
} tact_quat;

// a frame in another: x_outer = R x_inner + p
typedef struct {
    tact_mat3 R;
    tact_vec3 p;
} tact_pose;

// (x, y, z)
static inline tact_vec3 tact_vec3_make(tact_real x, tact_real y, tact_real z) {
    tact_vec3 v = {x, y, z};
    return v;
}

// a + b
static inline tact_vec3 tact_vec3_add(tact_vec3 a, tact_vec3 b) {
    return tact_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

// a - b
static inline tact_vec3 tact_vec3_sub(tact_vec3 a, tact_vec3 b) {
    return tact_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

// s a
static inline tact_vec3 tact_vec3_scale(tact_real s, tact_vec3 a) {
    return tact_vec3_make(s * a.x, s * a.y, s * a.z);
}

// a + s b
static inline tact_vec3 tact_vec3_add_scaled(tact_vec3 a, tact_real s, tact_vec3 b) {
    return tact_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

// a'b
static inline tact_real tact_vec3_dot(tact_vec3 a, tact_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// a x b
static inline tact_vec3 tact_vec3_cross(tact_vec3 a, tact_vec3 b) {
    return tact_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// Column j of A, from 0.
static inline tact_vec3 tact_mat3_column(tact_mat3 A, int j) {
    return tact_vec3_make(A.m[0][j], A.m[1][j], A.m[2][j]);
}

// A v
static inline tact_vec3 tact_mat3_apply(tact_mat3 A, tact_vec3 v) {
    return tact_vec3_make(A.m[0][0] * v.x + A.m[0][1] * v.y + A.m[0][2] * v.z,
                          A.m[1][0] * v.x + A.m[1][1] * v.y + A.m[1][2] * v.z,
                          A.m[2][0] * v.x + A.m[2][1] * v.y + A.m[2][2] * v.z);
}

// A' v
static inline tact_vec3 tact_mat3_apply_transposed(tact_mat3 A, tact_vec3 v) {
    return tact_vec3_make(A.m[0][0] * v.x + A.m[1][0] * v.y + A.m[2][0] * v.z,
                          A.m[0][1] * v.x + A.m[1][1] * v.y + A.m[2][1] * v.z,
                          A.m[0][2] * v.x + A.m[1][2] * v.y + A.m[2][2] * v.z);
}

// S a for the symmetric S = (xx, yy, zz, xy, xz, yz).
static inline tact_vec3 tact_sym3_apply(const tact_real S[6], tact_vec3 a) {
    return tact_vec3_make(S[0] * a.x + S[3] * a.y + S[4] * a.z, S[3] * a.x + S[1] * a.y + S[5] * a.z,
                          S[4] * a.x + S[5] * a.y + S[2] * a.z);
}

// I
static inline tact_mat3 tact_mat3_identity(void) {
    tact_mat3 I = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return I;
}

// A B
static inline tact_mat3 tact_mat3_multiply(tact_mat3 A, tact_mat3 B) {
    // column by column, without a loop, so that compilers keep it in registers
    tact_vec3 x = tact_mat3_apply(A, tact_mat3_column(B, 0)), y = tact_mat3_apply(A, tact_mat3_column(B, 1)),
              z = tact_mat3_apply(A, tact_mat3_column(B, 2));
    tact_mat3 C = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return C;
}

// The frame that is the outer one: R = I, p = 0.
static inline tact_pose tact_pose_identity(void) {
    tact_pose T = {tact_mat3_identity(), {0, 0, 0}};
    return T;
}

// R x + p: a point of the inner frame in the outer one.
static inline tact_vec3 tact_pose_apply(tact_pose T, tact_vec3 x) {
    return tact_vec3_add(tact_mat3_apply(T.R, x), T.p);
}

// the frame B, given in A, seen from where A is given
static inline tact_pose tact_pose_multiply(tact_pose A, tact_pose B) {
    tact_pose C = {tact_mat3_multiply(A.R, B.R), tact_pose_apply(A, B.p)};
    return C;
}

// R with columns of the frame turned by q
static inline tact_mat3 tact_quat_matrix(tact_quat q) {
    tact_mat3 R = {{{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
                    {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
                    {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}}};
    return R;
}

// first b, then a
static inline tact_quat tact_quat_multiply(tact_quat a, tact_quat b) {
    tact_quat c = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                   a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return c;
}

// Rotations as vectors (axis times angle), unit quaternions and matrices, and the ways between them.

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

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
