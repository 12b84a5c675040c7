// SPDX-License-Identifier: MIT
// The way of a scene's body to its goal as a quadratically constrained problem (tact/trajectory.h), where the scene's motions are
// straight: the dofs that carry the body are to be where its origin is at the goal's position. Hosted.
#ifndef TACT_PASSAGE_H
#define TACT_PASSAGE_H

#include "tact/scene.h"
#include "tact/trajectory.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Ends with tact_passage_close.
typedef struct {
    tact_trajectory_task task;
    tact_trajectory trajectory;   // its problem, for any solver
    tact_qcqp_solution solution;  // after tact_passage_solve
    bool *reach;                  // (nv) of the task
    tact_real *target;            // (nv)
    void *memory[3];
} tact_passage;

// Builds the problem over so many steps; kinematics is scratch. The status and fault of tact_trajectory_build; TACT_BAD_INPUT
// with the fault "goal" where the scene has none, "position" where straight motions do not lead there; TACT_NO_MEMORY.
tact_status tact_passage_open(tact_passage *passage, const tact_scene *scene, int steps, tact_kinematics *kinematics,
                              tact_fault *fault);

// As tact_qcqp_solve, with the solution in memory of its own; TACT_NO_MEMORY.
tact_status tact_passage_solve(tact_passage *passage, const tact_qcqp_options *options);

// Of a solution: moves the state from step k on to the next; work gets the contacts of step k with the forces found, u (nu) the
// forces of the drives.
void tact_passage_step(const tact_passage *passage, int k, tact_state *state, tact_work *work, tact_real *u);

// Frees the memory of the problem and its solution, and sets passage to zero.
void tact_passage_close(tact_passage *passage);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
