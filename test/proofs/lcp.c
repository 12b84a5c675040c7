// SPDX-License-Identifier: MIT
// Pivots of linear complementarity: in a dictionary of ORDER rows, each pivot after each other one, the ratio test and the first
// entry of z0; and block pivoting in local arrays, from every set. Any entries.
#include "solve/lcp_dictionary.c"
#include "solve/lcp_small.c"

#include "proofs.h"

enum { ORDER = 2, COLUMNS = ORDER + 1, WIDTH = ORDER + 2 };

static tact_real any(void) {
    return Frama_C_double_interval(-TACT_MAX, TACT_MAX);
}

static void begin(tact_lcp_dictionary *d, tact_real *table, int *index) {
    tact_lcp_work work = {.rows = ORDER, .stride = WIDTH, .table = table, .index = index};
    for (int i = 0; i < ORDER * WIDTH; i++) table[i] = any();
    tact_lcp_dictionary_begin(d, &work, ORDER, ORDER);
}

static void pivot_twice(int first, int second) {
    tact_lcp_dictionary d;
    tact_real table[ORDER * WIDTH];
    int index[3 * (3 * ORDER + 2)];
    begin(&d, table, index);
    tact_lcp_dictionary_pivot(&d, first / COLUMNS, first % COLUMNS);
    tact_lcp_dictionary_pivot(&d, second / COLUMNS, second % COLUMNS);
    for (int column = 0; column < COLUMNS; column++) tact_lcp_dictionary_block(&d, column);
    tact_lcp_dictionary_cover(&d);
}

static void pivot_small(int n, int set) {
    tact_real M[TACT_LCP_SMALL * TACT_LCP_SMALL], q[TACT_LCP_SMALL], z[TACT_LCP_SMALL], w[TACT_LCP_SMALL];
    unsigned char active[TACT_LCP_SMALL];
    tact_lcp_problem problem = {.n = n, .M = M, .q = q};
    tact_lcp_options options = tact_lcp_options_default();
    tact_lcp_solution solution = {.z = z, .w = w, .active = active};
    options.warm = true;
    for (int i = 0; i < n * n; i++) M[i] = any();
    for (int i = 0; i < n; i++) {
        q[i] = any();
        active[i] = set >> i & 1;
    }
    tact_lcp_small(&problem, &options, &solution);
}

void proof(void) {
    for (int first = 0; first < ORDER * COLUMNS; first++)
        for (int second = 0; second < ORDER * COLUMNS; second++) pivot_twice(first, second);
    for (int n = 1; n <= 3; n++)
        for (int set = 0; set < 1 << n; set++) pivot_small(n, set);
}
