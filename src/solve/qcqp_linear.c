// SPDX-License-Identifier: MIT
// Linear programs over a box by the dual simplex method in the space of the columns: as many bounds and rows are active as
// there are columns, N z = b, and cost = N'y with y >= 0 for inequalities. It starts with the bounds that the signs of the cost
// select. The most violated row r enters along r = sum alpha_k n_k; the active one whose multiplier vanishes first leaves, the
// least y_k/alpha_k over alpha_k > 0. If there is none, the row and the active ones are infeasible: r + sum (-alpha_k) n_k = 0
// with b_r - sum alpha_k b_k > 0.
#include "solve/qcqp_box.h"

#include "math/elementary.h"

#ifdef TACT_FLOAT
#define LINEAR_FEASIBLE 1e-5f
#define LINEAR_PIVOT 1e-4f
#else
#define LINEAR_FEASIBLE 1e-10
#define LINEAR_PIVOT 1e-9
#endif

// Width of a column; 0 for an unknown without both bounds, which no row contains.
static tact_real width_of(const tact_box *box, int column) {
    if (column < box->n && !tact_box_is_bounded(box, column)) return 0;
    return box->high[column] - box->low[column];
}

// The finite bound of a column.
static tact_real origin_of(const tact_box *box, int column) {
    if (column >= box->n || tact_box_is_bounded(box, column)) return box->low[column];
    if (box->low[column] > -TACT_MAX) return box->low[column];
    return box->high[column] < TACT_MAX ? box->high[column] : 0;
}

// Scales a row to columns of unit width and coefficients that sum up to 1.
static void scale_row(tact_box *box, tact_box_row *row) {
    tact_real scale = 0, size = tact_fabs(row->constant), bound = -row->constant;
    for (int k = row->first; k < row->first + row->count; k++) {
        // columns run from 0 to 1 between their bounds
        int j = box->column[k];
        box->scaled[k] = box->value[k] * width_of(box, j);
        scale += tact_fabs(box->scaled[k]);
        bound -= box->value[k] * box->low[j];
        size += tact_fabs(box->value[k]) * tact_max(tact_fabs(box->low[j]), tact_fabs(box->high[j]));
    }
    // a row that is constant to rounding is not scaled up
    row->scale = tact_max(scale, 64 * TACT_EPS * size);
    if (row->scale == 0) row->scale = 1;
    row->bound = bound / row->scale;
    for (int k = row->first; k < row->first + row->count; k++) box->scaled[k] /= row->scale;
}

static tact_real bound_of(const tact_box *box, int id) {
    TACT_ASSERT(id >= 0);
    if (id >= 2 * box->ncolumn) return box->row[id - 2 * box->ncolumn].bound;
    return id % 2 ? -1 : 0;
}

// Product of the normal of a bound or row with t.
static tact_real along(const tact_box *box, int id, const tact_real *t) {
    // bounds: t_j or -t_j; rows: their scaled coefficients
    tact_real sum = 0;
    if (id < 2 * box->ncolumn) return id % 2 ? -t[id / 2] : t[id / 2];
    const tact_box_row *row = &box->row[id - 2 * box->ncolumn];
    for (int k = row->first; k < row->first + row->count; k++) sum += box->scaled[k] * t[box->column[k]];
    return sum;
}

// The most violated bound or row, and on which side; -1: none.
static int find_violated(const tact_box *box, bool cutoff, tact_real *sign, tact_real *amount) {
    TACT_ASSERT(sign && amount);
    int worst = -1;
    *amount = LINEAR_FEASIBLE;
    // bounds first: 0 <= t <= 1
    for (int j = 0; j < box->ncolumn; j++) {
        tact_real low = -box->t[j], high = box->t[j] - 1, wrong = tact_max(low, high);
        int id = 2 * j + (high > low);
        if (wrong <= *amount || box->held[id]) continue;
        *amount = wrong;
        *sign = 1;
        worst = id;
    }
    // then the rows; row 0 is the cutoff, which applies only if a point is known
    for (int i = cutoff ? 0 : 1; i < box->nrow; i++) {
        int id = 2 * box->ncolumn + i;
        if (box->held[id] || box->row[i].idle) continue;
        tact_real left = along(box, id, box->t) - box->row[i].bound;
        tact_real wrong = box->row[i].equal ? tact_fabs(left) : -left;
        if (wrong <= *amount) continue;
        *amount = wrong;
        *sign = left > 0 ? -1 : 1;
        worst = id;
    }
    return worst;
}

