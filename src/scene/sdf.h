// SPDX-License-Identifier: MIT
// The signed distance of a closed mesh as the coefficients of a cubic B-spline.
#ifndef TACT_SCENE_SDF_H
#define TACT_SCENE_SDF_H

#include "scene/solid.h"
#include "tact/model.h"

// Starts as {0}; ends with tact_sdf_free.
typedef struct {
    int count[3];
    double low[3], step;  // [m]
    double *value;        // (count) coefficients [m], z fastest
    double unit;          // of fine [m]
    int16_t *fine;        // (count) the same as whole numbers
} tact_sdf;

// Told the share that is done, 0 to 1; false: stop.
typedef bool tact_sdf_tick(void *context, double share);

// count: coefficients along the longest side, TACT_GRID_LEAST to TACT_GRID_MOST; the box is two steps wider than the solid on
// each side. False and one error where the surface goes round a place more than once, or without memory; false alone when
// stopped.
bool tact_sdf_make(tact_sdf *sdf, const tact_solid *solid, int count, const char *name, tact_sdf_tick *tick, void *context,
                   tact_errors *errors);

void tact_sdf_free(tact_sdf *sdf);

#endif
