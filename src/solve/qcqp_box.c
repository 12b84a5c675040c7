// SPDX-License-Identifier: MIT
// Relaxation of a quadratic problem over a box, with w_ij in the place of the product x_i x_j: feasibility-based bound
// tightening by interval arithmetic, and the envelopes of McCormick (Mathematical Programming 10, 1976):
//
//     w_ij >= l_i x_j + l_j x_i - l_i l_j,    w_ij >= u_i x_j + u_j x_i - u_i u_j,
//     w_ij <= l_i x_j + u_j x_i - l_i u_j,    w_ij <= u_i x_j + l_j x_i - u_i l_j,
//
// for squares the secant above and tangents below. Results of rounded operations are widened by a bound on their rounding.
#include "solve/qcqp_box.h"

#include "math/elementary.h"

bool tact_box_count(const tact_qcqp *problem, int *nproduct) {
    TACT_ASSERT(problem && nproduct);
    uint64_t seen[TACT_BOX_UNKNOWNS] = {0};
    *nproduct = 0;
    if (problem->n < 1 || problem->n > TACT_BOX_UNKNOWNS) return false;
    // each pair of unknowns whose product occurs counts once, marked by a bit
    for (int i = -1; i < problem->ncon; i++) {
        const tact_quadratic *f = i < 0 ? &problem->objective : &problem->constraint[i];
        for (int k = 0; k < f->nquadratic; k++) {
            int a = f->quadratic[k].row, b = f->quadratic[k].column, low = a < b ? a : b, high = a < b ? b : a;
            // sizes may be asked for before the problem is checked
            if (low < 0 || high >= problem->n) return false;
            if (seen[low] >> high & 1) continue;
            seen[low] |= (uint64_t)1 << high;
            (*nproduct)++;
        }
    }
    // columns: unknowns and products
    return problem->n + *nproduct <= TACT_BOX_COLUMNS;
}

// Memory of the relaxation over a box; an arena that only measures returns none.
void tact_box_place(tact_box *box, const tact_qcqp *problem, int nproduct, tact_arena *arena) {
    TACT_ASSERT(box && problem);
    size_t n = (size_t)problem->n, products = (size_t)nproduct, columns = n + products, fixed = (size_t)problem->ncon + 1;
    // Rows: objective, constraints, four planes of McCormick for each product and its tangents.
    size_t rows = fixed + (4 + TACT_BOX_TANGENTS) * products, entries = (size_t)(problem->objective.nquadratic);
    entries += (size_t)problem->objective.nlinear;
    for (int i = 0; i < problem->ncon; i++)
        entries += (size_t)(problem->constraint[i].nquadratic + problem->constraint[i].nlinear);
    entries += 3 * (rows - fixed);
    *box = (tact_box){.n = problem->n, .nproduct = nproduct, .ncolumn = (int)columns, .most_rows = (int)rows};
    box->most_entries = (int)entries;
    // Products: which two unknowns, and which product two unknowns have.
    TACT_INDICES(arena, products, &box->left, &box->right);
    box->product = tact_arena_take(arena, n * n, sizeof(int));
    // Rows, and the entries of all.
    box->row = tact_arena_take(arena, rows, sizeof(tact_box_row));
    box->column = tact_arena_take(arena, entries, sizeof(int));
    tact_real **of_entries[] = {&box->value, &box->size, &box->scaled, &box->term_high};
    for (size_t i = 0; i < sizeof of_entries / sizeof *of_entries; i++)
        *of_entries[i] = tact_arena_take(arena, entries, sizeof(tact_real));
    // Columns: bounds, costs, and the linear program's state.
    tact_real **of_columns[] = {&box->low,   &box->high, &box->cost, &box->slope, &box->terms,
                                &box->point, &box->sign, &box->dual, &box->rate,  &box->t};
    for (size_t i = 0; i < sizeof of_columns / sizeof *of_columns; i++)
        *of_columns[i] = tact_arena_take(arena, columns, sizeof(tact_real));
    TACT_INDICES(arena, columns, &box->added, &box->active);
    box->multiplier = tact_arena_take(arena, rows, sizeof(tact_real));
    box->held = tact_arena_take(arena, 2 * columns + rows, sizeof(bool));
    box->edge = tact_arena_take(arena, columns * columns, sizeof(tact_real));
}

