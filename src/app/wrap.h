// SPDX-License-Identifier: MIT
// Help texts in lines of at most TACT_WRAP_WIDTH columns.
#ifndef TACT_APP_WRAP_H
#define TACT_APP_WRAP_H

#include "tact/tact.h"

enum { TACT_WRAP_WIDTH = 100 };

// Adds a text to out: paragraphs at the left margin are filled, other lines broken where they are too long, and go on below
// their last column.
void tact_wrap(const char *text, tact_text *out);

// The same to standard output, and frees the text; the exit code.
int tact_print_wrapped(tact_text *text);

#endif
