// SPDX-License-Identifier: MIT
// Classifies the constraints of a QCQP: linear ones, choices -sum l m >= 0 between linear ones, single unknowns with two values
// (x - p)(x - q) = 0, and general ones.
#include "math/elementary.h"
#include "solve/qcqp_parts.h"

tact_real tact_quadratic_value(const tact_quadratic *f, const tact_real *x) {
    TACT_ASSERT(f);
    // c + b'x + 1/2 x'Q x, with Q by entries (row, column, value)
    tact_real value = f->constant, twice = 0;
    for (int k = 0; k < f->nlinear; k++) value += f->linear[k].value * x[f->linear[k].column];
    for (int k = 0; k < f->nquadratic; k++) twice += f->quadratic[k].value * x[f->quadratic[k].row] * x[f->quadratic[k].column];
    return value + twice / 2;
}

tact_real tact_quadratic_size(const tact_quadratic *f, const tact_real *x) {
    TACT_ASSERT(f);
    tact_real size = tact_fabs(f->constant), twice = 0;
    for (int k = 0; k < f->nlinear; k++) size += tact_fabs(f->linear[k].value * x[f->linear[k].column]);
    for (int k = 0; k < f->nquadratic; k++)
        twice += tact_fabs(f->quadratic[k].value * x[f->quadratic[k].row] * x[f->quadratic[k].column]);
    return size + twice / 2;
}

void tact_quadratic_add_gradient(const tact_quadratic *f, const tact_real *x, tact_real s, tact_real *g) {
    TACT_ASSERT(f);
    for (int k = 0; k < f->nlinear; k++) g[f->linear[k].column] += s * f->linear[k].value;
    for (int k = 0; k < f->nquadratic; k++) {
        // symmetric part of Q times x
        const tact_triplet *q = &f->quadratic[k];
        g[q->row] += s * q->value * x[q->column] / 2;
        g[q->column] += s * q->value * x[q->row] / 2;
    }
}

// Coefficient of a column in the linear part of a row.
static tact_real coefficient(const tact_quadratic *row, int column) {
    tact_real sum = 0;
    for (int k = 0; k < row->nlinear; k++)
        if (row->linear[k].column == column) sum += row->linear[k].value;
    return sum;
}

static void load_remainder(tact_qcqp_work *work, const tact_quadratic *f) {
    int n = work->problem->n;
    // S = (Q + Q')/2, the Hessian
    for (int i = 0; i < n * n; i++) work->S[i] = 0;
    for (int i = 0; i < n; i++) work->s[i] = 0;
    for (int k = 0; k < f->nquadratic; k++) {
        const tact_triplet *q = &f->quadratic[k];
        work->S[q->row * n + q->column] += q->value / 2;
        work->S[q->column * n + q->row] += q->value / 2;
    }
    for (int k = 0; k < f->nlinear; k++) work->s[f->linear[k].column] += f->linear[k].value;
}

// Adds factor l m to the remainder; returns its constant.
static tact_real add_product(tact_qcqp_work *work, const tact_quadratic *l, const tact_quadratic *m, tact_real factor) {
    int n = work->problem->n;
    // (l'x + l_0)(m'x + m_0): quadratic, linear and constant parts
    for (int i = 0; i < l->nlinear; i++)
        for (int j = 0; j < m->nlinear; j++) {
            int p = l->linear[i].column, q = m->linear[j].column;
            tact_real value = factor * l->linear[i].value * m->linear[j].value;
            work->S[p * n + q] += value;
            work->S[q * n + p] += value;
        }
    for (int i = 0; i < l->nlinear; i++) work->s[l->linear[i].column] += factor * l->linear[i].value * m->constant;
    for (int j = 0; j < m->nlinear; j++) work->s[m->linear[j].column] += factor * m->linear[j].value * l->constant;
    return factor * l->constant * m->constant;
}

static bool is_small(tact_real x, tact_real scale) {
    return tact_fabs(x) <= 4096 * TACT_EPS * scale;
}

// Whether no term of unknown i remains.
static bool is_free_of(const tact_qcqp_work *work, int i, tact_real scale) {
    int n = work->problem->n;
    if (!is_small(work->s[i], scale)) return false;
    for (int j = 0; j < n; j++)
        if (!is_small(work->S[i * n + j], scale)) return false;
    return true;
}

