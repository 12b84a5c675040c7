// SPDX-License-Identifier: MIT
// Many scenes of one structure, stepped side by side in the lanes of the processor's vector registers. Each gets the bits that
// tact_step would give it, whatever the width.
#ifndef TACT_LANES_H
#define TACT_LANES_H

#include "tact/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tact_lane_scene tact_lane_scene;

typedef struct {
    int width;     // lanes
    int capacity;  // scenes stepped at a time
    const struct tact_lane_kernel *front, *solve;
    void *front_memory, *solve_memory;
    tact_lane_scene *scene;   // (capacity)
    tact_lane_scene **group;  // (capacity) those of one pattern
    tact_work *work;          // (capacity)
} tact_lanes;

// The widths that this machine can run, widest last; returns how many, at most 5.
int tact_lanes_widths(int width[5]);

// Memory in bytes, and its placement, for scenes of the model's structure. width: one of tact_lanes_widths, or 0 for the widest.
size_t tact_lanes_size(const tact_model *model, int width);
tact_status tact_lanes_init(tact_lanes *lanes, const tact_model *model, int width, void *memory, size_t size);

// One step of each of count scenes. Their models have the structure of the one given to tact_lanes_init: the same bodies, joints,
// drives, limits, shape types and pairs; all other numbers may differ. Other laws than the barrier are stepped one after the
// other. status and iterations (count): of each, iterations may be NULL. On a negative status a scene's state is untouched.
void tact_lanes_step(tact_lanes *lanes, int count, const tact_model *const *model, const tact_options *options,
                     const tact_input *input, tact_state *state, tact_status *status, int *iterations);

#ifdef __cplusplus
}
#endif

#endif
