// SPDX-License-Identifier: MIT
// What a scene says rightly and its writer surely did not mean: the parts of tact_scene_suspect.
#ifndef TACT_SCENE_SUSPECT_H
#define TACT_SCENE_SUSPECT_H

#include "scene/build.h"

// A warning; under strict an error.
void tact_scene_suspect_tell(const tact_scene_build *build, const tact_draft_mark *mark, const char *key, const char *text);

// Lengths, masses and angles in other units; false without memory.
bool tact_scene_suspect_sizes(tact_scene_build *build);

// What changes nothing: options of other laws, --set mu where each pair has its own.
void tact_scene_suspect_idle(const tact_scene_build *build);

#endif
