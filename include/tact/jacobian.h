// SPDX-License-Identifier: MIT
// Derivatives of a whole run of a scene: of the final state and forces by the initial state and by a constant shift of all
// commands of a dof. If the scene's command is hold, commands follow the coordinates, and the matrices include that. x is that of
// tact/record.h.
#ifndef TACT_JACOBIAN_H
#define TACT_JACOBIAN_H

#include "tact/record.h"
#include "tact/scene.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    tact_status status;       // of the step that failed, else the worst
    int steps;                // made; the last of them failed when status is negative
    int kinks;                // steps whose derivative is one-sided
    bool redundant;           // the last step's forces are not unique
    int nc;                   // contacts of the last step
    int *pair;                // (nc) their pairs
    tact_jacobians matrices;  // A (nx, nx), B (nx, nu), C (3 nc, nx), D (3 nc, nu) unless status is negative
    void *memory;
} tact_run_jacobian;

// Progress: called with the number of steps done, forward and back; may be NULL.
typedef void tact_run_report(void *context, int done);

// Makes the steps from the world's state, which is then that before the first step or after the last. False if memory is short.
// Free the result with tact_run_jacobian_free. tact_linear_refuse must accept the model.
bool tact_run_jacobian_make(tact_run_jacobian *run, tact_world *world, int steps, bool frozen, tact_run_report *report,
                            void *context);

// Frees the matrices and sets run to zero.
void tact_run_jacobian_free(tact_run_jacobian *run);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
