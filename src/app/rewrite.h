// SPDX-License-Identifier: MIT
// A scene's text with other commands in it.
#ifndef TACT_APP_REWRITE_H
#define TACT_APP_REWRITE_H

#include "app/app.h"

// Adds to out the text of the call's scene with --set and --law worked in and the trajectory as its command. The files of robots
// and grids are named so that they are found from where --output lies ("-": the present folder). False and one error when that
// cannot be.
bool tact_scene_rewrite(const tact_call *call, tact_source source, const tact_scene *scene, const tact_command *command,
                        tact_text *out, tact_errors *errors);

// A trajectory as the value of the key "command".
void tact_scene_add_command(const tact_scene *scene, const tact_command *command, tact_text *out);

#endif
