// SPDX-License-Identifier: MIT
// What the lanes' driver and the lane kernels, compiled once per width, know of each other.
#ifndef TACT_BATCH_LANE_H
#define TACT_BATCH_LANE_H

#include "tact/lanes.h"

// A scene while it is stepped.
struct tact_lane_scene {
    const tact_model *model;
    const tact_input *input;
    tact_state *state;
    tact_work *work;
    tact_options options;  // in force
    bool warm;             // the forces to start from are in the work
    bool plain;            // all its unknowns are stiff: see tact_newton_alike
    bool valid;            // its input is acceptable
    bool grouped;          // it belongs to a pattern
    bool open;             // not answered yet
};

// One thing done in lanes of one width, with memory of its own from the arena.
typedef struct tact_lane_kernel {
    int width;
    void *(*place)(const tact_model *model, tact_arena *arena);
    void (*run)(void *memory, tact_lane_scene *const *scene, int count);
} tact_lane_kernel;

// Assembles the problems of at most as many scenes as there are lanes.
extern const tact_lane_kernel tact_lane_front_1, tact_lane_front_2, tact_lane_front_4, tact_lane_front_8, tact_lane_front_16;

// Answers those of the scenes, all of one pattern, that come to their end in the ordinary way; the rest stay open.
extern const tact_lane_kernel tact_lane_solve_1, tact_lane_solve_2, tact_lane_solve_4, tact_lane_solve_8, tact_lane_solve_16;

// The name of a kernel in files that are compiled once per width.
#define TACT_LANE_NAME(name, lanes) TACT_LANE_PASTE(name, lanes)
#define TACT_LANE_PASTE(name, lanes) name##lanes

// Those that the Makefile has compiled.
#if defined(__x86_64__) && defined(TACT_FLOAT)
#define TACT_LANE_WIDTHS(name) &name##1, &name##4, &name##8, &name##16
#elif defined(__x86_64__)
#define TACT_LANE_WIDTHS(name) &name##1, &name##2, &name##4, &name##8
#elif defined(TACT_FLOAT)
#define TACT_LANE_WIDTHS(name) &name##1, &name##4
#else
#define TACT_LANE_WIDTHS(name) &name##1, &name##2
#endif

#endif
