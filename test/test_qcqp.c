// SPDX-License-Identifier: MIT
// Quadratically constrained problems against closed forms, enumeration, and the stored ones of test_oracle's folder.
#include "tact/qcqp.h"

#include <math.h>
#include <stdlib.h>

#include "test.h"

#define CLOSE(bound) ((bound) / DBL_EPSILON * (double)TACT_EPS)

enum { ENTRIES = 4000, UNKNOWNS = 260, CONSTRAINTS = 400 };

// a problem that is built term by term
typedef struct {
    tact_qcqp problem;
    tact_quadratic constraint[CONSTRAINTS];
    bool equality[CONSTRAINTS];
    tact_triplet entry[ENTRIES];
    int used;
    tact_real x[UNKNOWNS], multiplier[CONSTRAINTS];
    tact_qcqp_solution solution;
} sketch;

static sketch *new_sketch(int n) {
    sketch *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->problem = (tact_qcqp){.n = n, .constraint = s->constraint, .equality = s->equality};
    return s;
}

static void add_terms(sketch *s, tact_quadratic *f, int count, const tact_triplet *terms) {
    bool quadratic = count > 0 && terms[0].row >= 0;
    const tact_triplet *start = s->entry + s->used;
    for (int i = 0; i < count; i++) s->entry[s->used++] = terms[i];
    if (quadratic) *f = (tact_quadratic){.quadratic = start, .nquadratic = count};
    if (!quadratic) *f = (tact_quadratic){.linear = start, .nlinear = count};
}

// one whose terms are all linear, or all quadratic
static void constrain(sketch *s, int count, const tact_triplet *terms, double constant, bool equality) {
    int i = s->problem.ncon++;
    add_terms(s, &s->constraint[i], count, terms);
    s->constraint[i].constant = (tact_real)constant;
    s->equality[i] = equality;
}

static tact_triplet linear(int column, double value) {
    return (tact_triplet){-1, column, (tact_real)value};
}

// x_i >= 0, x_j >= 0, -x_i x_j >= 0
static void add_choice(sketch *s, int i, int j) {
    tact_triplet product[] = {{i, j, -1}, {j, i, -1}}, a = linear(i, 1), b = linear(j, 1);
    constrain(s, 1, &a, 0, false);
    constrain(s, 1, &b, 0, false);
    constrain(s, 2, product, 0, false);
}

static tact_status solve(sketch *s) {
    tact_qcqp_options options = tact_qcqp_options_default();
    size_t size = tact_qcqp_size(&s->problem);
    void *memory = malloc(size);
    s->solution = (tact_qcqp_solution){.x = s->x, .multiplier = s->multiplier};
    CHECK_INT(tact_qcqp_solve(&s->problem, &options, memory, size / 2, &s->solution), TACT_NO_MEMORY);
    tact_status status = tact_qcqp_solve(&s->problem, &options, memory, size, &s->solution);
    free(memory);
    return status;
}

// The cart of the rigid law's note, from (q0, v0) to rest at the wall in N steps: positions, velocities, commands, forces.
static sketch *cart(int N, double q0, double v0, double h, double m) {
    sketch *s = new_sketch(4 * N);
    s->problem.objective = (tact_quadratic){.quadratic = s->entry, .nquadratic = N};
    for (int k = 0; k < N; k++) s->entry[s->used++] = (tact_triplet){2 * N + k, 2 * N + k, (tact_real)h};
    for (int k = 0; k < N; k++) {
        tact_triplet speed[] = {linear(N + k, 1), linear(2 * N + k, -h / m), linear(3 * N + k, -h / m), linear(N + k - 1, -1)};
        tact_triplet place[] = {linear(k, 1), linear(N + k, -h), linear(k - 1, -1)};
        constrain(s, k > 0 ? 4 : 3, speed, k > 0 ? 0 : -v0, true);
        constrain(s, k > 0 ? 3 : 2, place, k > 0 ? 0 : -q0, true);
        add_choice(s, k, 3 * N + k);
    }
    tact_triplet q = linear(N - 1, 1), v = linear(2 * N - 1, 1);
    constrain(s, 1, &q, 0, true);
    constrain(s, 1, &v, 0, true);
    return s;
}

