// SPDX-License-Identifier: MIT
// How linear complementarity problems without a solution end: with proofs that are checked, and never as solved.
#include "lcp_solve.h"

// q below the cone of M: y'q < 0 for a y >= 0 with M'y <= 0
static void test_infeasible(void) {
    uint64_t seed = test_seed(7);
    static double y[LCP_MOST];
    for (int k = 0; k < 60; k++) {
        int n = 2 + (int)(test_random_bits(&seed) % 30);
        double value = 0;
        for (int i = 0; i < n * n; i++) lcp_M[i] = (tact_real)test_random(&seed, -1, 1);
        for (int i = 0; i < n; i++) y[i] = test_random(&seed, -1, 1) > 0 ? test_random(&seed, 0.5, 1) : 0;
        y[0] = 1;
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int i = 0; i < n; i++) sum += y[i] * (double)lcp_M[i * n + j];
            if (sum > -0.01) lcp_M[j] -= (tact_real)(sum + 0.02);
        }
        lcp_random_q(&seed, n);
        for (int i = 0; i < n; i++) value += y[i] * (double)lcp_q[i];
        if (value > -0.1) lcp_q[0] -= (tact_real)(value + 0.2);
        tact_lcp_problem p = current(n);
        CHECK_INT(solve(&p, TACT_LCP_AUTO, false), TACT_INFEASIBLE);
        CHECK(proves(&p, solution.ray));
    }
}

// Rows times powers of two are the same problem, and the proof is found all the same.
static void test_scaled_rows(void) {
    uint64_t seed = test_seed(19);
    int most = sizeof(tact_real) == sizeof(double) ? 40 : 12, proved = 0;
    for (int k = 0; k < 300; k++) {
        int n = 2 + k % 5;
        double scale[8];
        for (int i = 0; i < n; i++) {
            scale[i] = ldexp(1, (int)(test_random_bits(&seed) % (uint64_t)(2 * most)) - most);
            lcp_q[i] = (tact_real)test_random(&seed, -1, 1);
            for (int j = 0; j < n; j++) lcp_M[i * n + j] = (tact_real)test_random(&seed, -1, 1);
        }
        // the last row against the first
        for (int j = 0; j < n; j++) lcp_M[(n - 1) * n + j] = -lcp_M[j];
        lcp_q[n - 1] = -lcp_q[0] - 1;
        tact_lcp_problem p = current(n);
        CHECK_INT(solve(&p, TACT_LCP_AUTO, false), TACT_INFEASIBLE);
        for (int i = 0; i < n; i++) {
            lcp_q[i] = (tact_real)((double)lcp_q[i] * scale[i]);
            for (int j = 0; j < n; j++) lcp_M[i * n + j] = (tact_real)((double)lcp_M[i * n + j] * scale[i]);
        }
        proved += solve(&p, TACT_LCP_AUTO, false) == TACT_INFEASIBLE && proves(&p, solution.ray);
    }
    CHECK_INT(proved, 300);
}

// An unknown that no row feels may be anything: that it runs off makes no answer of what it dwarfs.
static void test_unfelt(void) {
    static const double M[] = {0, 1, 2, 0, -1, 2, 0, 0, 1}, q[] = {-2, 1, 0};
    for (int k = 0; k < 41; k += 4) {
        for (int i = 0; i < 9; i++) lcp_M[i] = (tact_real)ldexp(M[i], -k);
        for (int i = 0; i < 3; i++) lcp_q[i] = (tact_real)ldexp(q[i], -k);
        tact_lcp_problem p = current(3);
        CHECK_INT(solve(&p, TACT_LCP_AUTO, false), TACT_UNSOLVABLE);
        CHECK(solve(&p, TACT_LCP_INTERIOR, false) != TACT_CONVERGED);
    }
}

