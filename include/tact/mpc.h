// SPDX-License-Identifier: MIT
// Model predictive control through contact: which commands bring a body to a pose. Core: no heap, fixed memory, bounded work.
//
// A plan holds the commands u_0 .. u_{N-1} of N steps of the barrier law. With the state x = (q, u_{k-1}) it minimises
//
//     sum over k = 1..N of s_k goal(q_k) + sum over k = 0..N-1 of 1/2 effort |u_k - u_{k-1}|^2 + 1/2 posture |u_k - rest|^2
//                                                               + 1/2 reach sum |tip - origin of the body|^2 at q_{k+1}
//     goal(q) = 1/2 position_weight |p - p*|^2 + 1/2 angle_weight |log(R R*')|^2 ,   s_N = 1, otherwise s_k = path
//
// by real-time iteration: a solve shifts the last plan by one tick, steps it once from the measured q, linearises every step, and
// makes one backward pass of the iterative LQR with box limits (Tassa, Mansard, Todorov 2014). The command of the next tick lies
// on the line from the last command to u_0.
#ifndef TACT_MPC_H
#define TACT_MPC_H

#include "tact/region.h"
#include "tact/residual.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// A pose that a body shall take.
typedef struct {
    int body;                                       //
    tact_vec3 position;                             // wanted of its origin, in the world [m]
    tact_quat orientation;                          // wanted, in the world, w, x, y, z; unit to 1e-3
    tact_real position_weight;                      // [1/m^2]
    tact_real angle_weight;                         // [1/rad^2]; 0: any orientation will do
    tact_real position_tolerance, angle_tolerance;  // within these [m], [rad] a solve is content and seeks no other grasp
} tact_pose_goal;

// What separates a pose from the goal: p - p* [m] and log(R R*') [rad], in world axes.
typedef struct {
    tact_vec3 position, rotation;
} tact_pose_error;

// pose: of the goal's body.
tact_pose_error tact_pose_goal_error(const tact_pose_goal *goal, const tact_pose *pose);

// Dofs are measured in their own unit, rad or m.
typedef struct {
    int sweeps;          // maximum of rollouts with backward passes in a solve, 1 to 1000; 1 is real-time iteration
    tact_real tick;      // time between two solves [s], at most step.dt
    tact_real trust;     // maximum change of a planned command in one sweep
    tact_real lead;      // maximum distance of a command from its coordinate: limits the forces of the drives
    tact_real path;      // weight of the goal along the path, relative to its weight at the end
    tact_real effort;    // weight of squared changes of commands from step to step
    tact_real posture;   // weight of squared distances of commands from mpc->rest
    tact_real reach;     // weight of squared distances of the tips from the body [1/m^2]
    tact_real velocity;  // maximum change of a command in a second
    // Regrasp: if the goal's cost has not fallen by a tenth for `patience` [s] (0: never) and the body is outside the tolerances,
    // the commands move for `regrasp` [s] to a posture drawn uniformly within `spread` of mpc->rest, and planning starts again.
    // Then, for `centre` [s], orientations have a sixteenth of their weight, so that the body first returns to its place. In
    // every second regrasp the wanted orientation is rotated, from then on for 2.5 `centre`, by a rotation vector drawn uniformly
    // within `detour` [rad] in each component: if the path from the body's place ends in a local minimum, the next one begins
    // elsewhere.
    tact_real patience, regrasp, centre, spread, detour;
    tact_real slide;  // factor of trust, lead, velocity and spread for prismatic joints, such as a hand's rail: metres for a
                      // radian of other joints [m/rad]; 0: as 1
    // Estimate of the body's size. Measured gaps of the goal's body are averaged over this time [s]. If one is below -2 mm the
    // body is smaller than the model's, and the planning steps add the overlap to the pair's gap. If all are above 2 mm it is
    // larger, and they subtract the least from all. 0: no estimate.
    tact_real sizing;
    tact_region *region;  // NULL, or for the model and the horizon: changes of the plan also stay within the trust region of each
                          // step's contacts (tact/region.h)
    bool (*go_on)(void *);  // NULL, or called before each sweep except the first (to check a clock); false ends the solve
    void *context;          // of go_on
} tact_mpc_options;

// One sweep a solve, a solve every 0.02 s, regrasps and the estimate of the size on; no region and no go_on.
tact_mpc_options tact_mpc_options_default(void);

