// SPDX-License-Identifier: MIT
// A linear complementarity problem: w = M z + q, w >= 0, z >= 0, w'z = 0. Then: how its solution moves with q,
// and a problem without a solution, with its proof.
#include <stdio.h>
#include <tact/lcp.h>

enum { N = 2 };

static unsigned char memory[1 << 13];

int main(void) {
    static const tact_real M[N * N] = {2, 1, 1, 2}, q[N] = {-5, -6};
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_lcp_work work;
    tact_lcp_solution solution;
    tact_lcp_place(&work, N, -1, &arena);
    tact_lcp_solution_place(&solution, N, &arena);
    if (!tact_arena_fits(&arena)) return fprintf(stderr, "%zu bytes are wanted\n", arena.used), 5;

    tact_lcp_options options = tact_lcp_options_default();
    tact_lcp_problem problem = {.n = N, .M = M, .q = q};
    tact_status status = tact_lcp_solve(&problem, &options, &work, &solution);
    printf("%s: z = %.6f %.6f, w = %.6f %.6f\n", tact_status_name(status), (double)solution.z[0], (double)solution.z[1],
           (double)solution.w[0], (double)solution.w[1]);

    // dz for a change of q: -M_FF^-1 dq_F on the active unknowns
    static const tact_real none[N * N], dq[N] = {1, 0};
    tact_real dz[N];
    bool smooth = tact_lcp_forward(&problem, &solution, none, dq, &work, dz);
    printf("dz/dq_0 = %.6f %.6f%s\n", (double)dz[0], (double)dz[1], smooth ? "" : " (at a kink)");

    // -z_0 - 1 >= 0 has no solution z >= 0: the ray y proves it by y'M <= 0, y'q < 0
    static const tact_real against[N * N] = {-1, 0, 0, 1}, below[N] = {-1, 1};
    tact_lcp_problem contradiction = {.n = N, .M = against, .q = below};
    status = tact_lcp_solve(&contradiction, &options, &work, &solution);
    printf("%s: y = %.6f %.6f\n", tact_status_name(status), (double)solution.ray[0], (double)solution.ray[1]);
    return status != TACT_INFEASIBLE;
}
