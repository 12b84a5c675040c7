// SPDX-License-Identifier: MIT
// Curves are thinned by a corridor: a point is left out where the straight line to a later one passes within TOLERANCE.
#include "tact/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 0.2  // [pixel]
#define DECADES 8      // of a logarithmic axis: what is less, is rounding
#define LEGEND_LETTERS 30
#define COLUMN_LETTERS 21
#define COLUMN_APART 158

typedef struct {
    double low, high;
} span;

typedef struct {
    const tact_chart *chart;
    span t, y;
} axes;

static void widen(span *range, double x) {
    if (!(x - x == 0)) return;
    if (x < range->low) range->low = x;
    if (x > range->high) range->high = x;
}

// Widens a range to at least a millionth of its values, so that it is not empty; an invalid one becomes [0, 1].
static span settle(span range) {
    if (!(range.low <= range.high)) return (span){0, 1};
    double size = range.high > -range.low ? range.high : -range.low;
    double least = size > 0 ? size * 1e-6 : 1;
    if (range.high - range.low > least) return range;
    double middle = (range.low + range.high) / 2;
    return (span){middle - least, middle + least};
}

static double place_t(const axes *on, double t) {
    return on->chart->x + (t - on->t.low) / (on->t.high - on->t.low) * on->chart->width;
}

static double place_y(const axes *on, double y) {
    if (on->chart->decades) y = fmax(log10(y), on->y.low);
    return on->chart->y + (on->y.high - y) / (on->y.high - on->y.low) * on->chart->height;
}

bool tact_chart_spans_decades(const tact_curve *curve, int count) {
    TACT_ASSERT(count >= 0);
    span range = {1e300, -1e300};
    // what is not finite does not widen it
    for (int k = 0; k < count; k++)
        for (int i = 0; i < curve[k].count; i++) widen(&range, curve[k].y[(size_t)i * curve[k].stride]);
    return range.low > 0 && range.high >= 100 * range.low;
}

// Draws the grid lines and labels of one axis at round numbers.
static void draw_ticks(const axes *on, bool vertical, tact_text *out) {
    const tact_chart *chart = on->chart;
    span range = vertical ? on->y : on->t;
    // A label every 34 pixels upwards, every 70 across, at round numbers.
    double pixels = vertical ? chart->height / 34 : chart->width / 70;
    tact_round_step step = tact_round_step_above((range.high - range.low) / (pixels > 2 ? pixels : 2));
    bool decades = vertical && chart->decades;
    // powers of ten only
    if (decades && step.value < 1) step = (tact_round_step){1, 0, 1};
    double ratio = (range.low - 1e-9 * step.value) / step.value;
    long long whole = (long long)ratio;
    long long first = ((double)whole > ratio ? whole - 1 : whole) + 1;
    for (long long k = first; k < first + 50 && (double)k * step.value <= range.high + 1e-9 * step.value; k++) {
        double value = (double)k * step.value;
        tact_decimal text = tact_decimal_print(k * step.digits, step.exponent);
        if (decades) snprintf(text.text, sizeof text.text, "1e%d", (int)value);
        if (vertical) {
            double y = place_y(on, decades ? pow(10, value) : value);
            tact_svg_line(out, k == 0 && !decades ? "zero" : "grid", chart->x, y, chart->x + chart->width, y);
            tact_svg_label(out, "small soft", "end", chart->x - 6, y + 4, text.text);
        } else {
            double x = place_t(on, value);
            tact_svg_line(out, "grid", x, chart->y, x, chart->y + chart->height);
            if (chart->time) tact_svg_label(out, "small soft", "middle", x, chart->y + chart->height + 15, text.text);
        }
    }
}

// A curve on its way out: the corridor of slopes from the last point that is written.
typedef struct {
    tact_text *out;
    bool begun, waiting;  // within a piece; a point after the last written one waits
    double x, y;          // written
    double next_x, next_y;
    double low, high;  // slopes
} plotter;

static void write_point(plotter *pen, double x, double y) {
    tact_text_add(pen->out, pen->begun ? "" : "M");
    tact_svg_add_point(pen->out, x, y);
    pen->begun = true;
    pen->waiting = false;
    pen->x = x;
    pen->y = y;
    pen->low = -1e300;
    pen->high = 1e300;
}

static void lift(plotter *pen) {
    if (pen->waiting) write_point(pen, pen->next_x, pen->next_y);
    pen->begun = false;
}

// Takes the next point of a curve; it is written only where the corridor of the points before does not hold it.
static void move_to(plotter *pen, double x, double y) {
    if (!pen->begun) {
        write_point(pen, x, y);
        return;
    }
    // Cone of slopes: points that one line meets within the tolerance are left out.
    double run = x - pen->x;
    double slope = run > 0 ? (y - pen->y) / run : 0;
    bool within = run > 0 && slope >= pen->low && slope <= pen->high;
    if (pen->waiting && !within) write_point(pen, pen->next_x, pen->next_y);
    run = x - pen->x;
    if (run > 0) {
        double low = (y - TOLERANCE - pen->y) / run, high = (y + TOLERANCE - pen->y) / run;
        if (low > pen->low) pen->low = low;
        if (high < pen->high) pen->high = high;
    }
    pen->waiting = true;
    pen->next_x = x;
    pen->next_y = y;
}