static bool is_equality(const tact_box *box, int id) {
    return id >= 2 * box->ncolumn && box->row[id - 2 * box->ncolumn].equal;
}

static void exchange(tact_box *box, int k, int id, tact_real sign, tact_real amount) {
    // Dual step: the leaving multiplier becomes 0. Edges: the entering row's direction is normalised, and taken out of the
    // others.
    int n = box->ncolumn;
    tact_real step = tact_max(box->dual[k], 0) / box->rate[k], *own = box->edge + (size_t)k * (size_t)n;
    for (int j = 0; j < n; j++) own[j] /= box->rate[k];
    for (int q = 0; q < n; q++) {
        tact_real rate = box->rate[q], *edge = box->edge + (size_t)q * (size_t)n;
        if (q == k || rate == 0) continue;
        for (int j = 0; j < n; j++) edge[j] -= rate * own[j];
        box->dual[q] -= step * rate;
        if (box->dual[q] < 0 && !is_equality(box, box->active[q])) box->dual[q] = 0;
    }
    // Primal step: the violated row becomes active.
    for (int j = 0; j < n; j++) box->t[j] += amount * own[j];
    box->held[box->active[k]] = false;
    box->held[id] = true;
    box->active[k] = id;
    box->sign[k] = sign;
    box->dual[k] = step;
}

// t from the active rows, without what the steps have gathered
static void refresh_point(tact_box *box) {
    int n = box->ncolumn;
    // t = sum of bounds times edges.
    for (int j = 0; j < n; j++) box->t[j] = 0;
    for (int k = 0; k < n; k++) {
        tact_real bound = box->sign[k] * bound_of(box, box->active[k]);
        for (int j = 0; j < n && bound != 0; j++) box->t[j] += bound * box->edge[(size_t)k * (size_t)n + (size_t)j];
    }
}

// Tangents of squares where the point is below them. False: none, or no room for more.
static bool add_tangents(tact_box *box) {
    int before = box->nrow;
    // x^2 >= 2 x_0 x - x_0^2 at the present x_0: a tangent of the square.
    for (int k = 0; k < box->nproduct; k++) {
        int i = box->left[k], w = box->n + k;
        if (i != box->right[k] || box->nrow == box->most_rows) continue;
        if (!tact_box_is_bounded(box, i)) continue;
        tact_real x = box->low[i] + box->t[i] * width_of(box, i), square = box->low[w] + box->t[w] * width_of(box, w);
        // only where the point violates it by a thousandth of the square's range
        if (!(x * x - square > TACT_REAL(1e-3) * width_of(box, i) * width_of(box, i))) continue;
        // the row w - 2 x_0 x + x_0^2 >= 0
        tact_box_row *row = &box->row[box->nrow++];
        *row = (tact_box_row){.first = box->nentry, .count = 2, .constant = x * x};
        box->column[box->nentry] = w;
        box->value[box->nentry] = box->size[box->nentry] = 1;
        box->column[box->nentry + 1] = i;
        box->value[box->nentry + 1] = -2 * x;
        box->size[box->nentry + 1] = 2 * tact_fabs(x);
        box->nentry += 2;
        scale_row(box, row);
    }
    return box->nrow > before;
}

