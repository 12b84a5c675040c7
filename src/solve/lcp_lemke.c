// SPDX-License-Identifier: MIT
// Lemke's method: w = q + M z + d z0, z0 first as large as needed; then the complement of what left enters, until z0 leaves
// (solved) or nothing stops what enters (a ray). M is equilibrated first, rows and columns, by powers of two. The same
// dictionary minimises z0 by the simplex method to see whether w >= 0, z >= 0 contradict each other.
#include "solve/lcp_dictionary.h"
#include "solve/lu.h"
enum {
    LEMKE_TIES = 1024,     // roundings within which values are equal
    LEMKE_ROUNDS = 6,      // walks, each on what the one before left
    LEMKE_REFINED = 2,     // refinements of a basis
    LEMKE_ROUNDINGS = 16,  // of a value's terms: below it is 0
};

// the power of two that brings x near 1
static tact_real power_of_two(tact_real x) {
    tact_real p = 1;
    if (!(x > 0) || !(x < TACT_MAX)) return 1;
    // Powers of two change no bit of a mantissa.
    while (x * p > 2) p /= 2;
    while (x * p < TACT_REAL(0.5) && p < TACT_MAX / 4) p *= 2;
    return p;
}

void tact_lcp_equilibrate(tact_lcp_case *c, tact_real *size) {
    TACT_ASSERT(c);
    int n = c->n;
    size_t stride = (size_t)c->work->stride;
    tact_real *E = tact_lcp_vector(c->work, 0), *D = tact_lcp_vector(c->work, 1), *q = tact_lcp_vector(c->work, 2), most = 0;
    tact_real *column = tact_lcp_vector(c->work, 3);
    // Symmetric M: E = D, by the square root of the largest entry of a row, so that E M E stays symmetric. Otherwise rows first,
    // then columns of E M.
    for (int j = 0; j < n; j++) column[j] = 0;
    for (int i = 0; i < n; i++) {
        const tact_real *row = c->M + (size_t)i * (size_t)n;
        tact_real large = 0;
        for (int j = 0; j < n; j++) large = tact_max(large, tact_fabs(row[j]));
        // In a semi-definite M the diagonal bounds the row; below eps of it an entry is rounding.
        if (c->symmetric && row[i] > 0) large = tact_max(row[i], large * TACT_EPS);
        E[i] = power_of_two(c->symmetric && large > 0 ? tact_sqrt(large) : large);
        for (int j = 0; j < n; j++) column[j] = tact_max(column[j], tact_fabs(row[j]) * E[i]);
    }
    for (int j = 0; j < n; j++) D[j] = c->symmetric ? E[j] : power_of_two(column[j]);
    // q to size 1; size brings z back.
    for (int i = 0; i < n; i++) most = tact_max(most, tact_fabs(c->q[i]) * E[i]);
    *size = 1 / power_of_two(most);
    for (int i = 0; i < n; i++) {
        const tact_real *row = c->M + (size_t)i * (size_t)n;
        tact_real *to = c->work->table + (size_t)i * stride;
        for (int j = 0; j < n; j++) to[j] = E[i] * row[j] * D[j];
        q[i] = E[i] * c->q[i] / *size;
    }
}

// Entry i of covering vector k: 1; max(-q_i, 0.01); or pseudo-random between 1 and 2, or between 0.01 and 100.
static tact_real lemke_cover(const tact_real *q, int i, int k) {
    TACT_ASSERT(k >= 0);
    if (k == 0) return 1;
    if (k == 1) return tact_max(-q[i], TACT_REAL(0.01));
    // hash of (i, k): the same covering vectors on every machine
    uint32_t x = (uint32_t)(i + 1) * 2654435761u + (uint32_t)k * 2246822519u;
    x = (x ^ (x >> 15)) * 2246822519u;
    x = (x ^ (x >> 13)) * 3266489917u;
    x ^= x >> 16;
    tact_real u = (tact_real)(x >> 8) / (tact_real)(1 << 24);
    if (k % 2 == 0) return 1 + u;
    // 0.01, doubled up to twelve times
    tact_real d = TACT_REAL(0.01);
    for (int e = 0; e < (int)(13 * u); e++) d *= 2;
    return d;
}