// Adds value z_column to the last row, merging entries of the same column.
static void add_entry(tact_box *box, int column, tact_real value) {
    // An entry of this row and column may be there already: then the values merge.
    tact_box_row *row = &box->row[box->nrow - 1];
    int k = row->first;
    if (value == 0) return;
    while (k < row->first + row->count && box->column[k] != column) k++;
    if (k == row->first + row->count) {
        TACT_ASSERT(box->nentry < box->most_entries);
        box->column[k] = column;
        box->value[k] = box->size[k] = 0;
        box->added[column] = 0;
        row->count++;
        box->nentry++;
    }
    box->value[k] += value;
    // Magnitudes and the number of terms are kept for the bound of the rounding.
    box->size[k] += tact_fabs(value);
    box->added[column]++;
    if (box->added[column] > box->merged) box->merged = box->added[column];
}

static void begin_row(tact_box *box, tact_real constant, bool equal) {
    TACT_ASSERT(box->nrow < box->most_rows);
    box->row[box->nrow++] = (tact_box_row){.first = box->nentry, .equal = equal, .constant = constant};
}

// Number of a product, new or known.
static int product_of(tact_box *box, int i, int j) {
    int n = box->n, *k = &box->product[i * n + j];
    if (*k < 0) {
        TACT_ASSERT(box->nproduct < box->ncolumn - n);
        *k = box->product[j * n + i] = box->nproduct;
        box->left[*k] = i;
        box->right[*k] = j;
        box->nproduct++;
    }
    return *k;
}

static void load_row(tact_box *box, const tact_quadratic *f, tact_real sign, bool equal) {
    // f = c + b'x + 1/2 x'Q x with w_ij in place of x_i x_j.
    begin_row(box, sign * f->constant, equal);
    for (int k = 0; k < f->nlinear; k++) add_entry(box, f->linear[k].column, sign * f->linear[k].value);
    for (int k = 0; k < f->nquadratic; k++) {
        const tact_triplet *q = &f->quadratic[k];
        add_entry(box, box->n + product_of(box, q->row, q->column), sign * q->value / 2);
    }
}

void tact_box_load(tact_box *box, const tact_qcqp *problem) {
    TACT_ASSERT(problem);
    // Row 0: value below the cutoff, -f + cutoff >= 0; then the constraints.
    int n = problem->n;
    for (int k = 0; k < n * n; k++) box->product[k] = -1;
    box->nrow = box->nentry = box->merged = box->nproduct = 0;
    load_row(box, &problem->objective, -1, false);
    for (int i = 0; i < problem->ncon; i++) load_row(box, &problem->constraint[i], 1, problem->equality[i]);
    TACT_ASSERT(box->n + box->nproduct == box->ncolumn);
    box->fixed = box->nrow;
    box->fixed_entries = box->nentry;
    for (int j = 0; j < box->n; j++) {
        box->low[j] = -TACT_MAX;
        box->high[j] = TACT_MAX;
    }
    tact_box_open(box);
}

void tact_box_open(tact_box *box) {
    TACT_ASSERT(box);
    for (int w = box->n; w < box->ncolumn; w++) {
        box->low[w] = -TACT_MAX;
        box->high[w] = TACT_MAX;
    }
}

// Arithmetic with numbers that may be infinite (TACT_MAX), rounded outwards.
static bool is_infinite(tact_real x) {
    return !(tact_fabs(x) < TACT_MAX);
}

// Product in interval arithmetic: 0 times infinity is 0, and what overflows is +-TACT_MAX.
static tact_real times(tact_real a, tact_real b) {
    if (a == 0 || b == 0) return 0;
    if (is_infinite(a) || is_infinite(b)) return (a > 0) == (b > 0) ? TACT_MAX : -TACT_MAX;
    return tact_clamp(a * b, -TACT_MAX, TACT_MAX);
}

static tact_real lower(tact_real x) {
    return is_infinite(x) ? x : x - 4 * TACT_EPS * tact_fabs(x);
}

static tact_real upper(tact_real x) {
    return is_infinite(x) ? x : x + 4 * TACT_EPS * tact_fabs(x);
}