// Multipliers of the rows from those of the active ones; of a contradiction 1 for the row that enters and minus the rates.
static void take_multipliers(tact_box *box, tact_real cost_scale, int entering, tact_real sign) {
    int n = box->ncolumn;
    // Undo the scale of rows and costs.
    for (int i = 0; i < box->nrow; i++) box->multiplier[i] = 0;
    for (int k = 0; k < n; k++) {
        int i = box->active[k] - 2 * n;
        if (i < 0) continue;
        tact_real y = entering < 0 ? cost_scale * box->dual[k] : -box->rate[k];
        box->multiplier[i] = box->sign[k] * y / box->row[i].scale;
    }
    if (entering >= 2 * n) box->multiplier[entering - 2 * n] = sign / box->row[entering - 2 * n].scale;
    // Columns back to the unknowns' own units.
    for (int j = 0; j < n; j++) box->point[j] = origin_of(box, j) + tact_clamp(box->t[j], 0, 1) * width_of(box, j);
}

tact_box_end tact_box_solve(tact_box *box, bool cutoff) {
    TACT_ASSERT(box->ncolumn > 0);
    int n = box->ncolumn, limit = 20 * n + 4 * box->nrow + 200;
    tact_real cost_scale = 0, sign = 1, amount = 0;
    for (int i = cutoff ? 0 : 1; i < box->nrow; i++) scale_row(box, &box->row[i]);
    for (int j = 0; j < n; j++) cost_scale = tact_max(cost_scale, tact_fabs(box->cost[j]) * width_of(box, j));
    if (cost_scale == 0) cost_scale = 1;
    // the cost's own vertex: each column at the bound that is cheaper
    // Edges: columns of N^-1, along which one active constraint is left and the others stay.
    for (int k = 0; k < n * n; k++) box->edge[k] = 0;
    for (int i = 0; i < 2 * n + box->most_rows; i++) box->held[i] = false;
    for (int j = 0; j < n; j++) {
        // Multiplier |cost|, at the lower bound where the cost is positive.
        tact_real cost = box->cost[j] * width_of(box, j) / cost_scale;
        box->active[j] = 2 * j + (cost < 0);
        box->held[box->active[j]] = true;
        box->sign[j] = 1;
        box->dual[j] = tact_fabs(cost);
        box->edge[j * n + j] = cost < 0 ? -1 : 1;
        box->t[j] = cost < 0 ? 1 : 0;
    }
    for (int pivot = 0; pivot < limit; pivot++, box->pivots++) {
        // Nothing violated: once more from a point without accumulated rounding.
        int entering = find_violated(box, cutoff, &sign, &amount);
        if (entering < 0) {
            refresh_point(box);
            entering = find_violated(box, cutoff, &sign, &amount);
        }
        if (entering < 0 && add_tangents(box)) continue;
        if (entering < 0) {
            take_multipliers(box, cost_scale, -1, 1);
            return TACT_BOX_SOLVED;
        }
        // alpha = N^-T n of the row that enters.
        for (int k = 0; k < n; k++) box->rate[k] = sign * along(box, entering, box->edge + (size_t)k * (size_t)n);
        // Ratio test (Harris 1973): the active inequality whose multiplier is first to vanish; of those within rounding the one
        // with the largest rate
        int leaving = -1;
        tact_real least = TACT_MAX, rate = 0;
        // Least ratio with a slack (Harris), then the largest pivot within it.
        for (int k = 0; k < box->ncolumn; k++) {
            if (!(box->rate[k] > LINEAR_PIVOT) || is_equality(box, box->active[k])) continue;
            least = tact_min(least, (box->dual[k] + LINEAR_PIVOT) / box->rate[k]);
        }
        for (int k = 0; k < box->ncolumn; k++) {
            if (!(box->rate[k] > LINEAR_PIVOT) || is_equality(box, box->active[k])) continue;
            if (box->dual[k] / box->rate[k] > least || box->rate[k] <= rate) continue;
            rate = box->rate[k];
            leaving = k;
        }
        // No multiplier blocks: the rows contradict each other, and the rates are the proof.
        if (leaving < 0) {
            take_multipliers(box, cost_scale, entering, sign);
            return TACT_BOX_EMPTY;
        }
        exchange(box, leaving, entering, sign, amount);
    }
    take_multipliers(box, cost_scale, -1, 1);
    return TACT_BOX_GAVE_UP;
}
