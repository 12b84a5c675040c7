// SPDX-License-Identifier: MIT
// Derivatives of contacts with friction against difference quotients, their kinks, and the polygon in place of the disk.
#include "friction_test.h"

static void test_derivative(void) {
    uint64_t seed = test_seed(11);
    static pile p;
    static tact_real dw[ROWS], dr[ROWS], dmu[MOST], base[ROWS], g[ROWS], by_q[ROWS], by_mu[MOST], q0[ROWS], mu0[MOST];
    tact_friction_mode mode[MOST], beside[MOST];
    int modes[3] = {0, 0, 0}, kinks = 0, compared = 0;
    for (int k = 0; k < 40; k++) {
        // three points of a box: W is regular but for the last
        make_stack(&p, 1, 1, &seed, 0.5);
        p.nc = 2;
        assemble(&p, test_random(&seed, 0.05, 1));
        for (int i = 0; i < 6; i++) W[7 * i] += TACT_REAL(0.2);
        tact_friction_problem problem = problem_of(2);
        tact_friction_solution s;
        tact_friction_derivative d = {.mode = mode};
        CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
        CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
        for (int i = 0; i < 2; i++) modes[mode[i]]++;
        kinks += d.kink;
        if (d.kink) continue;
        CHECK(!d.redundant);
        bool same = true;
        double forward = 0, reverse = 0, h = sizeof(tact_real) == 4 ? 2e-3 : 1e-6;
        for (int i = 0; i < 6; i++) {
            dw[i] = (tact_real)test_random(&seed, -1, 1);
            g[i] = (tact_real)test_random(&seed, -1, 1);
            dmu[i / 3] = (tact_real)test_random(&seed, -1, 1);
        }
        tact_friction_forward(&d, dw, dmu, dr);
        tact_friction_reverse(&d, g, by_q, by_mu);
        for (int i = 0; i < 6; i++) {
            forward += (double)(g[i] * dr[i]);
            reverse += (double)(by_q[i] * dw[i]);
        }
        for (int i = 0; i < 2; i++) reverse += (double)(by_mu[i] * dmu[i]);
        CHECK_CLOSE(forward, reverse, 100 * EXACT);
        memcpy(q0, q, sizeof q);
        memcpy(mu0, mu, sizeof mu);
        for (int side = -1; side < 2; side += 2) {
            for (int i = 0; i < 6; i++) q[i] = q0[i] + (tact_real)(side * h) * dw[i];
            for (int i = 0; i < 2; i++) mu[i] = mu0[i] + (tact_real)(side * h) * dmu[i];
            CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
            if (side < 0) memcpy(base, r, sizeof r);
            d.mode = beside;
            CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
            same = same && mode[0] == beside[0] && mode[1] == beside[1];
        }
        compared += same;
        if (!same) continue;
        for (int i = 0; i < 6; i++) CHECK_CLOSE((double)(r[i] - base[i]) / (2 * h), dr[i], sizeof(tact_real) == 4 ? 0.1 : 1e-5);
    }
    printf("modes: %d separating, %d sticking, %d sliding; %d kinks; %d compared\n", modes[0], modes[1], modes[2], kinks,
           compared);
    CHECK(modes[0] > 0 && modes[1] > 0 && modes[2] > 0 && kinks < 4 && compared > 20);
}