static void product_range(const tact_box *box, int k, tact_real *low, tact_real *high) {
    int i = box->left[k], j = box->right[k];
    // corners of the rectangle; for a square the ends of the interval, and 0 if it is inside
    tact_real a = box->low[i], b = box->high[i], c = box->low[j], d = box->high[j];
    tact_real p[4] = {times(a, c), times(a, d), times(b, c), times(b, d)};
    if (i == j) p[1] = p[2] = a <= 0 && b >= 0 ? 0 : p[0];
    *low = lower(tact_min(tact_min(p[0], p[1]), tact_min(p[2], p[3])));
    *high = upper(tact_max(tact_max(p[0], p[1]), tact_max(p[2], p[3])));
}

bool tact_box_is_bounded(const tact_box *box, int unknown) {
    return !is_infinite(box->low[unknown]) && !is_infinite(box->high[unknown]);
}

// Range of a column; of a product by interval arithmetic and its own bounds.
static void column_range(const tact_box *box, int column, tact_real *low, tact_real *high) {
    *low = box->low[column];
    *high = box->high[column];
    if (column < box->n) return;
    tact_real least = 0, most = 0;
    // The product's own bounds and those that its factors imply.
    product_range(box, column - box->n, &least, &most);
    *low = tact_max(*low, least);
    *high = tact_min(*high, most);
}

// Intersects the bounds of an unknown with [low, high], if that reduces its width by a thousandth. False when nothing is left.
static bool take_bounds(tact_box *box, int i, tact_real low, tact_real high, bool *changed) {
    tact_real width = box->high[i] - box->low[i];
    // a change below a thousandth of the width is not worth another pass
    bool open = is_infinite(box->low[i]) || is_infinite(box->high[i]);
    if (low > box->high[i] || high < box->low[i]) return false;
    if (!is_infinite(low) && (is_infinite(box->low[i]) || low > box->low[i] + (open ? 0 : width / 1000))) {
        box->low[i] = low;
        *changed = true;
    }
    if (!is_infinite(high) && (is_infinite(box->high[i]) || high < box->high[i] - (open ? 0 : width / 1000))) {
        box->high[i] = high;
        *changed = true;
    }
    return true;
}

static tact_real over(tact_real a, tact_real b) {
    return is_infinite(b) ? 0 : a / b;
}

// Range of a quotient; unbounded if the divisor may be zero.
static void quotient_range(tact_real a, tact_real b, tact_real c, tact_real d, tact_real *low, tact_real *high) {
    *low = -TACT_MAX;
    *high = TACT_MAX;
    // Divisor around zero, or an infinite dividend: everything.
    if ((c <= 0 && d >= 0) || is_infinite(a) || is_infinite(b)) return;
    // Corners of the quotient, rounded outwards.
    tact_real p[4] = {over(a, c), over(a, d), over(b, c), over(b, d)};
    *low = lower(tact_min(tact_min(p[0], p[1]), tact_min(p[2], p[3])));
    *high = upper(tact_max(tact_max(p[0], p[1]), tact_max(p[2], p[3])));
    if (is_infinite(*low) || is_infinite(*high)) *low = -TACT_MAX, *high = TACT_MAX;
}

// Bound propagation: tightens the unknowns of a product by the bounds of its column.
static bool tighten_column(tact_box *box, int column, tact_real low, tact_real high, bool *changed) {
    if (column < box->n) return take_bounds(box, column, low, high, changed);
    int k = column - box->n, i = box->left[k], j = box->right[k];
    tact_real a = 0, b = 0, most = 0, least = 0;
    // Bounds of a product: w in [a, b].
    column_range(box, column, &least, &most);
    if (low > most || high < least || least > most) return false;
    a = tact_max(low, least);
    b = tact_min(high, most);
    *changed =
        *changed || (is_infinite(box->low[column]) && !is_infinite(a)) || (is_infinite(box->high[column]) && !is_infinite(b));
    box->low[column] = a;
    box->high[column] = b;
    // Square: |x| <= sqrt(b), and |x| >= sqrt(a) on the side that is left.
    if (i == j) {
        if (b < 0) return false;
        tact_real root = is_infinite(b) ? TACT_MAX : upper(tact_sqrt(b)), inner = a > 0 ? lower(tact_sqrt(a)) : 0;
        bool right = box->low[i] > -inner, left = box->high[i] < inner;
        if (right && left && inner > 0) return false;
        return take_bounds(box, i, right && inner > 0 ? inner : -root, left && inner > 0 ? -inner : root, changed);
    }
    // x_i in [a, b]/x_j, then x_j in [a, b]/x_i.
    quotient_range(a, b, box->low[j], box->high[j], &least, &most);
    if (!take_bounds(box, i, least, most, changed)) return false;
    quotient_range(a, b, box->low[i], box->high[i], &least, &most);
    return take_bounds(box, j, least, most, changed);
}

