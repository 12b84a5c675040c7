// SPDX-License-Identifier: MIT
// Linear complementarity problems by class, families that are exponential for pivoting, bounds,
// derivatives, large sparse ones, and the problems in ../shared/oracle where they are there. What is checked is the definition.
#include "lcp_solve.h"
#include "tact/json.h"
#include "tact/tact.h"

#ifdef TACT_FLOAT
enum { LARGEST = 24, SOLVED_PARTS = 97 };
#else
enum { LARGEST = 200, SOLVED_PARTS = 100 };
#endif

static void test_classes(void) {
    uint64_t seed = test_seed(5);
    give_memory(LCP_MOST, -1);
    for (int kind = 0; kind < LCP_KINDS; kind++) {
        int solved = 0, count = 60;
        for (int k = 0; k < count; k++) {
            int largest = k < 40 ? (LARGEST < 20 ? LARGEST : 20) : k < 56 ? (LARGEST < 60 ? LARGEST : 60) : LARGEST;
            int n = 1 + (int)(test_random_bits(&seed) % (uint64_t)largest);
            lcp_make(&seed, (lcp_kind)kind, n);
            tact_lcp_problem p = current(n);
            tact_status status = solve(&p, TACT_LCP_AUTO, false);
            // nothing is claimed that is not so
            if (status == TACT_CONVERGED) CHECK(residual_of(&p, solution.z) <= 2 * (double)TACT_LCP_TOLERANCE);
            solved += status == TACT_CONVERGED;
            if (status != TACT_CONVERGED || k > 50) continue;
            // from its own active set: one factorisation, or none where z = 0
            tact_real size = 0;
            for (int i = 0; i < n; i++) size += solution.z[i];
            for (int i = 0; i < n; i++) lcp_q[i] *= TACT_REAL(1.5);
            CHECK_INT(solve(&p, TACT_LCP_AUTO, true), TACT_CONVERGED);
            CHECK(kind == LCP_DEPENDENT || kind == LCP_LINEAR_PROGRAM || solution.pivots == 1 || sizeof(tact_real) == 4 ||
                  size == 0);
        }
        printf("class %d: %d of %d\n", kind, solved, count);
        CHECK(100 * solved >= SOLVED_PARTS * count || (LARGEST < 200 && 100 * solved >= 80 * count));
    }
}

static void check_family(int n) {
    tact_lcp_problem p = current(n);
    CHECK_INT(solve(&p, TACT_LCP_AUTO, false), TACT_CONVERGED);
    CHECK(residual_of(&p, solution.z) <= 2 * (double)TACT_LCP_TOLERANCE);
    CHECK(solution.pivots < 100 + 12 * n);
}

static void test_exponential(void) {
    for (int n = 4; n <= (LARGEST < 60 ? LARGEST : 60); n += n < 16 ? 3 : 22) {
        for (int lower = 0; lower < 2; lower++) {
            lcp_murty(n, lower, false);
            check_family(n);
            if (n > 50) continue;
            lcp_murty(n, lower, true);
            check_family(n);
        }
        lcp_fathi(n, false);
        check_family(n);
        if (n > 50) continue;
        lcp_fathi(n, true);
        check_family(n);
    }
    // one method alone stops, and says so
    lcp_murty(16, true, true);
    tact_lcp_problem p = current(16);
    CHECK_INT(solve(&p, TACT_LCP_LEMKE, false), TACT_ITERATION_LIMIT);
}

