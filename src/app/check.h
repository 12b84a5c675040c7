// SPDX-License-Identifier: MIT
// What tact check says of a scene in words.
#ifndef TACT_APP_CHECK_H
#define TACT_APP_CHECK_H

#include "app/stage.h"

typedef struct {
    const tact_scene *scene;
    int digits;  // of numbers, 0: 3
} tact_choices;

void tact_check_explain(const tact_choices *of, tact_text *out);

#endif
