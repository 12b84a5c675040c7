// SPDX-License-Identifier: MIT
// What the command says on standard error, how its output ends, and what an interrupt does.
#ifndef TACT_APP_CONSOLE_H
#define TACT_APP_CONSOLE_H

#include "tact/tact.h"

// Before anything else. An interrupt removes the temporary of the guarded output and ends the process with 128 + signal; a
// closed pipe or a file too large is an error of the write; standard descriptors that the caller closed become unusable
// ones, so that no file takes their place.
void tact_console_begin(void);

// From now on the first interrupt only sets the number that tact_console_signal returns (0: none yet), so that work can end in
// order; the second ends the process. With false: as after tact_console_begin.
void tact_console_catch(bool wanted);
int tact_console_signal(void);

// tact: ...; control characters are escaped. What is wrong begins "error: " or "warning: ", after the command's name.
void tact_say(const char *format, ...) TACT_PRINTF(1, 2);

// PLACE: error: reason, or PLACE: warning: reason, without the end of the line.
void tact_say_message(const tact_error *message);

// All messages that were kept; returns the exit code that they mean.
int tact_say_errors(const tact_errors *errors);

// Which warnings of robot descriptions are reported without --verbose: none; by commands that look at a robot first how it is
// read; by those that take it in what it gives, too.
typedef enum { TACT_TELL_NONE, TACT_TELL_READ, TACT_TELL_GIVEN } tact_telling;
void tact_console_descriptions(tact_telling telling);

// Writes the text to standard output and frees it. Returns code, or the exit code of a failure after saying it.
int tact_print_text(tact_text *text, int code);

// The same, or to standard error where standard output is taken.
int tact_print_summary(tact_text *text, bool to_stderr, int code);

// Writes the text to a file or, without a path, to standard output, and frees it; the exit code.
int tact_write_text(tact_text *text, const char *path);

// Finishes standard output likewise.
int tact_print_finish(tact_output *output, int code);

// As tact_output_open, finish and abandon; in between an interrupt removes the temporary. One output at a time.
bool tact_guard_open(tact_output *output, const char *path, tact_errors *errors);
bool tact_guard_show(tact_output *output);
bool tact_guard_finish(tact_output *output, tact_errors *errors);
void tact_guard_abandon(tact_output *output);

// Seconds since some moment; never goes back.
double tact_clock(void);

// Processor time of this thread [s].
double tact_clock_processor(void);

// A bar on standard error while that is a terminal; else, where `what` is set, a line every few seconds: "tact: WHAT 3 of 24".
typedef struct {
    bool shown;
    const char *what;
    double begin, last;  // [s]
    long long total;
} tact_progress;

void tact_progress_begin(tact_progress *progress, long long total, bool wanted);
void tact_progress_show(tact_progress *progress, long long done);
void tact_progress_end(tact_progress *progress);

#endif