static void test_enumeration(void) {
    tact_real z[3 * 16];
    tact_lcp_list list = {.z = z, .most = 16};
    // the rod of Painleve while it turns: no force, or one
    const tact_real rod_M[1] = {TACT_REAL(-0.8)}, rod_q[1] = {TACT_REAL(4.5)};
    tact_lcp_problem rod = {.n = 1, .M = rod_M, .q = rod_q};
    CHECK_INT(tact_lcp_enumerate(&rod, &work, &list), TACT_CONVERGED);
    CHECK_INT(list.count, 2);
    CHECK(!list.continuum);
    CHECK_CLOSE(z[0], 0, 0);
    CHECK_CLOSE(z[1], 5.625, 1e-6);
    // z1 + z2 = 1
    const tact_real M[4] = {1, 1, 1, 1}, q[2] = {-1, -1};
    tact_lcp_problem line = {.n = 2, .M = M, .q = q};
    CHECK_INT(tact_lcp_enumerate(&line, &work, &list), TACT_CONVERGED);
    CHECK_INT(list.count, 2);
    CHECK(list.continuum);
    // none but 0, which singular sets hold, too; all of z1 = z2; all of z1, of which 0 is the only corner
    static const struct {
        tact_real M[4], q[2];
        bool continuum;
    } sets[] = {{{1, 1, 1, 1}, {0, 0}, false},
                {{1, -1, -1, 1}, {0, 0}, true},
                {{0, 0, 0, 0}, {0, 1}, true},
                {{0, 0, 0, 1}, {1, 1}, false}};
    for (int i = 0; i < 4; i++) {
        tact_lcp_problem set = {.n = 2, .M = sets[i].M, .q = sets[i].q};
        CHECK_INT(tact_lcp_enumerate(&set, &work, &list), TACT_CONVERGED);
        CHECK_INT(list.count, 1);
        CHECK_INT(list.continuum, sets[i].continuum);
    }
    // all sets of -1: 2^3 solutions
    const tact_real N[9] = {-1, 0, 0, 0, -1, 0, 0, 0, -1}, e[3] = {1, 1, 1};
    tact_lcp_problem cube = {.n = 3, .M = N, .q = e};
    CHECK_INT(tact_lcp_enumerate(&cube, &work, &list), TACT_CONVERGED);
    CHECK_INT(list.count, 8);
    CHECK(!list.continuum);
    // every complementary matrix that holds the solution (1, 0) is singular
    const tact_real S[4] = {0, 0, 1, 0}, s[2] = {0, -1};
    tact_lcp_problem corner = {.n = 2, .M = S, .q = s};
    CHECK_INT(tact_lcp_enumerate(&corner, &work, &list), TACT_CONVERGED);
    CHECK_CLOSE(z[0], 1, 1e-6);
}

