// SPDX-License-Identifier: MIT
// Steps many scenes of the same structure side by side in the lanes of the processor's vector registers. Each gets the same bits
// as from tact_step, for any width.
#ifndef TACT_LANES_H
#define TACT_LANES_H

#include "tact/sim.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Compilers that can tell warn of an array with fewer than count items, as of the address of a single tact_options.
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 10
#define TACT_LANES_ARRAYS                                                                                               \
    __attribute__((access(read_only, 3, 2), access(read_only, 4, 2), access(read_only, 5, 2), access(read_write, 6, 2), \
                   access(write_only, 7, 2)))
#else
#define TACT_LANES_ARRAYS
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
    void **memory;            // (capacity) of the works ...
    size_t size;              // ... of this size each
} tact_lanes;

// The widths that this machine supports, in ascending order; returns their number, at most 5.
int tact_lanes_widths(int width[5]);

// Bytes that tact_lanes_init needs for scenes of the model's structure. width: one of tact_lanes_widths, or 0 for the widest.
size_t tact_lanes_size(const tact_model *model, int width);

// Places lanes in the caller's memory, which must outlive them; TACT_NO_MEMORY if size is too small. One per thread.
tact_status tact_lanes_init(tact_lanes *lanes, const tact_model *model, int width, void *memory, size_t size);

// Makes one step of each of count scenes. model, options, input, state, status and iterations are arrays of count items, one for
// each scene, even if all scenes have the same options. iterations may be NULL. The models have the law and the structure of the
// one given to tact_lanes_init: the same bodies, joints, drives, limits, shape types and pairs; all other numbers may differ.
// Other laws than the barrier are stepped one after the other. On a negative status a scene's state is untouched.
TACT_LANES_ARRAYS
void tact_lanes_step(tact_lanes *lanes, int count, const tact_model *const *model, const tact_options *options,
                     const tact_input *input, tact_state *state, tact_status *status, int *iterations);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
