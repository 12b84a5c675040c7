// SPDX-License-Identifier: MIT
// Files that come with the command: the page of the viewer, and the scenes.
#ifndef TACT_APP_SHIPPED_H
#define TACT_APP_SHIPPED_H

#include <stdbool.h>
#include <stddef.h>

enum { TACT_SHIPPED_PATH = 4096 };

// The path of a place that is given from the folder of the running command; false where it has no room.
bool tact_shipped_place(const char *place, char path[TACT_SHIPPED_PATH]);

// The scene of that name, hand_lift or hand_lift.json, of the checkout where the command was built or of its installation; false
// where the name is that of a file or a path, or there is no such scene.
bool tact_shipped_scene(const char *name, char path[TACT_SHIPPED_PATH]);

// True when there is no file of this name, and a near one is among those that lie beside it or among the scenes that come along:
// then that has been said.
bool tact_shipped_suggest(const char *name);

#endif