static void test_bounds(void) {
    uint64_t seed = test_seed(11);
    static tact_real lo[LCP_MOST], hi[LCP_MOST];
    give_memory(24, 24);
    int solved = 0, count = 400;
    for (int k = 0; k < count; k++) {
        int n = 1 + (int)(test_random_bits(&seed) % 24);
        lcp_kind kind = k % 3 == 0 ? LCP_DEFINITE : k % 3 == 1 ? LCP_SKEWED : LCP_DOMINANT;
        lcp_make(&seed, kind, n);
        for (int i = 0; i < n; i++) {
            int form = (int)(test_random_bits(&seed) % 5);
            lo[i] = form < 3 ? (tact_real)test_random(&seed, -0.5, 0) : -TACT_MAX;
            hi[i] = form == 2 ? lo[i] : form == 0 || form == 3 ? (tact_real)test_random(&seed, 0, 0.5) : TACT_MAX;
        }
        tact_lcp_problem p = {.n = n, .M = lcp_M, .q = lcp_q, .lo = lo, .hi = hi};
        tact_status status = solve(&p, TACT_LCP_AUTO, false);
        solved += status == TACT_CONVERGED;
        if (status == TACT_CONVERGED) CHECK(residual_of(&p, solution.z) <= 2 * (double)TACT_LCP_TOLERANCE);
        if (status != TACT_CONVERGED) continue;
        for (int i = 0; i < n; i++) {
            CHECK(solution.z[i] >= lo[i] && solution.z[i] <= hi[i]);
            if (solution.active[i] == TACT_LCP_OPEN) CHECK(solution.z[i] <= lo[i]);
            if (solution.active[i] == TACT_LCP_UPPER) CHECK(solution.z[i] >= hi[i]);
        }
        CHECK_INT(solve(&p, TACT_LCP_AUTO, true), TACT_CONVERGED);
        if (sizeof(tact_real) == sizeof(double)) CHECK(solution.pivots <= 1);
        if (kind == LCP_SKEWED) continue;
        CHECK_INT(solve(&p, TACT_LCP_SWEEP, false) >= 0, 1);
        CHECK(solution.residual > TACT_LCP_TOLERANCE || residual_of(&p, solution.z) <= 2 * (double)TACT_LCP_TOLERANCE);
    }
    printf("bounds: %d of %d\n", solved, count);
    CHECK(100 * solved >= SOLVED_PARTS * count);
    // free unknowns without a pivot: 0 z0 + z1 = 2, -z0 = -1
    const tact_real M[4] = {0, 1, -1, 0}, q[2] = {-2, 1}, low[2] = {-TACT_MAX, -TACT_MAX};
    tact_lcp_problem p = {.n = 2, .M = M, .q = q, .lo = low};
    CHECK_INT(solve(&p, TACT_LCP_AUTO, false), TACT_CONVERGED);
    CHECK_CLOSE(solution.z[0], 1, 1e-6);
    CHECK_CLOSE(solution.z[1], 2, 1e-6);
    // two free ones that only their sum determines, held by a third: z0 + z1 = 1 + z2, z2 in [0, 3] pushed to 3
    const tact_real S[9] = {1, 1, -1, 1, 1, -1, -1, -1, 2}, s[3] = {-1, -1, -9};
    const tact_real low3[3] = {-TACT_MAX, -TACT_MAX, 0}, high3[3] = {TACT_MAX, TACT_MAX, 3};
    tact_lcp_problem t = {.n = 3, .M = S, .q = s, .lo = low3, .hi = high3};
    CHECK_INT(solve(&t, TACT_LCP_AUTO, false), TACT_CONVERGED);
    CHECK_CLOSE(solution.z[0] + solution.z[1], 4, 1e-5);
    CHECK_CLOSE(solution.z[2], 3, 1e-6);
    const tact_real crossed[2] = {1, 1}, under[2] = {0, 0};
    tact_lcp_problem x = {.n = 2, .M = M, .q = q, .lo = crossed, .hi = under};
    CHECK_INT(solve(&x, TACT_LCP_AUTO, false), TACT_BAD_INPUT);
}

