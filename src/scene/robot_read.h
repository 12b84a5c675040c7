// SPDX-License-Identifier: MIT
// A robot description in XML, of whichever kind.
#ifndef TACT_SCENE_ROBOT_READ_H
#define TACT_SCENE_ROBOT_READ_H

#include "scene/draft.h"

// URDF or MJCF, decided by the root element: scene/urdf.h, scene/mjcf.h. path is opened as it is, and messages name it so.
bool tact_robot_read(tact_draft *draft, const char *path);

#endif
