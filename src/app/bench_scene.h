// SPDX-License-Identifier: MIT
// A hand to measure with where no scene file is at hand.
#ifndef TACT_APP_BENCH_SCENE_H
#define TACT_APP_BENCH_SCENE_H

#include "scene/text.h"

// A scene as text: a slide, five fingers of four joints and a ball on a table; 24 dofs, 6 pairs.
void tact_bench_scene(tact_text *out);

#endif
