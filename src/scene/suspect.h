// SPDX-License-Identifier: MIT
// What a scene says rightly and its writer surely did not mean: the parts of tact_scene_suspect.
#ifndef TACT_SCENE_SUSPECT_H
#define TACT_SCENE_SUSPECT_H

#include <math.h>

#include "scene/build.h"

static inline double tact_scene_norm(const tact_real x[3]) {
    return sqrt((double)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
}

static inline double tact_scene_longest(const tact_real *x, int count) {
    double most = 0;
    for (int k = 0; k < count; k++) most = fmax(most, fabs((double)x[k]));
    return most;
}

// tact_shape_radius [m], 0 of a plane.
double tact_scene_shape_size(const tact_draft_shape *shape);

// Of tact_scene_swapped_turn: the order that is read, and the turn in the other one.
#define TACT_SCENE_TILTED "half a turn about a tilted axis: the order is %s; in the order x, y, z, w it were a turn of %s degrees"

// Tells of an angle that it is more than a turn, or two for a limit; key: rpy or limits, NULL for a number of its own.
void tact_draft_doubt_angle(const tact_draft *draft, const tact_draft_mark *mark, const char *key, double angle, bool limit);

// Lengths and angles in other units, with the largest length that the scene names, which masses and inertias are compared with;
// false without memory.
bool tact_scene_suspect_sizes(tact_scene_build *build, double *extent);
bool tact_scene_suspect_masses(tact_scene_build *build, double extent);

// An object of the scene's own, whose shapes are all of it; links may have a tip only.
bool tact_scene_is_object(const tact_scene_build *build, int body);

// Objects that nothing can touch, fall past a plane or along it, or rest far above what bears them; false without memory.
bool tact_scene_suspect_rest(tact_scene_build *build);

// What changes nothing: options of other laws, --set mu where each pair has its own.
void tact_scene_suspect_idle(const tact_scene_build *build);

#endif
