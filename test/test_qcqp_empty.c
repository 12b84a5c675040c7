// SPDX-License-Identifier: MIT
// Curved constraints that a planted point satisfies, and such that contradict each other by construction: a weighted sum of them
// is -h(x) with h > 0 everywhere. What is called infeasible must be so without exception, what is called solved must not. Nine of
// ten contradictions are proven: what is left are curves of which the least violation is no minimum of a concave sum.
#include "honest.h"
#include "test.h"

enum { MOST_N = 3, MOST_CURVED = 3, PRODUCT = 3, MOST = MOST_CURVED + PRODUCT, NODES = 20000 };

// 1/2 x'Q x + r'x + c
typedef struct {
    double Q[MOST_N][MOST_N], r[MOST_N], c;
} curve;

typedef struct {
    int n, count;
    curve curved[MOST];
    tact_triplet entry[MOST + 1][MOST_N * MOST_N + MOST_N];
    tact_quadratic constraint[MOST];
    bool equality[MOST];
    tact_qcqp problem;
} sketch;

static uint64_t seed;

static double draw(double low, double high) {
    return test_random(&seed, low, high);
}

static double value_of(const curve *f, int n, const double *x) {
    double value = f->c;
    for (int i = 0; i < n; i++) {
        value += f->r[i] * x[i];
        for (int j = 0; j < n; j++) value += f->Q[i][j] * x[i] * x[j] / 2;
    }
    return value;
}

// f += weight (|a'x + b|^2 + ..., n of them)
static void add_squares(curve *f, int n, double weight) {
    for (int k = 0; k < n; k++) {
        double a[MOST_N], b = draw(-1, 1);
        for (int i = 0; i < n; i++) a[i] = draw(-1, 1);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) f->Q[i][j] += 2 * weight * a[i] * a[j];
            f->r[i] += 2 * weight * b * a[i];
        }
        f->c += weight * b * b;
    }
}

static void add_scaled(curve *f, int n, double weight, const curve *g) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) f->Q[i][j] += weight * g->Q[i][j];
        f->r[i] += weight * g->r[i];
    }
    f->c += weight * g->c;
}

// concave, convex, indefinite or linear
static void make_curve(sketch *s, curve *f) {
    int kind = (int)draw(0, 4);
    *f = (curve){.c = draw(-2, 2)};
    for (int i = 0; i < s->n; i++) f->r[i] = draw(-2, 2);
    if (kind < 2) add_squares(f, s->n, -draw(0.2, 2));
    if (kind < 2) add_squares(f, s->n, kind == 1 ? draw(0.2, 2) : 0);
    if (kind == 2) add_squares(f, s->n, draw(0.2, 2));
}

static tact_quadratic print_curve(const curve *f, int n, tact_triplet *entry) {
    tact_quadratic q = {
        .nquadratic = n * n, .nlinear = n, .quadratic = entry, .linear = entry + n * n, .constant = (tact_real)f->c};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) entry[i * n + j] = (tact_triplet){i, j, (tact_real)f->Q[i][j]};
        entry[n * n + i] = (tact_triplet){-1, i, (tact_real)f->r[i]};
    }
    return q;
}

// l >= 0, m >= 0, -l m >= 0 with l = x_0 + b, m = x_1 + c
static void add_choice(sketch *s, double b, double c) {
    curve *l = &s->curved[s->count++], *m = &s->curved[s->count++], *product = &s->curved[s->count++];
    *l = (curve){.r = {1, 0}, .c = b};
    *m = (curve){.r = {0, 1}, .c = c};
    *product = (curve){.Q = {{0, -1}, {-1, 0}}, .r = {-c, -b}, .c = -b * c};
}

static void finish(sketch *s) {
    curve objective = {.c = 0};
    add_squares(&objective, s->n, 1);
    for (int i = 0; i < s->count; i++) s->constraint[i] = print_curve(&s->curved[i], s->n, s->entry[i]);
    s->problem = (tact_qcqp){.n = s->n,
                             .ncon = s->count,
                             .objective = print_curve(&objective, s->n, s->entry[MOST]),
                             .constraint = s->constraint,
                             .equality = s->equality};
}

static void begin(sketch *s) {
    *s = (sketch){.n = 1 + (int)draw(0, MOST_N), .count = 1 + (int)draw(0, MOST_CURVED)};
    for (int i = 0; i < s->count; i++) {
        make_curve(s, &s->curved[i]);
        s->equality[i] = draw(0, 1) < 0.2;
    }
}

