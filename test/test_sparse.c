// SPDX-License-Identifier: MIT
// Large barrier problems on random graphs, factored by supernodes in an order of minimum degree, beside the same problems by the
// envelope: the same statuses and iterations, the same answers but for rounding. A kept pattern has the bits of a new one, and
// where there is no room for the pattern the envelope's bits come back.
#include "math/elementary.h"
#include "solve/skyline.h"
#include "solve/sparse.h"
#include "test.h"

enum { NODES = 90, N = 6 * NODES, CONES = 4 * NODES, BOUNDS = NODES / 3, WIDEST = 18, ENVELOPE = N * (N + 1) / 2 };

typedef struct {
    int n, ncone, nbound, node[NODES + 1], first[N], start[N + 1], column[CONES][WIDEST];
    tact_real value[6 * N], p[N], J[CONES][3 * WIDEST];
    tact_cone cone[CONES];
    tact_bound bound[BOUNDS];
} graph_case;

typedef struct {
    tact_real d[N], lambda[3 * CONES], bound_lambda[BOUNDS];
    tact_barrier_solution info;
    tact_status status;
} answer;

static double random_sign(uint64_t *seed, double size) {
    return test_random(seed, -size, size);
}

static int below(uint64_t *seed, int count) {
    return (int)(test_random(seed, 0, 1) * count);
}

// Nodes of three or six unknowns; P couples those of some nodes, and now and then the last of a node with one some nodes before,
// as a spring does: the rows between need not reach so far.
static void make_nodes(graph_case *c, int nodes, uint64_t *seed) {
    c->n = 0;
    for (int k = 0; k < nodes; k++) {
        int size = below(seed, 4) > 0 ? 6 : 3;
        bool coupled = below(seed, 2) > 0;
        c->node[k] = c->n;
        for (int i = c->n; i < c->n + size; i++) c->first[i] = coupled && i >= c->n + 3 ? c->n + 3 : i;
        c->n += size;
        if (k >= 8 && below(seed, 30) == 0) c->first[c->n - 1] = c->node[k - 1 - below(seed, 6)];
    }
    c->node[nodes] = c->n;
    tact_skyline P = {c->n, c->first, c->start, c->value};
    tact_skyline_layout(&P);
    for (int i = 0; i < c->n; i++) {
        for (int j = c->first[i]; j < i; j++) tact_skyline_row(&P, i)[j] = (tact_real)random_sign(seed, i - j < 6 ? 0.2 : 0.02);
        *tact_skyline_diagonal(&P, i) = (tact_real)(test_random(seed, 1, 3));
        c->p[i] = (tact_real)random_sign(seed, 1);
    }
}

// A cone that moves with one, two or now and then three nodes that are no further apart than `reach`.
static void make_cone(graph_case *c, int index, int nodes, int reach, uint64_t *seed) {
    int member = below(seed, nodes), width = 0, count = below(seed, 5) == 0 ? 1 : below(seed, 12) == 0 ? 3 : 2;
    for (int k = 0; k < count && member < nodes; k++) {
        for (int i = c->node[member]; i < c->node[member + 1]; i++) c->column[index][width++] = i;
        member += 1 + below(seed, reach);
    }
    for (int k = 0; k < 3 * width; k++) c->J[index][k] = (tact_real)random_sign(seed, 1);
    c->cone[index] = (tact_cone){.width = width,
                                 .column = c->column[index],
                                 .J = c->J[index],
                                 .c = {(tact_real)test_random(seed, 0.05, 1), (tact_real)random_sign(seed, 0.02), 0},
                                 .mu = (tact_real)test_random(seed, 0, 1),
                                 .kappa = 1000};
}

static void make_case(graph_case *c, int nodes, int cones, int reach, uint64_t *seed) {
    make_nodes(c, nodes, seed);
    c->ncone = cones;
    for (int i = 0; i < cones; i++) make_cone(c, i, nodes, reach, seed);
    c->nbound = nodes / 3;
    for (int j = 0; j < c->nbound; j++)
        c->bound[j] = (tact_bound){
            .column = below(seed, c->n), .sign = j % 2 ? 1 : -1, .c = (tact_real)test_random(seed, 0.1, 1), .kappa = 1000};
}