static void add_class(const tact_curve *curve, tact_text *out) {
    static const char *const dashes[] = {"", "5 3", "2 2", "8 3 2 3"};
    char class[40];
    snprintf(class, sizeof class, "class=\"curve c%d\" ", curve->colour % TACT_SVG_COLOURS);
    tact_text_add(out, class);
    if (curve->dash % 4 > 0)
        tact_svg_add_all(out, (const char *const[]){"stroke-dasharray=\"", dashes[curve->dash % 4], "\" ", NULL});
}

// A name that is too long loses its middle: names differ at their ends.
static void add_middle_short(tact_text *out, const char *name, int most) {
    int letters = 0;
    const char *end = name + strlen(name);
    for (const char *c = name; *c; c++) letters += (*c & 0xc0) != 0x80;
    if (letters > most) tact_svg_add_short(out, name, most - 1 - most / 2);
    // the second half, from the first byte of a letter
    for (int k = 0; k < most / 2 && letters > most; k++) do
            end--;
        while ((*end & 0xc0) == 0x80);
    tact_svg_add_escaped(out, letters > most ? end : name);
}

static void draw_legend(const tact_chart *chart, tact_text *out) {
    double x = chart->x + chart->width + 14, y = chart->y + 9;
    int named = chart->named < chart->legend ? chart->named : chart->legend;
    if (chart->column) y = chart->y + chart->height + (chart->time && chart->time[0] ? 46 : 31);
    for (int k = 0; k < named; k++, y += chart->column && k % 2 ? 0 : TACT_CHART_LINE) {
        if (chart->column) x = 8 + k % 2 * COLUMN_APART;
        tact_text_add(out, "<path ");
        add_class(&chart->curve[k], out);
        tact_text_add(out, "d=\"M");
        tact_svg_add_point(out, x, y - 4);
        tact_svg_add_point(out, x + 20, y - 4);
        tact_text_add(out, "\"/><text class=\"small ink\" ");
        tact_svg_add_attribute(out, "x", x + 26);
        tact_svg_add_attribute(out, "y", y);
        tact_text_add(out, ">");
        add_middle_short(out, chart->curve[k].name, chart->column ? COLUMN_LETTERS : LEGEND_LETTERS);
        tact_text_add(out, "</text>\n");
    }
    // curves beyond the longest legend are counted
    char more[40];
    snprintf(more, sizeof more, "and %d more", chart->named - named);
    if (chart->named > named) tact_svg_label(out, "small soft", "start", x, y, more);
}

void tact_chart_draw(const tact_chart *chart, tact_text *out) {
    TACT_ASSERT(chart && out);
    axes on = {chart, {1e300, -1e300}, {1e300, -1e300}};
    for (int k = 0; k < chart->ncurve; k++) {
        const tact_curve *curve = &chart->curve[k];
        for (int i = 0; i < curve->count; i++) {
            widen(&on.t, curve->t[i]);
            double y = curve->y[(size_t)i * curve->stride];
            widen(&on.y, chart->decades ? log10(y) : y);
        }
    }
    bool from_zero = chart->from_zero && !chart->decades;
    if (from_zero && on.y.low <= on.y.high) widen(&on.y, 0);
    if (chart->decades && on.y.low < on.y.high - DECADES) on.y.low = on.y.high - DECADES;
    on.t = settle(on.t);
    on.y = settle(on.y);
    // Air above and below, but none below zero.
    double air = 0.06 * (on.y.high - on.y.low);
    if (!from_zero || on.y.low < 0) on.y.low -= air;
    if (!from_zero || on.y.high > 0) on.y.high += air;
    tact_svg_label(out, chart->column ? "small ink" : "ink", "start", chart->column ? 8 : chart->x, chart->y - 7, chart->title);
    draw_ticks(&on, false, out);
    draw_ticks(&on, true, out);
    for (int k = 0; k < chart->ncurve; k++) {
        const tact_curve *curve = &chart->curve[k];
        plotter pen = {.out = out};
        tact_text_add(out, "<path ");
        add_class(curve, out);
        tact_text_add(out, "d=\"");
        for (int i = 0; i < curve->count; i++) {
            // A number that is not finite interrupts the curve.
            double y = curve->y[(size_t)i * curve->stride];
            if (y - y == 0 && curve->t[i] - curve->t[i] == 0)
                move_to(&pen, place_t(&on, curve->t[i]), place_y(&on, y));
            else
                lift(&pen);
        }
        lift(&pen);
        tact_text_add(out, "\"><title>");
        tact_svg_add_escaped(out, curve->name);
        tact_text_add(out, "</title></path>\n");
    }
    tact_text_add(out, "<rect class=\"box\" ");
    tact_svg_add_attribute(out, "x", chart->x);
    tact_svg_add_attribute(out, "y", chart->y);
    tact_svg_add_attribute(out, "width", chart->width);
    tact_svg_add_attribute(out, "height", chart->height);
    tact_text_add(out, "/>\n");
    if (chart->time) {
        tact_svg_label(out, "small soft", "middle", chart->x + chart->width / 2, chart->y + chart->height + 31, chart->time);
    }
    draw_legend(chart, out);
}
