// SPDX-License-Identifier: MIT
// Exponential and logarithm of rotations, with h = |r|/2 and q = (w, x):
//   exp r = (cos h, r sin(h)/(2h)) ,  log q = x 2 atan2(|x|, w)/|x|
// Where the angle's square is below the rounding unit, the limits are right to rounding:
//   exp r = (1, r/2) ,  log q = 2 x/w
#include "tact/math.h"

#include "math/elementary.h"

tact_quat tact_quat_normalize(tact_quat q) {
    tact_real length = tact_sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (length == 0) {
        tact_quat identity = {1, 0, 0, 0};
        return identity;
    }
    tact_quat unit = {q.w / length, q.x / length, q.y / length, q.z / length};
    return unit;
}

tact_quat tact_quat_from_matrix(tact_mat3 R) {
    // four times the square of each component; the largest is at least 1, so that nothing cancels (Shepperd 1978)
    tact_real xx = R.m[0][0], yy = R.m[1][1], zz = R.m[2][2];
    tact_real square[4] = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz};
    tact_real wx = R.m[2][1] - R.m[1][2], wy = R.m[0][2] - R.m[2][0], wz = R.m[1][0] - R.m[0][1];
    tact_real xy = R.m[1][0] + R.m[0][1], xz = R.m[0][2] + R.m[2][0], yz = R.m[2][1] + R.m[1][2];
    // row k: the quaternion times four times its component k
    tact_quat row[4] = {{square[0], wx, wy, wz}, {wx, square[1], xy, xz}, {wy, xy, square[2], yz}, {wz, xz, yz, square[3]}};
    int largest = 0;
    for (int k = 1; k < 4; k++)
        if (square[k] > square[largest]) largest = k;
    tact_quat q = tact_quat_normalize(row[largest]);
    if (q.w >= 0) return q;
    tact_quat opposite = {-q.w, -q.x, -q.y, -q.z};
    return opposite;
}

tact_quat tact_rotation_exp(tact_vec3 r) {
    tact_real square = tact_vec3_dot(r, r);
    tact_real w = 1, scale = TACT_REAL(0.5);
    if (square > TACT_EPS) {
        tact_real angle = tact_sqrt(square), s = 0;
        tact_sincos(angle / 2, &s, &w);
        scale = s / angle;
    }
    tact_quat q = {w, scale * r.x, scale * r.y, scale * r.z};
    return q;
}

tact_vec3 tact_rotation_log(tact_quat q) {
    tact_real sign = q.w < 0 ? -1 : 1, w = sign * q.w;
    tact_real square = q.x * q.x + q.y * q.y + q.z * q.z;
    tact_real length = tact_sqrt(square);
    tact_real scale = square < TACT_EPS * w * w ? 2 / w : 2 * tact_atan2(length, w) / length;
    return tact_vec3_scale(sign * scale, tact_vec3_make(q.x, q.y, q.z));
}
