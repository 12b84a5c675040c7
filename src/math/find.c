// SPDX-License-Identifier: MIT
#include "math/elementary.h"

// No number is larger than the sum of all, which is there sooner than a comparison of each.
int tact_find_larger(const tact_real *x, int count, tact_real most) {
    tact_real a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 4 <= count; i += 4) {
        a += tact_fabs(x[i]);
        b += tact_fabs(x[i + 1]);
        c += tact_fabs(x[i + 2]);
        d += tact_fabs(x[i + 3]);
    }
    for (; i < count; i++) a += tact_fabs(x[i]);
    // A NaN fails this comparison, too.
    if ((a + c) + (b + d) <= most) return count;
    for (i = 0; i < count && tact_fabs(x[i]) <= most;) i++;
    return i;
}