static void test_cart_stop(void) {
    for (int N = 3; N <= 50; N++) {
        double h = 1.0 / N, m = 2, S = (N - 1.0) * N * (2.0 * N - 1) / 6, best = m * m / (2 * h * h * h * S);
        sketch *s = cart(N, 1, 0, h, m);
        CHECK_INT(solve(s), TACT_CONVERGED);
        CHECK(fabs((double)s->solution.objective / best - 1) < CLOSE(1e-10));
        CHECK(s->solution.complementarity == 0 && (double)s->solution.violation < CLOSE(1e-12));
        CHECK(s->solution.global && s->solution.choices == N);
        for (int k = 0; k < N - 1; k++) {
            double u = -(m / (h * h)) * (N - 1 - k) / S;
            CHECK(fabs((double)s->x[2 * N + k] - u) < CLOSE(1e-9) * m / (h * h));
        }
        free(s);
    }
    // coasting into the wall needs no command; the wall takes the momentum
    sketch *s = cart(10, 0.5, -1, 0.1, 2);
    double momentum = 0;
    CHECK_INT(solve(s), TACT_CONVERGED);
    for (int k = 0; k < 10; k++) momentum += 0.1 * (double)s->x[30 + k];
    CHECK(fabs((double)s->solution.objective) < CLOSE(1e-12) && fabs(momentum - 2) < CLOSE(1e-9));
    CHECK(s->solution.complementarity == 0 && s->solution.global);
    free(s);
}

// The best of all combinations: each choice's side fixed by an equality, the products left out.
static double enumerate(const sketch *s, int choices, tact_status *status) {
    double best = HUGE_VAL;
    *status = TACT_INFEASIBLE;
    for (int sides = 0; sides < 1 << choices; sides++) {
        sketch *leaf = malloc(sizeof *leaf);
        if (!leaf) abort();
        *leaf = *s;
        leaf->problem.constraint = leaf->constraint;
        leaf->problem.equality = leaf->equality;
        leaf->problem.ncon = 0;
        for (int i = 0; i < s->problem.ncon; i++) {
            bool product = s->constraint[i].nquadratic > 0;
            if (product) continue;
            leaf->constraint[leaf->problem.ncon] = s->constraint[i];
            // a choice's rows are the first of each three
            leaf->equality[leaf->problem.ncon++] = i < 3 * choices ? (sides >> i / 3 & 1) == i % 3 : s->equality[i];
        }
        tact_status end = solve(leaf);
        if (end == TACT_CONVERGED && (double)leaf->solution.objective < best) best = (double)leaf->solution.objective;
        if (end != TACT_INFEASIBLE) *status = end == TACT_CONVERGED && *status != TACT_SINGULAR ? TACT_CONVERGED : TACT_SINGULAR;
        free(leaf);
    }
    return best;
}