// Bound propagation in a row sum of terms + constant >= 0: each term is at least minus the maximum of the others. side -1: row
// <= 0.
static bool tighten_row(tact_box *box, const tact_box_row *row, tact_real side, bool *changed) {
    int open = 0, last = row->first + row->count;
    // most: maximum of the row's finite terms; open: number of terms without an upper bound
    tact_real most = side * row->constant, size = tact_fabs(row->constant);
    for (int k = row->first; k < last; k++) {
        tact_real low = 0, high = 0;
        column_range(box, box->column[k], &low, &high);
        tact_real a = times(side * box->value[k], low), b = times(side * box->value[k], high);
        box->term_high[k] = tact_max(a, b);
        open += is_infinite(box->term_high[k]);
        if (is_infinite(box->term_high[k])) continue;
        most += box->term_high[k];
        // for the rounding of value and product
        size += times(box->size[k], tact_fabs(a > b ? low : high));
    }
    // bound on the rounding of a sum of that many terms
    tact_real rounding = 2 * TACT_EPS * (tact_real)(row->count + box->merged + 8);
    if (is_infinite(size) || is_infinite(most)) return true;
    // even the maximum is negative: the box is empty
    if (open == 0 && most + rounding * size < 0) return false;
    // each term, from the maximum of the others
    for (int k = row->first; k < last; k++) {
        bool mine = is_infinite(box->term_high[k]);
        if (open > (mine ? 1 : 0) || box->value[k] == 0) continue;
        tact_real rest = mine ? most : most - box->term_high[k], least = -(rest + rounding * size);
        tact_real value = side * box->value[k], bound = least / value;
        // the coefficient's own rounding
        tact_real share = rounding * box->size[k] / tact_fabs(value), doubt = tact_fabs(bound) * (4 * TACT_EPS + 2 * share);
        if (!(share < TACT_REAL(0.25)) || !(tact_fabs(bound) < TACT_MAX / 4) || !(doubt < TACT_MAX / 4)) continue;
        bool fits = value > 0 ? tighten_column(box, box->column[k], bound - doubt, TACT_MAX, changed)
                              : tighten_column(box, box->column[k], -TACT_MAX, bound + doubt, changed);
        if (!fits) return false;
    }
    return true;
}

bool tact_box_tighten(tact_box *box, bool cutoff, int passes) {
    TACT_ASSERT(box);
    TACT_ASSERT(passes >= 0);
    bool changed = true;
    for (int pass = 0; pass < passes && changed; pass++) {
        changed = false;
        for (int i = cutoff ? 0 : 1; i < box->fixed; i++) {
            const tact_box_row *row = &box->row[i];
            if (!tighten_row(box, row, 1, &changed)) return false;
            if (row->equal && !tighten_row(box, row, -1, &changed)) return false;
        }
    }
    // a product whose own bounds contradict those of its factors: empty
    for (int w = box->n; w < box->ncolumn; w++) {
        tact_real low = 0, high = 0;
        column_range(box, w, &low, &high);
        if (low > high) return false;
    }
    return true;
}

bool tact_box_close(tact_box *box) {
    TACT_ASSERT(box);
    // beyond this magnitude squares overflow
    const tact_real most = tact_sqrt(TACT_MAX) / 1024;
    for (int j = box->n; j < box->ncolumn; j++) column_range(box, j, &box->low[j], &box->high[j]);
    for (int i = 0; i < box->fixed; i++) {
        tact_box_row *row = &box->row[i];
        int first = row->count > 0 ? box->column[row->first] : 0;
        // a row of one unbounded unknown is useless in the linear program
        row->idle = i > 0 && row->count == 1 && first < box->n && !tact_box_is_bounded(box, first);
        for (int k = row->first; !row->idle && k < row->first + row->count; k++) {
            int j = box->column[k];
            if (!(tact_fabs(box->low[j]) < most && tact_fabs(box->high[j]) < most)) return false;
        }
    }
    for (int j = 0; j < box->n; j++)
        if (tact_box_is_bounded(box, j) && !(tact_max(tact_fabs(box->low[j]), tact_fabs(box->high[j])) < most)) return false;
    return true;
}

