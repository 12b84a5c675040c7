// SPDX-License-Identifier: MIT
// What a file is by its first bytes, for messages to those who gave a file of another kind.
#ifndef TACT_SCENE_KIND_H
#define TACT_SCENE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "tact/text.h"

// Other: text that may be what was asked for.
typedef enum {
    TACT_KIND_OTHER,
    TACT_KIND_JSON,
    TACT_KIND_URDF,
    TACT_KIND_MJCF,
    TACT_KIND_COLLADA,
    TACT_KIND_SDF,
    TACT_KIND_XML,
    TACT_KIND_HTML,
    TACT_KIND_TRACE,
    TACT_KIND_BATCH,
    TACT_KIND_MANIFEST,
    TACT_KIND_OBJ,
    TACT_KIND_STL,
    TACT_KIND_PLY,
    TACT_KIND_NPY,
    TACT_KIND_MCAP,
    TACT_KIND_ZIP,
    TACT_KIND_GZIP,
    TACT_KIND_UTF16,
    TACT_KIND_BINARY,
    TACT_KIND_ROADMAP,
    TACT_KIND_STEPS  // of a trace
} tact_file_kind;

tact_file_kind tact_kind_of(const char *bytes, size_t size);

// What it is and which command takes it: "a trace of tact run: tact plot, tact view ... take it". Of OTHER and JSON: NULL.
const char *tact_kind_advice(tact_file_kind kind);

// True, and one error, when a text that should be of this sort ("a scene") is of a kind that it cannot be.
bool tact_kind_refuse(tact_source source, const char *wanted, tact_errors *errors);

// The same of a text of lines of JSON, which is not a scene either. own: the key by which a trace or a roadmap is known that may
// stand there ("tact_trace"), or NULL.
bool tact_kind_refuse_lines(tact_source source, const char *wanted, const char *own, tact_errors *errors);

#endif
