// SPDX-License-Identifier: MIT
// Reduction of problems with bounds to plain ones. z_i = lo_i + x_i, or hi_i - x_i without a lower bound. With both bounds, a
// multiplier v_i of the upper one is added: x_i is complementary to w_i + v_i, and v_i to hi_i - lo_i - x_i. Free unknowns are
// eliminated with their equations w_i = 0 by pivoting, diagonal entries before others; free unknowns without a pivot are split,
// x_i = x+ - x-. Where lo_i = hi_i there is no unknown.
#include "solve/lcp.h"

enum { PLAIN, FLIPPED, BOXED, FREE, FIXED };

static tact_real low_of(const tact_lcp_problem *p, int i) {
    return p->lo ? p->lo[i] : 0;
}
static tact_real high_of(const tact_lcp_problem *p, int i) {
    return p->hi ? p->hi[i] : TACT_MAX;
}
static int kind_of(const tact_lcp_problem *p, int i) {
    bool low = low_of(p, i) > -TACT_MAX, high = high_of(p, i) < TACT_MAX;
    if (low && high) return low_of(p, i) < high_of(p, i) ? BOXED : FIXED;
    return low ? PLAIN : high ? FLIPPED : FREE;
}

// The matrix S M S of size n by n + 1, with q + M base as last column and signs S.
typedef struct {
    int n;
    size_t stride;
    tact_real *value;
    int *row, *column;    // (n) 1 while not eliminated
    int *first, *second;  // (n) pivots in order: rows and columns
    int count;
} bounds_elimination;

// View of the elimination's matrix and lists in the work's memory.
static bounds_elimination bounds_place(const tact_lcp_problem *p, tact_lcp_work *work) {
    bounds_elimination e = {.n = p->n,
                            .stride = (size_t)work->stride,
                            .value = work->eliminated,
                            .row = work->reduction,
                            .column = work->reduction + p->n,
                            .first = work->reduction + 2 * p->n,
                            .second = work->reduction + 3 * p->n};
    return e;
}

static void bounds_fill(const tact_lcp_problem *p, bounds_elimination *e) {
    int n = p->n;
    // Base: where x_i = 0 stands, at the lower bound, or at the upper one of what has no lower.
    for (int i = 0; i < n; i++) {
        const tact_real *from = p->M + (size_t)i * (size_t)n;
        tact_real *to = e->value + (size_t)i * e->stride, sign = kind_of(p, i) == FLIPPED ? -1 : 1, sum = p->q[i];
        for (int j = 0; j < n; j++) {
            int kind = kind_of(p, j);
            tact_real base = kind == FREE ? 0 : kind == FLIPPED ? high_of(p, j) : low_of(p, j);
            to[j] = kind_of(p, j) == FLIPPED ? -sign * from[j] : sign * from[j];
            if (base != 0) sum += from[j] * base;
        }
        // Sign of the row and of the column turn z = hi - x into x.
        to[n] = sign * sum;
        e->row[i] = e->column[i] = 1;
    }
}

// the largest entry among free rows and columns; one on the diagonal counts ten times
static bool bounds_find_pivot(const tact_lcp_problem *p, const bounds_elimination *e, tact_real least, int *row, int *column) {
    TACT_ASSERT(e->n == p->n);
    tact_real most = 0;
    for (int i = 0; i < e->n; i++) {
        if (!e->row[i] || kind_of(p, i) != FREE) continue;
        for (int j = 0; j < e->n; j++) {
            tact_real size = tact_fabs(e->value[(size_t)i * e->stride + (size_t)j]);
            if (!e->column[j] || kind_of(p, j) != FREE || !(size > least)) continue;
            // A diagonal pivot keeps the matrix symmetric; it may be ten times smaller than another.
            if (i == j) size *= 10;
            if (size > most) most = size, *row = i, *column = j;
        }
    }
    return most > 0;
}

// Gauss-Jordan elimination of the free unknowns with their equations, as far as there are pivots; first and second list the
// pivots' rows and columns.
static void bounds_eliminate(const tact_lcp_problem *p, bounds_elimination *e) {
    int row = 0, column = 0;
    // Pivots below 256 eps of the largest entry are none.
    tact_real large = 0;
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j < e->n && kind_of(p, i) == FREE; j++)
            if (kind_of(p, j) == FREE) large = tact_max(large, tact_fabs(e->value[(size_t)i * e->stride + (size_t)j]));
    e->count = 0;
    // Gauss-Jordan elimination: the equation w_row = 0 gives the unknown of that column.
    while (bounds_find_pivot(p, e, 256 * TACT_EPS * large, &row, &column)) {
        const tact_real *pivot = e->value + (size_t)row * e->stride;
        e->row[row] = e->column[column] = 0;
        e->first[e->count] = row;
        e->second[e->count++] = column;
        // Its multiple is taken from all rows that are left.
        for (int i = 0; i < e->n; i++) {
            tact_real *other = e->value + (size_t)i * e->stride, a = e->row[i] ? other[column] : 0;
            if (a != 0) tact_add_row(other, -a / pivot[column], pivot, e->n + 1);
        }
    }
}

// The unknowns of the plain problem: first those left, then a second row for each that needs one. Rows left of eliminated
// columns take the place of free columns left, in order.
static int bounds_list_unknowns(const tact_lcp_problem *p, const bounds_elimination *e, int *column, int *row) {
    TACT_ASSERT(column && row);
    int count = 0, spare = 0;
    // Kept: bounded unknowns, and free ones that elimination found no pivot for.
    for (int j = 0; j < e->n; j++) {
        if (!e->column[j] || kind_of(p, j) == FIXED) continue;
        column[count] = j;
        row[count] = j;
        if (kind_of(p, j) == FREE) {
            while (!(e->row[spare] && kind_of(p, spare) == FREE)) spare++;
            row[count] = spare++;
        }
        count++;
    }
    return count;
}

