// SPDX-License-Identifier: MIT
// Reading traces for the command: as tact_trace_open and tact_trace_next, with all messages and their kinds.
#ifndef TACT_TRACE_READ_H
#define TACT_TRACE_READ_H

#include "scene/json.h"
#include "tact/trace.h"

tact_trace_reader *tact_trace_reader_open(const char *path, tact_errors *errors);
int tact_trace_reader_next(tact_trace_reader *reader, tact_errors *errors);

// The first line as a document; it belongs to the reader. What is reported while reading it goes to errors of its own.
const tact_json *tact_trace_reader_json(tact_trace_reader *reader, tact_errors *errors);

#endif