static tact_barrier_work work_in(void **memory) {
    const tact_barrier_size size = {N, CONES, BOUNDS, CONES * WIDEST, ENVELOPE};
    tact_arena arena = {0};
    tact_barrier_work work = {0};
    tact_barrier_place(&work, size, &arena);
    size_t bytes = arena.used;
    *memory = malloc(bytes);
    arena = (tact_arena){.memory = *memory, .size = bytes};
    tact_barrier_place(&work, size, &arena);
    CHECK(tact_arena_fits(&arena));
    return work;
}

static void solve(const graph_case *c, tact_barrier_work *work, int most, answer *a) {
    tact_skyline P = {c->n, (int *)c->first, (int *)c->start, (tact_real *)c->value};
    tact_barrier_problem problem = {
        .n = c->n, .ncone = c->ncone, .nbound = c->nbound, .P = P, .p = c->p, .cone = c->cone, .bound = c->bound};
    tact_barrier_options options = tact_barrier_options_default();
    options.max_iterations = most;
    *a = (answer){0};
    a->info = (tact_barrier_solution){.d = a->d, .lambda = a->lambda, .bound_lambda = a->bound_lambda};
    a->status = tact_barrier_solve(&problem, &options, work, &a->info);
}

static double distance(const tact_real *a, const tact_real *b, int n) {
    double most = 0, size = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs((double)a[i] - (double)b[i]));
        size = fmax(size, fabs((double)b[i]));
    }
    return size > 0 ? most / size : most;
}

static bool same_bits(const answer *a, const answer *b) {
    return a->status == b->status && a->info.iterations == b->info.iterations && memcmp(a->d, b->d, sizeof a->d) == 0 &&
           memcmp(a->lambda, b->lambda, sizeof a->lambda) == 0;
}

typedef struct {
    int cases, sparse, converged, different, other_status;
    double worst;
} tally;

static void check_beside_envelope(uint64_t *seed, int rounds, bool closed, int most, tally *count) {
    static graph_case c;
    static answer sparse, envelope, kept;
    void *memory[3];
    tact_barrier_work own = work_in(&memory[0]), other = work_in(&memory[1]), long_lived = work_in(&memory[2]);
    other.sparse = NULL;
    for (int round = 0; round < rounds; round++) {
        int nodes = NODES / 2 + below(seed, NODES / 2 + 1), cones = 2 * nodes + below(seed, 2 * nodes + 1);
        make_case(&c, nodes, cones, round % 3 == 0 ? 4 : nodes, seed);
        // two that contradict each other
        if (closed) {
            c.cone[1] = c.cone[0];
            memcpy(c.J[1], c.J[0], sizeof c.J[1]);
            for (int k = 0; k < 3 * c.cone[0].width; k++) c.J[1][k] = -c.J[1][k];
            c.cone[1].J = c.J[1];
            c.cone[0].c[0] = c.cone[1].c[0] = -1;
        }
        own.held_n = -1;
        solve(&c, &own, most, &sparse);
        count->sparse += tact_sparse_holds(&own);
        solve(&c, &other, most, &envelope);
        CHECK(!tact_sparse_holds(&other));
        // the pattern is made once and kept, with other numbers in the first of the two
        tact_real p = c.p[0];
        c.p[0] += 1;
        solve(&c, &long_lived, most, &kept);
        c.p[0] = p;
        solve(&c, &long_lived, most, &kept);
        count->different += !same_bits(&sparse, &kept);
        count->cases++;
        count->other_status += sparse.status != envelope.status;
        count->converged += sparse.status == TACT_CONVERGED;
        if (sparse.status != TACT_CONVERGED || envelope.status != TACT_CONVERGED) continue;
        count->worst = fmax(count->worst, distance(sparse.d, envelope.d, c.n));
        count->worst = fmax(count->worst, distance(sparse.lambda, envelope.lambda, 3 * c.ncone));
    }
    for (int k = 0; k < 3; k++) free(memory[k]);
}

