// SPDX-License-Identifier: MIT
// Vectors of one number per scene: of one scene those of tact/math.h, of several the same operations side by side, so that each
// has the bits of the scalar.
#ifndef TACT_MATH_EACH_H
#define TACT_MATH_EACH_H

#include "math/wide.h"
#include "tact/math.h"

#if TACT_SCENES == 1
typedef tact_vec3 each_vec3;
typedef tact_mat3 each_mat3;
typedef tact_pose each_pose;
#else
typedef struct {
    tact_each x, y, z;
} each_vec3;

typedef struct {
    tact_each m[3][3];
} each_mat3;

typedef struct {
    each_mat3 R;
    each_vec3 p;
} each_pose;
#endif

static inline each_vec3 each_vec3_make(tact_each x, tact_each y, tact_each z) {
    each_vec3 v = {x, y, z};
    return v;
}

static inline each_vec3 each_vec3_all(tact_real x, tact_real y, tact_real z) {
    return each_vec3_make(tact_each_all(x), tact_each_all(y), tact_each_all(z));
}

static inline each_vec3 each_vec3_add(each_vec3 a, each_vec3 b) {
    return each_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline each_vec3 each_vec3_sub(each_vec3 a, each_vec3 b) {
    return each_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline each_vec3 each_vec3_scale(tact_each s, each_vec3 a) {
    return each_vec3_make(s * a.x, s * a.y, s * a.z);
}

static inline each_vec3 each_vec3_add_scaled(each_vec3 a, tact_each s, each_vec3 b) {
    return each_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline tact_each each_vec3_dot(each_vec3 a, each_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline each_vec3 each_vec3_cross(each_vec3 a, each_vec3 b) {
    return each_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline each_vec3 each_mat3_column(const each_mat3 *A, int j) {
    return each_vec3_make(A->m[0][j], A->m[1][j], A->m[2][j]);
}

static inline each_vec3 each_mat3_apply(const each_mat3 *A, each_vec3 v) {
    return each_vec3_make(A->m[0][0] * v.x + A->m[0][1] * v.y + A->m[0][2] * v.z,
                          A->m[1][0] * v.x + A->m[1][1] * v.y + A->m[1][2] * v.z,
                          A->m[2][0] * v.x + A->m[2][1] * v.y + A->m[2][2] * v.z);
}

// A' v
static inline each_vec3 each_mat3_apply_transposed(const each_mat3 *A, each_vec3 v) {
    return each_vec3_make(A->m[0][0] * v.x + A->m[1][0] * v.y + A->m[2][0] * v.z,
                          A->m[0][1] * v.x + A->m[1][1] * v.y + A->m[2][1] * v.z,
                          A->m[0][2] * v.x + A->m[1][2] * v.y + A->m[2][2] * v.z);
}

// S a for the symmetric S = (xx, yy, zz, xy, xz, yz)
static inline each_vec3 each_sym3_apply(const tact_each S[6], each_vec3 a) {
    return each_vec3_make(S[0] * a.x + S[3] * a.y + S[4] * a.z, S[3] * a.x + S[1] * a.y + S[5] * a.z,
                          S[4] * a.x + S[5] * a.y + S[2] * a.z);
}

static inline each_mat3 each_mat3_identity(void) {
    const tact_each o = tact_each_all(0), i = tact_each_all(1);
    each_mat3 I = {{{i, o, o}, {o, i, o}, {o, o, i}}};
    return I;
}

static inline each_mat3 each_mat3_multiply(const each_mat3 *A, const each_mat3 *B) {
    // Column by column, without a loop, so that compilers keep it in registers.
    each_vec3 x = each_mat3_apply(A, each_mat3_column(B, 0)), y = each_mat3_apply(A, each_mat3_column(B, 1)),
              z = each_mat3_apply(A, each_mat3_column(B, 2));
    each_mat3 C = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return C;
}

// the matrix that turns about a unit axis by the angle of which s and c are sine and cosine
static inline each_mat3 each_rotation_about(each_vec3 a, tact_each s, tact_each c) {
    // Rodrigues: c I + s [a] + (1 - c) a a'.
    each_vec3 b = each_vec3_scale(1 - c, a);
    each_mat3 R = {{{c + b.x * a.x, b.x * a.y - s * a.z, b.x * a.z + s * a.y},
                    {b.x * a.y + s * a.z, c + b.y * a.y, b.y * a.z - s * a.x},
                    {b.x * a.z - s * a.y, b.y * a.z + s * a.x, c + b.z * a.z}}};
    return R;
}

static inline each_vec3 each_pose_apply(const each_pose *T, each_vec3 x) {
    return each_vec3_add(each_mat3_apply(&T->R, x), T->p);
}

static inline void each_vec3_put(each_vec3 *to, int scene, tact_vec3 from) {
    tact_each_put(&to->x, scene, from.x);
    tact_each_put(&to->y, scene, from.y);
    tact_each_put(&to->z, scene, from.z);
}

static inline void each_mat3_put(each_mat3 *to, int scene, tact_mat3 from) {
    for (int k = 0; k < 9; k++) tact_each_put(&to->m[k / 3][k % 3], scene, from.m[k / 3][k % 3]);
}

static inline tact_vec3 each_vec3_get(const each_vec3 *from, int scene) {
    return tact_vec3_make(tact_each_get(&from->x, scene), tact_each_get(&from->y, scene), tact_each_get(&from->z, scene));
}

static inline tact_mat3 each_mat3_get(const each_mat3 *from, int scene) {
    tact_mat3 R;
    for (int k = 0; k < 9; k++) R.m[k / 3][k % 3] = tact_each_get(&from->m[k / 3][k % 3], scene);
    return R;
}

#endif
