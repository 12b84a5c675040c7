// SPDX-License-Identifier: MIT
// Which pairs of shapes come near, of all those that a model's search allows.
#ifndef TACT_CONTACT_SEARCH_H
#define TACT_CONTACT_SEARCH_H

#include "tact/contact.h"

// Two opposite corners of a box along the world's axes.
typedef struct {
    tact_vec3 low, high;
} tact_bounds;

// A search, and the step's model: the model given with the pairs found behind the listed ones.
typedef struct {
    tact_model view;       //
    tact_search rest;      // its search: what room is left
    tact_pair *pair;       // of view, as the next two
    int *column;           //
    int *column_start;     //
    uint64_t *key;         // (most) of the pairs found, ascending; UINT64_MAX
    int count;             // how many there are, also where there is no room for them
    tact_real *way;        // (nv) how far each dof may go, in the solver's order
    tact_real *reach;      // (nshape) how far around each shape it looks for others [m]
    tact_bounds *bounds;   // (nshape) of what lies within reach
    tact_bounds *node;     // (2 leaves) of a binary tree: node i has the children 2 i, 2 i + 1
    int leaves;            // a power of two
    uint64_t *code;        // (nshape) along a curve that fills space, with the shape
    uint64_t *spare;       // scratch of sorting
    int *endless;          // (nshape) shapes without bounds ...
    int nendless, nbound;  // ... how many, and how many with bounds
} tact_search_work;

void tact_search_place(tact_search_work *found, const tact_model *model, tact_arena *arena);

// Fills key, count, pair, column, column_start and what view has of them; the shapes lie where contacts->shape says. False
// where there is no room for all pairs.
bool tact_search_pairs(tact_search_work *found, const tact_model *model, const tact_pose *shape);

// The places at which two shapes of these types touch in space, tact_pair.vertex of each; how many. A capsule has one where it is
// nearest; against shapes with flat or straight parts, on which it can lie, also one at each end, against a plane those only.
int tact_touching_places(tact_shape_type a, tact_shape_type b, int vertex[3]);

// Key of a pair found: the lower shape, the higher one, and which of their places.
static inline uint64_t tact_search_key(int low, int high, int place) {
    return (uint64_t)low << 33 | (uint64_t)high << 2 | (uint64_t)place;
}

#endif
