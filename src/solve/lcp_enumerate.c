// SPDX-License-Identifier: MIT
// Enumeration of all active sets F: if M_FF is regular, its solution; if it is singular, a vertex of the polyhedron z_F >= 0,
// (M z + q)_F = 0, (M z + q)_N >= 0 by the simplex method. A problem that no set solves is unsolvable.
#include "solve/lcp_dictionary.h"
#include "solve/lu.h"

// Appends the solution z to the list unless it is known.
static void enumerate_append(const tact_lcp_case *c, tact_lcp_list *list) {
    tact_real most = 0;
    // solutions that differ by less than ten tolerances are equal
    for (int i = 0; i < c->n; i++) most = tact_max(most, c->z[i]);
    int known = list->count < list->most ? list->count : list->most;
    for (int k = 0; k < known; k++) {
        const tact_real *z = list->z + (size_t)k * (size_t)c->n;
        bool same = true;
        for (int i = 0; i < c->n; i++) same = same && tact_fabs(z[i] - c->z[i]) <= 10 * TACT_LCP_TOLERANCE * most;
        if (same) return;
    }
    // beyond the room of the list solutions are only counted
    if (list->count < list->most)
        for (int i = 0; i < c->n; i++) list->z[(size_t)list->count * (size_t)c->n + (size_t)i] = c->z[i];
    list->count++;
}

// A cut that requires a weighted sum of the coordinates to be above or below a level, to find another point of the polyhedron.
typedef struct {
    int side;  // 1: above, -1: below, 0: no cut
    tact_real level;
} enumerate_cut;

// Weight of coordinate k in that sum.
static tact_real enumerate_share(int k) {
    // multiples of the golden ratio modulo 1: no small integer combination of the weights vanishes
    tact_real golden = TACT_REAL(0.6180339887498949) * (tact_real)(k + 1);
    return 1 + golden - (tact_real)(int)golden;
}

// Vertex of the polyhedron of a set, in z. Rows, in the equilibrated problem: w_N >= 0, w_F >= 0, -w_F >= 0, and the cut;
// columns z_F. level: the weighted sum of its coordinates.
static tact_lcp_end enumerate_find_corner(tact_lcp_case *c, unsigned mask, enumerate_cut cut, tact_real *level) {
    TACT_ASSERT(c->n <= TACT_LCP_ENUMERATE_MAX);
    tact_lcp_dictionary d;
    tact_real size = 0;
    int n = c->n, m = 0, rows = n, list[TACT_LCP_ENUMERATE_MAX];
    size_t stride = (size_t)c->work->stride;
    tact_lcp_equilibrate(c, &size);
    const tact_real *q = tact_lcp_vector(c->work, 2), *D = tact_lcp_vector(c->work, 1);
    for (int i = 0; i < n; i++)
        if (mask >> i & 1) list[m++] = i;
    // rows n to n + m: -w_F >= 0, so that w_F = 0
    for (int k = 0; k < m; k++, rows++) {
        const tact_real *from = c->work->table + (size_t)list[k] * stride;
        tact_real *to = c->work->table + (size_t)rows * stride;
        for (int j = 0; j < m; j++) to[j] = -from[list[j]];
        to[m] = 1;
        to[m + 1] = -q[list[k]];
    }
    // rows 0 to n: w >= 0, columns of F only
    for (int i = 0; i < n; i++) {
        tact_real *row = c->work->table + (size_t)i * stride;
        for (int j = 0; j < m; j++) row[j] = row[list[j]];
        row[m] = 1;
        row[m + 1] = q[i];
    }
    // the cut: sum above level + clear, or below level - clear
    if (cut.side) {
        tact_real *row = c->work->table + (size_t)rows * stride, clear = tact_sqrt(TACT_LCP_TOLERANCE) * (1 + cut.level);
        for (int k = 0; k < m; k++) row[k] = (tact_real)cut.side * enumerate_share(k);
        row[m] = 1;
        row[m + 1] = -(tact_real)cut.side * cut.level - clear;
    }
    tact_lcp_dictionary_begin(&d, c->work, rows + (cut.side != 0), m);
    rows += cut.side != 0;
    // phase 1 finds a vertex or proves the polyhedron empty
    tact_lcp_end end = tact_lcp_dictionary_descend(&d, 40 * n + 100);
    for (int i = 0; i < n; i++) c->z[i] = 0;
    *level = 0;
    for (int k = 0; k < m; k++) {
        int place = d.place[rows + k];
        tact_real value = place >= 0 ? tact_lcp_dictionary_row(&d, place)[m + 1] : 0;
        *level += enumerate_share(k) * tact_max(value, 0);
        c->z[list[k]] = tact_max(value, 0) * D[list[k]] * size;
    }
    return end;
}