// Exactly contradictory: M = G G' + S of small integers with G'y = 0, S'y = 0, q'y = -1, and then rows and columns times powers
// of two. M is singular, and rounding alone makes it regular: none may be called solved, and nearly all are proved.
static void make_contradiction(uint64_t *seed, int n, bool skew, int scales) {
    int rank = n / 2, y[40] = {1}, G[40][40] = {{0}}, S[40][40] = {{0}}, scale[40], q = -1;
    for (int i = 1; i < n; i++) y[i] = (int)(test_random_bits(seed) % 3);
    for (int i = 1; i < n; i++) {
        for (int r = 0; r < rank; r++) {
            G[i][r] = (int)(test_random_bits(seed) % 5) - 2;
            G[0][r] -= y[i] * G[i][r];
        }
        for (int j = 1; j < i && skew; j++) {
            int s = (int)(test_random_bits(seed) % 5) - 2;
            S[i][j] = s, S[j][i] = -s;
        }
    }
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++) S[0][j] -= y[i] * S[i][j];
    for (int j = 1; j < n; j++) S[j][0] = -S[0][j];
    for (int i = 0; i < n; i++) scale[i] = scales > 0 ? (int)(test_random_bits(seed) % (uint64_t)(2 * scales)) - scales : 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int sum = S[i][j];
            for (int r = 0; r < rank; r++) sum += G[i][r] * G[j][r];
            lcp_M[i * n + j] = (tact_real)ldexp(sum, scale[i] + scale[j]);
        }
        int value = (int)(test_random_bits(seed) % 7) - 3;
        q -= i > 0 ? y[i] * value : 0;
        lcp_q[i] = (tact_real)ldexp(value, scale[i]);
    }
    lcp_q[0] = (tact_real)ldexp(q, scale[0]);
}

static void test_contradictions(void) {
    uint64_t seed = test_seed(11);
    int total = 0, proved = 0, wrong = 0, largest = sizeof(tact_real) == sizeof(double) ? 30 : 8;
    for (int trial = 0; trial < 400; trial++) {
        int n = 2 + trial % (largest - 1);
        give_memory(n, -1);
        make_contradiction(&seed, n, trial % 2, trial % 4 < 2 ? 0 : 20);
        tact_lcp_problem p = current(n);
        tact_status end = solve(&p, TACT_LCP_AUTO, false);
        total++;
        wrong += end == TACT_CONVERGED;
        proved += end == TACT_INFEASIBLE && proves(&p, solution.ray);
    }
    CHECK_INT(wrong, 0);
    printf("proved: %d of %d\n", proved, total);
    CHECK(100 * proved >= (sizeof(tact_real) == sizeof(double) ? 97 : 60) * total);
}

// Solvable at one value of z_4 only: w_3 and w_5 leave no more, to the last bit.
static void test_narrow(void) {
    static const double M[] = {1,
                               1.0029759832693523,
                               0,
                               0.56261688066749,
                               -0.13253305221923353,
                               -0.9874699396563424,
                               0,
                               1,
                               0,
                               0.44958004962201925,
                               -0.2817840034755193,
                               -0.9535676220841243,
                               -0.005082547650518221,
                               0.03981638271658552,
                               1,
                               0.7989734235415334,
                               2.349905815982521,
                               -0.7907803174388814,
                               0,
                               0,
                               0,
                               0,
                               -0.8826264264193787,
                               1.5459816790957572,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               1.4923088446878958,
                               0};
    static const double q[] = {0.45070341677583187, 0.2557864626613233, -2.1589217152195443, 0.8211824515699554, 0,
                               -1.3884218723789485};
    give_memory(6, -1);
    for (int i = 0; i < 36; i++) lcp_M[i] = (tact_real)M[i];
    for (int i = 0; i < 6; i++) lcp_q[i] = (tact_real)q[i];
    tact_lcp_problem p = current(6);
    if (sizeof(tact_real) == sizeof(double)) CHECK_INT(solve(&p, TACT_LCP_AUTO, false), TACT_CONVERGED);
    CHECK(solve(&p, TACT_LCP_AUTO, false) != TACT_UNSOLVABLE);
}

