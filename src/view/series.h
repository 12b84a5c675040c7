// SPDX-License-Identifier: MIT
// Numbers over time in limited memory: when the table is full every second row goes, and only every second one enters.
#ifndef TACT_VIEW_SERIES_H
#define TACT_VIEW_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#define TACT_SERIES_ROWS 2048

// Starts as {.columns = ...}; ends with tact_series_free.
typedef struct {
    int columns, count;
    double *t;     // (count) [s]
    double *cell;  // (count, columns)
    long long seen, every;
    bool failed;  // there was no memory
    void *memory;
} tact_series;

// A row for the time t, all NaN, to be filled; NULL when this row is not kept.
double *tact_series_add(tact_series *series, double t);
void tact_series_free(tact_series *series);

#endif
