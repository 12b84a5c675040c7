// SPDX-License-Identifier: MIT
// Parts of tact bench.
#ifndef TACT_APP_BENCH_PARTS_H
#define TACT_APP_BENCH_PARTS_H

#include "app/app.h"
#include "scene/scene.h"
#include "scene/text.h"

// A scene as text, for where no file is at hand: a slide, fingers of four joints that close on one ball, and balls on a table.
// With 5 and 1: 24 dofs, 6 pairs.
void tact_bench_scene(int fingers, int balls, tact_text *out);

// One step from the given state, which is left as it is.
void tact_bench_step(tact_world *world, const tact_state *state, bool warm);

// The same, under a name of its own for counters that are told where to count.
void tact_bench_counted_step(tact_world *world, const tact_state *state, bool warm);

// tact bench --scaling. The exit code.
int tact_bench_scaling(const tact_call *call, int samples);

// Where steps begin, and the scratch of their times.
typedef struct {
    const tact_state *from;  // (count)
    int count;
    double *sample;  // (samples) [s]
    int samples;
} tact_bench_states;

// tact bench --lanes: a table of widths for steps from these states, cold or warm. False when there is no memory.
bool tact_bench_lanes(tact_world *world, tact_bench_states states, bool warm, tact_text *out);

#endif
