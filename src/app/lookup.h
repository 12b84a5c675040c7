// SPDX-License-Identifier: MIT
// Names of a model's things in lines of JSON, and coordinates given by them.
#ifndef TACT_APP_LOOKUP_H
#define TACT_APP_LOOKUP_H

#include "tact/tact.h"

typedef struct {
    const char *name;
    int index;
} tact_lookup_entry;

// Sorted by name. Starts as {0}; ends with tact_lookup_free. The names must outlive it.
typedef struct {
    tact_lookup_entry *entries;
    int count;
} tact_lookup;

// False when there is no memory.
bool tact_lookup_make(tact_lookup *lookup, const char *const *names, int count);
void tact_lookup_free(tact_lookup *lookup);

// -1 when there is none.
int tact_lookup_find(const tact_lookup *lookup, const char *name);

// Reports at a node that a name is none of these: no joint "plam" (did you mean "palm"?).
void tact_lookup_refuse(const tact_lookup *lookup, const tact_json *json, int node, const char *kind, const char *name);

// Reads q: an array of all coordinates in their order, or an object of some by the names of their joints, a joint with several
// having an array. Quaternions are normalised. False after a report.
bool tact_lookup_coordinates(const tact_lookup *joints, const tact_model *model, const tact_json *json, int node, tact_real *q);

#endif