// The plan of one controller and the memory of its solves.
typedef struct {
    const tact_model *model;
    int horizon;             // N
    int body;                // of the last solve's goal; TACT_WORLD: none yet
    int ntip;                // the shapes that are drawn to it: of each limb that may touch the body the outermost shape
    int *tip;                // (ntip)
    tact_real *rest;         // (nu) posture that is preferred
    tact_real *last;         // (nu) the command that is in force
    tact_real *u;            // (horizon, nu) the plan
    tact_real *u_before;     // (horizon, nu) the commands, ...
    tact_real *q_before;     // (horizon, nq) ... the coordinates before each step ...
    tact_real *way;          // (horizon, nv) ... and its displacement, of the last rollout
    tact_real *guess;        // (nv) the displacement of a step that these let expect
    tact_real *gain;         // (nu, nv) du/dq of the first step's command
    tact_status status;      // of the last solve
    int sweeps;              // that it made
    int limited;             // moves of its last backward pass that the region has changed
    int steps;               // of its last rollout: fewer than the horizon when a step had no answer
    tact_real cost;          // of its last rollout, before the last backward pass
    tact_pose_goal goal;     // of the last solve
    tact_real best, waited;  // least cost of the goal since then, and for how long it has not fallen by a tenth [s]
    tact_real opening;       // what is left of a regrasp [s]; 0: none goes on
    tact_real centring;      // what is left of the way back to the body's place, detour included [s]
    int regrasps;            // since the last reset
    tact_real wandering;     // how much of that is a detour's [s]; 0: this regrasp makes none
    tact_quat detour;        // its turn of the goal's orientation
    uint64_t draws;          // state of the generator of postures and detours; any number may be set after a reset
    tact_real *posture;      // (nu) of the regrasp
    tact_real *seen;         // (npair) measured gaps, averaged; TACT_MAX: none yet
    tact_real *spare;        // (npair) what planning steps add to the gaps of pairs [m]
    tact_real predicted;     // by which the backward pass wanted to lower it
    tact_real step_length;   // most change of a command in one planning step
    // scratch
    tact_state *state;         // (horizon + 1) of the last rollout
    tact_work work;            //
    tact_deriv_work deriv;     //
    tact_kinematics pose;      //
    tact_real *A, *B;          // (horizon, nv, nv), (horizon, nv, nu)
    tact_real *slope;          // (horizon, nv) gradient of the cost of x_{k+1} by q
    tact_real *bend;           // (horizon, nv, nv) its Gauss-Newton Hessian
    tact_real *Vq, *Vqq;       // (nv), (nv, nv) value function
    tact_real *Vu, *Vuu;       // (nu), (nu, nu)
    tact_real *Vuq;            // (nu, nv)
    tact_real *Qu, *Quu;       // (nu), (nu, nu)
    tact_real *Quq;            // (nu, nv)
    tact_real *move;           // (horizon, nu) change of the plan: open loop
    tact_real *Kq, *Ku;        // (horizon, nu, nv), (horizon, nu, nu) and by the deviations of q and of the command before
    tact_real *factor;         // (nu, nu)
    tact_real *VA, *VB;        // (nv, nv), (nv, nu)
    tact_real *dq, *dq_next;   // (nv)
    tact_real *du, *du_next;   // (nu)
    tact_real *lower, *upper;  // (nu)
    bool *held;                // (nu)
    tact_vec3 *column;         // (nv)
    int *dof;                  // (nv)
} tact_mpc;

// Bytes that tact_mpc_init needs for a horizon.
size_t tact_mpc_size(const tact_model *model, int horizon);

// Places the controller in the caller's memory, which must outlive it, as must the model; horizon is at least 1. The plan holds
// the model's q0. TACT_NO_MEMORY if size is too small. One controller per thread.
tact_status tact_mpc_init(tact_mpc *mpc, const tact_model *model, int horizon, void *memory, size_t size);

// Resets the plan to hold q (nq), which becomes the present command and the preferred posture.
void tact_mpc_reset(tact_mpc *mpc, const tact_real *q);

// Replans from the measured q (nq) and sets mpc->last (nu) to the command of the next tick. step: options of the planning steps,
// of the barrier law. The goal may change from call to call. Returns TACT_CONVERGED if all steps of the rollout converged,
// otherwise the worst status; TACT_BAD_INPUT for a model of another law or what tact_step_check refuses. A planning step without
// an answer ends the rollout early, and the plan of the steps before it is improved; without a single step the command is kept.
tact_status tact_mpc_solve(tact_mpc *mpc, const tact_options *step, const tact_mpc_options *options, const tact_pose_goal *goal,
                           const tact_real *q);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