// a point satisfies all, many just so
static void make_feasible(sketch *s) {
    double x[MOST_N];
    begin(s);
    for (int i = 0; i < s->n; i++) x[i] = draw(-2, 2);
    for (int i = 0; i < s->count; i++) {
        double slack = s->equality[i] || draw(0, 1) < 0.3 ? 0 : draw(0, 1);
        s->curved[i].c += slack - value_of(&s->curved[i], s->n, x);
    }
    if (s->n > 1 && draw(0, 1) < 0.3) add_choice(s, -x[0], -x[1] + draw(0, 1));
    finish(s);
}

// The last one is -h less the others, weighted.
static void make_empty(sketch *s) {
    begin(s);
    curve *last = &s->curved[s->count - 1];
    *last = (curve){.c = -draw(0.2, 2)};
    add_squares(last, s->n, -1);
    for (int i = 0; i < s->count - 1; i++) add_scaled(last, s->n, s->equality[i] ? draw(-2, 2) : -draw(0.1, 2), &s->curved[i]);
    if (s->n > 1 && draw(0, 1) < 0.3) add_choice(s, draw(-1, 1), draw(-1, 1));
    finish(s);
}

static tact_status solve(sketch *s, int max_nodes, tact_real *x, bool *global) {
    static unsigned char memory[1 << 18];
    tact_real y[MOST];
    tact_qcqp_options options = tact_qcqp_options_default();
    options.max_nodes = max_nodes;
    tact_qcqp_solution solution = {.x = x, .multiplier = y};
    tact_status status = tact_qcqp_solve(&s->problem, &options, memory, sizeof memory, &solution);
    *global = solution.global;
    return status;
}

// what the linear constraints alone exclude: the points with which a search begins, or all
static void test_rows(void) {
    static const curve bowl = {.Q = {{-1}}, .c = -1}, deep = {.Q = {{-0.5}}, .r = {-0.5}, .c = -4}, hill = {.Q = {{2}}, .c = -1};
    static const curve line = {.r = {-1}, .c = 0.1875};
    static const curve rows[] = {{.r = {1}, .c = -3}, {.r = {-1}, .c = 2}};
    tact_real x[MOST_N];
    bool global = false;
    // x = 3/16, and two that hold nowhere, one of them least wrong at zero
    static sketch s;
    s = (sketch){.n = 1, .count = 3, .curved = {line, deep, bowl}, .equality = {true, false, true}};
    finish(&s);
    CHECK_INT(solve(&s, 12, x, &global), TACT_INFEASIBLE);
    CHECK(global);
    // x >= 3, x <= 2, and x^2 >= 1
    s = (sketch){.n = 1, .count = 3, .curved = {rows[0], rows[1], hill}};
    finish(&s);
    CHECK_INT(solve(&s, NODES, x, &global), TACT_INFEASIBLE);
    CHECK(global);
}

// Both sides of a choice must be empty: x_1 = 0 excludes x_1 >= x_0^2 + 1, x_0 = 0 does not. However few nodes there are.
static void test_sides(void) {
    static const curve above = {.Q = {{-2}}, .r = {0, 1}, .c = -1};
    for (int nodes = 1; nodes <= 40; nodes++) {
        static sketch s;
        tact_real x[MOST_N];
        bool global = false;
        s = (sketch){.n = 2, .count = 1, .curved = {above}};
        add_choice(&s, 0, 0);
        finish(&s);
        tact_status status = solve(&s, nodes, x, &global);
        CHECK(status == TACT_CONVERGED || (status == TACT_UNDECIDED && nodes < 30));
    }
}

static void test_random_curves(void) {
    static sketch s;
    int count = test_rounds(1000), solved = 0, proven = 0;
    seed = test_seed(6);
    for (int k = 0; k < 2 * count; k++) {
        bool global = false, empty = k % 2;
        tact_real x[MOST_N];
        empty ? make_empty(&s) : make_feasible(&s);
        tact_status status = solve(&s, NODES, x, &global);
        CHECK(status == TACT_CONVERGED || status == TACT_ITERATION_LIMIT || status == TACT_INFEASIBLE ||
              status == TACT_UNDECIDED);
        CHECK(status != TACT_INFEASIBLE || (empty && global));
        CHECK(status != TACT_UNDECIDED || !global);
        if (status != TACT_INFEASIBLE && status != TACT_UNDECIDED) {
            CHECK(!empty && honest_qcqp(&s.problem, x) <= PROOF_SLACK);
            solved += status == TACT_CONVERGED;
        }
        proven += status == TACT_INFEASIBLE;
    }
    printf("qcqp: %d of %d feasible ones solved, %d of %d empty ones proven\n", solved, count, proven, count);
    CHECK(solved * 100 >= count * 97 && proven * 100 >= count * 85);
}

int main(void) {
    test_rows();
    test_sides();
    test_random_curves();
    return test_end("qcqp_empty");
}
