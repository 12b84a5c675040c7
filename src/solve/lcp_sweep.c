// SPDX-License-Identifier: MIT
// Projected Gauss-Seidel: z_i = clip(z_i - w_i / M_ii), one after the other. Converges for symmetric positive definite M and
// for diagonally dominant M; unknowns without a positive diagonal entry stay as they are. Diverging sweeps return to their
// start.
#include "solve/lcp.h"

// z projected to its bounds.
static tact_real sweep_clip(const tact_lcp_problem *problem, int i, tact_real z) {
    return tact_clamp(z, problem->lo ? problem->lo[i] : 0, problem->hi ? problem->hi[i] : TACT_MAX);
}

static void sweep_begin(const tact_lcp_problem *problem, tact_real *z) {
    for (int i = 0; i < problem->n; i++) z[i] = sweep_clip(problem, i, 0);
}

int tact_lcp_sweep(const tact_lcp_problem *problem, tact_real *z, tact_real *w, int limit, tact_real tolerance) {
    TACT_ASSERT(problem);
    int n = problem->n, sweep = 0;
    sweep_begin(problem, z);
    for (; sweep < limit; sweep++) {
        // the residual costs as much as a sweep
        if (sweep % 8 == 0 && tact_lcp_residual(problem, z, w) <= tolerance) break;
        for (int i = 0; i < n; i++) {
            const tact_real *row = problem->M + (size_t)i * (size_t)n;
            if (!(row[i] > 0)) continue;
            z[i] = sweep_clip(problem, i, z[i] - (problem->q[i] + tact_lcp_dot(row, z, n)) / row[i]);
            if (tact_fabs(z[i]) <= TACT_MOST_NUMBER) continue;
            sweep_begin(problem, z);
            return sweep;
        }
    }
    return sweep;
}
