// SPDX-License-Identifier: MIT
// Plans through contact: commands of N steps that make residuals small. The commands of all driven dofs are linear between knots
// at equal times. The first knot is the start of the plan; the values of the others are the variables, in the metric of the
// drives:
//
//     x = sqrt(K_a) u ,   f(x) = sum over residuals of 1/2 weight |r|^2 + effort K sum_j |x_j - x_{j-1}|^2 + posture/K sum_j |x_j
//     - x_0|^2
//
// for the knots j = 1..K. A drive by force has u = x / sqrt(time between knots), before the first knot that of the first, and
// the effort times the integral of u^2. Two methods find a local minimum within the limits of the joints:
//
// ilqr   Gauss-Newton: A and B of all steps give f to second order in the knots; one backward pass of the linear-quadratic
// regulator
//        with box limits (Tassa, Mansard, Todorov 2014) gives new knots with a state feedback; a line search, and a
//        regularisation by the ratio of actual to predicted decrease. The gradient is exact, with anchors, too; the Hessian
//        leaves them out. Barrier law only.
// lbfgs  L-BFGS by gradients alone, started from the effort's Hessian. All laws with gradients of rollouts.
#ifndef TACT_OPTIMISE_H
#define TACT_OPTIMISE_H

#include "tact/residual.h"
#include "tact/rollout.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TACT_PLAN_AUTO,   // ilqr under the barrier law without anchors, otherwise lbfgs, and with anchors both in turn where one
                      // stalls
    TACT_PLAN_ILQR,   //
    TACT_PLAN_LBFGS,  //
} tact_plan_method;

typedef struct {
    const tact_model *model;
    const tact_options *options;  // of the steps
    int horizon;                  // N steps, at least 1
    int knots;                    // K, at least 1
    int nresidual;
    const tact_residual *residual;  // (nresidual)
    tact_real effort;               // [1/J]
    tact_real posture;              // [1/J]
    // NULL, or what tact_rollout has under this name, for external forces: the command is the plan's.
    void (*drive)(void *context, int step, const tact_state *state, tact_input *input);
    void *context;
} tact_plan_task;

// Of an iteration; 0: the start.
typedef struct {
    int iteration;
    int evaluations;         // rollouts so far
    tact_real value;         // f
    tact_real gradient;      // its largest component, of those that no limit holds
    tact_real excess;        // the largest of the residuals' lengths over their tolerances; at most 1: reached
    const tact_real *error;  // (nresidual) lengths at the last states at which they count
    const tact_real *x;      // (n)
} tact_plan_progress;

typedef struct {
    tact_plan_method method;
    int iteration_limit;
    // The search ends after this many iterations in a row (lbfgs: ten) that reduce f by less than this fraction, before and after
    // the residuals are within their tolerances.
    int idle;
    tact_real gain_least, gain_reached;
    // If it ends with a residual outside its tolerance, it continues with a tenth of effort and posture, up to this many times;
    // with auto by the other method.
    int relaxations;
    bool (*report)(void *context,
                   const tact_plan_progress *progress);  // NULL, or called after each iteration; false ends the search
    void *context;
} tact_plan_options;

// ilqr or lbfgs by the law, 100 iterations, idle 3, gains 1e-3 and 0.05, three relaxations.
tact_plan_options tact_plan_options_default(void);

typedef struct {
    // TACT_CONVERGED: f hardly fell, or the gradient is 0, or report ended it. TACT_STATIONARY: no step reduces f.
    // TACT_ITERATION_LIMIT. Negative: of the step that ended the rollout of the start, or TACT_BAD_INPUT with a fault.
    tact_status status;
    tact_fault fault;  // "options.method" (the law or the task does not have it), or as tact_rollout_gradient
    tact_plan_method method;
    bool both;  // ilqr and lbfgs in turn; method is the last
    int iterations, evaluations;
    tact_real value, gradient, excess;
    bool slow;        // it ended because f hardly fell
    bool stopped;     // report ended it
    int relaxations;  // that were made
    int step;         // that ended the rollout of the start
    int kinks;        // most steps of a gradient with an anchor at its cap, where it is one-sided
    int jumps;        // how often a pair came into the margin or left it between two iterates: f jumps there
    int rejected;     // rollouts whose f did not fall as predicted
} tact_plan_result;

