// SPDX-License-Identifier: MIT
// tact/math.h of as many scenes as there are lanes, operation by operation.
#ifndef TACT_BATCH_LANE_MATH_H
#define TACT_BATCH_LANE_MATH_H

#include "math/wide.h"
#include "tact/math.h"

typedef struct {
    tact_wide x, y, z;
} lane_vec3;

typedef struct {
    tact_wide m[3][3];
} lane_mat3;

typedef struct {
    lane_mat3 R;
    lane_vec3 p;
} lane_pose;

static inline lane_vec3 lane_vec3_make(tact_wide x, tact_wide y, tact_wide z) {
    lane_vec3 v = {x, y, z};
    return v;
}

static inline lane_vec3 lane_vec3_all(tact_real x, tact_real y, tact_real z) {
    return lane_vec3_make(tact_wide_all(x), tact_wide_all(y), tact_wide_all(z));
}

static inline lane_vec3 lane_vec3_add(lane_vec3 a, lane_vec3 b) {
    return lane_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline lane_vec3 lane_vec3_sub(lane_vec3 a, lane_vec3 b) {
    return lane_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline lane_vec3 lane_vec3_scale(tact_wide s, lane_vec3 a) {
    return lane_vec3_make(s * a.x, s * a.y, s * a.z);
}

static inline lane_vec3 lane_vec3_add_scaled(lane_vec3 a, tact_wide s, lane_vec3 b) {
    return lane_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static inline tact_wide lane_vec3_dot(lane_vec3 a, lane_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline lane_vec3 lane_vec3_cross(lane_vec3 a, lane_vec3 b) {
    return lane_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline lane_vec3 lane_mat3_column(const lane_mat3 *A, int j) {
    return lane_vec3_make(A->m[0][j], A->m[1][j], A->m[2][j]);
}

static inline lane_vec3 lane_mat3_apply(const lane_mat3 *A, lane_vec3 v) {
    return lane_vec3_make(A->m[0][0] * v.x + A->m[0][1] * v.y + A->m[0][2] * v.z,
                          A->m[1][0] * v.x + A->m[1][1] * v.y + A->m[1][2] * v.z,
                          A->m[2][0] * v.x + A->m[2][1] * v.y + A->m[2][2] * v.z);
}

// A' v
static inline lane_vec3 lane_mat3_apply_transposed(const lane_mat3 *A, lane_vec3 v) {
    return lane_vec3_make(A->m[0][0] * v.x + A->m[1][0] * v.y + A->m[2][0] * v.z,
                          A->m[0][1] * v.x + A->m[1][1] * v.y + A->m[2][1] * v.z,
                          A->m[0][2] * v.x + A->m[1][2] * v.y + A->m[2][2] * v.z);
}

static inline lane_mat3 lane_mat3_identity(void) {
    lane_mat3 I;
    for (int i = 0; i < 9; i++) I.m[i / 3][i % 3] = tact_wide_all(i % 4 == 0 ? 1 : 0);
    return I;
}

static inline lane_mat3 lane_mat3_multiply(const lane_mat3 *A, const lane_mat3 *B) {
    lane_vec3 x = lane_mat3_apply(A, lane_mat3_column(B, 0)), y = lane_mat3_apply(A, lane_mat3_column(B, 1)),
              z = lane_mat3_apply(A, lane_mat3_column(B, 2));
    lane_mat3 C = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return C;
}

static inline lane_vec3 lane_pose_apply(const lane_pose *T, lane_vec3 x) {
    return lane_vec3_add(lane_mat3_apply(&T->R, x), T->p);
}

static inline tact_vec3 lane_vec3_get(const lane_vec3 *from, int lane) {
    return tact_vec3_make(tact_wide_get(&from->x, lane), tact_wide_get(&from->y, lane), tact_wide_get(&from->z, lane));
}

static inline void lane_vec3_set(lane_vec3 *to, int lane, tact_vec3 from) {
    tact_wide_put(&to->x, lane, from.x);
    tact_wide_put(&to->y, lane, from.y);
    tact_wide_put(&to->z, lane, from.z);
}

static inline void lane_mat3_put(tact_mat3 *to, int lane, const lane_mat3 *from) {
    for (int i = 0; i < 9; i++) to->m[i / 3][i % 3] = tact_wide_get(&from->m[i / 3][i % 3], lane);
}

#endif
