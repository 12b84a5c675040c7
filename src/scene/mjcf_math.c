// SPDX-License-Identifier: MIT
#include "scene/mjcf_math.h"

#include <math.h>
#include <string.h>

#define ROUNDS_MAX 100

bool tact_mjcf_normalise(double *x, int count) {
    double largest = 0, sum = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(x[i]));
    if (!(largest > 1e-15)) return false;
    for (int i = 0; i < count; i++) sum += x[i] / largest * (x[i] / largest);
    double length = largest * sqrt(sum);
    for (int i = 0; i < count; i++) x[i] /= length;
    return true;
}

void tact_mjcf_multiply(const double a[4], const double b[4], double out[4]) {
    double c[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                   a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, c, sizeof c);
}

void tact_mjcf_matrix(const double q[4], double R[3][3]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double M[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    memcpy(R, M, sizeof M);
}

void tact_mjcf_rotate(const double q[4], const double x[3], double out[3]) {
    double R[3][3], y[3];
    tact_mjcf_matrix(q, R);
    for (int i = 0; i < 3; i++) y[i] = R[i][0] * x[0] + R[i][1] * x[1] + R[i][2] * x[2];
    memcpy(out, y, sizeof y);
}

tact_mjcf_pose tact_mjcf_compose(const tact_mjcf_pose *a, const tact_mjcf_pose *b) {
    tact_mjcf_pose c;
    tact_mjcf_rotate(a->q, b->p, c.p);
    for (int i = 0; i < 3; i++) c.p[i] += a->p[i];
    tact_mjcf_multiply(a->q, b->q, c.q);
    tact_mjcf_normalise(c.q, 4);
    return c;
}

void tact_mjcf_axis_angle(const double axis[3], double angle, double q[4]) {
    double s = sin(angle / 2);
    q[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++) q[i + 1] = s * axis[i];
}

void tact_mjcf_z_to(const double n[3], double q[4]) {
    double axis[3] = {-n[1], n[0], 0}, across = sqrt(n[0] * n[0] + n[1] * n[1]);
    if (!tact_mjcf_normalise(axis, 3)) {
        axis[0] = 1;
        axis[1] = 0;
    }
    tact_mjcf_axis_angle(axis, atan2(across, n[2]), q);
}

// by the largest of the four components (Shepperd 1978)
void tact_mjcf_quaternion(double R[3][3], double q[4]) {
    double trace = R[0][0] + R[1][1] + R[2][2];
    int k = 0;
    for (int i = 1; i < 3; i++)
        if (R[i][i] > R[k][k]) k = i;
    int a = (k + 1) % 3, b = (k + 2) % 3;
    if (trace > R[k][k]) {
        q[0] = 1 + trace;
        for (int i = 0; i < 3; i++) q[i + 1] = R[(i + 2) % 3][(i + 1) % 3] - R[(i + 1) % 3][(i + 2) % 3];
    } else {
        q[0] = R[b][a] - R[a][b];
        q[k + 1] = 1 + R[k][k] - R[a][a] - R[b][b];
        q[a + 1] = R[a][k] + R[k][a];
        q[b + 1] = R[b][k] + R[k][b];
    }
    tact_mjcf_normalise(q, 4);
}

tact_draft_frame tact_mjcf_frame(const tact_mjcf_pose *pose) {
    double R[3][3];
    tact_mjcf_matrix(pose->q, R);
    // yaw of R Rx(-roll), so that it makes up for a roll that is not well determined
    double roll = atan2(R[2][1], R[2][2]), pitch = atan2(-R[2][0], sqrt(R[2][1] * R[2][1] + R[2][2] * R[2][2]));
    double s = sin(roll), c = cos(roll);
    double yaw = atan2(s * R[0][2] - c * R[0][1], c * R[1][1] - s * R[1][2]);
    tact_draft_frame frame = {{(tact_real)pose->p[0], (tact_real)pose->p[1], (tact_real)pose->p[2]},
                              {(tact_real)roll, (tact_real)pitch, (tact_real)yaw}};
    // the sign of a zero is of no use
    for (int i = 0; i < 3; i++) {
        frame.xyz[i] += 0;
        frame.rpy[i] += 0;
    }
    return frame;
}

void tact_mjcf_turn_inertia(const double q[4], double I[6]) {
    double R[3][3], A[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}, B[3][3], C[3][3];
    tact_mjcf_matrix(q, R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) B[i][j] = R[i][0] * A[0][j] + R[i][1] * A[1][j] + R[i][2] * A[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) C[i][j] = B[i][0] * R[j][0] + B[i][1] * R[j][1] + B[i][2] * R[j][2];
    for (int i = 0; i < 3; i++) I[i] = C[i][i];
    I[3] = (C[0][1] + C[1][0]) / 2;
    I[4] = (C[0][2] + C[2][0]) / 2;
    I[5] = (C[1][2] + C[2][1]) / 2;
}

void tact_mjcf_shift_inertia(double mass, const double p[3], double I[6]) {
    double x = p[0], y = p[1], z = p[2];
    const double add[6] = {y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z};
    for (int i = 0; i < 6; i++) I[i] += mass * add[i];
}

// Plane rotations of the largest element beside the diagonal (Jacobi 1846), gathered in a quaternion.
void tact_mjcf_principal(const double I[6], double least, double e[3], double q[4]) {
    double A[3][3] = {{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}, R[3][3], D[3][3], B[3][3];
    q[0] = 1;
    q[1] = q[2] = q[3] = 0;
    for (int round = 0; round < ROUNDS_MAX; round++) {
        tact_mjcf_matrix(q, R);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) B[i][j] = A[i][0] * R[0][j] + A[i][1] * R[1][j] + A[i][2] * R[2][j];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) D[i][j] = R[0][i] * B[0][j] + R[1][i] * B[1][j] + R[2][i] * B[2][j];
        for (int i = 0; i < 3; i++) e[i] = D[i][i];
        int r = 1, c = 2;
        if (fabs(D[0][1]) > fabs(D[0][2]) && fabs(D[0][1]) > fabs(D[1][2])) {
            r = 0;
            c = 1;
        } else if (fabs(D[0][2]) > fabs(D[1][2])) {
            r = 0;
        }
        if (fabs(D[r][c]) <= least * fmax(fabs(e[0]), fmax(fabs(e[1]), fabs(e[2])))) break;
        double tau = (D[c][c] - D[r][r]) / (2 * D[r][c]), t = (tau < 0 ? -1 : 1) / (fabs(tau) + sqrt(1 + tau * tau));
        double cosine = 1 / sqrt(1 + t * t), turn[4] = {0, 0, 0, 0};
        int axis = 3 - r - c;
        // sin(a/2) = sin a / sqrt(2 + 2 cos a), which keeps its digits where the angle is small
        turn[axis + 1] = t * cosine / sqrt(2 + 2 * cosine) * (axis == 1 ? 1 : -1);
        turn[0] = sqrt(1 - turn[axis + 1] * turn[axis + 1]);
        tact_mjcf_multiply(q, turn, q);
        tact_mjcf_normalise(q, 4);
    }
    // descending, by quarter turns about the axis that stays
    for (int k = 0; k < 3; k++) {
        int i = k % 2;
        if (!(e[i] < e[i + 1])) continue;
        double exchanged = e[i], turn[4] = {sqrt(0.5), 0, 0, 0};
        e[i] = e[i + 1];
        e[i + 1] = exchanged;
        turn[(i + 2) % 3 + 1] = sqrt(0.5);
        tact_mjcf_multiply(q, turn, q);
        tact_mjcf_normalise(q, 4);
    }
}

void tact_mjcf_diagonalise(double I[6], double least) {
    double e[3], q[4];
    tact_mjcf_principal(I, least, e, q);
    for (int i = 0; i < 6; i++) I[i] = i < 3 ? e[i] : 0;
    tact_mjcf_turn_inertia(q, I);
}

tact_mjcf_pose tact_mjcf_invert(const tact_mjcf_pose *pose) {
    tact_mjcf_pose back = {{-pose->p[0], -pose->p[1], -pose->p[2]}, {pose->q[0], -pose->q[1], -pose->q[2], -pose->q[3]}};
    tact_mjcf_rotate(back.q, back.p, back.p);
    return back;
}
