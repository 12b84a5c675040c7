// SPDX-License-Identifier: MIT
// Parts of tact convert.
#ifndef TACT_APP_CONVERT_H
#define TACT_APP_CONVERT_H

#include "app/app.h"

// A mesh as a distance grid; the exit code.
int tact_convert_mesh(const tact_call *call);

#endif
