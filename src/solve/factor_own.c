// SPDX-License-Identifier: MIT
#include "solve/skyline.h"

bool tact_skyline_factor(tact_skyline *A, tact_real *pivot) {
    return tact_skyline_eliminate(A, pivot);
}
