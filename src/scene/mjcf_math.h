// SPDX-License-Identifier: MIT
// Poses by unit quaternions (w, x, y, z), inertias as xx, yy, zz, xy, xz, yz, and principal axes, in double precision.
#ifndef TACT_SCENE_MJCF_MATH_H
#define TACT_SCENE_MJCF_MATH_H

#include <stdbool.h>

#include "tact/draft.h"

typedef struct {
    double p[3], q[4];
} tact_mjcf_pose;

#define TACT_MJCF_IDENTITY \
    {                      \
        {0, 0, 0}, {       \
            1, 0, 0, 0     \
        }                  \
    }

// q / |q|; false when it has no direction.
bool tact_mjcf_normalise(double *x, int count);

void tact_mjcf_multiply(const double a[4], const double b[4], double out[4]);
void tact_mjcf_matrix(const double q[4], double R[3][3]);
void tact_mjcf_rotate(const double q[4], const double x[3], double out[3]);

// The pose b within a.
tact_mjcf_pose tact_mjcf_compose(const tact_mjcf_pose *a, const tact_mjcf_pose *b);
tact_mjcf_pose tact_mjcf_invert(const tact_mjcf_pose *pose);

// Of an angle about a unit axis.
void tact_mjcf_axis_angle(const double axis[3], double angle, double q[4]);

// The least rotation from z to a unit vector; about x where that is -z.
void tact_mjcf_z_to(const double n[3], double q[4]);

// The quaternion of a rotation matrix.
void tact_mjcf_quaternion(double R[3][3], double q[4]);

// A pose as a frame of the draft.
tact_draft_frame tact_mjcf_frame(const tact_mjcf_pose *pose);

// R I R' and I + m (p'p 1 - p p'): about a point p away from the centre of mass.
void tact_mjcf_turn_inertia(const double q[4], double I[6]);
void tact_mjcf_shift_inertia(double mass, const double p[3], double I[6]);

// Eigenvalues in descending order and the right-handed frame of their axes, in which what is left beside the diagonal is at most
// so small a part of the largest.
#define TACT_MJCF_EXACT 1e-15
void tact_mjcf_principal(const double I[6], double least, double e[3], double q[4]);

// The inertia without what is left beside the diagonal.
void tact_mjcf_diagonalise(double I[6], double least);

#endif
