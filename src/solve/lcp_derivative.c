// SPDX-License-Identifier: MIT
// Derivatives of the solution. On the active set M_FF z_F = -q_F, hence M_FF dz_F = -(dM z + dq)_F; in reverse mode y_F =
// -M_FF^-T g_F is the gradient by q, and y z' that by M.
#include "solve/lcp.h"
#include "solve/lu.h"

// Active set F and factors of M_FF. False where the solution has a kink; lu->n = 0 if M_FF is singular.
static bool factor_active(const tact_lcp_problem *p, const tact_lcp_solution *solution, tact_lcp_work *work, tact_lu *lu,
                          int *list) {
    TACT_ASSERT(!p->lo && !p->hi && p->n <= work->n);
    size_t n = (size_t)p->n;
    tact_real most = 0;
    bool smooth = true;
    int m = 0;
    for (size_t i = 0; i < n; i++) most = tact_max(most, solution->z[i]);
    // strictly active (z_i > 0) or strictly inactive (w_i > 0); otherwise the solution has a kink
    for (size_t i = 0; i < n; i++) {
        tact_real size = tact_fabs(p->q[i]), w = p->q[i];
        for (size_t j = 0; j < n; j++) {
            tact_real t = p->M[i * n + j] * solution->z[j];
            size += tact_fabs(t);
            w += t;
        }
        bool held = solution->z[i] > TACT_LCP_TOLERANCE * most, open = w > TACT_LCP_TOLERANCE * size;
        smooth = smooth && (held || open);
        if (held) list[m++] = (int)i;
    }
    // M_FF, which must be regular
    *lu = (tact_lu){.n = m, .stride = (size_t)work->stride, .value = work->factor, .order = tact_lcp_index(work, 4)};
    for (size_t i = 0; i < (size_t)m; i++)
        for (size_t j = 0; j < (size_t)m; j++) lu->value[i * lu->stride + j] = p->M[(size_t)list[i] * n + (size_t)list[j]];
    if (tact_lu_factor(lu, 64 * TACT_EPS, tact_lcp_vector(work, 0))) return smooth;
    lu->n = 0;
    return false;
}

bool tact_lcp_forward(const tact_lcp_problem *p, const tact_lcp_solution *solution, const tact_real *dM, const tact_real *dq,
                      tact_lcp_work *work, tact_real *dz) {
    TACT_ASSERT(p && solution && work && (dz || p->n == 0));
    tact_lu lu;
    int *list = tact_lcp_index(work, 3), n = p->n;
    bool smooth = factor_active(p, solution, work, &lu, list);
    tact_real *b = tact_lcp_vector(work, 1), *x = tact_lcp_vector(work, 2);
    // right-hand side -(dM z + dq)_F
    for (int k = 0; k < lu.n; k++) {
        b[k] = dq ? -dq[list[k]] : 0;
        if (dM) b[k] -= tact_lcp_dot(dM + (size_t)list[k] * (size_t)n, solution->z, n);
    }
    tact_lu_solve(&lu, b, x);
    // dz = 0 outside F, to first order
    for (int i = 0; i < n; i++) dz[i] = 0;
    for (int k = 0; k < lu.n; k++) dz[list[k]] = x[k];
    return smooth;
}

bool tact_lcp_reverse(const tact_lcp_problem *p, const tact_lcp_solution *solution, const tact_real *g, tact_lcp_work *work,
                      tact_real *by_q, tact_real *by_M) {
    TACT_ASSERT(p && solution && work && ((g && by_q) || p->n == 0));
    tact_lu lu;
    int *list = tact_lcp_index(work, 3), n = p->n;
    bool smooth = factor_active(p, solution, work, &lu, list);
    tact_real *b = tact_lcp_vector(work, 1), *x = tact_lcp_vector(work, 2);
    // adjoint equations M_FF' y = -g_F
    for (int k = 0; k < lu.n; k++) b[k] = -g[list[k]];
    tact_lu_solve_transposed(&lu, b, x);
    for (int i = 0; i < n; i++) by_q[i] = 0;
    for (int k = 0; k < lu.n; k++) by_q[list[k]] = x[k];
    // gradient by M: y z'
    for (int i = 0; i < n && by_M; i++)
        for (int j = 0; j < n; j++) by_M[(size_t)i * (size_t)n + (size_t)j] = by_q[i] * solution->z[j];
    return smooth;
}
