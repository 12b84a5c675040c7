// SPDX-License-Identifier: MIT
// URDF: robot descriptions in XML, read into the same lists as robot files.
#ifndef TACT_SCENE_URDF_H
#define TACT_SCENE_URDF_H

#include "scene/draft.h"

// Appends the links as bodies, the collision geometry as shapes and nothing else to the draft, in the order of the file,
// with the file's own names (no prefix) and robot left alone. False when it is refused or memory is out: then the draft's
// errors have at least one more. path is opened as it is, and messages name it so.
bool tact_urdf_read(tact_draft *draft, const char *path);

#endif
