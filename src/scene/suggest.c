// SPDX-License-Identifier: MIT
// The edit distance of Levenshtein by rows, for words so near in length that it can be within the limit.
#include "scene/suggest.h"

#include <stdio.h>
#include <string.h>

#include "scene/quote.h"

#define DISTANCE_MAX 2
#define WORD_MAX 255

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

// both words have at most WORD_MAX bytes
static int distance(const char *a, size_t a_size, const char *b, size_t b_size) {
    int row[WORD_MAX + 1];
    for (size_t j = 0; j <= b_size; j++) row[j] = (int)j;
    for (size_t i = 1; i <= a_size; i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_size; j++) {
            int replace = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            diagonal = row[j];
            row[j] = least(replace, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_size];
}

void tact_nearest_try(tact_nearest *nearest, const char *name) {
    size_t a = strlen(nearest->word), b = strlen(name);
    size_t longer = a > b ? a : b;
    if (longer > WORD_MAX || longer - (a < b ? a : b) > DISTANCE_MAX) return;
    int d = distance(nearest->word, a, name, b);
    if (d > DISTANCE_MAX || 2 * d > (int)longer) return;
    if (nearest->best && d >= nearest->distance) return;
    nearest->best = name;
    nearest->distance = d;
}

void tact_nearest_try_all(tact_nearest *nearest, const char *const *names) {
    for (; *names; names++) tact_nearest_try(nearest, *names);
}

tact_hint tact_nearest_hint(const tact_nearest *nearest) {
    tact_hint hint = {""};
    if (nearest->best) snprintf(hint.text, sizeof hint.text, " (did you mean %s?)", tact_quote(nearest->best).text);
    return hint;
}
