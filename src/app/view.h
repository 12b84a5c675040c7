// SPDX-License-Identifier: MIT
// What tact view puts into the page: a JSON document in a block that browsers do not run.
#ifndef TACT_APP_VIEW_H
#define TACT_APP_VIEW_H

#include "app/stage.h"

// A JSON string in which no < can end the block that holds it.
void tact_view_add_safe(tact_text *out, const char *string);

// {"scene":..,"files":{..},..,"meshes":{..}}, or with a recorded run {"trace":..} before that, where there is a scene. The exit
// code, after saying what is wrong.
int tact_view_add_scene(const tact_call *call, const char *path, tact_text *out);
int tact_view_add_trace(const tact_call *call, const char *path, tact_text *out);

#endif