static void test_ends(void) {

    tact_lcp_problem p = current(1);
    lcp_M[0] = -1, lcp_q[0] = -1;
    CHECK_INT(solve(&p, TACT_LCP_AUTO, false), TACT_INFEASIBLE);
    CHECK(proves(&p, solution.ray));
    // sweeps that run off end at what they began with
    const tact_real away[4] = {1, -3, -3, 1}, from[2] = {-1, -1};
    tact_lcp_problem off = {.n = 2, .M = away, .q = from};
    CHECK_INT(solve(&off, TACT_LCP_SWEEP, false), TACT_ITERATION_LIMIT);
    CHECK(solution.z[0] == 0 && solution.z[1] == 0 && solution.residual == 1);
    // feasible, but without solution: Murty, lcpsolve_r3_ray
    const tact_real M[9] = {2, -1, 3, -1, 1, 6, 1, 5, -2}, q[3] = {-2, 5, TACT_REAL(-1.5)};
    tact_lcp_problem r = {.n = 3, .M = M, .q = q};
    CHECK_INT(solve(&r, TACT_LCP_AUTO, false), TACT_UNSOLVABLE);
    CHECK_INT(solve(&r, TACT_LCP_ENUMERATE, false), TACT_UNSOLVABLE);
    for (int i = 0; i < 3; i++) solution.ray[i] = -1;
    CHECK_INT(solve(&r, TACT_LCP_LEMKE, false), TACT_RAY);
    // the ray: w + t M d >= 0 for all t
    for (int i = 0; i < 3; i++) CHECK(solution.ray[i] >= 0);
    CHECK(solution.ray[0] + solution.ray[1] + solution.ray[2] > 0);
    for (int bad = 0; bad < 3; bad++) {
        lcp_gram(&(uint64_t){9}, 5, 5, 1);
        for (int i = 0; i < 5; i++) lcp_q[i] = bad == 2 ? 1 : -1;
        if (bad == 1)
            lcp_q[3] = (tact_real)INFINITY;
        else
            lcp_M[5 * 4 + 2] = (tact_real)NAN;
        p = current(5);
        CHECK_INT(solve(&p, TACT_LCP_AUTO, false), TACT_BAD_INPUT);
    }
    p = current(0);
    CHECK_INT(solve(&p, TACT_LCP_AUTO, false), TACT_CONVERGED);
}

// However few pivots are allowed, by whatever method, with bounds or without: what is called solved is so, what is called
// infeasible is proved, and with enough of them most are solved.
static void test_budgets(void) {
    uint64_t seed = test_seed(13);
    static tact_real lo[LCP_MOST], hi[LCP_MOST];
    int solved[2] = {0}, total = 0, most = 0;
    for (int k = 0; k < 1200; k++) {
        static const int sizes[] = {2, 4, 6, 9, 14};
        int n = sizes[k % 5], budget = 1 + k / 5 % 12;
        lcp_make(&seed, (lcp_kind)(k % LCP_KINDS), n);
        give_memory(n, n);
        tact_lcp_problem p = current(n);
        for (int i = 0; i < n; i++) lo[i] = i % 3 ? -(tact_real)(i % 4) : -TACT_MAX;
        for (int i = 0; i < n; i++) hi[i] = (k + i) % 3 ? 1 : TACT_MAX;
        if (k % 4 == 1 || k % 4 == 2) p.lo = lo;
        if (k % 4 >= 2) p.hi = hi;
        for (int enough = 0; enough < 2; enough++) {
            tact_lcp_options options = tact_lcp_options_default();
            options.method = (tact_lcp_method)(k / 7 % 6);
            options.max_pivots = enough ? 1000 : budget;
            tact_status status = tact_lcp_solve(&p, &options, &work, &solution);
            CHECK(status != TACT_BAD_INPUT && status != TACT_SINGULAR && status != TACT_NO_MEMORY);
            if (status == TACT_CONVERGED) CHECK(residual_of(&p, solution.z) <= 2 * (double)TACT_LCP_TOLERANCE);
            if (status == TACT_INFEASIBLE && !p.lo && !p.hi) CHECK(proves(&p, solution.ray));
            CHECK(status != TACT_CONVERGED || solution.residual <= options.tolerance);
            solved[enough] += status == TACT_CONVERGED;
            bool single = options.method == TACT_LCP_LEMKE || options.method == TACT_LCP_SWEEP;
            if (!enough && single && solution.pivots - budget > most) most = solution.pivots - budget;
        }
        total++;
    }
    printf("few pivots: %d of %d solved, many: %d; %d more than allowed\n", solved[0], total, solved[1], most);
    CHECK(solved[0] < solved[1] && 10 * solved[1] > 7 * total);
    CHECK(most <= 1);
}

int main(void) {
    give_memory(LCP_MOST, -1);
    test_infeasible();
    test_scaled_rows();
    test_unfelt();
    test_contradictions();
    test_narrow();
    give_memory(LCP_MOST, -1);
    test_ends();
    test_budgets();
    free(memory);
    return test_end("lcp_ends");
}
