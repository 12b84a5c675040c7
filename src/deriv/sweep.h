// SPDX-License-Identifier: MIT
// Derivatives of momentum, gyroscopic term and loads by coordinates, velocities and masses: one outward and one inward pass
// over the tree per direction.
#ifndef TACT_DERIV_SWEEP_H
#define TACT_DERIV_SWEEP_H

#include "tact/deriv.h"

// A direction of change; NULL and -1: none.
typedef struct {
    const tact_real *q, *v;  // (nv) in the tangent space
    int body;                // whose mass changes by 1, its inertia about the centre of mass staying
} tact_direction;

// Where the derivative is taken: tact_momentum_update was called at these kinematics.
typedef struct {
    const tact_model *model;
    const tact_kinematics *kinematics;
    const tact_dynamics *dynamics;
    const tact_real *v;  // (nv)
    tact_real h;         // [s]
    tact_vec3 *change;   // (nbody, 6) scratch
} tact_sweep;

// dp (nv) of the momentum; unless NULL also of h times the gyroscopic term, and of the momentum at the end of a step (see
// law/rigid_system.c).
void tact_sweep_momentum(const tact_sweep *sweep, tact_direction direction, tact_real *dp, tact_real *turning, tact_real *end);

// df (nv) of the generalised force of gravity (of driven dofs only if asked for) and of external forces.
void tact_sweep_load(const tact_sweep *sweep, const tact_options *options, const tact_input *input, tact_direction direction,
                     tact_real *df);

#endif
