// SPDX-License-Identifier: MIT
// Residual of a solution, and the exact solution on its active set.
#include "solve/lcp.h"
#include "solve/lu.h"

// w = q + M z and size = |M| |z|, by the columns of a symmetric M with nonzero z.
static void multiply_symmetric(const tact_lcp_case *c, tact_real *restrict w, tact_real *restrict size) {
    TACT_ASSERT(c->symmetric);
    int n = c->n;
    for (int i = 0; i < n; i++) {
        w[i] = c->q[i];
        size[i] = 0;
    }
    // column j of M is its row j
    for (int j = 0; j < n; j++) {
        const tact_real *restrict row = c->M + (size_t)j * (size_t)n;
        tact_real z = c->z[j];
        if (z == 0) continue;
        for (int i = 0; i < n; i++) {
            tact_real t = z * row[i];
            w[i] += t;
            size[i] += tact_fabs(t);
        }
    }
}

// w = M z + q, and size = |M| |z|, which bounds the rounding of w.
static void multiply_rows(const tact_lcp_case *c, tact_real *w, tact_real *size) {
    int n = c->n;
    for (int i = 0; i < n; i++) {
        const tact_real *row = c->M + (size_t)i * (size_t)n;
        // two independent sums, for instruction-level parallelism
        tact_real s0 = c->q[i], s1 = 0, a0 = 0, a1 = 0;
        int j = 0;
        for (; j + 2 <= n; j += 2) {
            tact_real t0 = row[j] * c->z[j], t1 = row[j + 1] * c->z[j + 1];
            s0 += t0;
            s1 += t1;
            a0 += tact_fabs(t0);
            a1 += tact_fabs(t1);
        }
        // the last column where n is odd
        for (; j < n; j++) {
            s0 += row[j] * c->z[j];
            a0 += tact_fabs(row[j] * c->z[j]);
        }
        // w = q + M z; size bounds its rounding
        w[i] = s0 + s1;
        size[i] = a0 + a1;
    }
}

bool tact_lcp_judge(tact_lcp_case *c) {
    TACT_ASSERT(c);
    int n = c->n;
    tact_real most = 0, worst = 0, q = 0, product = 0, *size = tact_lcp_vector(c->work, 11);
    // negative components are rounding: cut off before w is computed
    for (int i = 0; i < n; i++) {
        tact_real z = c->z[i];
        c->active[i] = z > 0;
        c->z[i] = z < 0 ? 0 : z;
        most = tact_max(most, z);
    }
    if (c->symmetric)
        multiply_symmetric(c, c->w, size);
    else
        multiply_rows(c, c->w, size);
    // residual: max |min(z_i / max z, w_i / (|q_i| + sum |M_ij z_j|))|
    tact_real unit = most > 0 ? 1 / most : 0;
    bool number = true;
    for (int i = 0; i < n; i++) {
        tact_real scale = tact_fabs(c->q[i]) + size[i], w = c->w[i], z = c->z[i] * unit;
        // |min(z, w / scale)| without the division
        tact_real least = scale > 0 && w < z * scale ? w / scale : scale > 0 ? z : tact_min(z, 0);
        worst = tact_max(worst, tact_fabs(least));
        q = tact_max(q, tact_fabs(c->q[i]));
        product = tact_max(product, size[i]);
        number = number && tact_is_finite(w) && tact_is_finite(c->z[i]);
    }
    // overflow: no residual
    c->residual = number ? worst : TACT_MAX;
    // magnitude of M z relative to q: large along a ray
    c->magnification = q > 0 ? product / q : 0;
    return c->residual <= c->tolerance;
}

// Lists the active set; its size.
static int gather_set(const tact_lcp_case *c, int *list) {
    int m = 0;
    for (int i = 0; i < c->n; i++)
        if (c->active[i]) list[m++] = i;
    return m;
}

