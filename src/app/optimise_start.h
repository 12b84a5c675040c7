// SPDX-License-Identifier: MIT
// Commands from a file, with which a plan begins: JSON Lines, a command of all driven dofs each, [..] or {"u": [..]}; a trace,
// too.
#ifndef TACT_APP_OPTIMISE_START_H
#define TACT_APP_OPTIMISE_START_H

#include "app/app.h"

// Sets the plan to them. The exit code, after saying what is wrong.
int tact_optimise_read_start(tact_scene_plan *plan, const char *path);

#endif