// Starts Lemke's dictionary for the equilibrated problem with covering vector k.
static void lemke_begin(tact_lcp_case *c, int k, tact_lcp_dictionary *d, tact_real *size) {
    tact_lcp_equilibrate(c, size);
    const tact_real *q = tact_lcp_vector(c->work, 2);
    tact_lcp_dictionary_begin(d, c->work, c->n, c->n);
    // row i: w_i = M_i z + d_i z0 + q_i
    for (int i = 0; i < c->n; i++) {
        tact_real *row = tact_lcp_dictionary_row(d, i);
        row[c->n] = lemke_cover(q, i, k);
        row[c->n + 1] = q[i];
    }
}

// Solves the active set of the final basis exactly; if that fails, takes the values of the dictionary.
static bool lemke_finish(tact_lcp_case *c, const tact_lcp_dictionary *d, tact_real size) {
    // complementary basis: F is the set of basic z
    for (int j = 0; j < c->n; j++) c->active[j] = d->place[d->rows + j] >= 0;
    if (tact_lcp_polish(c)) return true;
    // basic variables have the value in the last column, others 0; D and size undo the equilibration
    const tact_real *D = tact_lcp_vector(c->work, 1);
    for (int j = 0; j < c->n; j++) {
        int place = d->place[d->rows + j];
        tact_real value = place >= 0 ? tact_lcp_dictionary_row(d, place)[d->columns + 1] : 0;
        c->z[j] = tact_max(value, 0) * D[j] * size;
    }
    tact_lcp_judge(c);
    if (c->residual <= c->tolerance) return true;
    return tact_lcp_polish(c);
}

// Makes the unknowns of the set in trial basic in a new dictionary, with complete pivoting. False when their matrix is
// singular.
static bool lemke_take_basis(tact_lcp_dictionary *d, const unsigned char *set) {
    int n = d->rows, left = 0;
    // the largest entry whose row is a w and whose column is a z of the set
    for (int j = 0; j < n; j++) left += set[j];
    for (; left > 0; left--) {
        int row = -1, column = -1;
        tact_real most = d->tiny;
        for (int i = 0; i < n; i++) {
            if (!set[i] || d->place[i] < 0) continue;
            const tact_real *value = tact_lcp_dictionary_row(d, d->place[i]);
            for (int j = 0; j < n; j++) {
                if (!set[j] || d->place[n + j] >= 0 || !(tact_fabs(value[-1 - d->place[n + j]]) > most)) continue;
                column = -1 - d->place[n + j];
                most = tact_fabs(value[column]);
                row = d->place[i];
            }
        }
        // no pivot left: M_FF is singular
        if (row < 0) return false;
        tact_lcp_dictionary_pivot(d, row, column);
    }
    return true;
}

// Row i of w = q + M z in the equilibrated problem; size: the sum of the magnitudes of its terms.
static tact_real lemke_residual(const tact_lcp_case *c, int i, const tact_real *z, tact_real *size) {
    TACT_ASSERT(0 <= i && i < c->n);
    const tact_real *row = c->M + (size_t)i * (size_t)c->n, *D = tact_lcp_vector(c->work, 1);
    tact_real E = tact_lcp_vector(c->work, 0)[i], sum = tact_lcp_vector(c->work, 2)[i];
    // row i of E (q + M D z), term by term, with their magnitudes
    *size = tact_fabs(sum);
    for (int j = 0; j < c->n; j++) {
        if (z[j] == 0) continue;
        tact_real t = E * row[j] * D[j] * z[j];
        sum += t;
        *size += tact_fabs(t);
    }
    return sum;
}

// Recomputes the values of the basic variables from M and q: z with iterative refinement, then w. Values within rounding become
// 0. Returns the least value.
static tact_real lemke_renew_values(tact_lcp_case *c, tact_lcp_dictionary *d) {
    TACT_ASSERT(c->work->stride >= c->n);
    int n = d->rows, last = d->columns + 1;
    tact_real *z = tact_lcp_vector(c->work, 3), *off = tact_lcp_vector(c->work, 4), *size = tact_lcp_vector(c->work, 5),
              least = 0;
    for (int j = 0; j < n; j++) z[j] = d->place[n + j] < 0 ? 0 : tact_lcp_dictionary_row(d, d->place[n + j])[last];
    // z -= M_FF^-1 (M z + q)_F, with the inverse in the dictionary
    for (int round = 0; round < LEMKE_REFINED; round++) {
        for (int i = 0; i < n; i++) off[i] = lemke_residual(c, i, z, &size[i]);
        for (int j = 0; j < n; j++) {
            if (d->place[n + j] < 0) continue;
            const tact_real *row = tact_lcp_dictionary_row(d, d->place[n + j]);
            for (int i = 0; i < n; i++)
                if (d->place[i] < 0) z[j] -= row[-1 - d->place[i]] * off[i];
        }
    }
    // values from the problem itself, free of the rounding of many pivots
    for (int i = 0; i < n; i++) off[i] = lemke_residual(c, i, z, &size[i]);
    for (int r = 0; r < n; r++) {
        tact_real *row = tact_lcp_dictionary_row(d, r), rounding = 0, value = 0;
        if (d->basic[r] < n) {
            value = off[d->basic[r]];
            rounding = size[d->basic[r]];
        } else {
            value = z[d->basic[r] - n];
            for (int i = 0; i < n; i++)
                if (d->place[i] < 0) rounding += tact_fabs(row[-1 - d->place[i]]) * size[i];
        }
        // degenerate values must be exactly 0 for the lexicographic rule
        row[last] = tact_fabs(value) <= LEMKE_ROUNDINGS * TACT_EPS * rounding ? 0 : value;
        least = tact_min(least, row[last]);
    }
    return least;
}

