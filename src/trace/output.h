// SPDX-License-Identifier: MIT
// Results on their way to a file or to standard output. A file appears only when it is whole: it is written as a temporary
// in the same folder, which takes the name at the end. Nothing is written through a link.
#ifndef TACT_TRACE_OUTPUT_H
#define TACT_TRACE_OUTPUT_H

#include "scene/text.h"

// Ends with tact_output_finish or tact_output_abandon. What is to be written is added to text.
typedef struct {
    tact_text text;    // not yet written
    const char *name;  // for messages
    char *memory;      // owns path and temporary; NULL for standard output and devices, which are written at once
    char *path, *temporary;
    int file;    // descriptor
    int reason;  // errno of the first write that failed, 0 for none: what is added from then on is dropped
} tact_output;

// Opens a path, "-" being standard output. False and one error, of the kind unreadable or no memory, when it cannot be
// written: a folder, a link to a file, no permission ...
bool tact_output_open(tact_output *output, const char *path, tact_errors *errors);

// Writes out what text holds, once there is much of it, or now. False after a failure, which tact_output_finish reports.
bool tact_output_spill(tact_output *output);
bool tact_output_flush(tact_output *output);

// Writes the rest and gives the file its name. False and one error when it is not all written: then there is no file.
bool tact_output_finish(tact_output *output, tact_errors *errors);

// Removes the temporary.
void tact_output_abandon(tact_output *output);

// Bytes that a file beside the output may still take, about; SIZE_MAX when that is not known.
size_t tact_output_free(const tact_output *output);

#endif
