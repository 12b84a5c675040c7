// SPDX-License-Identifier: MIT
// A scene that is edited and written back: values change where they stand, order, spaces and all else of the text stay. Hosted.
#ifndef TACT_EDIT_H
#define TACT_EDIT_H

#include "tact/scene.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Writes the scene of a file, with the settings worked in ("bodies.cube.mass=0.2", "state.q.slide=0.1", a law), as the file
// output, which may be the same one. Robots, grids and hulls are named so that they are found from there. What is written was
// read as a scene before, and the file appears whole or not at all. False and at least one error where a setting or the scene is
// refused or the file cannot be written: then nothing changed. settings: NULL for none.
bool tact_scene_write(const char *path, const tact_scene_settings *settings, const char *output, tact_errors *errors);

// The parts of it. Works one setting into a text, in place; name: as in messages.
bool tact_scene_change(tact_text *text, const char *setting, const char *name, tact_errors *errors);

// Names the files of robots, grids and hulls in the text of a scene from path so that they are found from where output lies ("-":
// the present folder).
bool tact_scene_move_files(tact_text *text, const char *path, const char *output, tact_errors *errors);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
