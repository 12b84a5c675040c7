// SPDX-License-Identifier: MIT
#ifndef TACT_APP_GRAD_RIGID_H
#define TACT_APP_GRAD_RIGID_H

#include "tact/scene.h"

// tact grad of the last of so many steps of the rigid law; the exit code.
int tact_grad_rigid(tact_world *world, long long steps);

#endif
