// SPDX-License-Identifier: MIT
// Which curves a chart shows when there are too many to tell apart.
#ifndef TACT_APP_PLOT_CHOOSE_H
#define TACT_APP_PLOT_CHOOSE_H

#include "tact/tact.h"

typedef enum {
    TACT_PLOT_LARGEST,  // by the largest value
    TACT_PLOT_LEAST,    // by the least one
    TACT_PLOT_RANGE,    // by the change
} tact_plot_rank;

// Raises the value of each of count columns to what it is ranked by in this series, -infinity where it has no number.
void tact_plot_rank_columns(const tact_series *series, int first, int count, tact_plot_rank by, double *value);

// Of those that are allowed and ranked above a value, at most so many, the largest first. *left: how many more there are.
int tact_plot_choose(const double *value, const bool *allowed, int count, double above, int most, int *shown, int *left);

// "normal force [N]: the 8 strongest of 12, 40 without load"
void tact_plot_caption(const char *title, int shown, int left, int idle, const char *what, char *text, size_t size);

#endif
