// SPDX-License-Identifier: MIT
// Lemke's method: w = q + M z + d z0, z0 first as large as needed; then the complement of what left enters, until z0 leaves
// (solved) or nothing stops what enters (a ray). M is equilibrated first, rows and columns, by powers of two. The same
// dictionary minimises z0 by the simplex method to see whether w >= 0, z >= 0 contradict each other.
#include "solve/lcp_dictionary.h"
#include "solve/lu.h"

// the power of two that brings x near 1
static tact_real power_of_two(tact_real x) {
    tact_real p = 1;
    if (!(x > 0) || !(x < TACT_MAX)) return 1;
    while (x * p > 2) p /= 2;
    while (x * p < TACT_REAL(0.5) && p < TACT_MAX / 4) p *= 2;
    return p;
}

void tact_lcp_equilibrate(tact_lcp_case *c, tact_real *size) {
    int n = c->n;
    size_t stride = (size_t)c->work->stride;
    tact_real *E = tact_lcp_vector(c->work, 0), *D = tact_lcp_vector(c->work, 1), *q = tact_lcp_vector(c->work, 2), most = 0;
    tact_real *column = tact_lcp_vector(c->work, 3);
    for (int j = 0; j < n; j++) column[j] = 0;
    for (int i = 0; i < n; i++) {
        const tact_real *row = c->M + (size_t)i * (size_t)n;
        tact_real large = 0;
        for (int j = 0; j < n; j++) large = tact_max(large, tact_fabs(row[j]));
        if (c->symmetric && row[i] > 0) large = tact_max(row[i], large * TACT_EPS);
        E[i] = power_of_two(c->symmetric && large > 0 ? tact_sqrt(large) : large);
        for (int j = 0; j < n; j++) column[j] = tact_max(column[j], tact_fabs(row[j]) * E[i]);
    }
    for (int j = 0; j < n; j++) D[j] = c->symmetric ? E[j] : power_of_two(column[j]);
    for (int i = 0; i < n; i++) most = tact_max(most, tact_fabs(c->q[i]) * E[i]);
    *size = 1 / power_of_two(most);
    for (int i = 0; i < n; i++) {
        const tact_real *row = c->M + (size_t)i * (size_t)n;
        tact_real *to = c->work->table + (size_t)i * stride;
        for (int j = 0; j < n; j++) to[j] = E[i] * row[j] * D[j];
        q[i] = E[i] * c->q[i] / *size;
    }
}

// entry i of covering vector k: e, -q where that is larger, and random ones between 1 and 2 or 0.01 and 100
static tact_real lemke_cover(const tact_real *q, int i, int k) {
    if (k == 0) return 1;
    if (k == 1) return tact_max(-q[i], TACT_REAL(0.01));
    uint32_t x = (uint32_t)(i + 1) * 2654435761u + (uint32_t)k * 2246822519u;
    x = (x ^ (x >> 15)) * 2246822519u;
    x = (x ^ (x >> 13)) * 3266489917u;
    x ^= x >> 16;
    tact_real u = (tact_real)(x >> 8) / (tact_real)(1 << 24);
    if (k % 2 == 0) return 1 + u;
    tact_real d = TACT_REAL(0.01);
    for (int e = 0; e < (int)(13 * u); e++) d *= 2;
    return d;
}

static void lemke_begin(tact_lcp_case *c, int k, tact_lcp_dictionary *d, tact_real *size) {
    tact_lcp_equilibrate(c, size);
    const tact_real *q = tact_lcp_vector(c->work, 2);
    tact_lcp_dictionary_begin(d, c->work, c->n, c->n);
    for (int i = 0; i < c->n; i++) {
        tact_real *row = tact_lcp_dictionary_row(d, i);
        row[c->n] = lemke_cover(q, i, k);
        row[c->n + 1] = q[i];
    }
}

// z as the dictionary has it, without scaling
static void lemke_read_values(tact_lcp_case *c, const tact_lcp_dictionary *d, tact_real size) {
    const tact_real *D = tact_lcp_vector(c->work, 1);
    for (int j = 0; j < c->n; j++) {
        int place = d->place[d->rows + j];
        tact_real value = place >= 0 ? tact_lcp_dictionary_row(d, place)[d->columns + 1] : 0;
        c->z[j] = tact_max(value, 0) * D[j] * size;
    }
}

// the set of the basis solved exactly; where that fails, the values of the dictionary
static bool lemke_finish(tact_lcp_case *c, const tact_lcp_dictionary *d, tact_real size) {
    for (int j = 0; j < c->n; j++) c->active[j] = d->place[d->rows + j] >= 0;
    if (tact_lcp_polish(c)) return true;
    lemke_read_values(c, d, size);
    tact_lcp_judge(c);
    if (c->residual <= c->tolerance) return true;
    return tact_lcp_polish(c);
}

static void lemke_read_ray(const tact_lcp_case *c, const tact_lcp_dictionary *d, int column, tact_real *ray) {
    const tact_real *D = tact_lcp_vector(c->work, 1);
    for (int j = 0; j < c->n; j++) {
        int place = d->place[d->rows + j];
        tact_real value = place >= 0 ? tact_lcp_dictionary_row(d, place)[column] : -1 - place == column;
        ray[j] = tact_max(value, 0) * D[j];
    }
}

