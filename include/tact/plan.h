// SPDX-License-Identifier: MIT
// Planning: inverse kinematics.
#ifndef TACT_PLAN_H
#define TACT_PLAN_H

#include "tact/model.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// A target position of a point of a body and, optionally, a target orientation of the body. Its error [m] is
//   sqrt(|p - position|^2 + (angle_weight angle)^2)
// with the angle [rad] between the body's orientation and the wanted one.
typedef struct {
    int body;                //
    tact_vec3 point;         // in the body frame [m]
    tact_vec3 position;      // wanted, in the world [m]
    tact_quat orientation;   // wanted of the body frame, in the world; unit to 1e-3; not read when the weight is 0
    tact_real angle_weight;  // [m/rad] 0: any orientation will do
} tact_ik_target;

typedef struct {
    int iteration_limit;   // trial steps of a descent, each with one forward kinematics
    tact_real tolerance;   // [m] converged when no target's error is larger
    tact_real stationary;  // closest point when the gradient is smaller, in units of |column of J| |errors|
    tact_real damping;     // of the first step, in units of the squared columns of J
    bool all_dofs;         // move undriven dofs as well
    int restarts;          // at most, of each group of targets that share dofs, from random coordinates; 0: one descent from q
    uint64_t seed;         // of the random coordinates: the same seed gives the same bits
} tact_ik_options;

// 100 iterations; tolerance 256 TACT_EPS; stationary 4 sqrt(TACT_EPS); damping 1e-3; driven dofs only; 60 restarts; seed 1.
tact_ik_options tact_ik_options_default(void);

typedef struct {
    // TACT_CONVERGED: all errors are within the tolerance. TACT_STATIONARY: the nearest local minimum within the joint limits; no
    // start that was tried reaches the targets, which does not prove that none does. TACT_ITERATION_LIMIT: neither.
    // TACT_BAD_INPUT: q is untouched.
    tact_status status;
    // TACT_BAD_INPUT: the first of "options.*", "q", "target.point", "target.position", "target.angle_weight" (at most
    // TACT_MOST_LENGTH), "target.orientation" that is not acceptable
    tact_fault fault;
    int iterations;      // of all descents
    int restarts;        // that were made, of all groups together
    tact_real error;     // [m] the largest of the targets
    tact_real gradient;  // largest component that a dof could follow, in the units of options.stationary; 0 to 1
} tact_ik_result;

// Scratch, and the errors in detail.
typedef struct {
    tact_real *error;  // (ntarget) of each target at the result [m]
    int ntarget;       // most targets that it has room for
    tact_sizes of;     // sizes of the model that it was placed for
    tact_kinematics kinematics, trial_kinematics;
    int *group;            // (ntarget) of targets that share dofs: the first of them
    bool *active;          // (ntarget) takes part in the descent
    tact_real *q, *trial;  // (nq)
    tact_real *best;       // (nq) the nearest point so far
    int *variable;         // (nv) the dofs that move
    int *column;           // (nv) their numbers; -1: does not move
    int *free;             // (nv) variables that are not held
    bool *frozen, *held;   // (nv) at a limit: that the gradient pushes against, that the step would cross
    tact_real *gradient, *step, *scale, *solution;  // (nv)
    tact_real *normal, *curvature, *factor;         // (nv, nv) J'J, sum over errors of error times second derivative
} tact_ik;

// Places the work for ntarget targets in the arena, which must outlive it. Sizes of a prepared model.
void tact_ik_place(tact_ik *ik, const tact_model *model, int ntarget, tact_arena *arena);

// Moves q (nq), in place, to a minimum of the sum of the targets' squared errors within the joint limits, by damped Newton steps
// from q, which is first moved into the limits. Groups of targets that are missed are tried again from random coordinates, and
// the nearest point is returned. Dofs on which no target depends are not changed. One work per thread.
tact_ik_result tact_ik_solve(tact_ik *ik, const tact_model *model, const tact_ik_target *target, int ntarget,
                             tact_ik_options options, tact_real *q);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