static void test_derivatives(void) {
#ifndef TACT_FLOAT
    uint64_t seed = test_seed(13);
    enum { N = 9 };
    static tact_real dM[N * N], dq[N], dz[N], g[N], by_q[N], by_M[N * N], M[N * N], q[N], z[N], plus[N];
    give_memory(N, -1);
    for (int k = 0; k < 40; k++) {
        lcp_make(&seed, k % 2 ? LCP_DEFINITE : LCP_SKEWED, N);
        memcpy(M, lcp_M, sizeof M);
        memcpy(q, lcp_q, sizeof q);
        tact_lcp_problem p = current(N);
        CHECK_INT(solve(&p, TACT_LCP_AUTO, false), TACT_CONVERGED);
        memcpy(z, solution.z, sizeof z);
        double product = 0, other = 0;
        for (int i = 0; i < N * N; i++) dM[i] = test_random(&seed, -1, 1);
        for (int i = 0; i < N; i++) dq[i] = test_random(&seed, -1, 1), g[i] = test_random(&seed, -1, 1);
        CHECK(tact_lcp_forward(&p, &solution, dM, dq, &work, dz));
        CHECK(tact_lcp_reverse(&p, &solution, g, &work, by_q, by_M));
        for (int i = 0; i < N; i++) product += g[i] * dz[i], other += by_q[i] * dq[i];
        for (int i = 0; i < N * N; i++) other += by_M[i] * dM[i];
        CHECK_CLOSE(product, other, 1e-10);
        const double h = 1e-6;
        for (int i = 0; i < N * N; i++) lcp_M[i] = M[i] + h * dM[i];
        for (int i = 0; i < N; i++) lcp_q[i] = q[i] + h * dq[i];
        solve(&p, TACT_LCP_AUTO, true);
        memcpy(plus, solution.z, sizeof plus);
        for (int i = 0; i < N * N; i++) lcp_M[i] = M[i] - h * dM[i];
        for (int i = 0; i < N; i++) lcp_q[i] = q[i] - h * dq[i];
        solve(&p, TACT_LCP_AUTO, true);
        // unless the active set changes within h
        bool same = true;
        for (int i = 0; i < N; i++) same = same && (plus[i] > 0) == (z[i] > 0) && (solution.z[i] > 0) == (z[i] > 0);
        for (int i = 0; i < N && same; i++) CHECK_CLOSE(dz[i], (plus[i] - solution.z[i]) / (2 * h), 1e-6);
    }
    // z = w = 0, and a solution that is not unique
    const tact_real one[1] = {1}, zero[1] = {0}, S[4] = {1, 1, 1, 1}, s[2] = {-1, -1};
    tact_lcp_problem kink = {.n = 1, .M = one, .q = zero}, line = {.n = 2, .M = S, .q = s};
    solve(&kink, TACT_LCP_AUTO, false);
    CHECK(!tact_lcp_forward(&kink, &solution, NULL, one, &work, dz));
    solve(&line, TACT_LCP_AUTO, false);
    CHECK(!tact_lcp_forward(&line, &solution, NULL, s, &work, dz));
#endif
}

// a grid of bodies with contacts between neighbours and to the ground: M = J m^-1 J'
typedef struct {
    tact_lcp_sparse p;
    int start[2000], column[16000];
    tact_real value[16000], q[2000];
} grid;

static grid net;

static void make_grid(uint64_t *seed, int side, int freedom) {
    static int a[2000], b[2000];
    static double J[2000][6], m[1000], z[2000];
    int n = 0, entries = 0;
    for (int i = 0; i < side * side; i++) {
        m[i] = pow(10, test_random(seed, -1, 1));
        if (i < side) a[n] = -1, b[n++] = i;
        if (i % side + 1 < side) a[n] = i, b[n++] = i + 1;
        if (i + side < side * side) a[n] = i, b[n++] = i + side;
    }
    for (int c = 0; c < n; c++) {
        for (int k = 0; k < 6; k++) J[c][k] = test_random(seed, -1, 1);
        double u = test_random(seed, -1, 1);
        z[c] = u > 0 ? u : 0;
        net.q[c] = (tact_real)(u < 0 ? -u : 0);
    }
    for (int c = 0; c < n; c++) {
        net.start[c] = entries;
        for (int d = 0; d < n; d++) {
            double sum = 0;
            bool meet = false;
            for (int x = 0; x < 4; x++) {
                int of_c = x & 1 ? b[c] : a[c], of_d = x & 2 ? b[d] : a[d];
                if (of_c < 0 || of_c != of_d) continue;
                meet = true;
                for (int k = 0; k < freedom; k++) sum += J[c][3 * (x & 1) + k] * J[d][3 * (x >> 1) + k] / m[of_c];
            }
            if (!meet) continue;
            net.column[entries] = d;
            net.value[entries++] = (tact_real)sum;
            net.q[c] -= (tact_real)(sum * z[d]);
        }
    }
    net.start[n] = entries;
    net.p = (tact_lcp_sparse){.n = n, .start = net.start, .column = net.column, .value = net.value, .q = net.q};
}

static double sparse_residual(const tact_lcp_sparse *p, const tact_real *z) {
    double most = 0, worst = 0;
    for (int i = 0; i < p->n; i++) most = fmax(most, (double)z[i]);
    for (int i = 0; i < p->n; i++) {
        double w = (double)p->q[i], size = fabs(w);
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            w += (double)p->value[k] * (double)z[p->column[k]];
            size += fabs((double)p->value[k] * (double)z[p->column[k]]);
        }
        worst = fmax(worst, fabs(fmin((double)z[i] / most, w / size)));
    }
    return worst;
}