// Adds the plane side (w - b x_i - a x_j + a b) >= 0, unless a bound is infinite or an unknown lacks one.
static void add_plane(tact_box *box, int k, tact_real side, tact_real a, tact_real b) {
    if (is_infinite(a) || is_infinite(b)) return;
    if (b != 0 && !tact_box_is_bounded(box, box->left[k])) return;
    if (a != 0 && !tact_box_is_bounded(box, box->right[k])) return;
    begin_row(box, side * (a * b), false);
    add_entry(box, box->n + k, side);
    add_entry(box, box->left[k], -side * b);
    add_entry(box, box->right[k], -side * a);
}

void tact_box_envelope(tact_box *box) {
    TACT_ASSERT(box);
    // The planes replace those of the last box.
    box->nrow = box->fixed;
    box->nentry = box->fixed_entries;
    for (int k = 0; k < box->nproduct; k++) {
        int i = box->left[k], j = box->right[k];
        tact_real a = box->low[i], b = box->high[i], c = box->low[j], d = box->high[j];
        add_plane(box, k, 1, a, c);
        add_plane(box, k, 1, b, d);
        add_plane(box, k, -1, a, d);
        if (i != j) add_plane(box, k, -1, b, c);
    }
}

bool tact_box_linearise(tact_box *box, const tact_real *x) {
    TACT_ASSERT(box);
    box->nrow = box->fixed;
    box->nentry = box->fixed_entries;
    // w = x_i(0) x_j + x_j(0) x_i - x_i(0) x_j(0) as an equality, with a margin for its error
    for (int k = 0; k < box->nproduct; k++) {
        int i = box->left[k], j = box->right[k], w = box->n + k;
        tact_real room = (box->high[i] - box->low[i]) * (box->high[j] - box->low[j]);
        if (!tact_box_is_bounded(box, i) || !tact_box_is_bounded(box, j)) return false;
        product_range(box, k, &box->low[w], &box->high[w]);
        box->low[w] -= room;
        box->high[w] += room;
        add_plane(box, k, 1, x[i], x[j]);
        box->row[box->nrow - 1].equal = true;
    }
    return true;
}

tact_real tact_box_bound(tact_box *box, tact_real constant) {
    TACT_ASSERT(box);
    tact_real sum = constant, size = tact_fabs(constant);
    int count = 0;
    for (int j = 0; j < box->ncolumn; j++) {
        box->slope[j] = box->cost[j];
        box->terms[j] = tact_fabs(box->cost[j]);
        box->added[j] = box->merged + 8;
    }
    // Lagrangian cost'z + constant - sum y_i row_i(z), an affine function
    // any multipliers of the right sign give a valid bound (Neumaier and Shcherbina)
    for (int i = 0; i < box->nrow; i++) {
        const tact_box_row *row = &box->row[i];
        tact_real y = row->equal ? box->multiplier[i] : tact_max(box->multiplier[i], 0);
        if (y == 0) continue;
        for (int k = row->first; k < row->first + row->count; k++) {
            box->slope[box->column[k]] -= y * box->value[k];
            box->terms[box->column[k]] += tact_fabs(y) * box->size[k];
            box->added[box->column[k]]++;
        }
        sum -= y * row->constant;
        size += tact_fabs(y * row->constant);
        count++;
    }
    // its minimum over the box
    for (int j = 0; j < box->ncolumn; j++) {
        // the lower end of each column where the slope is positive; rounded to the safe side
        tact_real most = tact_max(tact_fabs(box->low[j]), tact_fabs(box->high[j]));
        tact_real least = box->slope[j] * (box->slope[j] > 0 ? box->low[j] : box->high[j]);
        sum += least;
        size += tact_fabs(least);
        sum -= 2 * TACT_EPS * (tact_real)box->added[j] * box->terms[j] * most;
        size += 2 * TACT_EPS * (tact_real)box->added[j] * box->terms[j] * most;
    }
    tact_real bound = sum - 2 * TACT_EPS * (tact_real)(count + 2 * box->ncolumn + 8) * size;
    return bound > -TACT_MAX && bound < TACT_MAX ? bound : -TACT_MAX;
}
