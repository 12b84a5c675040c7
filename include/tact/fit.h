// SPDX-License-Identifier: MIT
// Parameters fitted to a recorded run. From each recorded state one step is predicted and compared with the next one:
//
//     r_k = q_{k+1} (-) step(q_k, u_k; t) ,   min over x = log t  sum |r_k|^2 ,   dr_k/dx = -t dq+/dt
//
// by Gauss-Newton steps with Levenberg's damping; logarithms keep the parameters positive. Under any law that has the derivatives
// (tact_linear_has); a contact that always sticks does not determine its friction.
#ifndef TACT_FIT_H
#define TACT_FIT_H

#include "tact/record.h"
#include "tact/scene.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum { TACT_FIT_MOST = 16 };

// Starts as {0}; ends with tact_fit_free.
typedef struct {
    const tact_scene *scene;
    int count;                                // parameters: friction of pairs, mass of bodies
    tact_parameter parameter[TACT_FIT_MOST];  //
    double value[TACT_FIT_MOST];              // start, then result
    double error[TACT_FIT_MOST];              // standard error of the value, if the residuals are independent noise
    tact_model model;                         // the scene's with the values in it:
    tact_body *body;                          // (nbody)
    tact_pair *pair;                          // (npair)
    tact_state before, after;                 //
    tact_work work;                           //
    tact_linear linear;                       //
    void *work_memory;                        //
    size_t work_size;                         //
    tact_kinematics kinematics;               //
    tact_wrench *wrench;                      // (nbody)
    tact_real *residual, *column;             // (nv), (count and one, nv)
    tact_real *record;                        // states and commands one behind the other
    size_t size, room;                        // numbers in it
    int steps;                                // of which the next one is known, too
    void *memory;
} tact_fit;

// Begins a fit at the scene's values, which must be > 0. False if memory is short.
bool tact_fit_make(tact_fit *fit, const tact_scene *scene, const tact_parameter *parameter, int count);

// Frees the records and the scratch, and sets fit to zero; also after a tact_fit_make that failed.
void tact_fit_free(tact_fit *fit);

// Adds a step of a recorded run: the state before it, its command, and the coordinates after it (nq), which are copied. False if
// memory is short.
bool tact_fit_add(tact_fit *fit, const tact_state *before, const tact_real *u, const tact_real *q_next);

// One iteration or the start.
typedef struct {
    int iteration;
    double residual;  // root of the mean square of a step's error, |r|
    double change;    // largest change of a parameter, relative
    const double *value;
} tact_fit_progress;

typedef struct {
    // TACT_CONVERGED: the parameters do not change any more. TACT_STATIONARY: no step reduces the error, to rounding.
    // TACT_ITERATION_LIMIT. TACT_SINGULAR: the run does not determine the parameter free. Other negative: of a step.
    tact_status status;
    int iterations;
    double residual;
    int free;  // which parameter; of a step without answer: which step
} tact_fit_result;

typedef void tact_fit_report(void *context, const tact_fit_progress *progress);

// Minimises the mean square of the recorded steps' errors over the parameters by Levenberg-Marquardt, at most iteration_limit
// iterations. report (not NULL) is called before each one, and once more where the limit ends them. fit->value has the best
// values, fit->error their standard errors (INFINITY if unknown).
tact_fit_result tact_fit_solve(tact_fit *fit, int iteration_limit, tact_fit_report *report, void *context);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
