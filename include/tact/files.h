// SPDX-License-Identifier: MIT
// Results on their way to a file, and text line by line: what traces, plots and tables are written and read with. Hosted.
#ifndef TACT_FILES_H
#define TACT_FILES_H

#include "tact/npy.h"
#include "tact/text.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Results on their way to a file or to standard output. A file appears only when it is whole: it is written as a temporary
// in the same folder, which takes the name at the end. Nothing is written through a link.

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

// Writes out all that text holds, and empties it. False after a failure, which tact_output_finish reports.
bool tact_output_flush(tact_output *output);

// Gives the file its name before it is whole: what is flushed from then on is there for others, and stays if the process is
// killed. False after a failure, as of tact_output_flush.
bool tact_output_show(tact_output *output);

// Writes the rest and gives the file its name. False and one error when it is not all written: then there is no file, or, if it
// was shown, what of it was written.
bool tact_output_finish(tact_output *output, tact_errors *errors);

// Removes the temporary.
void tact_output_abandon(tact_output *output);

// Bytes that a file beside the output may still take, about; SIZE_MAX when that is not known.
size_t tact_output_free(const tact_output *output);

// A text line by line, however long it is, with memory for one line only.

// Ends with tact_lines_close.
typedef struct {
    const char *name;  // for messages
    int file;          // descriptor
    tact_text text;    // read and not yet given out
    size_t at;         // where in text the next line begins
    int line;          // number of the last line given
    bool ended;        // nothing more to read
} tact_lines;

typedef enum {
    TACT_LINES_LINE,    // one line, without its end; not only of white space
    TACT_LINES_BAD,     // the line is longer than TACT_TEXT_LIMIT: skipped and reported, the next one can be read
    TACT_LINES_END,     //
    TACT_LINES_FAILED,  // reported: the system could not read it, it does not end within another limit, or there is no memory
} tact_lines_status;

// A regular file, or standard input for "-". False and one error as tact_text_read.
bool tact_lines_open(tact_lines *lines, const char *path, tact_errors *errors);

// Before the first line: false after an error when the file is surely of another kind than lines of what is wanted ("lines of
// problems"): a scene, a mesh, a trace unless own is its key "tact_trace" (NULL: none).
bool tact_lines_expect(tact_lines *lines, const char *wanted, const char *own, tact_errors *errors);

// The next line that holds more than white space. Its bytes stay until the next call.
tact_lines_status tact_lines_next(tact_lines *lines, tact_source *line, tact_errors *errors);

// True when a whole line lies ready, so that the next call does not wait.
bool tact_lines_ready(const tact_lines *lines);

// Closes the file and frees the text: lines given out before are no longer valid. Standard input stays open.
void tact_lines_close(tact_lines *lines);

// Arrays as NumPy keeps them, read from their files: .npy, and .npz (a zip archive of these, stored).

// Opens an array of float64, float32, int32 or int16 in C order; false and one error when it is none, or shorter than its shape.
bool tact_npy_open(tact_npy *npy, const char *path, tact_errors *errors);

// Numbers from index at on: 0, or errno when they cannot be read.
int tact_npy_read(const tact_npy *npy, long long at, int count, double *numbers);

// Closes the file of the array.
void tact_npy_close(tact_npy *npy);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