static void test_sparse(void) {
    uint64_t seed = test_seed(17);
    for (int k = 0; k < 8; k++) {
        int side = k < 6 ? 4 + 2 * k : 26, freedom = 1 + k % 3;
        make_grid(&seed, side, freedom);
        int n = net.p.n, entries = net.start[n];
        tact_lcp_sparse_work sparse;
        tact_lcp_solution found;
        tact_arena arena = {0};
        tact_lcp_sparse_place(&sparse, n, entries, 0, &arena);
        void *small = malloc(arena.used);
        arena = (tact_arena){.memory = small, .size = arena.used};
        tact_lcp_sparse_place(&sparse, n, entries, 0, &arena);
        int64_t envelope = tact_lcp_sparse_order(&net.p, &sparse);
        CHECK(envelope >= n && envelope < (int64_t)n * (n + 1) / 2);
        arena = (tact_arena){0};
        tact_lcp_sparse_place(&sparse, n, entries, envelope, &arena);
        tact_lcp_solution_place(&found, n, &arena);
        void *large = malloc(arena.used);
        arena = (tact_arena){.memory = large, .size = arena.used};
        tact_lcp_sparse_place(&sparse, n, entries, envelope, &arena);
        tact_lcp_solution_place(&found, n, &arena);
        CHECK(tact_arena_fits(&arena));
        tact_lcp_options options = tact_lcp_options_default();
        for (int method = 0; method < 2; method++) {
            options.method = method ? TACT_LCP_INTERIOR : TACT_LCP_AUTO;
            tact_status status = tact_lcp_sparse_solve(&net.p, &options, &sparse, &found);
            if (sizeof(tact_real) == sizeof(double)) CHECK_INT(status, TACT_CONVERGED);
            if (status == TACT_CONVERGED) CHECK(sparse_residual(&net.p, found.z) <= 2 * (double)TACT_LCP_TOLERANCE);
        }
        options.method = TACT_LCP_AUTO;
        CHECK(tact_lcp_sparse_solve(&net.p, &options, &sparse, &found) >= 0);
        options.warm = true;
        CHECK(tact_lcp_sparse_solve(&net.p, &options, &sparse, &found) >= 0);
        if (freedom == 3 && sizeof(tact_real) == sizeof(double)) CHECK_INT(found.pivots, 1);
        options.method = TACT_LCP_SWEEP;
        CHECK(tact_lcp_sparse_solve(&net.p, &options, &sparse, &found) >= 0);
        CHECK(found.residual > TACT_LCP_TOLERANCE || sparse_residual(&net.p, found.z) <= 2 * (double)TACT_LCP_TOLERANCE);
        sparse.envelope = envelope - 1;
        options.method = TACT_LCP_AUTO;
        CHECK_INT(tact_lcp_sparse_solve(&net.p, &options, &sparse, &found), TACT_NO_MEMORY);
        free(small);
        free(large);
    }
}

// -w z: what the definition says of row i of a problem with bounds
static double bounded_residual(const tact_lcp_sparse *p, const tact_real *z) {
    double worst = 0;
    for (int i = 0; i < p->n; i++) {
        double w = (double)p->q[i], size = fabs(w) + 1, low = p->lo ? (double)p->lo[i] : 0,
               high = p->hi ? (double)p->hi[i] : 1e300;
        for (int k = p->start[i]; k < p->start[i + 1]; k++) w += (double)p->value[k] * (double)z[p->column[k]];
        worst = fmax(worst, fabs((double)z[i] - fmax(low, fmin(high, (double)z[i] - w))) / size);
    }
    return worst;
}