static void test_kinks(void) {
    tact_friction_solution s;
    tact_friction_mode mode[4];
    tact_friction_derivative d = {.mode = mode};
    tact_friction_problem problem = problem_of(1);
    // at the angle of friction
    one_contact(1, (tact_real[]){-2, 1, 0}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
    CHECK(d.kink);
    // resting without weight
    one_contact(1, (tact_real[]){0, 1, 0}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
    CHECK(d.kink);
    // scalar rows: away from their limits, and one at its limit without velocity
    for (int at_limit = 0; at_limit < 2; at_limit++) {
        one_contact(1, (tact_real[]){at_limit ? 0 : TACT_REAL(0.3), -1, TACT_REAL(0.5)}, -1);
        CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
        CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
        CHECK_INT(d.kink, at_limit);
    }
    // four legs: impulses are not unique, velocities are
    uint64_t seed = 1;
    static pile p;
    static tact_real dr[ROWS];
    make_stack(&p, 1, 1, &seed, 0);
    p.v[3] = 0.001;
    assemble(&p, 2);
    problem.nc = 4;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
    CHECK(d.redundant && !d.kink);
    tact_real dw[12];
    for (int i = 0; i < 12; i++) dw[i] = (tact_real)p.H[i][2];
    tact_friction_forward(&d, dw, NULL, dr);
    for (int i = 0; i < 12; i++) {
        double du = (double)dw[i];
        for (int j = 0; j < 12; j++) du += (double)(W[12 * i + j] * dr[j]);
        CHECK_CLOSE(du, 0, sizeof(tact_real) == 4 ? 1e-2 : 1e-6);
    }
}

// What z of a polygon's problem leaves undone: max |min(z, M z + p)|
static double polygon_gap(const tact_friction_problem *problem, int facets, const tact_real *z) {
    static tact_real M[200 * 200], at[200];
    int n = tact_friction_polygon_count(problem, facets);
    tact_friction_polygon polygon = {.M = M, .p = at};
    double worst = 0;
    tact_friction_polygon_fill(problem, facets, &polygon);
    for (int i = 0; i < n; i++) {
        double w = (double)at[i];
        for (int j = 0; j < n; j++) w += (double)(M[i * n + j] * z[j]);
        worst = fmax(worst, fabs(fmin(w, (double)z[i])));
    }
    return worst;
}

// The exact answer, written in the polygon's unknowns, answers the polygon's problem the better the more facets there are.
static void test_polygon(void) {
    tact_friction_problem problem = problem_of(1);
    tact_friction_solution s;
    double last = 1;
    static tact_real z[200], back[3];
    for (int k = 0; k < 9; k++) W[k] = (tact_real)((double[]){2, 0.3, -0.2, 0.3, 1, 0.1, -0.2, 0.1, 1.5})[k];
    q[0] = -1;
    q[1] = 2;
    q[2] = TACT_REAL(0.7);
    mu[0] = TACT_REAL(0.6);
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    for (int facets = 4; facets <= 128; facets *= 2) {
        double step = 2 * 3.14159265358979323846 / facets, angle = atan2((double)r[2], (double)r[1]), length;
        int j = (int)floor((angle < 0 ? angle + facets * step : angle) / step + 0.5) % facets;
        memset(z, 0, sizeof z);
        length = norm2((double)r[1], (double)r[2]);
        z[0] = r[0];
        z[1 + j] = (tact_real)length;
        z[facets + 1] = (tact_real)(norm2((double)u[1], (double)u[2]) * cos(angle - j * step));
        double gap = polygon_gap(&problem, facets, z);
        CHECK(gap < 4.0 / facets);
        last = gap;
        tact_friction_polygon_read(&problem, facets, z, back);
        CHECK_CLOSE(back[0], r[0], EXACT);
        CHECK_CLOSE(norm2((double)back[1], (double)back[2]), length, EXACT);
    }
    CHECK(last < 0.02);
    // along a direction it is exact
    one_contact(2, (tact_real[]){-4, 0, 3}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    memset(z, 0, sizeof z);
    z[0] = 2;
    z[4] = 1;
    z[5] = 1;
    CHECK_CLOSE(polygon_gap(&problem, 4, z), 0, EXACT);
    tact_friction_polygon_read(&problem, 4, z, back);
    for (int k = 0; k < 3; k++) CHECK_CLOSE(back[k], r[k], EXACT);
}

// A x = b, b in column n and x in its place; false where a pivot is missing.
static bool eliminate(int n, double A[16][17]) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++) best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        if (fabs(A[best][k]) < 1e-6) return false;
        for (int j = 0; j <= n; j++) {
            double t = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = t;
        }
        for (int j = n; j >= k; j--) A[k][j] /= A[k][k];
        for (int i = 0; i < n; i++)
            for (int j = n; i != k && j >= k; j--) A[i][j] -= A[i][k] * A[k][j];
    }
    return true;
}

// A solution of w = M z + p by trying all sets of unknowns that are not zero; false when there is none.
static bool enumerate(int n, const tact_real *M, const tact_real *p, tact_real *z) {
    for (int set = 0; set < 1 << n; set++) {
        double A[16][17], x[16] = {0};
        int member[16], count = 0;
        for (int i = 0; i < n; i++)
            if (set >> i & 1) member[count++] = i;
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++) A[i][j] = (double)M[member[i] * n + member[j]];
            A[i][count] = -(double)p[member[i]];
        }
        bool good = eliminate(count, A);
        for (int k = 0; k < count && good; k++) good = (x[member[k]] = A[k][count]) > -1e-9;
        for (int i = 0; i < n && good; i++) {
            double w = (double)p[i];
            for (int j = 0; j < n; j++) w += (double)M[i * n + j] * x[j];
            good = w > -1e-5;
        }
        for (int i = 0; i < n; i++) z[i] = (tact_real)x[i];
        if (good) return true;
    }
    return false;
}

// The polygon's answer comes to the exact one as facets grow.
static void test_polygon_solved(void) {
    tact_friction_problem problem = problem_of(1);
    tact_friction_solution s;
    tact_real M[256], p[16], z[16], at[3];
    tact_friction_polygon polygon = {.M = M, .p = p};
    for (int k = 0; k < 9; k++) W[k] = (tact_real)((double[]){2, 0.3, -0.2, 0.3, 1, 0.1, -0.2, 0.1, 1.5})[k];
    q[0] = -1;
    q[1] = 2;
    q[2] = TACT_REAL(0.7);
    mu[0] = TACT_REAL(0.6);
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    for (int facets = 3; facets <= 12; facets += 3) {
        tact_friction_polygon_fill(&problem, facets, &polygon);
        CHECK(enumerate(facets + 2, M, p, z));
        tact_friction_polygon_read(&problem, facets, z, at);
        double off = 0, corner = 3.14159265358979323846 / facets;
        for (int k = 0; k < 3; k++) off = fmax(off, fabs((double)(at[k] - r[k])));
        CHECK(norm2((double)at[1], (double)at[2]) <= (double)(mu[0] * at[0]) + NEAR);
        CHECK(off < 1.5 * corner * norm2((double)r[1], (double)r[2]));
        printf("%d facets: impulse off by %.1e\n", facets, off);
    }
}

int main(void) {
    open_work(MOST, MOST * MOST);
    test_derivative();
    test_kinks();
    test_polygon();
    test_polygon_solved();
    free(memory);
    return test_end("friction_deriv");
}