// A task with the memory of its search.
typedef struct {
    tact_plan_task task;
    tact_plan_method room;        // for which memory was taken; auto: for all that the law has
    tact_plan_method method;      // of the search at hand
    tact_state start;             // where rollouts begin
    int n;                        // variables: knots nu
    tact_real *x;                 // (n) the plan; a search begins and ends there
    tact_real *lower, *upper;     // (n) limits of the joints
    tact_real *scale;             // (nu) roots of the stiffnesses; of forces the root of the time between knots
    bool *force;                  // (nu) driven by a force
    tact_real *times;             // (knots + 1) of the knots [s]
    tact_real *u;                 // (knots + 1, nu) commands there, of the last evaluation
    tact_real *error;             // (nresidual) lengths of the residuals in it
    tact_status status;           // of its rollout
    int step;                     // that ended it; N: none
    int kinks;                    //
    int iterations, evaluations;  // of the searches before
    // scratch
    int *knot;                    // (N) before each step ...
    tact_real *part;              // ... and how far it is on the way to the next
    tact_real *command;           // (N, nu)
    tact_real *command_bar;       // (N, nu)
    tact_rollout_work rollout;    //
    tact_residual_work residual;  //
    tact_real *gradient;          // (n)
    uint8_t *seen, *seen_before;  // (npair) pairs that were contacts in the last rollout and in the one of the iterate before
    struct tact_lbfgs *lbfgs;     //
    struct tact_ilqr *ilqr;       //
} tact_planner;

// The first member of a task that is not acceptable: "task.horizon", "task.knots" (1 to 1000000), "task.effort", "task.posture"
// (finite, from 0), "model.nu" (nothing is driven), "model.law" (it has no gradients of rollouts), or as tact_residual_check.
tact_fault tact_plan_check(const tact_plan_task *task);

// Bytes that tact_planner_init needs for a task and a method; most: how much of them may go into keeping steps for the pass back
// beyond what is needed.
size_t tact_planner_size(const tact_plan_task *task, tact_plan_method method, size_t most);

// Places the planner in the caller's memory, which must outlive it; start is copied. The task must pass tact_plan_check.
// The plan begins with hold. TACT_NO_MEMORY if size is too small.
tact_status tact_planner_init(tact_planner *planner, const tact_plan_task *task, tact_plan_method method, size_t most,
                              const tact_state *start, void *memory, size_t size);

// Sets the plan to hold: each knot at the command that holds start without a force of its drive, a coordinate, of a drive on a
// sum that less its rest, and 0 of a force.
void tact_planner_hold(tact_planner *planner);

// Sets each knot to the command of its time in commands of so many steps (steps, nu), at least 1, the last one held; clamped to
// the planner's bounds.
void tact_planner_take(tact_planner *planner, const tact_real *command, int steps);

// Sets the knots of joints at random, those of drives on sums of coordinates to hold: each uniform within 0.05 (prismatic joints)
// or 0.5 (other joints, in their units, and forces) of hold, clamped to the bounds. The same numbers for the same seed and
// number.
void tact_planner_scatter(tact_planner *planner, uint64_t seed, uint64_t number);

// f at x (n) and, unless gradient is NULL, its gradient (n). Infinite when a step has no answer.
tact_real tact_planner_value(tact_planner *planner, const tact_real *x, tact_real *gradient);

// The largest of the lengths over the tolerances, of the last evaluation.
tact_real tact_planner_excess(const tact_planner *planner);

// Moves planner->x downhill.
tact_plan_result tact_planner_search(tact_planner *planner, const tact_plan_options *options);

// Whether search a ended better than b, of the same task: with the lower excess, or, where both reached, with the lower value.
// One without an answer is never better.
bool tact_plan_is_better(const tact_plan_result *a, const tact_plan_result *b);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