// Factor with which -factor l m cancels unknown i, determined by one coefficient; 0: none.
static tact_real fitting_factor(const tact_qcqp_work *work, const tact_quadratic *l, const tact_quadratic *m, int i) {
    int n = work->problem->n;
    // one nonzero coefficient of m determines the factor
    int k = 0;
    while (k < m->nlinear && m->linear[k].value == 0) k++;
    if (k == m->nlinear) return 0;
    int j = m->linear[k].column;
    // entry (i, j) of l m + m l
    tact_real product = coefficient(l, i) * coefficient(m, j) + coefficient(l, j) * coefficient(m, i);
    if (product == 0) return 0;
    return -work->S[i * n + j] / product;
}

// Number of unknowns that vanish from the remainder when -factor l m is subtracted; 0 if unknown i remains. With take it is
// subtracted, and its constant added.
static int peel(tact_qcqp_work *work, int i, tact_choice *choice, bool take, tact_real *constant) {
    TACT_ASSERT(0 <= i && i < work->problem->n);
    const tact_quadratic *l = &work->row[choice->a], *m = &work->row[choice->b];
    int n = work->problem->n, freed = 0;
    tact_real scale = tact_fabs(work->s[i]);
    // the factor must be positive: -factor l m >= 0 with l, m >= 0 implies l m = 0
    choice->factor = fitting_factor(work, l, m, i);
    if (!(choice->factor > 0)) return 0;
    for (int j = 0; j < n; j++) scale = tact_max(scale, tact_fabs(work->S[i * n + j]));
    tact_real part = add_product(work, l, m, choice->factor);
    if (is_free_of(work, i, scale))
        // number of unknowns that vanish with it
        for (int k = 0; k < l->nlinear + m->nlinear; k++) {
            int unknown = k < l->nlinear ? l->linear[k].column : m->linear[k - l->nlinear].column;
            freed += is_free_of(work, unknown, scale);
        }
    // otherwise undone: only a trial
    if (take) *constant += part;
    if (!take) add_product(work, l, m, -choice->factor);
    return freed;
}

static bool holds(const tact_quadratic *row, int column) {
    for (int k = 0; k < row->nlinear; k++)
        if (row->linear[k].column == column) return true;
    return false;
}

static bool is_inequality(const tact_qcqp_work *work, int row) {
    return row < work->problem->ncon && work->kind[row] == TACT_ROW_AT_LEAST;
}

// Subtracts the pair of linear inequalities whose product cancels unknown i, and as many others as possible.
static bool peel_unknown(tact_qcqp_work *work, int source, int i, tact_real *constant) {
    TACT_ASSERT(i >= 0 && i < work->problem->n);
    int ncon = work->problem->ncon, most = 0;
    tact_choice best = {0};
    // all ordered pairs of inequalities of which the first contains unknown i
    for (int a = 0; a < ncon; a++) {
        if (!is_inequality(work, a) || !holds(&work->row[a], i)) continue;
        for (int b = 0; b < ncon; b++) {
            tact_choice choice = {.a = a, .b = b, .source = source};
            int freed = b != a && is_inequality(work, b) ? peel(work, i, &choice, false, constant) : 0;
            if (freed <= most) continue;
            most = freed;
            best = choice;
        }
    }
    if (most == 0) return false;
    peel(work, i, &best, true, constant);
    work->choice[work->nchoice++] = best;
    return true;
}

// Decomposes the remainder into products, one unknown at a time; those that only one product can cancel come first. False: some
// remain.
static bool peel_all(tact_qcqp_work *work, int source, tact_real scale, tact_real *constant, tact_real *size) {
    int n = work->problem->n, left = n;
    // passes until nothing is left, or nothing more can be cancelled
    for (int before = n + 1; left > 0 && left < before;) {
        before = left;
        left = 0;
        for (int i = 0; i < n; i++) {
            if (is_free_of(work, i, scale)) continue;
            left++;
            if (work->nchoice >= n + work->problem->ncon || !peel_unknown(work, source, i, constant)) continue;
            left--;
            *size = tact_max(*size, tact_fabs(*constant));
        }
    }
    return left == 0;
}

