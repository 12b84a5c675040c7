// SPDX-License-Identifier: MIT
// A draft as a robot file, for `tact import`.
#ifndef TACT_SCENE_ROBOT_WRITE_H
#define TACT_SCENE_ROBOT_WRITE_H

#include "scene/draft.h"
#include "tact/text.h"

// Appends the bodies, shapes and drives as JSON in their order. What is as it would be without being said is left out, and
// numbers have the fewest digits that read back to the same tact_real. out->failed tells that there was no memory.
void tact_robot_write(const tact_draft *draft, tact_text *out);

#endif
