// SPDX-License-Identifier: MIT
// The contacts that two shapes may have with each other: the slots of their pair.
#ifndef TACT_CONTACT_PATCH_H
#define TACT_CONTACT_PATCH_H

#include "tact/model.h"

// Whether two shapes touch by the parts of one or both: boxes and hulls each other and planes, cylinders and ellipsoids these and
// each other, grids anything but a ball.
bool tact_is_patch(tact_shape_type a, tact_shape_type b);

// Whether these parts are balls on the surface: of grids, cylinders and ellipsoids against anything but a ball.
bool tact_is_sampled(tact_shape_type a, tact_shape_type b);

// Whether a shape touches others by vertices and edges.
static inline bool tact_has_vertices(tact_shape_type type) {
    return type == TACT_SHAPE_BOX || type == TACT_SHAPE_HULL;
}

// The places at which two shapes of these types touch in space, tact_pair.vertex of each; how many. A capsule has one where it is
// nearest; against shapes with flat or straight parts, on which it can lie, also one at each end, against a plane those only.
int tact_touching_places(tact_shape_type a, tact_shape_type b, int vertex[3]);

// Two shapes, with their parts where they make a patch.
typedef struct {
    tact_pair pair;                    // of the whole shapes
    tact_shape_type type[2];           // types of the two shapes
    const tact_shape_parts *parts[2];  // their parts
    bool distant;                      // forces begin before contact: an edge touches at two places
} tact_patch;

// Number of slots of the pair, and slot k of them: the shapes in contact there, and the place on a capsule.
int tact_patch_slots(const tact_patch *patch);
tact_pair tact_patch_slot(const tact_patch *patch, int k);

#endif
