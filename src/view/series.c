// SPDX-License-Identifier: MIT
#include "tact/view.h"

#include <string.h>

#include "math/elementary.h"
#include "tact/memory.h"

static bool give_memory(tact_series *series) {
    if (series->memory || series->failed) return !series->failed;
    size_t columns = (size_t)series->columns, cells = TACT_SERIES_ROWS * (columns + 1);
    series->memory = columns < SIZE_MAX / (16 * TACT_SERIES_ROWS) ? tact_memory_get(cells * sizeof(double)) : NULL;
    series->failed = !series->memory;
    series->t = series->memory;
    series->cell = series->failed ? NULL : series->t + TACT_SERIES_ROWS;
    series->every = 1;
    return !series->failed;
}

double *tact_series_add(tact_series *series, double t) {
    if (!give_memory(series)) return NULL;
    // full: every second row stays
    if (series->count == TACT_SERIES_ROWS) {
        size_t bytes = (size_t)series->columns * sizeof(double);
        series->count = TACT_SERIES_ROWS / 2;
        series->every *= 2;
        for (int i = 1; i < series->count; i++) {
            series->t[i] = series->t[2 * i];
            memcpy(series->cell + (size_t)i * (size_t)series->columns, series->cell + (size_t)(2 * i) * (size_t)series->columns,
                   bytes);
        }
    }
    if (series->seen++ % series->every != 0) return NULL;
    double *row = series->cell + (size_t)series->count * (size_t)series->columns;
    series->t[series->count++] = t;
    for (int i = 0; i < series->columns; i++) row[i] = (double)TACT_NAN;
    return row;
}

void tact_series_free(tact_series *series) {
    tact_memory_release(series->memory);
    series->memory = NULL;
    series->count = 0;
}
