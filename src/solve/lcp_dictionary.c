// SPDX-License-Identifier: MIT
#include "solve/lcp_dictionary.h"

void tact_lcp_dictionary_begin(tact_lcp_dictionary *d, const tact_lcp_work *work, int rows, int columns) {
    TACT_ASSERT(d && work);
    TACT_ASSERT(rows >= 0 && columns >= 0);
    d->rows = rows;
    d->columns = columns;
    d->stride = (size_t)work->stride;
    d->value = work->table;
    d->basic = tact_lcp_index(work, 0);
    d->loose = tact_lcp_index(work, 1);
    d->place = tact_lcp_index(work, 2);
    d->tiny = 1024 * TACT_EPS;
    d->rounding = 0;
    // all w are basic, z and z0 nonbasic
    for (int r = 0; r < rows; r++) {
        d->basic[r] = r;
        d->place[r] = r;
    }
    for (int j = 0; j <= columns; j++) {
        d->loose[j] = rows + j;
        d->place[rows + j] = -1 - j;
    }
}

void tact_lcp_dictionary_pivot(tact_lcp_dictionary *d, int row, int column) {
    TACT_ASSERT(d->place[d->basic[row]] == row);
    tact_real *pivot = tact_lcp_dictionary_row(d, row), inverse = 1 / pivot[column];
    int width = d->columns + 2, leaves = d->basic[row];
    // solve the pivot row for the entering variable: x_enters = (x_leaves - rest)/pivot
    for (int j = 0; j < width; j++) pivot[j] *= -inverse;
    pivot[column] = inverse;
    // substitute into every other row
    for (int i = 0; i < d->rows; i++) {
        tact_real *other = tact_lcp_dictionary_row(d, i), a = other[column];
        if (i == row || a == 0) continue;
        other[column] = 0;
        tact_add_row(other, a, pivot, width);
    }
    // exchange the two variables
    d->basic[row] = d->loose[column];
    d->loose[column] = leaves;
    d->place[d->basic[row]] = row;
    d->place[leaves] = -1 - column;
}

// Response of a row's basic variable to a change of q_k.
static tact_real dictionary_response(const tact_lcp_dictionary *d, int row, int k) {
    int place = d->place[k];
    if (place >= 0) return place == row;
    return -tact_lcp_dictionary_row(d, row)[-1 - place];
}

// Whether row r blocks the column before row s when q is perturbed by (eps, eps^2, ...), by the lexicographic rule. Entries of
// an inverse are exact only up to the rounding of the largest in their rows: smaller differences are ignored.
static bool dictionary_is_before(const tact_lcp_dictionary *d, int r, int s, int column) {
    TACT_ASSERT(r != s);
    tact_real a = -tact_lcp_dictionary_row(d, r)[column], b = -tact_lcp_dictionary_row(d, s)[column], size = 0;
    // rows are compared lexicographically by their responses divided by the pivot entry
    for (int k = 0; k < d->rows; k++)
        size = tact_max(size, tact_max(tact_fabs(dictionary_response(d, r, k)) / a, tact_fabs(dictionary_response(d, s, k)) / b));
    for (int k = 0; k < d->rows; k++) {
        tact_real x = dictionary_response(d, r, k) / a, y = dictionary_response(d, s, k) / b;
        if (tact_fabs(x - y) > 1024 * TACT_EPS * size) return x < y;
    }
    // equal to rounding: the larger pivot
    return a > b;
}

int tact_lcp_dictionary_block(const tact_lcp_dictionary *d, int column) {
    TACT_ASSERT(d);
    // entries below `tiny` relative to the column's largest are rounding and do not block
    int last = d->columns + 1, best = -1, cover = d->place[d->rows + d->columns];
    tact_real least = TACT_MAX, most = 0;
    for (int r = 0; r < d->rows; r++) most = tact_max(most, tact_fabs(tact_lcp_dictionary_row(d, r)[column]));
    // longest step along which no value falls below its rounding (Harris' ratio test)
    for (int r = 0; r < d->rows; r++) {
        const tact_real *row = tact_lcp_dictionary_row(d, r);
        if (!(row[column] < -d->tiny * most)) continue;
        tact_real ratio = (tact_max(row[last], 0) + d->rounding) / -row[column];
        if (ratio < least) least = ratio;
    }
    // among rows within rounding of the shortest step z0 leaves first, then the lexicographic rule decides
    tact_real limit = least + 64 * TACT_EPS * least;
    for (int r = 0; r < d->rows; r++) {
        const tact_real *row = tact_lcp_dictionary_row(d, r);
        if (!(row[column] < -d->tiny * most) || !(tact_max(row[last], 0) / -row[column] <= limit)) continue;
        if (r == cover) return r;
        if (best < 0 || dictionary_is_before(d, r, best, column)) best = r;
    }
    return best;
}

bool tact_lcp_dictionary_cover(tact_lcp_dictionary *d) {
    TACT_ASSERT(d->columns >= 0);
    int best = -1;
    tact_real most = 0;
    // the z0 that makes the value of row r zero; the largest makes all values nonnegative
    for (int r = 0; r < d->rows; r++) {
        const tact_real *row = tact_lcp_dictionary_row(d, r);
        if (!(row[d->columns + 1] < 0)) continue;
        tact_real need = -row[d->columns + 1] / row[d->columns];
        // of equal ones the last: it is the lexicographically least
        if (need >= most) most = need, best = r;
    }
    if (best < 0) return false;
    tact_lcp_dictionary_pivot(d, best, d->columns);
    return true;
}

// Column with the most negative reduced cost of z0, or by Bland's rule (first) that of the lowest index; -1: none.
static int dictionary_choose_column(const tact_lcp_dictionary *d, bool first) {
    // the coefficients in the row of z0 are reduced costs
    const tact_real *row = tact_lcp_dictionary_row(d, d->place[d->rows + d->columns]);
    tact_real least = -d->tiny;
    int best = -1;
    for (int j = 0; j <= d->columns; j++) {
        if (!(row[j] < least)) continue;
        if (best < 0 || !first || d->loose[j] < d->loose[best]) best = j;
        if (!first) least = row[j];
    }
    return best;
}

tact_lcp_end tact_lcp_dictionary_descend(tact_lcp_dictionary *d, int limit) {
    // phase 1 of the simplex method: minimise z0 with the most negative reduced cost, after half of the limit by Bland's rule
    if (!tact_lcp_dictionary_cover(d)) return TACT_LCP_FOUND;
    for (int i = 0; i < limit; i++) {
        int column = dictionary_choose_column(d, i > limit / 2);
        // optimal with z0 > 0: infeasible
        if (column < 0) return TACT_LCP_ON_RAY;
        int row = tact_lcp_dictionary_block(d, column);
        if (row < 0) return TACT_LCP_STOPPED;
        bool done = d->basic[row] == d->rows + d->columns;
        tact_lcp_dictionary_pivot(d, row, column);
        if (done) return TACT_LCP_FOUND;
    }
    return TACT_LCP_STOPPED;
}
