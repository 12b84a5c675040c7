// SPDX-License-Identifier: MIT
// L-BFGS on functions with known minima, free and within bounds.
#include "plan/lbfgs.h"
#include "test.h"

#ifdef TACT_FLOAT
#define CLOSE 2e-3
#else
#define CLOSE 1e-7
#endif

enum { MOST = 60, PAIRS = 8 };

typedef struct {
    int n, calls;
    tact_real last;           // value that was told
    int told;                 // iterations
    int stop;                 // at this one; -1: never
    double wall;              // the value is infinite where a variable is above; 0: none
    double A[MOST], b[MOST];  // of the quadratic
} function;

static tact_lbfgs lbfgs;
static unsigned char memory[1 << 16];

static bool listen(void *context, const tact_lbfgs_progress *progress) {
    function *f = context;
    CHECK_INT(progress->iteration, f->told);
    CHECK(progress->iteration == 0 || progress->value < f->last);
    CHECK_INT(progress->evaluations, f->calls);
    f->told++;
    f->last = progress->value;
    return progress->iteration != f->stop;
}

// sum of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2
static tact_real rosenbrock(void *context, const tact_real *x, tact_real *g) {
    function *f = context;
    tact_real sum = 0;
    f->calls++;
    for (int i = 0; i < f->n; i++) {
        g[i] = 0;
        if (f->wall != 0 && (double)x[i] > f->wall) return TACT_REAL(NAN);
    }
    for (int i = 0; i + 1 < f->n; i++) {
        tact_real a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
        sum += 100 * a * a + b * b;
        g[i] += -400 * a * x[i] - 2 * b;
        g[i + 1] += 200 * a;
    }
    return sum;
}

// 1/2 sum A_i (x_i - x_{i-1} - b_i)^2
static tact_real chain(void *context, const tact_real *x, tact_real *g) {
    function *f = context;
    tact_real sum = 0;
    f->calls++;
    for (int i = 0; i < f->n; i++) g[i] = 0;
    for (int i = 0; i < f->n; i++) {
        tact_real A = (tact_real)f->A[i], r = x[i] - (i > 0 ? x[i - 1] : 0) - (tact_real)f->b[i];
        sum += A * r * r / 2;
        g[i] += A * r;
        if (i > 0) g[i - 1] -= A * r;
    }
    return sum;
}

static tact_lbfgs_problem make_problem(function *f, int n, tact_real (*evaluate)(void *, const tact_real *, tact_real *)) {
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_lbfgs_place(&lbfgs, n, PAIRS, &arena);
    CHECK(tact_arena_fits(&arena));
    *f = (function){.n = n, .stop = -1};
    return (tact_lbfgs_problem){.n = n, .context = f, .evaluate = evaluate, .report = listen};
}

static void test_valley(void) {
    static const int sizes[] = {2, 10, 50};
    for (int k = 0; k < 3; k++) {
        function f;
        tact_real x[MOST];
        tact_lbfgs_problem problem = make_problem(&f, sizes[k], rosenbrock);
        tact_lbfgs_options options = tact_lbfgs_options_default();
        options.iteration_limit = 500;
        options.tolerance = sizeof(tact_real) == 8 ? TACT_REAL(1e-7) : TACT_REAL(1e-3);
        for (int i = 0; i < f.n; i++) x[i] = i % 2 ? 1 : TACT_REAL(-1.2);
        tact_lbfgs_result result = tact_lbfgs_minimise(&lbfgs, &problem, options, x);
        CHECK_INT(result.status, TACT_CONVERGED);
        CHECK_INT(result.iterations, f.told - 1);
        CHECK_INT(result.evaluations, f.calls);
        CHECK(result.iterations < 60 + 6 * f.n && result.evaluations < 2 * result.iterations + 40);
        // from the other valley of the higher dimensions a minimum near (-1, 1, ...) may be found
        if (f.n == 2)
            for (int i = 0; i < f.n; i++) CHECK_CLOSE(x[i], 1, CLOSE);
        CHECK(result.value <= (f.n == 2 ? TACT_REAL(1e-6) : 4));
    }
}

