// SPDX-License-Identifier: MIT
// Text that is read and written: a growing text, sources with names and lines, numbers that read back to the same double,
// quotations that a terminal may show, and near names. Hosted: uses the heap and reads files.
#ifndef TACT_TEXT_H
#define TACT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "tact/base.h"
#include "tact/errors.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// A growing text: a whole file read safely, or output put together piece by piece. Also the view of a text with its
// name, from which documents are parsed.

// The largest file that is read into memory [bytes].
#define TACT_TEXT_LIMIT 16777216

// Starts as {0}; ends with tact_text_free.
typedef struct {
    char *bytes;      // ended by a NUL that size does not count; NULL while nothing was added
    size_t size;      // [bytes]
    size_t capacity;  // [bytes]
    bool failed;      // there was no memory: what is added from then on is dropped, and the text must not be used
} tact_text;

// Bytes of someone else with the name and line that messages give them.
typedef struct {
    const char *name;
    const char *bytes;
    size_t size;
    int line;  // of the first byte, counted from 1
} tact_source;

// Reads all of a regular file, or of standard input when the path is "-", into an empty text. Directories, pipes,
// sockets and devices are unreadable, as is a file that cannot be opened or read, with the system's reason; what is larger
// than limit bytes is refused without being read. False and one error, and the text is empty.
bool tact_text_read(tact_text *text, const char *path, size_t limit, tact_errors *errors);

// How messages name a path: "<stdin>" for "-", and "" in quotes for an empty one.
const char *tact_text_name(const char *path);

// The text as a source whose first line is 1.
tact_source tact_text_source(const tact_text *text, const char *path);

// Frees the bytes; the text is then empty, and has not failed.
void tact_text_free(tact_text *text);

// Forgets the content and keeps the memory, and the failure.
void tact_text_clear(tact_text *text);

// Makes room for more bytes (and the NUL) behind the text; false when there is no memory.
bool tact_text_reserve(tact_text *text, size_t more);

// The bytes of a string, without its NUL.
void tact_text_add(tact_text *text, const char *string);

// Two strings and a line break.
void tact_text_add_line(tact_text *text, const char *what, const char *name);

// size bytes, which may hold a NUL.
void tact_text_add_bytes(tact_text *text, const char *bytes, size_t size);

// A JSON string with its quotes. Control and hidden characters become escapes, bytes that are no UTF-8 \ufffd.
void tact_text_add_json(tact_text *text, const char *string);

// As tact_number_print; null for what is not finite.
void tact_text_add_number(tact_text *text, double value);

// A whole number in decimal.
void tact_text_add_integer(tact_text *text, long long value);

// Text as its format shows it, with %s for a JSON string (as tact_text_add_json), %-s for a string as it stands, %g for a number
// (as tact_text_add_number), %d, %lld and %zu for integers, and %%; nothing else.
void tact_text_print(tact_text *text, const char *format, ...) TACT_PRINTF(2, 3);

// [x0,x1,...]
void tact_text_add_vector(tact_text *text, const tact_real *x, size_t count);

// Text from a file or a command line, made fit for a message: nothing that a terminal obeys, and of bounded length.

// A quotation by value, to be used within one call: report("unknown key %s", tact_quote(key).text).
typedef struct {
    char text[104];
} tact_quoted;

// "text" in double quotes; control bytes and bytes that are no UTF-8 as \xNN, hidden characters as \uNNNN, a backslash
// before each " and \, and "..." within the quotes for what is too long.
tact_quoted tact_quote(const char *text);

// The same of size bytes, which need not end with a NUL.
tact_quoted tact_quote_bytes(const char *bytes, size_t size);

// The same escapes without the quotes, " and \ left as they are, into out (room > 4 bytes, always ended by NUL,
// "..." for what is too long). Returns the length. To escape twice changes nothing.
size_t tact_quote_escape(char *out, size_t room, const char *bytes, size_t size);

// Decimal numbers to double and back, the same in every locale: reading is correctly rounded, printing reads back to
// the same double.

typedef enum {
    TACT_NUMBER_READ,       // the value is set; what is smaller than the smallest double is 0
    TACT_NUMBER_NOT,        // not a number as a whole ("1.57.", "1,5", "1.5 ", "nan", "0x10")
    TACT_NUMBER_TOO_LARGE,  // would round to infinity (1e999)
} tact_number_status;

// A whole token by the grammar of JSON: no leading +, no 01, no 1. and no .5
tact_number_status tact_number_read(const char *text, size_t size, double *value);

// A whole token as URDF files and command lines write it: also +1, 01, 1. and .5
tact_number_status tact_number_read_loose(const char *text, size_t size, double *value);

// True when the token follows the grammar of JSON; says nothing of its size.
bool tact_number_valid(const char *text, size_t size);

// The next word of a list separated by the white space of XML: moves *text to its first byte and returns its length,
// 0 at the end. The caller steps over the word.
size_t tact_number_word(const char **text);

// The unit of a number's last digit as it is written, 1e-3 of "1.250"; 0 of a zero, or of what is not a number.
double tact_number_unit(const char *text);

// A number in print, by value.
typedef struct {
    char text[32];
} tact_number_text;

// The shortest of %.15g, %.16g, %.17g that reads back to the same double, with a point in every locale and without
// zeros before the exponent (1e-6); "nan", "inf" or "-inf" for what JSON cannot write.
tact_number_text tact_number_print(double value);

// "did you mean": the known name nearest to a misspelt one.

// Starts as {.word = misspelt}; then each known name is tried.
typedef struct {
    const char *word;
    const char *best;  // NULL when no name is near
    int distance;
    char all[88];  // the names tried, as far as there is room, then ...
} tact_nearest;

// A name is near within 2 insertions, deletions or replacements of bytes, letters of either case counting as equal, and
// at most half as many as the longer of the two has bytes. The first of equally near ones stays.
void tact_nearest_try(tact_nearest *nearest, const char *name);

// All of a list that ends with NULL.
void tact_nearest_try_all(tact_nearest *nearest, const char *const *names);

// The end of a message, by value.
typedef struct {
    char text[128];
} tact_hint;

// ' (did you mean "palm"?)', ' (there are: palm, thumb)' where none is near, or nothing.
tact_hint tact_nearest_hint(const tact_nearest *nearest);

// The same for a key.
typedef struct {
    char text[400];
} tact_key_hint;

// For a key of an object or one of a few words: ' (here it is "stiffness")' or where it belongs, for one of other formats, else
// the near one, else the list of the allowed ones, which ends with "..." where it is long.
tact_key_hint tact_nearest_key(const char *word, const char *const *names);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