// Whether a singular set has solutions other than those of the level found: then there is a continuum.
static bool enumerate_is_wide(tact_lcp_case *c, unsigned mask, tact_real level) {
    // a solution on either side of the level
    for (int side = -1; side < 2; side += 2) {
        tact_real other = 0;
        tact_lcp_end end = enumerate_find_corner(c, mask, (enumerate_cut){side, level}, &other);
        if (end == TACT_LCP_FOUND && tact_lcp_judge(c)) return true;
    }
    return false;
}

// FOUND: the set has a solution, now in z; ON_RAY: none; STOPPED: undecided. level: of a singular set, otherwise negative.
static tact_lcp_end enumerate_try_set(tact_lcp_case *c, unsigned mask, tact_real *level) {
    int *list = tact_lcp_index(c->work, 3), m = 0;
    tact_lu lu = {.stride = (size_t)c->work->stride, .value = c->work->factor, .order = tact_lcp_index(c->work, 4)};
    // members of F, and M_FF
    for (int i = 0; i < c->n; i++)
        if (mask >> i & 1) list[m++] = i;
    lu.n = m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            lu.value[(size_t)i * lu.stride + (size_t)j] = c->M[(size_t)list[i] * (size_t)c->n + (size_t)list[j]];
    c->pivots++;
    *level = -1;
    // singular set: simplex method
    if (!tact_lu_factor(&lu, 1024 * TACT_EPS, tact_lcp_vector(c->work, 8))) {
        tact_lcp_end end = enumerate_find_corner(c, mask, (enumerate_cut){0, 0}, level);
        // a polyhedron that is a single point may be missed by rounding
        if (tact_lcp_judge(c) && (end == TACT_LCP_FOUND || c->magnification < TACT_LCP_FAR)) return TACT_LCP_FOUND;
        return end == TACT_LCP_FOUND ? TACT_LCP_STOPPED : end;
    }
    // regular set: z_F = -M_FF^-1 q_F
    tact_real *b = tact_lcp_vector(c->work, 8), *x = tact_lcp_vector(c->work, 9), most = 0;
    for (int i = 0; i < m; i++) b[i] = -c->q[list[i]];
    tact_lu_solve(&lu, b, x);
    for (int i = 0; i < m; i++) most = tact_max(most, tact_fabs(x[i]));
    // negative beyond the tolerance: no solution with this set; otherwise polished and judged
    for (int i = 0; i < m; i++)
        if (x[i] < -c->tolerance * most) return TACT_LCP_ON_RAY;
    for (int i = 0; i < c->n; i++) {
        c->z[i] = 0;
        c->active[i] = mask >> i & 1;
    }
    return tact_lcp_polish(c) ? TACT_LCP_FOUND : TACT_LCP_ON_RAY;
}

bool tact_lcp_every(tact_lcp_case *c, tact_lcp_list *list) {
    TACT_ASSERT(list->most == 0 || c->n == 0 || list->z);
    bool sure = true;
    list->count = 0;
    list->continuum = false;
    // all 2^n sets
    for (unsigned mask = 0; mask < 1u << c->n; mask++) {
        tact_real level = -1;
        tact_lcp_end end = enumerate_try_set(c, mask, &level);
        if (end == TACT_LCP_STOPPED) sure = false;
        if (end != TACT_LCP_FOUND) continue;
        enumerate_append(c, list);
        // without a list one solution is enough
        if (list->most == 0) return true;
        list->continuum = list->continuum || (level >= 0 && enumerate_is_wide(c, mask, level));
    }
    return sure;
}

// All solutions, over all active sets. UNSOLVABLE only if every set was decided, otherwise SINGULAR.
tact_status tact_lcp_enumerate(const tact_lcp_problem *problem, tact_lcp_work *work, tact_lcp_list *list) {
    TACT_ASSERT(problem && work && list && problem->n >= 0 && list->most >= 0);
    int n = problem->n;
    TACT_ASSERT(n <= TACT_LCP_ENUMERATE_MAX && n <= work->n && !problem->lo && !problem->hi);
    tact_lcp_case c = {.n = n,
                       .M = problem->M,
                       .q = problem->q,
                       .work = work,
                       .z = tact_lcp_vector(work, 5),
                       .w = tact_lcp_vector(work, 6),
                       .active = work->active,
                       .tolerance = TACT_LCP_TOLERANCE};
    tact_lcp_options options = tact_lcp_options_default();
    if (tact_lcp_check(problem, &options).field) return TACT_BAD_INPUT;
    // the absence of solutions is proven only if every set was decided
    bool sure = tact_lcp_every(&c, list);
    if (list->count > 0) return TACT_CONVERGED;
    return sure ? TACT_UNSOLVABLE : TACT_SINGULAR;
}