void tact_lcp_reduce(const tact_lcp_problem *p, tact_lcp_work *work, tact_lcp_reduction *reduction) {
    TACT_ASSERT(p && work && reduction);
    bounds_elimination e = bounds_place(p, work);
    int *column = work->reduction + 4 * p->n, *row = column + work->rows;
    bounds_fill(p, &e);
    bounds_eliminate(p, &e);
    int count = bounds_list_unknowns(p, &e, column, row), total = count;
    // Second unknowns: the multiplier of an upper bound, or x- of a free one.
    for (int k = 0; k < count; k++) {
        int kind = kind_of(p, column[k]);
        if (kind != BOXED && kind != FREE) continue;
        column[total] = -1 - k;
        row[total++] = -1 - k;
    }
    // Each entry of the plain M and q from the reduced matrix.
    size_t n = (size_t)total;
    for (int i = 0; i < total; i++) {
        int k = i < count ? i : -1 - column[i], twin = kind_of(p, column[k]);
        const tact_real *from = e.value + (size_t)row[k] * e.stride;
        tact_real *to = work->M + (size_t)i * n, sign = i < count ? 1 : -1;
        for (int j = 0; j < total; j++) {
            int l = j < count ? j : -1 - column[j];
            // Multiplier columns are unit columns; x- has the negative of its column.
            bool box = j >= count && kind_of(p, column[l]) == BOXED;
            to[j] = (box ? (tact_real)(l == k) : j < count ? from[column[l]] : -from[column[l]]) * sign;
            // the row of a multiplier: hi - lo - x
            if (i >= count && twin == BOXED) to[j] = j == k ? -1 : 0;
        }
        work->q[i] = sign * from[p->n];
        if (i >= count && twin == BOXED) work->q[i] = high_of(p, column[k]) - low_of(p, column[k]);
    }
    *reduction = (tact_lcp_reduction){.n = total, .reduced = e.count, .variable = column, .kept = count};
}

void tact_lcp_expand(const tact_lcp_problem *p, tact_lcp_work *work, const tact_lcp_reduction *reduction, const tact_real *x,
                     tact_real *z) {
    TACT_ASSERT(p && reduction);
    bounds_elimination e = bounds_place(p, work);
    const int *variable = reduction->variable;
    // x of the plain problem, x+ - x- of free ones.
    for (int i = 0; i < p->n; i++) z[i] = 0;
    for (int k = 0; k < reduction->kept; k++) z[variable[k]] = x[k];
    for (int k = reduction->kept; k < reduction->n; k++)
        if (kind_of(p, variable[-1 - variable[k]]) == FREE) z[variable[-1 - variable[k]]] -= x[k];
    // Back substitution of the eliminated unknowns, the last first.
    for (int k = reduction->reduced - 1; k >= 0; k--) {
        const tact_real *row = e.value + (size_t)e.first[k] * e.stride;
        tact_real sum = row[p->n];
        for (int j = 0; j < p->n; j++)
            if (j != e.second[k]) sum += row[j] * z[j];
        z[e.second[k]] = -sum / row[e.second[k]];
    }
    // Base and sign undone; rounding must not leave the bounds.
    for (int i = 0; i < p->n; i++) {
        int kind = kind_of(p, i);
        z[i] = kind == FLIPPED ? high_of(p, i) - z[i] : low_of(p, i) > -TACT_MAX ? low_of(p, i) + z[i] : z[i];
        if (kind != FREE) z[i] = tact_clamp(z[i], low_of(p, i), high_of(p, i));
    }
    // exactly at the upper bound where its multiplier acts
    for (int k = reduction->kept; k < reduction->n; k++) {
        int i = variable[-1 - variable[k]];
        if (kind_of(p, i) == BOXED && x[k] > 0) z[i] = high_of(p, i);
    }
}

tact_lcp_state tact_lcp_state_of(const tact_lcp_problem *p, int i, tact_real z, tact_real w) {
    if (kind_of(p, i) == FREE) return TACT_LCP_ACTIVE;
    // between equal bounds the force decides
    if (low_of(p, i) == high_of(p, i)) return w < 0 ? TACT_LCP_UPPER : TACT_LCP_OPEN;
    return z <= low_of(p, i) ? TACT_LCP_OPEN : z >= high_of(p, i) ? TACT_LCP_UPPER : TACT_LCP_ACTIVE;
}

void tact_lcp_warm(const tact_lcp_problem *p, const tact_lcp_reduction *reduction, const unsigned char *state,
                   unsigned char *active) {
    TACT_ASSERT(reduction);
    for (int k = 0; k < reduction->n; k++) {
        int i = reduction->variable[k < reduction->kept ? k : -1 - reduction->variable[k]], kind = kind_of(p, i);
        // x is 0 at the lower bound, or at the upper one when there is no other; a multiplier acts at the upper one
        bool away = kind == FLIPPED ? state[i] != TACT_LCP_UPPER : state[i] != TACT_LCP_OPEN;
        active[k] = k < reduction->kept ? away : kind == BOXED && state[i] == TACT_LCP_UPPER;
    }
}

bool tact_lcp_bounds_fit(const tact_lcp_problem *problem, const tact_lcp_work *work) {
    TACT_ASSERT(problem && work);
    // Boxed and free unknowns need a second row.
    int doubled = 0;
    for (int i = 0; i < problem->n; i++) {
        int kind = kind_of(problem, i);
        doubled += kind == BOXED || kind == FREE;
    }
    return problem->n == 0 || (work->reduction && problem->n + doubled <= work->rows);
}