// choices first, then a ball of linear rows, and a convex objective, perhaps flat in some directions
static sketch *random_choices(uint64_t *seed, int choices, int rows) {
    int n = 2 * choices + 2;
    sketch *s = new_sketch(n);
    for (int k = 0; k < choices; k++) add_choice(s, 2 * k, 2 * k + 1);
    for (int r = 0; r < rows; r++) {
        tact_triplet terms[UNKNOWNS];
        for (int i = 0; i < n; i++) terms[i] = linear(i, test_random(seed, -1, 1));
        constrain(s, n, terms, test_random(seed, -1, 0.3), r == 0 && rows > 2);
    }
    for (int i = 0; i < n; i++) {
        tact_triplet bound = linear(i, -1);
        constrain(s, 1, &bound, 10, false);
        bound = linear(i, 1);
        constrain(s, 1, &bound, 10, false);
    }
    tact_triplet *start = s->entry + s->used;
    int rank = 1 + (int)(test_random_bits(seed) % (uint64_t)n);
    double square[UNKNOWNS][UNKNOWNS] = {{0}};
    for (int r = 0; r < rank; r++) {
        double v[UNKNOWNS];
        for (int i = 0; i < n; i++) v[i] = test_random(seed, -1, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) square[i][j] += v[i] * v[j];
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s->entry[s->used++] = (tact_triplet){i, j, (tact_real)square[i][j]};
    tact_triplet *slope = s->entry + s->used;
    for (int i = 0; i < n; i++) s->entry[s->used++] = linear(i, test_random(seed, -3, 3));
    s->problem.objective = (tact_quadratic){.quadratic = start, .nquadratic = n * n, .linear = slope, .nlinear = n};
    return s;
}

static void test_search(void) {
    uint64_t seed = test_seed(2024);
    int infeasible = 0;
    for (int trial = 0; trial < 60; trial++) {
        int choices = 1 + trial % 5;
        sketch *s = random_choices(&seed, choices, 1 + trial % 4);
        tact_status wanted, status = solve(s);
        double best = enumerate(s, choices, &wanted);
        CHECK_INT(status, wanted);
        infeasible += status == TACT_INFEASIBLE;
        CHECK(s->solution.global && s->solution.choices == (status == TACT_BAD_INPUT ? 0 : choices));
        if (status == TACT_CONVERGED) {
            CHECK(fabs((double)s->solution.objective - best) < CLOSE(1e-10) * (1 + fabs(best)));
            CHECK(s->solution.complementarity == 0 && (double)s->solution.violation < CLOSE(1e-12));
        }
        free(s);
    }
    CHECK(infeasible < 40);
}

static void test_small(void) {
    // a sphere and a saddle: the hard case of the trust region, certified by its Lagrangian
    sketch *s = new_sketch(2);
    tact_triplet saddle[] = {{0, 0, -2}, {1, 1, 2}}, sphere[] = {{0, 0, -2}, {1, 1, -2}}, slope = linear(1, 2);
    add_terms(s, &s->problem.objective, 2, saddle);
    s->problem.objective.linear = &slope;
    s->problem.objective.nlinear = 1;
    constrain(s, 2, sphere, 1, false);
    CHECK_INT(solve(s), TACT_CONVERGED);
    CHECK(fabs((double)s->solution.objective + 1.5) < CLOSE(1e-12) && s->solution.global && s->solution.stationary);
    CHECK(fabs((double)s->multiplier[0] - 1) < CLOSE(1e-6));
    free(s);
    // unbounded along a ray; contradictory rows; a number that is none
    s = new_sketch(1);
    tact_triplet one = linear(0, 1), back = linear(0, -1);
    add_terms(s, &s->problem.objective, 1, &back);
    constrain(s, 1, &one, 0, false);
    CHECK_INT(solve(s), TACT_SINGULAR);
    constrain(s, 1, &back, -1, false);
    CHECK_INT(solve(s), TACT_INFEASIBLE);
    CHECK(s->solution.global);
    s->constraint[0].constant = (tact_real)NAN;
    tact_qcqp_options options = tact_qcqp_options_default();
    CHECK_INT(tact_qcqp_solve(&s->problem, &options, NULL, 0, &s->solution), TACT_BAD_INPUT);
    free(s);
    // x >= 0 in the largest units that are accepted
    s = new_sketch(1);
    tact_triplet steep = linear(0, (double)TACT_MOST_NUMBER), slow = linear(0, 1), product = {0, 0, -2}, rest = linear(0, 1000);
    constrain(s, 1, &steep, 0, false);
    constrain(s, 1, &slow, -1000, false);
    constrain(s, 1, &product, 0, false);
    s->constraint[2].linear = &rest;
    s->constraint[2].nlinear = 1;
    tact_status end = solve(s);
    CHECK(end == TACT_BAD_INPUT || (s->multiplier[1] - s->multiplier[1] == 0 && s->solution.complementarity == 0));
    free(s);
    // two values for each unknown
    s = new_sketch(2);
    tact_triplet square[] = {{0, 0, 2}}, other[] = {{1, 1, 2}}, bowl[] = {{0, 0, 2}, {1, 1, 2}, {0, 1, 1}, {1, 0, 1}};
    add_terms(s, &s->problem.objective, 4, bowl);
    s->problem.objective.linear = &slope;
    s->problem.objective.nlinear = 1;
    constrain(s, 1, square, -1, true);
    constrain(s, 1, other, -4, true);
    CHECK_INT(solve(s), TACT_CONVERGED);
    CHECK(s->x[0] == 1 && s->x[1] == -2 && s->solution.global);
    free(s);
}

// -(g l) >= 0 with g, l >= 0: g = constant + the terms, l one unknown
static void add_product(sketch *s, int count, const tact_triplet *terms, double constant, int unknown) {
    tact_triplet one = linear(unknown, 1), pull = linear(unknown, -constant), product[8];
    constrain(s, count, terms, constant, false);
    constrain(s, 1, &one, 0, false);
    for (int k = 0; k < count; k++) {
        tact_triplet t = {terms[k].column, unknown, -terms[k].value}, back = {unknown, terms[k].column, -terms[k].value};
        product[2 * k] = t;
        product[2 * k + 1] = back;
    }
    constrain(s, 2 * count, product, 0, false);
    s->entry[s->used++] = pull;
    s->constraint[s->problem.ncon - 1].linear = s->entry + s->used - 1;
    s->constraint[s->problem.ncon - 1].nlinear = 1;
}

// All products in one constraint, as the sum of forces times distances.
static void add_up_products(sketch *s) {
    tact_quadratic sum = {.quadratic = s->entry + s->used};
    int kept = 0;
    for (int i = 0; i < s->problem.ncon; i++)
        for (int k = 0; k < s->constraint[i].nquadratic; k++, sum.nquadratic++)
            s->entry[s->used++] = s->constraint[i].quadratic[k];
    sum.linear = s->entry + s->used;
    for (int i = 0; i < s->problem.ncon; i++) {
        for (int k = 0; k < s->constraint[i].nlinear && s->constraint[i].nquadratic > 0; k++, sum.nlinear++)
            s->entry[s->used++] = s->constraint[i].linear[k];
        if (s->constraint[i].nquadratic > 0) continue;
        s->equality[kept] = s->equality[i];
        s->constraint[kept++] = s->constraint[i];
    }
    s->constraint[kept] = sum;
    s->equality[kept] = false;
    s->problem.ncon = kept + 1;
}

// A bilevel linear program (Floudas and Pardalos, 9.1.5): min -x + 10 y1 - y2 over x >= 0 and the y that make -y1 - y2 least
// under x + y1 <= 1, x + y2 <= 1, y1 + y2 <= 1, y >= 0. The branches are linear programs with flat directions and rows that
// depend on each other; none of them is unbounded.
static void test_bilevel(void) {
    sketch *s = new_sketch(8);
    tact_triplet cost[] = {linear(0, -1), linear(1, 10), linear(2, -1)}, x = linear(0, 1);
    add_terms(s, &s->problem.objective, 3, cost);
    constrain(s, 1, &x, 0, false);
    tact_triplet rows[][2] = {{linear(0, -1), linear(1, -1)}, {linear(0, -1), linear(2, -1)}, {linear(1, -1), linear(2, -1)}};
    for (int k = 0; k < 3; k++) add_product(s, 2, rows[k], 1, 3 + k);
    for (int k = 0; k < 2; k++) {
        tact_triplet y = linear(1 + k, 1), balance[] = {linear(3 + k, 1), linear(5, 1), linear(6 + k, -1)};
        add_product(s, 1, &y, 0, 6 + k);
        constrain(s, 3, balance, -1, true);
    }
    for (int together = 0; together < 2; together++) {
        if (together) add_up_products(s);
        CHECK_INT(solve(s), TACT_CONVERGED);
        CHECK(fabs((double)s->solution.objective + 1) < CLOSE(1e-12) && s->solution.global && s->solution.complementarity == 0);
        CHECK_INT(s->solution.choices, 5);
    }
    free(s);
}

// A flat objective over a ball: the constraint's curvature is all there is. Without the ball, and on a saddle: no minimum.
static void test_flat(void) {
    sketch *s = new_sketch(2);
    tact_triplet down[] = {linear(0, 1), linear(1, 1)}, ball[] = {{0, 0, -2}, {1, 1, -2}}, saddle[] = {{0, 0, -2}, {1, 1, 1}};
    add_terms(s, &s->problem.objective, 2, down);
    constrain(s, 2, ball, 1, false);
    CHECK_INT(solve(s), TACT_CONVERGED);
    CHECK(fabs((double)s->solution.objective + sqrt(2)) < CLOSE(1e-12) && s->solution.global);
    s->problem.ncon = 0;
    CHECK_INT(solve(s), TACT_SINGULAR);
    add_terms(s, &s->problem.objective, 2, saddle);
    CHECK_INT(solve(s), TACT_SINGULAR);
    free(s);
    // the terms of the Lagrangian cancel: x'x over x'x >= 1
    s = new_sketch(2);
    tact_triplet bowl[] = {{0, 0, 2}, {1, 1, 2}};
    add_terms(s, &s->problem.objective, 2, bowl);
    constrain(s, 2, bowl, -1, false);
    CHECK_INT(solve(s), TACT_CONVERGED);
    CHECK(fabs((double)s->solution.objective - 1) < CLOSE(1e-10) && s->solution.global);
    free(s);
    // two balls that do not meet: whatever is said, x is a number
    s = new_sketch(2);
    tact_triplet slope = linear(0, 8);
    add_terms(s, &s->problem.objective, 2, down);
    constrain(s, 2, ball, 1, false);
    constrain(s, 2, ball, -15, false);
    s->constraint[1].linear = &slope;
    s->constraint[1].nlinear = 1;
    s->x[0] = s->x[1] = (tact_real)NAN;
    tact_status status = solve(s);
    CHECK(status == TACT_INFEASIBLE || status == TACT_UNDECIDED);
    CHECK(!(s->solution.global && status != TACT_INFEASIBLE) && s->x[0] - s->x[0] == 0 && s->x[1] - s->x[1] == 0);
    free(s);
}

// Nearly parallel rows meet a third one at zero, where steps leave rounding that the rows' own point does not have.
static void test_corner(void) {
    sketch *s = new_sketch(2);
    tact_triplet bowl[] = {{0, 0, (tact_real)5.5703125},
                           {0, 1, (tact_real)2.70703125},
                           {1, 0, (tact_real)2.70703125},
                           {1, 1, (tact_real)2.86328125}};
    tact_triplet down = linear(1, -1.3125), rows[][2] = {{linear(0, -1.125), linear(1, 1.5)},
                                                         {linear(0, 1.25), linear(1, -1.875)},
                                                         {linear(0, 0.3125), linear(1, 0.375)}};
    add_terms(s, &s->problem.objective, 4, bowl);
    s->problem.objective.linear = &down;
    s->problem.objective.nlinear = 1;
    for (int k = 0; k < 3; k++) constrain(s, 2, rows[k], 0, false);
    CHECK_INT(solve(s), TACT_CONVERGED);
    CHECK(s->solution.global && fabs((double)s->x[0]) < CLOSE(1e-12) && fabs((double)s->x[1]) < CLOSE(1e-12));
    free(s);
}

// x^2 >= 1, of which the guess takes one side; all starts together find the better one
static void test_guess(void) {
    sketch *s = new_sketch(1);
    tact_triplet bowl = {0, 0, 2}, slope = linear(0, -0.25);
    tact_real guess = 0, x[1], multiplier[1];
    add_terms(s, &s->problem.objective, 1, &bowl);
    s->problem.objective.linear = &slope;
    s->problem.objective.nlinear = 1;
    constrain(s, 1, &bowl, -1, false);
    s->problem.x0 = &guess;
    size_t size = tact_qcqp_size(&s->problem);
    void *memory = malloc(size);
    for (int side = -1; side <= 1; side += 2) {
        tact_qcqp_options options = tact_qcqp_options_default();
        tact_qcqp_solution got = {.x = x, .multiplier = multiplier};
        guess = (tact_real)(3 * side);
        options.starts = 1;
        CHECK_INT(tact_qcqp_solve(&s->problem, &options, memory, size, &got), TACT_CONVERGED);
        CHECK(fabs((double)x[0] - side) < CLOSE(1e-9) && got.stationary);
        CHECK_INT(solve(s), TACT_CONVERGED);
        CHECK(fabs((double)s->x[0] - 1) < CLOSE(1e-9));
    }
    free(memory);
    free(s);
}

// a x^2 + b x + c = 0 leaves two values, one or none; of those the one nearer to 3 is the least
static void test_roots(void) {
    static const struct {
        double a, b, c, wanted;  // HUGE_VAL: none
    } cases[] = {{1, 0, -1, 1}, {1, -3, 2, 2},       {1, 3, 2, -1},       {-1, 3, -2, 2},  {1, -3, 0, 3}, {2, 5, 0, 0},
                 {1, 0, 0, 0},  {1, 0, 1, HUGE_VAL}, {1, 1, 5, HUGE_VAL}, {1, -10, 25, 5}, {1, -5, 4, 4}, {4, 0, -1, 0.5}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        for (int kind = 0; kind < 3; kind++) {
            int others = kind > 0, at = kind == 2;
            sketch *s = new_sketch(1 + others);
            tact_triplet bowl[] = {{0, 0, 2}, {1, 1, 2}}, slope[] = {linear(at, -6), linear(1 - at, -2)};
            tact_triplet square = {at, at, (tact_real)(2 * cases[k].a)}, line = linear(at, cases[k].b);
            add_terms(s, &s->problem.objective, 1 + others, bowl);
            s->problem.objective.linear = slope;
            s->problem.objective.nlinear = 1 + others;
            constrain(s, 1, &square, cases[k].c, true);
            s->constraint[0].linear = &line;
            s->constraint[0].nlinear = cases[k].b != 0;
            tact_status status = solve(s);
            bool none = cases[k].wanted >= HUGE_VAL;
            CHECK(none ? status == TACT_INFEASIBLE && s->solution.global : status == TACT_CONVERGED);
            if (!none) CHECK(fabs((double)s->x[at] - cases[k].wanted) < CLOSE(1e-8));
            if (!none && others) CHECK(fabs((double)s->x[1 - at] - 1) < CLOSE(1e-8));
            free(s);
        }
    // y = 1 - x^2 is no choice of two values: the nearest point to (0, 3) is its top
    sketch *s = new_sketch(2);
    tact_triplet bowl[] = {{0, 0, 2}, {1, 1, 2}}, square = {0, 0, 2}, slope = linear(1, -6), line = linear(1, 1);
    add_terms(s, &s->problem.objective, 2, bowl);
    s->problem.objective.linear = &slope;
    s->problem.objective.nlinear = 1;
    constrain(s, 1, &square, -1, true);
    s->constraint[0].linear = &line;
    s->constraint[0].nlinear = 1;
    CHECK_INT(solve(s), TACT_CONVERGED);
    CHECK(fabs((double)s->x[0]) < CLOSE(1e-6) && fabs((double)s->x[1] - 1) < CLOSE(1e-6) && s->solution.choices == 0);
    free(s);
}

int main(void) {
    test_bilevel();
    test_flat();
    test_corner();
    test_small();
    test_cart_stop();
    test_search();
    test_guess();
    test_roots();
    return test_end("qcqp");
}
