// SPDX-License-Identifier: MIT
// Sparse blocks against dense elimination: factors, both solves, patterns with fill and with blocks that stay empty, islands, too
// little room for fill.
#include "solve/blocks.h"
#include "test.h"

#ifdef TACT_FLOAT
#define TIGHT 2e-4
#else
#define TIGHT 1e-11
#endif

enum { NODES = 40, MOST = 4 * NODES };

static unsigned char memory[1 << 20];

// dense A x = b by elimination with rows exchanged
static void solve_dense(double *A, double *x, int n) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        for (int j = 0; j < n; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = swap;
        }
        double swap = x[k];
        x[k] = x[best];
        x[best] = swap;
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= A[k * n + j] * x[j];
        x[k] /= A[k * n + k];
    }
}

static bool make_case(tact_blocks *blocks, int *start, uint64_t *seed, int nodes, int room, double density, int fixed) {
    tact_blocks_room size = {.nodes = nodes, .edges = room};
    start[0] = 0;
    for (int i = 0; i < nodes; i++) {
        int own = fixed ? fixed : 1 + (int)(test_random_bits(seed) % 4);
        start[i + 1] = start[i] + own;
        size.squares += own * own;
        if (own > size.widest) size.widest = own;
    }
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_blocks_place(blocks, size, &arena);
    CHECK(tact_arena_fits(&arena));
    blocks->start = start;
    tact_blocks_clear(blocks);
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < i; j++)
            if (test_random(seed, 0, 1) < density) tact_blocks_join(blocks, i, j);
    return tact_blocks_arrange(blocks);
}

// one node's column of the inverse: the same bits by its island alone, and nothing outside it
static void check_islands(tact_blocks *blocks, const int *start, int nodes) {
    tact_real whole[MOST], own[MOST];
    tact_blocks_find_islands(blocks);
    for (int a = 0; a < nodes; a++) {
        for (int b = 0; b < nodes; b++)
            for (int i = start[b]; i < start[b + 1]; i++) {
                whole[i] = i == start[a];
                own[i] = blocks->island[b] == blocks->island[a] ? whole[i] : (tact_real)NAN;
            }
        tact_blocks_solve(blocks, whole);
        tact_blocks_solve_node(blocks, a, own);
        for (int b = 0; b < nodes; b++)
            for (int i = start[b]; i < start[b + 1]; i++) {
                bool inside = blocks->island[b] == blocks->island[a];
                CHECK(inside ? whole[i] == own[i] : whole[i] == 0 && own[i] != own[i]);
            }
    }
}

static void check_case(uint64_t *seed, int nodes, double density, int fixed) {
    static double A[MOST * MOST], At[MOST * MOST], x[MOST], y[MOST];
    tact_real xs[MOST], ys[MOST], forth[MOST], back[MOST];
    int start[NODES + 1];
    tact_blocks blocks;
    CHECK(make_case(&blocks, start, seed, nodes, nodes * (nodes - 1) / 2, density, fixed));
    int n = start[nodes];
    memset(A, 0, sizeof A);
    // what is never asked for is zero, whatever was there
    for (int e = 0; e < blocks.edges; e++) blocks.value[blocks.at[e]] = (tact_real)NAN;
    tact_blocks_zero(&blocks);
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < nodes; b++) {
            if (a != b && test_random(seed, 0, 1) < 0.3) continue;
            tact_real *block = tact_blocks_find(&blocks, a, b);
            bool joined = a == b || (blocks.graph[a * blocks.words + b / 64] >> (b % 64) & 1);
            CHECK(block || !joined);
            for (int i = 0; joined && i < start[a + 1] - start[a]; i++)
                for (int j = 0; j < start[b + 1] - start[b]; j++) {
                    double value = test_random(seed, -1, 1) + (a == b && i == j ? 2 * n : 0);
                    block[i * (start[b + 1] - start[b]) + j] = (tact_real)value;
                    A[(start[a] + i) * n + start[b] + j] = (double)(tact_real)value;
                }
        }
    for (int i = 0; i < n; i++) {
        x[i] = y[i] = test_random(seed, -1, 1);
        xs[i] = ys[i] = (tact_real)x[i];
        for (int j = 0; j < n; j++) At[j * n + i] = A[i * n + j];
    }
    tact_blocks_keep(&blocks);
    CHECK(tact_blocks_factor(&blocks));
    tact_blocks_solve(&blocks, xs);
    tact_blocks_solve_transposed(&blocks, ys);
    // the kept matrix gives back what was solved for
    for (int i = 0; i < n; i++) forth[i] = back[i] = 1;
    tact_blocks_apply_kept(&blocks, xs, false, forth);
    tact_blocks_apply_kept(&blocks, ys, true, back);
    for (int i = 0; i < n; i++) {
        CHECK_CLOSE(forth[i], 1 + x[i], TIGHT);
        CHECK_CLOSE(back[i], 1 + y[i], TIGHT);
    }
    solve_dense(A, x, n);
    solve_dense(At, y, n);
    for (int i = 0; i < n; i++) {
        CHECK_CLOSE(xs[i], x[i], TIGHT);
        CHECK_CLOSE(ys[i], y[i], TIGHT);
    }
    check_islands(&blocks, start, nodes);
}

static void test_room(uint64_t *seed) {
    int start[NODES + 1];
    tact_blocks blocks;
    CHECK(!make_case(&blocks, start, seed, NODES, 20, 0.3, 0));
    // without edges no room is needed, and a singular block is told
    CHECK(make_case(&blocks, start, seed, NODES, 0, 0, 0));
    tact_blocks_zero(&blocks);
    CHECK(!tact_blocks_factor(&blocks));
}

// Trees are eliminated from their leaves, without fill: their edges are all the room that is needed. A ring of n needs 2 n - 3.
static void test_fill(void) {
    enum { LONG = 130, CENTRE = 70 };
    static int start[LONG + 1];
    for (int i = 0; i < LONG; i++) start[i + 1] = start[i] + 1;
    for (int shape = 0; shape < 3; shape++)
        for (int lack = 0; lack < 2; lack++) {
            int edges = shape < 2 ? LONG - 1 : 2 * LONG - 3;
            tact_blocks blocks;
            tact_blocks_room size = {.nodes = LONG, .edges = edges - lack, .squares = LONG, .widest = 1};
            tact_arena arena = {.memory = memory, .size = sizeof memory};
            tact_blocks_place(&blocks, size, &arena);
            CHECK(tact_arena_fits(&arena));
            blocks.start = start;
            tact_blocks_clear(&blocks);
            for (int i = 0; i < LONG; i++) {
                if (shape == 0) tact_blocks_join(&blocks, CENTRE, i);
                if (shape > 0 && i > 0) tact_blocks_join(&blocks, i, i - 1);
            }
            if (shape == 2) tact_blocks_join(&blocks, 0, LONG - 1);
            CHECK_INT(tact_blocks_arrange(&blocks), lack == 0);
            if (lack == 0) CHECK_INT(blocks.edges, edges);
        }
}

int main(void) {
    uint64_t seed = test_seed(7);
    for (int k = 0; k < 40; k++) check_case(&seed, 1 + k, 0.02 * (k % 10), k % 2 ? 3 : 0);
    test_room(&seed);
    test_fill();
    return test_end("blocks");
}
