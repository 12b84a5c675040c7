// SPDX-License-Identifier: MIT
// Which pairs of shapes come near, of all those that a model's search allows.
#ifndef TACT_CONTACT_SEARCH_H
#define TACT_CONTACT_SEARCH_H

#include "contact/patch.h"
#include "tact/contact.h"

// Two opposite corners of a box along the world's axes.
typedef struct {
    tact_vec3 low, high;
} tact_bounds;

// A search, and the step's model: the model given with the pairs found behind the listed ones.
typedef struct {
    tact_model view;       // the model with the pairs found behind the listed ones
    tact_search rest;      // its search: what room is left
    tact_pair *pair;       // of view, as the next two
    int *column;           // its columns
    int *column_start;     // where those of each pair begin
    uint64_t *key;         // (most) of the pairs found, ascending; UINT64_MAX
    int count;             // how many there are, also where there is no room for them
    tact_real *way;        // (nv) how far each dof may go, in the solver's order
    tact_real *reach;      // (nshape) how far around each shape it looks for others [m]
    tact_bounds *own;      // (nwhole) of each shape in its frame
    tact_bounds *bounds;   // (nwhole) of what lies within reach
    tact_bounds *node;     // (2 leaves) of a binary tree: node i has the children 2 i, 2 i + 1
    int leaves;            // a power of two
    uint64_t *code;        // (nwhole) along a curve that fills space, with the shape
    uint64_t *spare;       // scratch of sorting
    int *endless;          // (nwhole) shapes without bounds ...
    int nendless, nbound;  // ... how many, and how many with bounds
} tact_search_work;

void tact_search_place(tact_search_work *found, const tact_model *model, tact_arena *arena);

// Fills key, count, pair, column, column_start and what view has of them; the shapes lie where contacts->shape says. False
// where there is no room for all pairs.
bool tact_search_pairs(tact_search_work *found, const tact_model *model, const tact_pose *shape);

// Key of a pair found: the lower of the whole shapes, the higher one, and which slot of them. At most 2^26 shapes, 2^12 slots.
enum { TACT_SEARCH_SLOTS = 4096 };

static inline uint64_t tact_search_key(int low, int high, int slot) {
    return (uint64_t)low << 38 | (uint64_t)high << 12 | (uint64_t)slot;
}

// The whole shapes of a key.
static inline int tact_search_low(uint64_t key) {
    return (int)(key >> 38);
}
static inline int tact_search_high(uint64_t key) {
    return (int)(key >> 12 & (((uint64_t)1 << 26) - 1));
}

// The slots of two shapes that are looked for, low < high, with the search's friction.
tact_patch tact_search_patch(const tact_model *model, int low, int high);

#endif
