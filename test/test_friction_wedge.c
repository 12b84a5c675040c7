// SPDX-License-Identifier: MIT
// A cube wedged between walls that its corners touch, and fingers that push it: W has rank 6 and one for each finger, with
// corners on two walls at once, so that impulses are far from unique and sliding as slow as gaps are small. Standing still is
// possible, so that there is an answer. It is judged by the definition, and the balance of what is felt.
#include "friction_test.h"

enum { FINGERS = 2, DOFS = 6 + FINGERS, CASES = 400 };

static double J[ROWS][DOFS], inertia[DOFS], flight[DOFS];

static void draw_unit(uint64_t *seed, double n[3]) {
    double length = 0;
    do {
        for (int k = 0; k < 3; k++) n[k] = test_random(seed, -1, 1);
        length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    } while (!(length > 0.1 && length < 1));
    for (int k = 0; k < 3; k++) n[k] /= length;
}

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// the rows of a contact at p with normal n into the cube; a finger moves along it
static void add_contact(int i, const double p[3], const double n[3], int finger) {
    double frame[3][3], helper[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0}, turn[3];
    memcpy(frame[0], n, sizeof frame[0]);
    cross(n, helper, frame[1]);
    double length = sqrt(frame[1][0] * frame[1][0] + frame[1][1] * frame[1][1] + frame[1][2] * frame[1][2]);
    for (int k = 0; k < 3; k++) frame[1][k] /= length;
    cross(n, frame[1], frame[2]);
    for (int row = 0; row < 3; row++) {
        cross(p, frame[row], turn);
        memset(J[3 * i + row], 0, sizeof J[0]);
        for (int k = 0; k < 3; k++) {
            J[3 * i + row][k] = frame[row][k];
            J[3 * i + row][3 + k] = turn[k];
        }
        if (finger >= 0 && row == 0) J[3 * i][6 + finger] = -1;
    }
}

static tact_friction_problem draw_wedge(uint64_t *seed) {
    int nc = 0, walls = 2 + (test_random(seed, 0, 1) < 0.5), fingers = 1 + (test_random(seed, 0, 1) < 0.5);
    double shared[3], slippery = test_random(seed, 0.2, 1.5), size = test_random(seed, 0.02, 0.04);
    for (int k = 0; k < 3; k++) shared[k] = test_random(seed, 0, 1) < 0.5 ? -size : size;
    for (int k = 0; k < 3; k++) {
        inertia[k] = 0.1;
        inertia[3 + k] = 0.1 * 2 / 3 * size * size;
        flight[k] = test_random(seed, -0.1, 0.1);
        flight[3 + k] = test_random(seed, -0.1, 0.1) / size;
    }
    for (int w = 0; w < walls; w++) {
        double n[3], p[3];
        draw_unit(seed, n);
        add_contact(nc++, shared, n, -1);
        for (int more = 0; more < 2; more++) {
            for (int k = 0; k < 3; k++) p[k] = shared[k] * (test_random(seed, 0, 1) < 0.5 ? 1 : -1);
            if (test_random(seed, 0, 1) < 0.5) add_contact(nc++, p, n, -1);
        }
    }
    for (int f = 0; f < FINGERS; f++) {
        double n[3] = {0}, p[3];
        int axis = (int)test_random(seed, 0, 3) % 3;
        for (int k = 0; k < 3; k++) p[k] = test_random(seed, -size, size);
        p[axis] = f ? -size : size;
        n[axis] = f ? 1 : -1;
        inertia[6 + f] = 0.05;
        flight[6 + f] = test_random(seed, 0, 1);
        if (f < fingers) add_contact(nc++, p, n, f);
    }
    for (int i = 0; i < 3 * nc; i++) {
        double sum = 0, gap = i % 3 || test_random(seed, 0, 1) < 0.5 ? 0 : pow(10, test_random(seed, -8, -3));
        for (int k = 0; k < DOFS; k++) sum += J[i][k] * flight[k];
        q[i] = (tact_real)(sum + gap);
        mu[i / 3] = (tact_real)slippery;
        for (int j = 0; j < 3 * nc; j++) {
            sum = 0;
            for (int k = 0; k < DOFS; k++) sum += J[i][k] * J[j][k] / inertia[k];
            W[3 * nc * i + j] = (tact_real)sum;
        }
    }
    return problem_of(nc);
}

int main(void) {
    uint64_t seed = test_seed(17);
    int found = 0, cheap = 0, sharp = 0;
    long spent = 0;
    double worst = 0;
    open_work(MOST, MOST * MOST);
    for (int k = 0; k < CASES; k++) {
        tact_friction_problem problem = draw_wedge(&seed);
        tact_friction_solution s;
        tact_status status = solve(&problem, &s);
        double outside = 0, off = judge(problem.nc, &outside);
        found += status == TACT_CONVERGED;
        cheap += status == TACT_CONVERGED && s.iterations <= 80;
        sharp += off < 1e-12;
        spent += s.iterations;
        if (status == TACT_CONVERGED) worst = fmax(worst, off);
        CHECK(status != TACT_CONVERGED || (off <= JUDGED && outside <= JUDGED));
    }
    printf("%d of %d wedges, %d within 80 factorisations, %d to rounding, %.1f each, off by %.1e at most\n", found, CASES, cheap,
           sharp, (double)spent / CASES, worst);
    // some squeeze without end: then no impulses are an answer; before there was an interior point 380 had one
    CHECK(found >= CASES - CASES / 100);
    CHECK(cheap >= CASES * 17 / 20);
    free(memory);
    return test_end("friction_wedge");
}