// Lemke's pivots, from a complementary dictionary to one without negative values.
static tact_lcp_end lemke_walk(tact_lcp_case *c, tact_lcp_dictionary *d, int limit, tact_real *ray) {
    int n = c->n;
    // z0 is of size 1 when it enters, and adds its rounding to all values
    d->rounding = LEMKE_TIES * TACT_EPS;
    // z0 enters with the least value that makes all values nonnegative
    if (!tact_lcp_dictionary_cover(d)) return TACT_LCP_FOUND;
    int left = d->loose[d->columns];
    for (int i = 0; i < limit; i++) {
        // complementary pivot rule: z0 has left (solved), or the complement of the leaving variable enters
        if (left == 2 * n) return TACT_LCP_FOUND;
        int enters = left < n ? left + n : left - n, column = -1 - d->place[enters];
        int row = tact_lcp_dictionary_block(d, column);
        // nothing blocks the entering variable: a ray
        if (row < 0) {
            // along the ray a basic variable grows by its entry in the entering column, the entering one by 1
            const tact_real *D = tact_lcp_vector(c->work, 1);
            for (int j = 0; j < c->n; j++) {
                int place = d->place[d->rows + j];
                tact_real value = place >= 0 ? tact_lcp_dictionary_row(d, place)[column] : -1 - place == column;
                ray[j] = tact_max(value, 0) * D[j];
            }
            return TACT_LCP_ON_RAY;
        }
        left = d->basic[row];
        tact_lcp_dictionary_pivot(d, row, column);
        c->pivots++;
    }
    return TACT_LCP_STOPPED;
}

tact_lcp_end tact_lcp_lemke(tact_lcp_case *c, int k, int limit, tact_real *ray) {
    TACT_ASSERT(c);
    tact_lcp_dictionary d;
    tact_real size = 0;
    // rounds: each solves for the residual that the last one left
    lemke_begin(c, k, &d, &size);
    const int begin = c->pivots;
    for (int round = 0; round < LEMKE_ROUNDS && c->pivots - begin < limit; round++) {
        tact_lcp_end end = lemke_walk(c, &d, limit - (c->pivots - begin), ray);
        if (end != TACT_LCP_FOUND) return end;
        if (lemke_finish(c, &d, size)) return TACT_LCP_FOUND;
        // Restart. Where small parts of q were lost in the rounding of large ones, Lemke's path ends at a set that is right for
        // the large ones only. Starts again with that set basic and the remaining residual as the values.
        TACT_ASSERT(d.rows == c->n);
        unsigned char *set = c->work->trial;
        int n = c->n;
        for (int j = 0; j < n; j++) set[j] = d.place[n + j] >= 0;
        lemke_begin(c, k, &d, &size);
        if (!lemke_take_basis(&d, set)) return TACT_LCP_STOPPED;
        tact_real least = lemke_renew_values(c, &d);
        if (!(least < 0)) return TACT_LCP_STOPPED;
        // scale the largest violation to 1; z0 covers the rest
        for (int r = 0; r < n; r++) {
            tact_real *row = tact_lcp_dictionary_row(&d, r);
            row[n] = lemke_cover(tact_lcp_vector(c->work, 2), r, k);
            row[n + 1] /= -least;
        }
        size *= -least;
    }
    return TACT_LCP_STOPPED;
}

