// SPDX-License-Identifier: MIT
// How a hand that hangs over an object picks it up: commands that open the fingers, lower the hand, close the fingers and lift.
// Hosted.
//
// A grasp is a vector p of numbers: how far the hand moves along x, y and z and turns about z before it closes, and to which
// coordinate each finger's command opens and closes. Its cost is judged by a rollout: how much of the way up the object misses,
// how far it tips and slips in the hand, how far closing the fingers pushes it. The cross-entropy method (Rubinstein 1999) seeks
// the least: p ~ N(mean, diag s^2), and the best eighth of the candidates are the mean and s of the next round.
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
    double rise;   // how far the object rose at its highest [m]
    double press;  // with how much force closed fingers press it between them [N]
    double firm;   // the force that would hold it surely [N]
} tact_grasp_round;

typedef struct {
    int base[6];   // commands that move the hand along three axes and turn it about three
    double above;  // how far the hand is above what the object lies on [m]
    double lift;   // how far the object shall rise [m]
    double size;   // of the object, at the narrowest [m]
    int seed;
    bool (*accept)(void *context, const tact_real *u);             // whether commands are what is sought: the last word
    bool (*report)(void *context, const tact_grasp_round *round);  // NULL; false ends the search
    void *context;
} tact_grasp_options;

// The object is the last body of the worlds' scene, on a free joint. The worlds, of which each is a candidate, are to be at least
// twice as many as commands; they are stepped on from the scene's start and left where they end. accept is asked about the best
// of each round that lift the object there; u (TACT_GRASP_KNOTS, nu) has the commands that it took. TACT_UNDECIDED where report
// ended it; TACT_NO_MEMORY.
tact_status tact_grasp_find(tact_worlds *worlds, const tact_grasp_options *options, tact_real *u, bool *found);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
