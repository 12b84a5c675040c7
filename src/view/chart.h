// SPDX-License-Identifier: MIT
// Charts of curves against time, with 1-2-5 ticks and a legend.
#ifndef TACT_VIEW_CHART_H
#define TACT_VIEW_CHART_H

#include "view/svg.h"

// Values of one thing at all times; NaN where there is none, which interrupts the curve.
typedef struct {
    const char *name;
    const double *t, *y;  // (count)
    int count;
    size_t stride;  // of y, in numbers
    int colour;     // from 0, taken round
    int dash;       // 0: solid
} tact_curve;

typedef struct {
    double x, y, width, height;  // of the frame [pixel]
    const char *title;
    const char *time;  // words below the axis; NULL: no labels there
    const tact_curve *curve;
    int ncurve;
    int legend;      // curves that are named at the right, 0 for none; how many more there are is said
    bool from_zero;  // the range holds 0
} tact_chart;

void tact_chart_draw(const tact_chart *chart, tact_text *out);

#endif