// Certificate y for the final basis, computed from M itself without the rounding of the pivots: y = 0 where w is basic, M'y = 0
// where z is, e'y = 1, in the equilibrated problem. False when the basis is singular.
static bool lemke_solve_proof(tact_lcp_case *c, const tact_lcp_dictionary *d, tact_real *y) {
    const tact_real *E = tact_lcp_vector(c->work, 0), *D = tact_lcp_vector(c->work, 1);
    tact_real *b = tact_lcp_vector(c->work, 3), *x = tact_lcp_vector(c->work, 4), *step = tact_lcp_vector(c->work, 5);
    tact_lu lu = {.stride = (size_t)c->work->stride, .value = c->work->factor, .order = tact_lcp_index(c->work, 4)};
    int *row = tact_lcp_index(c->work, 3), m = 0;
    size_t n = (size_t)c->n;
    // unknowns: y_i where w_i is not basic; equations: one for each basic z_j, and e'y = 1
    for (int i = 0; i < c->n; i++)
        if (d->place[i] < 0) row[m++] = i;
    for (size_t j = 0; j < n; j++) {
        if (d->place[d->rows + (int)j] < 0) continue;
        // square only if as many w have left as z have entered, and z0 is basic
        if (lu.n == m - 1) return false;
        tact_real *to = lu.value + (size_t)lu.n++ * lu.stride;
        for (int k = 0; k < m; k++) to[k] = E[row[k]] * c->M[(size_t)row[k] * n + j] * D[j];
    }
    if (lu.n != m - 1) return false;
    for (int k = 0; k < m; k++) lu.value[(size_t)lu.n * lu.stride + (size_t)k] = 1;
    lu.n = m;
    if (!tact_lu_factor(&lu, TACT_EPS, step)) return false;
    // right-hand side e_m
    for (int k = 0; k < m; k++) b[k] = k == m - 1;
    tact_lu_solve(&lu, b, x);
    for (int i = 0; i < c->n; i++) y[i] = 0;
    for (int k = 0; k < m; k++) y[row[k]] = tact_max(x[k], 0) * E[row[k]];
    return true;
}

// Scales the largest entry to 1; entries that are rounding beside the others in the equilibrated problem become 0.
static void lemke_scale_proof(const tact_lcp_case *c, tact_real *y) {
    TACT_ASSERT(y || c->n == 0);
    const tact_real *E = tact_lcp_vector(c->work, 0);
    tact_real most = 0, largest = 0;
    for (int i = 0; i < c->n; i++) {
        most = tact_max(most, y[i]);
        // y / E: the certificate of the equilibrated problem
        largest = tact_max(largest, y[i] / E[i]);
    }
    for (int i = 0; i < c->n; i++) y[i] = y[i] / E[i] > TACT_EPS * largest ? y[i] / most : 0;
}

// Whether y is a certificate: y >= 0, M'y <= 0, q'y < 0, each to rounding.
static bool lemke_proves(const tact_lcp_case *c, const tact_real *y) {
    size_t n = (size_t)c->n;
    // q'y < 0 by more than its rounding
    tact_real value = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        value += c->q[i] * y[i];
        size += tact_fabs(c->q[i] * y[i]);
    }
    if (!(value < -1024 * TACT_EPS * size)) return false;
    // M'y <= 0 column by column, to rounding
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
    TACT_ASSERT(c);
    tact_lcp_dictionary d;
    tact_real size = 0;
    // phase 1 of the simplex method; z0 > 0 at the minimum proves infeasibility
    lemke_begin(c, 0, &d, &size);
    tact_lcp_end end = tact_lcp_dictionary_descend(&d, 20 * c->n + 100);
    if (end != TACT_LCP_ON_RAY) return end;
    // Farkas' multipliers are the reduced costs of the nonbasic w
    const tact_real *row = tact_lcp_dictionary_row(&d, d.place[d.rows + d.columns]), *E = tact_lcp_vector(c->work, 0);
    for (int i = 0; i < c->n; i++) y[i] = d.place[i] < 0 ? tact_max(row[-1 - d.place[i]], 0) * E[i] : 0;
    lemke_scale_proof(c, y);
    if (lemke_proves(c, y)) return TACT_LCP_ON_RAY;
    // spoiled by the rounding of the pivots: solve for them from M
    if (!lemke_solve_proof(c, &d, y)) return TACT_LCP_STOPPED;
    lemke_scale_proof(c, y);
    return lemke_proves(c, y) ? TACT_LCP_ON_RAY : TACT_LCP_STOPPED;
}
