// SPDX-License-Identifier: MIT
// Parts of tact bench.
#ifndef TACT_APP_BENCH_PARTS_H
#define TACT_APP_BENCH_PARTS_H

#include "app/table.h"

// A scene as text, for where no file is at hand: a slide, fingers of four joints that close on one ball, and balls on a table.
// With 5 and 1: 24 dofs, 6 pairs.
void tact_bench_scene(int fingers, int balls, tact_text *out);

// One step from the given state, which is left as it is.
void tact_bench_step(tact_world *world, const tact_state *state, bool warm);

// The same, under a name of its own for counters that are told where to count.
void tact_bench_counted_step(tact_world *world, const tact_state *state, bool warm);

// Sums of a line through log time over log size, by least squares.
typedef struct {
    double n, x, y, xx, xy;
} tact_scaling_fit;

void tact_scaling_add(tact_scaling_fit *fit, double size, double time);

// The slope, with what it is of, as a line.
void tact_scaling_print(const tact_call *call, const tact_scaling_fit *fit, const char *name, const char *of, tact_text *out);

// A pile of spheres in a box, as text; spread: heaps of ten on a floor.
void tact_bench_pile_scene(int bodies, bool rigid, bool spread, tact_text *out);

// The table of piles under one law, with at most `samples` steps a window. The exit code.
int tact_bench_pile(const tact_call *call, bool rigid, bool spread, int samples, tact_text *out);

// tact bench --scaling. The exit code.
int tact_bench_scaling(const tact_call *call, int samples);

// tact bench --mpc. The exit code.
int tact_bench_mpc(const tact_call *call);

// Puts samples in order; their median.
double tact_bench_median(double *sample, int count);

// Where steps begin, and the scratch of their times.
typedef struct {
    const tact_state *from;  // (count)
    int count;
    double *sample;  // (samples) [s]
    int samples;
    bool json;  // rows are printed as lines of JSON
} tact_bench_states;

// tact bench --lanes: a table of widths for steps from these states, cold or warm. False when there is no memory.
bool tact_bench_lanes(tact_world *world, tact_bench_states states, bool warm, tact_text *out);

// A row's first cells: what, and median, least and largest of the samples, which are in order then.
void tact_bench_row(tact_table *table, const char *what, tact_bench_states states);

// Rows of derivatives under the virtual law, and what is to be said below the table. False when there is no memory.
bool tact_bench_virtual(tact_world *world, tact_bench_states states, tact_table *table, tact_text *after);

#endif