tact_lcp_end tact_lcp_lemke(tact_lcp_case *c, int k, int limit, tact_real *ray) {
    tact_lcp_dictionary d;
    tact_real size = 0;
    int n = c->n;
    lemke_begin(c, k, &d, &size);
    if (!tact_lcp_dictionary_cover(&d)) return lemke_finish(c, &d, size) ? TACT_LCP_FOUND : TACT_LCP_STOPPED;
    int left = d.loose[d.columns];
    for (int i = 0; i < limit; i++) {
        if (left == 2 * n) return lemke_finish(c, &d, size) ? TACT_LCP_FOUND : TACT_LCP_STOPPED;
        int enters = left < n ? left + n : left - n, column = -1 - d.place[enters];
        int row = tact_lcp_dictionary_block(&d, column);
        if (row < 0) {
            lemke_read_ray(c, &d, column, ray);
            return TACT_LCP_ON_RAY;
        }
        left = d.basic[row];
        tact_lcp_dictionary_pivot(&d, row, column);
        c->pivots++;
    }
    return TACT_LCP_STOPPED;
}

// The proof y that belongs to the last dictionary, from M itself: y = 0 where w is basic, M'y = 0 where z is, e'y = 1, all in
// the equilibrated problem. What the exchanges left of rounding is gone. False when the basis is singular.
static bool lemke_solve_proof(tact_lcp_case *c, const tact_lcp_dictionary *d, tact_real *y) {
    const tact_real *E = tact_lcp_vector(c->work, 0), *D = tact_lcp_vector(c->work, 1);
    tact_real *b = tact_lcp_vector(c->work, 3), *x = tact_lcp_vector(c->work, 4), *step = tact_lcp_vector(c->work, 5);
    tact_lu lu = {.stride = (size_t)c->work->stride, .value = c->work->factor, .order = tact_lcp_index(c->work, 4)};
    int *row = tact_lcp_index(c->work, 3), m = 0;
    size_t n = (size_t)c->n;
    for (int i = 0; i < c->n; i++)
        if (d->place[i] < 0) row[m++] = i;
    for (size_t j = 0; j < n; j++) {
        if (d->place[d->rows + (int)j] < 0) continue;
        if (lu.n == m - 1) return false;
        tact_real *to = lu.value + (size_t)lu.n++ * lu.stride;
        for (int k = 0; k < m; k++) to[k] = E[row[k]] * c->M[(size_t)row[k] * n + j] * D[j];
    }
    if (lu.n != m - 1) return false;
    for (int k = 0; k < m; k++) lu.value[(size_t)lu.n * lu.stride + (size_t)k] = 1;
    lu.n = m;
    if (!tact_lu_factor(&lu, TACT_EPS, step)) return false;
    for (int k = 0; k < m; k++) b[k] = k == m - 1;
    tact_lu_solve(&lu, b, x);
    for (int i = 0; i < c->n; i++) y[i] = 0;
    for (int k = 0; k < m; k++) y[row[k]] = tact_max(x[k], 0) * E[row[k]];
    return true;
}

// The largest becomes 1; what is rounding beside the others in the equilibrated problem becomes 0.
static void lemke_scale_proof(const tact_lcp_case *c, tact_real *y) {
    const tact_real *E = tact_lcp_vector(c->work, 0);
    tact_real most = 0, largest = 0;
    for (int i = 0; i < c->n; i++) {
        most = tact_max(most, y[i]);
        largest = tact_max(largest, y[i] / E[i]);
    }
    for (int i = 0; i < c->n; i++) y[i] = y[i] / E[i] > TACT_EPS * largest ? y[i] / most : 0;
}

// y >= 0, M'y <= 0, q'y < 0, each up to rounding
static bool lemke_proves(const tact_lcp_case *c, const tact_real *y) {
    size_t n = (size_t)c->n;
    tact_real value = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        value += c->q[i] * y[i];
        size += tact_fabs(c->q[i] * y[i]);
    }
    if (!(value < -1024 * TACT_EPS * size)) return false;
    for (size_t j = 0; j < n; j++) {
        tact_real sum = 0, most = 0;
        for (size_t i = 0; i < n; i++) {
            tact_real t = c->M[i * n + j] * y[i];
            sum += t;
            most += tact_fabs(t);
        }
        if (!(sum <= 256 * TACT_EPS * most)) return false;
    }
    return true;
}

tact_lcp_end tact_lcp_feasible(tact_lcp_case *c, tact_real *y) {
    tact_lcp_dictionary d;
    tact_real size = 0;
    lemke_begin(c, 0, &d, &size);
    tact_lcp_end end = tact_lcp_dictionary_descend(&d, 20 * c->n + 100);
    if (end != TACT_LCP_ON_RAY) return end;
    const tact_real *row = tact_lcp_dictionary_row(&d, d.place[d.rows + d.columns]), *E = tact_lcp_vector(c->work, 0);
    for (int i = 0; i < c->n; i++) y[i] = d.place[i] < 0 ? tact_max(row[-1 - d.place[i]], 0) * E[i] : 0;
    lemke_scale_proof(c, y);
    if (lemke_proves(c, y)) return TACT_LCP_ON_RAY;
    if (!lemke_solve_proof(c, &d, y)) return TACT_LCP_STOPPED;
    lemke_scale_proof(c, y);
    return lemke_proves(c, y) ? TACT_LCP_ON_RAY : TACT_LCP_STOPPED;
}
