// SPDX-License-Identifier: MIT
// Grasp search: commands by which a hand above an object opens its fingers, moves down, closes the fingers and lifts the object.
// Hosted.
//
// A grasp is a vector p: the displacement of the hand along x, y and z and its rotation about z before it closes, and the
// coordinates to which each finger's command opens and closes. A rollout gives its cost: the missing part of the lift, the
// object's tilt and slip in the hand, and its displacement as the fingers close. The cross-entropy method (Rubinstein 1999)
// minimises it: p ~ N(mean, diag s^2), and the best eighth of the candidates are the mean and s of the next round.
#ifndef TACT_GRASP_H
#define TACT_GRASP_H

#include "tact/worlds.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Knots of the commands: the start, fingers open, hand lowered, fingers closed, object lifted, end.
enum { TACT_GRASP_KNOTS = 6, TACT_GRASP_ROUNDS = 24 };
extern const double tact_grasp_times[TACT_GRASP_KNOTS];  // [s]

// The best candidate of a round.
typedef struct {
    int round;     // from 1 on, of TACT_GRASP_ROUNDS
    int lifted;    // how many candidates lifted the object, under the worlds' friction and steps
    double rise;   // greatest rise of the object [m]
    double press;  // force with which the closed fingers press it [N]
    double firm;   // force that would certainly hold it [N]
} tact_grasp_round;

typedef struct {
    int base[6];   // commands that move the hand along three axes and turn it about three
    double above;  // height of the hand above the support of the object [m]
    double lift;   // wanted rise of the object [m]
    double size;   // of the object, at the narrowest [m]
    int seed;
    bool (*accept)(void *context, const tact_real *u);             // decides whether commands are accepted
    bool (*report)(void *context, const tact_grasp_round *round);  // NULL; false ends the search
    void *context;
} tact_grasp_options;

// The object is the last body of the worlds' scene, on a free joint. Each world is a candidate; there must be at least
// twice as many as commands. They are stepped from the scene's start and left at their last state. accept is called for the best
// candidates of each round that lift the object; u (TACT_GRASP_KNOTS, nu) gets the accepted commands. TACT_UNDECIDED if report
// ended the search; TACT_NO_MEMORY.
tact_status tact_grasp_find(tact_worlds *worlds, const tact_grasp_options *options, tact_real *u, bool *found);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