// Bounds at which some variables end: the same answer as by coordinate descent.
static void test_bounds(uint64_t *seed) {
    int held = 0, all = 0;
    for (int trial = 0; trial < 20; trial++) {
        function f;
        tact_real x[MOST], lower[MOST], upper[MOST];
        double wanted[MOST];
        int n = 2 + trial;
        all += n;
        tact_lbfgs_problem problem = make_problem(&f, n, chain);
        tact_lbfgs_options options = tact_lbfgs_options_default();
        options.iteration_limit = 1000;
        options.evaluation_limit = 4000;
        options.tolerance = (tact_real)(CLOSE / 10);
        for (int i = 0; i < n; i++) {
            f.A[i] = pow(10, test_random(seed, -1, 1));
            f.b[i] = test_random(seed, -1, 1);
            lower[i] = (tact_real)test_random(seed, -0.6, 0);
            upper[i] = i % 5 == 4 ? lower[i] : (tact_real)test_random(seed, 0, 0.6);
            x[i] = (tact_real)test_random(seed, -2, 2);
            wanted[i] = 0;
        }
        for (int sweep = 0; sweep < 20000; sweep++)
            for (int i = 0; i < n; i++) {
                double before = i > 0 ? wanted[i - 1] : 0, pull = f.A[i] * (before + f.b[i]), weight = f.A[i];
                if (i + 1 < n) {
                    pull += f.A[i + 1] * (wanted[i + 1] - f.b[i + 1]);
                    weight += f.A[i + 1];
                }
                wanted[i] = fmin(fmax(pull / weight, (double)lower[i]), (double)upper[i]);
            }
        problem.lower = lower;
        problem.upper = upper;
        tact_lbfgs_result result = tact_lbfgs_minimise(&lbfgs, &problem, options, x);
        // by the tolerance, or to rounding
        CHECK(result.status == TACT_CONVERGED || result.status == TACT_STATIONARY);
        for (int i = 0; i < n; i++) {
            CHECK(x[i] >= lower[i] && x[i] <= upper[i]);
            CHECK_CLOSE(x[i], wanted[i], 20 * CLOSE);
            held += x[i] == lower[i] || x[i] == upper[i];
        }
    }
    CHECK(held > all / 5 && held < all - all / 5);
}

// Where the function has no value the search goes less far.
static void test_wall(void) {
    function f;
    tact_real x[2] = {TACT_REAL(-1.2), 1};
    tact_lbfgs_problem problem = make_problem(&f, 2, rosenbrock);
    tact_lbfgs_options options = tact_lbfgs_options_default();
    options.reach = 100;
    f.wall = 1.5;
    tact_lbfgs_result result = tact_lbfgs_minimise(&lbfgs, &problem, options, x);
    // tolerance 0: until rounding
    CHECK(result.status == TACT_STATIONARY || result.status == TACT_CONVERGED);
    CHECK_CLOSE(x[0], 1, CLOSE);
    CHECK_CLOSE(x[1], 1, CLOSE);
    problem = make_problem(&f, 2, rosenbrock);
    f.wall = -3;
    CHECK_INT(tact_lbfgs_minimise(&lbfgs, &problem, options, x).status, TACT_BAD_INPUT);
    CHECK_INT(f.told, 0);
}

