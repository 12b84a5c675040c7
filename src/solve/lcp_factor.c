// SPDX-License-Identifier: MIT
// M_FF = L D L', stored as the rows of D L'. Row i of D L' is M_Fi minus sum over k < i of l_ki times row k. When member p is
// removed, the rows below it receive its part as a rank-one update: L D L' + d_p l l' (Gill, Golub, Murray and Saunders 1974,
// method C1).
#include "solve/lcp_factor.h"

void tact_lcp_factor_begin(tact_lcp_factor *f, tact_lcp_case *c) {
    TACT_ASSERT(f);
    TACT_ASSERT(c->work->stride >= c->n + 1);
    f->c = c;
    f->list = tact_lcp_index(c->work, 0);
    f->value = c->work->factor;
    f->inverse = tact_lcp_vector(c->work, 0);
    f->x = tact_lcp_vector(c->work, 1);
    f->stride = (size_t)c->work->stride;
    f->count = f->kept = 0;
    // F in the order of the unknowns
    for (int i = 0; i < c->n; i++)
        if (c->active[i]) f->list[f->count++] = i;
}

bool tact_lcp_factor_rows(tact_lcp_factor *f) {
    TACT_ASSERT(f);
    const tact_lcp_case *c = f->c;
    int m = f->count;
    // row i of D L': M_Fi minus the contributions of the rows above; columns before `from` are kept from the last factor
    for (int i = 0; i < m; i++) {
        int from = i > f->kept ? i : f->kept, k = 0;
        const tact_real *M = c->M + (size_t)f->list[i] * (size_t)c->n;
        tact_real *row = f->value + (size_t)i * f->stride, least = 256 * TACT_EPS * M[f->list[i]];
        for (int j = from; j < m; j++) row[j] = M[f->list[j]];
        // the right-hand side is an extra column, which becomes L^-1 (-q_F)
        row[m] = -c->q[f->list[i]];
        // four rows at a time, with one load and store of the sum
        for (; k + 4 <= i; k += 4) {
            const tact_real *above = f->value + (size_t)k * f->stride, *rows[4];
            tact_real a[4];
            for (int l = 0; l < 4; l++, above += f->stride) {
                rows[l] = above + from;
                a[l] = -above[i] * f->inverse[k + l];
            }
            tact_lcp_add_four(row + from, rows, a, m + 1 - from);
        }
        for (; k < i; k++) {
            const tact_real *above = f->value + (size_t)k * f->stride;
            tact_add_row(row + from, -above[i] * f->inverse[k], above + from, m + 1 - from);
        }
        if (i < f->kept) continue;
        // singular: the pivot has cancelled to 256 eps of its diagonal entry
        if (!(row[i] > least)) return false;
        f->inverse[i] = 1 / row[i];
    }
    return true;
}

void tact_lcp_factor_back(tact_lcp_factor *f) {
    TACT_ASSERT(f);
    int m = f->count;
    // L'x = D^-1 L^-1 (-q_F), by rows of D L' from the last
    for (int i = m - 1; i >= 0; i--) {
        const tact_real *row = f->value + (size_t)i * f->stride;
        f->x[i] = (row[m] - tact_lcp_dot(row + i + 1, f->x + i + 1, m - i - 1)) * f->inverse[i];
    }
}

void tact_lcp_factor_multiply(const tact_lcp_factor *f) {
    TACT_ASSERT(f);
    const tact_lcp_case *c = f->c;
    // w = q + M_:F z_F
    for (int i = 0; i < c->n; i++) c->w[i] = c->q[i];
    tact_lcp_add_rows(c->w, c->M, c->n, f->list, f->x, f->count);
}

void tact_lcp_factor_forward(const tact_lcp_factor *f, tact_real *y) {
    TACT_ASSERT(f);
    int m = f->count, k = 0;
    // L y' = y in blocks of four columns: y_j -= l_jk y_k
    for (; k + 4 <= m; k += 4) {
        const tact_real *row = f->value + (size_t)k * f->stride + k, *rows[4];
        tact_real a[4];
        for (int l = 0; l < 4; l++, row += f->stride) {
            a[l] = -y[k + l] * f->inverse[k + l];
            for (int j = l + 1; j < 4; j++) y[k + j] += a[l] * row[j];
            rows[l] = row + 4;
        }
        tact_lcp_add_four(y + k + 4, rows, a, m - k - 4);
    }
    for (; k < m; k++) tact_add_row(y + k + 1, -y[k] * f->inverse[k], f->value + (size_t)k * f->stride + k + 1, m - k - 1);
}

