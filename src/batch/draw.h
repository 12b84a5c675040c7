// SPDX-License-Identifier: MIT
// Random parameters of environments, by counter: a value depends on the seed, the environment and the parameter only, so that
// any environment is the same alone, in any order and on any machine.
#ifndef TACT_BATCH_DRAW_H
#define TACT_BATCH_DRAW_H

#include <stdint.h>

#include "tact/base.h"

typedef enum {
    TACT_DRAW_UNIFORM,      // a to b
    TACT_DRAW_NORMAL,       // mean a, standard deviation b
    TACT_DRAW_LOG_UNIFORM,  // a to b, both above 0: uniform in the logarithm
    TACT_DRAW_CHOICE,       // one of a list, equally likely
} tact_draw_kind;

typedef struct {
    const char *path;  // in the scene, as --set takes it
    int node;          // of the path in the document of the spec
    tact_draw_kind kind;
    tact_real a, b;
    int nchoice;
    tact_real *value;   // (nchoice) numbers; of other words their index
    const char **word;  // (nchoice) as JSON; NULL for numbers
} tact_draw;

// The value of an environment; of a choice *index is which.
tact_real tact_draw_value(const tact_draw *draw, uint64_t seed, uint64_t environment, int parameter, int *index);

#endif