static void test_ends(void) {
    function f;
    tact_real x[MOST] = {0};
    tact_lbfgs_options options = tact_lbfgs_options_default();
    for (int end = 0; end < 3; end++) {
        tact_lbfgs_problem problem = make_problem(&f, 20, rosenbrock);
        options = tact_lbfgs_options_default();
        for (int i = 0; i < f.n; i++) x[i] = i % 2 ? 1 : TACT_REAL(-1.2);
        if (end == 0) options.iteration_limit = 7;
        if (end == 1) options.evaluation_limit = 9;
        if (end == 2) f.stop = 5;
        tact_lbfgs_result result = tact_lbfgs_minimise(&lbfgs, &problem, options, x);
        CHECK_INT(result.status, end < 2 ? TACT_ITERATION_LIMIT : TACT_CONVERGED);
        if (end == 0) CHECK_INT(result.iterations, 7);
        if (end == 1) CHECK_INT(result.evaluations, 9);
        if (end == 2) CHECK_INT(result.iterations, 5);
        // x is where the value was found
        tact_real g[MOST];
        CHECK(rosenbrock(&f, x, g) == result.value);
    }
    // nothing to vary, and a start that is the minimum
    tact_lbfgs_problem problem = make_problem(&f, 0, chain);
    CHECK_INT(tact_lbfgs_minimise(&lbfgs, &problem, options, x).status, TACT_CONVERGED);
    problem = make_problem(&f, 5, rosenbrock);
    for (int i = 0; i < 5; i++) x[i] = 1;
    tact_lbfgs_result result = tact_lbfgs_minimise(&lbfgs, &problem, options, x);
    CHECK_INT(result.status, TACT_CONVERGED);
    CHECK_INT(result.evaluations, 1);
}

static tact_real nowhere(void *context, const tact_real *x, tact_real *gradient) {
    (void)context;
    gradient[0] = x[0] > 1 ? (tact_real)NAN : 0;
    return x[0] > 0 ? x[0] : (tact_real)NAN;
}

// what is not acceptable is named, with its place
static void test_faults(void) {
    static const char *const fields[] = {"options.iteration_limit",
                                         "options.evaluation_limit",
                                         "options.tolerance",
                                         "options.tolerance",
                                         "options.tolerance",
                                         "options.reach",
                                         "options.reach",
                                         "options.reach",
                                         "x",
                                         "lower",
                                         "lower",
                                         "upper",
                                         "upper",
                                         "upper"};
    function f = {0};
    for (int k = 0; k < 14; k++) {
        tact_real x[2] = {0, 0}, lower[2] = {-1, -1}, upper[2] = {1, 1};
        const tact_real not_finite = (tact_real)(k % 2 ? NAN : INFINITY);
        tact_lbfgs_problem problem = make_problem(&f, 2, chain);
        tact_lbfgs_options options = tact_lbfgs_options_default();
        problem.lower = lower;
        problem.upper = upper;
        if (k == 0) options.iteration_limit = -1;
        if (k == 1) options.evaluation_limit = 0;
        if (k >= 2 && k <= 4) options.tolerance = k == 2 ? -1 : not_finite;
        if (k >= 5 && k <= 7) options.reach = k == 5 ? 0 : not_finite;
        if (k == 8) x[1] = not_finite;
        if (k == 9 || k == 10) lower[1] = not_finite;
        if (k == 10) problem.upper = NULL;
        if (k == 11) upper[1] = -not_finite;
        if (k == 12) upper[1] = -not_finite;
        if (k == 13) upper[1] = -2;
        tact_lbfgs_result result = tact_lbfgs_minimise(&lbfgs, &problem, options, x);
        CHECK_INT(result.status, TACT_BAD_INPUT);
        CHECK_TEXT(result.fault.field, fields[k]);
        if (k >= 8) CHECK_INT(result.fault.index, 1);
    }
    // a start without a value, and one without a gradient
    for (int k = 0; k < 2; k++) {
        tact_real x[1] = {k ? 2 : -1};
        tact_lbfgs_problem problem = {.n = 1, .evaluate = nowhere};
        tact_lbfgs_result result = tact_lbfgs_minimise(&lbfgs, &problem, tact_lbfgs_options_default(), x);
        CHECK_INT(result.status, TACT_BAD_INPUT);
        CHECK(!result.fault.field);
    }
}

int main(void) {
    uint64_t seed = test_seed(3);
    test_valley();
    test_bounds(&seed);
    test_wall();
    test_ends();
    test_faults();
    return test_end("lbfgs");
}
