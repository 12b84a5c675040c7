// SPDX-License-Identifier: MIT
// Names to numbers, in linear time whatever the file says.
#ifndef TACT_SCENE_NAMES_H
#define TACT_SCENE_NAMES_H

#include "tact/draft.h"

typedef struct {
    const char *name;  // NULL: free
    uint32_t size;
    int scope, value;
} tact_name_slot;

// A hash table of names within scopes; its memory is the draft's. Names must outlive it.
typedef struct {
    tact_name_slot *slots;  // (2^bits)
    int bits;
    uint64_t point;
} tact_name_table;

// An empty table for at most so many names. False when there is no memory.
bool tact_name_table_make(tact_name_table *table, tact_draft *draft, int most);

// The value of the same name in the same scope that is already there, or -1 after adding this one.
int tact_name_table_add(tact_name_table *table, int scope, const char *name, size_t size, int value);

// The value of a name, -1 when it is unknown.
int tact_name_table_find(const tact_name_table *table, int scope, const char *name);

// The least value among the names that begin the given one (itself and "" among them), -1 when there is none. lengths:
// which lengths in bytes, up to that of the name, to look for. hit: set to true at each value found.
int tact_name_table_find_begin(const tact_name_table *table, int scope, const char *name, const bool *lengths, bool *hit);

#endif
