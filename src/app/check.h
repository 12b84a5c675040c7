// SPDX-License-Identifier: MIT
// What tact check says of a scene in words.
#ifndef TACT_APP_CHECK_H
#define TACT_APP_CHECK_H

#include "app/stage.h"

void tact_check_explain(const tact_scene *scene, tact_text *out);

#endif
