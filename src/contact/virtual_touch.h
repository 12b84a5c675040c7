// SPDX-License-Identifier: MIT
// Virtual contacts between shapes that are not smooth unions, by how the first body moves over the second, which rests. With u
// the velocity of the first body's point at x, o its turning, u_n = n.u and u_t = t.u
//
//   dd = u_n ,  dn = (turn[0] u_t + turn[1] o) t ,  dx = u_n/2 n + (slide[0] u_t + slide[1] o) t
//
// and where the second moves, too, all of it goes with it. The same contacts as those of tact_virtual_find, in far fewer numbers.
#ifndef TACT_CONTACT_VIRTUAL_TOUCH_H
#define TACT_CONTACT_VIRTUAL_TOUCH_H

#include "contact/virtual_pair.h"

typedef struct {
    tact_vec2 x, n;
    tact_real d;           // [m]
    tact_real weight;      // as a candidate: the cost phi [m]
    tact_real rank;        // the logarithm of the weight, but for what all of a pair have in common
    tact_real turn[2];     // [1/m], 1
    tact_real slide[2];    // 1, [m]
    tact_real dweight[3];  // by (x, y, angle) of the first body, about its origin
} tact_virtual_touch;

// Whether a pair has such contacts under these options. Sizes are left out.
bool tact_virtual_touches(const tact_planar_shape *a, const tact_planar_shape *b, const tact_virtual_options *options);

// As tact_virtual_find_held.
int tact_virtual_find_touches(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                              const tact_virtual_options *options, const tact_virtual_hold *hold, tact_virtual_touch *out);

// Of two shapes that are not unions, as candidates: corner i of the first against corner j of the second, corner i of side s
// against edge j of the other side, that far from its line, the only contact of a point's pair (false where there may be others),
// the closest pair (false for two half-planes), all of the options' manifold.
void tact_touch_corners(const tact_virtual_pair *pair, int i, int j, tact_virtual_touch *out);
void tact_touch_edge(const tact_virtual_pair *pair, int s, int i, int j, tact_real separation, tact_virtual_touch *out);
bool tact_touch_point(const tact_virtual_pair *pair, tact_virtual_touch *out);
bool tact_touch_closest(const tact_virtual_pair *pair, tact_virtual_touch *out);
int tact_touch_features(const tact_virtual_pair *pair, tact_virtual_touch *out);

#endif
