// SPDX-License-Identifier: MIT
// Pairs of which neither shape is a ball: a capsule touches with the ball on its segment that is nearest to the other shape, or
// with the one at an end.
#ifndef TACT_CONTACT_BALL_H
#define TACT_CONTACT_BALL_H

#include "tact/contact.h"

#include "geom/shapes.h"

typedef struct {
    bool of_b;               // the ball is b's
    tact_vec3 centre;        // world
    tact_real radius;        // [m]
    tact_vec3 axis;          // of the segment: unit, world
    bool slides;             // the centre is within the segment, and moves along it as the shapes move
    bool crosses;            // it has sunk in: across an edge of the other shape where it slides, else out of a face
    tact_vec3 edge;          // unit, world
    tact_real apart;         // the segment and that edge
    tact_distance distance;  // of the centre from the other shape, in the frame of that
    bool between;            // not where the segment is nearest but at one of the two places that move smoothly: see segment.c
    int side;                // of these: the one towards the end -1 or 1
    tact_real along;         // t, -1 to 1
    tact_real length;        // half the segment's
} tact_pair_ball;

static inline bool tact_pair_has_ball(const tact_model *model, const tact_pair *pair) {
    return TACT_BALLS_ONLY || tact_shape_is_ball(model->shape[pair->a].type) || tact_shape_is_ball(model->shape[pair->b].type);
}

// With the poses of both shapes in the world.
tact_pair_ball tact_pair_find_ball(const tact_model *model, const tact_pair *pair, const tact_pose *a, const tact_pose *b);

// A lower bound of the gaps of all contacts of such a pair, at the cost of one distance. bound: of each shape's bounding ball
// about its origin.
tact_real tact_pair_least_gap(const tact_model *model, const tact_pair *pair, const tact_pose *a, const tact_pose *b,
                              const tact_real *bound);

// Gap, nearest points and degeneracy of such a pair, and its normal.
tact_vec3 tact_pair_find_nearest(const tact_model *model, const tact_pair *pair, const tact_pose *a, const tact_pose *b,
                                 tact_contact *contact);

#endif