// Factors M_FF, with a ridge relative to its largest entry; false when it is singular.
static bool factor_set(const tact_lcp_case *c, const int *list, tact_lu *lu, tact_real ridge) {
    tact_real most = 0;
    // M_FF and its largest entry
    for (int i = 0; i < lu->n; i++) {
        const tact_real *from = c->M + (size_t)list[i] * (size_t)c->n;
        tact_real *to = lu->value + (size_t)i * lu->stride;
        for (int j = 0; j < lu->n; j++) {
            to[j] = from[list[j]];
            most = tact_max(most, tact_fabs(to[j]));
        }
    }
    // a ridge makes a singular set solvable; refinement then converges to a solution with M itself
    for (int i = 0; i < lu->n; i++) lu->value[(size_t)i * lu->stride + (size_t)i] += ridge * most;
    return tact_lu_factor(lu, ridge > 0 ? TACT_EPS * TACT_REAL(1e-3) : 64 * TACT_EPS, tact_lcp_vector(c->work, 8));
}

// Iterative refinement z_F -= M_FF^-1 w_F while it reduces the residual. With a singular M_FF, the part of z in its null space
// stays.
static bool refine_set(tact_lcp_case *c, const int *list, const tact_lu *lu, int rounds) {
    TACT_ASSERT(rounds >= 0);
    tact_real *r = tact_lcp_vector(c->work, 8), *dz = tact_lcp_vector(c->work, 9), *keep = tact_lcp_vector(c->work, 10);
    // solve w_F = 0 with the given factor
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < lu->n; i++) {
            r[i] = -c->w[list[i]];
            keep[i] = c->z[list[i]];
        }
        tact_real last = c->residual;
        tact_lu_solve(lu, r, dz);
        for (int i = 0; i < lu->n; i++) c->z[list[i]] = keep[i] + dz[i];
        tact_lcp_judge(c);
        // worse: undo the last step
        if (c->residual < last && c->residual > 8 * TACT_EPS) continue;
        if (c->residual < last) break;
        for (int i = 0; i < lu->n; i++) c->z[list[i]] = keep[i];
        tact_lcp_judge(c);
        break;
    }
    return c->residual <= c->tolerance;
}

bool tact_lcp_polish(tact_lcp_case *c) {
    TACT_ASSERT(c);
    int *list = tact_lcp_index(c->work, 3);
    tact_lu lu = {.n = gather_set(c, list),
                  .stride = (size_t)c->work->stride,
                  .value = c->work->factor,
                  .order = tact_lcp_index(c->work, 4)};
    // regular set: a few rounds of refinement; singular set: a ridge of 16 sqrt(eps), and more rounds
    bool regular = factor_set(c, list, &lu, 0);
    c->pivots++;
    if (!regular && !factor_set(c, list, &lu, 16 * tact_sqrt(TACT_EPS))) return false;
    tact_real *b = tact_lcp_vector(c->work, 8), *x = tact_lcp_vector(c->work, 9);
    // M_FF z_F = -q_F
    for (int i = 0; i < lu.n; i++) b[i] = -c->q[list[i]];
    tact_lu_solve(&lu, b, x);
    for (int i = 0; i < c->n; i++) c->z[i] = 0;
    for (int i = 0; i < lu.n; i++) c->z[list[i]] = x[i];
    tact_lcp_judge(c);
    return refine_set(c, list, &lu, regular ? 4 : 12);
}

tact_real tact_lcp_residual(const tact_lcp_problem *problem, const tact_real *z, tact_real *w) {
    TACT_ASSERT(problem && problem->n >= 0 && ((z && w) || problem->n == 0));
    int n = problem->n;
    tact_real most = 0, worst = 0;
    for (int i = 0; i < n; i++) most = tact_max(most, tact_fabs(z[i]));
    tact_real unit = most > 0 ? 1 / most : 1;
    // as in tact_lcp_judge, but with the projection onto [lo, hi] in the place of min
    for (int i = 0; i < n; i++) {
        tact_real sum = problem->q[i], size = tact_fabs(sum);
        for (int j = 0; j < n; j++) {
            tact_real t = problem->M[(size_t)i * (size_t)n + (size_t)j] * z[j];
            sum += t;
            size += tact_fabs(t);
        }
        w[i] = sum;
        sum = size > 0 ? sum / size : 0;
        tact_real low = problem->lo ? problem->lo[i] : 0, high = problem->hi ? problem->hi[i] : TACT_MAX;
        tact_real value = tact_lcp_mismatch(sum, z[i], low, high, unit);
        // overflow: no residual
        if (!(value <= worst) || !tact_is_finite(size)) worst = tact_is_finite(value + size) ? value : TACT_MAX;
    }
    return worst;
}