// Without room for rows or values of the factor there is none, and the envelope answers.
static void check_rooms(uint64_t *seed) {
    static graph_case c;
    static answer without, with, envelope;
    void *memory[2];
    tact_barrier_work work = work_in(&memory[0]), other = work_in(&memory[1]);
    other.sparse = NULL;
    make_case(&c, NODES, CONES, NODES, seed);
    solve(&c, &other, 100, &envelope);
    solve(&c, &work, 100, &with);
    CHECK(tact_sparse_holds(&work) && !same_bits(&with, &envelope));
    tact_sparse whole = *work.sparse;
    const int rooms[][2] = {{0, whole.values_room}, {whole.used - 1, whole.values_room}, {whole.rows_room, 1000}};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        work.sparse->rows_room = rooms[k][0];
        work.sparse->values_room = rooms[k][1];
        work.held_n = -1;
        solve(&c, &work, 100, &without);
        CHECK(!tact_sparse_holds(&work));
        CHECK(same_bits(&without, &envelope));
    }
    for (int k = 0; k < 2; k++) free(memory[k]);
}

// Chains of many nodes have short rows: their envelope is kept.
static void check_chain(uint64_t *seed) {
    static graph_case c;
    static answer a;
    void *memory;
    tact_barrier_work work = work_in(&memory);
    make_nodes(&c, NODES, seed);
    c.nbound = 0;
    c.ncone = NODES - 1;
    for (int i = 0; i < c.ncone; i++) {
        make_cone(&c, i, NODES, 1, seed);
        int width = 0;
        for (int k = c.node[i]; k < c.node[i + 2]; k++) c.column[i][width++] = k;
        c.cone[i].width = width;
    }
    for (int i = 0; i < c.ncone; i++)
        for (int k = 0; k < 3 * WIDEST; k++) c.J[i][k] = (tact_real)random_sign(seed, 1);
    solve(&c, &work, 100, &a);
    CHECK_INT(a.status, TACT_CONVERGED);
    CHECK(!tact_sparse_holds(&work));
    free(memory);
}

// A P with an entry that is zero, which no contact holds: the same refusal.
static void check_singular(uint64_t *seed) {
    static graph_case c;
    static answer a, b;
    void *memory[2];
    tact_barrier_work work = work_in(&memory[0]), other = work_in(&memory[1]);
    other.sparse = NULL;
    make_case(&c, NODES, CONES, NODES, seed);
    c.nbound = 0;
    c.first[c.n - 1] = c.n - 1;
    tact_skyline P = {c.n, c.first, c.start, c.value};
    tact_skyline_layout(&P);
    *tact_skyline_diagonal(&P, c.n - 1) = 0;
    for (int i = 0; i < c.ncone; i++)
        for (int k = 0; k < c.cone[i].width; k++)
            if (c.column[i][k] == c.n - 1)
                for (int row = 0; row < 3; row++) c.J[i][row * c.cone[i].width + k] = 0;
    solve(&c, &work, 100, &a);
    solve(&c, &other, 100, &b);
    CHECK(tact_sparse_holds(&work));
    CHECK(a.status < 0);
    CHECK_INT(a.status, b.status);
    for (int k = 0; k < 2; k++) free(memory[k]);
}

int main(void) {
    uint64_t seed = test_seed(20261125);
    bool single = sizeof(tact_real) == 4;
    tally open = {0}, closed = {0}, spent = {0};
    check_beside_envelope(&seed, 24, false, 100, &open);
    check_beside_envelope(&seed, 6, true, 100, &closed);
    check_beside_envelope(&seed, 6, false, 3, &spent);
    printf("%d of %d converged, %d by supernodes, %.1e apart; %d contradict, %d unfinished\n", open.converged, open.cases,
           open.sparse, open.worst, closed.cases - closed.converged, spent.cases - spent.converged);
    CHECK_INT(open.different + closed.different + spent.different, 0);
    CHECK_INT(open.other_status + closed.other_status + spent.other_status, 0);
    CHECK_INT(open.converged, open.cases);
    CHECK(open.sparse >= open.cases / 2 && closed.sparse > 0 && spent.sparse > 0);
    CHECK_INT(closed.converged + spent.converged, 0);
    CHECK(open.worst < (single ? 1e-2 : 1e-12));
    check_rooms(&seed);
    check_chain(&seed);
    check_singular(&seed);
    return test_end("sparse");
}
