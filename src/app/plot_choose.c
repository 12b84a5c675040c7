// SPDX-License-Identifier: MIT
// Which curves a chart of tact plot shows. Of pairs those that bear the largest forces, or come closest where none bears any; of
// coordinates, velocities and commands those that change most. The same pairs are in the charts of forces and of gaps.
#include "app/plot_choose.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST ((double)INFINITY)

// The rank of a column: larger ones are drawn first.
static double rank(const tact_series *series, int column, tact_plot_rank by) {
    double low = MOST, high = -MOST;
    for (int i = 0; i < series->count && column >= 0; i++) {
        double x = series->cell[(size_t)i * (size_t)series->columns + (size_t)column];
        if (!(x - x == 0)) continue;  // infinite or no number
        low = fmin(low, x);
        high = fmax(high, x);
    }
    if (low > high) return -MOST;
    switch (by) {
    case TACT_PLOT_LARGEST: return high;
    case TACT_PLOT_LEAST: return -low;
    case TACT_PLOT_RANGE: return high - low;
    }
    return 0;
}

void tact_plot_rank_columns(const tact_series *series, int first, int count, tact_plot_rank by, double *value) {
    for (int k = 0; k < count; k++) value[k] = fmax(value[k], rank(series, first + k, by));
}

// insertion into a list of the largest, equal ones in their order
static int insert(int *shown, int count, int most, const double *value, int k) {
    int at = count;
    while (at > 0 && value[k] > value[shown[at - 1]]) at--;
    if (at == most) return count;
    for (int i = count < most ? count : most - 1; i > at; i--) shown[i] = shown[i - 1];
    shown[at] = k;
    return count < most ? count + 1 : most;
}

int tact_plot_choose(const double *value, const bool *allowed, int count, double above, int most, int *shown, int *left) {
    int n = 0;
    *left = 0;
    for (int k = 0; k < count; k++) {
        if (!allowed[k] || !(value[k] > above)) continue;
        n = insert(shown, n, most, value, k);
        ++*left;
    }
    *left -= n;
    return n;
}

void tact_plot_caption(const char *title, int shown, int left, int idle, const char *what, char *text, size_t size) {
    int used = snprintf(text, size, "%s", title);
    if (left > 0) used += snprintf(text + used, size - (size_t)used, ": the %d %s of %d", shown, what, shown + left);
    if (idle > 0) snprintf(text + used, size - (size_t)used, "%s %d without load", left > 0 ? "," : ":", idle);
}
