// SPDX-License-Identifier: MIT
// Contacts together with scalar rows that have limits: the answer by the definition, its derivative by difference quotients, and
// the same problem with polygons, solved as a complementarity problem with bounds.
#include "friction_test.h"
#include "tact/lcp.h"

enum { BLOCKS = 3, N = 3 * BLOCKS, FACETS = 12, UNKNOWNS = FACETS + 2 + 6 };

static tact_real low[N], high[N];

// block 1 is a contact, the others are rows: with two limits, one, none, or held between equal ones
static tact_friction_problem make_rows(uint64_t *seed, double slippery) {
    double A[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) A[i][j] = test_random(seed, -1, 1);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = i == j ? 0.5 : 0;
            for (int k = 0; k < N; k++) sum += A[i][k] * A[j][k];
            W[N * i + j] = (tact_real)sum;
        }
    for (int i = 0; i < N; i++) {
        double width = test_random(seed, 0, 1);
        q[i] = (tact_real)test_random(seed, -1, 1);
        low[i] = (tact_real)test_random(seed, -0.5, 0);
        high[i] = width < 0.2 ? low[i] : low[i] + (tact_real)width;
        if (width > 0.7) high[i] = TACT_MAX;
        if (width > 0.8) low[i] = -TACT_MAX;
    }
    for (int i = 0; i < BLOCKS; i++) mu[i] = i == 1 ? (tact_real)slippery : -1;
    tact_friction_problem problem = problem_of(BLOCKS);
    problem.low = low;
    problem.high = high;
    return problem;
}

// the largest miss of z = clamp(z - w, low, high) of the scalar rows
static double miss_of_rows(const tact_friction_problem *problem) {
    double worst = 0;
    for (int i = 0; i < N; i++) {
        double w = (double)q[i], l = problem->low ? (double)low[i] : 0, h = problem->high ? (double)high[i] : 1e300;
        for (int j = 0; j < N; j++) w += (double)W[N * i + j] * (double)r[j];
        if (i / 3 != 1) worst = fmax(worst, fabs((double)r[i] - fmax(l, fmin(h, (double)r[i] - w))));
    }
    return worst;
}

static void test_answers(uint64_t *seed) {
    for (int k = 0; k < 60; k++) {
        tact_friction_solution s;
        tact_friction_problem problem = make_rows(seed, k % 4 ? 0.5 : 0);
        // only below, only above, neither, both
        if (k % 8 == 1) problem.high = NULL;
        if (k % 8 == 2) problem.low = NULL;
        for (int i = 0; i < N && !problem.low; i++) high[i] = high[i] < 0 ? 0 : high[i];
        CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
        CHECK_CLOSE(miss_of_rows(&problem), 0, NEAR);
    }
}

static void test_derivative(uint64_t *seed) {
    static tact_real dw[N], dr[N], dmu[BLOCKS], g[N], by_q[N], by_mu[BLOCKS], q0[N], at_low[N];
    tact_friction_mode mode[BLOCKS];
    int compared = 0, rows[3] = {0};
    double h = sizeof(tact_real) == 4 ? 1e-3 : 1e-6;
    for (int k = 0; k < 60; k++) {
        tact_friction_solution s;
        tact_friction_problem problem = make_rows(seed, 0.5);
        tact_friction_derivative d = {.mode = mode};
        CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
        CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
        rows[mode[0]]++;
        if (d.kink) continue;
        for (int i = 0; i < N; i++) {
            dw[i] = (tact_real)test_random(seed, -1, 1);
            g[i] = (tact_real)test_random(seed, -1, 1);
            dmu[i / 3] = 0;
        }
        dmu[1] = (tact_real)(k % 2);
        tact_friction_forward(&d, dw, k % 2 ? dmu : NULL, dr);
        tact_friction_reverse(&d, g, by_q, k % 2 ? by_mu : NULL);
        double forward = 0, reverse = k % 2 ? (double)by_mu[1] : 0, worst = 0;
        for (int i = 0; i < N; i++) {
            forward += (double)(g[i] * dr[i]);
            reverse += (double)(by_q[i] * dw[i]);
        }
        CHECK_CLOSE(forward, reverse, 100 * EXACT);
        if (k % 2) CHECK(by_mu[0] == 0 && by_mu[2] == 0);
        memcpy(q0, q, sizeof q0);
        for (int side = -1; side < 2; side += 2) {
            for (int i = 0; i < N; i++) q[i] = q0[i] + (tact_real)(side * h) * dw[i];
            mu[1] = TACT_REAL(0.5) + (tact_real)(side * h) * dmu[1];
            CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
            if (side < 0) memcpy(at_low, r, sizeof at_low);
        }
        for (int i = 0; i < N; i++) worst = fmax(worst, fabs((double)(r[i] - at_low[i]) / (2 * h) - (double)dr[i]));
        // across a corner the quotient is none
        compared += worst < (sizeof(tact_real) == 4 ? 0.2 : 1e-4);
    }
    printf("rows: %d at their limits, %d between; %d of 60 derivatives agree\n", rows[0], rows[1], compared);
    CHECK(rows[0] > 0 && rows[1] > 10 && rows[2] == 0 && compared > 45);
}

static void *place_polygons(tact_lcp_work *lcp, tact_lcp_solution *found) {
    void *taken = NULL;
    for (int pass = 0; pass < 2; pass++) {
        static tact_arena arena;
        if (pass == 1) taken = malloc(arena.used);
        arena = (tact_arena){.memory = taken, .size = arena.used};
        tact_lcp_place(lcp, UNKNOWNS, UNKNOWNS, &arena);
        tact_lcp_solution_place(found, UNKNOWNS, &arena);
    }
    return taken;
}

// without friction the answers are the same, with it nearly
static void test_polygons(uint64_t *seed) {
    static tact_real M[UNKNOWNS * UNKNOWNS], p[UNKNOWNS], lo[UNKNOWNS], hi[UNKNOWNS], back[N];
    tact_lcp_work lcp;
    tact_lcp_solution found;
    void *taken = place_polygons(&lcp, &found);
    for (int k = 0; k < 30; k++) {
        tact_friction_solution s;
        tact_friction_problem problem = make_rows(seed, k % 2 ? 0.5 : 0);
        tact_friction_polygon polygon = {.M = M, .p = p, .low = lo, .high = hi};
        CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
        CHECK_INT(tact_friction_polygon_count(&problem, FACETS), UNKNOWNS);
        tact_friction_polygon_fill(&problem, FACETS, &polygon);
        tact_lcp_problem flat = {.n = UNKNOWNS, .M = M, .q = p, .lo = lo, .hi = hi};
        tact_lcp_options options = tact_lcp_options_default();
        CHECK_INT(tact_lcp_solve(&flat, &options, &lcp, &found), TACT_CONVERGED);
        tact_friction_polygon_read(&problem, FACETS, found.z, back);
        double worst = 0, most = 0;
        for (int i = 0; i < N; i++) {
            worst = fmax(worst, fabs((double)(back[i] - r[i])));
            most = fmax(most, fabs((double)r[i]));
        }
        CHECK_CLOSE(worst, 0, k % 2 ? 0.15 * most : NEAR * fmax(1, most));
    }
    free(taken);
}

int main(void) {
    uint64_t seed = test_seed(31);
    open_work(BLOCKS, BLOCKS * BLOCKS);
    test_answers(&seed);
    test_derivative(&seed);
    test_polygons(&seed);
    free(memory);
    return test_end("friction_rows");
}
