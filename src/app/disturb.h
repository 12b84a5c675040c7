// SPDX-License-Identifier: MIT
// A plant that differs from what a controller knows: the mass and size of a body, and friction.
#ifndef TACT_APP_DISTURB_H
#define TACT_APP_DISTURB_H

#include "tact/tact.h"

// Factors of the plant's values; all 1: none differs.
typedef struct {
    int body;            // whose mass and size they are; TACT_WORLD: no body's
    tact_real mass;      // of its mass, and of its inertia likewise
    tact_real size;      // of its shapes and their places; its inertia goes with the square
    tact_real friction;  // of all pairs
} tact_disturbance;

bool tact_disturbance_any(const tact_disturbance *disturbance);

// The model takes changed copies of its bodies, shapes, hulls, points and pairs, which lie in the memory that is returned and is
// to be released after the scene. NULL: out of memory.
void *tact_disturb(tact_scene *scene, const tact_disturbance *disturbance);

// Raises the coordinates q (nq) of a free body against gravity until it stands clear of what is under it; still: of that only
// which no joint moves.
void tact_disturb_raise(const tact_scene *scene, tact_work *work, int body, bool still, tact_real *q);

#endif
