// SPDX-License-Identifier: MIT
// Whether shapes pass through each other that a scene lists no pair of. Hands are often modelled without pairs between their
// fingers, since steps are quick then; a plan in which fingers cross cannot be run on the hand.
#ifndef TACT_APP_THROUGH_H
#define TACT_APP_THROUGH_H

#include "app/stage.h"

typedef struct {
    tact_world world;    // the scene with all pairs; without a scene nothing is looked for
    tact_overlap worst;  // deeper than at the scene's start, of all that was looked at
    tact_real before;    // depth at the start [m]
} tact_through;

// Of the scene that a call was given.
void tact_through_open(tact_through *through, const tact_call *call, const char *path);
void tact_through_close(tact_through *through);

// Looks at coordinates (nq) of the scene.
void tact_through_look(tact_through *through, const tact_real *q);

// Says what was found. listed: the model with the pairs of the scene.
void tact_through_tell(const tact_through *through, const tact_model *listed, const char *command);

#endif