// Adds the row slope x_column + constant >= 0; returns its number.
static int add_cut(tact_qcqp_work *work, int column, tact_real slope, tact_real constant) {
    work->entry[work->nentry] = (tact_triplet){.column = column, .value = slope};
    work->row[work->nrow] = (tact_quadratic){.nlinear = 1, .linear = work->entry + work->nentry, .constant = constant};
    work->kind[work->nrow] = TACT_ROW_AT_LEAST;
    work->nentry++;
    return work->nrow++;
}

// (x - p)(x - q) = 0 of one unknown: x = p or x = q, and between them at open nodes.
static bool take_values(tact_qcqp_work *work, int source) {
    const tact_quadratic *f = &work->problem->constraint[source];
    int n = work->problem->n, unknown = f->nquadratic > 0 ? f->quadratic[0].column : -1;
    // quadratic and linear terms of one unknown only
    if (!work->problem->equality[source] || unknown < 0) return false;
    for (int k = 0; k < f->nquadratic; k++)
        if (f->quadratic[k].row != unknown || f->quadratic[k].column != unknown) return false;
    for (int k = 0; k < f->nlinear; k++)
        if (f->linear[k].column != unknown) return false;
    load_remainder(work, f);
    // a x^2 + b x + c = 0
    tact_real a = work->S[unknown * n + unknown] / 2, b = work->s[unknown], c = f->constant, root = b * b - 4 * a * c;
    if (a == 0 || !(root >= 0)) return false;
    // first the root without cancellation
    tact_real far = -(b + (b < 0 ? -tact_sqrt(root) : tact_sqrt(root))) / 2, p = far / a, q = far != 0 ? c / far : p;
    // low <= x <= high as two rows; one of them is zero
    int low = add_cut(work, unknown, 1, -tact_min(p, q)), high = add_cut(work, unknown, -1, tact_max(p, q));
    work->choice[work->nchoice++] = (tact_choice){.a = low, .b = high, .source = source, .factor = a};
    return true;
}

void tact_qcqp_analyse(tact_qcqp_work *work) {
    TACT_ASSERT(work);
    const tact_qcqp *problem = work->problem;
    // linear constraints stay as they are; the others are tried as two values of an unknown and as products
    work->nrow = problem->ncon;
    work->nentry = work->nchoice = work->ngeneral = 0;
    for (int i = 0; i < problem->ncon; i++) {
        bool linear = true;
        for (int k = 0; k < problem->constraint[i].nquadratic; k++)
            linear = linear && problem->constraint[i].quadratic[k].value == 0;
        work->row[i] = problem->constraint[i];
        work->general[i] = false;
        work->kind[i] = !linear ? TACT_ROW_OFF : problem->equality[i] ? TACT_ROW_EQUAL : TACT_ROW_AT_LEAST;
    }
    // constraints that are neither are general
    for (int i = 0; i < problem->ncon; i++) {
        if (work->kind[i] != TACT_ROW_OFF || take_values(work, i)) continue;
        // the constraint as a sum of products, if possible
        const tact_quadratic *f = &work->problem->constraint[i];
        int before = work->nchoice;
        // the remainder after all products, including the constant, must be rounding
        tact_real constant = f->constant, size = tact_fabs(f->constant), scale = 0;
        load_remainder(work, f);
        for (int k = 0; k < f->nquadratic; k++) scale = tact_max(scale, tact_fabs(f->quadratic[k].value));
        if (peel_all(work, i, scale, &constant, &size) && is_small(constant, size)) continue;
        work->nchoice = before;

        work->general[i] = true;
        work->ngeneral++;
    }
}

void tact_qcqp_decide(tact_qcqp_work *work) {
    TACT_ASSERT(work);
    for (int i = 0; i < work->nrow; i++) work->present[i] = work->kind[i];
    for (int k = 0; k < work->nchoice; k++)
        if (work->side[k]) work->present[work->side[k] == 1 ? work->choice[k].a : work->choice[k].b] = TACT_ROW_EQUAL;
}
