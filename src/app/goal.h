// SPDX-License-Identifier: MIT
// A scene's goal as a function of its commands. The commands of all driven dofs are linear between knots at equal times; the
// first knot is the initial coordinates, the values of the others are the variables, in the metric of the drives:
//
//     x = sqrt(K_a) u ,   f(x) = weight |p_N - position|^2 + path mean_k |p_k - position|^2 + effort K sum_j |x_j - x_{j-1}|^2
//
// for the knots j = 1..K. A drive by force has u = x / sqrt(time between knots), before the first knot that of the first, and
// the effort times the integral of u^2. p_k is where the rollout brings the body; the gradient is the rollout's, summed over the
// steps by the weights of the knots.
#ifndef TACT_APP_GOAL_H
#define TACT_APP_GOAL_H

#include "plan/lbfgs.h"
#include "tact/rollout.h"
#include "tact/scene.h"

// Starts as {0}; ends with tact_goal_plan_free.
typedef struct {
    const tact_scene *scene;   // with the goal
    tact_state start;          // where the rollouts begin
    int n;                     // variables: knots x nu
    tact_real *x;              // (n)
    tact_real *lower, *upper;  // (n) limits of the joints
    tact_real *scale;          // (nu) roots of the stiffnesses; of forces the root of the time between knots
    bool *force;               // (nu) driven by a force
    tact_command command;      // the trajectory of x
    tact_real *u, *u_bar;      // (horizon, nu)
    tact_wrench *wrench;       // (nbody)
    tact_rollout_work rollout;
    tact_kinematics kinematics;
    tact_lbfgs lbfgs;
    tact_status status;  // of the worst rollout that was asked for at last
    int step;            // that it ended with
    void *memory;
} tact_goal_plan;

// Variables at the initial coordinates: hold. False when there is no memory.
bool tact_goal_plan_make(tact_goal_plan *plan, const tact_scene *scene, const tact_state *start);
void tact_goal_plan_free(tact_goal_plan *plan);

// v (n) = M v with M the inverse of the effort's second derivative, but for its factor.
void tact_goal_plan_precondition(const tact_goal_plan *plan, tact_real *v);

// f and, unless gradient is NULL, its gradient (n). Infinite when a step has no answer.
tact_real tact_goal_plan_value(tact_goal_plan *plan, const tact_real *x, tact_real *gradient);

// Sets the command to x.
void tact_goal_plan_command(tact_goal_plan *plan, const tact_real *x);

// How far the body is from the goal [m]. Uses the kinematics given.
tact_real tact_goal_distance(const tact_scene *scene, tact_kinematics *kinematics, const tact_real *q);

#endif
