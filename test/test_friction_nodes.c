// SPDX-License-Identifier: MIT
// A point mass between two contacts that face each other, by nodes and by the dense matrix: both say the same, and where the
// contacts close on the mass that there is no answer. There passes change the impulses by the same each time, without a slope
// from one to the next.
#include "solve/friction.h"
#include "tact/friction.h"
#include "test.h"

enum { CASES = 300 };

static double memory[100000];

int main(void) {
    uint64_t seed = test_seed(61);
    int differ = 0, none = 0;
    for (int t = 0; t < CASES; t++) {
        // gaps close by q; M = m I, normals along x and against it
        const tact_real m = (tact_real)test_random(&seed, 0.1, 30), mu = (tact_real)(t % 3) / 2;
        const tact_real q[6] = {(tact_real)test_random(&seed, -1, 0.2), 0, 0, (tact_real)test_random(&seed, -1, 0.2), 0, 0};
        const tact_real own[2][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {-1, 0, 0, 0, 1, 0, 0, 0, 1}},
                        M[9] = {m, 0, 0, 0, m, 0, 0, 0, m};
        const tact_real both[2] = {mu, mu};
        tact_real W[36], J[36] = {0}, r[2][6], u[2][6], motion[3], scratch[2 * TACT_FRICTION_SCRATCH];
        int row_start[3] = {0, 2, 4}, column[4] = {0, 1, 0, 1}, node[4] = {0, -1, 0, -1}, start[2] = {0, 3};
        for (int a = 0; a < 2; a++)
            for (int k = 0; k < 9; k++) J[18 * a + k] = own[a][k];
        // W = J M^-1 J', of diagonal blocks
        for (int block = 0; block < 4; block++)
            for (int k = 0; k < 9; k++) W[9 * block + k] = k % 4 == 0 ? own[block / 2][k] * own[block % 2][k] / m : 0;
        tact_arena arena = {.memory = (unsigned char *)memory, .size = sizeof memory};
        tact_blocks blocks = {.n = 1};
        tact_blocks_place(&blocks, (tact_blocks_room){.nodes = 1, .widest = 3, .squares = 9, .edges = 1}, &arena);
        blocks.start = start;
        tact_blocks_begin(&blocks, 1);
        CHECK(tact_blocks_arrange(&blocks));
        tact_friction_nodes nodes = {
            .blocks = &blocks, .inertia = M, .node = node, .J = J, .stride = 9, .motion = motion, .scratch = scratch};
        tact_friction_work work;
        tact_friction_place_nodes(&work, 2, 2, 4, &arena);
        CHECK(tact_arena_fits(&arena));
        tact_friction_problem problem = {.nc = 2, .W = W, .q = q, .mu = both, .row_start = row_start, .column = column};
        tact_friction_options options = tact_friction_options_default();
        tact_friction_solution by_nodes = {.r = r[0], .u = u[0]}, dense = {.r = r[1], .u = u[1]};
        tact_status first = tact_friction_solve_by_nodes(&problem, &nodes, &options, &work, &by_nodes);
        tact_status second = tact_friction_solve(&problem, &options, &work, &dense);
        // the mass cannot leave both: q along the normals must not sum up to less than nothing
        bool wedged = q[0] + q[3] < 0;
        differ += first != second;
        none += wedged && first == TACT_INFEASIBLE;
        CHECK(wedged ? first != TACT_CONVERGED : first == TACT_CONVERGED);
    }
    printf("%d of %d have no answer\n", none, CASES);
    CHECK(none > CASES / 2);
    CHECK_INT(differ, 0);
    return test_end("friction_nodes");
}
