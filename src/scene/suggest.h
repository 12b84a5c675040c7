// SPDX-License-Identifier: MIT
// "did you mean": the known name nearest to a misspelt one.
#ifndef TACT_SCENE_SUGGEST_H
#define TACT_SCENE_SUGGEST_H

// Starts as {.word = misspelt}; then each known name is tried.
typedef struct {
    const char *word;
    const char *best;  // NULL when no name is near
    int distance;
} tact_nearest;

// A name is near within 2 insertions, deletions or replacements of bytes, letters of either case counting as equal, and
// at most half as many as the longer of the two has bytes. The first of equally near ones stays.
void tact_nearest_try(tact_nearest *nearest, const char *name);

// All of a list that ends with NULL.
void tact_nearest_try_all(tact_nearest *nearest, const char *const *names);

// The end of a message, by value: ' (did you mean "palm"?)' or nothing.
typedef struct {
    char text[128];
} tact_hint;

tact_hint tact_nearest_hint(const tact_nearest *nearest);

// The same for a key of an object or one of a few words: ' (here it is "stiffness")' for a word of other formats, else the near
// one, else the list of the allowed ones, which ends with "..." where it is long.
typedef struct {
    char text[400];
} tact_key_hint;

tact_key_hint tact_nearest_key(const char *word, const char *const *names);

#endif
