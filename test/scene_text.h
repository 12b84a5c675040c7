// SPDX-License-Identifier: MIT
// The text of a scene, written piece by piece.
#ifndef TACT_TEST_SCENE_TEXT_H
#define TACT_TEST_SCENE_TEXT_H

#include <stdarg.h>
#include <stdio.h>

static char text[1 << 17];
static size_t used;

static inline void put(const char *format, ...) {
    va_list list;
    va_start(list, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, list);
    va_end(list);
}

#endif
