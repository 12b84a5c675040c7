// SPDX-License-Identifier: MIT
// Directions in lanes: find_direction of solve/path.c operation by operation.
#ifndef TACT_BATCH_LANE_DIRECTION_H
#define TACT_BATCH_LANE_DIRECTION_H

#include "batch/lane_solve.h"

// What a direction is to achieve, as in solve/path.c: the first is a plain Newton step; the others correct it in the lanes of
// the mask for what the direction before leaves out, and in the other lanes stay what they are. Of these the share is 1.
typedef struct {
    tact_wide along, share;
    tact_mask corrects;
    bool first, ends;
} lane_purpose;

// what a correction takes into account is kept in y
static inline void lane_aim(tact_cone_iterate *cone, lane_purpose to) {
    tact_wide three[3];
    if (to.first) {
        for (int k = 0; k < 3; k++) three[k] = to.share * (cone->nu[k] - cone->s[k]);
        tact_cone_aim(cone, tact_wide_max(cone->tau, to.along), three, cone->aim);
        for (int k = 0; k < 3; k++) cone->dz[k] = cone->aim[k];
        for (int k = 0; k < 3; k++) cone->y[k] = tact_wide_all(0);
        return;
    }
    tact_cone_second_order(cone, three);
    for (int k = 0; k < 3; k++) cone->y[k] = tact_wide_select(to.corrects, three[k], cone->y[k]);
    tact_cone_correct(cone, tact_wide_max(cone->tau, to.along), cone->y);
}

static inline tact_wide lane_bound_aim(tact_bound_iterate *bound, lane_purpose to) {
    if (to.first) bound->y = tact_wide_all(0);
    bound->y = tact_wide_select(to.corrects, bound->ds * bound->dz * bound->over_z, bound->y);
    tact_wide missing = to.share * (bound->nu - bound->s);
    return bound->B * (tact_wide_max(bound->tau, to.along) * bound->over_z - bound->s - bound->y - missing);
}

// The directions, and how far each can be followed; 1, too, where none is to be.
static inline tact_wide lane_direction(tact_lane_solver *solver, lane_purpose to) {
    const tact_barrier_work *layout = solver->layout;
    int n = layout->H.n, ncone = solver->problem->ncone, nbound = solver->problem->nbound;
    tact_envelope L = {.n = n, .first = layout->H.first, .start = layout->H.start, .value = solver->H};
    for (int i = 0; i < n; i++) solver->step[i] = -to.share * solver->g[i];
    for (int j = 0; j < nbound; j++) {
        tact_bound_iterate *bound = &solver->bound[j];
        bound->dz = lane_bound_aim(bound, to);
        solver->step[bound->place] += bound->sign * bound->dz;
    }
    for (int i = 0; i < ncone; i++) {
        lane_aim(&solver->cone[i], to);
        tact_newton_force(&solver->cone[i], tact_columns_of(&solver->cone[i]), solver->step);
    }
    tact_envelope_solve(&L, solver->pivot, solver->step);
    for (int i = 0; i < ncone; i++) {
        tact_cone_iterate *cone = &solver->cone[i];
        tact_newton_expand(cone, tact_columns_of(cone), solver->step);
        for (int k = 0; k < 3; k++) cone->ds[k] += to.share * (cone->nu[k] - cone->s[k]);
    }
    for (int j = 0; j < nbound; j++) {
        tact_bound_iterate *bound = &solver->bound[j];
        tact_wide s = bound->sign * solver->step[bound->place];
        bound->dz -= bound->B * s;
        bound->ds = s + to.share * (bound->nu - bound->s);
    }
    const tact_walk walk = lane_walk(solver);
    return to.ends ? walk_reach(&walk) : tact_wide_all(1);
}

#endif