// the work of a sparse problem with an envelope for all of it
static void *place_sparse(tact_lcp_sparse_work *place, tact_lcp_solution *found, int n) {
    void *taken = NULL;
    for (int pass = 0; pass < 2; pass++) {
        static tact_arena arena;
        if (pass == 0) arena = (tact_arena){0};
        if (pass == 1) taken = malloc(arena.used), arena = (tact_arena){.memory = taken, .size = arena.used};
        tact_lcp_sparse_place(place, n, 9 * n, (int64_t)n * (n + 1) / 2, &arena);
        tact_lcp_solution_place(found, n, &arena);
    }
    return taken;
}

// rows of 2 with neighbours at -1 + skew and -1 - skew: bounds on either side, on one, and none; then what is refused
static void test_sparse_bounds(void) {
    enum { ROWS = 12 };
    uint64_t seed = test_seed(23);
    static tact_real lo[ROWS], hi[ROWS];
    tact_lcp_sparse_work place;
    tact_lcp_solution found;
    void *taken = place_sparse(&place, &found, ROWS);
    tact_lcp_options options = tact_lcp_options_default();
    for (int round = 0; round < 24; round++) {
        tact_real skew = (tact_real)(round % 3 ? 0 : 0.3);
        int at = 0;
        for (int i = 0; i < ROWS; i++) {
            net.start[i] = at;
            for (int j = i - 1; j <= i + 1; j++) {
                if (j < 0 || j >= ROWS) continue;
                net.column[at] = j;
                net.value[at++] = j == i ? 3 : j < i ? -1 + skew : -1 - skew;
            }
            net.q[i] = (tact_real)test_random(&seed, -1, 1);
            lo[i] = (tact_real)test_random(&seed, -0.3, 0);
            hi[i] = (tact_real)test_random(&seed, 0, 0.3);
        }
        net.start[ROWS] = at;
        net.p = (tact_lcp_sparse){.n = ROWS, .start = net.start, .column = net.column, .value = net.value, .q = net.q};
        net.p.lo = round & 1 ? lo : NULL;
        net.p.hi = round & 2 ? hi : NULL;
        options.method = round & 4 ? TACT_LCP_SWEEP : TACT_LCP_AUTO;
        CHECK_INT(tact_lcp_sparse_solve(&net.p, &options, &place, &found), TACT_CONVERGED);
        CHECK_CLOSE(bounded_residual(&net.p, found.z), 0, 100 * (double)TACT_LCP_TOLERANCE);
        for (int i = 0; i < ROWS; i++) CHECK_INT(found.active[i] != 0, found.z[i] > (net.p.lo ? net.p.lo[i] : 0));
    }
    // one sweep is not enough, and says so
    options.max_pivots = 1;
    CHECK_INT(tact_lcp_sparse_solve(&net.p, &options, &place, &found), TACT_ITERATION_LIMIT);
    options.max_pivots = 0;
    // sweeps that run off end at what they began with
    for (int k = 0; k < net.start[ROWS]; k++) net.value[k] *= net.value[k] < 0 ? 9 : 1;
    for (int i = 0; i < ROWS; i++) net.q[i] = -1;
    net.p.lo = net.p.hi = NULL;
    options.max_pivots = 0;
    options.method = TACT_LCP_SWEEP;
    CHECK_INT(tact_lcp_sparse_solve(&net.p, &options, &place, &found), TACT_ITERATION_LIMIT);
    CHECK_CLOSE(found.residual, 1, 0);
    // rows out of order, and a column outside, are no symmetric matrix
    net.p.lo = net.p.hi = NULL;
    int kept = net.column[1];
    CHECK(tact_lcp_sparse_order(&net.p, &place) >= 0 || net.value[1] != net.value[2]);
    net.column[1] = net.column[0];
    CHECK_INT(tact_lcp_sparse_order(&net.p, &place), -1);
    net.column[1] = ROWS;
    CHECK_INT(tact_lcp_sparse_order(&net.p, &place), -1);
    net.column[1] = kept;
    net.value[0] = -1;
    CHECK_INT(tact_lcp_sparse_order(&net.p, &place), -1);
    net.value[0] = (tact_real)NAN;
    CHECK_INT(tact_lcp_sparse_solve(&net.p, &options, &place, &found), TACT_BAD_INPUT);
    net.value[0] = 3;
    net.q[2] = (tact_real)INFINITY;
    CHECK_INT(tact_lcp_sparse_solve(&net.p, &options, &place, &found), TACT_BAD_INPUT);
    free(taken);
}

