// SPDX-License-Identifier: MIT
// The barrier problem of as many scenes as there are lanes, all of one pattern.
#ifndef TACT_BATCH_LANE_SOLVE_H
#define TACT_BATCH_LANE_SOLVE_H

#include "batch/lane.h"
#include "solve/walk.h"

typedef struct {
    // the pattern, of the scene that leads it
    const tact_barrier_problem *problem;
    const tact_barrier_work *layout;
    int *column_at;  // (columns) where in J each of the problem's columns belongs, cone by cone
    // the numbers of all lanes
    tact_wide *P;                        // by the problem's skyline
    tact_wide *H, *pivot;                //
    tact_wide *diagonal, *p;             // (n)
    tact_wide *d, *g, *step;             // (n)
    tact_wide *size;                     // (n) of the terms of g
    tact_wide *J;                        // (columns, 3)
    tact_wide *mu;                       // (ncone)
    tact_cone_iterate *cone;             // (ncone)
    tact_bound_iterate *bound;           // (nbound)
    tact_wide extent, pull, aim;         // scales, and the mean target
    tact_wide mean, centrality;          // residuals
    tact_wide miss, gap, balance;        //
    tact_wide before;                    // the centrality before, where the iterate balanced
    tact_wide full;                      // 1: the last step was the whole Newton step
    tact_wide iterations, most;          // done, and allowed
    tact_wide short_steps;               // in a row
    tact_wide tolerance;                 //
    tact_wide active;                    // 1: walks, 0: idle
    tact_lane_scene *scene[TACT_LANES];  // NULL: idle
} tact_lane_solver;

static inline tact_walk lane_walk(const tact_lane_solver *solver) {
    return (tact_walk){solver->problem, solver->layout, solver->P,     solver->diagonal,      solver->p, solver->d, solver->g,
                       solver->step,    solver->cone,   solver->bound, solver->problem->ncone};
}

#endif
