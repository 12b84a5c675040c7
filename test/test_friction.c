// SPDX-License-Identifier: MIT
// Exact Coulomb friction: closed forms, problems solved elsewhere (../shared/oracle, where it is there), stacks of boxes, judged
// by a natural map of the test's own.
#include "friction_test.h"
#include "tact/json.h"
#include "tact/text.h"

// a ball that hits the ground: W is a multiple of the identity
static void test_single(void) {
    tact_friction_solution s;
    tact_friction_problem problem = problem_of(1);
    one_contact(2, (tact_real[]){1, 3, 4}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    for (int k = 0; k < 3; k++) CHECK(r[k] == 0 && u[k] == q[k]);
    one_contact(2, (tact_real[]){-4, TACT_REAL(0.3), TACT_REAL(-0.4)}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    for (int k = 0; k < 3; k++) CHECK_CLOSE(r[k], -q[k] / 2, EXACT);
    // slides: r_n = 2, |r_t| = 1 against (3, 4)
    one_contact(2, (tact_real[]){-4, 3, 4}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_CLOSE(r[0], 2, EXACT);
    CHECK_CLOSE(r[1], -0.6, EXACT);
    CHECK_CLOSE(r[2], -0.8, EXACT);
    CHECK_INT(s.iterations, 0);
    one_contact(2, (tact_real[]){-4, 3, 4}, 0);
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK(r[1] == 0 && r[2] == 0);
    CHECK_CLOSE(r[0], 2, EXACT);
    problem.nc = 0;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
}

static void test_refused(void) {
    tact_friction_solution s;
    tact_friction_problem problem = problem_of(1);
    one_contact(1, (tact_real[]){-1, 0, 0}, 1);
    q[1] = (tact_real)NAN;
    CHECK_INT(solve(&problem, &s), TACT_BAD_INPUT);
    one_contact((tact_real)INFINITY, (tact_real[]){-1, 0, 0}, 1);
    CHECK_INT(solve(&problem, &s), TACT_BAD_INPUT);
    problem.nc = MOST + 1;
    CHECK_INT(solve(&problem, &s), TACT_NO_MEMORY);
    // nothing moves, and the gap closes
    problem.nc = 1;
    one_contact(0, (tact_real[]){-1, 0, 0}, 1);
    CHECK(solve(&problem, &s) != TACT_CONVERGED);
}

// a body of mass 1 between two walls that close
static void test_infeasible(void) {
    tact_friction_solution s;
    tact_friction_problem problem = problem_of(2);
    for (int k = 0; k < 36; k++) W[k] = k % 7 == 0 || k == 11 || k == 16 || k == 26 || k == 31 ? 1 : 0;
    W[3] = W[18] = -1;
    for (int k = 0; k < 6; k++) q[k] = k % 3 ? 0 : TACT_REAL(-0.5);
    mu[0] = mu[1] = TACT_REAL(0.5);
    CHECK_INT(solve(&problem, &s), TACT_INFEASIBLE);
    CHECK(r[0] > 0 && r[3] > 0);
    CHECK_CLOSE(r[0] / r[3], 1, NEAR);
    // walls that stand still, and a body at rest between them: any squeeze will do
    q[0] = q[3] = 0;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    // one of them leaves
    q[0] = TACT_REAL(-0.5);
    q[3] = 1;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_CLOSE(r[0] - r[3], 0.5, NEAR);
}

// kinetic energy after the impulses less that before
static double gained(const pile *p) {
    double before = 0, after = 0;
    for (int k = 0; k < 6 * p->nb; k++) {
        double m = p->mass[k / 6] / (k % 6 < 3 ? 1 : 6), v = p->v[k];
        before += m * v * v;
        for (int i = 0; i < 3 * p->nc; i++) v += p->H[i][k] * (double)r[i] / m;
        after += m * v * v;
    }
    return after / before - 1;
}

static void test_stacks(void) {
    uint64_t seed = test_seed(5);
    static pile p;
    int solved = 0, count = 0;
    double worst = 0, outside, most = 0;
    for (int k = 0; k < 60; k++) {
        double ratio = k % 3 == 0 ? 1 : k % 3 == 1 ? 30 : 1000, kick = k % 2 ? test_random(&seed, 0, 1) : 0;
        make_stack(&p, 1 + k % 10, sizeof(tact_real) == 4 ? sqrt(ratio) : ratio, &seed, kick);
        assemble(&p, k % 5 == 0 ? 0 : test_random(&seed, 0.1, 1));
        tact_friction_problem problem = problem_of(p.nc);
        tact_friction_solution s;
        count++;
        if (solve(&problem, &s) != TACT_CONVERGED) continue;
        solved++;
        worst = fmax(worst, judge(p.nc, &outside));
        most = fmax(most, outside);
        CHECK(gained(&p) < NEAR);
        double load = 0;
        for (int i = 0; i < 4; i++) load += (double)r[3 * i];
        double weight = 0;
        for (int b = 0; b < p.nb; b++) weight += 0.0981 * p.mass[b];
        if (kick == 0) CHECK_CLOSE(load / weight, 1, 20 * NEAR);
    }
    printf("%d of %d stacks, residual at most %.1e, outside the cone by %.1e\n", solved, count, worst, most);
    CHECK(sizeof(tact_real) == 4 || solved == count);
    CHECK(solved >= count * 9 / 10);
    CHECK(worst < JUDGED && most < 10 * (double)TACT_EPS);
}

// the same bits from blocks
static void test_blocks(void) {
    uint64_t seed = 3;
    static pile p;
    static tact_real block[9 * MOST * MOST], copy[ROWS];
    static int start[MOST + 1], column[MOST * MOST];
    make_stack(&p, 6, 10, &seed, 0.3);
    assemble(&p, 0.4);
    tact_friction_problem problem = problem_of(p.nc);
    tact_friction_solution s;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    memcpy(copy, r, sizeof r);
    int count = 0, n = 3 * p.nc;
    for (int i = 0; i < p.nc; i++) {
        start[i] = count;
        for (int j = 0; j < p.nc; j++) {
            if (j / 4 > i / 4 + 1 || i / 4 > j / 4 + 1) continue;
            for (int k = 0; k < 9; k++) block[9 * count + k] = W[(3 * i + k / 3) * n + 3 * j + k % 3];
            column[count++] = j;
        }
    }
    start[p.nc] = count;
    problem.row_start = start;
    problem.column = column;
    problem.W = block;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK(memcmp(copy, r, sizeof(tact_real) * (size_t)n) == 0);
    // from the answer there is nothing to do
    tact_friction_options options = tact_friction_options_default();
    options.warm = true;
    CHECK_INT(tact_friction_solve(&problem, &options, &work, &s), TACT_CONVERGED);
    CHECK(s.iterations <= 2 && s.sweeps == 0);
    CHECK_CLOSE(tact_friction_residual(&problem, &work, r, u), s.residual, 1e-15);
}

// a pull is outside of the cone, also of the one that is only a line: the ground does not hold what leaves it
static void test_pull(void) {
    const tact_real D[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, leaves[3] = {1, 0, 0}, none[1] = {0}, some[1] = {TACT_REAL(0.5)};
    const tact_real pull[3] = {-1, 0, 0};
    tact_friction_problem problem = {.nc = 1, .W = D, .q = leaves, .mu = none};
    // the nearest impulse is none, and the velocity is that of none
    CHECK(tact_friction_residual(&problem, &work, pull, u) == 0 && u[0] == 1);
    problem.mu = some;
    CHECK(tact_friction_residual(&problem, &work, pull, u) == 0 && u[0] == 1);
    // what only a pull would bring to rest has no answer: u_n = -r_n - 2 r_s, and of the row r_s = 1
    const tact_real P[36] = {-1, 0, 0, -2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                             0,  0, 0, 1,  0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1};
    const tact_real still[6] = {0}, both[2] = {0, -1}, ones[6] = {0, 0, 0, 1, 0, 0}, stays[6] = {-2, 0, 0, 1, 0, 0};
    tact_friction_problem held = {.nc = 2, .W = P, .q = still, .mu = both, .low = ones, .high = ones};
    CHECK(tact_friction_residual(&held, &work, stays, u) > 1 && u[0] == -2);
    tact_friction_solution s;
    CHECK(solve(&held, &s) != TACT_CONVERGED);
}

// a mass of 2 on the ground, driven along x with at most 3 N s, held at y, stopped from below at z by a limit, rows coupled
static void test_rows(void) {
    tact_real low[6] = {-3, -TACT_MAX, 0, 0, 0, 0}, high[6] = {3, TACT_MAX, TACT_MAX, 0, 0, 0};
    tact_friction_problem problem = problem_of(1);
    tact_friction_solution s;
    problem.low = low;
    problem.high = high;
    for (int k = 0; k < 9; k++) W[k] = k % 4 == 0 ? TACT_REAL(0.5) : TACT_REAL(0.1);
    mu[0] = -1;
    q[0] = 10;
    q[1] = -2;
    q[2] = -1;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_CLOSE(r[0], -3, EXACT);
    CHECK_CLOSE(u[1], 0, EXACT);
    CHECK_CLOSE(u[2], 0, EXACT);
    // 0.5 y + 0.1 z = 2.3, 0.1 y + 0.5 z = 1.3
    CHECK_CLOSE(r[1], (0.5 * 2.3 - 0.1 * 1.3) / 0.24, 10 * EXACT);
    CHECK_CLOSE(r[2], (0.5 * 1.3 - 0.1 * 2.3) / 0.24, 10 * EXACT);
    q[2] = 3;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK(r[2] == 0 && u[2] > 0);
    low[0] = 4;
    CHECK_INT(solve(&problem, &s), TACT_BAD_INPUT);
    // with a contact that slides: the drive pushes against the friction of a mass of 1
    for (int k = 0; k < 36; k++) W[k] = 0;
    W[0] = W[7] = W[14] = 1;
    W[21] = W[6 + 3] = W[18 + 1] = 1;
    q[0] = -1;
    q[1] = q[2] = 0;
    q[3] = -5;
    q[4] = q[5] = 0;
    mu[0] = TACT_REAL(0.5);
    mu[1] = -1;
    tact_real lows[6] = {0, 0, 0, -2, 0, 0}, highs[6] = {0, 0, 0, 2, 0, 0};
    q[1] = -5;
    problem = (tact_friction_problem){.nc = 2, .W = W, .q = q, .mu = mu, .low = lows, .high = highs};
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_CLOSE(r[3], 2, EXACT);
    CHECK_CLOSE(r[1], 0.5, EXACT);
    CHECK_CLOSE(u[1], -2.5, EXACT);
}

static int read_vector(const tact_json *json, int object, const char *key, tact_real *out, int most) {
    int node = tact_json_find(json, object, key), count = node < 0 ? 0 : tact_json_length(json, node);
    CHECK(count <= most);
    CHECK(count > most || tact_json_get_vector(json, node, count, tact_range_any(), out));
    return count;
}

static void check_oracle(const tact_json *json, int *solved) {
    static tact_real data[9 * MOST * MOST], indices[9 * MOST * MOST], indptr[ROWS + 1];
    int nc = read_vector(json, 0, "mu", mu, MOST), sparse = tact_json_find(json, 0, "W_csr");
    CHECK_INT(read_vector(json, 0, "q", q, ROWS), 3 * nc);
    memset(W, 0, sizeof W);
    if (sparse >= 0) {
        read_vector(json, sparse, "data", data, 9 * MOST * MOST);
        read_vector(json, sparse, "indices", indices, 9 * MOST * MOST);
        read_vector(json, sparse, "indptr", indptr, ROWS + 1);
        for (int i = 0; i < 3 * nc; i++)
            for (int k = (int)indptr[i]; k < (int)indptr[i + 1]; k++) W[i * 3 * nc + (int)indices[k]] += data[k];
    } else {
        CHECK_INT(read_vector(json, 0, "W", W, ROWS * ROWS), 9 * nc * nc);
    }
    tact_friction_problem problem = problem_of(nc);
    tact_friction_solution s;
    tact_status status = solve(&problem, &s);
    double outside = 0, residual = judge(nc, &outside);
    bool good = status == TACT_CONVERGED && residual <= JUDGED && outside <= 10 * (double)TACT_EPS;
    if (!good && sizeof(tact_real) == 8)
        printf("%s: %s, residual %.1e\n", tact_json_string(json, tact_json_find(json, 0, "name")), tact_status_name(status),
               residual);
    *solved += good;
}

static void test_oracle(void) {
    tact_errors errors = {0};
    tact_text text = {0};
    int count = 0, solved = 0;
    if (!tact_text_read(&text, "../shared/oracle/friction.jsonl", TACT_TEXT_LIMIT, &errors)) {
        puts("skipped: ../shared/oracle/friction.jsonl is not there");
        return;
    }
    for (const char *at = text.bytes; at && *at;) {
        const char *end = strchr(at, '\n');
        tact_json json;
        tact_source line = {"friction.jsonl", at, end ? (size_t)(end - at) : strlen(at), 1};
        CHECK(tact_json_read(&json, line, &errors));
        check_oracle(&json, &solved);
        count++;
        tact_json_free(&json);
        at = end ? end + 1 : NULL;
    }
    tact_text_free(&text);
    printf("%d of %d problems solved elsewhere\n", solved, count);
    CHECK(sizeof(tact_real) == 4 || solved == count);
}

int main(void) {
    open_work(MOST, MOST * MOST);
    test_single();
    test_refused();
    test_infeasible();
    test_stacks();
    test_blocks();
    test_pull();
    test_rows();
    test_oracle();
    free(memory);
    return test_end("friction");
}
