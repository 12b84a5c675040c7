// SPDX-License-Identifier: MIT
// The goals of a plan as residuals of a state: each adds 1/2 weight |r|^2, its gradient, and its Gauss-Newton Hessian weight J'J.
// Used by gradient descent, the iterative LQR and model predictive control.
#ifndef TACT_RESIDUAL_H
#define TACT_RESIDUAL_H

#include "tact/sim.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TACT_RESIDUAL_POINT,  // r = x - y [m]: x the point of body, y the target in the world or on another body
    TACT_RESIDUAL_TURN,   // r = log(R R*') [rad], in world axes: the error of a body's orientation on SO(3)
    TACT_RESIDUAL_JOINT,  // r = q - value [m or rad] of one coordinate
    TACT_RESIDUAL_FORCE,  // r = max(0, least - lambda_n) + max(0, lambda_n - most) [N], lambda_n the normal force of a pair
    TACT_RESIDUAL_SLIP,   // r = max(0, 1 - bearing/lambda_n) nu_t [m]: tangential displacement in the step of a loaded pair
} tact_residual_kind;

typedef struct {
    tact_residual_kind kind;
    int first, last;        // range of states at which it counts, 0 the start; last < first: never
    tact_real weight;       // at each of them, of 1/2 |r|^2
    tact_real tolerance;    // it is reached if |r| at the last of them is at most this; TACT_MAX: not required
    int body;               // of a point or a turn
    tact_vec3 point;        // in the body frame [m]
    int other;              // body that carries the target of a point; TACT_WORLD
    tact_vec3 target;       // in the frame of the other [m]
    tact_quat orientation;  // target of the body, in the world; unit to 1e-3
    int dof;                // of a joint: one with a coordinate
    tact_real value;        // target of it
    int pair;               // of a force or a slip
    tact_real least, most;  // of the normal force [N]; -TACT_MAX and TACT_MAX: no bound
    tact_real bearing;      // [N] normal force from which on a contact must not slip, > 0
} tact_residual;

// Arrays to which values are added; NULL leaves one out.
typedef struct {
    tact_real *q;       // (nv) gradient by the state
    tact_real *qq;      // (nv, nv) Hessian
    tact_real *lambda;  // (nc, 3) gradient by the forces of the contacts
    tact_real *ll;      // (nc, 3, 3) Hessian, block-diagonal by contact
} tact_residual_sums;

// The state at which residuals are evaluated. kinematics are those of q.
typedef struct {
    const tact_real *q;             // (nq)
    const tact_contacts *contacts;  // of the step that led there; NULL: none
    tact_real kappa;                // of that step [1/J], for slips
} tact_residual_state;

typedef struct {
    tact_kinematics kinematics;
    tact_vec3 *column;  // (2 nmotion) scratch
    int *dof;           // (2 nmotion)
} tact_residual_work;

// Places room for a prepared model in the arena, which must outlive work.
void tact_residual_place(tact_residual_work *work, const tact_model *model, tact_arena *arena);

// The first member that is not acceptable for a model under its law, as "residual.body"; index says which residual.
tact_fault tact_residual_check(const tact_model *model, const tact_residual *residual, int count);

// 1/2 weight |r|^2, with gradient and Hessian added to the sums. work->kinematics are those of the state.
tact_real tact_residual_add(const tact_model *model, const tact_residual *residual, const tact_residual_state *at,
                            tact_residual_work *work, const tact_residual_sums *sums);

// |r|.
tact_real tact_residual_length(const tact_model *model, const tact_residual *residual, const tact_residual_state *at,
                               tact_residual_work *work);

// Finds the outermost shapes of the limbs that may touch a body; sets shape (room for nbody) and returns their number. A link
// that carries another link that may touch the body does not count; of several shapes on a link the one farthest from its joint
// is taken.
int tact_residual_find_tips(const tact_model *model, int body, int *shape);

// The orientation error log(R R*') as a rotation vector [rad], in world axes.
tact_vec3 tact_rotation_error(const tact_mat3 *R, tact_quat wanted);

// The derivative of log(R R*') by a rotation about the world axes: the inverse left Jacobian at the error r,
// I - 1/2 [r] + (1/|r|^2 - (1 + cos |r|)/(2 |r| sin |r|)) [r]^2.
tact_mat3 tact_pose_error_rate(tact_vec3 r);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
