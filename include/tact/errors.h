// SPDX-License-Identifier: MIT
// What was found wrong with an input: at most 20 messages of the form FILE:LINE:COL: /json/path: reason, kept without any
// allocation, the first error always among them; and files, read without the surprises of the system.
#ifndef TACT_ERRORS_H
#define TACT_ERRORS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// What was found wrong with the input: at most 20 messages of the form FILE:LINE:COL: /json/path: reason, kept without
// any allocation, the first error always among them.

#define TACT_ERRORS_MAX 20
#define TACT_ERROR_LENGTH 1280

// The compiler checks the arguments of functions that format like printf.
#if defined(__GNUC__)
#define TACT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TACT_PRINTF(text, first)
#endif

typedef enum {
    TACT_ERROR_WARNING,     // the input is used all the same
    TACT_ERROR_REFUSED,     // the input is wrong; exit code 2
    TACT_ERROR_UNREADABLE,  // the system could not read it; exit code 3
    TACT_ERROR_NO_MEMORY,   // exit code 5
} tact_error_kind;

// Where; what is unknown stays 0 and is left out.
typedef struct {
    const char *file;
    int line, column;         // counted from 1, columns in characters
    const char *path;         // JSON Pointer, "/" for the whole document
    bool noise, left, given;  // see tact_error
} tact_place;

typedef struct {
    tact_error_kind kind;
    char text[TACT_ERROR_LENGTH];  // one line without its end, safe to show in a terminal
    int file;                      // [bytes] of the text that name the file
    int reason;                    // [bytes] before the reason; of a warning before the word "warning: "
    bool noise;                    // a warning of a robot description: told as one line for each file
    bool left;                     // what was left out of one: told in full by the commands that look at a robot first
    bool given;                    // what one gives is odd and taken as it is: told by import and new only
    int more;                      // of noise: such warnings of the same file that were not kept
} tact_error;

// Starts as {0}, or with the first two set.
typedef struct {
    bool strict;                        // what a robot description has wrong is refused also where it could be read
    bool verbose;                       // tell each warning of it in a line of its own
    int errors, warnings;               // reported in all, kept or not
    tact_error_kind kind;               // of the first error, or no memory when that came up at all
    int kept;                           // messages in items
    tact_error items[TACT_ERRORS_MAX];  // in the order of their reports
} tact_errors;

// Formats and keeps one message. When there is no place left an error takes that of the last warning, or is only
// counted. Numbers go through tact_number_print and text of the input through tact_quote, not %g and "%s".
void tact_errors_add(tact_errors *errors, tact_error_kind kind, tact_place place, const char *format, ...) TACT_PRINTF(4, 5);

// The same with the arguments of the format as a va_list.
void tact_errors_add_list(tact_errors *errors, tact_error_kind kind, tact_place place, const char *format, va_list arguments)
    TACT_PRINTF(4, 0);

// Why not, in words: what the system says of an errno, or what is wrong with a value.
typedef struct {
    char text[192];
} tact_reason;

// The words of the system for an errno; "error N" for a number that it does not know.
tact_reason tact_reason_print(int code);

// True when a further message of this kind would only be counted: then its search and wording may be left out.
bool tact_errors_full(const tact_errors *errors, tact_error_kind kind);

// The exit code of the command: 0 without errors (warnings do not count), else 2, 3 or 5.
int tact_errors_exit(const tact_errors *errors);

// Files and standard input, read without the surprises of the system.

// One error with the system's reason, of the kind unreadable, or no memory. Returns false. name: as in messages
bool tact_file_refuse(const char *name, int reason, tact_errors *errors);

// A descriptor of a regular file, or of standard input when the path is "-"; -1 after one error. Directories, pipes, sockets and
// devices cannot be read, and are not waited for.
int tact_file_open(const char *path, tact_errors *errors);

// Closes a descriptor of tact_file_open; standard input, and -1, are left alone.
void tact_file_close(int file);

// Bytes read, waiting where the descriptor does not: 0 at the end, -1 after one error.
ptrdiff_t tact_file_read(int file, const char *name, char *bytes, size_t size, tact_errors *errors);

// All bytes from a place of the file on: 0, or errno; -1 when the file ends before.
int tact_file_read_at(int file, size_t at, void *bytes, size_t size);

// True when both paths lead to the same regular file, or folder.
bool tact_file_same(const char *a, const char *b);

// Whether there is a folder of this path.
bool tact_file_is_folder(const char *path);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
