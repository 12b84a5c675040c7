// SPDX-License-Identifier: MIT
// Writing SVG: pictures that hold no script and no link, are readable on light and dark ground, and are the same bytes on
// every machine: coordinates are rounded to a hundredth of a pixel and printed as whole numbers are.
#ifndef TACT_VIEW_SVG_H
#define TACT_VIEW_SVG_H

#include "tact/math.h"
#include "tact/text.h"

#define TACT_SVG_COLOURS 8  // classes c0 to c7 (lines) and k0 to k7 (areas)

// What is read aloud for the picture comes from title and description; both are escaped.
void tact_svg_begin(tact_text *out, int width, int height, const char *title, const char *description);
void tact_svg_end(tact_text *out);

// Text as content or within quotes: < > & " ' and what XML forbids become harmless.
void tact_svg_add_escaped(tact_text *out, const char *text);

// The same of at most so many characters, with … in place of the rest.
void tact_svg_add_short(tact_text *out, const char *text, int most);

// A coordinate.
void tact_svg_add_pixel(tact_text *out, double x);

// All of a list: strings, ended by NULL.
void tact_svg_add_all(tact_text *out, const char *const *pieces);

// x,y and a blank
void tact_svg_add_point(tact_text *out, double x, double y);

// key="x"
void tact_svg_add_attribute(tact_text *out, const char *key, double x);

void tact_svg_line(tact_text *out, const char *class, double x0, double y0, double x1, double y1);

// anchor: start, middle or end.
void tact_svg_label(tact_text *out, const char *class, const char *anchor, double x, double y, const char *text);

// digits 10^exponent, exactly: 250, 0.025, 25e-8
typedef struct {
    char text[40];
} tact_decimal;
tact_decimal tact_decimal_print(long long digits, int exponent);

// A step of 1, 2 or 5 times a power of ten, at least the length given (> 0, finite): digits 10^exponent.
typedef struct {
    int digits, exponent;
    double value;
} tact_round_step;
tact_round_step tact_round_step_above(double least);

#endif