// no solution: both rows want z smaller, M is singular; by each method, few steps and many
static void test_sparse_unsolvable(void) {
    tact_lcp_sparse_work place;
    tact_lcp_solution found;
    void *taken = place_sparse(&place, &found, 2);
    static const int start[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
    static const tact_real value[] = {1, -1, -1, 1}, q[] = {-1, -1};
    tact_lcp_sparse p = {.n = 2, .start = start, .column = column, .value = value, .q = q};
    tact_lcp_options options = tact_lcp_options_default();
    for (int k = 0; k < 6; k++) {
        options.method = k % 3 == 0 ? TACT_LCP_AUTO : k % 3 == 1 ? TACT_LCP_PIVOT : TACT_LCP_INTERIOR;
        options.max_pivots = k < 3 ? 0 : 2;
        CHECK_INT(tact_lcp_sparse_solve(&p, &options, &place, &found), TACT_ITERATION_LIMIT);
    }
    free(taken);
}

static int problems, unsolvable;

static void check_line(const tact_json *json) {
    tact_real n = 0;
    tact_json_get_number(json, tact_json_find(json, 0, "n"), tact_range_any(), &n);
    tact_lcp_problem p = current((int)n);
    CHECK(tact_json_get_vector(json, tact_json_find(json, 0, "M"), p.n * p.n, tact_range_any(), lcp_M));
    CHECK(tact_json_get_vector(json, tact_json_find(json, 0, "q"), p.n, tact_range_any(), lcp_q));
    const char *status = tact_json_get_string(json, tact_json_find(json, 0, "status"), 99);
    tact_status end = solve(&p, TACT_LCP_AUTO, false);
    bool solvable = strcmp(status, "solved") == 0;
    problems++;
    unsolvable += !solvable;
    if (sizeof(tact_real) == sizeof(double)) CHECK(solvable == (end == TACT_CONVERGED));
    if (end == TACT_CONVERGED) CHECK(residual_of(&p, solution.z) <= 2 * (double)TACT_LCP_TOLERANCE);
    if (end == TACT_INFEASIBLE) CHECK(proves(&p, solution.ray));
    if (sizeof(tact_real) == sizeof(double) && !solvable) CHECK(end == TACT_INFEASIBLE || end == TACT_UNSOLVABLE);
}

static void test_oracle(void) {
    tact_errors errors = {0};
    tact_text text = {0};
    if (!tact_text_read(&text, "../shared/oracle/lcp.jsonl", TACT_TEXT_LIMIT, &errors)) {
        puts("skipped: ../shared/oracle is not there");
        return;
    }
    give_memory(LCP_MOST, -1);
    for (const char *at = text.bytes; at && *at;) {
        const char *end = strchr(at, '\n');
        size_t size = end ? (size_t)(end - at) : strlen(at);
        tact_json json;
        if (size > 0 && tact_json_read(&json, (tact_source){"lcp.jsonl", at, size, 1}, &errors)) {
            check_line(&json);
            tact_json_free(&json);
        }
        at = end ? end + 1 : NULL;
    }
    tact_text_free(&text);
    printf("%d problems, %d of them without solution\n", problems, unsolvable);
    CHECK(problems >= 78);
}

int main(void) {
    test_classes();
    test_exponential();
    test_enumeration();
    test_oracle();
    test_bounds();
    test_derivatives();
    test_sparse();
    test_sparse_bounds();
    test_sparse_unsolvable();
    free(memory);
    return test_end("lcp");
}
