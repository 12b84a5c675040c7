// SPDX-License-Identifier: MIT
// Eigenvalues of inertias.
#include <math.h>

#include "scene/urdf_parts.h"

#define SWEEPS_MAX 30

// A <- G' A G with the plane rotation G of rows and columns p, q that makes A[p][q] zero (Jacobi 1846)
static void rotate(double A[3][3], int p, int q) {
    if (A[p][q] == 0) return;
    double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c, off = A[p][q];
    int r = 3 - p - q;
    double rp = A[r][p], rq = A[r][q];
    A[p][p] -= t * off;
    A[q][q] += t * off;
    A[p][q] = A[q][p] = 0;
    A[r][p] = A[p][r] = c * rp - s * rq;
    A[r][q] = A[q][r] = s * rp + c * rq;
}

void tact_urdf_eigenvalues(const tact_real inertia[6], double eigenvalues[3]) {
    double x[6], scale = 0;
    for (int i = 0; i < 6; i++) {
        x[i] = (double)inertia[i];
        scale = fmax(scale, fabs(x[i]));
    }
    // scaled, so that squares neither overflow nor vanish
    for (int i = 0; i < 6 && scale > 0; i++) x[i] /= scale;
    double A[3][3] = {{x[0], x[3], x[4]}, {x[3], x[1], x[5]}, {x[4], x[5], x[2]}};
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        rotate(A, 0, 1);
        rotate(A, 0, 2);
        rotate(A, 1, 2);
    }
    double a = A[0][0], b = A[1][1], c = A[2][2];
    eigenvalues[0] = scale * fmin(a, fmin(b, c));
    eigenvalues[1] = scale * fmax(fmin(a, b), fmin(fmax(a, b), c));
    eigenvalues[2] = scale * fmax(a, fmax(b, c));
}