void tact_lcp_factor_backward(const tact_lcp_factor *f, tact_real *y) {
    TACT_ASSERT(f);
    int m = f->count;
    // D L' y = right-hand side
    for (int i = m - 1; i >= 0; i--)
        y[i] = (y[i] - tact_lcp_dot(f->value + (size_t)i * f->stride + i + 1, y + i + 1, m - i - 1)) * f->inverse[i];
}

void tact_lcp_factor_append(tact_lcp_factor *f, int i, const tact_real *y, tact_real pivot) {
    TACT_ASSERT(f);
    // last column of D L', and the new pivot
    size_t m = (size_t)f->count++;
    for (size_t k = 0; k < m; k++) f->value[k * f->stride + m] = y[k];
    f->value[m * f->stride + m] = pivot;
    f->inverse[m] = 1 / pivot;
    f->list[m] = i;
}

// A row of D L' in the rank-one update: d' = d + a p^2, v -= p l, l += b v.
static void factor_update_row(tact_real *restrict row, tact_real *restrict v, int n, const tact_real k[4]) {
    tact_real inverse = k[0], p = k[1], b = k[2], d = k[3];
    for (int j = 0; j < n; j++) {
        tact_real l = row[j] * inverse, x = v[j] - p * l;
        v[j] = x;
        row[j] = d * (l + b * x);
    }
}

void tact_lcp_factor_remove(tact_lcp_factor *f, int p) {
    TACT_ASSERT(p >= 0 && p < f->count);
    int m = f->count - 1;
    const tact_real *gone = f->value + (size_t)p * f->stride;
    tact_real *v = tact_lcp_vector(f->c->work, 7), a = 1 / f->inverse[p];
    // v = row of L' of the member removed, a = its pivot
    for (int j = p; j < m; j++) v[j] = gone[j + 1] * f->inverse[p];
    // rows above lose a column
    for (int i = 0; i < p; i++) {
        tact_real *row = f->value + (size_t)i * f->stride;
        for (int j = p; j < m; j++) row[j] = row[j + 1];
    }
    // rows below: rank-one update of L D L' by a v v', one pivot at a time
    for (int i = p; i < m; i++) {
        tact_real *row = f->value + (size_t)i * f->stride;
        const tact_real *from = row + f->stride;
        tact_real inverse = f->inverse[i + 1], d = from[i + 1], x = v[i], next = d + a * x * x, b = a * x / next;
        for (int j = i + 1; j < m; j++) row[j] = from[j + 1];
        row[i] = next;
        f->inverse[i] = 1 / next;
        factor_update_row(row + i + 1, v + i + 1, m - i - 1, (const tact_real[4]){inverse, x, b, next});
        // the remaining factor a for the rows below
        a *= d / next;
        f->list[i] = f->list[i + 1];
    }
    f->count = m;
}

bool tact_lcp_factor_refine(tact_lcp_factor *f) {
    TACT_ASSERT(f);
    tact_lcp_case *c = f->c;
    tact_real *y = tact_lcp_vector(c->work, 8), *keep = tact_lcp_vector(c->work, 9);
    tact_lcp_judge(c);
    // iterative refinement dz_F = -M_FF^-1 w_F while the residual falls
    for (int round = 0; round < 3 && c->residual > 64 * TACT_EPS; round++) {
        tact_real last = c->residual;
        for (int i = 0; i < f->count; i++) y[i] = -c->w[f->list[i]];
        tact_lcp_factor_forward(f, y);
        tact_lcp_factor_backward(f, y);
        for (int i = 0; i < f->count; i++) {
            keep[i] = c->z[f->list[i]];
            c->z[f->list[i]] = keep[i] + y[i];
        }
        tact_lcp_judge(c);
        if (c->residual < last) continue;
        // worse: undo the step
        for (int i = 0; i < f->count; i++) c->z[f->list[i]] = keep[i];
        tact_lcp_judge(c);
        break;
    }
    return c->residual <= c->tolerance;
}
